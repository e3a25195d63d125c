"""Trade-off curves against their closed forms."""

from fractions import Fraction
from itertools import pairwise

import pytest

from tacit.accounting import total
from tacit.exact import ball, lower, upper, working
from tacit.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
)
from tests.laws import enumerated as exact

F = Fraction
ALARMS = [F(1, 1000), F(1, 20), F(1, 5), F(2, 5), F(7, 10), F(99, 100)]


def finite(p, q):
    def misses(alarms):
        pair = exact.Listed(tuple(map(ball, p)), tuple(map(ball, q)))
        return min(pair.one_way_misses(alarms), pair.swapped().one_way_misses(alarms), key=float)

    return misses


def discrete_gaussian(alarms):
    """Variance 9/4, distance 2."""
    weights = [(-ball(F(2 * z * z, 9))).exp() for z in range(-60, 61)]
    return exact.discrete(weights, 2).one_way_misses(alarms)


def discrete_laplace(alarms):
    """Scale 2, distance 3."""
    weights = [(-ball(F(abs(z), 2))).exp() for z in range(-300, 301)]
    return exact.discrete(weights, 3).one_way_misses(alarms)


CURVES = {
    "Laplace": (LaplaceLoss(1), lambda s: exact.laplace_misses(F(1), s)),
    "Gaussian": (GaussianLoss(2), lambda s: exact.gaussian_misses(F(2), s)),
    "four Gaussians": (GaussianLoss(F(1, 2)) * 4, lambda s: exact.gaussian_misses(F(2), s)),
    "response": (PureLoss(F(3, 2)), lambda s: exact.response(F(3, 2)).one_way_misses(s)),
    "nine responses": (
        PureLoss(F(1, 3)) * 9,
        lambda s: exact.responses(F(1, 3), 9).one_way_misses(s),
    ),
    "discrete Gaussian": (DiscreteGaussianLoss(F(9, 4), 2), discrete_gaussian),
    "discrete Laplace": (DiscreteLaplaceLoss(2, 3), discrete_laplace),
    "telling all": (
        ApproximateLoss(1, F(1, 10)),
        lambda s: exact.telling(F(1), F(1, 10)).one_way_misses(s),
    ),
    "symmetric finite": (
        FiniteLoss([F(1, 2), F(3, 10), F(1, 5)], [F(1, 5), F(3, 10), F(1, 2)]),
        finite([F(1, 2), F(3, 10), F(1, 5)], [F(1, 5), F(3, 10), F(1, 2)]),
    ),
}


@pytest.mark.parametrize("name", CURVES)
def test_a_curve_is_its_closed_form_and_never_above_it(name):
    loss, truth = CURVES[name]
    one = total(loss)
    for alarms in ALARMS:
        shown = F(one.tradeoff(alarms))
        with working(200):
            ideal = truth(alarms)
        assert shown <= upper(ideal) + F(1, 10**30)
        assert shown >= lower(ideal) - F(1, 10**9)


@pytest.mark.parametrize("name", ["Laplace", "Gaussian", "nine responses", "telling all"])
def test_a_curve_falls_is_convex_and_is_its_own_mirror_image(name):
    one = total(CURVES[name][0])
    curve = [float(one.tradeoff(F(i, 10))) for i in range(11)]
    falls = [a - b for a, b in pairwise(curve)]
    assert all(fall >= -1e-12 for fall in falls)
    assert all(a >= b - 1e-9 for a, b in pairwise(falls))
    assert all(misses <= 1 - i / 10 for i, misses in enumerate(curve))
    for i in (2, 5):
        assert one.tradeoff(one.tradeoff(F(i, 10))) == pytest.approx(i / 10, abs=1e-6)


def test_the_ends_of_a_curve():
    assert total(PureLoss(1)).tradeoff(0) == 1
    assert total(PureLoss(1)).tradeoff(1) == 0
    assert total(ApproximateLoss(1, F(1, 10))).tradeoff(0) == pytest.approx(0.9)


def test_an_attacker_never_beats_the_textbook_bound():
    one = total(LaplaceLoss(F(1, 2)) * 3 + GaussianLoss(F(1, 4)))
    epsilon, delta = one.epsilon(1e-3), 1e-3
    for alarms in (F(1, 10), F(1, 2)):
        power = 1 - one.tradeoff(alarms)
        assert power <= 2.718281828459046**epsilon * float(alarms) + delta
