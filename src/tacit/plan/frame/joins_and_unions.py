"""The frame door to rows beyond one table: joins, stacks, units among others, and what a unit's rows add up to."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.errors import InvalidPlan
from tacit.plan.frame.column_expressions import Scope as Reading
from tacit.plan.frame.column_expressions import Term
from tacit.plan.model.expressions import Field
from tacit.plan.model.nodes import Computed, Defined, Joined, Kept, Rows, Scan, Stacked
from tacit.plan.model.ownership import Owner, size_of
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import SELECTED, Draft, Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Origin, Scope, of_rows, of_table, place_side_by_side
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.questions.unit_membership import deduplicate_rows, flag_units

__all__ = [
    "semi_join_drafts",
    "distinct",
    "flag",
    "join_drafts",
    "origin_of",
    "per_unit",
    "stack_drafts",
]


def origin_of(draft: Draft) -> Origin:
    """The rows of a frame, with its conditions, as the table that they look like."""
    rows = draft.question.rows
    if isinstance(rows, Scan):
        return of_table(rows.table)
    plain = of_table(draft.table)
    return of_rows(rows, draft.table.name, draft.table.unit, plain.names, size_of(rows))


def per_unit(draft: Draft, by: Sequence[str], columns: Mapping[str, Term]) -> tuple[Rows, Table]:
    """One row for every unit and every combination of its keys, with what its rows add up to."""
    origin = origin_of(draft)
    inside = Inside(origin.table, rows=origin.rows, grouped=True)
    if origin.owner is not Owner.UNIT:
        raise InvalidPlan(
            "every row is a unit, so there is nothing to aggregate per unit", "leave per_unit out"
        )
    for name in by:
        value = Field(inside.column(Name(name, exact=True)))
        if value.column.name == origin.table.unit:
            raise InvalidPlan(
                f"{name!r} is the protected unit, which is always included", "leave it out"
            )
        inside.group_by(value)
        inside.show(name, value)
    unit = inside.unit_value()
    if unit is not None:
        inside.show(origin.table.unit or "", unit)
    for name, term in columns.items():
        inside.show(name, term.read(Reading(inside, SELECTED)))
    rows = inside.finish_rows()
    return rows, _table_of_rows(rows, origin)


def join_drafts(
    draft: Draft, other: Draft, on: Sequence[str], *, outer: bool
) -> tuple[Rows, Table]:
    """Every row with those of the other that are of the same unit and have the same values in some columns.

    What is public belongs to no unit and needs a column to be joined on.  A column of the other whose name is taken is
    called by its table too: "patients.ward".
    """
    left, right = (
        Scope.of(draft.table.name, origin_of(draft)),
        Scope.of(other.table.name, origin_of(other)),
    )
    sides = place_side_by_side(left, right, outer=outer)
    pairs = []
    for name in on:
        one, two = draft.column(Name(name, exact=True)), other.column(Name(name, exact=True))
        called = next(
            seen.called
            for seen in sides.names
            if seen.alias == right.aliases[0] and seen.name == two.name
        )
        found = next(column for column in columns_of(sides.rows) if column.name == called)
        pairs.append((Field(one), Field(found)))
    if right.origin.owner is Owner.NOBODY and not pairs:
        raise InvalidPlan(
            "no join condition connects these tables",
            'name the join column: .join(other, on="ward")',
        )
    scope = sides.scope(Joined(left.origin.rows, sides.rows, tuple(pairs), outer))
    return scope.origin.rows, scope.origin.table


def stack_drafts(draft: Draft, other: Draft) -> tuple[Rows, Table]:
    """The rows of both, in the columns that they share."""
    one, two = origin_of(draft), origin_of(other)
    theirs = {column.name: column for column in two.table.columns}
    shared = [
        column
        for column in one.table.columns
        if column.name in theirs and theirs[column.name].kind is column.kind
    ]
    parts = [
        Computed(
            origin.rows, tuple(Defined(column.name, Field(known[column.name])) for column in shared)
        )
        for origin, known in (
            (one, {column.name: column for column in one.table.columns}),
            (two, theirs),
        )
    ]
    rows = Stacked(tuple(parts))
    return rows, _table_of_rows(rows, one)


def distinct(draft: Draft) -> tuple[Rows, Table]:
    """The rows of each unit, those that are alike only once."""
    origin = origin_of(draft)
    rows = deduplicate_rows(origin.rows, origin.table.unit)
    return rows, _table_of_rows(rows, origin)


def flag(draft: Draft, name: str, other: Draft) -> tuple[Rows, Table]:
    """The rows, with a column that says whether their unit has a row among the other's."""
    one, two = origin_of(draft), origin_of(other)
    if name.casefold() in {each.casefold() for each in one.names}:
        raise InvalidPlan(f"a column {name!r} already exists", "give this one another name")
    rows, found = flag_units(one.rows, two.rows)
    same = [Defined(column.name, Field(column)) for column in columns_of(one.rows)]
    told = Computed(rows, (*same, Defined(name, found)))
    return told, _table_of_rows(told, one)


def semi_join_drafts(draft: Draft, other: Draft, *, present: bool) -> tuple[Rows, Table]:
    """The rows of the units that have a row among the other's, or have none there."""
    one, two = origin_of(draft), origin_of(other)
    rows = Kept(one.rows, two.rows, present)
    return rows, _table_of_rows(rows, one)


def _table_of_rows(rows: Rows, origin: Origin) -> Table:
    """What the rows look like, with the unit of the rows that they are made of."""
    return of_rows(rows, origin.table.name, origin.table.unit, (), size_of(rows)).table
