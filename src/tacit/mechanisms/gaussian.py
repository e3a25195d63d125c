"""Gaussian noise: for answers of many numbers, at the price of a small delta."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from tacit.errors import InvalidInput
from tacit.exact import Number, at_most, discrete_gaussian, log, upper, working
from tacit.frozen import frozen
from tacit.mechanisms.bisection import narrowest, narrowest_among, widest
from tacit.mechanisms.grid_steps import (
    centre_of,
    checked_grid,
    checked_scale,
    error_on_grid,
    noisy,
    sensitivity_of,
    steps_moved_squared,
    steps_within,
)
from tacit.mechanisms.noise_law import GaussianLaw, Released, quantile
from tacit.mechanisms.parameters import failure_of, price_of
from tacit.mechanisms.turning_points import turning_sigmas
from tacit.privacy import (
    DiscreteGaussianLoss,
    GaussianLoss,
    Loss,
    Norm,
    Sensitivity,
    ZeroConcentratedLoss,
    fill,
    root_at_least,
)

__all__ = ["Gaussian", "analytic_gaussian_sigma", "classical_gaussian_sigma"]


@frozen(init=False)
class Gaussian:
    """Integers, or real numbers rounded to a grid, plus noise with P(z) proportional to exp(-z**2 / (2 sigma**2)).

    Claim:      one number that moves by at most d steps costs exactly the loss of discrete Gaussian noise moved by d;
                several that move by at most d steps in L2 are d**2 / (2 sigma**2)-zCDP.
    Because:    the noise of each coordinate is independent and exact; the discrete Gaussian moved by an integer
                vector has Renyi divergences at most those of the continuous one (Canonne, Kamath, Steinke 2020).
    Checked by: tests/laws/test_mechanisms.py

    >>> Gaussian(sigma=Fraction(7, 2)).loss(1)
    DiscreteGaussianLoss(variance=Fraction(49, 4), distance=1, neighbours=<Neighbours.ADD_OR_REMOVE: 'add-or-remove'>)
    """

    sigma: Fraction
    grid: Fraction | None

    def __init__(self, sigma: Number, grid: Number | None = None) -> None:
        step = checked_grid(grid)
        fill(self, sigma=checked_scale(sigma, "sigma", step), grid=step)

    @classmethod
    def calibrate(
        cls,
        epsilon: Number,
        delta: Number,
        sensitivity: Sensitivity | Number,
        grid: Number | None = None,
    ) -> Gaussian:
        """The mechanism with the least noise that is (epsilon, delta)-DP by its own, discrete law.

        Claim:      the loss of the result has delta at most `delta` at `epsilon`, and that of no
                    smaller sigma has.
        Because:    a sigma is accepted only if the upper end of its certified delta is at most the
                    wanted one.  Of narrow noise delta rises and falls with sigma, as integers pass
                    the place where the likelihood ratio is e**epsilon: between two such sigmas it
                    is smooth, and each is looked into.
        Checked by: tests/laws/test_mechanisms.py

        >>> round(float(Gaussian.calibrate(epsilon=1, delta=1e-6, sensitivity=1).sigma), 3)
        4.231
        """
        price, failure, step = price_of(epsilon), failure_of(delta), checked_grid(grid)
        moved = sensitivity_of(sensitivity)
        start = root_at_least(Fraction(steps_moved_squared(moved, step))) / price

        def keeps(sigma: Fraction) -> bool:
            with working():
                reached = cls(sigma * (step or 1), step).loss(moved).delta(price)
                return reached is not None and upper(reached) <= failure

        found = narrowest(keeps, start)
        if moved.dimension == 1:
            distance = int(root_at_least(Fraction(steps_moved_squared(moved, step))))
            found = narrowest_among(keeps, turning_sigmas(price, failure, distance, found), found)
        return cls(found * (step or 1), step)

    @classmethod
    def within(
        cls, error: Number, confidence: Number, answers: int = 1, grid: Number | None = None
    ) -> Gaussian:
        """The mechanism with the most noise whose answers all stay within `error`: accuracy first.

        >>> Gaussian.within(error=50, confidence=0.95).error(confidence=0.95)
        50
        """
        step = checked_grid(grid)
        distance = steps_within(at_most(error, "error"), step)
        return cls(
            widest(lambda sigma: GaussianLaw(sigma**2), distance, confidence, answers)
            * (step or 1),
            step,
        )

    @property
    def law(self) -> GaussianLaw:
        """The law of the noise, in steps of the grid."""
        return GaussianLaw((self.sigma / (self.grid or 1)) ** 2)

    def release(self, value: Any, times: int | None = None) -> Any:
        """The value with noise; with `times`, an array of that many independent releases, each to be paid for."""
        return noisy(
            value, self.grid, lambda size: discrete_gaussian(self.law.parameter, size), times
        )

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs, if the value moves by at most this much between neighbours."""
        moved = sensitivity_of(sensitivity)
        squared = steps_moved_squared(moved, self.grid)
        if moved.dimension == 1:
            return DiscreteGaussianLoss(
                self.law.parameter, int(root_at_least(Fraction(squared))), moved.neighbours
            )
        return ZeroConcentratedLoss(squared / (2 * self.law.parameter), 0, moved.neighbours)

    def error(self, confidence: Number, answers: int = 1) -> int | float:
        """How far all of so many released numbers stay from the exact ones at most, with at least this probability."""
        return error_on_grid(quantile(self.law, confidence, answers), self.grid)

    def distribution(self, exact: Number) -> Released:
        """The exact law of what is released, in steps of the grid, when the exact answer is as given."""
        return Released(centre_of(exact, self.grid), self.law)


def analytic_gaussian_sigma(
    epsilon: Number, delta: Number, sensitivity: Sensitivity | Number
) -> Fraction:
    """The smallest sigma of *continuous* Gaussian noise that is (epsilon, delta)-DP (Balle and Wang 2018).

    For comparison only: Tacit's noise is discrete, and this sigma is too small for it; use `Gaussian.calibrate`.

    >>> round(float(analytic_gaussian_sigma(1, 1e-5, 1)), 4)
    3.7306
    """
    price, failure = price_of(epsilon), failure_of(delta)
    bound = sensitivity_of(sensitivity).in_norm(Norm.L2).bound

    def keeps(ratio: Fraction) -> bool:  # of sigma to the sensitivity
        with working():
            return upper(GaussianLoss(1 / ratio**2).delta(price)) <= failure

    return narrowest(keeps, 1 / price, least=Fraction(1, 1 << 64)) * bound


def classical_gaussian_sigma(
    epsilon: Number, delta: Number, sensitivity: Sensitivity | Number
) -> Fraction:
    """sqrt(2 ln(1.25 / delta)) sensitivity / epsilon, proved for continuous noise and epsilon below one only.

    >>> round(float(classical_gaussian_sigma(0.5, 1e-5, 1)), 4)
    9.6896
    """
    price, failure = price_of(epsilon), failure_of(delta)
    if price >= 1:
        raise InvalidInput(
            "epsilon",
            epsilon,
            "the classical formula is proved only below 1; use Gaussian.calibrate",
        )
    bound = sensitivity_of(sensitivity).in_norm(Norm.L2).bound
    with working():
        return root_at_least(upper(2 * log(Fraction(5, 4) / failure))) * bound / price
