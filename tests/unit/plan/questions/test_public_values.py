"""Which groups a calculated key has: from declarations and the question, never from rows."""

from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from itertools import product

import pytest

from tacit.curator import protect
from tacit.engines import Memory
from tacit.errors import InvalidPlan
from tacit.plan import (
    OTHER,
    Called,
    Column,
    Field,
    Function,
    Key,
    Kind,
    Literal,
    Table,
    Weighing,
    Weights,
    canonical,
    compile_expression,
    constant,
    fingerprint,
    operands,
    read_sql,
    type_of,
)
from tacit.plan.questions.public_values import _Search, possible_values
from tests.together import together

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
    question = read_sql(
        f"SELECT COUNT(*) AS n FROM visits{condition} GROUP BY {key}", {"visits": VISITS}
    ).question
    found = question.keys[0].values
    return [
        int(each) if isinstance(each, Fraction) and each.denominator == 1 else each
        for each in found
    ]


def moments(*days):
    return [datetime(*day) for day in days]  # noqa: DTZ001 -- in UTC


@together
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
        ("ward IN ('A', 'B', 'C')", [False, True]),
        ("name LIKE 'a%'", [False, True]),
        (
            "CASE WHEN age < 18 THEN 'young' WHEN age < 30 THEN 'grown' ELSE 'old' END",
            ["young", "grown", "old"],
        ),
        (
            "CASE WHEN free < 18 THEN 'young' WHEN name = 'x' THEN 'x' ELSE 'old' END",
            ["young", "x", "old"],
        ),
        ("CASE WHEN name = 'x' THEN ward END", ["A", "B", "C"]),
        ("CASE WHEN free > 3 THEN 1 ELSE 0 END", [0, 1]),
        ("MONTH(day)", [1, 2, 11, 12]),
        ("MONTH(seen)", [1, 2, 11, 12]),
        ("HOUR(seen)", list(range(24))),
        ("STRFTIME(seen, '%m')", ["01", "02", "11", "12"]),
        ("YEAR(seen)", [2024, 2025]),
        ("EXTRACT(dow FROM seen)", list(range(7))),
        (
            "DATE_TRUNC('month', day)",
            moments((2024, 11, 1), (2024, 12, 1), (2025, 1, 1), (2025, 2, 1)),
        ),
        (
            "DATE_TRUNC('month', seen)",
            moments((2024, 11, 1), (2024, 12, 1), (2025, 1, 1), (2025, 2, 1)),
        ),
        ("DATE_TRUNC('year', seen)", moments((2024, 1, 1), (2025, 1, 1))),
        ("CAST(DATE_TRUNC('year', seen) AS DATE)", [date(2024, 1, 1), date(2025, 1, 1)]),
        ("DATE_TRUNC('quarter', day) + INTERVAL 1 DAY", moments((2024, 10, 2), (2025, 1, 2))),
        ("kind", ["x", "y", OTHER]),
        ("UPPER(kind)", ["X", "Y"]),
    ],
)
def test_a_key_has_the_values_that_can_be_known(key, found):
    assert values(key) == found


@pytest.mark.parametrize(
    ("key", "where", "found"),
    [
        ("name", "name IN ('b', 'a', 'b')", ["b", "a"]),
        ("name", "age > 3 AND (name = 'x' OR 'y' = name)", ["x", "y"]),
        ("name", "name IN ('a', NULL)", ["a"]),
        ("UPPER(name)", "name IN ('a', 'A', 'b')", ["A", "B"]),
        ("SUBSTR(name, 1, 1)", "SUBSTR(name, 1, 1) IN ('A', 'B')", ["A", "B"]),
        ("CASE WHEN name IN ('a', 'b') THEN name ELSE 'other' END", "", ["a", "b", "other"]),
        ("CASE WHEN name = 'a' AND age < 9 THEN name END", "", ["a"]),
        ("ward", "ward IN ('C', 'B')", ["B", "C"]),
        ("CASE WHEN ward IN ('B') THEN ward ELSE 'other' END", "", ["other", "B"]),
    ],
)
def test_a_question_names_the_values_of_a_key_itself(key, where, found):
    assert values(key, where) == found


@pytest.mark.parametrize(
    "where", ["name <> 'a'", "NOT name IN ('a')", "name = 'a' OR age > 3", "UPPER(name) IN ('A')"]
)
def test_a_condition_that_other_values_meet_names_none(where):
    with pytest.raises(InvalidPlan, match="unknown keys need delta > 0"):
        values("name", where)


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
        ("ward", "ward = 'A'", ["A"]),
        ("ward", "ward IN ('C', 'A')", ["A", "C"]),
        ("ward", "ward = 'A' AND ward = 'B'", ["A", "B", "C"]),
        ("FLOOR(cost / 100)", "cost < 300 AND cost > 99", [0, 1, 2]),
        ("LOWER(ward)", "ward <> 'B'", ["a", "c"]),
        (
            "DATE_TRUNC('year', moment)",
            "moment >= '2024-06-01' AND moment < '2025-01-01'",
            moments((2024, 1, 1)),
        ),
        ("YEAR(moment)", "moment < '2024-01-01' AND '2022-03-01' <= moment", [2022, 2023]),
    ],
)
def test_bounds_may_come_from_the_question(key, where, found):
    assert values(key, where) == found


@pytest.mark.parametrize(
    "key",
    [
        "name",
        "free",
        "cost",
        "code",
        "LN(age + 1)",
        "UPPER(name)",
        "moment",
        "CAST(moment AS DATE)",
        "age * code",
    ],
)
def test_what_cannot_be_listed_is_an_unknown_key(key):
    with pytest.raises(InvalidPlan, match="unknown keys need delta > 0"):
        values(key)


def test_an_unknown_key_is_part_of_a_plan_that_can_be_named():
    question = read_sql(
        "SELECT COUNT(*) AS n FROM visits GROUP BY age", {"visits": VISITS}
    ).question
    known, unknown = (
        replace(question, keys=(Key(question.keys[0].value, each),)) for each in ((1, 2), None)
    )
    assert fingerprint(known) != fingerprint(unknown)
    with pytest.raises(AssertionError):
        _ = unknown.keys[0].public_values


def test_rows_without_a_declared_text_are_a_group_where_the_column_says_so():
    question = read_sql(
        "SELECT kind, COUNT(*) AS n FROM visits GROUP BY kind", {"visits": VISITS}
    ).question
    blank = dict.fromkeys(column.name for column in VISITS.columns) | {"sure": True}
    rows = [
        blank | {"person": n, "kind": kind} for n, kind in enumerate(["x", "q", None, "y", "", "x"])
    ]
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
    assert vault.sql("SELECT kind, COUNT(*) AS n FROM data GROUP BY kind", epsilon=1).column(
        "kind"
    ) == ["x", OTHER]


def test_keys_asked_in_other_words_are_the_same_question():
    one = "SELECT FLOOR(age / 10) AS a, ward, COUNT(*) AS n FROM visits GROUP BY 1, ward"
    other = "SELECT ward, FLOOR(age / 10) AS b, COUNT(*) AS n FROM visits GROUP BY ward, b"
    plans = [canonical(read_sql(text, {"visits": VISITS})) for text in (one, other)]
    assert plans[0].question == plans[1].question
    assert fingerprint(plans[0].question) == fingerprint(plans[1].question)


SMALL = Table(
    "small",
    (
        Column("ward", Kind.TEXT, values=("A", "B", "C")),
        Column("sure", Kind.BOOLEAN),
        Column("age", Kind.INTEGER, 3, 9),
        Column("never", Kind.INTEGER, -2, 2, nullable=False),
        Column("cost", Kind.NUMBER, 10, 40),
        Column("rate", Kind.NUMBER, Fraction(1, 2), 3, nullable=False),
        Column("part", Kind.NUMBER, Fraction(3, 10), Fraction(7, 10), nullable=False),
    ),
    unit="person",
)
CELLS = {
    "ward": ["A", "B", "C", None],
    "sure": [False, True, None],
    "age": [3, 4, 5, 6, 7, 8, 9, None],
    "never": [-2, -1, 0, 1, 2],
    "cost": [10.0, *(n / 8 for n in range(80, 321)), 39.99999999999999, 40.0, None],
    "part": [0.3, *(n / 64 for n in range(20, 45)), 0.7],
    "rate": [*(n / 64 for n in range(32, 193)), 0.5000000001, 2.9999999999],
}
"""Every cell of columns that can be listed; of the others so many that no step between them is missed."""

EXACTLY = [
    "ward",
    "UPPER(ward) || 'x'",
    "COALESCE(ward, 'none')",
    "NULLIF(ward, 'B')",
    "CASE ward WHEN 'A' THEN 'first' WHEN 'B' THEN 'second' END",
    "CASE WHEN ward IN ('A', 'B') THEN 1 WHEN ward = 'A' THEN 2 ELSE 3 END",
    "age * 2",
    "LEAST(age, 5)",
    "GREATEST(age, never)",
    "LEAST(FLOOR(cost / 10), 3)",
    "LEAST(FLOOR(rate), 2)",
    "GREATEST(CEIL(rate), 2)",
    "LEAST(GREATEST(FLOOR(cost), 12), 15)",
    "CASE WHEN FLOOR(cost / 10) > 2 THEN 2 ELSE FLOOR(cost / 10) END",
    "CASE WHEN FLOOR(rate) = 0 THEN 'none' WHEN FLOOR(rate) = 9 THEN 'nine' ELSE 'some' END",
    "CASE WHEN cost > 50 THEN 'dear' WHEN cost >= 10 THEN 'cheap' ELSE 'unknown' END",
    "CASE WHEN rate > 5 THEN 'never' ELSE 'always' END",
    "CASE WHEN rate < 9 THEN 'always' ELSE 'never' END",
    "COALESCE(FLOOR(cost / 10), -1)",
    "FLOOR(cost / 10) * 10",
    "FLOOR(cost / 10) * never",
    "ROUND(rate, 0)",
    "ROUND(rate, 1)",
    "FLOOR(part * 10)",
    "LEAST(CEIL(part * 10), 5)",
    "ROUND(cost / 10, 0) % 3",
    "ABS(never)",
    "never % 2",
    "SIGN(never) * age",
    "-FLOOR(rate)",
    "CAST(rate AS BIGINT)",
    "age > 20",
    "age > 5",
    "cost > 50",
    "rate > 5 OR sure",
    "sure AND never > 7",
    "cost / 10 >= 1",
]


@pytest.mark.parametrize("key", EXACTLY)
def test_the_groups_are_the_image_of_the_declared_domain(key):
    """A group for every value that a row can have, and no other; NULL too, where its column has a group for it."""
    table = replace(
        SMALL, columns=tuple(replace(each, null_group=each.nullable) for each in SMALL.columns)
    )
    found = read_sql(
        f"SELECT COUNT(*) AS n FROM small GROUP BY {key}", {"small": table}
    ).question.keys[0]
    value, kind = compile_expression(found.value), type_of(found.value).kind
    names = sorted({part.column.name for part in fields_of(found.value)})
    rows = (dict(zip(names, row, strict=True)) for row in product(*(CELLS[name] for name in names)))
    image = {value(row) for row in rows}
    listed = [constant(each, kind) for each in found.public_values]
    assert len(listed) == len(set(listed))
    assert set(listed) == image


@pytest.mark.parametrize("key", ["FLOOR(rate) + CEIL(rate)", "LEAST(FLOOR(cost), CEIL(cost / 2))"])
def test_where_a_column_stands_in_two_parts_no_value_is_missing(key):
    found = read_sql(
        f"SELECT COUNT(*) AS n FROM small GROUP BY {key}", {"small": SMALL}
    ).question.keys[0]
    value, kind = compile_expression(found.value), type_of(found.value).kind
    name = next(part.column.name for part in fields_of(found.value))
    image = {value({name: cell}) for cell in CELLS[name]} - {None}
    assert image <= {constant(each, kind) for each in found.public_values}


def fields_of(expression):
    return (
        [expression]
        if isinstance(expression, Field)
        else [f for p in operands(expression) for f in fields_of(p)]
    )


def test_no_part_of_a_key_is_looked_at_twice(monkeypatch):
    """A choice may be looked at as one, and as a calculation: inside itself that is 2**depth."""
    key, seen, find = Field(Column("age", Kind.INTEGER, 0, 1_000_000)), [], _Search._find_domain
    for _ in range(12):
        key = Called(Function.COALESCE, (key, Literal(None, Kind.INTEGER)))
    monkeypatch.setattr(
        _Search, "_find_domain", lambda self, part: seen.append(part) or find(self, part)
    )
    possible_values(key)
    assert 12 <= len(seen) <= 40
