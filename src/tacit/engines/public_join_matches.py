"""How many public rows one private row meets: told from public tables alone, before a private row is looked at."""

from __future__ import annotations

from collections.abc import Callable

from tacit.errors import TooLarge
from tacit.plan import (
    Column,
    Computed,
    Expression,
    Field,
    Inner,
    Joined,
    Kept,
    Owner,
    Rows,
    Scan,
    Stacked,
    Table,
    Where,
    Windowed,
    owner_of,
    tables_of,
    type_of,
)

__all__ = ["MOST_PARTNERS", "MOST_PUBLIC", "Sharing", "check_fan_out", "partners_of"]

MOST_PARTNERS = 100_000
"""So many rows may be made of one row: to make them takes milliseconds, which nobody tells from others."""

MOST_PUBLIC = 10_000_000
"""So many rows may be made of public ones, by meeting each other."""

Sharing = Callable[[Table, Column | None], int]
"""How many rows of a public table have the same value in a column, at most; without a column, how many there are."""


def check_fan_out(rows: Rows, sharing: Sharing) -> None:
    """Refuse a question that makes so many rows of one that its time or its memory tells whether that one is there.

    Claim:      a private row becomes at most MOST_PARTNERS rows by meeting public ones, in every step of the question.
    Because:    it meets at most as many rows of a public table as share a value of what they are joined on, which is
                known; one that meets several tables, or stands in several parts of a stack, is counted for each.
    Checked by: tests/attacks/test_fan_out.py
    """
    if any(table.public for table in tables_of(rows)):
        _fan(rows, sharing)


def _fan(rows: Rows, sharing: Sharing) -> int:
    """How many rows one private row can become."""
    match rows:
        case Scan():
            return 1
        case Where(inner, _) | Computed(inner, _) | Inner(inner, _, _) | Windowed(inner, _):
            return _fan(inner, sharing)
        case Kept(inner, among, _):
            _fan(among, sharing)
            return _fan(inner, sharing)
        case Stacked(parts):
            return _check_rows(sum(_fan(part, sharing) for part in parts))
        case Joined(left, right, on, _):
            if owner_of(left) is Owner.NOBODY:
                _check_public(rows, sharing)
                return 1  # public rows among themselves
            theirs = _fan(right, sharing)
            public = owner_of(right) is Owner.NOBODY
            return _check_rows(
                _fan(left, sharing) * (partners_of(right, on, sharing) if public else theirs)
            )


def _check_rows(found: int) -> int:
    if found > MOST_PARTNERS:
        raise TooLarge(
            f"one private row could match {found:,} rows of public tables, and at most "
            f"{MOST_PARTNERS:,} are allowed; join on columns whose values occur in fewer rows"
        )
    return found


def _check_public(rows: Rows, sharing: Sharing) -> None:
    found = _size(rows, sharing)
    if found > MOST_PUBLIC:
        raise TooLarge(
            f"joining the public tables could give {found:,} rows, and at most {MOST_PUBLIC:,} "
            "are allowed; join them to the private table one after the other"
        )


def partners_of(rows: Rows, on: tuple[tuple[Expression, Expression], ...], sharing: Sharing) -> int:
    """How many of some public rows one row can meet."""
    known = [_size(rows, sharing)]
    for one, two in on:
        if isinstance(two, Field) and type_of(one).kind is two.column.kind:
            stored = _stored_column(rows, two.column.name)
            known += [] if stored is None else [sharing(*stored)]
    return max(1, min(known))


def _stored_column(rows: Rows, name: str) -> tuple[Table, Column] | None:
    """The column of a table that a column of public rows is, if it is one as it is stored."""
    match rows:
        case Scan(table):
            return next(((table, column) for column in table.columns if column.name == name), None)
        case Where(inner, _):
            return _stored_column(inner, name)
        case Computed(inner, columns):
            value = next((each.value for each in columns if each.name == name), None)
            return _stored_column(inner, value.column.name) if isinstance(value, Field) else None
        case _:
            return None


def _size(rows: Rows, sharing: Sharing) -> int:
    """How many public rows there are, at most."""
    match rows:
        case Scan(table):
            return sharing(table, None)
        case (
            Where(inner, _)
            | Computed(inner, _)
            | Inner(inner, _, _)
            | Windowed(inner, _)
            | Kept(inner, _, _)
        ):
            return _size(inner, sharing)
        case Stacked(parts):
            return sum(_size(part, sharing) for part in parts)
        case Joined(left, right, on, _):
            return _size(left, sharing) * partners_of(right, on, sharing)
