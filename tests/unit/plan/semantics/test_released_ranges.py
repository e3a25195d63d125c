"""Bounds of released values without their noise."""

from fractions import Fraction

import pytest

from tacit.plan import read_asked
from tacit.plan.semantics.released_ranges import released_range
from tests.unit.plan.cases import TABLES


@pytest.mark.parametrize(
    ("shown", "low", "high"),
    [
        ("AVG(age)", 0, 120),
        ("-AVG(age)", -120, 0),
        ("AVG(age) + 5", 5, 125),
        ("AVG(age) * -2", -240, 0),
        ("MEDIAN(age)", 0, 120),
        ("CASE WHEN COUNT(*) > 5 THEN AVG(age) ELSE 200 END", 0, 200),
        ("VARIANCE(age)", 0, 7200),
        ("CORR(age, age * 2)", -1, 1),
        ("17", 17, 17),
    ],
)
def test_a_range_is_that_of_what_is_measured(shown, low, high):
    plan = read_asked(f"SELECT COUNT(*) AS n, {shown} AS x FROM visits", TABLES)[0]
    found = released_range(plan.view.columns[1].value, plan.question)
    assert (found.low, found.high) == (low, high)


def test_a_standard_deviation_lies_below_the_root_of_the_largest_variance():
    plan = read_asked("SELECT STDDEV(age) AS x FROM visits", TABLES)[0]
    found = released_range(plan.view.columns[0].value, plan.question)
    assert found.low == 0
    assert 7200 <= found.high**2 < Fraction(7400)


@pytest.mark.parametrize("shown", ["COUNT(*)", "SUM(age)", "AVG(age) / COUNT(*)"])
def test_a_count_or_a_sum_has_no_known_range(shown):
    plan = read_asked(f"SELECT {shown} AS x FROM visits", TABLES)[0]
    assert released_range(plan.view.columns[0].value, plan.question) is None
