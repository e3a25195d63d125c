"""What one row of a unit says: the chosen row, NULLs and ties, and that no single row is released."""

from datetime import date

import pytest

from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, Weighing, Weights, read_sql

VISITS = Table(
    "visits",
    (
        Column("cost", Kind.INTEGER, 0, 99),
        Column("day", Kind.INTEGER, 0, 99),
        Column("ward", Kind.TEXT, values=("A", "B")),
        Column("urgent", Kind.BOOLEAN),
    ),
    unit="patient",
    contributions=9,
)
LOOSE = Weights(Weighing.L2, 10**6, 10**6, 0)
ROWS = [
    # the latest day has no cost, and one cost has no day
    {"patient": 1, "cost": 10, "day": 1, "ward": "A", "urgent": True},
    {"patient": 1, "cost": 20, "day": 2, "ward": "A", "urgent": False},
    {"patient": 1, "cost": None, "day": 3, "ward": "B", "urgent": None},
    {"patient": 1, "cost": 40, "day": None, "ward": "A", "urgent": True},
    # two rows of the same day
    {"patient": 2, "cost": 7, "day": 5, "ward": "B", "urgent": True},
    {"patient": 2, "cost": 5, "day": 5, "ward": "A", "urgent": False},
    # no day at all
    {"patient": 3, "cost": 9, "day": None, "ward": "B", "urgent": True},
]


def told(value, per="patient", rows=ROWS):
    """What each unit says, as both engines have it: how many units say each number."""
    text = f"SELECT v, COUNT(*) AS n FROM (SELECT patient, {value} AS v FROM visits GROUP BY {per}) GROUP BY v"
    question = read_sql(text, {"visits": VISITS}).question
    (key,) = question.keys
    memory = Memory({VISITS: rows}).evaluate(question, LOOSE).tolist()
    for given in (rows, rows[::-1], rows[3:] + rows[:3]):
        with DuckDB({VISITS: given}, threads=1) as engine:
            assert engine.evaluate(question, LOOSE).tolist() == memory
    return {each: n for each, (n,) in zip(key.values, memory, strict=True) if n}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("ARG_MAX(cost, day)", {20: 1, 5: 1}),
        ("MAX_BY(cost, day)", {20: 1, 5: 1}),
        ("ARG_MIN(cost, day)", {10: 1, 5: 1}),
        ("FIRST(cost ORDER BY day)", {10: 1, 5: 1, 9: 1}),
        ("LAST(cost ORDER BY day)", {40: 1, 5: 1, 9: 1}),
        ("LAST(cost ORDER BY cost DESC)", {5: 1, 9: 1}),
        ("ARG_MAX(cost, day) FILTER (WHERE day < 2)", {10: 1}),
        ("FIRST(cost ORDER BY day) FILTER (WHERE ward = 'B')", {7: 1, 9: 1}),
        ("CASE WHEN ARG_MAX(urgent, day) THEN 1 ELSE 0 END", {0: 3}),
        ("CASE WHEN ARG_MIN(urgent, day) THEN 1 ELSE 0 END", {0: 2, 1: 1}),
        ("CASE ARG_MAX(ward, day) WHEN 'A' THEN 1 WHEN 'B' THEN 2 END", {1: 1, 2: 1}),
    ],
)
def test_one_row_of_a_unit_is_chosen(value, expected):
    assert told(value) == expected


def test_each_key_of_a_unit_chooses_its_own_row():
    rows = [*ROWS, {"patient": 1, "cost": 33, "day": 1, "ward": "B", "urgent": True}]
    expected = {20: 1, 33: 1, 7: 1, 5: 1}
    assert told("ARG_MAX(cost, day)", per="patient, ward", rows=rows) == expected


def test_a_unit_of_which_no_row_is_meant_says_nothing():
    rows = [*ROWS, {"patient": 4, "cost": 50, "day": 1, "ward": "A", "urgent": True}]
    value = "FIRST(cost ORDER BY day) FILTER (WHERE ward = 'B')"
    assert told(value, rows=rows) == {7: 1, 9: 1}


ALL = "ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING"
WINDOW = "SELECT v, COUNT(*) AS n FROM (SELECT patient, {v} AS v FROM visits) GROUP BY v"


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("FIRST_VALUE(cost) OVER (PARTITION BY patient ORDER BY day)", {10: 4, 5: 2, 9: 1}),
        ("FIRST_VALUE(cost) OVER (PARTITION BY patient ORDER BY day DESC)", {5: 2, 9: 1}),
        (
            f"LAST_VALUE(cost) OVER (PARTITION BY patient ORDER BY day {ALL})",
            {40: 4, 5: 2, 9: 1},
        ),
    ],
)
def test_windows_say_it_in_every_row(value, expected):
    question = read_sql(WINDOW.format(v=value), {"visits": VISITS}).question
    memory = Memory({VISITS: ROWS}).evaluate(question, LOOSE).tolist()
    with DuckDB({VISITS: ROWS[::-1]}, threads=1) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == memory
    assert {
        each: n for each, (n,) in zip(question.keys[0].values, memory, strict=True) if n
    } == expected


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT ARG_MAX(cost, day) FROM visits", "the value of a single row"),
        (
            "SELECT ward, FIRST(cost ORDER BY day) FROM visits GROUP BY ward",
            "the value of a single row",
        ),
        (
            "SELECT AVG(v) FROM (SELECT ward, ARG_MAX(cost, day) AS v FROM visits GROUP BY ward)",
            "unit",
        ),
        (
            "SELECT AVG(v) FROM (SELECT patient, FIRST(cost) AS v FROM visits GROUP BY patient)",
            "needs an order",
        ),
        (WINDOW.format(v="LAST_VALUE(cost) OVER (PARTITION BY patient ORDER BY day)"), "frame"),
        (WINDOW.format(v="FIRST_VALUE(cost) OVER (PARTITION BY patient)"), "needs an order"),
        (WINDOW.format(v="FIRST_VALUE(cost) OVER (ORDER BY day)"), "several units"),
        (
            WINDOW.format(
                v="FIRST_VALUE(cost) OVER (PARTITION BY patient ORDER BY day "
                "ROWS BETWEEN 2 PRECEDING AND CURRENT ROW)"
            ),
            "first row",
        ),
    ],
)
def test_what_is_not_of_one_unit_is_refused(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read_sql(text, {"visits": VISITS})


def test_days_are_chosen_too():
    day = Column("on", Kind.DATE, date(2024, 1, 1), date(2024, 1, 9))
    table = Table("visits", (day,), unit="patient", contributions=2)
    inside = 'SELECT patient, ARG_MIN("on", "on") AS v FROM visits GROUP BY patient'
    text = f"SELECT COUNT(*) AS n FROM ({inside}) WHERE v > DATE '2024-01-02'"
    assert read_sql(text, {"visits": table})
