"""The public values of a key that was calculated inside: what its column was calculated from is looked at, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import assert_never

from tacit.plan.model.expressions import Expression, Field, fields_of, substitute
from tacit.plan.model.nodes import (
    Computed,
    Defined,
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
from tacit.plan.model.schema import KeyValue
from tacit.plan.questions.public_values import MOST_VALUES, possible_values
from tacit.plan.questions.row_columns import columns_of

__all__ = ["lists_all_groups", "seen_values"]


def seen_values(
    value: Expression, rows: Rows, conditions: Sequence[Expression]
) -> tuple[KeyValue, ...] | None:
    """What a key can be over rows that meet some conditions, NULL last; None if no value of it is known.

    Claim:      nothing here depends on a row.
    Because:    only the plan is passed in.
    Checked by: tests/unit/plan/questions/test_public_values_of_inner_keys.py
    """
    found = possible_values(value, conditions)
    if found is not None:
        narrower = _of_calculation(value, rows, conditions)
        return narrower if narrower and len(narrower) < len(found) else found
    match rows:
        case Scan():
            return None
        case Stacked(parts):
            return _of_all(value, parts, conditions)
        case Where(inner, condition):
            return seen_values(value, inner, [*conditions, condition])
        case Kept(inner, _, _) | Windowed(inner, _):
            return _of(value, inner, conditions)
        case Computed(inner, columns):
            return _through(value, inner, conditions, columns)
        case Inner(inner, keys, _):
            return _through(value, inner, conditions, keys)
        case Joined(left, right, _, _):
            return _of(value, left, conditions) or _of(value, right, conditions)
        case _:
            assert_never(rows)


def _of_calculation(
    value: Expression, rows: Rows, conditions: Sequence[Expression]
) -> tuple[KeyValue, ...] | None:
    """The values of a column that was calculated, which its bounds alone do not tell: year - year % 10."""
    if not isinstance(value, Field) or value.column.values or not isinstance(rows, Computed):
        return None
    made = next((each.value for each in rows.columns if each.name == value.column.name), None)
    if made is None or isinstance(made, Field):
        return None
    return _through(value, rows.rows, conditions, rows.columns)


def lists_all_groups(question: Question) -> bool:
    """Whether no condition asks which of the groups have rows: those that there are, are about the keys alone."""
    named = {name for key in question.keys for name in fields_of(key.value)}
    rows = question.rows
    while True:
        match rows:
            case Where(inner, condition):
                if not fields_of(condition) <= named:
                    return False
                rows = inner
            case Scan():
                return True
            case _:
                return False


def _of_all(
    value: Expression, parts: Sequence[Rows], conditions: Sequence[Expression]
) -> tuple[KeyValue, ...] | None:
    """The values of a key in any of several stacked rows, if those of all are known."""
    found: list[KeyValue] = []
    for part in parts:
        values = seen_values(value, part, conditions)
        if values is None:
            return None
        found += values
    if len(found) > MOST_VALUES:
        return None
    return tuple(sorted(dict.fromkeys(found), key=lambda each: each is None))


def _through(
    value: Expression, inner: Rows, conditions: Sequence[Expression], columns: Sequence[Defined]
) -> tuple[KeyValue, ...] | None:
    """The values of a key over rows that were calculated, if it is made of what was calculated there."""
    names = {each.name: each.value for each in columns}
    if not fields_of(value) <= set(names):
        return None
    kept = [condition for condition in conditions if fields_of(condition) <= set(names)]
    return seen_values(substitute(value, names), inner, [substitute(each, names) for each in kept])


def _of(
    value: Expression, rows: Rows, conditions: Iterable[Expression]
) -> tuple[KeyValue, ...] | None:
    """The values of a key over some of the rows that it stands beside, if it is made of their columns alone."""
    known = {column.name for column in columns_of(rows)}
    if not fields_of(value) <= known:
        return None
    return seen_values(
        value, rows, [condition for condition in conditions if fields_of(condition) <= known]
    )
