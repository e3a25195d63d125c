"""Where to look at a sum of losses: the tilt that moves its mean to an epsilon, or to where it has
a delta.

Checked by: tests/laws/test_loss_distributions.py::test_the_certified_ends_of_delta_enclose_the_exact_value
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, inf, log, pi, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.accounting.connect_the_dots import connect_dots
from tacit.frozen import frozen
from tacit.privacy import Atoms, LossDistribution

__all__ = ["Counted", "Saddle", "saddle_at", "saddle_for"]

Points = NDArray[np.float64]

Counted = Sequence[tuple[LossDistribution, int]]
"""Laws, each with how often it occurs."""

_COARSE = 1024  # points of a curve while the tilt is sought
_FORGOTTEN = 1e-7  # the part of delta that all rare losses together may have


@frozen
class Saddle:
    """Where the sum of losses is looked at: the tilt that makes `epsilon` its mean, its deviation
    there, ln delta.
    """

    tilt: float
    epsilon: float
    deviation: float
    log_delta: float
    mass: float  # of a single loss, above which it is not looked at


def saddle_for(
    laws: Counted, *, delta: float | None = None, epsilon: float | None = None
) -> Saddle:
    """The tilt at which the sum of these losses has about this delta, or this mean: only a place
    to look from.

    Nothing that is certified rests on it: every tilt gives true bounds, and a good one narrow ones.
    A loss that is rarer than a small part of delta is taken as one without bound: at a large tilt
    a tail that hardly anybody ever sees would outweigh all the rest.
    """
    times = sum(count for _, count in laws)
    if delta is not None:
        return _search(laws, _FORGOTTEN * delta / times, log_delta=log(delta))
    mass = 1e-12 / times
    for _ in range(5):
        found = _search(laws, mass, epsilon=epsilon)
        rarer = exp(max(min(found.log_delta, 0.0), -600.0)) * _FORGOTTEN / times
        if abs(log(rarer / mass)) < 1:
            break
        mass = rarer
    return found


def _search(
    laws: Counted, mass: float, *, epsilon: float | None = None, log_delta: float = 0.0
) -> Saddle:
    rough = [(*_rough(law, mass), count) for law, count in laws]
    whole = _at(rough, 0.0, mass)
    low = log(0.02 / whole.deviation)

    def is_short(found: Saddle) -> bool:
        return found.epsilon < epsilon if epsilon is not None else found.log_delta > log_delta

    high = low + 1
    # Near the largest loss there is, a tilt leaves hardly anything but it: none is sought beyond.
    while high < low + 40:
        found = _at(rough, exp(high), mass)
        if not is_short(found) or found.deviation <= whole.deviation / 16:
            break
        low, high = high, high + 1
    for _ in range(11):
        middle = (low + high) / 2
        low, high = (middle, high) if is_short(_at(rough, exp(middle), mass)) else (low, middle)
    return _at(rough, exp(low), mass)


def saddle_at(laws: Counted, tilt: float, mass: float) -> Saddle:
    """What the sum of these losses looks like at a given tilt."""
    return _at([(*_rough(law, mass), count) for law, count in laws], tilt, mass)


def _rough(law: LossDistribution, mass: float) -> tuple[Points, Points]:
    if isinstance(law, Atoms):
        kept = law.losses <= law.span(mass)[1]
        return law.losses[kept], law.masses[kept]
    low, high = law.span(mass)
    step = (high - low) / _COARSE
    dots = connect_dots(law, step, mass)
    return dots.origin + step * np.arange(len(dots.masses), dtype=np.float64), dots.masses


def _at(rough: list[tuple[Points, Points, int]], tilt: float, mass: float) -> Saddle:
    total = mean = variance = 0.0
    for losses, masses, count in rough:
        powers = tilt * losses
        largest = float(powers.max())
        weights = masses * np.exp(powers - largest)
        whole = float(weights.sum())
        if not whole:
            return Saddle(tilt, inf, 0.0, -inf, mass)
        first = float((weights * losses).sum()) / whole
        second = float((weights * (losses - first) ** 2).sum()) / whole
        total += count * (log(whole) + largest)
        mean += count * first
        variance += count * second
    deviation = sqrt(variance)
    steep = max(tilt * deviation, 1e-300)
    log_delta = total - tilt * mean - log(1 + steep * sqrt(2 * pi)) - log(1 + tilt)
    return Saddle(tilt, mean, deviation, log_delta, mass)
