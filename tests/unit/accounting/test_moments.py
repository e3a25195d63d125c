"""Moments of the privacy loss, and its generating function."""

from fractions import Fraction
from math import comb, exp

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting import total
from tacit.exact import ball, gaussian_moment, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    ZeroConcentratedLoss,
)
from tests.laws import enumerated as exact

F = Fraction


@given(st.fractions(F(1, 50), F(60)), st.integers(0, 4))
@settings(max_examples=60)
def test_moments_of_the_discrete_gaussian_are_its_sums(variance, half):
    power = 2 * half
    reach = 40 + int(16 * float(variance) ** 0.5)
    with working(200):
        weights = {z: (-ball(z * z / (2 * variance))).exp() for z in range(-reach, reach + 1)}
        ideal = sum((z**power * w for z, w in weights.items()), ball(0)) / sum(
            weights.values(), ball(0)
        )
    with working():
        found = gaussian_moment(variance, power)
        assert lower(found) <= upper(ideal) * (1 + F(1, 10**30))
        assert upper(found) >= lower(ideal)
        assert upper(found) - lower(found) <= F(1, 10**20) * max(1, upper(found))
        assert gaussian_moment(variance, power + 1).is_zero()


@given(st.fractions(F(1, 4), F(9)), st.integers(0, 5), st.integers(1, 5))
@settings(max_examples=40)
def test_moments_of_discrete_laplace_noise_are_its_sums(scale, distance, power):
    with working(200):
        rate = (-ball(1 / scale)).exp()
        weights = [(1 - rate) / (1 + rate) * rate ** abs(z) for z in range(-900, 901)]
        pair = exact.Listed(tuple(weights[: len(weights) - distance]), tuple(weights[distance:]))
        ideal = pair.one_way_moment(power)
    found = total(DiscreteLaplaceLoss(scale, distance)).loss_moment(power)
    assert float(found) == pytest.approx(float(ideal), rel=1e-12, abs=1e-30)


@given(
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
    st.lists(st.integers(1, 9), min_size=3, max_size=3),
    st.integers(1, 4),
)
@settings(max_examples=40)
def test_moments_of_a_sum_bound_every_way_to_look_at_it(p, q, power):
    laws = [F(x, sum(p)) for x in p], [F(x, sum(q)) for x in q]
    shown = total(FiniteLoss(*laws) + LaplaceLoss(F(1, 2)) * 0 + PureLoss(F(1, 3))).loss_moment(
        power
    )
    with working(200):
        pairs = [exact.Listed(*(tuple(map(ball, law)) for law in laws)), exact.response(F(1, 3))]
        assert all(lower(way.one_way_moment(power)) <= F(shown) for way in exact.product_of(pairs))


def test_the_mean_of_any_pure_loss_is_at_most_that_of_randomized_response():
    epsilon = F(1)
    one = total(PureLoss(epsilon))
    assert one.loss_moment(1) == pytest.approx(0.46211715726)  # tanh(1/2)
    skewed = FiniteLoss([F(1, 4), F(3, 4)], [F(1, 10), F(9, 10)])  # ratio 2.5 < e, and one-sided
    for power in range(1, 6):
        assert total(skewed).loss_moment(power) <= one.loss_moment(power)


def test_the_third_moment_of_randomized_response_does_not_bound_others():
    """Why only epsilon**3 is claimed: a lopsided pair has a larger third moment than randomized response."""
    epsilon = 0.1
    high, low = exp(epsilon), exp(-epsilon / 2)
    p = (1 - 1 / low) / (1 / high - 1 / low)  # so that both sides sum to one
    third = p * epsilon**3 - (1 - p) * (epsilon / 2) ** 3
    assert third > epsilon**3 * 0.05  # randomized response has epsilon**3 tanh(epsilon/2)
    assert third <= total(PureLoss(F(1, 10))).loss_moment(3)


def test_repeated_moments_follow_the_binomial_theorem():
    loss = LaplaceLoss(F(1, 2))
    one = [1.0, *(float(total(loss).loss_moment(k)) for k in range(1, 5))]
    two = [sum(comb(k, j) * one[j] * one[k - j] for j in range(k + 1)) for k in range(5)]
    for k in range(1, 5):
        assert total(loss * 2).loss_moment(k) == pytest.approx(two[k], rel=1e-12)
    assert total(GaussianLoss(1) * 10**5).loss_moment(2) == pytest.approx(10**5 + (10**5 / 2) ** 2)


def test_tiny_losses_keep_their_digits():
    tiny = total(DiscreteLaplaceLoss(10**9, 3))
    epsilon = 3e-9
    # The noise is at 0 or below, or at 3 or above, nearly always: of the loss +-epsilon is left, and the mean is tiny.
    assert tiny.loss_moment(2) == pytest.approx(epsilon**2, rel=1e-6)
    assert tiny.loss_moment(1) == pytest.approx(epsilon**2 / 2, rel=1e-6)
    assert total(LaplaceLoss(F(1, 10**12))).loss_moment(1) == pytest.approx(0.5e-24, rel=1e-9)


@pytest.mark.parametrize(
    "loss",
    [ApproximateLoss(1, F(1, 100)), ZeroConcentratedLoss(1), GaussianLoss(1).subsample(F(1, 2))],
)
def test_what_has_no_law_has_no_moments(loss):
    assert total(loss).loss_moment(2) is None


def test_bounded_range_and_discrete_gaussian_have_moments():
    assert total(BoundedRangeLoss(1)).loss_moment(2) == 1
    assert total(DiscreteGaussianLoss(100, 10)).loss_moment(1) == pytest.approx(0.5)
    assert total(DiscreteGaussianLoss(100, 0)).loss_moment(1) == 0


def test_the_generating_function_is_that_of_the_loss():
    assert total(GaussianLoss(1)).mgf(1) == pytest.approx(exp(1))
    truth, lie = 1 / (1 + exp(-1)), 1 / (1 + exp(1))
    assert total(PureLoss(1)).mgf(2) == pytest.approx(truth * exp(2) + lie * exp(-2))
    assert total(PureLoss(1) * 3).mgf(2) == pytest.approx(total(PureLoss(1)).mgf(2) ** 3)
    assert total(ApproximateLoss(1, F(1, 100))).mgf(1) is None
