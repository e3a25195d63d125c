"""Parameters are values: a bound question is that with the constants, and no value becomes syntax."""

from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal

import numpy as np
import pytest

from tacit.errors import InvalidInput, InvalidPlan
from tacit.plan import Column, Kind, Table, fingerprint_and_subject, freeze_parameters, read_asked
from tests.together import together

VISITS = Table(
    "visits",
    (
        Column("age", Kind.INTEGER, 0, 120),
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("day", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        Column("cost", Kind.NUMBER, 0, 100),
        Column("at", Kind.TIMESTAMP),
        Column("urgent", Kind.BOOLEAN),
        Column("name", Kind.TEXT),
    ),
    unit="patient",
    contributions=3,
)
SAME = [
    ("age > ?", [65], "age > 65"),
    ("age > $1 AND age < $1 + $2", [3, 10], "age > 3 AND age < 3 + 10"),
    ("ward = :w AND age = :n", {"w": "A", "n": 1}, "ward = 'A' AND age = 1"),
    ("ward = $w", {"w": "A"}, "ward = 'A'"),
    ("age = ?", ["7"], "age = 7"),
    ("age > $1::INTEGER AND age < $2::bigint", [3, 10], "age > 3 AND age < 10"),
    ("age > $1::SMALLINT + 1", [-3], "age > -3 + 1"),
    ("age > :low::int", {"low": 3}, "age > 3"),
    ("day >= ?", [date(2025, 3, 1)], "day >= '2025-03-01'"),
    ("day >= ?", ["2025-03-01"], "day >= DATE '2025-03-01'"),
    ("at > ?", [datetime(2025, 1, 1, 3)], "at > TIMESTAMP '2025-01-01 03:00:00'"),  # noqa: DTZ001
    (
        "at > ?",
        [datetime(2025, 1, 1, 3, tzinfo=timezone(timedelta(hours=2)))],
        "at > TIMESTAMP '2025-01-01 01:00:00'",
    ),
    ("at > ?", [datetime(2025, 1, 1, tzinfo=UTC)], "at > '2025-01-01'"),
    ("cost > ?", [0.1], "cost > 0.1"),
    ("cost > ?", [-0.1], "cost > -0.1"),
    ("cost > ?", [1e-9], "cost > 0.000000001"),
    ("cost > ?", [Decimal("2.50")], "cost > 2.5"),
    ("cost > ?", [np.float64(0.5)], "cost > 0.5"),
    ("age > ?", [np.int32(5)], "age > 5"),
    ("age IN (?, ?)", [-1, 2], "age IN (-1, 2)"),
    ("ward IN ($1,$2)", ["A", "B"], "ward IN ('A', 'B')"),
    ("ward IN ($1,$2) OR name IN ($1,$2)", ["A", "B"], "ward IN ('A', 'B') OR name IN ('A', 'B')"),
    ("ward IN ($a,$b)", {"a": "A", "b": "B"}, "ward IN ('A', 'B')"),
    ("name = '$1,$' AND age > $1", [3], "name = '$1,$' AND age > 3"),
    ("age BETWEEN ? AND ?", [1, 2], "age BETWEEN 1 AND 2"),
    ("ward LIKE ?", ["a'%"], "ward LIKE 'a''%'"),
    ("urgent = ?", [True], "urgent = TRUE"),
    ("age > ?::int", ["7"], "age > '7'::int"),
    ("age > :low::int", {"low": "7"}, "age > '7'::int"),
    ("ward IS NOT DISTINCT FROM ?", [None], "ward IS NOT DISTINCT FROM NULL"),
    ("DATE_TRUNC(?, day) = ?", ["month", "2025-02-01"], "DATE_TRUNC('month', day) = '2025-02-01'"),
]


def read(condition, params=None, end=""):
    text = f"SELECT ward, COUNT(*) AS n FROM visits WHERE {condition} GROUP BY ward {end}"
    return read_asked(text, {"visits": VISITS}, bound=freeze_parameters(params))[0]


@together
@pytest.mark.parametrize(("condition", "params", "same"), SAME, ids=[each[0] for each in SAME])
def test_a_bound_question_is_that_with_the_constants(condition, params, same):
    bound, plain = read(condition, params), read(same)
    assert bound == plain
    assert fingerprint_and_subject(bound.question) == fingerprint_and_subject(plain.question)


def test_a_whole_number_that_is_cast_to_one_is_itself_where_no_cast_is_read():
    assert read("age > 1", [5], end="LIMIT $1::INTEGER") == read("age > 1", end="LIMIT 5")
    for value in (2**31, 5.5):
        with pytest.raises(InvalidPlan):
            read("age > 1", [value], end="LIMIT $1::INTEGER")


def test_the_end_of_a_question_takes_parameters():
    assert read("age > 1", [2, 1], "LIMIT ? OFFSET ?") == read("age > 1", None, "LIMIT 2 OFFSET 1")
    assert read("age > 1", [3], "HAVING COUNT(*) > ?") == read(
        "age > 1", None, "HAVING COUNT(*) > 3"
    )


HOSTILE = [
    "A' OR 1 = 1 --",
    "'); DROP TABLE visits; --",
    '" OR ward = "B',
    "B'/*",
    "?",
    "$1",
    ":w",
    "\\' OR TRUE",
    "SELECT",
    "A\nUNION ALL SELECT 1",
]


@pytest.mark.parametrize("value", HOSTILE)
def test_no_value_becomes_syntax(value):
    bound, plain = read("name = ?", [value]), read("name = 'A'")
    assert bound.question.rows.condition.right.value == value
    assert bound.view == plain.view
    assert bound.question.measures == plain.question.measures


@pytest.mark.parametrize(
    ("condition", "params", "reason"),
    [
        ("age > ?", None, "nothing is bound to the parameter '1': none is given"),
        ("age > ? AND age < ?", [1], "nothing is bound to the parameter '2'"),
        ("age > $2", [1], "nothing is bound to the parameter '2'"),
        ("age > :n", {"m": 1}, "nothing is bound to the parameter 'n'"),
        ("ward = ?", ["A\0"], "invalid character"),
        ("age > ?", [1 << 70], "64 bits"),
        ("age > ? extra", [1], "correct or remove"),
    ],
)
def test_what_cannot_be_bound_is_refused(condition, params, reason):
    with pytest.raises(InvalidPlan, match=reason.replace("(", r"\(")):
        read(condition, params)


@pytest.mark.parametrize(
    "params",
    [
        [1, 2],
        {"1": 1, "other": 2},
        [[1]],
        [float("nan")],
        [Decimal("inf")],
        [b"x"],
        "x",
        3,
        ["x" * 30_000],
        [10**5000],
        [datetime.max.replace(tzinfo=timezone(-timedelta(hours=5)))],
        [datetime.min.replace(tzinfo=timezone(timedelta(hours=5)))],
    ],
    ids=[f"case {place}" for place in range(12)],
)
def test_a_value_too_many_or_of_no_kind_is_refused(params):
    with pytest.raises(InvalidInput):
        read("age > ?", params)


@pytest.mark.parametrize(
    "text",
    [
        "SELECT COUNT(*) AS n FROM ?",
        "SELECT COUNT(*) AS ? FROM visits",
        "SELECT EXTRACT(month FROM day) AS k, COUNT(*) AS n FROM ? GROUP BY k",
        "SELECT COUNT(*) AS n FROM (SELECT ward FROM ?) AS t",
        "SELECT COUNT(*) AS n FROM visits JOIN ? USING (patient)",
    ],
)
def test_no_value_becomes_a_name(text):
    with pytest.raises(InvalidPlan, match="here a name is needed"):
        read_asked(text, {"visits": VISITS}, bound=freeze_parameters(["visits"]))


def test_a_refusal_underlines_the_parameter():
    with pytest.raises(InvalidPlan) as refusal:
        read("age > $1", ["seven"])
    shown = refusal.value
    assert "$1" in shown.text[shown.start : shown.end]
