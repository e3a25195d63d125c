"""Bisection for the widest noise that still keeps a promise."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.mechanisms.noise_law import Law, stays

__all__ = ["narrowest", "narrowest_among", "widest", "widest_that"]

SMALLEST, WIDEST = Fraction(1, 1000), 1 << 1024
_BITS = 40  # the answer is within one part in 2**40 of the best


def widest(
    law: Callable[[Fraction], Law], distance: int, confidence: Number, answers: int
) -> Fraction:
    """The largest scale, up to one part in 2**40, at which so many draws all stay within the distance."""

    return widest_that(lambda scale: stays(law(scale), distance, confidence, answers), distance)


def widest_that(keeps: Callable[[Fraction], bool], distance: int) -> Fraction:
    """The largest scale, up to one part in 2**40, that keeps an error of so many steps; larger scales err more."""
    low = SMALLEST
    if distance < 0 or not keeps(low):
        raise InvalidInput(
            "error", distance, "no noise is that small; allow a larger error, or use a finer grid"
        )
    high = low * 2
    while keeps(high):
        if high > WIDEST:
            raise InvalidInput(
                "error", distance, "no noise is that wide; ask for an error below 2**1024 steps"
            )
        low, high = high, high * 2
    return _bisect(low, high, keeps)


def narrowest(
    keeps: Callable[[Fraction], bool], start: Fraction, least: Fraction = SMALLEST
) -> Fraction:
    """The smallest scale from `least` on, up to one part in 2**40, at which a promise is kept.

    Where larger scales do not always keep it too, the scale keeps it and a slightly smaller one does not, but a yet
    smaller one may: the delta of narrow discrete noise rises and falls with its scale.
    """
    high = max(start, least)
    while not keeps(high):
        high *= 2
    while high > least:
        low = max(high / 2, least)
        if not keeps(low):
            return _bisect(high, low, keeps)
        high = low
    return high


def narrowest_among(
    keeps: Callable[[Fraction], bool], places: Sequence[Fraction], found: Fraction
) -> Fraction:
    """The smallest scale at which a promise is kept, up to one part in 2**40, if `found` keeps it.

    The ascending places are so dense that between two of them a promise is not kept and broken
    again; then what is found is the smallest scale of all.

    >>> narrowest_among(lambda scale: scale > 3 or 1 < scale < 2, [Fraction(3, 2)], Fraction(4)) > 1
    True
    """
    below = SMALLEST
    for place in places:
        if place >= found:
            break
        if place <= SMALLEST:
            continue
        if keeps(place):
            return _bisect(place, below, keeps, bits=_BITS + 16)  # delta may be steep there
        below = place
    return found


def _bisect(
    good: Fraction, bad: Fraction, keeps: Callable[[Fraction], bool], bits: int = _BITS
) -> Fraction:
    for _ in range(bits):
        middle = (good + bad) / 2
        good, bad = (middle, bad) if keeps(middle) else (good, middle)
    return good
