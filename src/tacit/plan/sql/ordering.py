"""ORDER BY, LIMIT, OFFSET and QUALIFY: what is done with the groups that are released.

Checked by: tests/unit/plan/sql/test_options.py
"""

from sqlglot import exp

from tacit.plan.model.expressions import Expression
from tacit.plan.model.nodes import Ordering
from tacit.plan.questions.draft import KEPT, SORTED, Draft
from tacit.plan.semantics.infer import type_of
from tacit.plan.sql.expressions import read_condition, read_expression
from tacit.plan.sql.reader import Reader

__all__ = ["read_limit", "read_order", "read_qualify"]


def read_order(reader: Reader, clause: exp.Expr | None, draft: Draft) -> list[Ordering]:
    """What the answer is sorted by.

    ORDER BY n DESC, 1    [Ordering(MeasureOf(0), descending=True), Ordering(KeyOf(0))]
    """
    if clause is None:
        return []
    found = []
    for ordered in reader.account.take_list(clause):
        node, descending = ordered.this, reader.is_descending(ordered)
        if isinstance(node, exp.Var) and node.name.upper() == "ALL":
            reader.account.claim(node, "ALL")
            found += [Ordering(column.value, descending) for column in draft.columns]
            continue
        value = (
            _column_at(reader, node, draft)
            if isinstance(node, exp.Literal)
            else read_expression(reader, node, draft, SORTED)
        )
        with reader.account.about(node):
            type_of(value, draft.question)
        found.append(Ordering(value, descending))
    return found


def _column_at(reader: Reader, node: exp.Expr, draft: Draft) -> Expression:
    """The column of the answer that a number means."""
    place, columns = reader.whole_number(node), draft.columns
    if not 1 <= place <= len(columns):
        reader.account.refuse(
            node, f"there is no column {place}", f"count from 1 to {len(columns)}"
        )
    return columns[place - 1].value


def read_limit(reader: Reader, clause: exp.Expr | None) -> int | None:
    """The number of rows in LIMIT or OFFSET."""
    if clause is None:
        return None
    return reader.whole_number(reader.account.take(clause)["expression"])


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
