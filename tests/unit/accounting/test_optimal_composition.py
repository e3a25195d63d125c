"""Optimal composition of pure losses against plain sums in exact arithmetic."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting import total
from tacit.accounting.optimal_composition import Optimal
from tacit.exact import ball, lower, upper, working
from tacit.privacy import GaussianLoss, LaplaceLoss, PureLoss

F = Fraction
OPTIMAL = Optimal()


def summed(epsilon, times, at):
    """The defining sum over the number of truths, from the first one on, with 300 bits."""
    with working(300):
        chance, total_ = (1 / (1 + ball(epsilon).exp())) ** times, ball(0)
        for k in range(times + 1):
            told = (2 * k - times) * epsilon
            if told > at:
                total_ += chance * (1 - ball(at - told).exp())
            chance = chance * (times - k) / (k + 1) * ball(epsilon).exp()
        return total_


@given(st.fractions(F(1, 100), F(2)), st.integers(1, 120), st.fractions(F(0), F(20)))
@settings(max_examples=60)
def test_the_sum_is_enclosed_and_narrow(epsilon, times, at):
    with working():
        found = OPTIMAL.profile(PureLoss(epsilon) * times)(at)
        ideal = summed(epsilon, times, at)
        assert lower(found) <= upper(ideal)
        assert lower(ideal) <= upper(found) <= upper(ideal) * (1 + F(1, 10**25)) + F(1, 10**60)


@pytest.mark.parametrize("at", [F(0), F(1), F(20), F(60)])
def test_thousands_of_responses_are_summed_in_part(at):
    """Far below the mean, terms are left out and bounded; the sum still encloses the truth."""
    epsilon, times = F(1, 10), 5_000
    with working():
        found = OPTIMAL.profile(PureLoss(epsilon) * times)(at)
        ideal = summed(epsilon, times, at)
        assert lower(found) <= upper(ideal)
        assert lower(ideal) <= upper(found)
        assert upper(found) - lower(found) < F(1, 10**30)


@given(
    st.lists(st.tuples(st.fractions(F(1, 20), F(1)), st.integers(1, 3)), min_size=2, max_size=3),
    st.fractions(F(0), F(3)),
)
@settings(max_examples=40)
def test_unlike_epsilons_are_gone_through_case_by_case(groups, at):
    singles = [epsilon for epsilon, times in groups for _ in range(times)]
    with working():
        loss = sum(
            (PureLoss(epsilon) * times for epsilon, times in groups[1:]),
            PureLoss(groups[0][0]) * groups[0][1],
        )
        found = OPTIMAL.profile(loss)(at)
        ideal = ball(0)
        for signs in product((1, -1), repeat=len(singles)):
            told = sum(sign * epsilon for sign, epsilon in zip(signs, singles, strict=True))
            chance = ball(1)
            for sign, epsilon in zip(signs, singles, strict=True):
                chance *= 1 / (1 + ball(-sign * epsilon).exp())
            if told > at:
                ideal += chance * (1 - ball(at - told).exp())
        assert found.overlaps(ideal)


def test_the_bound_is_silent_about_what_is_not_pure_or_too_mixed():
    with working():
        assert OPTIMAL.profile(GaussianLoss(1) * 2) is None
        many = sum((PureLoss(F(1, n)) * 1 for n in range(3, 30)), PureLoss(F(1, 2)) * 1)
        assert OPTIMAL.profile(many) is None


def test_laplace_losses_are_pure_and_share_it():
    fifty = total(LaplaceLoss(F(1, 10)) * 50)
    optimal = fifty.compare(1e-6)["optimal"]
    assert optimal == total(PureLoss(F(1, 10)) * 50).epsilon(1e-6)
    assert fifty.epsilon(1e-6) < optimal
