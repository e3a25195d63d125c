"""Declared grids: which values an answer may take, and how many rows lie at each of them."""

from __future__ import annotations

from fractions import Fraction
from math import floor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least, count_of
from tacit.frozen import frozen
from tacit.privacy import fill

__all__ = ["Cells", "PowersOfTwo", "weights_of"]

Weights = NDArray[np.int64]
_MOST_CELLS = 1 << 24
_HEAVIEST = 1 << 53  # all rows together: what is compared, and multiplied, then stays exact


@frozen(init=False)
class Cells:
    """The values low, low + step, … : a grid that is declared, never taken from data.

    >>> ages = Cells(low=0, high=100)
    >>> ages.count, ages.value(40)
    (101, Fraction(40, 1))
    >>> ages.weigh([20, 20, 31, 250, float("nan")])[[20, 31, 100]]
    array([2, 1, 1])
    """

    low: Fraction
    step: Fraction
    count: int

    def __init__(self, low: Number, high: Number, step: Number = 1) -> None:
        first, last, apart = at_least(low, "low"), at_least(high, "high"), at_least(step, "step")
        if apart <= 0 or last <= first:
            raise InvalidInput(
                "high", high, "give a high end above the low one, and a step above zero"
            )
        cells = count_of(floor((last - first) / apart) + 1, "the cells", least=2)
        fill(self, low=first, step=apart, count=cells)

    def value(self, index: int) -> Fraction:
        """The value of a cell."""
        return self.low + self.step * int(index)

    def places(self, values: Any) -> NDArray[np.int64]:
        """The cell of every value: the nearest one, beyond the ends the outermost; NaN has none and is left out."""
        numbers = _numbers(values)
        known = numbers[~np.isnan(numbers)]
        with np.errstate(over="ignore", invalid="ignore"):
            steps = np.floor((known - float(self.low)) / float(self.step) + 0.5)
        return np.clip(steps, 0, self.count - 1).astype(np.int64)

    def weigh(self, values: Any, weights: Any = None) -> Weights:
        """How much lies in each cell: rows, or their integer weights.

        Claim:      a unit whose rows weigh C together moves the cells by at most C in sum when it comes or goes.
        Because:    every row lands in one cell, whatever it holds; a row that is NaN lands in none.
        Checked by: tests/unit/mechanisms/test_quantiles.py
        """
        if self.count > _MOST_CELLS:
            raise InvalidInput(
                "the cells", self.count, "so many cells are stored as runs: call runs() instead"
            )
        places = self.places(values)
        return _sum_weights(places, _row_weights(values, weights), self.count)

    def runs(self, values: Any, weights: Any = None) -> tuple[Weights, list[int]]:
        """The same as weights and widths of runs: the occupied cells, and the empty stretches between them.

        >>> Cells(0, 2**40).runs([7, 7, 2**40])
        (array([0, 2, 0, 1]), [7, 1, 1099511627768, 1])
        """
        places, index = np.unique(self.places(values), return_inverse=True)
        sums = _sum_weights(index, _row_weights(values, weights), len(places)).tolist()
        held, widths, start = [], [], 0
        for place, mass in zip(places.tolist(), sums, strict=True):
            if place > start:
                held.append(0)
                widths.append(place - start)
            held.append(mass)
            widths.append(1)
            start = place + 1
        if start < self.count:
            held.append(0)
            widths.append(self.count - start)
        return np.array(held, dtype=np.int64), widths


@frozen
class PowersOfTwo:
    """Zero and the signed powers of two from 2**least to 2**most, each value rounded outwards: a grid for bounds.

    >>> grid = PowersOfTwo(least=0, most=10)
    >>> [grid.outer(place) for place in grid.places([-3.0, 0, 0.2, 5, 1e9])]
    [-4, 0, 1, 8, 1024]
    """

    least: int
    most: int

    def __post_init__(self) -> None:
        if not (
            type(self.least) is type(self.most) is int and -1022 <= self.least < self.most <= 1023
        ):
            raise InvalidInput(
                "most", self.most, "give exponents from -1022 to 1023, the least below the most"
            )

    @property
    def count(self) -> int:
        """How many cells there are."""
        return 2 * (self.most - self.least + 1) + 1

    def places(self, values: Any) -> NDArray[np.int64]:
        """The cell of every value; NaN has none and is left out."""
        numbers = _numbers(values)
        known = numbers[~np.isnan(numbers)]
        fraction, exponent = np.frexp(np.abs(known))
        power = np.where(fraction == 0.5, exponent - 1, exponent)
        power = np.where(np.isinf(known), self.most, power)
        steps = np.clip(power, self.least, self.most) - self.least + 1
        middle = self.count // 2
        return np.asarray(middle + np.where(known == 0, 0, np.sign(known) * steps), dtype=np.int64)

    def weigh(self, values: Any, weights: Any = None) -> Weights:
        """How much lies in each cell: rows, or their integer weights."""
        return _sum_weights(self.places(values), _row_weights(values, weights), self.count)

    def outer(self, index: int) -> Fraction | int:
        """The end of a cell that lies further from zero."""
        steps = int(index) - self.count // 2
        if steps == 0:
            return 0
        size = Fraction(2) ** (self.least + abs(steps) - 1)
        signed = size if steps > 0 else -size
        return int(signed) if signed.denominator == 1 else signed

    def inner(self, index: int) -> Fraction | int:
        """The end of a cell that lies nearer to zero."""
        steps = int(index) - self.count // 2
        return 0 if abs(steps) <= 1 else self.outer(index - 1 if steps > 0 else index + 1)


def weights_of(counts: Any, least: int = 2) -> Weights:
    """The weights of the cells, refused where they are no histogram.

    >>> weights_of([3, 0, 1])
    array([3, 0, 1])
    """
    array = np.asarray(counts)
    if array.ndim != 1 or array.dtype.kind not in "iu" or len(array) < least:
        raise InvalidData(
            f"weigh the rows first: a histogram is a one-dimensional array of at least {least} integers"
        )
    held = array.astype(np.int64)
    if (held < 0).any() or int(held.sum(dtype=object) if held.size else 0) > _HEAVIEST:
        raise InvalidData(
            "weights are at least zero, and at most 2**53 together; give smaller ones"
        )
    return held


def _numbers(values: Any) -> NDArray[np.float64]:
    array = np.asarray(values)
    if array.dtype.kind not in "iuf" and array.size:
        raise InvalidData(
            f"an array of {array.dtype} has no place on a grid; give integers or floats"
        )
    return np.asarray(array, dtype=np.float64).ravel()


def _row_weights(values: Any, weights: Any) -> NDArray[np.int64] | None:
    """The weights of the rows that are not NaN."""
    if weights is None:
        return None
    known = ~np.isnan(_numbers(values))
    held = weights_of(weights, least=0)
    if held.shape != known.shape:
        raise InvalidData("give one weight for each row")
    return held[known]


def _sum_weights(
    places: NDArray[np.int64], weights: NDArray[np.int64] | None, count: int
) -> Weights:
    if weights is None:
        return np.bincount(places, minlength=count).astype(np.int64)
    sums = np.zeros(count, np.int64)
    np.add.at(sums, places, weights)
    return sums
