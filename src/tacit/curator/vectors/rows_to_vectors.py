"""Rows in memory as kernels read them: places become features, features become held vectors."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.vectors.exact_vector_sums import map_features, measure
from tacit.curator.vectors.summable_vectors import (
    GRID,
    Array,
    Encoding,
    FeatureMap,
    Kernel,
    arrays_of,
    largest_bits,
)
from tacit.engines import CodedRows
from tacit.exact import words
from tacit.privacy import Norm

__all__ = ["NO_TARGET", "EncodedRows", "sum_vectors"]

_BLOCK = 1 << 14
_CACHED = 1 << 20  # numbers of a block that stay near the processor
_KEPT = 1 << 29  # bytes of held vectors that are remembered between steps


class EncodedRows:
    """All rows that count, or a part of them; what a feature map makes of them is remembered.

    `units` has a whole number for each row, the same for rows of one unit; without it, every row is a unit.
    """

    def __init__(
        self,
        places: tuple[NDArray[Any], ...],
        target: NDArray[np.int64],
        weights: Array,
        remembered: dict[str, Any] | None = None,
        at: Any = slice(None),
        units: NDArray[np.int64] | None = None,
    ) -> None:
        self.units = units
        self._places, self._remembered, self._at = (
            places,
            {} if remembered is None else remembered,
            at,
        )
        self._target, self._weights = target, weights
        self.target, self.weights = target[at], weights[at]

    @classmethod
    def from_codes(
        cls, rows: CodedRows, orders: Sequence[NDArray[np.int64]], target: NDArray[np.int64]
    ) -> EncodedRows:
        """Rows whose last axis is the target; `target` has a number for each of its places.

        Claim:      a row without a target weighs nothing, and every other as the engine says.
        Because:    its weight is multiplied by zero.
        Checked by: tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed
        """
        narrow = (order.astype(np.min_scalar_type(len(order))) for order in orders)
        places = tuple(order[codes] for order, codes in zip(narrow, rows.codes, strict=True))
        count = len(places[0]) if places else 0
        one = float(1 << rows.bits)
        weights = np.full(count, one) if rows.weights is None else rows.weights.astype(np.float64)
        units = None if rows.units is None else np.unique(rows.units, return_inverse=True)[1]
        if not len(target):
            return cls(places, np.zeros(count, np.int64), weights, units=units)
        found = target[places[-1]]
        has_none = found == NO_TARGET
        weights[has_none] = 0.0
        return cls(places, np.where(has_none, 0, found), weights, units=units)

    def __len__(self) -> int:
        return len(self._target)

    def part(self, at: Any) -> EncodedRows:
        """Some of the rows."""
        return EncodedRows(self._places, self._target, self._weights, self._remembered, at)

    def places(self, column: int) -> NDArray[Any]:
        """The places of a column."""
        return np.asarray(self._places[column][self._at])

    def features(self, encoding: Encoding) -> Array:
        """The features on the grid."""
        found = np.empty((encoding.width, len(self.target)))  # written feature by feature
        start = 0
        for column, table in zip(encoding.columns, encoding.tables, strict=True):
            places = self._places[column][self._at]
            for at in range(table.shape[1]):
                found[start + at] = table[:, at][places]
            start += table.shape[1]
        if encoding.constant:
            found[start] = GRID
        return found.T

    def mapped(self, mapping: FeatureMap, norm: Norm) -> tuple[Array, Array, Array]:
        """u in whole steps, its size, and which part of it was kept."""
        if len(self._target) * mapping.width * 2 > _KEPT:
            return map_features(mapping, self.features(mapping.encoding), norm)
        known = self._remembered
        if known.get("mapping") is not mapping or known.get("norm") is not norm:
            self._remember(mapping, norm)
        u, size, kept = known["vectors"]
        return u[self._at].astype(np.float64), size[self._at], kept[self._at]

    def _remember(self, mapping: FeatureMap, norm: Norm) -> None:
        count = len(self._target)
        u = np.empty((count, mapping.width), np.int16)  # at most FINE, which 16 bits hold
        size, kept = np.empty(count), np.empty(count)
        block = max(1, min(_BLOCK, _CACHED // (mapping.encoding.width + mapping.width)))
        for start in range(0, count, block):
            at = slice(start, start + block)
            features = self.part(at).features(mapping.encoding)
            u[at], size[at], kept[at] = map_features(mapping, features, norm)
        self._remembered.clear()
        self._remembered.update(mapping=mapping, norm=norm, vectors=(u, size, kept))


NO_TARGET = -(1 << 40)
"""Stands for a target that a row does not have."""


def sum_vectors(
    kernel: Kernel, rows: EncodedRows, bits: int, norm: Norm
) -> tuple[NDArray[np.int64], ...]:
    """The exact sums of a kernel over all rows, or over those of a fresh sample of units.

    Claim:      the sums are exact, and every unit is in a sample with the kernel's rate, independently, with all
                of its rows or with none.
    Because:    a block has so few rows that its sums stay below 2**53; each unit has 16 secure bits of
                its own, and its rows are in the sample if they are less than the rate.
    Checked by: tests/laws/test_vectors.py::test_sums_do_not_depend_on_the_order_of_rows
    """
    found = tuple(np.zeros(size, np.int64) for size in arrays_of(kernel))
    block = max(1, min(_BLOCK, 1 << max(0, 52 - largest_bits(kernel) - bits)))
    for at in _blocks(len(rows), getattr(kernel, "rate", None), block, rows.units):
        for place, part in enumerate(measure(kernel, rows.part(at), norm)):
            found[place][:] += part
    return found


def _blocks(
    count: int, rate: int | None, size: int, units: NDArray[np.int64] | None = None
) -> Iterator[Any]:
    if rate is None:
        yield from (slice(start, start + size) for start in range(0, count, size))
        return
    tosses = count if units is None else int(units.max(initial=-1)) + 1
    coins = words(-(-tosses // 4)).view(np.uint16)[:tosses] if tosses else np.zeros(0, np.uint16)
    is_drawn = coins.astype(np.int64) < rate
    drawn = np.flatnonzero(is_drawn if units is None else is_drawn[units])
    yield from (drawn[start : start + size] for start in range(0, len(drawn), size))
