"""The protocol that every bound on a composition keeps.

Checked by: tests/laws/test_accounting.py
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from fractions import Fraction
from math import erfc, exp, log, sqrt
from typing import Protocol

from tacit.accounting.minimise import crossing
from tacit.accounting.precision import refine
from tacit.exact import Ball, ball
from tacit.privacy import Composed

__all__ = ["Bound", "Profile", "rough_epsilon", "rough_rho"]

Profile = Callable[[Fraction], Ball]
"""A delta for every epsilon of at least zero."""


class Bound(Protocol):
    """A way to say what several releases that cannot fail cost together; a failure is split off before.

    Each figure holds for releases whose losses are fixed in advance, even if the questions are not.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What `by` says."""

    @abstractmethod
    def profile(self, losses: Composed) -> Profile | None:
        """A delta that holds at each epsilon, or None where the bound says nothing about such losses."""

    def is_exact(self, losses: Composed) -> bool:
        """Whether no bound on these losses can be smaller, as some release meets it."""
        return False

    def epsilon(
        self, losses: Composed, delta: Fraction, below: Fraction | None = None
    ) -> Fraction | None:
        """An epsilon that holds at this delta; None where there is none, or none less than `below`."""
        profile = self.profile(losses)
        if profile is None or (below is not None and not profile(below) <= ball(delta)):
            return None
        guess = rough_epsilon(rough_rho(losses), float(delta))
        return crossing(lambda at: refine(profile, at, bits=64), delta, guess)


def rough_epsilon(rho: float, delta: float) -> float:
    """The epsilon of Gaussian noise of this rho, by Newton's method in floats: only a place to start a search from.

    >>> round(rough_epsilon(0.5, 1e-6), 3)
    4.887
    """
    mu, epsilon = sqrt(2 * rho), max(rho + 2 * sqrt(-rho * log(delta)), 1e-300)
    for _ in range(8):
        if epsilon > 600:
            break
        far = exp(epsilon) * erfc((epsilon / mu + mu / 2) / sqrt(2)) / 2
        reached = erfc((epsilon / mu - mu / 2) / sqrt(2)) / 2 - far
        if reached <= 0 or far <= 0:
            break
        # where the logarithm, taken as straight, meets that of delta
        step = log(reached / delta) * reached / far
        epsilon = max(epsilon + step, epsilon / 2)
        if abs(step) < 1e-15 * epsilon:
            break
    return epsilon


def rough_rho(losses: Composed) -> float:
    """About how concentrated the losses are: only a place to start a search from.

    >>> from tacit.privacy import GaussianLoss
    >>> rough_rho(GaussianLoss(squared=1) * 4)
    2.0
    """
    rho = losses.rho()
    return 1.0 if rho is None else min(max(float(rho), 1e-12), 1e12)
