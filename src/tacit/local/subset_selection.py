"""Subset selection: a few of the values, the held one more often among them than not.

Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from itertools import combinations
from math import comb
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.packed_bits import Octets, check_rows, count_columns, hex_of, read_rows
from tacit.local.protocol import FrequencyProtocol, Integers, Report, Values, read_values
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["SubsetSelection"]

_AT_ONCE = 1 << 22  # bits that are chosen at once


@frozen(init=False)
class SubsetSelection(FrequencyProtocol):
    """A set of `size` values: one that holds the true value has odds truth : lie against one that does not.

    No other protocol of its price has a smaller variance (Ye and Barg 2018; Wang et al. 2016).

    >>> SubsetSelection(16, epsilon=1).size
    4
    """

    values: Values
    odds: Odds
    size: int

    def __init__(
        self, values: int | Sequence[Hashable], epsilon: Number, size: int | None = None
    ) -> None:
        read, odds = read_values(values), Odds.of(epsilon)
        count = len(read)
        if size is None:
            likely = round(count / (odds.ratio + 1))
            sizes = {min(max(1, likely + step), count - 1) for step in (-1, 0, 1)}
            size = min(sizes, key=lambda each: (_variance(count, odds, each), each))
        count_of(size, "size", least=1, most=count - 1)
        fill(self, values=read, odds=odds, size=size)

    @classmethod
    def with_odds(cls, values: int | Sequence[Hashable], odds: Odds, size: int) -> SubsetSelection:
        """The protocol with these odds."""
        made, read = cls.__new__(cls), read_values(values)
        if not 1 <= size < len(read):
            raise InvalidInput("size", size, "give at least 1, and less than there are values")
        fill(made, values=read, odds=odds, size=size)
        return made

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    @property
    def _weights(self) -> tuple[int, int]:
        """The weights of all sets with the true value, and of all without it."""
        return self.odds.truth * self.size, self.odds.lie * (len(self.values) - self.size)

    @property
    def truth(self) -> Fraction:
        """The probability that the true value is in the set."""
        inside, outside = self._weights
        return Fraction(inside, inside + outside)

    @property
    def stray(self) -> Fraction:
        """The probability that another value is."""
        return (self.size - self.truth) / (len(self.values) - 1)

    @property
    def report_bits(self) -> int:
        """One for every value."""
        return len(self.values)

    def randomise(self, index: int, draws: Draws) -> str:
        """A bit for each value, set for those in the set."""
        inside = draws.coin(*self._weights)
        others = len(self.values) - 1
        chosen: set[int] = set()
        # Floyd's way to a uniform set: each step adds a number below one more, or that one itself.
        for last in range(others - (self.size - inside), others):
            drawn = draws.below(last + 1)
            chosen.add(last if drawn in chosen else drawn)
        held = {(index + 1 + other) % len(self.values) for other in chosen} | (
            {index} if inside else set()
        )
        return hex_of([place in held for place in range(len(self.values))])

    def randomise_all(self, indices: Integers, draws: Draws) -> Octets:
        """Rows of packed bits, by the same steps for all: one that would be too many is not taken."""
        width = len(self.values)
        rows = np.empty((len(indices), -(-width // 8)), np.uint8)
        piece = max(1, _AT_ONCE // width)
        for start in range(0, len(indices), piece):
            rows[start : start + piece] = self._choose(indices[start : start + piece], draws)
        return rows

    def _choose(self, indices: Integers, draws: Draws) -> Octets:
        width, count = len(self.values), len(indices)
        every = np.arange(count)
        inside = draws.coins(*self._weights, count)
        chosen = np.zeros((count, width), np.bool_)  # others by their distance from the held value
        for last in range(width - 1 - self.size, width - 1):
            drawn = draws.numbers(last + 1, count)
            place = np.where(chosen[every, drawn], last, drawn)
            # A set with the true value has one other fewer: it begins one step later.
            chosen[every, place] |= ~inside if last == width - 1 - self.size else True
        places = (np.arange(width) - indices[:, None] - 1) % width
        bits = np.take_along_axis(chosen, places, axis=1)
        bits[every, indices] = inside
        return np.packbits(bits, axis=1)

    def read_reports(self, reports: Iterable[Report]) -> Octets:
        """Hexadecimal texts with as many bits as the set has values."""
        return self._check_size(read_rows(reports, len(self.values)))

    def check_array(self, reports: NDArray[Any]) -> Octets:
        """Rows with as many bits as the set has values."""
        return self._check_size(check_rows(reports, len(self.values)))

    def _check_size(self, rows: Octets) -> Octets:
        if (np.bitwise_count(rows).sum(axis=1, dtype=np.int64) != self.size).any():
            raise InvalidData(f"a report must name {self.size} values; encode it again")
        return rows

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values in its set."""
        return count_columns(reports, len(self.values))

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """All sets."""
        index, width = self.index_of(value), len(self.values)
        inside, outside = self.odds.truth, self.odds.lie
        total = comb(width - 1, self.size - 1) * inside + comb(width - 1, self.size) * outside
        return {
            hex_of([place in chosen for place in range(width)]): Fraction(
                inside if index in chosen else outside, total
            )
            for chosen in combinations(range(width), self.size)
        }

    def describe(self) -> dict[str, Any]:
        """The number of values, the odds and the size."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "subset", "values": len(self.values), "size": self.size, **odds}


def _variance(values: int, odds: Odds, size: int) -> Fraction:
    return SubsetSelection.with_odds(values, odds, size).variance(Fraction(1, values))
