"""Rows of units that are small whole numbers, weighed and added up in arrays: a third of the time of hash tables.

Units are counted in an array that has a place for every number between the least and the largest of them.  Few
different weights come out, the levels; rows are counted and summed by group and level, and levels are weighed last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.engines.duckdb.unknown_keys_in_arrays import can_find_heavy, hold_rows
from tacit.engines.engine import Answer
from tacit.engines.sql.sums_of_terms import Recipe, Term
from tacit.engines.weights_of_rows import weight
from tacit.frozen import frozen
from tacit.plan import Weighing, Weights

__all__ = ["LEAST_ROWS", "MOST_ROWS", "add_up", "can_add_up"]

LEAST_ROWS, MOST_ROWS = 100_000, 1 << 25
"""Fewer rows are quicker in SQL, and more would take more than a gigabyte of memory."""

_EXACT = 1 << 53
"""Doubles hold all whole numbers up to this one."""

_FIELDS, _FIELD_BITS, _ROWS_AT = 4, 8, 32
_MOST_CELLS, _SMALL, _PIECE = 1 << 20, 1 << 16, 1 << 15

Integers = NDArray[Any]


def can_add_up(rows: int, terms: Sequence[Term], weights: Weights, groups: int) -> bool:
    """Whether so many rows may be added up here: sums of doubles are exact, and roots are those of 64 bits."""
    if not LEAST_ROWS <= rows <= MOST_ROWS or groups > _MOST_CELLS:
        return False
    by_rows = weights.norm is Weighing.L1 or groups == 1
    return (by_rows or can_find_heavy(weights)) and all(
        rows * term.reach < _EXACT for term in terms
    )


def add_up(
    columns: Mapping[str, Integers],
    terms: Sequence[Term],
    recipes: Sequence[Recipe],
    groups: int,
    weights: Weights,
) -> Answer | None:
    """The measures of every group, multiplied by 2**bits; None where units lie too far apart or weights are too many.

    `columns` are those of `RowColumns`.

    Claim:      the measures are those of the memory engine, bit for bit, whatever the order of rows.
    Because:    every row adds to one cell, of its group and of the weight of its unit.  `can_add_up` allows no sum of
                2**53 or more, so that the doubles of `bincount` are whole numbers throughout; cells are multiplied by
                weights in integers of any size.
    Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree and
                tests/unit/engines/duckdb/test_weigh_arrays.py
    """
    unit = columns["unit"]
    if not len(unit):
        return np.zeros((groups, len(recipes)), object)
    least, most = int(unit.min()), int(unit.max())
    if most - least >= max(len(unit), _SMALL):  # a far unit would take more memory than all rows
        return None
    unit = unit.astype(np.intp, copy=False)
    if least < 0 or most >= 2 * (most - least + 1):
        unit = unit - least
        most -= least
    rows = {**columns, "unit": unit}
    if weights.norm is Weighing.L1 or groups == 1:
        totals = _weigh(rows, terms, groups, _levels_of_sizes(np.bincount(unit), weights))
    else:
        totals = _weigh(rows, terms, groups, _Levels((1 << weights.bits,), None))
        heavy = _find_heavy(unit, columns["group_id"], most + 1, groups, weights)
        if heavy is not None:
            theirs = {name: each[heavy.rows] for name, each in rows.items()}
            changes = _weigh(theirs, terms, groups, heavy.changes)
            totals = None if totals is None or changes is None else totals + changes
    if totals is None:
        return None
    found = np.zeros((groups, len(recipes)), object)
    for place, recipe in enumerate(recipes):
        for name, times in recipe:
            found[:, place] += totals[[term.name for term in terms].index(name)] * times
    return found


@frozen
class _Levels:
    """The different weights of units, or their changes, and at which of them each unit is; None: all at the first."""

    weights: tuple[int, ...]
    of_units: Integers | None


@frozen
class _Heavy:
    """The rows among which are all of heavy units, and how much less than 2**bits rows of units weigh."""

    rows: Integers
    changes: _Levels


def _weigh(
    rows: Mapping[str, Integers], terms: Sequence[Term], groups: int, levels: _Levels
) -> Integers | None:
    """What rows add up to with their weights, by term and group; None if there are too many different weights."""
    size = len(levels.weights)
    cells = groups * size
    if cells > _MOST_CELLS:
        return None
    kind = np.uint16 if cells <= _SMALL else np.int64
    sums = np.zeros((len(terms), cells), np.int64)
    for some in _pieces(len(rows["unit"]), cells):
        cell = rows["group_id"][some]
        if levels.of_units is not None:
            cell = cell.astype(kind) * size + levels.of_units[rows["unit"][some]]
        for place, term in enumerate(terms):
            added = None if term.column is None else rows[f"term_{term.name}"][some]
            sums[place] += np.bincount(cell, added, cells).astype(np.int64, copy=False)
    by_level: Integers = sums.reshape(len(terms), groups, size).astype(object)
    totals: Integers = by_level @ np.array(levels.weights, object)
    return totals


def _pieces(rows: int, cells: int = 0) -> list[slice]:
    """Pieces of rows, of which what is made stays in the caches of a processor unless there are many cells."""
    size = max(_PIECE, 16 * cells)
    return [slice(start, start + size) for start in range(0, rows, size)]


def _levels_of_sizes(sizes: Integers, weights: Weights) -> _Levels:
    """What rows of units weigh that have so many, where one number is a unit's vector."""
    distinct, of_units = _number_distinct(sizes)
    # a unit without rows has no weight, and no row that asks for it
    return _Levels(tuple(weight([max(size, 1)], weights) for size in distinct.tolist()), of_units)


def _find_heavy(
    unit: Integers, group: Integers, units: int, groups: int, weights: Weights
) -> _Heavy | None:
    """Who weighs less than 2**bits in the norm L2, and how much; None if nobody does."""
    suspects = _find_suspects(unit, group, units, groups, weights.bound)
    rows = np.concatenate(
        [np.flatnonzero(suspects[unit[some]]) + some.start for some in _pieces(len(unit))]
    )
    held = hold_rows(unit[rows], group[rows].astype(np.int64), groups, 1)
    found = held.find_heavy(np.arange(groups), weights)
    assert found is not None, "`can_add_up` asked whether they can be found"
    if not len(found[0]):
        return None
    distinct, at = np.unique(found[1], return_inverse=True)
    of_units = np.zeros(units, np.uint16 if len(distinct) < _SMALL else np.int64)
    of_units[found[0]] = at + 1
    return _Heavy(rows, _Levels((0, *distinct.tolist()), of_units))


def _number_distinct(sizes: Integers) -> tuple[Integers, Integers]:
    """The different numbers of an array in their order, and where in it each element is."""
    if int(sizes.max()) >= _SMALL:
        return np.unique(sizes, return_inverse=True)
    there = np.bincount(sizes) > 0
    return np.flatnonzero(there), (np.cumsum(there) - 1).astype(np.uint16)[sizes]


def _find_suspects(
    unit: Integers, group: Integers, units: int, groups: int, bound: int
) -> NDArray[np.bool_]:
    """Which units may be heavy: those whose numbers of rows by group may have a sum of squares above bound**2.

    Claim:      a unit that is not named has no such sum.
    Because:    groups are thrown into a few fields, and the rows of a unit counted by field: the square of a sum is no
                less than the sum of squares.  The counters lie in one word, with that of all rows above them: one that
                ran over adds to those above it, so that with at most 255 rows none did, and with more at least so many
                are counted.
    Checked by: tests/unit/engines/duckdb/test_weigh_arrays.py::test_nobody_who_is_heavy_is_overlooked
    """
    fields = np.arange(groups) % _FIELDS
    step = (1 << _ROWS_AT) + (1 << _FIELD_BITS * fields)
    packed = np.zeros(units, np.int64)
    for some in _pieces(len(unit)):
        np.add.at(packed, unit[some], np.take(step, group[some]))
    largest = (1 << _FIELD_BITS) - 1
    found = packed >> _ROWS_AT > largest
    for some in _pieces(units):
        squares = np.zeros(len(packed[some]), np.int64)
        for field in range(_FIELDS):
            counted = (packed[some] >> _FIELD_BITS * field) & largest
            squares += counted * counted
        found[some] |= squares > min(bound**2, 1 << 62)
    return found
