"""Whether a side of an outer join is there: `v.patient IS NULL`, and FULL JOIN on the unit.

Checked by: tests/unit/plan/sql/test_full_joins_and_is_side_missing.py
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from math import ceil

from sqlglot import exp

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Computed, Defined, Joined, Kept, Rows, Stacked
from tacit.plan.model.ownership import Owner
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.draft import Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Scope, Seen, Sides

__all__ = ["flag_sides", "join_full"]

_TRUE = e.Literal(True, Kind.BOOLEAN)


def flag_sides(sides: Sides, join: exp.Expr) -> Sides:
    """The sides of an outer join, the right one with a flag of its own where the query looks for its unit.

    FROM visits v LEFT JOIN labs l ON v.patient = l.patient WHERE l.patient IS NULL

    Claim:      a flag is TRUE in every row of its side, and tells nothing but that the row is there.
    Because:    it is a constant that is calculated before the join, which alone leaves it out.
    Checked by: tests/unit/plan/sql/test_full_joins_and_is_side_missing.py
    """
    right = sides.right
    if right.origin.owner is not Owner.UNIT or not _looks_for_unit(right, sides.left, join):
        return sides
    used = {name.casefold() for name in (*sides.left.origin.names, *_names(sides.rows))}
    rows, seen = _flagged(right, sides.rows, used)
    return replace(sides, rows=rows, names=(*sides.names, *seen))


def join_full(sides: Sides, join: exp.Expr, *, is_using: bool) -> Scope:
    """FULL JOIN on the unit: a LEFT JOIN, and below it the rows of the right whose units the left has not.

    FROM visits v FULL JOIN labs l ON v.patient = l.patient
    is Stacked((Joined(visits, labs, outer), Computed(Kept(labs, visits, present=False), …, NULL AS ward)))

    Claim:      rows of different units never meet, and what a unit adds depends on its own rows alone.
    Because:    it is a left join on the unit above the rows of units that the left has not; both look at one unit.
    Checked by: tests/unit/plan/sql/test_full_joins_and_is_side_missing.py and tests/laws/statements.sql
    """
    left, right = sides.left, sides.right
    used = {name.casefold() for name in (*left.origin.names, *_names(sides.rows))}
    ours, theirs = left.origin.rows, sides.rows
    names = [each for each in sides.names if not each.is_flag]
    unit = left.origin.table.unit
    # each side may lack its own unit, so that only whether it is there can be asked; USING names that of either
    names = [each for each in names if each.called != unit]
    if is_using:
        names.append(Seen("", unit or "", unit or ""))
    for side, other in ((left, right), (right, left)):
        if not _looks_for_unit(side, other, join):
            continue
        rows, seen = _flagged(side, ours if side is left else theirs, used)
        ours, theirs = (rows, theirs) if side is left else (ours, rows)
        names += seen
    both = Joined(ours, theirs, (), outer=True)
    columns = columns_of(both)
    mine = _names(theirs)
    alone = Computed(
        Kept(theirs, left.origin.rows, present=False),
        tuple(
            Defined(
                column.name,
                e.Field(column) if column.name in mine else _nothing_like(column),
            )
            for column in columns
        ),
    )
    return replace(sides, names=tuple(names)).scope(Stacked((both, alone)))


def _nothing_like(column: Column) -> e.Expression:
    """NULL of the kind of a column, of which no bound is forgotten: the other part of a stack has them.

    The bounds of what is calculated are fractions, and a whole number among constants is none.
    """
    known = column.low if column.low is not None else (column.values or (None,))[0]
    if column.kind is Kind.INTEGER and isinstance(known, Fraction):
        known = ceil(known)
    if known is None:
        return e.Literal(None, column.kind)
    literal = e.Literal(known, column.kind)
    return e.Called(Function.NULLIF, (literal, literal))


def _names(rows: Rows) -> set[str]:
    return {column.name for column in columns_of(rows)}


def _flagged(side: Scope, rows: Rows, used: set[str]) -> tuple[Rows, list[Seen]]:
    """The rows of a side with a flag, and what the names of its unit mean."""
    unit = side.origin.table.unit or ""
    flag = unused_name(f"{side.aliases[0]}.{unit}", used)
    used.add(flag.casefold())
    same = [Defined(column.name, e.Field(column)) for column in columns_of(rows)]
    seen = [
        Seen(each.alias, each.name, flag, open=False, is_flag=True)
        for each in side.names
        if each.called == unit
    ]
    return Computed(rows, (*same, Defined(flag, _TRUE))), seen


def _looks_for_unit(side: Scope, other: Scope, join: exp.Expr) -> bool:
    """Whether the query around a join names the unit of a side, outside of what it is joined on.

    Without its table a name is meant if the other side has none of it.
    """
    unit = side.origin.table.unit
    named = {
        (alias.casefold(), each.name.casefold())
        for each in side.names
        if each.called == unit
        for alias in ((each.alias,) if other.finds(None, Name(each.name)) else (each.alias, ""))
    }
    select = join.find_ancestor(exp.Select)
    if select is None or not named:
        return False
    on = join.args.get("on")
    inside = set() if on is None else {id(each) for each in on.find_all(exp.Column)}
    return any(
        (each.table.casefold(), each.name.casefold()) in named and id(each) not in inside
        for each in select.find_all(exp.Column)
    )
