"""Laplace noise: pure epsilon for answers that move little in sum."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tacit.exact import Number, at_most, discrete_laplace
from tacit.frozen import frozen
from tacit.mechanisms.bisection import widest
from tacit.mechanisms.grid_steps import (
    centre_of,
    checked_grid,
    checked_scale,
    error_on_grid,
    noisy,
    sensitivity_of,
    steps_moved,
    steps_within,
)
from tacit.mechanisms.noise_law import LaplaceLaw, Released, quantile
from tacit.mechanisms.parameters import price_of
from tacit.privacy import DiscreteLaplaceLoss, Loss, PureLoss, Sensitivity, fill

__all__ = ["Laplace"]


@frozen(init=False)
class Laplace:
    """Integers, or real numbers rounded to a grid, plus noise with P(z) proportional to exp(-|z| / scale).

    Claim:      one number that moves by at most d steps costs exactly the loss of discrete Laplace noise moved by d;
                several that move by at most d steps in sum cost the pure epsilon d / scale.
    Because:    the noise of each coordinate is independent and exact, so the density ratio is at most exp(sum of
                moves / scale); what leaves is a function of rounded integers and noise only.
    Checked by: tests/laws/test_mechanisms.py

    >>> Laplace.calibrate(epsilon=1, sensitivity=1)
    Laplace(scale=Fraction(1, 1), grid=None)
    >>> isinstance(Laplace(10).release(42), int)
    True
    """

    scale: Fraction
    grid: Fraction | None

    def __init__(self, scale: Number, grid: Number | None = None) -> None:
        step = checked_grid(grid)
        fill(self, scale=checked_scale(scale, "scale", step), grid=step)

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, grid: Number | None = None
    ) -> Laplace:
        """The mechanism with the least noise whose loss is at most epsilon.

        >>> Laplace.calibrate(epsilon=0.5, sensitivity=3).scale
        Fraction(6, 1)
        """
        step = checked_grid(grid)
        return cls(
            steps_moved(sensitivity_of(sensitivity), step) * (step or 1) / price_of(epsilon), step
        )

    @classmethod
    def within(
        cls, error: Number, confidence: Number, answers: int = 1, grid: Number | None = None
    ) -> Laplace:
        """The mechanism with the most noise whose answers all stay within `error`: accuracy first.

        >>> Laplace.within(error=50, confidence=0.95).error(confidence=0.95)
        50
        """
        step = checked_grid(grid)
        distance = steps_within(at_most(error, "error"), step)
        return cls(widest(LaplaceLaw, distance, confidence, answers) * (step or 1), step)

    @property
    def law(self) -> LaplaceLaw:
        """The law of the noise, in steps of the grid."""
        return LaplaceLaw(self.scale / (self.grid or 1))

    def release(self, value: Any, times: int | None = None) -> Any:
        """The value with noise; with `times`, an array of that many independent releases, each to be paid for."""
        return noisy(value, self.grid, lambda size: discrete_laplace(self.law.scale, size), times)

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs, if the value moves by at most this much between neighbours."""
        moved = sensitivity_of(sensitivity)
        steps = steps_moved(moved, self.grid)
        if moved.dimension == 1:
            return DiscreteLaplaceLoss(self.law.scale, steps, moved.neighbours)
        return PureLoss(steps / self.law.scale, moved.neighbours)

    def error(self, confidence: Number, answers: int = 1) -> int | float:
        """How far all of so many released numbers stay from the exact ones at most, with at least this probability."""
        return error_on_grid(quantile(self.law, confidence, answers), self.grid)

    def distribution(self, exact: Number) -> Released:
        """The exact law of what is released, in steps of the grid, when the exact answer is as given."""
        return Released(centre_of(exact, self.grid), self.law)
