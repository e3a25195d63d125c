"""Rows in their canonical form: what is only renamed or calculated on the way is put in its place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import assert_never

from tacit.plan.model.expressions import (
    Both,
    Expression,
    Field,
    Names,
    chain_conditions,
    fields_of,
    operands,
    substitute,
)
from tacit.plan.model.nodes import (
    Computed,
    Defined,
    Folded,
    Inner,
    Joined,
    Kept,
    Ordering,
    Placed,
    Rows,
    Running,
    Scan,
    Stacked,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.serialize import serial
from tacit.plan.questions.aggregate_per_unit import column_of, label, unused_name
from tacit.plan.questions.row_columns import columns_of, rename_window, window_column

__all__ = ["drop_unused_folds", "settle_rows", "whole"]

# A calculation of more parts is done once, and named; or what builds on it twice would grow as 2**depth.
_SMALL = 24

Normal = Callable[[Expression], Expression]


def settle_rows(rows: Rows, normal: Normal) -> tuple[Rows, Names]:
    """Rows that mean the same, and what the columns of the old ones are over them.

    Claim:      the old columns, computed over the new rows, are the rows of before, as a multiset with their units.
    Because:    a calculated column lies in the range of its calculation, so that to read it changes nothing; conditions
                on rows and on units can be asked in any order; whether a unit is among others does not depend on
                columns.  What is ordered by all its columns keeps them all, in their order.
    Checked by: tests/laws/test_rows.py::test_the_canonical_rows_are_the_same
    """
    match rows:
        case Scan():
            return rows, {}
        case Where() | Kept():
            return _settle_filter(rows, normal)
        case Computed(inner, columns):
            below, names = settle_rows(inner, normal)
            defined = [
                Defined(each.name, normal(substitute(each.value, names))) for each in columns
            ]
            if all(_size(each.value) <= _SMALL for each in defined):
                return below, {each.name: each.value for each in defined}
            return Computed(below, tuple(defined)), {}
        case Inner():
            return _inner(rows, normal)
        case Windowed(inner, windows):
            below = whole(inner, normal)
            return _settle_windows(below, windows, normal)
        case Joined(left, right, on, outer):
            pairs = {
                serial(one) + serial(two): (one, two)
                for one, two in ((normal(a), normal(b)) for a, b in on)
            }
            sides = whole(left, normal), whole(right, normal)
            return Joined(*sides, tuple(pairs[text] for text in sorted(pairs)), outer), {}
        case Stacked(parts):
            return Stacked(tuple(whole(part, normal) for part in parts)), {}
        case _:
            assert_never(rows)


def drop_unused_folds(rows: Rows, asked: Sequence[Expression]) -> Rows:
    """The rows without what their units were folded into and nobody asks for."""
    match rows:
        case Where(inner, condition):
            below = drop_unused_folds(inner, [*asked, condition])
            return rows if below is inner else Where(below, condition)
        case Kept(inner, among, present):
            return Kept(drop_unused_folds(inner, asked), among, present)
        case Inner(inner, keys, folds):
            used = {name for expression in asked for name in fields_of(expression)}
            return Inner(inner, keys, tuple(fold for fold in folds if fold.column.name in used))
        case _:
            return rows


def whole(rows: Rows, normal: Normal) -> Rows:
    """Canonical rows with the very columns of the old ones, in their order."""
    below, names = settle_rows(rows, normal)
    columns = columns_of(rows)
    if not names and columns == columns_of(below):
        return below
    return Computed(
        below, tuple(Defined(each.name, substitute(Field(each), names)) for each in columns)
    )


def _settle_filter(rows: Where | Kept, normal: Normal) -> tuple[Rows, Names]:
    """Conditions joined into one, and above them the units that are kept."""
    conditions: list[Expression] = []
    kept: dict[str, tuple[Rows, bool]] = {}
    below: Rows = rows
    while isinstance(below, Where | Kept):
        if isinstance(below, Where):
            conditions.append(below.condition)
        else:
            among = _units_of(below.among, normal)
            kept[f"{below.present}{serial(among)}"] = among, below.present
        below = below.rows
    below, names = settle_rows(below, normal)
    # what was calculated on the way is gone, and more conditions come to light
    if isinstance(below, Where | Kept):
        again: Rows = (
            Where(below, substitute(chain_conditions(Both, conditions), names))
            if conditions
            else below
        )
        for among, present in kept.values():
            again = Kept(again, among, present)
        return _settle_filter(again, normal)[0], names  # type: ignore[arg-type]
    if conditions:
        below = Where(below, normal(substitute(chain_conditions(Both, conditions), names)))
    for text in sorted(kept):
        below = Kept(below, *kept[text])
    return below, names


def _units_of(rows: Rows, normal: Normal) -> Rows:
    """Simpler rows of the same units."""
    below, _ = settle_rows(rows, normal)
    while isinstance(below, Computed | Windowed | Inner):
        below = below.rows
    return below


def _inner(rows: Inner, normal: Normal) -> tuple[Rows, Names]:
    below, names = settle_rows(rows.rows, normal)
    keys = [(key.name, normal(substitute(key.value, names))) for key in rows.keys]
    folds = [(each.column.name, _fold(each, names, normal)) for each in rows.folds]
    listed = {serial(value): Defined(label("", value)[1:-1], value) for _, value in keys}
    summed = {serial(fold): fold for _, fold in folds}
    new_keys = _distinctly([listed[text] for text in sorted(listed)])
    new_folds = _named_apart(
        [summed[text] for text in sorted(summed)], {key.name for key in new_keys}
    )
    found = {serial(key.value): Field(column_of(key)) for key in new_keys}
    taken = dict(zip(sorted(summed), new_folds, strict=True))
    now: Names = {name: found[serial(value)] for name, value in keys}
    now |= {name: Field(taken[serial(fold)].column) for name, fold in folds}
    return Inner(below, tuple(new_keys), tuple(new_folds)), now


def _fold(fold: Folded, names: Names, normal: Normal) -> Folded:
    """What is folded, over simpler rows, called by what it is."""
    value = None if fold.value is None else normal(substitute(fold.value, names))
    return Folded(
        replace(fold.column, name=label(fold.fold.value, value)), fold.fold, value, fold.step
    )


def _settle_windows(below: Rows, windows: Sequence[Window], normal: Normal) -> tuple[Rows, Names]:
    normals = [(window_column(window).name, _window(window, normal)) for window in windows]
    listed = {serial(window): window for _, window in normals}
    used = {column.name for column in columns_of(below)}
    found: dict[str, Window] = {}
    for text in sorted(listed):
        name = unused_name(window_column(listed[text]).name, used)
        used.add(name)
        found[text] = rename_window(listed[text], name)
    names: Names = {name: Field(window_column(found[serial(window)])) for name, window in normals}
    return Windowed(below, tuple(found.values())), names


def _window(window: Window, normal: Normal) -> Window:
    order = tuple(Ordering(normal(by.value), by.descending) for by in window.order)
    by = tuple({serial(part): part for part in map(normal, window.by)}.values())
    by = tuple(sorted(by, key=serial))
    match window:
        case Running(folded):
            return Running(_fold(folded, {}, normal), order, by)
        case Placed(column, place, _, _, value, offset):
            value = None if value is None else normal(value)
            name = place.value + ("()" if value is None else label("", value, offset))
            return Placed(replace(column, name=name), place, order, by, value, offset)
        case _:
            assert_never(window)


def _distinctly(keys: Sequence[Defined]) -> list[Defined]:
    found: list[Defined] = []
    for key in keys:
        found.append(Defined(unused_name(key.name, [each.name for each in found]), key.value))
    return found


def _named_apart(folds: Sequence[Folded], used: set[str]) -> list[Folded]:
    found: list[Folded] = []
    for fold in folds:
        name = unused_name(fold.column.name, used)
        used = used | {name}
        found.append(replace(fold, column=replace(fold.column, name=name)))
    return found


def _size(expression: Expression) -> int:
    """Of how many parts an expression is made."""
    return 1 + sum(map(_size, operands(expression)))
