"""What a Renyi bound says about delta: the one conversion that everything else goes through."""

from __future__ import annotations

from fractions import Fraction
from math import log1p

from tacit.exact import Ball, ball

__all__ = ["concentrated_delta", "concentrated_order", "renyi_delta"]

_TINY, _HUGE = Fraction(1, 10**100), Fraction(10**100)


def renyi_delta(divergence: Ball, order: Fraction, epsilon: Fraction) -> Ball:
    """A delta that holds at this epsilon for any release whose Renyi divergence of this order is as given.

    Claim:      delta = exp((order - 1)(divergence - epsilon)) (1 - 1/order)**order / (order - 1), and at most one.
    Because:    Canonne, Kamath, Steinke 2020, Proposition 12; it holds at every order, so any may be chosen.
    Checked by: tests/laws/test_losses.py

    >>> from tacit.exact import upper, working
    >>> with working():
    ...     float(upper(renyi_delta(ball(1), Fraction(10), Fraction(3))))
    5.900...e-10
    """
    above = ball(order - 1)
    delta = (
        (above * (divergence - ball(epsilon))).exp() * ball(1 - 1 / order) ** ball(order) / above
    )
    return delta if delta < 1 else ball(1)


def concentrated_order(rho: float, epsilon: float) -> Fraction:
    """The order at which rho-zCDP gives nearly its smallest delta at this epsilon; a good guess is all it need be.

    >>> float(concentrated_order(0.1, 1.0)) > 1
    True
    """
    # at the upper end delta rises with the order
    low, high = 1 + 1e-9, min(epsilon / rho + rho**-0.5 + 2, 1e18)
    for _ in range(60):
        middle = (low + high) / 2
        if (2 * middle - 1) * rho - epsilon + log1p(-1 / middle) < 0:
            low = middle
        else:
            high = middle
    return Fraction(high).limit_denominator(1 << 24)


def concentrated_delta(rho: Fraction, epsilon: Fraction) -> Ball:
    """The smallest delta that rho-zCDP is known to imply at this epsilon.

    >>> from tacit.exact import upper, working
    >>> with working():
    ...     float(upper(concentrated_delta(Fraction(1, 10), Fraction(2))))
    4.325...e-06
    """
    if rho == 0:
        return ball(0)
    rough = concentrated_order(
        float(min(max(rho, _TINY), _HUGE)), float(min(max(epsilon, _TINY), _HUGE))
    )
    order = max(rough, Fraction(1000001, 1000000))
    return renyi_delta(ball(rho * order), order, epsilon)
