"""Duchi's bit for means: the number is rounded to an end of its range by chance, and the end told truly or not.

Checked by: tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
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

__all__ = ["Duchi"]


@frozen(init=False)
class Duchi(MeanProtocol):
    """One bit: the number is rounded to an end of its range by chance, and the end told by response.

    It is the best for small epsilon (Duchi, Jordan, Wainwright 2018).

    >>> Duchi(0, 100, epsilon=1).collect([1, 0, 1, 1]).people
    4
    """

    low: Fraction
    high: Fraction
    steps: int
    odds: Odds

    def __init__(self, low: Number, high: Number, epsilon: Number, steps: int = STEPS) -> None:
        fill(self, **read_range(low, high, steps), odds=Odds.of(epsilon))

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    def randomise(self, step: int, draws: Draws) -> int:
        """Zero for the low end, one for the high end."""
        high = draws.below(self.steps) < step
        return int(high == draws.coin(self.odds.truth, self.odds.lie))

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """The same for many."""
        high = draws.numbers(self.steps, len(steps)) < steps
        honest = draws.coins(self.odds.truth, self.odds.lie, len(steps))
        return np.asarray(high == honest, dtype=np.int64)

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Zeros and ones."""
        return read_numbers(reports, 2)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Zeros and ones."""
        return check_numbers(reports, 2)

    @property
    def reports(self) -> int:
        """Two."""
        return 2

    def score(self, report: int) -> Fraction:
        """An end of the range, moved outwards so far that the mean is right."""
        p = Fraction(self.odds.truth, self.odds.truth + self.odds.lie)
        return self.low + (self.high - self.low) * (report - (1 - p)) / (2 * p - 1)

    def law(self, step: int) -> dict[int, Fraction]:
        """Both bits."""
        p = Fraction(self.odds.truth, self.odds.truth + self.odds.lie)
        share = Fraction(step, self.steps)
        one = share * p + (1 - share) * (1 - p)
        return {0: 1 - one, 1: one}

    def name(self, report: int) -> int:
        """Itself."""
        return report

    def describe(self) -> dict[str, Any]:
        """The range, the steps and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "duchi", "steps": self.steps, **end_fields(self), **odds}
