"""Whether a unit has a row among others (IN and EXISTS in an expression), and whether a column is the unit itself."""

from __future__ import annotations

from dataclasses import replace

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import Expression, Field, IsNull, Literal, Not
from tacit.plan.model.nodes import (
    Computed,
    Defined,
    Folding,
    Inner,
    Joined,
    Kept,
    Rows,
    Scan,
    Where,
    Windowed,
)
from tacit.plan.model.ownership import Owner, owner_of
from tacit.plan.model.schema import Kind
from tacit.plan.questions.aggregate_per_unit import fold_rows, unused_name
from tacit.plan.questions.row_columns import columns_of

__all__ = ["deduplicate_rows", "flag_units", "is_unit_of"]


def flag_units(rows: Rows, among: Rows) -> tuple[Rows, Expression]:
    """The rows with one column more, and the condition on it that a row's unit has a row among others.

    Claim:      a unit's rows are as many as before, and the condition is true exactly of those whose unit is among the
                others; it is never NULL.
    Because:    the others are folded into one row a unit, which an outer join on the unit meets once or not at all;
                rows without a unit are in neither.
    Checked by: tests/laws/test_wide_rows.py
    """
    if owner_of(rows) is not Owner.UNIT or owner_of(among) is not Owner.UNIT:
        raise InvalidPlan(
            "this compares units, but these rows have none", "compare columns instead"
        )
    used = [column.name for column in (*columns_of(rows), *columns_of(among))]
    fold = fold_rows(Folding.LEAST, Literal(1, Kind.INTEGER), 1)
    column = replace(fold.column, name=unused_name("is among", used))
    one = Inner(among, (), (replace(fold, column=column),))
    found = Joined(rows, one, (), outer=True)
    return found, Not(IsNull(Field(columns_of(found)[-1])))


def is_unit_of(value: Expression, rows: Rows) -> bool:
    """Whether a value is a copy of the unit of its rows, under whatever name.

    >>> from tacit.plan import Column, Table
    >>> visits = Table("visits", (Column("person", Kind.INTEGER, 0, 9),), unit="person")
    >>> person = Field(visits.columns[0])
    >>> is_unit_of(Field(Column("who", Kind.INTEGER, 0, 9)), Computed(Scan(visits), (Defined("who", person),)))
    True
    """
    while isinstance(value, Field):
        match rows:
            case Scan(table):
                return value.column.name == table.unit
            case Where(inner, _) | Kept(inner, _, _) | Windowed(inner, _):
                rows = inner
            case Computed(inner, columns) | Inner(inner, columns, _):
                name = value.column.name
                found = [each.value for each in columns if each.name == name]
                if not found:
                    return False
                value, rows = found[0], inner
            case _:
                return False
    return False


def deduplicate_rows(rows: Rows, unit: str | None) -> Rows:
    """The rows of each unit, those that are alike only once.

    Claim:      what stays of a unit's rows depends on no other unit's.
    Because:    it is one row for every unit and combination of all columns: units are never compared, and where the
                unit is not told, rows of two units would be, so that it is refused.
    Checked by: tests/laws/test_rows.py and tests/unit/plan/test_wide.py::test_rows_of_different_units_never_become_one
    """
    if owner_of(rows) is not Owner.UNIT or not unit:
        reason = "DISTINCT without the unit would merge equal rows of different units"
        remedy = (
            "count values with COUNT(DISTINCT x) or COUNT(DISTINCT (x, y)), or select the unit as well: "
            "SELECT DISTINCT unit, x FROM ..."
        )
        raise InvalidPlan(reason, remedy)
    return Inner(
        rows, tuple(Defined(column.name, Field(column)) for column in columns_of(rows)), ()
    )
