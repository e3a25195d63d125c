"""Privacy-loss distributions moved onto a grid: connect the dots, and nothing where the losses are
on it already.
"""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor, inf

import numpy as np
from numpy.typing import NDArray

from tacit.exact import ROUNDING
from tacit.frozen import frozen
from tacit.privacy import Atoms, Curve, LossDistribution

__all__ = ["Dots", "connect_dots", "is_on_grid", "span_above"]

Points = NDArray[np.float64]


@frozen(eq=False)
class Dots:
    """Probabilities of the losses origin, origin + step, origin + 2 step, ...

    `slack` bounds the error of each: what a wrong mass, or mass that lies one step too high, can
    change of the mean of max(0, 1 - e**(e - L)), for each point where it does so.  `beyond` is
    what lies above the grid.  `is_spread` says that losses between two points were shared among
    them.
    """

    origin: float
    masses: Points
    slack: Points
    beyond: float
    place: float
    is_spread: bool


def is_on_grid(law: LossDistribution, step: Fraction | float) -> bool:
    """Whether all losses are a whole number of steps apart.

    >>> from tacit.privacy import PureLoss, loss_distribution
    >>> is_on_grid(loss_distribution(PureLoss(1)), Fraction(1, 3))
    True
    """
    if not isinstance(law, Atoms) or law.step is None:
        return False
    if isinstance(law.step, Fraction) and isinstance(step, Fraction):
        return (law.step / step).denominator == 1
    return law.step == step


def connect_dots(
    law: LossDistribution, step: Fraction | float, mass: float, lowest: float = -inf
) -> Dots:
    """The law on a grid with this step; at most about `mass` lies above the grid, or below it and
    above `lowest`.

    Claim:      the law on the grid, with what lies beyond taken as a loss without bound, dominates
                the law; and it is the law itself, but for what lies below and beyond, where the
                losses are on the grid.
    Because:    a loss between two points is shared among them so that E[1] and E[e**-L] stay what
                they are; so delta becomes its own chord between the points, as a function of
                e**e, in which it is convex (Doroshenko,
                Ghazi, Kamath, Kumar and Manurangsi 2022).  What lies below is raised to the lowest
                point.
    Checked by: tests/laws/test_loss_distributions.py
    """
    if is_on_grid(law, step):
        assert isinstance(law, Atoms)
        return _place(law, step, mass, lowest)
    width = float(step)
    low, high = span_above(law, mass, lowest)
    first = floor(low / width)
    count = max(ceil(high / width) - first, 1)
    points = (first + np.arange(count + 1, dtype=np.float64)) * width
    if isinstance(law, Atoms):
        return _share_atoms(law, points, width)
    return _share_curve(law, points, width)


def span_above(law: LossDistribution, mass: float, lowest: float) -> tuple[float, float]:
    """The span of the law, cut off below; never empty.

    >>> from tacit.privacy import PureLoss, loss_distribution
    >>> span_above(loss_distribution(PureLoss(1)), 0.0, lowest=-0.5)
    (-0.5, 1.0)
    """
    low, high = law.span(mass)
    return min(max(low, lowest), high), high


def _place(law: Atoms, step: Fraction | float, mass: float, lowest: float) -> Dots:
    """Losses that are on the grid, at their points."""
    assert law.step is not None
    low, high = span_above(law, mass, lowest)
    inside = (law.losses >= low) & (law.losses <= high)
    apart = int(Fraction(law.step) / Fraction(step))
    first, last = np.flatnonzero(inside)[[0, -1]]
    masses = np.zeros((last - first) * apart + 1)
    slack = np.zeros_like(masses)
    masses[::apart] = law.masses[first : last + 1]
    slack[::apart] = law.masses[first : last + 1] * law.errors[first : last + 1]
    masses[0] += law.masses[:first].sum()
    slack[0] += 2 * law.masses[:first].sum() + law.lost
    beyond = float(law.masses[last + 1 :].sum()) * (1 + 1e-9) + law.lost
    return Dots(float(law.losses[first]), masses, slack, beyond, law.place, is_spread=False)


def _share_atoms(law: Atoms, points: Points, width: float) -> Dots:
    """Single losses, each shared between the points next to it."""
    count = len(points) - 1
    beyond = law.losses > points[-1]
    below = law.losses < points[0]
    kept = ~(beyond | below)
    losses, masses = law.losses[kept], law.masses[kept]
    left = np.clip(np.floor((losses - points[0]) / width).astype(np.int64), 0, count - 1)
    share = np.clip(np.expm1(points[left] - losses) / np.expm1(-width), 0.0, 1.0)
    dots = _gather(left, masses * (1 - share), count) + _gather(left + 1, masses * share, count)
    wrong = masses * (law.errors[kept] + 64 * ROUNDING)
    slack = _gather(left, wrong, count) + _gather(left + 1, wrong, count)
    dots[0] += law.masses[below].sum()
    slack[0] += 2 * law.masses[below].sum() + law.lost
    lost = float(law.masses[beyond].sum()) * (1 + 1e-9) + law.lost
    place = law.place + 4 * ROUNDING * float(np.abs(points[[0, -1]]).max())
    return Dots(float(points[0]), dots, slack, lost, place, is_spread=True)


def _gather(index: NDArray[np.int64], weights: Points, count: int) -> Points:
    """The sum of the weights at each of the points 0 to count."""
    return np.bincount(index, weights, count + 1).astype(np.float64)


def _share_curve(law: Curve, points: Points, width: float) -> Dots:
    """What lies between two points has the masses p and q: a + b = p and a e**-x + b e**-(x +
    step) = q.
    """
    p, q, errors = law.tails(points)
    inside, other = p[:-1] - p[1:], q[:-1] - q[1:]
    upper = np.clip(
        (inside - np.exp(points[:-1]) * other) / -np.expm1(-width), 0.0, np.maximum(inside, 0.0)
    )
    dots = np.zeros(len(points))
    dots[:-1] += np.maximum(inside, 0.0) - upper
    dots[1:] += upper
    # e**x Q(L > x) is at most P(L > x): so much can the difference above be wrong by, on both
    # sides.
    wrong = 4 * (errors[:-1] + 8 * ROUNDING) * p[:-1]
    slack = np.append(wrong, 0.0) + np.append(0.0, wrong)
    below = max(0.0, 1 - p[0]) + errors[0] + 4 * ROUNDING
    dots[0] += below
    slack[0] += 2 * below
    beyond = float(p[-1] * (1 + errors[-1]))
    place = law.place + 4 * ROUNDING * float(np.abs(points[[0, -1]]).max())
    return Dots(float(points[0]), dots, slack, beyond, place, is_spread=True)
