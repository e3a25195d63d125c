"""From Renyi divergences and rho to epsilon and back, by the one conversion that `renyi_delta` states."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, log, log1p

from tacit.exact import Ball, ball, float_at_least, precision, upper

__all__ = ["concentrated_epsilon", "epsilon_at", "order_at", "rho_within", "start_of"]

_LEAST_PLACE, _MOST_PLACE = -40.0, 60.0
"""Orders are 1 + e**place: between these they are neither one nor without end."""


def epsilon_at(divergence: Ball, order: Fraction, delta: Fraction) -> Ball:
    """An epsilon that holds at this delta for any release whose Renyi divergence of this order is as given.

    Claim:      epsilon = divergence + ln(1 - 1/order) - ln(delta order) / (order - 1), and at least zero.
    Because:    it solves delta = exp((order - 1)(divergence - epsilon)) (1 - 1/order)**order / (order - 1) for epsilon
                (Canonne, Kamath, Steinke 2020, Proposition 12).
    Checked by: tests/laws/test_accounting.py

    >>> from tacit.exact import upper, working
    >>> with working():
    ...     float(upper(epsilon_at(ball(1), Fraction(10), Fraction(1, 10**6))))
    2.17...
    """
    return divergence + ball(1 - 1 / order).log() - ball(delta * order).log() / ball(order - 1)


def order_at(place: float) -> Fraction:
    """The order 1 + e**place, shortened to a rational that is quick to compute with.

    >>> order_at(0.0)
    Fraction(2, 1)
    """
    above = Fraction(exp(min(max(place, _LEAST_PLACE), _MOST_PLACE)))
    bits = above.denominator.bit_length() - above.numerator.bit_length()
    unit = Fraction(2) ** (bits + 26)
    return 1 + Fraction(round(above * unit)) / unit


def start_of(rho: float, delta: float) -> float:
    """Where to start looking for the best order of a loss that is about rho: ln(order - 1).

    >>> round(start_of(0.1, 1e-6), 2)
    2.46
    """
    return log(max(-log(delta), 1e-3) / max(rho, 1e-300)) / 2


def rho_within(epsilon: Fraction, delta: Fraction) -> Ball:
    """The largest rho that is known to imply (epsilon, delta)-DP; the lower end of the ball does so for certain.

    Claim:      any rho up to the lower end converts, at some order, to this epsilon and delta.
    Because:    at order a it is rho_a = (epsilon + (ln delta + a ln a - (a - 1) ln(a - 1)) / (a - 1)) / a, from
                Canonne, Kamath, Steinke 2020; any order may be chosen, and the one taken here is the best to 60 bits.
    Checked by: tests/unit/accounting/test_conversion.py

    >>> from tacit.exact import lower, working
    >>> with working():
    ...     float(lower(rho_within(Fraction(3), Fraction(1, 2 * 10**6))))
    0.1757499...
    """
    return _rho_within(epsilon, delta, precision())


@lru_cache(maxsize=1024)
def _rho_within(epsilon: Fraction, delta: Fraction, _bits: int) -> Ball:
    """Remembered for as long as balls are as wide: a vault asks for the same few prices again and again."""
    order = ball(_best_order(float_at_least(epsilon), log(delta)))
    for _ in range(3):
        order = _steeper(order, epsilon, delta)
    return _rho_at(order, epsilon, delta)


def _best_order(epsilon: float, log_delta: float) -> Fraction:
    """About the order at which rho is largest, by halves: there its slope is zero, and before it positive."""
    low, high = _LEAST_PLACE, _MOST_PLACE
    for _ in range(60):
        place = (low + high) / 2
        above = exp(place)
        rising = -(log_delta + log1p(above)) * (2 + 1 / above) / above + place - log1p(above)
        low, high = (place, high) if rising > epsilon else (low, place)
    return Fraction(1 + exp(low))


def _rho_at(order: Ball, epsilon: Fraction, delta: Fraction) -> Ball:
    above = order - 1
    return (ball(epsilon) + (ball(delta).log() + order * order.log()) / above - above.log()) / order


def _steeper(order: Ball, epsilon: Fraction, delta: Fraction) -> Ball:
    """A step of Newton's towards the order at which rho is largest, where (2a - 1) rho = epsilon - ln(1 - 1/a)."""
    rho, above = _rho_at(order, epsilon, delta), order - 1
    slope = ball(epsilon) - (above / order).log() - (2 * order - 1) * rho
    bend = -2 * rho - 1 / (order * above)
    return (order - slope / bend).mid()


def concentrated_epsilon(rho: Ball, delta: Fraction) -> Fraction:
    """The smallest epsilon that a positive rho is known to imply at this delta: what `total` says of it alone.

    Claim:      a release that is rho-zCDP is (epsilon, delta)-DP.
    Because:    its Renyi divergence of any order is at most rho times the order; the figure is certified at the order
                that is taken, which is the best to 50 bits.
    Checked by: tests/unit/accounting/test_conversion.py::test_one_rho_is_converted_as_in_any_total

    >>> from tacit.exact import working
    >>> with working():
    ...     float(concentrated_epsilon(ball(Fraction(1, 10)), Fraction(1, 10**6)))
    2.141...
    """
    order = _least_order(max(float(rho), 1e-300), log(delta))
    return max(Fraction(0), upper(epsilon_at(rho * ball(order), order, delta)))


def _least_order(rho: float, log_delta: float) -> Fraction:
    """About the order 1 + a at which epsilon is smallest, by halves: there rho a**2 + ln(1 + a) + ln(delta) is zero."""
    low, high = _LEAST_PLACE, _MOST_PLACE
    for _ in range(60):
        place = (low + high) / 2
        above = exp(place)
        low, high = (
            (place, high) if rho * above * above + log1p(above) + log_delta < 0 else (low, place)
        )
    return 1 + Fraction(exp(high))
