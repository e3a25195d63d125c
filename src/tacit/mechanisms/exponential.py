"""The exponential mechanism: one of many candidates, with probability proportional to exp(score / scale)."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Ball, Number, ball, exponential_choice
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.selection import Selection, set_parameters
from tacit.privacy import BoundedRangeLoss, Loss, Sensitivity

__all__ = ["Exponential"]


@frozen(init=False)
class Exponential(Selection):
    """One of many candidates, with probability proportional to exp(score / scale).

    Claim:      if two scores move apart by at most d steps between neighbours, the privacy loss of any one pair spans
                at most epsilon = d / scale: the choice is epsilon-DP, and epsilon**2 / 8-zCDP.
    Because:    the loss of candidate i is its score's move over scale, plus what all candidates share.
    Checked by: tests/laws/test_selection.py

    >>> Exponential.calibrate(epsilon=1, sensitivity=1)
    Exponential(scale=Fraction(2, 1), grid=None, monotone=False)
    >>> Exponential.calibrate(epsilon=1, sensitivity=1, monotone=True).release([0, 10**6, 3])
    1
    """

    scale: Fraction
    grid: Fraction | None
    monotone: bool

    def __init__(
        self, scale: Number, grid: Number | None = None, *, monotone: bool = False
    ) -> None:
        set_parameters(self, scale, grid, monotone)

    def choose(self, steps: NDArray[Any], times: int) -> NDArray[np.int64]:
        """By slots, one word a choice."""
        return exponential_choice(steps, self.steps_scale(), times)

    def chances(self, counts: Mapping[int, int]) -> dict[int, Ball]:
        """exp(-distance / scale), over the sum of all."""
        weights = {distance: (-ball(distance / self.steps_scale())).exp() for distance in counts}
        total = sum((weights[distance] * count for distance, count in counts.items()), ball(0))
        return {distance: weight / total for distance, weight in weights.items()}

    def misses(self, candidates: int, distance: int) -> Ball:
        """(n - 1) x / (1 + (n - 1) x) with x = exp(-distance / scale).

        Claim:      no scores of n candidates have a larger chance of a choice at least `distance` below the best.
        Because:    the best one weighs 1, those at least that far below at most x each; all n - 1 at x is the worst.
        Checked by: tests/laws/test_selection.py
        """
        others = (candidates - 1) * (-ball(distance / self.steps_scale())).exp()
        return others / (1 + others)

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one choice costs, if each score moves by at most this much between neighbours."""
        return BoundedRangeLoss(
            self.relative_sensitivity(sensitivity), sensitivity_of(sensitivity).neighbours
        )
