"""Windows over what is released: what a group's numbers are among those of other groups.  They cost nothing."""

from collections.abc import Iterator, Sequence
from typing import Any

from tacit.plan.model.expressions import Expression, Look
from tacit.plan.questions.draft import KEPT, Draft
from tacit.plan.questions.group_windows import looks
from tacit.plan.sql.grammar import AGGREGATES
from tacit.plan.sql.reader import Reader, node_kind
from tacit.plan.sql.row_windows import read_partition

__all__ = ["read_group_window", "is_grouped"]

_LOOKS = {
    "RowNumber": Look.NUMBER,
    "Rank": Look.RANK,
    "DenseRank": Look.DENSE,
    "Count": Look.COUNT,
    "Sum": Look.SUM,
    "Avg": Look.MEAN,
    "Min": Look.LEAST,
    "Max": Look.GREATEST,
    "Lag": Look.BEFORE,
    "Lead": Look.AFTER,
}
_RANKS = {Look.NUMBER, Look.RANK, Look.DENSE}


def is_grouped(parts: Any, columns: Sequence[Any]) -> bool:
    """Whether a SELECT releases groups: otherwise a window would look at its rows."""
    if parts.get("group"):
        return True
    clauses = [
        *columns,
        *(parts[name] for name in ("having", "order", "qualify") if parts.get(name)),
    ]
    return any(_adds_up(node) for clause in clauses for node in clause.walk())


def _adds_up(node: Any) -> bool:
    inside = node_kind(node.parent) == "Window" and node.parent.this is node
    return node_kind(node) in {*AGGREGATES, "CountIf"} and not inside


def read_group_window(reader: Reader, node: Any, draft: Draft) -> Expression:
    """A window over what is released, of a SELECT that groups: RANK() OVER (ORDER BY COUNT(*) DESC)."""
    account = reader.account
    account.take(node)
    within, clause = read_partition(reader, node, draft)
    by = [reader.read(part, draft, KEPT) for part in within]
    order = list(_order(reader, clause, draft))
    function = node.this
    kind = node_kind(function)
    if kind not in _LOOKS:
        remedy = "use COUNT, SUM, AVG, MIN, MAX, ROW_NUMBER, RANK, DENSE_RANK, LAG or LEAD over the groups"
        account.refuse(node, "this is none of the functions of windows", remedy)
    parts = account.take(function)
    account.places.add(function.meta.get("start", -1))
    value: Any = parts.get("this")
    operand: Expression | None = None
    if kind == "Count" and node_kind(value) == "Star":
        account.take(value)
    elif value is not None:
        if node_kind(value) == "Distinct":
            account.refuse(
                node, "different values are not counted over groups", "write COUNT(x) OVER (...)"
            )
        operand = reader.read(value, draft, KEPT)
    elif _LOOKS[kind] not in _RANKS:
        account.refuse(node, "nothing is counted", "write COUNT(*)")
    offset = reader.whole_number(parts["offset"]) if parts.get("offset") else 1
    account.claim(function, "COMMA", 1 if parts.get("offset") else 0)
    with account.about(node):
        return looks(_LOOKS[kind], operand, by, order, offset, draft)


def _order(reader: Reader, clause: Any, draft: Draft) -> Iterator[tuple[Expression, bool]]:
    for ordered in reader.account.take_list(clause) if clause is not None else ():
        parts = reader.account.take(ordered)
        descending = bool(parts.get("desc"))
        reader.account.claim(ordered, "DESC" if descending else "ASC?")
        yield reader.read(parts["this"], draft, KEPT), descending
