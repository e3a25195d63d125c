"""Where to look at a sum of losses: the tilt that moves its mean to an epsilon, or to where it has
a delta.
"""

from collections.abc import Sequence
from math import exp, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.accounting.dots import connect_dots
from tacit.frozen import frozen
from tacit.privacy import Atoms, LossDistribution

__all__ = ["Counted", "Saddle", "saddle_at", "saddle_for"]

Points = NDArray[np.float64]

Counted = Sequence[tuple[LossDistribution, int]]
"""Laws, each with how often it occurs."""

_COARSE = 1024  # points of a curve while the tilt is sought


@frozen
class Saddle:
    """Where the sum of losses is looked at: the tilt that makes `epsilon` its mean, its deviation
    there, ln delta.
    """

    tilt: float
    epsilon: float
    deviation: float
    log_delta: float


def saddle_for(
    laws: Counted, *, delta: float | None = None, epsilon: float | None = None
) -> Saddle:
    """The tilt at which the sum of these losses has about this delta, or this mean: only a place
    to look from.

    Nothing that is certified rests on it: every tilt gives true bounds, and a good one narrow ones.
    """
    times = sum(count for _, count in laws)
    mass = 1e-40 if delta is None else delta * 1e-9 / times
    rough = [(*_rough(law, mass), count) for law, count in laws]
    whole = _at(rough, 0.0)
    low = log(0.3 / whole.deviation)

    def is_short(place: float) -> bool:
        found = _at(rough, exp(place))
        return (
            found.epsilon < epsilon if epsilon is not None else found.log_delta > log(delta or 1.0)
        )

    high = low + 1
    # Near the largest loss there is, a tilt leaves hardly anything but it: none is sought beyond.
    while (
        is_short(high)
        and _at(rough, exp(high)).deviation > whole.deviation / 16
        and high < low + 40
    ):
        low, high = high, high + 1
    for _ in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if is_short(middle) else (low, middle)
    return _at(rough, exp(low))


def saddle_at(laws: Counted, tilt: float) -> Saddle:
    """What the sum of these losses looks like at a given tilt."""
    return _at([(*_rough(law, 1e-40), count) for law, count in laws], tilt)


def _rough(law: LossDistribution, mass: float) -> tuple[Points, Points]:
    if isinstance(law, Atoms):
        return law.losses, law.masses
    low, high = law.span(mass)
    step = (high - low) / _COARSE
    dots = connect_dots(law, step, mass)
    return dots.origin + step * np.arange(len(dots.masses), dtype=np.float64), dots.masses


def _at(rough: list[tuple[Points, Points, int]], tilt: float) -> Saddle:
    total = mean = variance = 0.0
    for losses, masses, count in rough:
        powers = tilt * losses
        largest = float(powers.max())
        weights = masses * np.exp(powers - largest)
        whole = float(weights.sum())
        if not whole:
            return Saddle(tilt, inf, 0.0, -inf)
        first = float((weights * losses).sum()) / whole
        second = float((weights * (losses - first) ** 2).sum()) / whole
        total += count * (log(whole) + largest)
        mean += count * first
        variance += count * second
    deviation = sqrt(variance)
    steep = max(tilt * deviation, 1e-300)
    log_delta = total - tilt * mean - log(1 + steep * sqrt(2 * pi)) - log(1 + tilt)
    return Saddle(tilt, mean, deviation, log_delta)
