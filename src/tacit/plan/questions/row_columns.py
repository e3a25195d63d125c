"""What the rows of a plan look like: their columns, with kinds, ranges and nullability by rules of our own."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import assert_never

from tacit.plan.model.nodes import (
    Computed,
    Inner,
    Joined,
    Kept,
    Placed,
    Rows,
    Running,
    Scan,
    Stacked,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.schema import Column, Scalar
from tacit.plan.questions.aggregate_per_unit import column_of

__all__ = ["columns_of", "rename_window", "window_column"]


def columns_of(rows: Rows) -> tuple[Column, ...]:
    """The columns of rows, each of which `Field` may name.

    Claim:      every value in a column is of its kind, between its bounds if it has some, and NULL only if it may be.
    Because:    what is calculated has the type of its expression; what is folded is held; an outer join makes its
                right side nullable; a stack has the widest range of its parts.
    Checked by: tests/laws/test_rows.py::test_every_cell_is_what_its_column_says
    """
    match rows:
        case Scan(table):
            return table.columns
        case Where(inner, _) | Kept(inner, _, _):
            return columns_of(inner)
        case Computed(_, defined):
            return tuple(column_of(each) for each in defined)
        case Inner(_, keys, folds):
            return (*(column_of(key) for key in keys), *(fold.column for fold in folds))
        case Windowed(inner, windows):
            return (*columns_of(inner), *(window_column(window) for window in windows))
        case Joined(left, right, _, outer):
            others = columns_of(right)
            return (
                *columns_of(left),
                *((replace(each, nullable=True) for each in others) if outer else others),
            )
        case Stacked(parts):
            return _stack_columns([columns_of(part) for part in parts])
        case _:
            assert_never(rows)


def window_column(window: Window) -> Column:
    """The column that a window adds."""
    return window.folded.column if isinstance(window, Running) else window.column


def rename_window(window: Window, name: str) -> Window:
    """The window with another name for what it adds."""
    if isinstance(window, Placed):
        return replace(window, column=replace(window.column, name=name))
    fold = window.folded
    return replace(window, folded=replace(fold, column=replace(fold.column, name=name)))


def _stack_columns(parts: Sequence[tuple[Column, ...]]) -> tuple[Column, ...]:
    names = [column.name for column in parts[0]]
    by_name = [{column.name: column for column in part} for part in parts]
    assert all(set(each) == set(names) for each in by_name), "what is stacked has the same columns"
    return tuple(_widest([each[name] for each in by_name]) for name in names)


def _widest(columns: Sequence[Column]) -> Column:
    first = columns[0]
    assert all(column.kind is first.kind for column in columns), (
        "what is stacked is of the same kind"
    )
    lows, highs = [column.low for column in columns], [column.high for column in columns]
    low = None if None in lows else min(lows)  # type: ignore[type-var]
    high = None if None in highs else max(highs)  # type: ignore[type-var]
    values: tuple[Scalar, ...] | None = None
    if all(column.values for column in columns):
        values = tuple(dict.fromkeys(value for column in columns for value in column.values or ()))
    return Column(
        first.name,
        first.kind,
        low,
        high,
        values,
        any(column.nullable for column in columns),
        other=values is not None and any(column.other for column in columns),
        null_group=any(column.null_group for column in columns),
    )
