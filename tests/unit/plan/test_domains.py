"""Which groups a calculated key has: from declarations and the question, never from rows."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import pytest

from tacit.curator import protect
from tacit.engines import Memory
from tacit.errors import InvalidPlan
from tacit.plan import OTHER, Column, Key, Kind, Table, Weighing, Weights, canonical, fingerprint, read_sql

VISITS = Table(
    "visits",
    (
        Column("ward", Kind.TEXT, values=("A", "B", "C")),
        Column("name", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 39),
        Column("code", Kind.INTEGER, 0, 10**6),
        Column("free", Kind.INTEGER),
        Column("cost", Kind.NUMBER, 0, 500),
        Column("sure", Kind.BOOLEAN, nullable=False),
        Column("day", Kind.DATE, date(2024, 11, 20), date(2025, 2, 3)),
        Column("seen", Kind.TIMESTAMP, datetime(2024, 11, 20, 5), datetime(2025, 2, 3, 6)),  # noqa: DTZ001 -- in UTC
        Column("moment", Kind.TIMESTAMP),
        Column("kind", Kind.TEXT, values=("x", "y"), other=True),
    ),
    unit="person",
)


def values(key, where=""):
    condition = f" WHERE {where}" if where else ""
    question = read_sql(f"SELECT COUNT(*) AS n FROM visits{condition} GROUP BY {key}", {"visits": VISITS}).question
    found = question.keys[0].values
    return [int(each) if isinstance(each, Fraction) and each.denominator == 1 else each for each in found]


def moments(*days):
    return [datetime(*day) for day in days]  # noqa: DTZ001 -- in UTC


@pytest.mark.parametrize(
    ("key", "found"),
    [
        ("ward", ["A", "B", "C"]),
        ("LOWER(ward)", ["a", "b", "c"]),
        ("SUBSTR(ward, 2)", [""]),
        ("COALESCE(ward, '-')", ["A", "B", "C", "-"]),
        ("NULLIF(ward, 'B')", ["A", "C"]),
        ("ward || age % 2", ["A0", "A1", "B0", "B1", "C0", "C1"]),
        ("age", list(range(40))),
        ("FLOOR(age / 10) * 10", [0, 10, 20, 30]),
        ("age // 10", [0, 1, 2, 3]),
        ("age - age % 20", [0, 20]),
        ("age * 0 + 7", [7]),
        ("FLOOR(cost / 100)", [0, 1, 2, 3, 4, 5]),
        ("FLOOR(cost / 100) * 100", [0, 100, 200, 300, 400, 500]),
        ("ROUND(cost, -2)", [0, 100, 200, 300, 400, 500]),
        ("ROUND(cost / 1000, 1)", [0, *(Fraction(n / 10) for n in range(1, 6))]),
        ("CAST(cost / 250 AS BIGINT)", [0, 1, 2]),
        ("FLOOR(LN(age + 1))", [0, 1, 2, 3]),
        ("code // 250000", [0, 1, 2, 3, 4]),
        ("free % 3", [-2, -1, 0, 1, 2]),
        ("LEAST(GREATEST(free, 1), 3)", [1, 2, 3]),
        ("sure", [False, True]),
        ("age > 20", [False, True]),
        ("name LIKE 'a%'", [False, True]),
        ("CASE WHEN age < 18 THEN 'young' WHEN age < 30 THEN 'grown' ELSE 'old' END", ["young", "grown", "old"]),
        ("CASE WHEN free < 18 THEN 'young' WHEN name = 'x' THEN 'x' ELSE 'old' END", ["young", "x", "old"]),
        ("CASE WHEN name = 'x' THEN ward END", ["A", "B", "C"]),
        ("CASE WHEN free > 3 THEN 1 ELSE 0 END", [0, 1]),
        ("MONTH(day)", [1, 2, 11, 12]),
        ("MONTH(seen)", list(range(1, 13))),
        ("YEAR(seen)", [2024, 2025]),
        ("EXTRACT(dow FROM seen)", list(range(7))),
        ("DATE_TRUNC('month', day)", moments((2024, 11, 1), (2024, 12, 1), (2025, 1, 1), (2025, 2, 1))),
        ("DATE_TRUNC('month', seen)", moments((2024, 11, 1), (2024, 12, 1), (2025, 1, 1), (2025, 2, 1))),
        ("DATE_TRUNC('year', seen)", moments((2024, 1, 1), (2025, 1, 1))),
        ("CAST(DATE_TRUNC('year', seen) AS DATE)", [date(2024, 1, 1), date(2025, 1, 1)]),
        ("DATE_TRUNC('quarter', day) + INTERVAL 1 DAY", moments((2024, 10, 2), (2025, 1, 2))),
        ("kind", ["x", "y", OTHER]),
        ("UPPER(kind)", ["X", "Y"]),
    ],
)
def test_a_key_has_the_values_that_can_be_known(key, found):
    assert values(key) == found


def test_days_of_a_bounded_column_are_keys():
    found = values("day")
    assert (found[0], found[-1], len(found)) == (date(2024, 11, 20), date(2025, 2, 3), 76)
    assert values("CAST(seen AS DATE)") == found


@pytest.mark.parametrize(
    ("key", "where", "found"),
    [
        ("age", "age >= 37", [37, 38, 39]),
        ("age", "age > 37 AND cost > 1", [38, 39]),
        ("age", "age IN (3, 5) OR age = 9", [3, 5, 9]),
        ("COALESCE(age, -1)", "age >= 37", [37, 38, 39]),
        ("COALESCE(age, -1)", "age >= 37 OR age IS NULL", [-1, 37, 38, 39]),
        ("free", "free BETWEEN 5 AND 7", [5, 6, 7]),
        ("FLOOR(cost / 100)", "cost <= 250", [0, 1, 2]),
        ("ward", "ward = 'A'", ["A", "B", "C"]),
        ("LOWER(ward)", "ward <> 'B'", ["a", "c"]),
        ("DATE_TRUNC('year', moment)", "moment >= '2024-06-01' AND moment < '2025-01-01'", moments((2024, 1, 1))),
        ("YEAR(moment)", "moment < '2024-01-01' AND '2022-03-01' <= moment", [2022, 2023]),
    ],
)
def test_bounds_may_come_from_the_question(key, where, found):
    assert values(key, where) == found


@pytest.mark.parametrize(
    "key",
    ["name", "free", "cost", "code", "LN(age + 1)", "UPPER(name)", "moment", "CAST(moment AS DATE)", "age * code"],
)
def test_what_cannot_be_listed_is_an_unknown_key(key):
    with pytest.raises(InvalidPlan, match="unknown keys need delta > 0"):
        values(key)


def test_an_unknown_key_is_part_of_a_plan_that_can_be_named():
    question = read_sql("SELECT COUNT(*) AS n FROM visits GROUP BY age", {"visits": VISITS}).question
    known, unknown = (replace(question, keys=(Key(question.keys[0].value, each),)) for each in ((1, 2), None))
    assert fingerprint(known) != fingerprint(unknown)
    with pytest.raises(AssertionError):
        _ = unknown.keys[0].listed


def test_rows_without_a_declared_text_are_a_group_where_the_column_says_so():
    question = read_sql("SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind", {"visits": VISITS}).question
    blank = dict.fromkeys(column.name for column in VISITS.columns)
    rows = [blank | {"person": n, "kind": kind} for n, kind in enumerate(["x", "q", None, "y", "", "x"])]
    found = Memory({VISITS: rows}).evaluate(question, Weights(Weighing.L1, 9, 9, 0)).tolist()
    assert found == [[2], [1], [3]]


def test_a_vault_shows_others_last():
    rows = [{"who": 1, "kind": "x"}, {"who": 2, "kind": "z"}]
    vault = protect(
        rows,
        unit="who",
        contributions=1,
        columns={"kind": {"type": "text", "values": ["x"], "other": True}},
        epsilon=3,
    )
    assert vault.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind", epsilon=1).column("kind") == ["x", OTHER]


def test_keys_asked_in_other_words_are_the_same_question():
    one = "SELECT FLOOR(age / 10) AS a, ward, COUNT(*) AS n FROM visits GROUP BY 1, ward"
    other = "SELECT ward, FLOOR(age / 10) AS b, COUNT(*) AS n FROM visits GROUP BY ward, b"
    plans = [canonical(read_sql(text, {"visits": VISITS})) for text in (one, other)]
    assert plans[0].question == plans[1].question
    assert fingerprint(plans[0].question) == fingerprint(plans[1].question)
