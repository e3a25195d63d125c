"""Whose rows are, from which tables they come, and how many of them a unit may own."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from enum import Enum
from fractions import Fraction
from typing import assert_never

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import Cast, Expression, Field, Literal
from tacit.plan.model.joins_by_foreign_key import meets_one_at_most
from tacit.plan.model.nodes import (
    Computed,
    Inner,
    Joined,
    Kept,
    Question,
    Rows,
    Scan,
    Stacked,
    Where,
    Windowed,
)
from tacit.plan.model.schema import Column, Table

__all__ = [
    "Owner",
    "base_of",
    "held_rows",
    "many_rows",
    "multiplicity",
    "owner_of",
    "parts_of",
    "size_of",
    "table_of",
    "tables_of",
    "unique_columns",
]


class Owner(Enum):
    """Whose a row is."""

    UNIT = "the unit that it names"
    ROW = "its own"
    NOBODY = "public"


def parts_of(rows: Rows) -> tuple[Rows, ...]:
    """The rows that rows are directly made of."""
    match rows:
        case Scan():
            return ()
        case Where(inner, _) | Computed(inner, _) | Inner(inner, _, _) | Windowed(inner, _):
            return (inner,)
        case Stacked(parts):
            return parts
        case Joined(left, right, _, _):
            return (left, right)
        case Kept(inner, among, _):
            return (inner, among)
        case _:
            assert_never(rows)


def size_of(rows: Rows) -> int:
    """Of how many nodes rows are made."""
    return 1 + sum(size_of(part) for part in parts_of(rows))


def tables_of(rows: Rows) -> tuple[Table, ...]:
    """Every table that is scanned, once, the first one first."""
    if isinstance(rows, Scan):
        return (rows.table,)
    parts = parts_of(rows)
    if len(parts) == 1:
        return tables_of(parts[0])
    return tuple(dict.fromkeys(table for part in parts for table in tables_of(part)))


def table_of(rows: Rows) -> Table:
    """The table that rows are taken from: of several, the first that is not public."""
    found = tables_of(rows)
    return next((table for table in found if not table.public), found[0])


def base_of(rows: Rows) -> Rows:
    """The rows before the last conditions."""
    while isinstance(rows, Where):
        rows = rows.rows
    return rows


def many_rows(question: Question) -> bool:
    """Whether there may be more rows than any table has: where rows are joined or stacked."""
    left: list[Rows] = [question.rows]
    while left:
        rows = left.pop()
        if isinstance(rows, Joined | Stacked):
            return True
        left += parts_of(rows)
    return False


def owner_of(rows: Rows) -> Owner:
    """Whose the rows are; rows that no rule allows are refused.

    Claim:      rows of several units never meet, and rows that belong to nobody never stand for themselves beside
                rows that belong to somebody.
    Because:    private rows are joined, compared and stacked with private ones of the same kind of owner only, and an
                outer join never keeps public rows.
    Checked by: tests/unit/plan/model/test_ownership.py
    """
    match rows:
        case Scan(table):
            if table.public:
                return Owner.NOBODY
            return Owner.ROW if table.unit is None else Owner.UNIT
        case Where(inner, _) | Computed(inner, _):
            return owner_of(inner)
        case Inner(inner, _, ()) if owner_of(inner) is Owner.NOBODY:
            return Owner.NOBODY  # which of their values there are: nothing is added up
        case Inner(inner, _, _) | Windowed(inner, _):
            return _only_units(owner_of(inner), "rows are aggregated or ordered per unit")
        case Kept(inner, among, _):
            _only_units(owner_of(among), "a semi-join compares units")
            return _only_units(owner_of(inner), "a semi-join compares units")
        case Stacked(parts):
            owners = {owner_of(part) for part in parts}
            if len(owners) != 1:
                raise InvalidPlan(
                    "UNION ALL would combine rows with different units",
                    "combine rows of the same unit",
                )
            return owners.pop()
        case Joined(left, right, _, outer):
            return _owner_of_join(owner_of(left), owner_of(right), outer=outer)
        case _:
            assert_never(rows)


def _only_units(owner: Owner, reason: str) -> Owner:
    if owner is not Owner.UNIT:
        raise InvalidPlan(
            f"{reason}, but here "
            f"{'there are no units' if owner is Owner.NOBODY else 'every row is a unit'}",
            "use a table whose unit is a column",
        )
    return owner


def _owner_of_join(left: Owner, right: Owner, *, outer: bool) -> Owner:
    match left, right:
        case _, Owner.NOBODY:
            return left
        case Owner.UNIT, Owner.UNIT:
            return left
        case Owner.NOBODY, _ if outer:
            raise InvalidPlan(
                "this outer join would keep rows of the public table, which belong to no unit",
                "write private LEFT JOIN public",
            )
        case Owner.NOBODY, _:
            raise InvalidPlan(
                "the public table is on the left side of the private one",
                "start with the private table",
            )
        case _:
            raise InvalidPlan(
                "two private tables in which every row is a unit cannot be joined",
                "join a public table, or ask about each table on its own",
            )


def multiplicity(rows: Rows) -> int:
    """How many rows one row of a table can become, where every row is a unit.

    Claim:      adding or removing one row of a table adds or removes at most so many rows.
    Because:    a stack has every row once for each of its parts that scans the table; a join with a column that holds
                no value twice gives every row at most one partner; nothing else multiplies a row.
    Checked by: tests/laws/test_rows.py::test_one_row_becomes_no_more_rows_than_its_multiplicity
    """
    return max(_copies(rows).values(), default=1)


def _copies(rows: Rows) -> Counter[str]:
    """For every private table, how many rows one of its rows can become."""
    match rows:
        case Scan(table):
            return Counter() if table.public else Counter({table.name: 1})
        case Where(inner, _) | Computed(inner, _):
            return _copies(inner)
        case Stacked(parts):
            return sum((_copies(part) for part in parts), Counter())
        case Joined(left, right, on, _):
            unique = unique_columns(right)
            if not any(_compared_as_they_are(one, two) in unique for one, two in on):
                raise InvalidPlan(
                    "a row could match many public rows, and every row is a unit: its "
                    "influence on the answer is not bounded",
                    "join on a column of the public table that is declared unique",
                )
            return _copies(left)
        case Inner() | Kept() | Windowed():
            raise AssertionError("these rows have units")
        case _:
            assert_never(rows)


def _compared_as_they_are(one: Expression, two: Expression) -> Column | None:
    """The second of two columns of the same kind; an integer that is compared as a double might equal two others."""
    match one:
        case Field(column):
            kind = column.kind
        case Literal(_, kind) | Cast(_, kind):
            pass
        case _:
            return None
    return two.column if isinstance(two, Field) and two.column.kind is kind else None


def unique_columns(rows: Rows) -> frozenset[Column]:
    """The columns of public rows that hold no value twice."""
    match rows:
        case Scan(table):
            return frozenset(
                column for column in table.columns if table.public and column.name in table.unique
            )
        case Where(inner, _):
            return unique_columns(inner)
        case Computed(inner, columns):
            known = unique_columns(inner)
            kept = [
                (each.name, each.value.column) for each in columns if isinstance(each.value, Field)
            ]
            return frozenset(replace(column, name=name) for name, column in kept if column in known)
        case Inner(inner, (key,), ()) if owner_of(inner) is Owner.NOBODY:
            value = key.value
            if isinstance(value, Literal) and isinstance(value.value, int):  # one row, or none
                end = Fraction(value.value)
                return frozenset({Column(key.name, value.kind, end, end, nullable=False)})
            return frozenset(
                {replace(value.column, name=key.name)} if isinstance(value, Field) else ()
            )
        case Inner() | Stacked() | Joined() | Kept() | Windowed():
            return frozenset()
        case _:
            assert_never(rows)


def held_rows(rows: Rows, contributions: int | None = None) -> int:
    """How many rows of a unit count in full; `contributions` is said of tables that do not say it themselves.

    It decides how much is lost of a unit that owns more, and how wide the noise is; no privacy hangs on it.
    """
    match rows:
        case Scan(table):
            found = table.contributions or contributions
            if found is None:
                reason = f"no contribution bound is declared for table {table.name!r}"
                remedy = f"set `contributions` for {table.name}, or find it: vault.find_contributions(...)"
                raise InvalidPlan(reason, remedy)
            return 1 if table.public else found
        case Where(inner, _) | Computed(inner, _) | Windowed(inner, _) | Kept(inner, _, _):
            return held_rows(inner, contributions)
        case Inner(inner, keys, _):
            return held_rows(inner, contributions) if keys else 1
        case Stacked(parts):
            return sum(held_rows(part, contributions) for part in parts)
        case Joined(left, right, _, _):
            if owner_of(right) is Owner.NOBODY:
                return held_rows(left, contributions)
            return _held_pairs(
                rows, held_rows(left, contributions), held_rows(right, contributions)
            )
        case _:
            assert_never(rows)


def _held_pairs(joined: Joined, left: int, right: int) -> int:
    """How many pairs of a unit count in full: all, or as many as rows that meet one at most by a foreign key."""
    once_left, once_right = meets_one_at_most(joined)
    if once_left:
        return left
    if once_right:  # a row of the left that meets none stays, where it is outer
        return min(left * right, left + right) if joined.outer else right
    return left * right
