"""One quantile over a declared grid: the exponential mechanism on the number of rows by which a value is misranked."""

from __future__ import annotations

from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import (
    Ball,
    Number,
    at_least,
    at_most,
    below,
    count_of,
    float_at_least,
    log,
    upper,
    weighted_index,
    weighted_law,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.parameters import confidence_of, price_of, scale_of
from tacit.mechanisms.value_grid import weights_of
from tacit.privacy import BoundedRangeLoss, Loss, Neighbours, Sensitivity, fill

__all__ = ["Quantile", "rank_errors", "people_for_quantile", "rank_of", "steepness"]

Integers = NDArray[Any]


@frozen(init=False)
class Quantile:
    """The cell v with probability proportional to exp(-misranked(v) / scale).

    A cell is misranked by as many rows as its own range of ranks, from the weight below it to the weight up to it,
    lies away from rank * total.  The cell that holds the quantile is misranked by nothing, always.

    Claim:      if one unit weighs at most C, a release is of bounded range 2 C max(rank, 1 - rank) / scale under
                add-or-remove and 2 C / scale under replace.
    Because:    with B the weight below a cell and A the weight above it, it is misranked by the largest of 0,
                (1 - rank) B - rank (total - B) and rank A - (1 - rank) (total - A).  A unit that comes or goes moves
                both by at most C (1 - rank) one way or C rank the other; one that moves moves them by at most C.  The
                rest is the exponential mechanism (Dong, Durfee, Rogers 2020).
    Checked by: tests/laws/test_quantiles.py

    >>> median = Quantile.calibrate(epsilon=1, sensitivity=1, rank=Fraction(1, 2))
    >>> median.scale
    Fraction(1, 1)
    >>> median.release([0, 400, 30, 0, 400]) in range(5)
    True
    """

    rank: Fraction
    scale: Fraction

    def __init__(self, rank: Number, scale: Number) -> None:
        fill(self, rank=rank_of(rank), scale=scale_of(scale))

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, rank: Number
    ) -> Quantile:
        """The mechanism with the least noise whose loss is at most epsilon; `sensitivity` is what one unit weighs."""
        wanted, unit = rank_of(rank), sensitivity_of(sensitivity)
        return cls(wanted, 2 * unit.bound * steepness(wanted, unit.neighbours) / price_of(epsilon))

    @classmethod
    def within(cls, error: Number, confidence: Number, cells: int, rank: Number) -> Quantile:
        """The mechanism with the most noise whose answer is misranked by at most `error` rows: accuracy first.

        >>> Quantile.within(error=10, confidence=0.95, cells=101, rank=Fraction(1, 2)).error(0.95, cells=101)
        10.0
        """
        most = at_most(error, "error")
        if most <= 0:
            raise InvalidInput("error", error, "give a number of rows above zero")
        return cls(rank, most / Fraction(ceil(_odds(confidence, cells) * (1 << 60)), 1 << 60))

    def release(self, counts: Any, widths: Any = None) -> int:
        """A cell near the quantile, as its number on the grid.

        `counts` are the weights of the cells; with `widths`, of runs of cells, each so many cells long with its weight
        in all of them the same: zero, but for runs of one cell.
        """
        weights = weights_of(counts)
        wide = None if widths is None else _widths(weights, widths)
        run = weighted_index(*self._score_cells(weights), wide)
        return run if wide is None else sum(wide[:run]) + below(wide[run])

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""
        unit = sensitivity_of(sensitivity)
        moved = unit.bound * steepness(self.rank, unit.neighbours)
        return BoundedRangeLoss(2 * moved / self.scale, unit.neighbours)

    def error_bound(self, confidence: Number, cells: int) -> float:
        """The theorem: misranked by at most scale (ln cells + ln(1 / beta)) rows, whatever the data.

        >>> round(Quantile(Fraction(1, 2), scale=1).error_bound(0.95, cells=101), 2)
        7.61
        """
        many = count_of(cells, "cells", least=2)
        with working():
            return float_at_least(self.scale * upper(log(many / (1 - confidence_of(confidence)))))

    def error(self, confidence: Number, cells: int) -> float:
        """By how many rows the answer is misranked at most, with at least this probability, on the worst data.

        Claim:      the smallest such number: for data with all rows in one cell no smaller one holds.
        Because:    one cell at least is misranked by nothing; if all others are by just more than a, they have
                    together the odds (cells - 1) exp(-a / scale).
        Checked by: tests/laws/test_quantiles.py

        >>> round(Quantile(Fraction(1, 2), scale=1).error(0.95, cells=101), 2)
        7.55
        """
        return float_at_least(self.scale * _odds(confidence, cells))

    def distribution(self, counts: Any) -> dict[int, Ball]:
        """The exact probability of every cell."""
        return dict(enumerate(weighted_law(*self._score_cells(weights_of(counts)))))

    def _score_cells(self, weights: Integers) -> tuple[Integers, Fraction]:
        parts = self.rank.denominator
        return -rank_errors(weights, self.rank), self.scale * parts


def rank_errors(weights: Integers, rank: Fraction) -> Integers:
    """By how much each cell is misranked, in parts of a row: its denominator is the rank's.

    >>> rank_errors(np.array([1, 2, 1]), Fraction(1, 2))
    array([2, 0, 2])
    """
    total, parts = int(weights.sum()), rank.denominator
    kind = np.int64 if total * parts < 1 << 62 else object
    upto = np.cumsum(weights).astype(kind) * parts
    target = rank.numerator * total
    return np.asarray(
        np.maximum(0, np.maximum(upto - weights.astype(kind) * parts - target, target - upto))
    )


def steepness(rank: Fraction, neighbours: Neighbours) -> Fraction:
    """How far a unit of weight one moves a cell's misranking: the larger of rank and 1 - rank, or 1 if it is replaced.

    >>> steepness(Fraction(1, 4), Neighbours.ADD_OR_REMOVE)
    Fraction(3, 4)
    """
    return Fraction(1) if neighbours is Neighbours.REPLACE else max(rank, 1 - rank)


def people_for_quantile(
    alpha: Number, epsilon: Number, confidence: Number, cells: int, rank: Number = Fraction(1, 2)
) -> int:
    """How many units of weight one a quantile needs to be misranked by at most the share alpha of them.

    >>> people_for_quantile(alpha=0.01, epsilon=1, confidence=0.95, cells=101)
    755
    """
    share = at_most(alpha, "alpha")
    if share <= 0:
        raise InvalidInput("alpha", alpha, "give a share above zero")
    return ceil(Quantile.calibrate(epsilon, 1, rank).scale * _odds(confidence, cells) / share)


def rank_of(rank: Number) -> Fraction:
    """A rank strictly between 0 and 1, as it prints.

    >>> rank_of(0.1)
    Fraction(1, 10)
    """
    exact = (
        Fraction(repr(rank)) if isinstance(rank, float) and 0 < rank < 1 else at_least(rank, "rank")
    )
    if not 0 < exact < 1 or exact.denominator > 1 << 32:
        raise InvalidInput(
            "rank", rank, "give a number strictly between 0 and 1, such as Fraction(1, 4)"
        )
    return exact


def _odds(confidence: Number, cells: int) -> Fraction:
    """ln of how many times likelier right must be than any one of the wrong cells; not below zero."""
    wanted, many = confidence_of(confidence), count_of(cells, "cells", least=2)
    odds = (many - 1) * wanted / (1 - wanted)
    with working():
        return max(Fraction(1, 1 << 40), upper(log(odds)))


def _widths(weights: Integers, widths: Any) -> list[int]:
    wide = [count_of(width, "a width", least=1) for width in widths]
    if len(wide) != len(weights):
        raise InvalidData("give one width for each run")
    if any(width > 1 and weight for width, weight in zip(wide, weights.tolist(), strict=True)):
        raise InvalidData(
            "a run of several cells is empty; give every cell that holds something a run of its own"
        )
    return wide
