"""Hadamard response: one bit about one row of a Hadamard matrix; the quickest to encode and collect."""

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.draws import Draws
from tacit.local.kary import check_numbers, read_numbers
from tacit.local.odds import Odds
from tacit.local.protocol import FrequencyProtocol, Integers, Report, Values, read_values
from tacit.privacy import fill

__all__ = ["HadamardResponse", "walsh"]


@frozen(init=False)
class HadamardResponse(FrequencyProtocol):
    """A uniform row of the Hadamard matrix, and the value's sign in that row by randomized response.

    A report is 2 row + bit.  Its variance is ((e**epsilon + 1) / (e**epsilon - 1))**2: near the best
    for an epsilon of at most one (Acharya, Sun, Zhang 2019; Apple 2017).

    Claim:      a report costs truth / lie of the response to one bit.
    Because:    the row does not depend on the value, and given the row the report is a response.
    Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less

    >>> HadamardResponse(85, epsilon=1).rows
    128
    """

    values: Values
    odds: Odds

    def __init__(self, values: int | Sequence[Hashable], epsilon: Number) -> None:
        fill(self, values=read_values(values), odds=Odds.of(epsilon))

    @classmethod
    def with_odds(cls, values: int | Sequence[Hashable], odds: Odds) -> "HadamardResponse":
        """The protocol with these odds."""
        made = cls.__new__(cls)
        fill(made, values=read_values(values), odds=odds)
        return made

    @property
    def rows(self) -> int:
        """The number of rows: a power of two."""
        return 1 << (len(self.values) - 1).bit_length()

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    @property
    def truth(self) -> Fraction:
        """The probability that the bit is the value's."""
        return Fraction(self.odds.truth, self.odds.truth + self.odds.lie)

    @property
    def stray(self) -> Fraction:
        """One half: two different values agree in half of the rows."""
        return Fraction(1, 2)

    @property
    def report_bits(self) -> int:
        """Those of the row, and one."""
        return (self.rows - 1).bit_length() + 1

    def randomise(self, index: int, draws: Draws) -> int:
        """2 row + bit."""
        row = draws.below(self.rows)
        bit = (row & index).bit_count() & 1
        return 2 * row + (bit ^ (not draws.coin(self.odds.truth, self.odds.lie)))

    def randomise_all(self, indices: Integers, draws: Draws) -> NDArray[Any]:
        """The same for many; as short numbers as they fit."""
        kind: Any = np.uint16 if self.rows <= 1 << 15 else np.uint32
        rows = draws.numbers(self.rows, len(indices)).astype(kind)
        bits = np.bitwise_count(rows & indices.astype(kind)).astype(kind) & kind(1)
        bits ^= draws.coins(self.odds.lie, self.odds.truth, len(indices))
        return np.asarray(rows << kind(1) | bits)

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Whole numbers below twice the rows."""
        return read_numbers(reports, 2 * self.rows)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Whole numbers below twice the rows."""
        return check_numbers(reports, 2 * self.rows)

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values that have its bit in its row."""
        cells = np.bincount(reports, minlength=2 * self.rows)
        signed = walsh(cells[0::2] - cells[1::2])
        return ((len(reports) + signed) // 2)[: len(self.values)]

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """Every row with either bit."""
        index = self.index_of(value)
        return {
            2 * row + bit: (self.truth if (row & index).bit_count() & 1 == bit else 1 - self.truth)
            / self.rows
            for row in range(self.rows)
            for bit in (0, 1)
        }

    def describe(self) -> dict[str, Any]:
        """The number of values and of rows, and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "hadamard", "values": len(self.values), "rows": self.rows, **odds}


def walsh(numbers: Integers) -> Integers:
    """The Walsh-Hadamard transform of a power of two of numbers, not scaled.

    >>> walsh(np.array([1, 2, 3, 4]))
    array([10, -2, -4,  0])
    """
    changed, half = numbers.astype(np.int64), 1
    while half < len(changed):
        pairs = changed.reshape(-1, 2, half)
        changed = np.stack([pairs[:, 0] + pairs[:, 1], pairs[:, 0] - pairs[:, 1]], axis=1).ravel()
        half *= 2
    return changed
