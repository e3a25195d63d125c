"""Spans of time: a day that is made of three numbers is that day, or NULL if there is none."""

from datetime import date, timedelta

import pytest

from tacit.plan import Column, Kind, Table, compile_expression, read_sql

PARTS = Table("parts", tuple(Column(name, Kind.INTEGER, -(10**6), 10**6) for name in "ymd"))


def made(year, month, day):
    text = f"SELECT COUNT(*) AS n FROM parts WHERE MAKE_DATE(y, m, d) = DATE '{date(2024, 2, 29)}'"
    condition = read_sql(text, {"parts": PARTS}).question.rows.condition
    return compile_expression(condition.left)({"y": year, "m": month, "d": day})


def test_every_day_is_made_of_its_parts():
    first = date(1970, 1, 1)
    for days in (-719_162, -1, 0, 59, 19_782, 2_932_896):
        day = first + timedelta(days=days)
        assert made(day.year, day.month, day.day) == days


@pytest.mark.parametrize(
    "parts",
    [
        (2023, 2, 29),
        (2024, 13, 1),
        (2024, 0, 1),
        (2024, 1, 32),
        (20245, 1, 1),
        (2024, 110, 1),
        (2024, 1, 310),
        (0, 1, 1),
        (-2, 1, 1),
    ],
)
def test_days_that_are_none_are_null(parts):
    assert made(*parts) is None
