"""Trade-off curves: what an attacker who tells neighbours apart must miss."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp, log

from tacit.accounting.minimise import lowest
from tacit.exact import Ball, ball, lower, working

__all__ = ["least_misses"]

_STEEPEST = 700.0  # epsilons beyond which no float probability survives


def least_misses(
    profile: Callable[[Fraction], tuple[Ball, str]],
    pure: Fraction | None,
    alarms: Fraction,
    tolerance: float,
) -> tuple[Fraction, str]:
    """The least share of misses at this share of false alarms, rounded down, and the bound it rests on.

    Claim:      every attacker misses at least this share.
    Because:    (epsilon, delta)-DP forces misses >= 1 - delta - e**epsilon alarms and misses >= (1 - delta - alarms) /
                e**epsilon (Wasserman and Zhou 2010); the curve is the supremum of these lines over epsilon, and any
                epsilon gives a true one.  Both are concave, in e**epsilon and in its inverse, so a search finds it.
    Checked by: tests/laws/test_accounting.py
    """
    best, by = Fraction(0), "trivial"
    for line in (_steep, _flat):
        places = [_highest(profile, line, alarms, tolerance)] + ([] if pure is None else [pure])
        for epsilon in places:
            delta, bound = profile(epsilon)
            with working():
                certified = lower(line(delta, epsilon, alarms))
            if certified > best:
                best, by = certified, bound
    return min(best, 1 - alarms), by


def _steep(delta: Ball, epsilon: Fraction, alarms: Fraction) -> Ball:
    return 1 - delta - ball(epsilon).exp() * ball(alarms)


def _flat(delta: Ball, epsilon: Fraction, alarms: Fraction) -> Ball:
    return (1 - delta - ball(alarms)) * (-ball(epsilon)).exp()


def _highest(
    profile: Callable[[Fraction], tuple[Ball, str]],
    line: Callable[[Ball, Fraction, Fraction], Ball],
    alarms: Fraction,
    tolerance: float,
) -> Fraction:
    """The epsilon at which a line is highest, nearly."""

    def depth(place: float) -> float:
        epsilon = _softplus(place)
        delta = profile(epsilon)[0]
        with working():
            return -float(line(delta, epsilon, alarms))

    start = -log(min(max(alarms, Fraction(1, 10**9)), Fraction(1, 2))) / 2 - 1
    return _softplus(lowest(depth, start, step=0.5, tolerance=tolerance))


def _softplus(place: float) -> Fraction:
    """A nonnegative epsilon for any place: the logarithm of one plus an exponential, which is smooth."""
    return Fraction(min(place, _STEEPEST) if place > 30 else log(1 + exp(place)))
