"""Intervals of rows that noise chose hold for all of them at once, over 250 releases.

At a true coverage of 95 % fewer than 85 % of 250 releases hold in full once in 5e8 runs; here it is 97 % and more,
since a choice of the largest looks at one side of the noise.  Intervals for each row alone hold in full in less than
half of the releases.
"""

from fractions import Fraction

import numpy as np
import pytest

from tacit.curator.answer.confidence_after_selection import Choice
from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind, Table, canonical, read_sql

TIMES, DAYS = 250, 30
VISITS = Table(
    "visits",
    (
        Column("day", Kind.INTEGER, values=tuple(range(DAYS))),
        Column("age", Kind.INTEGER, low=0, high=90, nullable=False),
    ),
    unit="person",
)
NOISE = {"laplace": Laplace(scale=20), "gaussian": Gaussian(sigma=20)}
every_noise = pytest.mark.parametrize("noise", list(NOISE.values()), ids=list(NOISE))
COUNT, AGES = 100, 4500
CHOICES = {
    "the largest": "GROUP BY day ORDER BY n DESC LIMIT 10",
    "the smallest": "GROUP BY day ORDER BY n LIMIT 10",
    "after some": "GROUP BY day ORDER BY n DESC LIMIT 5 OFFSET 2",
    "having": "GROUP BY day HAVING COUNT(*) > 130",
    "having a mean": "GROUP BY day HAVING AVG(age) > 50 AND COUNT(*) > 120",
    "qualify": "GROUP BY day QUALIFY RANK() OVER (ORDER BY COUNT(*) DESC) <= 10",
}


def rows_of(text, noise, times=TIMES):
    """The rows of so many releases; every day has the same exact count and sum."""
    plan = canonical(read_sql(text, {"visits": VISITS}))
    exact = [
        COUNT if "Counted" in type(measure).__name__ else AGES for measure in plan.question.measures
    ]
    drawn = [
        np.asarray(noise.release(np.full(times * DAYS, each))).reshape(times, DAYS)
        for each in exact
    ]
    for number in range(times):
        groups = [
            [Noisy(int(each[number, day]), noise, Fraction(1)) for each in drawn]
            for day in range(DAYS)
        ]
        seen = view_answer(plan, groups, 0.95)
        yield [dict(zip(seen.columns, row, strict=True)) for row in seen.rows]


def share_in_full(text, noise):
    """In how many releases all intervals that are shown hold."""
    return np.mean(
        [
            all(row["n_low"] <= COUNT <= row["n_high"] for row in rows)
            for rows in rows_of(text, noise)
        ]
    )


@every_noise
@pytest.mark.parametrize("choice", CHOICES.values(), ids=list(CHOICES))
def test_all_intervals_of_rows_that_noise_chose_hold_at_once(choice, noise):
    assert share_in_full(f"SELECT day, COUNT(*) AS n FROM visits {choice}", noise) >= 0.85


@every_noise
def test_intervals_for_each_row_alone_would_be_found_out(noise, monkeypatch):
    monkeypatch.setattr(Choice, "confidence", lambda self, value, confidence: confidence)
    assert (
        share_in_full(f"SELECT day, COUNT(*) AS n FROM visits {CHOICES['the largest']}", noise)
        < 0.75
    )


@every_noise
def test_a_measure_that_took_no_part_in_the_choice_is_covered_as_ever(noise):
    """At 95 %, fewer than 92 % of 2,500 rows hold once in 1e9 runs."""
    text = f"SELECT day, COUNT(*) AS n, SUM(age) AS s FROM visits {CHOICES['the largest']}"
    rows = [row for rows in rows_of(text, noise) for row in rows]
    assert np.mean([row["s_low"] <= AGES <= row["s_high"] for row in rows]) >= 0.92
    assert {row["s_high"] - row["s_low"] for row in rows} == {2 * noise.error(0.95)}
