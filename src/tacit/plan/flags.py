"""Whether a unit has a row among others, as a value of each of its rows: IN and EXISTS inside an expression."""

from dataclasses import replace

from tacit.errors import InvalidPlan
from tacit.plan.expressions import Expression, Field, IsNull, Literal, Not
from tacit.plan.folding import fold_rows, unused_name
from tacit.plan.nodes import Folding, Inner, Joined, Rows
from tacit.plan.owners import Owner, owner_of
from tacit.plan.rows import columns_of
from tacit.plan.schema import Kind

__all__ = ["flag_units"]


def flag_units(rows: Rows, among: Rows) -> tuple[Rows, Expression]:
    """The rows with one column more, and the condition on it that a row's unit has a row among others.

    Claim:      a unit's rows are as many as before, and the condition is true exactly of those whose unit is among the
                others; it is never NULL.
    Because:    the others are folded into one row a unit, which an outer join on the unit meets once or not at all;
                rows without a unit are in neither.
    Checked by: tests/laws/test_wide_rows.py
    """
    if owner_of(rows) is not Owner.UNIT or owner_of(among) is not Owner.UNIT:
        raise InvalidPlan("units are looked for, and here rows have none", "compare columns instead")
    used = [column.name for column in (*columns_of(rows), *columns_of(among))]
    fold = fold_rows(Folding.LEAST, Literal(1, Kind.INTEGER), 1)
    column = replace(fold.column, name=unused_name("is among", used))
    one = Inner(among, (), (replace(fold, column=column),))
    found = Joined(rows, one, (), outer=True)
    return found, Not(IsNull(Field(columns_of(found)[-1])))
