"""Window functions: what a row is among others of its unit."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from tacit.plan.model.expressions import Expression, Literal
from tacit.plan.model.nodes import Defined, Folding, Ordering, Place, Placed, Running
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.aggregate_per_unit import column_of, label
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.arg_max_and_first import VALUES, read_chosen_value
from tacit.plan.sql.reading_context import Reader, is_column
from tacit.plan.sql.window_frames import read_frame

__all__ = [
    "FOLDS",
    "check_value_frame",
    "read_named_windows",
    "read_partition",
    "read_row_window",
]

_Read = Callable[[exp.Expr], Expression]
FOLDS: dict[type[exp.Expr], Folding] = {
    exp.Sum: Folding.SUM,
    exp.Avg: Folding.MEAN,
    exp.Min: Folding.LEAST,
    exp.Max: Folding.GREATEST,
    exp.AnyValue: Folding.LEAST,
}
"""What an aggregate makes of the rows of a unit."""

_RANKS: dict[type[exp.Expr], Place] = {
    exp.RowNumber: Place.NUMBER,
    exp.Rank: Place.RANK,
    exp.DenseRank: Place.DENSE,
}
_NEIGHBOURS: dict[type[exp.Expr], Place] = {exp.Lag: Place.BEFORE, exp.Lead: Place.AFTER}
_FARTHEST = 1_000_000


def read_row_window(reader: Reader, node: exp.Window, draft: Draft, read: _Read) -> Expression:
    """A window function: what a row is among others of its unit.

    ROW_NUMBER() OVER (PARTITION BY patient ORDER BY day)    Placed(NUMBER, order=(Ordering(day),))

    Claim:      what it gives for a row depends on rows of the same unit, and not on the order in which they lie.
    Because:    the unit is among what it is partitioned by, and an order is completed by all columns.
    Checked by: tests/laws/test_rows.py
    """
    account = reader.account
    if not isinstance(draft, Inside) or not draft.listing:
        reason = "a window over single rows is not allowed here"
        if isinstance(node.this, exp.Ntile):
            account.refuse(node, *_NTILE)
        remedy = (
            "compute it in a subquery: FROM (SELECT unit, ... OVER (PARTITION BY unit) AS k "
            "FROM ...)"
        )
        account.refuse(node, reason, remedy)
    _take_window(reader, node)
    within, clause = read_partition(reader, node, draft)
    units = [part for part in within if is_column(part) and reader.is_unit(part)]
    by = tuple(read(part) for part in within if part not in units)
    for value in by:
        type_of(value)
    if not units:
        if isinstance(node.this, exp.Ntile):
            account.refuse(node, *_NTILE)
        unit = draft.table.unit
        remedy = (
            f"write PARTITION BY {unit}"
            if unit
            else "use a table whose unit is a column, and select it"
        )
        account.refuse(node, "this window would combine rows of several units", remedy)
    ordered = account.take_list(clause) if clause is not None else ()
    order = tuple(_read_ordering(reader, each, read) for each in ordered)
    return draft.window(_read_function(reader, node.this, draft, read, order, by))


_NTILE = (
    "NTILE over single rows would depend on every row",
    "compare with quantiles: CASE WHEN x < (SELECT QUANTILE_CONT(x, 0.5) FROM ...) THEN 1 ELSE 2 END",
)


def _take_window(reader: Reader, node: exp.Window) -> None:
    """Account for a window, and for its frame where it may have one."""
    if not isinstance(node.this, VALUES):
        reader.account.take(node)
        return
    reader.account.take(node, "FramedWindow")
    check_value_frame(reader, node)


def check_value_frame(reader: Reader, node: exp.Window) -> None:
    """Read the frame of FIRST_VALUE and LAST_VALUE: that of all rows, which LAST_VALUE must have, or none."""
    spec = node.args.get("spec")
    ends = (None, None) if spec is None else read_frame(reader, spec, has_order=True)
    if isinstance(node.this, exp.LastValue) and (spec is None or ends != (None, None)):
        remedy = "write ROWS BETWEEN UNBOUNDED PRECEDING AND UNBOUNDED FOLLOWING, or FIRST_VALUE and DESC"
        reader.account.refuse(
            node, "without a frame, LAST_VALUE is the value of the row itself", remedy
        )
    if spec is not None and ends[0] is not None:
        remedy = "leave ROWS ... out"
        reader.account.refuse(node, "this frame does not begin with the first row", remedy)


def read_named_windows(
    reader: Reader, select: exp.Expr, parts: Mapping[str, Any]
) -> dict[str, exp.Expr]:
    """The windows that WINDOW names, by their names."""
    listed = parts.get("windows") or []
    reader.account.claim(select, "WINDOW", 1 if listed else 0)
    found: dict[str, exp.Expr] = {}
    for node in listed:
        name = reader.name(reader.account.take(node, "NamedWindow")["this"]).text
        if name.casefold() in found:
            reason = f"two windows have the name {name!r}"
            reader.account.refuse(node, reason, "rename one of them")
        found[name.casefold()] = node
    # the commas between windows; those of a SELECT and of a window's own list are claimed by them
    if listed:
        reader.account.claim(listed[0].this, "COMMA", len(listed) - 1)
    return found


def read_partition(
    reader: Reader, node: exp.Window, draft: Draft
) -> tuple[Sequence[exp.Expr], exp.Expr | None]:
    """What a window is partitioned and ordered by, where it stands or where WINDOW says it."""
    definition = _named_window(reader, node, draft) if node.args.get("alias") else node
    within: Sequence[exp.Expr] = definition.args.get("partition_by") or []
    reader.account.claim(definition, "PARTITION_BY", 1 if within else 0)
    reader.account.claim(definition, "COMMA", max(0, len(within) - 1))
    return within, definition.args.get("order")


def _named_window(reader: Reader, node: exp.Window, draft: Draft) -> exp.Expr:
    """The window that OVER w means."""
    name = reader.name(node.args["alias"])
    known: exp.Expr | None = draft.named.get(name.text.casefold())
    remedy = "write OVER w, and WINDOW w AS (PARTITION BY ...) at the end"
    if known is None:
        reader.account.refuse(node, f"there is no window {name.text[:64]!r}", remedy)
    if node.args.get("partition_by") or node.args.get("order"):
        reader.account.refuse(node, "a window cannot be based on another", remedy)
    return known


def _read_ordering(reader: Reader, ordered: exp.Expr, read: _Read) -> Ordering:
    """One element of ORDER BY in a window."""
    descending = reader.is_descending(ordered)
    value = read(ordered.this)
    with reader.account.about(ordered):
        type_of(value)
    if isinstance(value, Literal):
        reader.account.refuse(
            ordered, "a constant does not define an order", "name a column to order by"
        )
    return Ordering(value, descending)


def _read_function(
    reader: Reader,
    node: exp.Expr,
    draft: Inside,
    read: _Read,
    order: tuple[Ordering, ...],
    by: tuple[Expression, ...],
) -> Placed | Running:
    """What a window computes: a place, a neighbour's value, or what rows add up to."""
    reader.account.places.add(node.meta.get("start", -1))
    reader.account.take(node)
    if type(node) in _RANKS:
        return _read_place(reader, node, order, by)
    if isinstance(node, VALUES):
        return read_chosen_value(reader, node, draft, read, order, by)
    if type(node) in _NEIGHBOURS:
        return _read_neighbour(reader, node, read, order, by)
    if not isinstance(node, exp.Count) and type(node) not in FOLDS:
        reader.account.refuse(
            node,
            "this window function is not supported",
            "use COUNT, SUM, AVG, MIN, MAX, ROW_NUMBER, RANK, DENSE_RANK, LAG, LEAD or FIRST_VALUE over rows of a unit",
        )
    value = node.args.get("this")
    if isinstance(node, exp.Count) and isinstance(value, exp.Star):
        reader.account.take(value)
        return Running(draft.make_fold(Folding.COUNT, None), order, by)
    if value is None:
        reader.account.refuse(node, "nothing is counted", "write COUNT(*)")
    return Running(draft.make_fold(FOLDS.get(type(node), Folding.COUNT), read(value)), order, by)


def _read_place(
    reader: Reader, node: exp.Expr, order: tuple[Ordering, ...], by: tuple[Expression, ...]
) -> Placed:
    """ROW_NUMBER(), RANK(), DENSE_RANK()."""
    place = _RANKS[type(node)]
    if place is not Place.NUMBER and not order:
        remedy = "write RANK() OVER (PARTITION BY unit ORDER BY ...)"
        reader.account.refuse(node, "RANK needs ORDER BY", remedy)
    return Placed(Column(f"{place.value}()", Kind.INTEGER, 1, nullable=False), place, order, by)


def _read_neighbour(
    reader: Reader,
    node: exp.Expr,
    read: _Read,
    order: tuple[Ordering, ...],
    by: tuple[Expression, ...],
) -> Placed:
    """LAG(x), LEAD(x, 2)."""
    place, parts = _NEIGHBOURS[type(node)], node.args
    value = read(parts["this"])
    offset = reader.whole_number(parts["offset"]) if parts.get("offset") else 1
    reader.account.claim(node, "COMMA", 1 if parts.get("offset") else 0)
    if offset > _FARTHEST:
        reader.account.refuse(
            node, "this offset is too large", f"use an offset of at most {_FARTHEST:,} rows"
        )
    given = column_of(Defined(label(place.value, value, offset), value))
    return Placed(replace(given, nullable=True), place, order, by, value, offset)
