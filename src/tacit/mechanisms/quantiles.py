"""What quantiles are for: the mechanism that suits the ranks asked for, the interquartile range, private bounds."""

from __future__ import annotations

from fractions import Fraction
from math import sqrt
from typing import Any, Protocol

from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.mechanisms.histogram_quantiles import CELLS_AT_MOST as HISTOGRAM_CELLS
from tacit.mechanisms.histogram_quantiles import HistogramQuantiles
from tacit.mechanisms.joint_quantiles import CELLS_AT_MOST as JOINT_CELLS
from tacit.mechanisms.joint_quantiles import JointQuantiles
from tacit.mechanisms.parameters import confidence_of, price_of
from tacit.mechanisms.quantile import Quantile, rank_of
from tacit.mechanisms.recursive_quantiles import RecursiveQuantiles
from tacit.mechanisms.value_grid import Cells, PowersOfTwo
from tacit.privacy import Loss, Sensitivity

__all__ = [
    "ClippingBounds",
    "Contributions",
    "InterquartileRange",
    "SeveralQuantiles",
    "quantiles_for",
]


class SeveralQuantiles(Protocol):
    """A mechanism that releases a cell for each of several ranks."""

    @property
    def ranks(self) -> tuple[Fraction, ...]:
        """Which quantiles are asked for."""

    def release(self, counts: Any) -> list[int]:
        """Cells near the quantiles, in order."""

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""

    def error(self, confidence: Number, cells: int) -> float:
        """By how many rows every quantile is misranked at most."""


def quantiles_for(
    epsilon: Number, sensitivity: Sensitivity | Number, cells: int, ranks: Any
) -> HistogramQuantiles | JointQuantiles | RecursiveQuantiles:
    """The mechanism that misranks these quantiles least on average, judged by what is public.

    A few hundred cells are best answered by a noisy histogram, a few ranks on finer grids by a joint draw, many ranks
    on fine grids recursively; under replace the joint draw does better than the recursive one.

    >>> many = [Fraction(k, 30) for k in range(1, 30)]
    >>> type(quantiles_for(epsilon=1, sensitivity=1, cells=101, ranks=many)).__name__
    'HistogramQuantiles'
    >>> type(quantiles_for(epsilon=1, sensitivity=1, cells=101, ranks=[0.25, 0.75])).__name__
    'JointQuantiles'
    >>> type(quantiles_for(epsilon=1, sensitivity=1, cells=10**6, ranks=many)).__name__
    'RecursiveQuantiles'
    """
    many = count_of(cells, "cells", least=2)
    recursive = RecursiveQuantiles.calibrate(epsilon, sensitivity, ranks)
    # Half a row for each row of a single draw's scale, and about half as much again from the levels above.
    choices: list[tuple[float, HistogramQuantiles | JointQuantiles | RecursiveQuantiles]] = [
        (float(recursive.scale) * (0.5 if recursive.levels == 1 else 0.8), recursive)
    ]
    if many <= JOINT_CELLS:
        joint = JointQuantiles.calibrate(epsilon, sensitivity, ranks, _parts(many))
        # The parts' excesses are like Laplace noise that sums to nothing: a bridge of m + 1 steps.
        choices.append((float(joint.scale) * 0.8 * sqrt((len(joint.ranks) + 1) / 3), joint))
    if many <= HISTOGRAM_CELLS:
        histogram = HistogramQuantiles.calibrate(epsilon, sensitivity, many, ranks)
        choices.append((histogram.deviation() * 0.8, histogram))
    return min(choices, key=lambda choice: choice[0])[1]


@frozen
class InterquartileRange:
    """How many cells lie between the quartiles, each drawn for half of the price; the difference is free.

    >>> spread = InterquartileRange.calibrate(epsilon=1, sensitivity=1)
    >>> spread.release([100, 100, 100, 100, 100]) in range(5)
    True
    """

    low: Quantile
    high: Quantile

    @classmethod
    def calibrate(cls, epsilon: Number, sensitivity: Sensitivity | Number) -> InterquartileRange:
        """The mechanism with the least noise whose loss is at most epsilon."""
        return cls(*_halves(epsilon, sensitivity, Fraction(1, 4)))

    def release(self, counts: Any) -> int:
        """The number of steps of the grid from one quartile to the other."""
        return abs(self.high.release(counts) - self.low.release(counts))

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""
        return self.low.loss(sensitivity) + self.high.loss(sensitivity)

    def error(self, confidence: Number, cells: int) -> float:
        """By how many rows either quartile is misranked at most."""
        return _either(self.low, self.high, confidence, cells)


@frozen
class ClippingBounds:
    """Bounds between which about a given share of the rows lies, on a wide grid of powers of two.

    Claim:      a choice costs what two quantiles cost, each for half of the price; nothing else is looked at.
    Because:    the bounds are the ends of two cells of a grid that is declared in advance.
    Checked by: tests/laws/test_quantiles.py

    >>> bounds = ClippingBounds.calibrate(epsilon=1, sensitivity=1, share=0.95, grid=PowersOfTwo(-10, 40))
    >>> low, high = bounds.release([float(x) for x in range(1000)] * 2)
    >>> low < high
    True
    """

    grid: PowersOfTwo
    low: Quantile
    high: Quantile

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, share: Number, grid: PowersOfTwo
    ) -> ClippingBounds:
        """The mechanism with the least noise whose loss is at most epsilon, for bounds that hold this share of rows."""
        return cls(grid, *_halves(epsilon, sensitivity, (1 - rank_of(share)) / 2))

    def release(self, values: Any, weights: Any = None) -> tuple[Fraction | int, Fraction | int]:
        """A low and a high bound for the values; `weights` are integers, one a row."""
        counts = self.grid.weigh(values, weights)
        low, high = sorted((self.low.release(counts), self.high.release(counts)))
        middle = self.grid.count // 2
        least = self.grid.outer(low) if low < middle else self.grid.inner(low)
        most = self.grid.outer(high) if high > middle else self.grid.inner(high)
        # Two ends in the cell of zero would leave no room between them; the smallest power of two is public.
        return least, most if most > least else self.grid.outer(middle + 1)

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one choice costs if one unit weighs at most this much in all."""
        return self.low.loss(sensitivity) + self.high.loss(sensitivity)

    def error(self, confidence: Number) -> float:
        """How many rows more or fewer than asked for lie beyond either bound at most, but for those in its own cell."""
        return _either(self.low, self.high, confidence, self.grid.count)


@frozen
class Contributions:
    """How many rows a unit may keep so that about a given share of the units lose none.

    Claim:      a choice costs a unit what one quantile costs a row of weight one, however many rows it has.
    Because:    each unit is one value, its number of rows, on the grid 1 … most.
    Checked by: tests/laws/test_quantiles.py

    >>> bound = Contributions.calibrate(epsilon=1, share=0.9, most=100)
    >>> 1 <= bound.release([1, 2, 3, 4] * 100) <= 100
    True
    """

    grid: Cells
    cut: Quantile

    @classmethod
    def calibrate(
        cls, epsilon: Number, share: Number, most: int, sensitivity: Sensitivity | Number = 1
    ) -> Contributions:
        """The mechanism with the least noise whose loss is at most epsilon; a unit counts once."""
        bound = sensitivity.bound if isinstance(sensitivity, Sensitivity) else sensitivity
        if bound != 1:
            raise InvalidInput(
                "sensitivity", bound, "a unit is one value here: give 1, with its relation"
            )
        return cls(
            Cells(1, count_of(most, "most", least=2)),
            Quantile.calibrate(epsilon, sensitivity, share),
        )

    def release(self, rows: Any) -> int:
        """A number of rows, from how many rows each unit has."""
        return int(self.grid.value(self.cut.release(self.grid.weigh(rows))))

    def loss(self, sensitivity: Sensitivity | Number = 1) -> Loss:
        """What one choice costs a unit."""
        return self.cut.loss(sensitivity)

    def error(self, confidence: Number) -> float:
        """How many units more or fewer than asked for lose rows at most, but for those with just as many rows."""
        return self.cut.error(confidence, self.grid.count)


def _halves(
    epsilon: Number, sensitivity: Sensitivity | Number, rank: Fraction
) -> tuple[Quantile, Quantile]:
    """The quantile of this rank and its mirror image, each for half of the price."""
    half = price_of(epsilon) / 2
    return Quantile.calibrate(half, sensitivity, rank), Quantile.calibrate(
        half, sensitivity, 1 - rank
    )


def _either(low: Quantile, high: Quantile, confidence: Number, cells: int) -> float:
    """By how many rows either is misranked at most: each fails with half of the probability that both may."""
    each = (1 + confidence_of(confidence)) / 2
    return max(low.error(each, cells), high.error(each, cells))


def _parts(cells: int) -> int:
    """Into how many parts a joint draw may cut so many cells and stay quick: up to 16."""
    return max(1, min(16, JOINT_CELLS // 8 // cells))
