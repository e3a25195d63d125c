"""Losses known by a bound, at figures worked out by hand and where parameters are extreme."""

from fractions import Fraction
from math import exp, inf, isclose, log, tanh

import pytest

from tacit.errors import InvalidInput
from tacit.exact import ball, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    BoundedRangeLoss,
    Neighbours,
    PureLoss,
    ZeroConcentratedLoss,
    concentrated_delta,
)

F = Fraction

HUGE = F(10**300)
TINY = 1 / HUGE


@pytest.fixture(autouse=True)
def _certified():
    with working(128):
        yield


def near(enclosure, figure):
    return isclose(float(upper(enclosure)), figure, rel_tol=1e-12)


def test_the_two_coin_form_of_randomized_response_has_total_variation_one_half():
    assert near(PureLoss(log(3)).delta(F(0)), 0.5)


def test_figures_of_a_pure_loss():
    assert near(PureLoss(1).rho(), tanh(0.5))
    assert near(PureLoss(1).delta(F(1, 2)), (exp(1) - exp(0.5)) / (1 + exp(1)))
    assert near(PureLoss(1).renyi(F(2)), log((exp(2) + exp(-1)) / (1 + exp(1))))


def test_a_pure_loss_is_less_concentrated_than_half_its_square():
    assert all(upper(PureLoss(F(i, 8)).rho()) < F(i, 8) ** 2 / 2 for i in range(1, 80))


def test_figures_of_a_bounded_range():
    assert near(BoundedRangeLoss(2).delta(F(0)), (1 - exp(-1)) ** 2 / (1 - exp(-2)))
    assert upper(BoundedRangeLoss(2).rho()) == F(1, 2)
    assert upper(BoundedRangeLoss(16).rho()) < 16 < F(16**2, 8)


@pytest.mark.parametrize("order", [F(3, 2), F(3), F(100)])
def test_the_divergence_of_a_bounded_range_is_that_of_its_worst_two_values(order):
    """Found by trying them all, in floats; the pure and the concentrated bound are both larger."""
    span, a = 2.0, float(order)

    def divergence(t):
        p = (exp(span) - exp(t)) / (exp(span) - 1)
        return log(p * exp((a - 1) * t) + (1 - p) * exp((a - 1) * (t - span))) / (a - 1)

    claimed = BoundedRangeLoss(2).renyi(order)
    tried = max(divergence(span * i / 20_000) for i in range(1, 20_000))
    assert tried * (1 - 1e-12) <= float(upper(claimed)) <= tried * (1 + 1e-6)
    assert upper(claimed) < min(2, order / 2)


def test_a_bounded_range_costs_a_quarter_of_what_a_pure_loss_costs_and_never_more():
    for loss, pure in ((BoundedRangeLoss(F(i, 4)), PureLoss(F(i, 4))) for i in range(1, 40)):
        assert not loss.delta(F(1, 3)) > pure.delta(F(1, 3))
        assert loss.delta(F(0)) < pure.delta(F(0)) or near(
            loss.delta(F(0)), float(upper(pure.delta(F(0))))
        )
    assert isclose(
        float(upper(BoundedRangeLoss(F(1, 10)).rho()) / upper(PureLoss(F(1, 10)).rho())),
        0.25,
        rel_tol=0.01,
    )


def test_an_approximate_loss_keeps_its_delta_beyond_its_epsilon():
    loss = ApproximateLoss(1, F(1, 100))
    assert upper(loss.delta(F(5))) >= F(1, 100) >= lower(loss.delta(F(5)))
    assert near(loss.delta(F(0)), 0.01 + 0.99 * tanh(0.5))


def test_the_delta_of_a_group_is_a_geometric_sum():
    grouped = ApproximateLoss(1, F(1, 1000)).group(3)
    assert grouped.epsilon == 3
    assert isclose(float(grouped.failure), (1 + exp(1) + exp(2)) / 1000, rel_tol=1e-15)


@pytest.mark.parametrize(
    ("loss", "size", "failure"),
    [
        (ApproximateLoss(0, F(1, 10)), 4, F(4, 10)),
        (ApproximateLoss(0, F(1, 10)), 20, F(1)),
        (ApproximateLoss(5, F(1, 10)), 3, F(1)),
        (ApproximateLoss(1, F(1, 10**9)), 10**15, F(1)),  # e**(10**15) is no number to write down
        (ApproximateLoss(HUGE, F(1, 10)), 2, F(1)),
        (ApproximateLoss(HUGE, 0), 2, F(0)),
        (ApproximateLoss(1, 0), 10**15, F(0)),
        (ApproximateLoss(1, 1), 2, F(1)),
    ],
)
def test_the_delta_of_a_group_is_a_probability_however_large_the_group(loss, size, failure):
    grouped = loss.group(size)
    assert 0 <= grouped.failure - failure < F(1, 2**120)
    assert grouped.failure <= 1
    assert grouped.epsilon == size * loss.epsilon


def test_the_delta_of_a_group_does_not_lose_digits_at_a_tiny_epsilon():
    grouped = ApproximateLoss(F(1, 10**60), F(1, 10**9)).group(2)
    assert 0 < grouped.failure - F(2, 10**9) < F(1, 10**40)


def test_the_delta_of_a_group_is_rounded_up():
    for i in range(1, 60):
        loss = ApproximateLoss(F(i, 7), F(1, 10**30))
        with working(400):
            true = (ball(2 * loss.epsilon).expm1() / ball(loss.epsilon).expm1()) * ball(
                loss.failure
            )
        assert loss.group(2).failure >= upper(true)


def test_a_group_under_zero_concentration_costs_the_square():
    assert ZeroConcentratedLoss(F(1, 2)).group(3) == ZeroConcentratedLoss(F(9, 2))
    assert ZeroConcentratedLoss(F(1, 2), F(1, 9)).group(1) == ZeroConcentratedLoss(F(1, 2), F(1, 9))


def test_approximate_zero_concentration_has_no_figure_for_groups():
    with pytest.raises(InvalidInput, match="no closed form; use an"):
        ZeroConcentratedLoss(F(1, 2), F(1, 9)).group(2)


def test_a_group_keeps_its_relation():
    for loss in (PureLoss, BoundedRangeLoss, ZeroConcentratedLoss):
        assert loss(1, neighbours=Neighbours.REPLACE).group(2).neighbours is Neighbours.REPLACE
    assert ApproximateLoss(1, 0, Neighbours.REPLACE).group(2).neighbours is Neighbours.REPLACE


def test_failure_adds_to_the_delta_of_zero_concentration():
    with_failure, without = ZeroConcentratedLoss(F(1, 8), F(1, 100)), ZeroConcentratedLoss(F(1, 8))
    for epsilon in (F(0), F(1), F(4)):
        assert with_failure.delta(epsilon).overlaps(without.delta(epsilon) + ball(F(1, 100)))
        assert without.delta(epsilon).overlaps(concentrated_delta(F(1, 8), epsilon))
    assert upper(ZeroConcentratedLoss(F(1, 8), 1).delta(F(0))) == 1


@pytest.mark.parametrize("epsilon", [TINY, F(1, 10**20), F(10**20), HUGE])
def test_extreme_losses_have_finite_figures(epsilon):
    pure, ranged, approximate = (
        PureLoss(epsilon),
        BoundedRangeLoss(epsilon),
        ApproximateLoss(epsilon, TINY),
    )
    for loss in (pure, ranged, approximate, ZeroConcentratedLoss(epsilon)):
        for at in (F(0), F(1), HUGE):
            assert -F(1, 2**100) < upper(loss.delta(at)) <= 1 + F(1, 2**100)
    for loss in (pure, ranged):
        for order in (F(101, 100), F(2), F(10**6)):
            assert upper(loss.renyi(order)) <= epsilon * (1 + F(1, 2**100)) + F(1, 2**100)
            assert upper(loss.renyi(order)) <= order * upper(loss.rho()) + F(1, 2**100)
        assert upper(loss.renyi(inf)) >= epsilon


def test_figures_that_nobody_could_write_down_are_rounded_up():
    delta = ZeroConcentratedLoss(F(1, 10**20)).delta(F(1))
    assert 0 < upper(delta) < F(1, 2**100000)
