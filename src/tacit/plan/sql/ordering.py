"""ORDER BY, LIMIT, OFFSET and QUALIFY: what is done with the groups that are released.

Checked by: tests/unit/plan/sql/test_privacy_options.py
"""

from __future__ import annotations

from sqlglot import exp

from tacit.plan.model.expressions import Expression, IsNull
from tacit.plan.model.nodes import Ordering
from tacit.plan.questions.draft import KEPT, SORTED, Draft
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.expressions import read_condition, read_expression
from tacit.plan.sql.reading_context import Reader

__all__ = ["read_limit", "read_order", "read_qualify"]


def read_order(reader: Reader, clause: exp.Expr | None, draft: Draft) -> list[Ordering]:
    """What the answer is sorted by.

    ORDER BY n DESC, 1    [Ordering(MeasureOf(0), descending=True), Ordering(KeyOf(0))]
    """
    if clause is None:
        return []
    found = []
    for ordered in reader.account.take_list(clause):
        node, (descending, nulls_first) = ordered.this, reader.direction(ordered)
        if isinstance(node, exp.Var) and node.name.upper() == "ALL":
            reader.account.claim(node, "ALL")
            for column in draft.columns:
                found += _order_by(column.value, draft, descending, nulls_first)
            continue
        value = (
            _column_at(reader, node, draft)
            if isinstance(node, exp.Literal)
            else read_expression(reader, node, draft, SORTED)
        )
        with reader.account.about(node):
            found += _order_by(value, draft, descending, nulls_first)
    return found


def _order_by(
    value: Expression, draft: Draft, descending: bool, nulls_first: bool
) -> list[Ordering]:
    """The order by a value; with NULLs first, by whether it is NULL before that, if it can be.

    ORDER BY ward NULLS FIRST    [Ordering(IsNull(KeyOf(0)), descending=True), Ordering(KeyOf(0))]
    """
    by_value = Ordering(value, descending)
    if type_of(value, draft.question).nullable and nulls_first:
        return [Ordering(IsNull(value), descending=True), by_value]
    return [by_value]


def _column_at(reader: Reader, node: exp.Expr, draft: Draft) -> Expression:
    """The column of the answer that a number means."""
    place, columns = reader.whole_number(node), draft.columns
    if not 1 <= place <= len(columns):
        reader.account.refuse(
            node, f"there is no column {place}", f"count from 1 to {len(columns)}"
        )
    return columns[place - 1].value


def read_limit(reader: Reader, clause: exp.Expr | None) -> int | None:
    """The number of rows in LIMIT, OFFSET or FETCH FIRST 3 ROWS ONLY."""
    if clause is None:
        return None
    if isinstance(clause, exp.Fetch):
        return _read_fetch(reader, clause)
    return reader.whole_number(reader.account.take(clause)["expression"])


def _read_fetch(reader: Reader, clause: exp.Expr) -> int:
    parts = reader.account.take(clause)
    reader.account.claim(clause, parts["direction"])
    reader.account.take(parts["limit_options"])
    count = parts.get("count")
    return 1 if count is None else reader.whole_number(count)


def read_qualify(reader: Reader, clause: exp.Expr | None, draft: Draft) -> Expression | None:
    """The condition on what windows over groups say: QUALIFY RANK() OVER (ORDER BY n DESC) <= 3."""
    if clause is None:
        return None
    condition = reader.account.take(clause)["this"]
    if not draft.grouped:
        reason = "QUALIFY over single rows needs a subquery"
        remedy = "write FROM (SELECT ... QUALIFY ...), and aggregate outside"
        reader.account.refuse(clause, reason, remedy)
    return read_condition(reader, condition, draft, KEPT)
