"""Many steps on samples as one charge: against the exact divergence, against no sampling, and its edges."""

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from tacit.accounting import ConcentratedFilter, sampled_multiplier, sampled_rho
from tacit.errors import InvalidInput
from tacit.privacy import ZeroConcentratedLoss

FAILURE = Fraction(1, 10**7)


def divergence(noise, rate, order):
    """Of a mixture of two normal laws from one of them, by quadrature."""
    x = np.linspace(-14 * noise, order + 14 * noise, 6_001)
    ratio = np.logaddexp(np.log1p(-rate), np.log(rate) + (2 * x - 1) / (2 * noise**2))
    inside = order * ratio - x**2 / (2 * noise**2)
    top = inside.max()
    whole = np.log(np.trapezoid(np.exp(inside - top), x)) + top - log(2 * np.pi * noise**2) / 2
    return float(whole) / (order - 1)


@pytest.mark.parametrize(
    ("noise", "rate", "steps"),
    [(4.0, 0.1, 100), (2.0, 0.02, 300), (1.0, 0.01, 200), (8.0, 0.25, 50)],
)
def test_no_order_below_the_cut_has_a_larger_divergence(noise, rate, steps):
    """The proof's own steps, by quadrature: some cut is rare enough, and up to it rho holds at every order."""
    rho = float(sampled_rho(noise, rate, steps, FAILURE))
    orders = [*np.geomspace(1.001, 3, 60), *np.arange(3, 120, 0.5)]
    losses = [steps * divergence(noise, rate, order) for order in orders]
    rare = log(2 / float(FAILURE))
    proved = [
        place
        for place, order in enumerate(orders)
        if all(
            loss <= rho * a * (1 + 1e-9)
            for loss, a in zip(losses[: place + 1], orders, strict=False)
        )
        and max((a - 1) * (rho * order - loss) for a, loss in zip(orders, losses, strict=True))
        >= rare
    ]
    assert proved


def test_it_is_near_the_best_that_the_cut_allows():
    """The figures of the quadrature, plus the hundredth that the proof adds, plus what whole orders lose."""
    for noise, rate, steps in ((4.0, 0.1, 100), (8.0, 0.25, 50)):
        small = steps * rate**2 * (exp(noise**-2) - 1) / 2
        assert small < float(sampled_rho(noise, rate, steps, FAILURE)) < 1.6 * small + 202e-7


def test_sampling_costs_less_than_seeing_everybody():
    whole = 100 / (2 * 4.0**2)
    assert sampled_rho(4, Fraction(1, 10), 100, FAILURE) < whole / 50


def test_a_multiplier_is_proved_and_not_much_wider_than_needed():
    rho = Fraction(1, 20)
    found = sampled_multiplier(rho, Fraction(1, 10), 120, FAILURE)
    assert sampled_rho(found, Fraction(1, 10), 120, FAILURE) <= rho
    narrower = sampled_rho(found * Fraction(97, 100), Fraction(1, 10), 120, FAILURE)
    assert narrower is None or narrower > rho


def test_more_steps_and_larger_samples_cost_more():
    base = sampled_rho(4, Fraction(1, 10), 100, FAILURE)
    assert base < sampled_rho(4, Fraction(1, 10), 150, FAILURE)
    assert base < sampled_rho(4, Fraction(1, 8), 100, FAILURE)
    assert base < sampled_rho(Fraction(7, 2), Fraction(1, 10), 100, FAILURE)


def test_the_pair_is_what_a_ledger_charges():
    rule = ConcentratedFilter(epsilon=3, delta=Fraction(1, 10**6))
    rho = sampled_rho(4, Fraction(1, 10), 100, FAILURE)
    charge = rule.price(ZeroConcentratedLoss(rho, FAILURE))
    assert rule.amount(charge) >= rho
    assert rule.failure(charge) >= FAILURE


@pytest.mark.parametrize("rate", [0, 1, -1, 2])
def test_a_rate_is_between_zero_and_one(rate):
    with pytest.raises(InvalidInput):
        sampled_rho(4, rate, 10, FAILURE)
