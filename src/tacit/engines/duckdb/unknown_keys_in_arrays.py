"""What units hold of unknown keys, counted in arrays: rows sorted by unit and cell, which is quicker than any join.

A cell is a key's place in the order of the hashes, times the number of public groups, plus the place among those.
"""

from __future__ import annotations

from math import isqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.unknown_keys_per_unit import key_weight
from tacit.frozen import frozen
from tacit.plan import Keeping, Weighing, Weights

__all__ = ["Held", "can_find_heavy", "hold_pairs", "hold_rows"]

Integers = NDArray[np.int64]


@frozen
class Held:
    """How many rows every unit has in its cells, unit by unit: `units` are their names, `starts` where each begins."""

    units: Integers
    starts: Integers
    cells: Integers
    counts: Integers
    keys: int
    public: int

    def key_weights(self, keeping: Keeping) -> Integers:
        """What every key weighs, of which units keep the first ones.

        Claim:      the sums are exact.
        Because:    they are sums of integers that stay below 2**53: of fewer than 2**31 units, each of which adds at
                    most 2**20.
        Checked by: tests/laws/test_keys.py::test_memory_and_duckdb_gather_the_same
        """
        assert keeping.bits <= 20, "doubles hold the sums"
        places, starts = self._distinct()
        numbers = np.diff(starts, append=len(places))
        kept = np.minimum(numbers, keeping.most)
        shares = np.array(
            [0, *(key_weight(k, keeping) for k in range(1, int(kept.max(initial=0)) + 1))],
            np.float64,
        )
        weights = np.repeat(shares[kept], numbers)
        if (kept < numbers).any():
            weights[np.arange(len(places)) - np.repeat(starts, numbers) >= keeping.most] = 0
        return np.bincount(places, weights, minlength=self.keys).astype(np.int64)

    def _distinct(self) -> tuple[Integers, Integers]:
        """The places of every unit's keys, each once, and where each unit begins."""
        if self.public == 1:
            return self.cells, self.starts
        places = self.cells // self.public
        first = np.empty(len(places), bool)
        first[:1] = True
        np.not_equal(places[1:], places[:-1], out=first[1:])
        first[self.starts] = True
        return places[first], (np.cumsum(first) - 1)[self.starts]

    def find_heavy(self, chosen: Integers, weights: Weights) -> tuple[Integers, Integers] | None:
        """The units whose rows in the cells of chosen keys weigh less than 2**bits, and by how much; None: ask SQL."""
        if not can_find_heavy(weights):
            return None
        alive = np.zeros(self.keys, bool)
        alive[chosen] = True
        squares = self.counts * self.counts
        if not alive.all():
            squares = np.where(
                alive[self.cells // self.public if self.public > 1 else self.cells], squares, 0
            )
        norms = np.add.reduceat(squares, self.starts) if len(squares) else squares
        heavy = np.flatnonzero(norms > weights.bound**2)
        full, quotients = 1 << weights.bits, (weights.bound**2 << 2 * weights.bits) // norms[heavy]
        distinct, which = np.unique(quotients, return_inverse=True)
        roots = np.array([isqrt(quotient) for quotient in distinct.tolist()], np.int64)
        return self.units[heavy], roots[which] - full


def can_find_heavy(weights: Weights) -> bool:
    """Whether weights are those of 64-bit integers: of squares, with quotients that fit."""
    return weights.norm is Weighing.L2 and not weights.bound**2 << 2 * weights.bits >> 63


def hold_pairs(unit: Integers, cell: Integers, rows: Integers, keys: int) -> Held:
    """What units hold, from every pair of unit and cell and its number of rows; cells of a unit are in no order.

    >>> hold_pairs(np.array([7, 3, 7]), np.array([0, 1, 1]), np.array([2, 1, 5]), keys=2).counts.tolist()
    [1, 2, 5]
    """
    order = np.argsort(unit, kind="stable")
    units, starts = np.unique(unit[order], return_index=True)
    return Held(units, starts, cell[order], rows[order], keys, 1)


def hold_rows(unit: Integers, cell: Integers, keys: int, public: int) -> Held:
    """What units hold, from the unit and the cell of every row.

    Claim:      what comes out depends on no order of rows and on no width of integers.
    Because:    unit and cell are packed into one number, in 32 bits only where the largest of each fit; what is sorted
                has one order, and rows of a file that has its units in order are merely sorted sooner.
    Checked by: tests/unit/engines/duckdb/test_unknown_keys_in_arrays.py::test_rows_in_any_order_are_held_alike

    >>> hold_rows(np.array([7, 7, 3]), np.array([0, 0, 1]), keys=2, public=1).counts.tolist()
    [1, 2]
    """
    assert len(unit) < 1 << 31, "the squares of so many rows add up to less than 2**62"
    width = max(1, (keys * public - 1).bit_length())
    least, most = (int(unit.min()), int(unit.max())) if len(unit) else (0, 0)
    names: Any = None
    if (most - least).bit_length() + width > 63:
        names, unit = np.unique(unit, return_inverse=True)
        least, most = 0, len(names) - 1
    # runs that are in order already are merged in a fifth of the time of a sort that knows nothing of them
    kind: Any = "stable" if bool((unit[1:] >= unit[:-1]).all()) else "quicksort"
    narrow = (most - least).bit_length() + width <= 32
    packed: Any = (unit - least if least else unit).astype(np.uint32 if narrow else np.int64)
    packed <<= width
    packed |= cell.astype(packed.dtype, copy=False)
    packed.sort(kind=kind)
    first = np.empty(len(packed), bool)
    first[:1] = True
    np.not_equal(packed[1:], packed[:-1], out=first[1:])
    begins = np.flatnonzero(first)
    pairs = packed[begins]
    counts = np.diff(begins, append=len(packed))
    owners = pairs >> width
    pairs &= (1 << width) - 1
    first = first[: len(owners)]
    first[:1] = True
    np.not_equal(owners[1:], owners[:-1], out=first[1:])
    starts = np.flatnonzero(first)
    found = owners[starts].astype(np.int64)
    units = found + least if names is None else names[found]
    return Held(units, starts, pairs.astype(np.int64, copy=False), counts, keys, public)
