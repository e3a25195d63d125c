"""What contributions and bounds cut off is measured at a price, once, and said from then on."""

from dataclasses import replace
from datetime import date
from unittest.mock import patch

import pytest

import tacit
from tacit.curator import Limit, Policy, Shared, Vault, protect
from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidInput, LimitExceeded
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind, Table

COLUMNS = (
    Column("cost", Kind.NUMBER, 0, 100),
    Column("age", Kind.INTEGER, 18, 65, nullable=False),
    Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
    Column("least", Kind.INTEGER, low=0),
    Column("note", Kind.TEXT),
)
VISITS = Table("visits", COLUMNS, unit="person")
ROWS = [
    {
        "person": person if person < 38 else None,
        "cost": (None, 50.0, 101.0, -1.0)[number % 4],
        "age": 17 + number % 50,
        "day": date(2024 + number % 2, 6, 1),
        "least": number - 2,
        "note": "",
    }
    for person in range(40)
    for number in range(8 if person % 19 == 0 else 2)
]


def vault_of(engine=Memory, delta=1e-6, epsilon=3, analyst=None, ledger=None, table=VISITS, **more):
    policy = Policy(Limit(epsilon, delta), {"visits": Shared(table, 4)}, unit="person", **more)
    ledger = ledger or MemoryLedger(policy.limit.filter())
    return Vault(policy, {"visits": engine({table: ROWS})}, ledger, analyst=analyst)


@pytest.fixture
def no_noise():
    with (
        patch.object(Laplace, "release", lambda _, value, times=None: value),
        patch.object(Gaussian, "release", lambda _, value, times=None: value),
    ):
        yield


@pytest.mark.parametrize(
    "engine", [Memory, lambda tables: DuckDB(tables, threads=1)], ids=["memory", "duckdb"]
)
@pytest.mark.parametrize("delta", [0, 1e-6])
@pytest.mark.usefixtures("no_noise")
def test_it_counts_units_once_and_weighs_rows_as_answers_do(engine, delta):
    found = vault_of(engine, delta).clipping("visits", epsilon=1)
    owned = [row for row in ROWS if row["person"] is not None]
    weight = {0: 0.5, 19: 0.5}  # two of 38 people have eight rows, and four count
    total = sum(weight.get(row["person"], 1) for row in owned)

    def share(name, beyond):
        present = [row for row in owned if row[name] is not None]
        outside = sum(weight.get(row["person"], 1) for row in present if beyond(row[name]))
        return outside / sum(weight.get(row["person"], 1) for row in present)

    assert found.units.value == pytest.approx(2 / 38)
    assert found.columns["cost"].value == pytest.approx(share("cost", lambda x: not 0 <= x <= 100))
    assert found.columns["age"].value == pytest.approx(share("age", lambda x: not 18 <= x <= 65))
    assert found.columns["day"].value == pytest.approx(share("day", lambda x: x.year != 2025))
    assert found.columns["least"].value == pytest.approx(share("least", lambda x: x < 0))
    assert set(found.columns) == {"cost", "age", "day", "least"}
    assert total == 80


def test_it_is_paid_for_before_a_row_is_read():
    vault = vault_of(epsilon=1)
    with patch.object(Memory, "evaluate", side_effect=AssertionError("looked")) as look:
        with pytest.raises(LimitExceeded):
            vault.clipping("visits", epsilon=2)
        look.assert_not_called()
    assert vault.budget.spent == 0
    found = vault.clipping("visits", epsilon=0.5)
    assert vault.budget.spent > 0
    assert vault.budget.spent == pytest.approx(found.price.share)
    with pytest.raises(LimitExceeded):
        vault.clipping("visits", epsilon=0.99)


def test_the_same_is_measured_once_in_a_version_of_the_table():
    vault = vault_of()
    first = vault.clipping("visits", epsilon=0.5)
    spent = vault.budget.spent
    again = vault.clipping("visits", epsilon=0.5)
    assert (again.units, again.columns, vault.budget.spent) == (first.units, first.columns, spent)
    assert (first.price.free, again.price.free) == (False, True)
    assert "nothing: the stored answer, which cost" in str(again)
    vault.refresh("visits")
    assert not vault.clipping("visits", epsilon=0.5).price.free


def test_captions_say_what_was_measured():
    vault = vault_of()
    text = "SELECT SUM(cost) AS s FROM visits"
    before = vault.sql(text, epsilon=0.5)
    assert "measured" not in str(before)
    found = vault.clipping("visits", epsilon=0.5)
    after, told = vault.sql(text, epsilon=0.5), vault.explain(text, epsilon=0.5)
    share = f"{found.columns['cost'].value:.1%}"
    assert f"cost is clipped to the range 0 to 100 (measured: {share} [" in str(after)
    assert (
        f"a person with more than 4 rows counts as 4 (measured: {found.units.value:.1%} ["
        in str(after)
    )
    assert after.left_out == told.left_out
    assert after.receipt == before.receipt  # which is what was paid for, and when
    vault.refresh("visits")
    assert "measured" not in str(vault.explain(text, epsilon=0.5))


def test_it_says_nothing_of_other_bounds():
    ledger = MemoryLedger(Limit(3, 1e-6).filter())
    vault_of(ledger=ledger).clipping("visits", epsilon=0.5)
    wider = replace(VISITS, columns=(replace(COLUMNS[0], high=500), *COLUMNS[1:]))
    told = vault_of(ledger=ledger, table=wider).explain(
        "SELECT SUM(cost) AS s FROM visits", epsilon=0.5
    )
    assert "measured" not in str(told)


def test_one_analyst_sees_what_the_curator_measured_and_not_what_another_did():
    limits = {name: Limit(2, 1e-6) for name in ("alice", "bob")}
    ledger = MemoryLedger(
        Limit(3, 1e-6).filter(), {name: limit.filter() for name, limit in limits.items()}
    )
    alice, bob, curator = (
        vault_of(ledger=ledger, analyst=name, analysts=limits) for name in ("alice", "bob", None)
    )
    text = "SELECT SUM(cost) AS s FROM visits"
    alice.clipping("visits", epsilon=0.3)
    assert "measured" in str(alice.explain(text, epsilon=0.1))
    assert "measured" not in str(bob.explain(text, epsilon=0.1))
    curator.clipping("visits", epsilon=0.3)
    assert "measured" in str(bob.explain(text, epsilon=0.1))


def test_what_cannot_be_cut_off_is_not_measured():
    bare = protect([{"x": "a"}], unit="row", columns={"x": "text"}, epsilon=1)
    with pytest.raises(InvalidInput, match="every row is a unit and no column"):
        bare.clipping("data", epsilon=1)
    with pytest.raises(InvalidInput, match="name one of: data"):
        bare.clipping("elsewhere", epsilon=1)
    unsaid = protect(
        [{"p": 1, "x": 1}], unit="p", contributions=None, columns={"x": (0, 9)}, epsilon=1
    )
    with pytest.raises(InvalidInput, match="set `contributions`"):
        unsaid.clipping("data", epsilon=1)


def test_rows_that_are_units_have_values_alone():
    vault = protect(
        [{"x": n} for n in range(2000)], unit="row", columns={"x": (0, 999)}, epsilon=50
    )
    found = vault.clipping("data", epsilon=50)
    assert found.units is None
    assert found.columns["x"].low <= 0.5 <= found.columns["x"].high
    assert isinstance(found, tacit.curator.Clipping)
    assert "are outside its bounds" in str(found)
