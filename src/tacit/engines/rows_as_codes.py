"""Rows as codes, of which contingency tables are counted: all tables of one release from one
scan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TooLarge
from tacit.frozen import frozen
from tacit.plan import Coding, Weights

__all__ = ["CodedRows", "check_coding", "code_type"]

_CHUNK = 1 << 22
_MOST_CODES = 1 << 16
_EXACT = 53  # bits of a whole number that a double holds


@frozen(eq=False)
class CodedRows:
    """The codes of all rows that count, axis by axis, and what each row weighs.

    `weights` is None where every row weighs 2**bits.  `units` are the names of the rows' units, as texts, where they
    were asked for and rows have units.
    """

    codes: tuple[NDArray[Any], ...]
    sizes: tuple[int, ...]
    weights: NDArray[np.int64] | None
    bits: int
    units: NDArray[Any] | None = None

    def count(self, axes: Sequence[int], groups: Sequence[NDArray[np.int64]]) -> NDArray[np.int64]:
        """What rows weigh in every combination of the groups of some axes; `groups` gives each code
        its group.

        Claim:      the sums are exact, whatever the order of rows.
        Because:    a chunk has at most 2**22 rows of at most 2**30 each, so that its sums are below
                    2**53 and doubles add them up exactly; chunks are added as integers.
        Checked by: tests/laws/test_tables.py::test_engines_count_the_same_tables
        """
        shape = tuple(int(each.max()) + 1 for each in groups)
        cells = int(np.prod(shape, dtype=np.int64))
        found = np.zeros(cells, np.int64)
        rows = len(self.codes[0]) if self.codes else 0
        for start in range(0, rows, _CHUNK):
            place = np.zeros(min(_CHUNK, rows - start), np.int64)
            for axis, each, size in zip(axes, groups, shape, strict=True):
                place *= size
                place += each[self.codes[axis][start : start + _CHUNK]]
            if self.weights is None:
                found += np.bincount(place, minlength=cells) << self.bits
            else:
                weighed = np.bincount(place, self.weights[start : start + _CHUNK], cells)
                found += weighed.astype(np.int64)
        return found.reshape(shape)


def check_coding(coding: Coding, weights: Weights) -> None:
    """Refuse axes with more codes than can be counted, and weights that doubles could not add up;
    by the plan alone."""
    if weights.bits + _CHUNK.bit_length() > _EXACT:
        raise TooLarge(f"weights of {weights.bits} bits cannot be added up exactly; use fewer bits")
    largest = max((axis.size for axis in coding.axes), default=0)
    if largest > _MOST_CODES:
        raise TooLarge(
            f"a column has {largest:,} codes of at most {_MOST_CODES:,}; declare fewer values"
        )


def code_type(size: int) -> str:
    """The narrowest SQL type for so many codes.

    >>> code_type(2), code_type(5_000)
    ('UTINYINT', 'USMALLINT')
    """
    return "UTINYINT" if size <= 1 << 8 else "USMALLINT" if size <= 1 << 16 else "UINTEGER"
