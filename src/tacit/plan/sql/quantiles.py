"""Quantiles in SQL, however they are spelled, and the least and the greatest value."""

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from tacit.plan.model.expressions import Expression
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.expression_forms import only
from tacit.plan.questions.quantile_grids import GREATEST, LEAST, MEDIAN, rank_from
from tacit.plan.sql.reader import ROWS, Reader, node_kind

__all__ = ["RANKS", "quantile", "several"]

RANKS = frozenset(
    {"Median", "Quantile", "PercentileCont", "PercentileDisc", "WithinGroup", "Min", "Max"}
)
"""The nodes of the parser's tree that ask for the value of a rank."""

_NAMED = {"Median": MEDIAN, "Min": LEAST, "Max": GREATEST}
_ONE_EACH = "write one column for each rank: QUANTILE(x, 0.25) AS low, QUANTILE(x, 0.75) AS high"


def quantile(
    reader: Reader, node: Any, draft: Draft, condition: Expression | None = None
) -> Expression:
    """The value of one rank; with a condition, of some rows."""
    value, ranks = _parts(reader, node)
    found = list(ranks)
    if len(found) != 1:
        reader.account.refuse(
            node, "several quantiles are several columns, and here stands one value", _ONE_EACH
        )
    return draft.rank_value(only(reader.read(value, draft, ROWS), condition), found[0])


def several(reader: Reader, node: Any, draft: Draft) -> Iterator[tuple[str, Expression]] | None:
    """The values of a list of ranks, each with what is written behind a column's name; None if there is no list."""
    if node_kind(node) not in {"Quantile", "PercentileCont", "PercentileDisc"} or not _is_list(
        node
    ):
        return None
    value, ranks = _parts(reader, node)
    read = reader.read(value, draft, ROWS)
    return ((f"_{float(rank):g}", draft.rank_value(read, rank)) for rank in ranks)


def _is_list(node: Any) -> bool:
    return any(
        node_kind(part) == "Array"
        for part in (node.args.get("quantile"), node.args.get("expression"))
    )


def _parts(reader: Reader, node: Any) -> tuple[Any, list[Fraction]]:
    """What is ranked, and at which ranks."""
    kind, account = node_kind(node), reader.account
    parts = account.take(node)
    account.places.add(node.meta.get("start", -1))
    if kind in _NAMED:
        return parts["this"], [_NAMED[kind]]
    if kind == "WithinGroup":
        return _read_within_group(reader, node, parts)
    rank = parts.get("quantile") or parts.get("expression")
    if rank is None or "start" in node.meta:
        remedy = "write QUANTILE_CONT(x, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x)"
        account.refuse(node, "here it is not said what is ranked, and at which rank", remedy)
    if kind != "Quantile":
        account.claim(node, "QUANTILE_CONT" if kind == "PercentileCont" else "QUANTILE_DISC")
    account.claim(node, "COMMA", 1)
    if node_kind(rank) == "Array":
        return parts["this"], [_rank(reader, each) for each in account.take_list(rank)]
    return parts["this"], [_rank(reader, rank)]


def _read_within_group(
    reader: Reader, node: Any, parts: dict[str, Any]
) -> tuple[Any, list[Fraction]]:
    """PERCENTILE_CONT(rank) WITHIN GROUP (ORDER BY value)."""
    account, function = reader.account, parts["this"]
    if node_kind(function) not in {"PercentileCont", "PercentileDisc"} or function.args.get(
        "expression"
    ):
        account.refuse(
            node,
            "this is not ordered within a group",
            "write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)",
        )
    given = account.take(function)
    if "start" in function.meta:
        account.places.add(function.meta["start"])
    else:
        account.claim(
            function,
            "QUANTILE_CONT" if node_kind(function) == "PercentileCont" else "QUANTILE_DISC",
        )
    ordered = account.take_list(parts["expression"])
    if len(ordered) != 1:
        account.refuse(node, "values are ranked by one order", "write ORDER BY and one value")
    order = account.take(ordered[0])
    account.claim(ordered[0], "DESC" if order.get("desc") else "ASC?")
    rank = _rank(reader, given["this"])
    return order["this"], [1 - rank if order.get("desc") else rank]


def _rank(reader: Reader, node: Any) -> Fraction:
    """A rank that is written as a number."""
    with reader.account.about(node):
        return rank_from(reader.constant(node).value if node_kind(node) == "Literal" else None)
