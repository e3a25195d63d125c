"""The conversion between rho, Renyi divergences and (epsilon, delta)."""

from fractions import Fraction
from math import exp, log, log1p, sqrt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting import total
from tacit.accounting.conversion import (
    concentrated_epsilon,
    epsilon_at,
    order_at,
    rho_within,
)
from tacit.accounting.privacy_filters import RHO_UNIT
from tacit.exact import ball, lower, upper, working
from tacit.privacy import ZeroConcentratedLoss, concentrated_delta, renyi_delta

F = Fraction
epsilons = st.fractions(F(1, 100), F(10))
deltas = st.integers(1, 12).map(lambda digits: F(1, 10**digits))


@given(st.fractions(F(0), F(5)), st.fractions(F(101, 100), F(60)), deltas)
@settings(max_examples=30)
def test_epsilon_and_delta_at_an_order_are_inverse(divergence, order, delta):
    with working():
        epsilon = upper(epsilon_at(ball(divergence), order, delta))
        if epsilon >= 0:
            back = upper(renyi_delta(ball(divergence), order, epsilon))
            assert delta * (1 - F(1, 10**20)) <= back <= delta * (1 + F(1, 10**20))


@given(st.integers(1, 1 << 66), deltas)
@settings(max_examples=30)
def test_one_rho_is_converted_as_in_any_total(units, delta):
    rho = units * RHO_UNIT
    with working():
        alone = concentrated_epsilon(ball(rho), delta)
        assert concentrated_delta(rho, alone * (1 + F(1, 10**10))) <= ball(delta)
        assert not alone or not concentrated_delta(rho, alone * (1 - F(1, 10**10))) < ball(delta)
    assert alone == total(ZeroConcentratedLoss(rho)).epsilon(delta).certified


@given(epsilons, deltas)
@settings(max_examples=30)
def test_the_largest_rho_keeps_the_limit_and_hardly_more_does(epsilon, delta):
    with working():
        rho = lower(rho_within(epsilon, delta))
        assert Fraction(total(ZeroConcentratedLoss(rho)).epsilon(delta)) <= epsilon * (
            1 + F(1, 10**8)
        )
        more = rho * (1 + F(1, 10**6))
        orders = (order_at(place / 8) for place in range(-40, 120))
        assert all(
            lower(epsilon_at(ball(more) * ball(order), order, delta)) > epsilon for order in orders
        )


@given(epsilons, deltas)
@settings(max_examples=30)
def test_the_rho_is_the_best_over_a_fine_grid_of_orders(epsilon, delta):
    with working():
        rho = float(lower(rho_within(epsilon, delta)))

    def at(order):
        above = order - 1
        return (float(epsilon) + (log(delta) + order * log(order)) / above - log(above)) / order

    best = max(at(1 + exp(i / 50)) for i in range(-200, 800))
    assert rho >= best * (1 - 1e-12)
    assert rho == pytest.approx(best, rel=1e-3)


@given(st.fractions(F(1, 1000), F(3)), deltas)
@settings(max_examples=30)
def test_zcdp_converts_better_than_its_first_theorem(rho, delta):
    """Bun and Steinke 2016 have rho + 2 sqrt(rho ln(1/delta))."""
    found = total(ZeroConcentratedLoss(rho)).epsilon(delta)
    assert found <= float(rho) + 2 * sqrt(-float(rho) * log(delta))
    best = min(_by_hand(float(rho), float(delta), 1 + exp(i / 50)) for i in range(-400, 800))
    assert found == pytest.approx(max(best, 0), rel=1e-3, abs=1e-9)
    assert found <= max(best, 0) * (1 + 1e-9) + 1e-12


def _by_hand(rho, delta, order):
    return order * rho + log1p(-1 / order) - (log(delta) + log(order)) / (order - 1)


@pytest.mark.parametrize("place", [-1e6, -3.0, 0.0, 7.5, 1e6])
def test_orders_are_short_rationals_above_one(place):
    order = order_at(place)
    assert order > 1
    assert (order - 1).numerator.bit_length() <= 90
