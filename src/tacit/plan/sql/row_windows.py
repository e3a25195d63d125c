"""Window functions: what a row is among others of its unit."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from tacit.plan.model.expressions import Expression, Literal
from tacit.plan.model.nodes import Defined, Folding, Ordering, Place, Placed, Running
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.inner_draft import Inside
from tacit.plan.questions.per_unit import column_of, label
from tacit.plan.semantics.infer import type_of
from tacit.plan.sql.reader import ROWS, Reader, is_column, is_unit, node_kind

__all__ = ["FOLDS", "read_partition", "named_windows", "window"]

FOLDS = {"Sum": Folding.SUM, "Avg": Folding.MEAN, "Min": Folding.LEAST, "Max": Folding.GREATEST}
"""What an aggregate makes of the rows of a unit."""

_PLACES = {
    "RowNumber": Place.NUMBER,
    "Rank": Place.RANK,
    "DenseRank": Place.DENSE,
    "Lag": Place.BEFORE,
    "Lead": Place.AFTER,
}
_FARTHEST = 1_000_000


def window(reader: Reader, node: Any, draft: Draft) -> Expression:
    """A window function: what a row is among others of its unit.

    Claim:      what it gives for a row depends on rows of the same unit, and not on the order in which they lie.
    Because:    the unit is among what it is partitioned by, and an order is completed by all columns.
    Checked by: tests/laws/test_rows.py
    """
    account = reader.account
    if not isinstance(draft, Inside) or not draft.listing:
        remedy = (
            "write it as a column of a question inside: "
            "FROM (SELECT unit, ... OVER (PARTITION BY unit) AS k FROM ...)"
        )
        account.refuse(
            node, "a window looks at single rows, and here rows are counted or chosen", remedy
        )
    parts = account.take(node)
    within, clause = read_partition(reader, node, draft)
    by, units = [], 0
    for part in within:
        if is_column(part) and is_unit(reader, part):
            units += 1
        else:
            by.append(reader.read(part, draft, ROWS))
            type_of(by[-1])
    if not units:
        unit = draft.table.unit
        remedy = (
            f"write PARTITION BY {unit}"
            if unit
            else "ask about a table whose unit is a column, and select it"
        )
        account.refuse(node, "this window would look at rows of several units", remedy)
    order = tuple(_order(reader, clause, draft))
    return draft.window(_function(reader, parts["this"], draft, order, tuple(by)))


def named_windows(reader: Reader, select: Any, parts: Mapping[str, Any]) -> dict[str, Any]:
    """The windows that WINDOW names, by their names."""
    listed = parts.get("windows") or []
    reader.account.claim(select, "WINDOW", 1 if listed else 0)
    found: dict[str, Any] = {}
    for node in listed:
        name = reader.name(reader.account.take(node, "NamedWindow")["this"]).text
        if name.casefold() in found:
            reader.account.refuse(
                node, f"two windows are called {name!r}", "name one of them otherwise"
            )
        found[name.casefold()] = node
    # the commas between windows; those of a SELECT and of a window's own list are claimed by them
    if listed:
        reader.account.claim(listed[0].this, "COMMA", len(listed) - 1)
    return found


def read_partition(reader: Reader, node: Any, draft: Draft) -> tuple[Sequence[Any], Any]:
    """What a window is partitioned and ordered by, where it stands or where WINDOW says it."""
    account, definition = reader.account, node
    if node.args.get("alias"):
        name = reader.name(node.args["alias"])
        known = draft.named.get(name.text.casefold())
        if known is None or node.args.get("partition_by") or node.args.get("order"):
            reason = (
                f"there is no window {name.text[:64]!r}"
                if known is None
                else "a window is not made of another"
            )
            account.refuse(
                node, reason, "write OVER w, and WINDOW w AS (PARTITION BY ...) at the end"
            )
        definition = known
    within: Sequence[Any] = definition.args.get("partition_by") or []
    account.claim(definition, "PARTITION_BY", 1 if within else 0)
    account.claim(definition, "COMMA", max(0, len(within) - 1))
    return within, definition.args.get("order")


def _order(reader: Reader, clause: Any, draft: Draft) -> Iterator[Ordering]:
    for ordered in reader.account.take_list(clause) if clause is not None else ():
        parts = reader.account.take(ordered)
        descending = bool(parts.get("desc"))
        reader.account.claim(ordered, "DESC" if descending else "ASC?")
        value = reader.read(parts["this"], draft, ROWS)
        with reader.account.about(ordered):
            type_of(value)
        if isinstance(value, Literal):
            reader.account.refuse(ordered, "a constant is no order", "name the columns to order by")
        yield Ordering(value, descending)


def _function(
    reader: Reader,
    node: Any,
    draft: Inside,
    order: tuple[Ordering, ...],
    by: tuple[Expression, ...],
) -> Placed | Running:
    account, kind = reader.account, node_kind(node)
    account.places.add(node.meta.get("start", -1))
    parts = account.take(node)
    if kind in _PLACES:
        place = _PLACES[kind]
        if place in {Place.NUMBER, Place.RANK, Place.DENSE}:
            column = Column(f"{place.value}()", Kind.INTEGER, 1, nullable=False)
            if place is not Place.NUMBER and not order:
                account.refuse(
                    node,
                    "a rank needs an order",
                    "write RANK() OVER (PARTITION BY unit ORDER BY ...)",
                )
            return Placed(column, place, order, by)
        value = reader.read(parts["this"], draft, ROWS)
        offset = reader.whole_number(parts["offset"]) if parts.get("offset") else 1
        account.claim(node, "COMMA", 1 if parts.get("offset") else 0)
        if offset > _FARTHEST:
            account.refuse(node, "this looks too far", f"look at most {_FARTHEST:,} rows away")
        given = column_of(Defined(label(place.value, value, offset), value))
        column = replace(given, nullable=True)
        return Placed(column, place, order, by, value, offset)
    if kind != "Count" and kind not in FOLDS:
        account.refuse(
            node,
            "this is none of the functions of windows",
            "use COUNT, SUM, AVG, MIN, MAX, ROW_NUMBER, RANK, DENSE_RANK, LAG or LEAD over the rows of a unit",
        )
    value_node: Any = parts.get("this")
    if kind == "Count" and node_kind(value_node) == "Star":
        account.take(value_node)
        return Running(draft.make_fold(Folding.COUNT, None), order, by)
    if value_node is None:
        account.refuse(node, "nothing is counted", "write COUNT(*)")
    value = reader.read(value_node, draft, ROWS)
    return Running(draft.make_fold(FOLDS.get(kind, Folding.COUNT), value), order, by)
