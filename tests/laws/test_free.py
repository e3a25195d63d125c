"""What is free: it charges nothing, touches no row, and is a function of the policy and the text."""

from datetime import date, datetime
from itertools import product

import pytest

import tacit
from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import Memory
from tacit.errors import InvalidInput, InvalidPlan
from tacit.ledger import MemoryLedger
from tacit.plan import Column, Kind, Table, shows_no_row, tables_of
from tests.laws.clinic import WARDS

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=WARDS, null_group=True),
        Column("urgent", Kind.BOOLEAN, values=(False, True)),
        Column("age", Kind.INTEGER, 0, 89),
        Column("cost", Kind.NUMBER, 0, 100),
        Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 3, 31)),
        Column("at", Kind.TIMESTAMP, datetime(2025, 1, 1), datetime(2025, 3, 31)),  # noqa: DTZ001
        Column("name", Kind.TEXT),
    ),
    unit="patient",
    contributions=3,
)
ROWS = [
    {
        "patient": n // 2,
        "ward": (*WARDS, None)[n % 5],
        "urgent": n % 3 == 0,
        "age": n % 90,
        "cost": n / 7,
        "day": date(2025, 1 + n % 3, 1 + n % 28),
        "at": datetime(2025, 1 + n % 3, 1 + n % 28, n % 24),  # noqa: DTZ001
        "name": "xyz"[n % 3],
    }
    for n in range(120)
]


class Untouched(Memory):
    """An engine that nobody may ask."""

    def evaluate(self, *_):
        raise AssertionError("rows were read")

    dry_run = gather = evaluate


class Unspent(MemoryLedger):
    """A ledger into which nobody may write."""

    def charge(self, *_, **__):
        raise AssertionError("something was charged")

    settle = charge


def vault_of(engine=Memory, ledger=MemoryLedger, rows=ROWS, delta=1e-6):
    limit = Limit(1000, delta)
    policy = Policy(limit, {"visits": Shared(VISITS, 3)}, "patient")
    return Vault(policy, {"visits": engine({VISITS: rows})}, ledger(limit.filter()))


KEYS = {
    "SELECT DISTINCT ward FROM visits": [(each,) for each in (*WARDS, None)],
    "SELECT ward FROM visits GROUP BY ward": [(each,) for each in (*WARDS, None)],
    "SELECT ward AS w FROM public.visits WHERE ward <> 'A' GROUP BY 1": [("B",), ("C",), ("D",)],
    "SELECT DISTINCT urgent, ward FROM visits ORDER BY ward DESC NULLS FIRST, urgent LIMIT 3": [
        (False, None),
        (True, None),
        (False, "D"),
    ],
    "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) x LIMIT 1": [("A",)],
    "SELECT DISTINCT FLOOR(age / 30) AS b FROM visits": [(0,), (1,), (2,)],
    "SELECT DISTINCT DATE_TRUNC('month', day) AS m FROM visits": [
        (datetime(2025, month, 1),)  # noqa: DTZ001
        for month in (1, 2, 3)
    ],
    "SELECT ward, ROW_NUMBER() OVER (ORDER BY ward) AS k FROM visits WHERE ward < 'C' GROUP BY ward": [
        ("A", 1),
        ("B", 2),
    ],
}
QUESTIONS = [
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "SELECT AVG(cost) AS m, SUM(age) AS s FROM visits",
    "SELECT urgent, MEDIAN(age) AS m, MAX(day) AS last FROM visits GROUP BY urgent",
    "SELECT COUNT(DISTINCT patient) AS p, COUNT(DISTINCT name) AS d FROM visits",
    "SELECT ward, STDDEV(cost) AS s, COUNT(*) * 2 AS twice FROM visits GROUP BY ward",
    "SELECT name, COUNT(*) AS n FROM visits GROUP BY name",
    "SELECT DATE_TRUNC('month', at) AS m, COUNT(*) > 3 AS many FROM visits GROUP BY 1",
    "SELECT ward, n, RANK() OVER (ORDER BY n DESC) AS r FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)",
    "SELECT 'all' AS w, COUNT(*) AS n FROM visits UNION ALL SELECT ward, COUNT(*) FROM visits GROUP BY ward",
    "SELECT ward, COUNT(*) * 1.0 / (SELECT COUNT(*) FROM visits) AS s FROM visits GROUP BY ward",
    "SELECT ward, urgent, COUNT(*) AS n FROM visits GROUP BY ROLLUP (ward, urgent)",
    "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2",
    "SELECT SUM(cost) AS s, MIN(at) AS first FROM visits",
    *KEYS,
]
EMPTY = [
    "SELECT * FROM ({}) x LIMIT 0",
    "SELECT * FROM ({}) x WHERE 1 = 0",
    "SELECT * FROM ({}) x WHERE (0 = 1) LIMIT 5",
    "SELECT * FROM ({}) x WHERE FALSE FETCH FIRST 3 ROWS ONLY",
    "SELECT * FROM ({}) x WHERE 2 > 3 AND (1 = 1)",
]


@pytest.mark.parametrize(("text", "rows"), KEYS.items(), ids=KEYS)
def test_declared_keys_are_free_and_touch_no_row(text, rows):
    vault = vault_of(Untouched, Unspent)
    found = vault.sql(text)
    assert list(found.rows) == rows
    assert found.price.free
    assert found.price.share == 0
    told = vault.explain(text)
    assert told.free
    assert told.share == 0
    assert "Price: nothing" in str(told)
    assert "policy" in str(told)
    assert "policy" in str(found)
    assert vault.sql(text).rows == vault_of(Untouched, Unspent, rows=[]).sql(text).rows


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_view_that_can_show_no_row_is_free_and_has_the_columns_of_the_answer(question):
    vault, asked = vault_of(Untouched, Unspent), vault_of()
    answer = asked.sql(question, epsilon=1)
    for shape in () if "LIMIT" in question or "DISTINCT" in question else EMPTY:
        text = shape.format(question)
        found = vault.sql(text)
        assert found.rows == ()
        assert found.columns == answer.columns
        assert found.measured == answer.measured
        assert vault.explain(text).free
    whole = vault.sql(f"{question.partition('LIMIT')[0]} LIMIT 0")
    assert (whole.columns, whole.measured, whole.rows) == (answer.columns, answer.measured, ())


def test_a_view_that_is_said_to_be_empty_is_empty():
    """Every statement of a small grammar: what is said to be empty is, at an epsilon at which noise tells nothing."""
    conditions = [
        "1 = 0",
        "1 = 1",
        "2 > 3 AND 1 = 1",
        "ward = 'A'",
        "FALSE OR ward = 'B'",
        "TRUE",
        "FALSE",
    ]
    havings = ["", "HAVING 1 = 0", "HAVING TRUE", "HAVING COUNT(*) > -1000000"]
    vault, said = vault_of(), 0
    for condition, having, limit in product(conditions, havings, ("", "LIMIT 0", "LIMIT 1")):
        text = f"SELECT ward, COUNT(*) AS n FROM visits WHERE {condition} GROUP BY ward {having} {limit}"
        plan = vault._access.plans.read(text, vault._access.read_tables(), (), finding=True)[0]
        if shows_no_row(plan):
            said += 1
            assert (
                condition in {"1 = 0", "2 > 3 AND 1 = 1", "FALSE"}
                or having == "HAVING 1 = 0"
                or limit == "LIMIT 0"
            )
        else:
            assert vault.sql(text, epsilon=0.001).rows
    assert said == 7 * 4 * 3 - 4 * 3 * 2


def test_one_row_that_nobody_is_in_is_not_free():
    vault = vault_of(Untouched, Unspent)
    with pytest.raises(InvalidInput, match="a price is missing"):
        vault.sql("SELECT COUNT(*) AS n FROM visits WHERE 1 = 0")


@pytest.mark.parametrize(
    ("text", "columns"),
    [
        ("SELECT * FROM visits LIMIT 0", (*(column.name for column in VISITS.columns), "patient")),
        (
            "SELECT * FROM visits WHERE 1 = 0",
            (*(column.name for column in VISITS.columns), "patient"),
        ),
        ("SELECT v.ward, age + 1 AS older FROM public.visits v WHERE FALSE", ("ward", "older")),
    ],
)
def test_rows_are_listed_only_where_none_can_be(text, columns):
    vault = vault_of(Untouched, Unspent)
    found = vault.sql(text)
    assert found.columns == columns
    assert found.rows == ()
    assert tuple(each.name for each in vault.columns(text)) == columns
    for shown in (
        text.replace("LIMIT 0", "LIMIT 1"),
        text.replace("FALSE", "age > 88 AND age < 1"),
    ):
        other = shown.replace("1 = 0", "1 = 1")
        if other != text:
            with pytest.raises(InvalidPlan):
                vault.sql(other)
            with pytest.raises(InvalidPlan):
                vault.explain(other)


_TYPES = {
    "TEXT": str,
    "BIGINT": int,
    "DOUBLE": (int, float),
    "BOOLEAN": bool,
    "DATE": date,
    "TIMESTAMP": datetime,
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_columns_are_those_of_the_answer(question):
    vault = vault_of()
    told = vault_of(Untouched, Unspent).columns(question)
    answer = vault.sql(question, epsilon=5)
    assert tuple(each.name for each in told) == answer.columns
    assert (
        tuple(dict.fromkeys(each.interval_of for each in told if each.interval_of))
        == answer.measured
    )
    for place, column in enumerate(told):
        values = [row[place] for row in answer.rows if row[place] is not None]
        assert all(isinstance(value, _TYPES[column.type]) for value in values), column
        assert not any(type(value) is bool for value in values) or column.type == "BOOLEAN"
        assert not any(type(value) is datetime for value in values) or column.type == "TIMESTAMP"


def test_columns_of_what_is_refused_are_refused():
    for text in (
        "SELECT age FROM visits",
        "SELECT COUNT(*) FROM nowhere",
        "SELECT SUM(name) FROM visits",
    ):
        with pytest.raises(InvalidPlan):
            vault_of(Untouched, Unspent).columns(text)


def test_columns_of_listings_and_of_bound_questions():
    vault = vault_of(Untouched, Unspent)
    assert next(each.name for each in vault.columns("SHOW TABLES")) == "table"
    text = "SELECT COUNT(*) AS n FROM visits WHERE age > ?"
    assert [each.type for each in vault.columns(text, params=[3])] == ["BIGINT"] * 3
    assert not vault.explain(text, params=[3], epsilon=1).free


def test_a_bound_question_is_replayed_for_free():
    vault = vault_of()
    first = vault.sql("SELECT COUNT(*) AS n FROM visits WHERE age > 30", epsilon=1)
    again = vault.sql("SELECT COUNT(*) AS n FROM visits WHERE age > ?", params=[30], epsilon=1)
    other = vault.sql(
        "SELECT COUNT(*) AS n FROM visits WHERE age > :x", params={"x": 31}, epsilon=1
    )
    assert again.rows == first.rows
    assert again.price.free
    assert not other.price.free


def test_another_analyst_pays_from_the_same_ledger():
    rows = [{"patient": n, "ward": "A"} for n in range(50)]
    columns = {"ward": ["A", "B"]}
    clinic = tacit.protect(rows, unit="patient", columns=columns, contributions=1, epsilon=3)
    alice, bob = clinic.of("alice"), clinic.of("bob")
    text = "SELECT COUNT(*) AS n FROM data"
    assert alice.sql(text, epsilon=1).receipt["analyst"] == "alice"
    assert not bob.sql(text, epsilon=0.5).price.free, "replays are for whom they were paid by"
    assert alice.sql(text, epsilon=1).price.free
    assert clinic.budget.spent == alice.budget.spent == pytest.approx(0.5)
    assert alice.of(None).ledger is clinic.ledger


def test_an_analyst_whom_the_policy_does_not_name_is_refused():
    limit = Limit(3, 0)
    policy = Policy(limit, {"visits": Shared(VISITS, 3)}, "patient", {"alice": Limit(1, 0)})
    vault = Vault(policy, {"visits": Memory({VISITS: ROWS})}, MemoryLedger(limit.filter()))
    assert vault.of("alice").budget.own is not None
    assert vault.of("alice").of(None).budget.own is None
    with pytest.raises(InvalidInput, match="name one of: alice"):
        vault.of("mallory")


def test_frames_list_declared_keys_for_free():
    found = vault_of(Untouched, Unspent).table("visits").group_by("ward").ask()
    assert [row[0] for row in found.rows] == [*WARDS, None]


def test_a_plan_of_ones_own_is_listed_of_declared_tables_alone():
    vault = vault_of(Untouched, Unspent)
    plan = vault.table("visits").group_by("ward").plan()
    assert list(tables_of(plan.question.rows)) == [VISITS]
    other = Table("visits", (Column("ward", Kind.TEXT, values=("secret",)),), unit="patient")
    with pytest.raises(InvalidInput):
        vault.ask(tacit.plan.Frame(other).group_by("ward").plan())
