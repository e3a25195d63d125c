"""Every expression that a question mentions: of its rows, its keys and its measures.

Checked by: tests/laws/test_released_functions.py
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from tacit.plan.model.expressions import Expression
from tacit.plan.model.nodes import (
    Computed,
    Folded,
    Inner,
    Joined,
    Kept,
    Placed,
    Question,
    Rows,
    Scan,
    Stacked,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.ownership import parts_of

__all__ = [
    "list_expressions",
    "list_folds",
    "list_group_expressions",
    "list_row_expressions",
    "walk_rows",
]


def list_expressions(question: Question) -> list[Expression]:
    """The expressions of a question, each whole: conditions, keys, what is measured and what is calculated inside."""
    found: list[Expression] = []
    for rows in walk_rows(question.rows):
        found += list_row_expressions(rows)
    return found + list_group_expressions(question)


def list_group_expressions(question: Question) -> list[Expression]:
    """The expressions of keys and measures."""
    found = [key.value for key in question.keys]
    found += [measure.value for measure in question.measures if measure.value is not None]
    return found


def walk_rows(rows: Rows) -> list[Rows]:
    """The rows and all rows that they are made of, from the outside in and from left to right."""
    found, left = [], [rows]
    while left:
        part = left.pop()
        found.append(part)
        left += reversed(parts_of(part))
    return found


def list_row_expressions(rows: Rows) -> list[Expression]:
    """The expressions of one node of rows."""
    match rows:
        case Where(_, condition):
            return [condition]
        case Computed(_, columns):
            return [each.value for each in columns]
        case Inner(_, keys, folds):
            values = [fold.value for fold in folds if fold.value is not None]
            return [each.value for each in keys] + values
        case Joined(_, _, on, _):
            return [side for pair in on for side in pair]
        case Windowed(_, windows):
            return [part for window in windows for part in _window_expressions(window)]
        case Scan() | Stacked() | Kept():
            return []
        case _:
            assert_never(rows)


def list_folds(nodes: Iterable[Rows]) -> Iterator[Folded]:
    """What the rows of one unit become, in any of some nodes."""
    for part in nodes:
        if isinstance(part, Inner):
            yield from part.folds
        elif isinstance(part, Windowed):
            yield from (window.folded for window in part.columns if not isinstance(window, Placed))


def _window_expressions(window: Window) -> Iterator[Expression]:
    yield from (by.value for by in window.order)
    yield from window.by
    value = window.value if isinstance(window, Placed) else window.folded.value
    if value is not None:
        yield value
