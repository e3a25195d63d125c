"""From a Renyi divergence to a delta."""

from fractions import Fraction
from math import exp, isclose

import pytest

from tacit.exact import ball, upper, working
from tacit.privacy import GaussianLoss, concentrated_delta, concentrated_order, renyi_delta

F = Fraction


@pytest.fixture(autouse=True)
def _certified():
    with working(128):
        yield


def test_a_divergence_converts_as_published():
    # Canonne, Kamath, Steinke 2020, Proposition 12, by hand.
    assert isclose(float(upper(renyi_delta(ball(1), F(2), F(3)))), exp(-2) / 4, rel_tol=1e-14)
    assert isclose(
        float(upper(renyi_delta(ball(F(1, 2)), F(3), F(2)))),
        exp(-3) * (2 / 3) ** 3 / 2,
        rel_tol=1e-14,
    )


def test_a_delta_is_never_more_than_one():
    assert upper(renyi_delta(ball(1000), F(2), F(0))) == 1
    assert upper(concentrated_delta(F(10**400), F(1))) == 1


def test_nothing_moved_nothing_told():
    assert upper(concentrated_delta(F(0), F(0))) == 0


@pytest.mark.parametrize("rho", [F(1, 10**6), F(1, 1000), F(1, 8), F(3), F(50)])
@pytest.mark.parametrize("epsilon", [F(0), F(1, 100), F(1), F(5), F(40)])
def test_no_order_converts_better_than_the_one_chosen(rho, epsilon):
    chosen = upper(concentrated_delta(rho, epsilon))
    orders = [1 + F(round(1.35**i * 1000), 10**6) for i in range(1, 75)]
    assert all(
        upper(renyi_delta(ball(rho * order), order, epsilon)) >= chosen * (1 - F(1, 10**5))
        for order in orders
    )


@pytest.mark.parametrize("rho", [F(1, 1000), F(1, 8), F(3)])
def test_the_conversion_stays_above_gaussian_noise_and_within_a_factor_of_it(rho):
    for epsilon in (F(0), F(1, 10), F(1), F(4)):
        true, converted = (
            upper(GaussianLoss(2 * rho).delta(epsilon)),
            upper(concentrated_delta(rho, epsilon)),
        )
        assert true <= converted
        assert converted <= 40 * true or epsilon > 3 * float(rho) ** 0.5


def test_delta_falls_with_epsilon_and_rises_with_rho():
    grid = [F(i, 4) for i in range(1, 25)]
    fall = [upper(concentrated_delta(F(1, 8), epsilon)) for epsilon in grid]
    rise = [upper(concentrated_delta(rho, F(2))) for rho in grid]
    assert fall == sorted(fall, reverse=True)
    assert rise == sorted(rise)


def test_an_order_is_above_one():
    assert all(
        concentrated_order(rho, epsilon) >= 1
        for rho in (1e-100, 1e-3, 1.0, 1e100)
        for epsilon in (1e-100, 1e100)
    )
