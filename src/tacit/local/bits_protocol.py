"""What protocols share whose report has one bit for every value: how reports are read, counted and distributed.

Checked by: tests/laws/test_local.py, tests/unit/local/test_protocols.py
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

from numpy.typing import NDArray

from tacit.local.packed_bits import Octets, check_rows, count_columns, hex_of, read_rows
from tacit.local.protocol import FrequencyProtocol, Integers, Report

__all__ = ["BitsProtocol", "bit_distribution"]


class BitsProtocol(FrequencyProtocol):
    """A protocol whose report has a bit for every value: set with `truth` for the one held, with `stray` for others."""

    __slots__ = ()

    def read_reports(self, reports: Iterable[Report]) -> Octets:
        """Hexadecimal texts of one length."""
        return read_rows(reports, len(self.values))

    def check_array(self, reports: NDArray[Any]) -> Octets:
        """Rows of packed bits of one length."""
        return check_rows(reports, len(self.values))

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values whose bits are set."""
        return count_columns(reports, len(self.values))

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """All rows of bits."""
        return bit_distribution(self.index_of(value), len(self.values), self.truth, self.stray)


def bit_distribution(
    index: int, width: int, held: Fraction, other: Fraction
) -> dict[Report, Fraction]:
    """The probability of every row of bits, by its hexadecimal text."""
    chances = [held if place == index else other for place in range(width)]
    return {
        hex_of(list(bits)): prod(
            (chance if bit else 1 - chance for bit, chance in zip(bits, chances, strict=True)),
            start=Fraction(1),
        )
        for bits in product((False, True), repeat=width)
    }
