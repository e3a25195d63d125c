"""Rows as numbers: the code of each row's value in every column that tables are made of.

Checked by: tests/laws/test_tables.py::test_engines_count_the_same_tables
"""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression, Field
from tacit.plan.model.nodes import Counted, Question, Rows
from tacit.plan.model.rank_grids import Even
from tacit.plan.model.schema import Scalar

__all__ = ["Axis", "Coding"]


@frozen
class Axis:
    """What rows are told apart by, and its codes, all public: some values, then the cells of a
    grid, then NULL.

    A value that is listed has its place among `values`, another one that of its cell.  With `null`,
    NULL has the last code, and so has a value that is neither listed nor on the grid; without it,
    such a row is left out.
    """

    value: Expression
    values: tuple[Scalar, ...] = ()
    grid: Even | None = None
    null: bool = False

    @property
    def size(self) -> int:
        """How many codes there are."""
        return len(self.values) + (self.grid.count if self.grid else 0) + self.null


@frozen
class Coding:
    """Rows, and the axes by which they are coded; a row that has no code on one of them is left
    out.  With `units`, rows come with the names of their units."""

    rows: Rows
    axes: tuple[Axis, ...]
    units: bool = False

    @property
    def question(self) -> Question:
        """A question that reads the same columns of the same rows."""
        return Question(self.rows, (), tuple(Counted(axis.value) for axis in self.axes))

    @property
    def computed(self) -> Question:
        """A question that computes what the axes do, without those that read a column as it is.

        Claim:      a row's columns together are no longer than the row, however many there are.
        Because:    each is read once, and becomes a number of a few bytes.
        Checked by: tests/unit/engines/duckdb/test_engine.py::test_many_columns_of_text_are_coded
        """
        seen, values = set[Expression](), list[Expression]()
        for axis in self.axes:  # a column is left out the first time
            if isinstance(axis.value, Field) and axis.value not in seen:
                seen.add(axis.value)
            else:
                values.append(axis.value)
        return Question(self.rows, (), tuple(map(Counted, values)))
