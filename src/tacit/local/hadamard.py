"""Hadamard response: a few bits about one row of a Hadamard matrix; the quickest to encode and collect."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.odds_protocol import OddsProtocol
from tacit.local.protocol import Integers, Report, Values, read_values
from tacit.local.randomized_response import check_numbers, read_numbers
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["HadamardResponse", "walsh"]

_TAILS = (1, 3, 3, 3, 5, 3, 3, 27, 3, 9, 5, 9, 27, 33, 3, 43, 9, 9, 39, 9, 5, 3, 33, 27)
"""For each width from 1 to 24 the lower terms of an irreducible polynomial over two elements, as bits."""

_CELLS = 24
"""Rows and bits are at most so long together: a collector counts every pair of them."""


@frozen(init=False)
class HadamardResponse(OddsProtocol):
    """A uniform row, and the value's few bits in that row by k-ary randomized response.

    The first bit of a value is its sign in the row of a Hadamard matrix; each further one is its sign in the row times
    the next power of a field's generator.  A report is row 2**bits + label.  Unless `bits` are given, those with the
    least variance are taken.  One bit, as in Apple 2017 and Acharya, Sun, Zhang 2019, is moved least by forged reports.

    Claim:      a report costs truth / lie of the response, and two different values have the same label in the share
                2**-bits of the rows, exactly.
    Because:    the row does not depend on the value, and given the row the report is a response.  The label of the
                difference of two values is linear and onto as a function of the row: multiplication by what is not zero
                is a bijection of the field, and its first powers are independent.
    Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less,
                tests/unit/local/test_hadamard.py::test_labels_of_two_values_agree_as_often_as_is_claimed

    >>> HadamardResponse(85, epsilon=1).rows, HadamardResponse(85, epsilon=4).bits
    (128, 5)
    """

    values: Values
    odds: Odds
    bits: int

    def __init__(
        self, values: int | Sequence[Hashable], epsilon: Number, *, bits: int | None = None
    ) -> None:
        _fill(self, read_values(values), Odds.of(epsilon), bits)

    @classmethod
    def with_odds(
        cls, values: int | Sequence[Hashable], odds: Odds, *, bits: int | None = None
    ) -> HadamardResponse:
        """The protocol with these odds."""
        made = cls.__new__(cls)
        _fill(made, read_values(values), odds, bits)
        return made

    @property
    def rows(self) -> int:
        """The number of rows: a power of two."""
        return 1 << _width(self.values)

    @property
    def labels(self) -> int:
        """The number of labels that a value can have in a row."""
        return 1 << self.bits

    @property
    def stray(self) -> Fraction:
        """One by the number of labels: so often have two different values the same."""
        return Fraction(1, self.labels)

    @property
    def report_bits(self) -> int:
        """Those of the row, and those of the label."""
        return _width(self.values) + self.bits

    @property
    def _lies(self) -> int:
        return self.odds.lie * (self.labels - 1)

    def randomise(self, index: int, draws: Draws) -> int:
        """Row 2**bits + label."""
        row = draws.below(self.rows)
        label, turned = 0, row
        for place in range(self.bits):
            label |= ((turned & index).bit_count() & 1) << place
            turned = self._turn(turned)
        if not draws.coin(self.odds.truth, self._lies):
            label ^= 1 + draws.below(self.labels - 1)
        return row << self.bits | label

    def randomise_all(self, indices: Integers, draws: Draws) -> NDArray[Any]:
        """The same for many; as short numbers as they fit."""
        kind: Any = np.uint16 if self.report_bits <= 16 else np.uint32
        rows = draws.numbers(self.rows, len(indices)).astype(kind)
        labels = self.label_all(rows, indices.astype(kind))
        lies = draws.coins(self._lies, self.odds.truth, len(indices))
        if self.bits == 1:
            labels ^= lies
        else:
            others = draws.numbers(self.labels - 1, len(indices)).astype(kind)
            labels ^= (others + kind(1)) * lies
        return np.asarray(rows << kind(self.bits) | labels)

    def label_all(self, rows: NDArray[Any], indices: NDArray[Any]) -> NDArray[Any]:
        """The label of each value in its row."""
        kind: Any = rows.dtype.type
        labels, turned = np.zeros_like(rows), rows
        for place in range(self.bits):
            signs = np.bitwise_count(turned & indices).astype(kind) & kind(1)
            labels |= signs << kind(place)
            turned = self._turn_all(turned) if place + 1 < self.bits else turned
        return labels

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Whole numbers below the rows times the labels."""
        return read_numbers(reports, self.rows * self.labels)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Whole numbers below the rows times the labels."""
        return check_numbers(reports, self.rows * self.labels)

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values that have its label in its row.

        Claim:      each support is the number of reports whose label is the value's, in integers.
        Because:    that two labels are equal is the mean of the signs of all parts of their difference; the sign of
                    a part is that of the value in some row, so that one transform sums them all.
        Checked by: tests/unit/local/test_hadamard.py::test_supports_are_those_counted_one_by_one
        """
        cells = np.bincount(reports, minlength=self.rows * self.labels)
        parts = _walsh_rows(cells.reshape(self.rows, self.labels))
        turned = [np.arange(self.rows)]
        for _ in range(1, self.bits):
            turned.append(self._turn_all(turned[-1]))
        summed = np.zeros(self.rows, np.int64)
        for part in range(self.labels):
            places = np.zeros(self.rows, np.int64)
            for place in range(self.bits):
                if part >> place & 1:
                    places ^= turned[place]
            if part:
                summed[places] += parts[
                    :, part
                ]  # multiplication by what is not zero: each place once
            else:
                summed[0] += len(reports)
        return (walsh(summed) >> self.bits)[: len(self.values)]

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """Every row with every label."""
        index = self.index_of(value)
        rows = np.arange(self.rows)
        held = self.label_all(rows, np.full(self.rows, index)).tolist()
        lie = Fraction(self.odds.lie, self.odds.truth + self._lies)
        return {
            row << self.bits | label: (self.truth if label == held[row] else lie) / self.rows
            for row in range(self.rows)
            for label in range(self.labels)
        }

    def describe(self) -> dict[str, Any]:
        """The number of values and of rows, the bits of a label, how rows are turned, and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        shape = {"rows": self.rows, "bits": self.bits, "tail": _TAILS[_width(self.values) - 1]}
        return {"protocol": "hadamard", "values": len(self.values), **shape, **odds}

    def _turn(self, row: int) -> int:
        """The row times the field's generator."""
        width = _width(self.values)
        return (row << 1) ^ ((self.rows | _TAILS[width - 1]) if row >> (width - 1) else 0)

    def _turn_all(self, rows: NDArray[Any]) -> NDArray[Any]:
        width, kind = _width(self.values), rows.dtype.type
        top = rows >> kind(width - 1)
        kept = (rows ^ (top << kind(width - 1))) << kind(1)
        return np.asarray(kept ^ top * kind(_TAILS[width - 1]))


def _fill(made: HadamardResponse, values: Values, odds: Odds, bits: int | None) -> None:
    width = _width(values)
    most = max(1, min(width, _CELLS - width))
    if bits is not None:
        fill(made, values=values, odds=odds, bits=count_of(bits, "bits", least=1, most=most))
        return
    fill(made, values=values, odds=odds, bits=1)
    shown = [HadamardResponse.with_odds(values, odds, bits=each) for each in range(1, most + 1)]
    least = min(shown, key=lambda each: (each.variance(Fraction(1, len(values))), each.bits))
    fill(made, values=values, odds=odds, bits=least.bits)


def _width(values: Values) -> int:
    return (len(values) - 1).bit_length()


def _walsh_rows(numbers: NDArray[Any]) -> NDArray[Any]:
    """The transform of every row by itself."""
    changed, half, count = numbers.astype(np.int64), 1, numbers.shape[1]
    while half < count:
        pairs = changed.reshape(len(numbers), -1, 2, half)
        sums, gaps = pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]
        changed = np.stack([sums, gaps], axis=2).reshape(len(numbers), count)
        half *= 2
    return changed


def walsh(numbers: Integers) -> Integers:
    """The Walsh-Hadamard transform of a power of two of numbers, not scaled.

    >>> walsh(np.array([1, 2, 3, 4]))
    array([10, -2, -4,  0])
    """
    return np.asarray(_walsh_rows(numbers.reshape(1, -1))[0])
