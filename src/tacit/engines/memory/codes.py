"""Rows in Python lists as codes, one row after the other.

Checked by: tests/laws/test_tables.py::test_engines_count_the_same_tables
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tacit.engines.engine import conditions_of
from tacit.engines.grid_cells import cell_in
from tacit.engines.rows_as_codes import CodedRows
from tacit.engines.sources.rows import Owned
from tacit.engines.weights_of_rows import weight
from tacit.plan import (
    Axis,
    Coding,
    Owner,
    Ranked,
    Row,
    Value,
    Weights,
    compile_expression,
    constant,
    owner_of,
    type_of,
)

__all__ = ["code_rows"]


def code_rows(rows: list[Owned], coding: Coding, weights: Weights) -> CodedRows:
    """The codes of the rows that have one on every axis, and their weights."""
    conditions = [compile_expression(condition) for condition in conditions_of(coding.rows)]
    axes = [_read_code(axis) for axis in coding.axes]
    kept = []
    for row in rows:
        if all(condition(row.cells) is True for condition in conditions):
            codes = [axis(row.cells) for axis in axes]
            if None not in codes:
                kept.append((row.unit, codes))
    columns = zip(*(codes for _, codes in kept), strict=True) if kept else [[] for _ in axes]
    found = tuple(np.array(column, np.int64) for column in columns)
    sizes = tuple(axis.size for axis in coding.axes)
    if owner_of(coding.rows) is Owner.ROW:
        return CodedRows(found, sizes, None, weights.bits)
    owned = Counter(unit for unit, _ in kept)
    shares = {unit: weight([count], weights) for unit, count in owned.items()}
    weighed = np.array([shares[unit] for unit, _ in kept], np.int64)
    units = np.array([str(unit) for unit, _ in kept], object) if coding.units else None
    return CodedRows(found, sizes, weighed, weights.bits, units)


def _read_code(axis: Axis) -> Callable[[Row], int | None]:
    """The code of a row on an axis."""
    value, kind = compile_expression(axis.value), type_of(axis.value).kind
    listed: dict[Value, int] = {}
    for place, each in enumerate(axis.values):
        listed.setdefault(constant(each, kind), place)
    cell = cell_in(Ranked(axis.value, axis.grid, Fraction(1, 2))) if axis.grid is not None else None
    last = axis.size - 1 if axis.null else None

    def code(row: Row) -> int | None:
        found = value(row)
        if found is None:
            return last
        if found in listed:
            return listed[found]
        inside = None if cell is None else cell(row)
        return last if inside is None else inside + len(axis.values)

    return code
