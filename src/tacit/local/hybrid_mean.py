"""The hybrid of the piecewise window and Duchi's bit for means: better than either where the price is not small.

Checked by: tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData
from tacit.exact import Number, at_most, ball, lower, working
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.duchi_mean import Duchi
from tacit.local.mean_protocol import STEPS, MeanProtocol, end_fields
from tacit.local.piecewise_mean import CELLS, Piecewise
from tacit.local.protocol import Integers, Report
from tacit.local.randomized_response import check_numbers
from tacit.privacy import fill

__all__ = ["Hybrid"]


@frozen(init=False)
class Hybrid(MeanProtocol):
    """Piecewise with probability 1 - e**(-epsilon/2), else Duchi's bit: better than either.

    At an epsilon of at most 0.61 it is Duchi's bit alone (Wang et al. 2019).

    Claim:      a report costs what the dearer of the two costs.
    Because:    which of the two is used does not depend on the number, and the report says it.
    Checked by: tests/laws/test_local.py::test_a_number_costs_what_is_claimed_and_no_less

    >>> Hybrid(0, 100, epsilon=2).share
    Fraction(2714937127, 4294967296)
    """

    duchi: Duchi
    piecewise: Piecewise
    share: Fraction

    def __init__(
        self,
        low: Number,
        high: Number,
        epsilon: Number,
        steps: int = STEPS,
        cells: int = CELLS,
    ) -> None:
        price = at_most(epsilon, "epsilon")
        duchi, piecewise = (
            Duchi(low, high, epsilon, steps),
            Piecewise(low, high, epsilon, steps, cells),
        )
        with working():
            share = (
                lower(1 - (-ball(price) / 2).exp()) if price > Fraction(61, 100) else Fraction(0)
            )
        fill(
            self, duchi=duchi, piecewise=piecewise, share=Fraction(int(share * (1 << 32)), 1 << 32)
        )

    @property
    def low(self) -> Fraction:  # type: ignore[override]
        """The low end of the range."""
        return self.duchi.low

    @property
    def high(self) -> Fraction:  # type: ignore[override]
        """The high end of the range."""
        return self.duchi.high

    @property
    def steps(self) -> int:  # type: ignore[override]
        """The steps of the range."""
        return self.duchi.steps

    @property
    def ratio(self) -> Fraction:
        """The larger of the two."""
        return max(self.duchi.ratio, self.piecewise.ratio)

    @property
    def _coin(self) -> tuple[int, int]:
        return self.share.numerator, self.share.denominator - self.share.numerator

    def randomise(self, step: int, draws: Draws) -> tuple[int, int]:
        """Which of the two (zero for Duchi's), and its report."""
        if draws.coin(*self._coin):
            return 1, self.piecewise.randomise(step, draws)
        return 0, self.duchi.randomise(step, draws)

    def randomise_all(self, steps: Integers, draws: Draws) -> Integers:
        """Zero or one of Duchi's, or two more than a cell."""
        wide = draws.coins(*self._coin, len(steps))
        bits, cells = (
            self.duchi.randomise_all(steps, draws),
            self.piecewise.randomise_all(steps, draws),
        )
        return np.where(wide, cells + 2, bits)

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Pairs of which and what."""
        found = []
        for report in reports:
            pair = tuple(report) if isinstance(report, list | tuple) else ()
            fits = len(pair) == 2 and all(type(each) is int for each in pair) and pair[0] in {0, 1}
            if not fits or not 0 <= pair[1] < (self.piecewise.cells if pair[0] else 2):
                raise InvalidData(
                    "a report must be a pair of integers, a part and a value; encode it again"
                )
            found.append(pair[1] + 2 * pair[0])
        return np.array(found, dtype=np.int64)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Numbers below two more than the cells."""
        return check_numbers(reports, self.piecewise.cells + 2)

    @property
    def reports(self) -> int:
        """Those of both."""
        return self.piecewise.cells + 2

    def score(self, report: int) -> Fraction:
        """That of either."""
        return self.duchi.score(report) if report < 2 else self.piecewise.score(report - 2)

    def law(self, step: int) -> dict[int, Fraction]:
        """Those of both."""
        bits = {each: chance * (1 - self.share) for each, chance in self.duchi.law(step).items()}
        cells = {each + 2: chance * self.share for each, chance in self.piecewise.law(step).items()}
        return bits | cells if self.share else bits

    def name(self, report: int) -> tuple[int, int]:
        """Which, and what."""
        return (0, report) if report < 2 else (1, report - 2)

    def describe(self) -> dict[str, Any]:
        """Those of both, and the coin between them."""
        coin = [str(each) for each in self._coin]
        parts = {"duchi": self.duchi.describe(), "piecewise": self.piecewise.describe()}
        return {
            "protocol": "hybrid",
            "steps": self.steps,
            **end_fields(self),
            "coin": coin,
            **parts,
        }
