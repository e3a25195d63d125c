"""Joins along declared foreign keys: which tables they connect, and whether a row can meet more than one.

Checked by: tests/unit/plan/model/test_joins_by_foreign_key.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.model.expressions import Field
from tacit.plan.model.nodes import (
    Computed,
    Inner,
    Joined,
    Kept,
    Rows,
    Scan,
    Stacked,
    Where,
    Windowed,
)
from tacit.plan.model.schema import Table

__all__ = ["Reference", "find_reference", "meets_one_at_most"]


@frozen
class Reference:
    """An equality of a join that follows a foreign key, or connects two foreign keys that lead to one key.

    `column` of `table` is the foreign key, `target` names the table that it leads to.  `other` is what the column on
    the other side of the join is called there; where `is_to_key`, it is the key itself.
    """

    table: Table
    column: str
    target: str
    other: str
    is_from_left: bool
    is_to_key: bool

    @property
    def is_path(self) -> bool:
        """Whether a row takes its unit from the row to which the foreign key leads."""
        return self.is_to_key and (self.table.unit or "").startswith(f"{self.column}.")


def find_reference(joined: Joined) -> Reference | None:
    """The equality of a join that follows a declared foreign key; None if none does.

    FROM labs l JOIN stays s ON l.stay = s.stay    labs.stay refers to stays.stay
    FROM labs l JOIN drugs d ON l.stay = d.stay    both refer to stays.stay

    Claim:      rows of different units do not meet in such a join, whatever the rows are.
    Because:    a join of private rows is on the unit, too, whatever else it is on: that a foreign key leads to a row of
                the same unit is declared, and enforced instead of believed.
    Checked by: tests/laws/test_references.py::test_no_row_meets_one_of_another_unit
    """
    found = list(_list_references(joined))
    return next((each for each in found if each.is_to_key), found[0] if found else None)


def meets_one_at_most(joined: Joined) -> tuple[bool, bool]:
    """Whether a row on the left meets at most one on the right, and one on the right so: by declared foreign keys, or
    since all keys are compared by which the rows of each unit were aggregated.

    It decides how many rows of a unit count in full, and how wide noise is; no privacy depends on it.
    """
    left, right = _meet_once(joined, _find_unique(joined.left), _find_unique(joined.right))
    ours, theirs = (
        {value.column.name for value in side if isinstance(value, Field)}
        for side in (zip(*joined.on, strict=True) if joined.on else ((), ()))
    )
    return left or _is_one_of_each(joined.right, theirs), right or _is_one_of_each(
        joined.left, ours
    )


def _is_one_of_each(rows: Rows, compared: set[str]) -> bool:
    """Whether a unit has one row at most with given values of some columns: its rows were aggregated by no others."""
    match rows:
        case Inner(_, keys, _):
            return {key.name for key in keys} <= compared
        case Where(inner, _) | Kept(inner, _, _):
            return _is_one_of_each(inner, compared)
        case Computed(inner, columns):
            known = [each.value for each in columns if each.name in compared]
            return _is_one_of_each(
                inner, {value.column.name for value in known if isinstance(value, Field)}
            )
        case Scan() | Windowed() | Joined() | Stacked():
            return False
        case _:
            assert_never(rows)


def _meet_once(joined: Joined, left: frozenset[str], right: frozenset[str]) -> tuple[bool, bool]:
    """Whether a row of each side meets one at most, by the columns of both that have no value twice."""
    found = [each for each in _list_references(joined) if each.is_to_key]
    return (
        any(each.is_from_left and each.other in right for each in found),
        any(not each.is_from_left and each.other in left for each in found),
    )


def _list_references(joined: Joined) -> Iterator[Reference]:
    for one, two in joined.on:
        if not isinstance(one, Field) or not isinstance(two, Field):
            continue
        left, right = one.column.name, two.column.name
        ours, theirs = _find_stored(joined.left, left), _find_stored(joined.right, right)
        if ours is not None and theirs is not None:
            yield from _follow(ours, theirs, right, is_from_left=True)
            yield from _follow(theirs, ours, left, is_from_left=False)


_Stored = tuple[Table, str]


def _follow(
    here: _Stored, there: _Stored, other: str, *, is_from_left: bool
) -> Iterator[Reference]:
    """The foreign keys of a column that lead to the column on the other side, or where that one leads."""
    (table, column), (second, key) = here, there
    shared = {(target, name) for own, target, name in second.references if own == key}
    for own, target, name in table.references:
        is_to_key = (target, name) == (second.name, key)
        if own == column and (is_to_key or (target, name) in shared):
            yield Reference(table, column, target, other, is_from_left, is_to_key)


def _find_stored(rows: Rows, name: str) -> _Stored | None:
    """The column of a private table that a column of rows is, as it is; None if it is calculated."""
    match rows:
        case Scan(table):
            is_there = any(column.name == name for column in table.columns)
            return (table, name) if is_there and not table.public else None
        case Where(inner, _) | Kept(inner, _, _) | Windowed(inner, _):
            return _find_stored(inner, name)
        case Computed(inner, columns) | Inner(inner, columns, _):
            value = next((each.value for each in columns if each.name == name), None)
            return _find_stored(inner, value.column.name) if isinstance(value, Field) else None
        case Joined(left, right, _, _):
            return _find_stored(left, name) or _find_stored(right, name)
        case Stacked():
            return None
        case _:
            assert_never(rows)


def _find_unique(rows: Rows) -> frozenset[str]:
    """The columns of rows that have no value twice, if what they are in their tables has none twice."""
    match rows:
        case Scan(table):
            return frozenset(column.name for column in table.columns)
        case Where(inner, _) | Kept(inner, _, _) | Windowed(inner, _):
            return _find_unique(inner)
        case Computed(inner, columns):
            kept = _find_unique(inner)
            return frozenset(
                each.name
                for each in columns
                if isinstance(each.value, Field) and each.value.column.name in kept
            )
        case Joined(left, right, _, outer):
            ours, theirs = _find_unique(left), _find_unique(right)  # each side is looked at once
            once_left, once_right = _meet_once(rows, ours, theirs)
            kept = ours if once_left else frozenset()
            return kept | theirs if once_right and not outer else kept
        case Inner() | Stacked():
            return frozenset()
        case _:
            assert_never(rows)
