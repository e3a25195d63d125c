"""Keys that come from public tables: all groups that can have a row are there, and next to no others."""

from collections import Counter
from dataclasses import replace
from random import Random

import duckdb
import pandas as pd
import pytest

from tacit.curator import Limit
from tacit.engines import DuckDB, Memory, read_public, source_of
from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_sql
from tacit.plan.questions import groups_of_public_rows
from tacit.plan.questions.groups_of_public_rows import public_group_filter
from tests.laws import clinic

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=("A", "B", "C", "D"), null_group=True),
        Column("kind", Kind.INTEGER, values=(1, 2, 3)),
        Column("cost", Kind.INTEGER, 0, 9),
    ),
    unit="patient",
    contributions=60,
)
_WITHOUT_NULL = tuple(replace(column, null_group=False) for column in VISITS.columns)
WARDS = Table(
    "wards",
    (
        Column("ward", Kind.TEXT),
        Column("beds", Kind.INTEGER, null_group=True),
        Column("floor", Kind.INTEGER),
        Column("open", Kind.BOOLEAN),
    ),
    public=True,
)
FLOORS = Table("floors", (Column("floor", Kind.INTEGER), Column("name", Kind.TEXT)), public=True)
TEXTS = """
SELECT w.ward, w.beds, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY w.ward, w.beds

SELECT v.ward, w.beds, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY v.ward, w.beds

SELECT v.ward, w.beds, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward GROUP BY v.ward, w.beds

SELECT v.ward, COALESCE(w.floor, -1) AS f, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward AND
w.beds > 1 GROUP BY 1, 2

SELECT w.ward, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward WHERE w.floor = 1 GROUP BY w.ward

SELECT w.ward, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward WHERE w.floor = v.kind OR w.beds > 2
GROUP BY w.ward

SELECT v.ward, v.kind, w.open, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward AND v.kind = w.floor
GROUP BY ALL

SELECT v.ward, v.kind, w.beds, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward AND v.kind =
w.floor GROUP BY ALL

SELECT w.floor + 1 AS f, w.beds % 2 AS odd, COUNT(*) AS n FROM visits v JOIN wards w USING (ward) GROUP BY 1, 2

SELECT w.ward, f.name, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward JOIN floors f ON w.floor =
f.floor GROUP BY w.ward, f.name

SELECT w.ward, COALESCE(f.name, '-') AS name, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward LEFT JOIN
floors f ON w.floor = f.floor GROUP BY 1, 2

SELECT v.ward, f.name, w.open, COUNT(*) AS n FROM visits v JOIN floors f ON v.kind = f.floor JOIN wards w ON v.ward
= w.ward GROUP BY ALL

SELECT x.ward, w.floor, COUNT(*) AS n FROM (SELECT patient, ward, COUNT(*) AS k FROM visits GROUP BY patient, ward)
x JOIN wards w ON x.ward = w.ward WHERE k > 1 GROUP BY x.ward, w.floor

SELECT w.ward, w.beds, COUNT(*) AS n FROM visits v JOIN (SELECT ward, beds FROM wards WHERE open) w ON v.ward =
w.ward GROUP BY w.ward, w.beds

SELECT w.ward, w.beds, COUNT(*) AS n FROM (SELECT patient, ward FROM visits WHERE cost > 4 UNION ALL SELECT
patient, ward FROM visits) v JOIN wards w ON v.ward = w.ward GROUP BY w.ward, w.beds

SELECT w.beds, w.floor, COUNT(v.cost) AS n FROM wards w LEFT JOIN visits v ON v.ward = w.ward GROUP BY 1, 2

SELECT w.ward, w.open, COUNT(v.cost) AS n FROM wards w LEFT JOIN visits v ON v.ward = w.ward AND w.beds > 1 GROUP
BY w.ward, w.open

SELECT CASE WHEN w.floor = 1 THEN 'low' ELSE 'high' END AS f, w.floor, v.kind, COUNT(*) AS n FROM visits v JOIN
wards w ON v.ward = w.ward WHERE v.kind IN (1, 2) GROUP BY ALL
"""
FORMS = [" ".join(text.split()) for text in TEXTS.split("\n\n")]
ENGINES = {"memory": Memory, "duckdb": lambda tables: DuckDB(tables, threads=1)}


def draw_rows(dice):
    """Visits, and public tables in which keys may be NULL, in no visit, or several times."""
    wards = (
        dice.sample("ABCD", 2)
        + dice.sample("E", dice.randint(0, 1))
        + dice.sample(["A", None], dice.randint(0, 2))
    )
    return {
        "visits": [
            {
                "patient": number % 7,
                "ward": dice.choice(["A", "B", "C", "D", "F", None]),
                "kind": dice.choice([1, 2, 3]),
                "cost": dice.randint(0, 9),
            }
            for number in range(40)
        ],
        "wards": [
            {
                "ward": ward,
                "beds": dice.choice([1, 2, 3, None]),
                "floor": dice.choice([1, 2, 3, None]),
                "open": place == 0 or dice.choice([True, False]),
            }
            for place, ward in enumerate(wards)
        ]
        + [{"ward": f"Z{n}", "beds": n, "floor": n, "open": n > 1} for n in (1, 2, 3)],
        "floors": [
            {"floor": floor, "name": dice.choice("xyz")} for floor in dice.sample([1, 2, 3, 4], 3)
        ],
    }


def tables_of(rows):
    """The tables as a vault declares them, with what public rows say."""
    public = (read_public(each, source_of(rows[each.name]))[0] for each in (WARDS, FLOORS))
    return {table.name: table for table in (VISITS, *public)}


def frame_of(rows, table):
    kinds = {Kind.INTEGER: "Int64", Kind.TEXT: "object", Kind.BOOLEAN: "boolean"}
    types = {column.name: kinds[column.kind] for column in table.columns}
    return pd.DataFrame(rows).astype(types)


def ask_duckdb(text, rows, tables):
    with duckdb.connect() as connection:
        for name, table in tables.items():
            connection.register(name, frame_of(rows[name], table))
        return connection.execute(text).fetchall()


def ask_vault(text, rows, tables, engine):
    given = {table: rows[name] for name, table in tables.items()}
    vault = clinic.vault(Limit(10**6), given, engine)
    with clinic.no_noise():
        release = vault.sql(text, epsilon=10**4, raw=True)
    ends = {f"{name}{end}" for name in release.measured for end in ("_low", "_high")}
    places = [place for place, name in enumerate(release.columns) if name not in ends]
    return [tuple(row[place] for place in places) for row in release.rows]


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
@pytest.mark.parametrize("text", FORMS)
def test_no_row_is_in_a_group_that_is_left_out(text, engine):
    """Every group that DuckDB finds, and whose keys have groups, is there with its number; all others are empty."""
    compared = 0
    for seed in range(4 if engine is Memory else 2):
        rows = draw_rows(Random(f"{text} {seed}"))
        tables = tables_of(rows)
        question = read_sql(text, tables).question
        every = set(question.groups)
        found = {row[:-1]: row[-1] for row in ask_vault(text, rows, tables, engine)}
        exact = {row[:-1]: row[-1] for row in ask_duckdb(text, rows, tables)}
        for keys, number in exact.items():
            if keys in every:
                assert found[keys] == number, (text, seed, keys)
                compared += 1
        assert all(number == exact.get(keys, 0) for keys, number in found.items())
        assert set(found) <= every
    assert compared


def test_what_is_left_is_what_the_public_table_contains():
    """Of a join on a column of the public table, the groups that are shown are the rows of the table."""
    for seed in range(20):
        rows = draw_rows(Random(seed))
        tables = tables_of(rows)
        question = read_sql(FORMS[0], tables).question
        can_have_rows = public_group_filter(question)
        shown = {group for group in question.groups if can_have_rows(group)}
        assert shown == {
            (each["ward"], each["beds"]) for each in rows["wards"] if each["ward"] is not None
        }
        question = read_sql(FORMS[2], tables).question
        can_have_rows = public_group_filter(question)
        shown = {group for group in question.groups if can_have_rows(group)}
        known = {each["ward"] for each in rows["wards"]} - {None}
        assert shown == {
            (each["ward"], each["beds"]) for each in rows["wards"] if each["ward"] in set("ABCD")
        } | {(ward, None) for ward in {*"ABCD", None} - known}


DETERMINED = """
SELECT v.ward, w.beds, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY v.ward

SELECT v.ward, w.beds + w.floor AS b, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward GROUP BY v.ward

SELECT v.ward, w.beds, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward AND w.open GROUP BY v.ward

SELECT v.ward, w.beds IS NULL AS b, COUNT(*) AS n FROM visits v LEFT JOIN wards w ON v.ward = w.ward GROUP BY 1

SELECT w.beds, w.floor, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY w.beds

SELECT w.beds, w.open, w.floor, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward GROUP BY w.beds, w.open

SELECT v.ward, f.name, COUNT(*) AS n FROM visits v JOIN wards w USING (ward) LEFT JOIN floors f ON w.floor = f.floor
GROUP BY v.ward

SELECT v.kind, w.floor, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward WHERE w.floor = v.kind GROUP BY 1

SELECT v.kind, w.floor, COUNT(*) AS n FROM visits v JOIN wards w ON v.ward = w.ward AND w.floor = v.kind GROUP BY 1
"""


def test_what_keys_determine_is_what_rows_have():
    """A column that GROUP BY decides has one value in a group, in DuckDB as well; one with several is refused."""
    compared = refused = 0
    for statement in DETERMINED.split("\n\n"):
        text = " ".join(statement.split())
        shown = text[: text.index(", COUNT")].split(", ")[-1]
        value = shown.partition(" AS ")[0]
        spread = text.replace(
            shown, f"COUNT(DISTINCT COALESCE(CAST({value} AS VARCHAR), '-')) AS d"
        )
        for seed in range(2):
            rows = draw_rows(Random(f"{statement} {seed}"))
            tables = tables_of(rows)
            for form in (value, f"ANY_VALUE({value})", f"MAX({value})"):
                asked = text.replace(shown, f"{form} AS x")
                try:
                    determined = not read_sql(asked, tables).question.measures[1:]
                except InvalidPlan:
                    determined = False
                if not determined:
                    refused += 1
                    continue
                assert all(row[-2] == 1 for row in ask_duckdb(spread, rows, tables)), (asked, seed)
                exact = ask_duckdb(text.replace(shown, f"ANY_VALUE({value}) AS x"), rows, tables)
                found = {row[:-2]: row[-2:] for row in ask_vault(asked, rows, tables, Memory)}
                declared = [row for row in exact if row[:-2] in found]
                for row in declared:
                    assert found[row[:-2]] == row[-2:], (asked, seed)
                compared += len(declared)
    assert compared > 30
    assert refused > 10


COUNTS = "(SELECT ward, COUNT(*) AS n, SUM(cost) AS s FROM visits GROUP BY ward) c"
PAIRS = "(SELECT ward, kind, COUNT(*) AS n FROM visits GROUP BY ward, kind) c"
ANSWERS = f"""
SELECT c.ward, w.beds, c.n FROM {COUNTS} JOIN wards w USING (ward)

SELECT c.ward, w.beds, w.floor, c.n + w.floor AS n FROM {COUNTS} LEFT JOIN wards w ON c.ward = w.ward

SELECT c.ward, c.n FROM {COUNTS} JOIN wards w ON c.ward = w.ward WHERE w.beds > 1 OR c.n > 10

SELECT w.floor, SUM(c.n) AS n FROM {COUNTS} JOIN wards w ON c.ward = w.ward GROUP BY w.floor

SELECT COALESCE(w.open, FALSE) AS o, COUNT(*) AS groups, SUM(c.n) AS n FROM {COUNTS} LEFT JOIN wards w USING (ward)
GROUP BY 1

SELECT c.ward, c.kind, w.beds, c.n FROM {PAIRS} JOIN wards w ON c.ward = w.ward AND w.floor = c.kind

SELECT c.ward, c.kind, w.beds, c.n FROM {PAIRS} LEFT JOIN wards w ON w.floor = c.kind AND c.ward = w.ward

SELECT c.ward, f.floor, w.open, c.n FROM {PAIRS} JOIN floors f ON c.kind = f.floor LEFT JOIN wards w ON c.ward = w.ward

SELECT d.ward, d.s, c.n, w.beds FROM {COUNTS} JOIN {COUNTS[:-1]}d ON c.ward = d.ward JOIN wards w ON w.ward = d.ward
"""


@pytest.mark.parametrize("engine", ENGINES.values(), ids=ENGINES)
def test_an_answer_meets_public_rows_as_in_duckdb(engine):
    """Of wards and kinds that have rows, as others have no group in SQL; where a group meets two rows it is refused."""
    compared = refused = 0
    for statement in ANSWERS.split("\n\n"):
        text = " ".join(statement.split())
        for seed in range(4 if engine is Memory else 2):
            rows = draw_rows(Random(f"{statement} {seed}"))
            rows["visits"] = [each for each in rows["visits"] if each["ward"] in set("ABCD")]
            rows["visits"] += [
                {"patient": 8, "ward": ward, "kind": kind, "cost": 1}
                for ward in "ABCD"
                for kind in (1, 2, 3)
            ]
            tables = tables_of(rows)
            tables["visits"] = replace(tables["visits"], columns=_WITHOUT_NULL)
            try:
                found = ask_vault(text, rows, tables, engine)
            except InvalidPlan as refusal:
                assert "several rows of 'wards' have the same" in refusal.reason  # noqa: PT017
                refused += 1
                continue
            exact = ask_duckdb(text, rows, tables)
            assert Counter(found) == Counter(exact), (text, seed)
            compared += len(found)
    assert compared > 40
    assert refused


def test_private_rows_change_neither_the_groups_nor_the_price():
    rows = draw_rows(Random(3))
    tables = tables_of(rows)
    for text in FORMS:
        shown, prices = [], []
        for visits in (rows["visits"], rows["visits"][:1]):
            given = {table: rows[name] for name, table in tables.items()}
            vault = clinic.vault(Limit(10**6), {**given, tables["visits"]: visits}, Memory)
            answer = vault.sql(text, epsilon=1)
            keys = answer.columns.index("n")
            shown.append([row[:keys] for row in answer.rows])
            prices.append(vault.budget.spent)
            assert vault.explain(text, epsilon=2).groups == len(answer.rows)
        assert shown[0] == shown[1]
        assert prices[0] == prices[1]


def test_a_table_of_many_rows_says_nothing():
    many = [{"floor": number, "name": "x"} for number in range(10_001)]
    assert read_public(FLOORS, source_of(many))[0].listed is None
    assert len(read_public(FLOORS, source_of(many[1:]))[0].listed.rows) == 10_000


def test_what_fails_among_public_rows_fails_before_it_is_paid_for(monkeypatch):
    rows = draw_rows(Random(5))
    given = {table: rows[name] for name, table in tables_of(rows).items()}
    combined = f"SELECT c.ward, d.n FROM {COUNTS} JOIN ({FORMS[1]}) d USING (ward)"
    for text in (FORMS[0], combined):
        vault = clinic.vault(Limit(10), given, Memory)

        def fail(*_):
            raise ZeroDivisionError

        with monkeypatch.context() as patched:
            patched.setattr(groups_of_public_rows, "_list_patterns", fail)
            with pytest.raises(ZeroDivisionError):
                vault.sql(text, epsilon=1)
        assert vault.budget.spent == 0
        vault.sql(text, epsilon=1)
        assert vault.budget.spent > 0
