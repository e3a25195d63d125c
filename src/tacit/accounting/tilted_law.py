"""A law on the grid weighted by e**(tilt loss), and what weighting itself adds to its errors.

Checked by: tests/unit/accounting/test_tilted_convolution.py
"""

from __future__ import annotations

from collections.abc import Sequence
from math import log

import numpy as np
from numpy.typing import NDArray

from tacit.accounting.connect_the_dots import Dots
from tacit.exact import ROUNDING
from tacit.frozen import frozen

__all__ = ["Part", "Points", "SUMMED", "reach_of", "spread_of", "tilt_law"]

Points = NDArray[np.float64]
SUMMED = 2.0**-40  # of the last sums and exponentials, relative to their result


@frozen(eq=False)
class Part:
    """A law on the grid, how often it occurs, and the same law tilted: weighted by e**(tilt loss),
    with the sum one.

    The tilt is one at the point `centre`; `slack` is tilted alike, and `rounding` is what tilting
    itself adds to it.
    """

    dots: Dots
    times: int
    tilted: Points
    slack: Points
    centre: int
    log_weight: float
    rounding: float

    @property
    def wrong(self) -> float:
        """The error of the whole tilted law."""
        return (float(self.slack.sum()) + self.rounding) * (1 + SUMMED)


def reach_of(parts: Sequence[Part]) -> tuple[int, int]:
    """The smallest and the largest index that the sum can have."""
    lowest = sum(-part.centre * part.times for part in parts)
    return lowest, lowest + sum((len(part.tilted) - 1) * part.times for part in parts)


def tilt_law(dots: Dots, times: int, per_step: float) -> Part:
    """The law weighted by e**(tilt loss), counted from its likeliest point so that no power is
    large.
    """
    index = np.arange(len(dots.masses), dtype=np.float64)
    with np.errstate(divide="ignore"):
        logs = np.log(dots.masses)
        slack = np.log(dots.slack)
    powers = per_step * index
    centre = int(np.argmax(logs + powers))
    shift = per_step * centre
    tilted = np.exp(logs + powers - shift)
    whole = float(tilted.sum())
    tilted /= whole
    powered = np.where(dots.masses > 0, np.abs(logs), 0.0) + np.abs(powers - shift)
    rounding = float((tilted * powered).sum()) * 4 * ROUNDING + 32 * ROUNDING
    return Part(
        dots, times, tilted, np.exp(slack + powers - shift) / whole, centre, log(whole), rounding
    )


def spread_of(part: Part) -> tuple[float, float]:
    """Mean and variance of the index under the tilted law."""
    index = np.arange(len(part.tilted)) - part.centre
    mean = float(np.dot(part.tilted, index))
    return mean, float(np.dot(part.tilted, (index - mean) ** 2))
