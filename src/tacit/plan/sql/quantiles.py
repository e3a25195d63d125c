"""Quantiles in SQL, however they are spelled, and the least and the greatest value: what is ranked, and where."""

from __future__ import annotations

from fractions import Fraction

from sqlglot import exp

from tacit.plan.questions.quantile_grids import GREATEST, LEAST, MEDIAN, rank_from
from tacit.plan.sql.reading_context import Reader

__all__ = ["RANKS", "is_list_of_ranks", "read_rank", "read_ranks"]

_NAMED: dict[type[exp.Expr], Fraction] = {exp.Median: MEDIAN, exp.Min: LEAST, exp.Max: GREATEST}
_LISTS = (exp.Quantile, exp.PercentileCont, exp.PercentileDisc)
RANKS = frozenset({*_NAMED, *_LISTS, exp.WithinGroup})
"""The nodes of the parser's tree that ask for the value of a rank."""

_ONE_EACH = "write one column for each rank: QUANTILE(x, 0.25) AS low, QUANTILE(x, 0.75) AS high"


def read_rank(reader: Reader, node: exp.Expr) -> tuple[exp.Expr, Fraction]:
    """What is ranked, and at which rank: QUANTILE_CONT(cost, 0.9) gives (cost, 9/10)."""
    value, ranks = read_ranks(reader, node)
    if len(ranks) != 1:
        reason = "a list of quantiles gives several columns, but a single value is needed here"
        reader.account.refuse(node, reason, _ONE_EACH)
    return value, ranks[0]


def is_list_of_ranks(node: exp.Expr) -> bool:
    """Whether several quantiles are asked for at once: QUANTILE_CONT(cost, [0.25, 0.75])."""
    listed = (node.args.get("quantile"), node.args.get("expression"))
    return type(node) in _LISTS and any(isinstance(part, exp.Array) for part in listed)


def read_ranks(reader: Reader, node: exp.Expr) -> tuple[exp.Expr, list[Fraction]]:
    """What is ranked, and at which ranks."""
    account, parts = reader.account, reader.account.take(node)
    account.places.add(node.meta.get("start", -1))
    if type(node) in _NAMED:
        return parts["this"], [_NAMED[type(node)]]
    if isinstance(node, exp.WithinGroup):
        return _read_within_group(reader, node)
    rank = parts.get("quantile") or parts.get("expression")
    if rank is None:
        remedy = "write QUANTILE_CONT(x, 0.25), or PERCENTILE_CONT(0.25) WITHIN GROUP (ORDER BY x)"
        account.refuse(node, "a quantile needs a value and a rank", remedy)
    if "start" not in node.meta:
        _claim_name(reader, node)
    account.claim(node, "COMMA", 1)
    if isinstance(rank, exp.Array):
        return parts["this"], [_read_number(reader, each) for each in account.take_list(rank)]
    return parts["this"], [_read_number(reader, rank)]


def _read_within_group(reader: Reader, node: exp.WithinGroup) -> tuple[exp.Expr, list[Fraction]]:
    """PERCENTILE_CONT(rank) WITHIN GROUP (ORDER BY value)."""
    account, function = reader.account, node.this
    if not isinstance(function, exp.PercentileCont | exp.PercentileDisc) or function.args.get(
        "expression"
    ):
        reason = "WITHIN GROUP is supported for PERCENTILE_CONT and PERCENTILE_DISC only"
        account.refuse(node, reason, "write PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)")
    given = account.take(function)
    if "start" in function.meta:
        account.places.add(function.meta["start"])
    else:
        _claim_name(reader, function)
    ordered = account.take_list(node.expression)
    if len(ordered) != 1:
        account.refuse(
            node, "WITHIN GROUP takes one ORDER BY expression", "write WITHIN GROUP (ORDER BY x)"
        )
    order, descending = ordered[0], reader.is_descending(ordered[0])
    rank = _read_number(reader, given["this"])
    return order.this, [1 - rank if descending else rank]


def _claim_name(reader: Reader, node: exp.Expr) -> None:
    """Account for the name of a function whose place the parser does not know."""
    if isinstance(node, exp.PercentileCont):
        reader.account.claim(node, "QUANTILE_CONT")
    elif isinstance(node, exp.PercentileDisc):
        reader.account.claim(node, "QUANTILE_DISC")


def _read_number(reader: Reader, node: exp.Expr) -> Fraction:
    """A rank that is written as a number."""
    with reader.account.about(node):
        return rank_from(reader.constant(node).value if isinstance(node, exp.Literal) else None)
