"""Windows over what is released: what a group's numbers are among those of other groups.  They cost nothing.

Checked by: tests/unit/curator/answer/test_group_windows.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from tacit.plan.model.expressions import Expression, KeyOf, Look
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.group_windows import looks
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES
from tacit.plan.sql.reading_context import Reader
from tacit.plan.sql.row_windows import check_value_frame, read_partition
from tacit.plan.sql.walk_syntax_tree import list_nodes
from tacit.plan.sql.window_frames import FRAMED, SHARES, fold_frame, read_frame, share

__all__ = ["LOOKS", "is_grouped", "read_group_window"]

LOOKS: dict[type[exp.Expr], Look] = {
    exp.RowNumber: Look.NUMBER,
    exp.Rank: Look.RANK,
    exp.DenseRank: Look.DENSE,
    exp.Count: Look.COUNT,
    exp.Sum: Look.SUM,
    exp.Avg: Look.MEAN,
    exp.Min: Look.LEAST,
    exp.Max: Look.GREATEST,
    exp.Lag: Look.BEFORE,
    exp.Lead: Look.AFTER,
    exp.FirstValue: Look.FIRST,
    exp.LastValue: Look.LAST,
    exp.Median: Look.MIDDLE,
}
"""The functions of windows over groups."""
_RANKS = {Look.NUMBER, Look.RANK, Look.DENSE}


def is_grouped(parts: Mapping[str, Any], columns: Sequence[exp.Expr]) -> bool:
    """Whether a SELECT releases groups: otherwise a window would look at its rows."""
    if parts.get("group"):
        return True
    clauses = [
        *columns,
        *(parts[name] for name in ("having", "order", "qualify") if parts.get(name)),
    ]
    return any(_adds_up(node) for clause in clauses for node in list_nodes(clause, _is_query))


def _is_query(node: exp.Expr) -> bool:
    """Whether it is a question of its own, whose aggregates are not those of the one around it."""
    return isinstance(node, exp.Subquery | exp.Select)


def _adds_up(node: exp.Expr) -> bool:
    if type(node) not in AGGREGATES and type(node) is not exp.CountIf:
        return False
    return not (isinstance(node.parent, exp.Window) and node.parent.this is node)


def read_group_window(
    reader: Reader, node: exp.Window, draft: Draft, read: Callable[[exp.Expr], Expression]
) -> Expression:
    """A window over what is released, of a SELECT that groups.

    RANK() OVER (ORDER BY COUNT(*) DESC)    Across(RANK, order=((MeasureOf(0), True),))
    """
    account = reader.account
    account.take(node, "GroupWindow")
    within, clause = read_partition(reader, node, draft)
    by = [read(part) for part in within]
    ordered = account.take_list(clause) if clause is not None else ()
    order = [(read(each.this), reader.is_descending(each)) for each in ordered]
    spec = node.args.get("spec")
    function = node.this

    def window(
        look: Look, operand: Expression | None, ordered: bool, away: int
    ) -> Expression:  # one of the windows that this is made of
        return looks(look, operand, by, order if ordered else (), away, draft)

    if isinstance(function, SHARES):
        account.take(function)
        account.places.add(function.meta.get("start", -1))
        with account.about(node):
            return share(function, reader, window)
    if type(function) not in LOOKS:
        remedy = (
            "use COUNT, SUM, AVG, MEDIAN, MIN, MAX, ROW_NUMBER, RANK, DENSE_RANK, NTILE, PERCENT_RANK, CUME_DIST, "
            "LAG, LEAD, FIRST_VALUE or LAST_VALUE over the groups"
        )
        account.refuse(node, "this window function is not supported", remedy)
    look, parts = LOOKS[type(function)], account.take(function)
    account.places.add(function.meta.get("start", -1))
    value = parts.get("this")
    operand: Expression | None = None
    if look is Look.COUNT and isinstance(value, exp.Star):
        account.take(value)
    elif value is not None:
        if isinstance(value, exp.Distinct):
            reason = "COUNT(DISTINCT x) over groups is not supported"
            account.refuse(node, reason, "write COUNT(x) OVER (...)")
        operand = read(value)
    elif look not in _RANKS:
        account.refuse(node, "nothing is counted", "write COUNT(*)")
    offset = reader.whole_number(parts["offset"]) if parts.get("offset") else 1
    account.claim(function, "COMMA", 1 if parts.get("offset") else 0)
    with account.about(node):
        if spec is not None and look in FRAMED:
            frame = read_frame(reader, spec, has_order=bool(order))
            if frame == (
                None,
                0,
            ):  # groups one by one, also those that are alike in what they are ordered by
                order += [(KeyOf(place), False) for place in range(len(draft.keys))]
            return fold_frame(look, operand, frame, window)
        if look in {Look.FIRST, Look.LAST}:
            check_value_frame(reader, node)
        elif spec is not None:
            account.refuse(node, "this function does not use a frame", "leave ROWS ... out")
        return looks(look, operand, by, order, offset, draft)
