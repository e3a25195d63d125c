"""A privacy-loss distribution as a value: a list of losses with their probabilities, or a pair of tails.

Checked by: tests/unit/privacy/test_loss_distributions.py
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.exact import ROUNDING
from tacit.frozen import frozen

__all__ = [
    "FARTHEST",
    "LIBRARY",
    "LOST",
    "Atoms",
    "Curve",
    "Direction",
    "LossDistribution",
    "Points",
]

Points = NDArray[np.float64]

# Of exp, expm1, log1p, erfc, relative to their result: four times what was ever measured.
LIBRARY = 16 * ROUNDING
FARTHEST = 37.5  # standard deviations beyond which a float cannot hold a probability
LOST = 1e-300  # no less than the probability beyond


class Direction(Enum):
    """Which of two neighbours the outcome is drawn from.

    >>> Direction.REMOVE.value
    'remove'
    """

    REMOVE = "remove"
    """From the one that holds the unit; the other does not."""

    ADD = "add"
    """From the one that does not; under replace both directions are alike."""


@frozen(eq=False)
class Atoms:
    """A privacy loss that takes the values `losses`, in ascending order, with probabilities
    `masses`.

    `errors` are relative to the masses, `place` bounds the error of a loss.  Equally spaced losses
    have a `step`, which is a Fraction where it is rational.  Below the first and above the last
    loss lies a probability of at most `lost`.
    """

    losses: Points
    masses: Points
    errors: Points
    step: Fraction | float | None = None
    place: float = 0.0
    lost: float = 0.0

    def span(self, mass: float) -> tuple[float, float]:
        """An interval of losses; at most this probability lies above it, and below it."""
        high = len(self.losses) - int(np.searchsorted(np.cumsum(self.masses[::-1]), mass / 2))
        low = int(np.searchsorted(np.cumsum(self.masses), mass / 2))
        return float(self.losses[low]), float(self.losses[max(high - 1, low)])


@frozen(eq=False)
class Curve:
    """A privacy loss between `low` and `high`, given by its tails.

    `tails(l)` are P(L > l), Q(L > l) and the relative error of both; `reach(mass)` is a loss that
    is exceeded with at most this probability.  A loss at which they are evaluated is wrong by at
    most `place`, the same for both.
    """

    tails: Callable[[Points], tuple[Points, Points, Points]]
    reach: Callable[[float], float]
    depth: Callable[[float], float]
    place: float

    def span(self, mass: float) -> tuple[float, float]:
        """An interval of losses; at most this probability lies above it, and below it."""
        return self.depth(mass), self.reach(mass)


LossDistribution = Atoms | Curve
"""What is known of a privacy loss: single values, or a curve of tails."""
