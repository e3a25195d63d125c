"""Any number of quantiles from one noisy histogram: Laplace noise on a tree of ranges, made to agree."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from math import ceil, log, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, count_of, discrete_laplace
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import checked_scale, sensitivity_of
from tacit.mechanisms.joint_quantiles import ranks_of
from tacit.mechanisms.parameters import confidence_of, price_of
from tacit.mechanisms.value_grid import weights_of
from tacit.privacy import Loss, Neighbours, PureLoss, Sensitivity, fill

__all__ = ["HistogramQuantiles", "NoisyRanges", "best_shape"]

Integers = NDArray[Any]
Floats = NDArray[np.float64]

CELLS_AT_MOST = 1 << 10
"""Up to so many cells the errors of all shapes are worked out and compared."""


@frozen
class NoisyRanges:
    """A released histogram: the noisy weights of ranges, level by level, and the weights that fit them best.

    All that is computed from it is free: any quantile, any range.
    """

    levels: tuple[Integers, ...]
    fitted: Floats

    @property
    def total(self) -> float:
        """The weight of everything, as far as it is known."""
        return float(self.fitted.sum())

    def quantiles(self, ranks: Any) -> list[int]:
        """For each rank the first cell up to which at least that share of the total lies."""
        upto = np.maximum.accumulate(np.cumsum(self.fitted))
        wanted = np.array([float(rank) for rank in ranks_of(ranks)]) * self.total
        places = np.minimum(np.searchsorted(upto, wanted, side="left"), len(upto) - 1)
        return [int(place) for place in places]


@frozen(init=False)
class HistogramQuantiles:
    """Quantiles of a histogram whose ranges, of several sizes, all got Laplace noise of one scale.

    `shape` says into how many ranges each range is cut, level by level; the last level is the cells.

    Claim:      if one unit weighs at most C, a release costs the pure epsilon L C / scale under add-or-remove and
                2 L C / scale under replace, L being the number of levels; however many quantiles are read off.
    Because:    every row lies in one range of each level, so a unit moves each level by at most C in sum, or 2 C if it
                is replaced; the noise is independent, and fitting and reading are functions of the noisy
                integers (Hay, Rastogi, Miklau, Suciu 2010).
    Checked by: tests/laws/test_quantiles.py

    >>> ages = HistogramQuantiles.calibrate(epsilon=1, sensitivity=1, cells=101, ranks=[0.25, 0.5, 0.75])
    >>> ages.shape, ages.scale
    ((9, 12), Fraction(2, 1))
    >>> len(ages.release([10] * 101))
    3
    """

    ranks: tuple[Fraction, ...]
    shape: tuple[int, ...]
    cells: int
    scale: Fraction

    def __init__(self, ranks: Any, shape: Any, cells: int, scale: Number) -> None:
        many = count_of(cells, "cells", least=2, most=1 << 24)
        cuts = tuple(count_of(cut, "a cut", least=2) for cut in shape)
        if not cuts or int(np.prod(cuts, dtype=object)) < many:
            raise InvalidInput(
                "shape", shape, "give numbers of ranges whose product is at least that of the cells"
            )
        fill(
            self,
            ranks=ranks_of(ranks),
            shape=cuts,
            cells=many,
            scale=checked_scale(scale, "scale", None),
        )

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, cells: int, ranks: Any
    ) -> HistogramQuantiles:
        """The mechanism with the least error on average whose loss is at most epsilon."""
        unit, shape = (
            sensitivity_of(sensitivity),
            best_shape(count_of(cells, "cells", least=2, most=1 << 24)),
        )
        return cls(ranks, shape, cells, len(shape) * _each(unit) / price_of(epsilon))

    def ranges(self, counts: Any) -> tuple[Integers, ...]:
        """The exact weights of the ranges, level by level: what gets noise."""
        weights = weights_of(counts)
        if len(weights) != self.cells:
            raise InvalidData(
                f"this mechanism was made for {self.cells} cells; give as many weights"
            )
        return tuple(np.add.reduceat(weights, starts) for starts in _starts(self.shape, self.cells))

    def noisy(self, counts: Any) -> NoisyRanges:
        """The histogram itself, released."""
        levels = tuple(
            level + discrete_laplace(self.scale, len(level)) for level in self.ranges(counts)
        )
        return NoisyRanges(
            levels,
            _fit_weights([level.astype(np.float64) for level in levels], self.shape, self.cells),
        )

    def release(self, counts: Any) -> list[int]:
        """Cells near the quantiles, in order."""
        return self.noisy(counts).quantiles(self.ranks)

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""
        unit = sensitivity_of(sensitivity)
        return PureLoss(len(self.shape) * _each(unit) / self.scale, unit.neighbours)

    def deviation(self) -> float:
        """The standard deviation of the noise in a rank, on average over the cells and over ranks; exact.

        >>> round(HistogramQuantiles([0.5], shape=[101], cells=101, scale=1).deviation(), 1)
        5.4
        """
        return float(np.sqrt(_spread(self.shape, self.cells)).mean()) * sqrt(_variance(self.scale))

    def error(self, confidence: Number, cells: int | None = None) -> float:
        """By how many rows every quantile is misranked at most, with at least this probability, on any data.

        Claim:      with at least this probability all of them are.
        Because:    a quantile is misranked by at most the largest noise in (weight up to a cell) - rank * total, over
                    all cells; that noise is a sum of multiples of independent Laplace noise, and Chernoff's bound is
                    taken for each cell and rank, with E exp(t z) <= 1 / (1 - (t scale)**2).
        Checked by: tests/laws/test_quantiles.py
        """
        each = (1 - float(confidence_of(confidence))) / (len(self.ranks) * self.cells)
        upto = np.cumsum(_influence(self.shape, self.cells), axis=0)  # cells by noises
        worst = 0.0
        for rank in self.ranks:
            worst = max(worst, float(_chernoff(upto - float(rank) * upto[-1], each).max()))
        return worst * float(self.scale) * (1 + 2.0**-40)


def best_shape(cells: int) -> tuple[int, ...]:
    """Into how many ranges each range is best cut, level by level: the least noise in a rank, on average.

    >>> best_shape(10), best_shape(101)
    ((10,), (9, 12))
    """
    return (
        _best_shape(min(cells, CELLS_AT_MOST))
        if cells <= CELLS_AT_MOST
        else _even(cells, max(1, round(log(cells, 16))))
    )


@lru_cache(maxsize=64)
def _best_shape(cells: int) -> tuple[int, ...]:
    shapes = {_even(cells, levels) for levels in range(1, 5) if 2**levels <= cells}
    if cells > 8:  # with two levels the upper one is best a little coarser
        shapes |= {
            (top, ceil(cells / top))
            for top in (ceil(sqrt(cells) * f / 8) for f in (5, 6, 7))
            if top > 1
        }
    return min(
        sorted(shapes), key=lambda shape: len(shape) * float(np.sqrt(_spread(shape, cells)).mean())
    )


def _even(cells: int, levels: int) -> tuple[int, ...]:
    cut = max(2, ceil(cells ** (1 / levels) - 1e-9))
    return (cut,) * levels


def _each(unit: Sensitivity) -> Fraction:
    """How far a unit moves one level."""
    return unit.bound * (2 if unit.neighbours is Neighbours.REPLACE else 1)


def _variance(scale: Fraction) -> float:
    return 1 / (2 * float(np.sinh(1 / (2 * float(scale)))) ** 2)


@lru_cache(maxsize=64)
def _starts(shape: tuple[int, ...], cells: int) -> tuple[NDArray[np.intp], ...]:
    """The first cell of every range, level by level."""
    lengths, found = 1, []
    for cut in reversed(shape):
        found.append(np.arange(0, cells, lengths))
        lengths *= cut
    return tuple(reversed(found))


def _fit_weights(levels: list[Floats], shape: tuple[int, ...], cells: int) -> Floats:
    """The weights of the cells that fit all noisy ranges best, in least squares.

    From the cells up, what is known of a range from below is weighed with its own noisy weight; from the top down,
    what a range has more than its parts is handed to them in proportion to how little they are known.
    """
    starts = _starts(shape, cells)
    known, unknown = [levels[-1]], [np.ones(len(levels[-1]))]
    # the first part of every range
    groups = [np.searchsorted(inner, outer) for outer, inner in pairwise(starts)]
    for level, group in zip(reversed(levels[:-1]), reversed(groups), strict=True):
        below, vague = np.add.reduceat(known[0], group, axis=0), np.add.reduceat(unknown[0], group)
        share = (vague / (1 + vague)).reshape(-1, *[1] * (level.ndim - 1))
        known.insert(0, share * level + (1 - share) * below)
        unknown.insert(0, vague / (1 + vague))
    best = known[0]
    for held, vague, group in zip(known[1:], unknown[1:], groups, strict=True):
        sizes = np.diff(np.append(group, len(held)))
        missing = best - np.add.reduceat(held, group, axis=0)
        share = vague / np.repeat(np.add.reduceat(vague, group), sizes)
        best = held + share.reshape(-1, *[1] * (held.ndim - 1)) * np.repeat(missing, sizes, axis=0)
    return best


@lru_cache(maxsize=16)
def _influence(shape: tuple[int, ...], cells: int) -> Floats:
    """How much of each noise ends up in each cell: the fit is linear, so it is fitted to one noise at a time."""
    lengths = [len(starts) for starts in _starts(shape, cells)]
    ends = np.cumsum([0, *lengths])
    every = np.eye(ends[-1])
    return _fit_weights([every[a:b] for a, b in pairwise(ends)], shape, cells)


def _spread(shape: tuple[int, ...], cells: int) -> Floats:
    """The variance of the noise in (weight up to a cell) - (share up to it) * total, in units of the noise's own."""
    upto = np.cumsum(_influence(shape, cells), axis=0)
    places = (np.arange(cells) + 1) / cells
    return np.asarray(((upto - places[:, None] * upto[-1]) ** 2).sum(axis=1))[:-1]


def _chernoff(shares: Floats, failure: float) -> Floats:
    """For each row of shares, the smallest t of a grid with P(|sum of shares * noise| > t scale) <= failure."""
    squares = shares**2
    steepest = np.abs(shares).max(axis=1)
    steepest[steepest == 0] = 1.0
    best = np.full(len(shares), np.inf)
    for part in np.linspace(0.05, 0.95, 19):
        slope = part / steepest
        growth = -np.log1p(-squares * (slope**2)[:, None]).sum(axis=1)
        best = np.minimum(best, (growth - log(failure / 2)) / slope)
    return best
