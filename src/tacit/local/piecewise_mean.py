"""The piecewise window for means: a report is a cell near the number, or any other as a coin says.

Checked by: tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.mean_protocol import STEPS, MeanProtocol, end_fields, read_range
from tacit.local.protocol import Integers, Report
from tacit.local.randomized_response import check_numbers, read_numbers
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["CELLS", "Piecewise"]
CELLS = 1024


@frozen(init=False)
class Piecewise(MeanProtocol):
    """One of many cells: a window that moves with the number weighs `truth` a cell, the rest `lie`.

    It is the better one for a larger epsilon (Wang et al. 2019).  Here the window stands at one of
    finitely many places, the number is rounded to one of the two nearest by chance, and all is whole.

    >>> Piecewise(0, 100, epsilon=2).window
    275
    """

    low: Fraction
    high: Fraction
    steps: int
    odds: Odds
    cells: int
    window: int

    def __init__(
        self,
        low: Number,
        high: Number,
        epsilon: Number,
        steps: int = STEPS,
        cells: int = CELLS,
    ) -> None:
        odds = Odds.of(epsilon)
        root = Fraction(isqrt(odds.truth << 32), isqrt(odds.lie << 32))  # about e**(epsilon/2)
        window = min(max(1, round(cells / (root + 1))), cells - 1)
        fill(self, **read_range(low, high, steps), odds=odds, cells=cells, window=window)

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    @property
    def _places(self) -> int:
        """The largest number of cells before the window."""
        return self.cells - self.window

    @property
    def _weights(self) -> tuple[int, int]:
        return self.odds.truth * self.window, self.odds.lie * self._places

    def randomise(self, step: int, draws: Draws) -> int:
        """The number of a cell."""
        whole, part = divmod(step * self._places, self.steps)
        place = whole + (draws.below(self.steps) < part)
        if draws.coin(*self._weights):
            return place + draws.below(self.window)
        outside = draws.below(self._places)
        return outside if outside < place else outside + self.window

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """The same for many."""
        whole, part = np.divmod(steps * self._places, self.steps)
        places = whole + (draws.numbers(self.steps, len(steps)) < part)
        inside = draws.coins(*self._weights, len(steps))
        within = places + draws.numbers(self.window, len(steps))
        outside = draws.numbers(self._places, len(steps))
        return np.where(inside, within, outside + self.window * (outside >= places))

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Numbers of cells."""
        return read_numbers(reports, self.cells)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Numbers of cells."""
        return check_numbers(reports, self.cells)

    @property
    def reports(self) -> int:
        """As many as there are cells."""
        return self.cells

    def score(self, report: int) -> Fraction:
        """The place of the window that would have this cell as its mean, in the unit of the range.

        Claim:      the mean of the score is the number.
        Because:    the mean cell is affine in the window's place: the sum over all cells at weight
                    `lie` does not move, and that over the window at truth - lie moves with it.
        Checked by: tests/laws/test_local.py::test_the_mean_of_numbers_is_unbiased
        """
        inside, outside = self._weights
        total = inside + outside
        gain = Fraction((self.odds.truth - self.odds.lie) * self.window, total)
        base = Fraction(self.odds.lie * self.cells * (self.cells - 1), 2 * total)
        middle = Fraction(self.window - 1, 2)
        place = (report - base) / gain - middle
        return self.low + (self.high - self.low) * place / self._places

    def law(self, step: int) -> dict[int, Fraction]:
        """All cells."""
        whole, part = divmod(step * self._places, self.steps)
        total = sum(self._weights)
        law = dict.fromkeys(range(self.cells), Fraction(self.odds.lie, total))
        more = Fraction(self.odds.truth - self.odds.lie, total)
        for place, chance in (
            (whole, 1 - Fraction(part, self.steps)),
            (whole + 1, Fraction(part, self.steps)),
        ):
            if chance:
                for cell in range(place, place + self.window):
                    law[cell] += more * chance
        return law

    def name(self, report: int) -> int:
        """Itself."""
        return report

    def describe(self) -> dict[str, Any]:
        """The range, the steps, the cells and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        sizes = {"steps": self.steps, "cells": self.cells, "window": self.window}
        return {"protocol": "piecewise", **end_fields(self), **sizes, **odds}
