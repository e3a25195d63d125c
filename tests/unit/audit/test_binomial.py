"""Bounds on a probability from counts, against exact binomial sums."""

from fractions import Fraction
from math import comb

import pytest

from tacit.audit.binomial import share_at_least, share_at_most, tail_at_most
from tacit.errors import InvalidInput
from tacit.exact import ball, upper, working
from tests.together import together

F = Fraction
CASES = [(1, 1), (10, 0), (10, 3), (10, 10), (200, 1), (200, 60), (200, 199), (400, 200)]
every_case = pytest.mark.parametrize(("runs", "hits"), CASES)
every_failure = pytest.mark.parametrize("failure", [F(2, 5), F(1, 20), F(1, 10**6), F(1, 10**12)])


def exact_tail(hits, runs, share):
    a, b = share.numerator, share.denominator
    counted = (comb(runs, k) * a**k * (b - a) ** (runs - k) for k in range(hits, runs + 1))
    return F(sum(counted), b**runs)


@every_failure
@every_case
def test_so_many_hits_are_as_rare_as_the_failure_allows_and_hardly_rarer(runs, hits, failure):
    low = share_at_least(hits, runs, failure)
    if not hits:
        assert low == 0
        return
    assert failure * F(9, 10) <= exact_tail(hits, runs, low) <= failure


@together
@every_failure
@every_case
def test_the_upper_bound_is_the_lower_one_of_the_misses(runs, hits, failure):
    assert share_at_most(hits, runs, failure) == 1 - share_at_least(runs - hits, runs, failure)
    assert (
        share_at_least(hits, runs, failure) <= F(hits, runs) <= share_at_most(hits, runs, failure)
    )


@pytest.mark.parametrize(("hits", "runs"), [(40, 400), (300, 1000), (990, 1000)])
def test_a_tail_is_never_below_the_exact_one(hits, runs):
    """Also where what follows the terms that are summed is a third of the whole."""
    share = F(hits, runs) * F(98, 100)
    exact = exact_tail(hits, runs, share)
    assert exact <= upper(tail_at_most(hits, runs, share)) <= exact * F(2)


@pytest.mark.parametrize(
    ("hits", "runs"), [(134_000, 500_000), (1, 10**6), (999_999, 10**6), (2_500_000, 5_000_000)]
)
def test_large_counts_agree_with_the_incomplete_beta_function(hits, runs):
    failure = F(1, 6 * 10**6)
    low = share_at_least(hits, runs, failure)
    with working(96):
        tail = ball(low).beta_lower(ball(hits), ball(runs - hits + 1), 1)
    assert failure * F(9, 10) < upper(tail) <= failure


@pytest.mark.parametrize("failure", [F(0), F(1, 2), F(-1)])
def test_a_failure_probability_lies_between_zero_and_a_half(failure):
    with pytest.raises(InvalidInput):
        share_at_least(1, 2, failure)


def test_more_hits_than_runs_are_refused():
    with pytest.raises(InvalidInput):
        share_at_least(3, 2, F(1, 10))
