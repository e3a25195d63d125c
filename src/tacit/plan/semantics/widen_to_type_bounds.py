"""Keys that are calculated from numbers without bounds: the bounds of their type are enough to know that none fails."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from tacit.plan.model.expressions import Expression, Field, rebuilt
from tacit.plan.model.schema import Column, Kind
from tacit.plan.semantics.ranges import INT64

__all__ = ["widen"]

_LARGE = Fraction(10) ** 200
"""Room is left to calculate with doubles."""


def widen(expression: Expression) -> Expression:
    """The expression, with the bounds of their type for columns of numbers that have none.

    Claim:      no row makes the calculation fail, and it is the same for every number that a double or 64 bits can hold
                up to 10 to the power of 200.
    Because:    a column is held between its bounds before anything is calculated, and types are proved within them.
                Nothing is measured of the value: it says to which group a row belongs, whatever the group, so that no
                noise depends on how wide it is.
    Checked by: tests/unit/plan/test_wide.py::test_buckets_of_numbers_without_bounds_are_unknown_keys and
                tests/laws/test_statements_of_ranks_and_keys.py

    >>> widen(Field(Column("x", Kind.INTEGER, low=0))).column.high == 2**63 - 1
    True
    """
    match expression:
        case Field(column):
            return Field(_with_type_bounds(column))
        case _:
            return rebuilt(expression, widen)


def _with_type_bounds(column: Column) -> Column:
    if column.kind not in {Kind.INTEGER, Kind.NUMBER} or column.values:
        return column
    least, most = (INT64.low, INT64.high) if column.kind is Kind.INTEGER else (-_LARGE, _LARGE)
    ends = [int(end) if column.kind is Kind.INTEGER else end for end in (least, most)]
    low = ends[0] if column.low is None else column.low
    high = ends[1] if column.high is None else column.high
    return replace(column, low=low, high=high)
