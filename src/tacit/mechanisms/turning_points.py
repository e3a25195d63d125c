"""Where the delta of narrow discrete Gaussian noise may have its lows, as a function of sigma."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, exp, floor, sqrt

__all__ = ["turning_sigmas"]

_SAMPLES = 12  # places looked at between two sigmas at which an integer passes the threshold
_MOST = 4096


def turning_sigmas(
    epsilon: Fraction, delta: Fraction, distance: int, most: Fraction
) -> list[Fraction]:
    """Sigmas up to `most`, ascending, at which noise on a number that moves so far may keep delta.

    Those are left out at which delta, computed in floats, is clearly more.  Nothing rests on the
    floats but how little noise is found.  Where epsilon is far below the distance, delta falls
    with sigma and there is nothing to look for.

    >>> some = turning_sigmas(Fraction(8), Fraction(1, 10**6), 1, Fraction(1))
    >>> round(float(some[0]), 3)
    0.559
    """
    if 4 * epsilon < distance:
        return []
    price, d = float(epsilon), distance
    # At these variances an integer lies at variance epsilon / distance - distance / 2.
    first, last = ceil(-d / 2) + 1, floor(float(most) ** 2 * price / d - d / 2) + 1
    if last - first > _MOST:
        return []
    edges = [(k + d / 2) * d / price for k in range(first, last + 2)]
    places = [0.0]
    for low, high in zip([0.0, *edges], edges, strict=False):
        places += [low + (high - low) * i / _SAMPLES for i in range(1, _SAMPLES + 1)]
    goal = float(delta) * (1 + 1e-9)
    heights = [_rough_delta(variance, price, d) if variance else 1.0 for variance in places]
    found = {place for place, height in zip(places, heights, strict=True) if height <= goal}
    for i in range(1, len(heights) - 1):
        if goal < heights[i] <= min(heights[i - 1], heights[i + 1]):
            lowest = _lowest(places[i - 1], places[i + 1], price, d)
            if _rough_delta(lowest, price, d) <= goal:
                found.add(lowest)
    sigmas = sorted(sqrt(variance) for variance in found)
    return [Fraction(sigma) for sigma in sigmas if sigma <= float(most)]


def _lowest(low: float, high: float, epsilon: float, distance: int) -> float:
    """The variance between two at which delta is lowest, by thirds."""
    for _ in range(48):
        third = (high - low) / 3
        left, right = low + third, high - third
        if _rough_delta(left, epsilon, distance) < _rough_delta(right, epsilon, distance):
            high = right
        else:
            low = left
    return (low + high) / 2


def _rough_delta(variance: float, epsilon: float, distance: int) -> float:
    start = floor(epsilon * variance / distance - distance / 2) + 1
    reach = ceil(12 * sqrt(variance)) + 2
    whole = sum(exp(-z * z / (2 * variance)) for z in range(-reach, reach + 1))
    far = max(start, -reach)
    above = sum(
        exp(-z * z / (2 * variance)) - exp(epsilon - (z + distance) ** 2 / (2 * variance))
        for z in range(far, max(start, 0) + reach + 1)
    )
    return above / whole
