"""Poisson samples, against integrals, sums and refusals."""

from fractions import Fraction
from math import e, erf, exp, log, sqrt

import pytest

from tacit.accounting import total
from tacit.errors import InvalidInput
from tacit.exact import upper, working
from tacit.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Neighbours,
    PureLoss,
    Subsampled,
    ZeroConcentratedLoss,
)

F = Fraction


def integrated(mu, q, order, mirrored=False):
    """ln E_Q[(M/Q)**order] / (order - 1), or of Q against M, by the trapezoidal rule, which suits such functions."""
    step, total_ = 1 / 64, 0.0
    power = 1 - order if mirrored else order
    for i in range(-64 * 14, 64 * (14 + int(order * mu)) + 1):
        x = i * step
        total_ += exp(-x * x / 2) * (1 - q + q * exp(mu * x - mu * mu / 2)) ** power
    return log(total_ * step / sqrt(2 * 3.141592653589793)) / (order - 1)


@pytest.mark.parametrize("q", [0.01, 0.3, 0.9])
@pytest.mark.parametrize("mu", [0.25, 1.0, 2.0])
@pytest.mark.parametrize("order", [1.5, 2.0, 2.75, 7.25])
def test_the_gaussian_sample_is_its_integral(q, mu, order):
    sample = GaussianLoss(F(mu) ** 2).subsample(F(q))
    with working():
        found = sample.renyi(F(order))
    ideal = integrated(mu, float(F(q)), order)
    assert float(upper(found)) == pytest.approx(ideal, rel=1e-8)
    assert float(upper(found)) >= ideal * (1 - 1e-9)
    assert integrated(mu, float(F(q)), order, mirrored=True) <= ideal


def test_the_chord_between_whole_orders_holds_for_discrete_noise():
    q, variance = F(1, 10), F(2)
    noise = DiscreteGaussianLoss(variance, 1)
    weights = {z: exp(-z * z / 4) for z in range(-40, 41)}
    mass = sum(weights.values())
    for order in (1.25, 2.0, 3.5, 8.75):
        moment = sum(
            (w / mass) * (1 - 0.1 + 0.1 * exp((2 * z - 1) / 4)) ** order for z, w in weights.items()
        )
        ideal = log(moment) / (order - 1)
        with working():
            shown = float(upper(noise.subsample(q).renyi(F(order))))
        assert ideal * (1 - 1e-9) <= shown <= ideal * 2


def test_the_pure_amplification_is_the_known_one():
    assert total(PureLoss(1).subsample(F(1, 10))).epsilon(0) == pytest.approx(
        log(1 + 0.1 * (e - 1))
    )
    assert total(ApproximateLoss(1, F(1, 1000)).subsample(F(1, 10))).failure == pytest.approx(1e-4)
    assert total(LaplaceLoss(2).subsample(F(1, 10))).epsilon(0) == pytest.approx(
        log(1 + 0.1 * (e**2 - 1))
    )


def test_the_delta_of_one_sampled_gaussian_is_exact():
    """With M = (1 - q) N(0) + q N(mu): the best event is a half-line, so delta is a difference of two tails."""
    q, mu, epsilon = 0.2, 1.0, 0.3
    edge = log((exp(epsilon) - 1 + q) / q) / mu + mu / 2

    def above(x):
        return (1 - erf(x / sqrt(2))) / 2

    ideal = q * above(edge - mu) + (1 - q) * above(edge) - exp(epsilon) * above(edge)
    assert total(GaussianLoss(1).subsample(F(q))).delta(F(epsilon)) == pytest.approx(
        ideal, rel=1e-12
    )


def test_a_sample_under_replace_is_refused():
    with pytest.raises(InvalidInput, match="add-or-remove"):
        GaussianLoss(1, Neighbours.REPLACE).subsample(0.1)


def test_samples_for_which_nothing_is_proved_are_refused():
    with pytest.raises(InvalidInput, match="proved"):
        ZeroConcentratedLoss(1, F(1, 100)).subsample(0.1)
    with pytest.raises(InvalidInput, match="one unit"):
        GaussianLoss(1).subsample(0.1).group(2)
    assert GaussianLoss(1).subsample(0.1).group(1) == GaussianLoss(1).subsample(0.1)


@pytest.mark.parametrize("bad", [-0.1, 1.1, True, "x", float("nan")])
def test_rates_are_probabilities(bad):
    with pytest.raises(InvalidInput):
        GaussianLoss(1).subsample(bad)


def test_only_losses_are_sampled():
    with pytest.raises(InvalidInput, match="a loss"):
        Subsampled(1, 0.5)


def test_rates_are_read_rounded_up():
    assert GaussianLoss(1).subsample(0.1).rate > F(1, 10)


def test_zcdp_is_sampled_by_joint_convexity():
    loss = ZeroConcentratedLoss(F(1, 2))
    with working():
        shown = float(upper(loss.subsample(F(1, 10)).renyi(F(3))))
    assert shown == pytest.approx(log(1 + 0.1 * (exp(2 * 1.5) - 1)) / 2)


def test_high_orders_are_bounded_too():
    with working():
        for order in (F(2049), F(10**9), F(10**30)):
            for loss in (GaussianLoss(F(1, 100)), LaplaceLoss(1), PureLoss(1)):
                found = loss.subsample(F(1, 100)).renyi(order)
                assert found is not None
                assert found.is_finite()
                assert upper(found) <= upper(loss.renyi(order))
