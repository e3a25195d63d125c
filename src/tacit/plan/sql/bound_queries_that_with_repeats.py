"""How many queries are read of a statement whose WITH names them: bounded before any is read."""

from __future__ import annotations

from collections.abc import Mapping

from sqlglot import exp

from tacit.plan.sql.walk_syntax_tree import list_nodes

__all__ = ["MOST_QUERIES", "count_queries"]

MOST_QUERIES = 200
"""How many queries a statement may be made of, one in WITH as often as it is named."""


def count_queries(root: exp.Expr) -> int:
    """How many queries are read of a statement: one that WITH names is read wherever it is named.

    Claim:      reading takes a time that is bounded by the length of the text times this number.
    Because:    each SELECT is read once for every way to it from the outermost one.  What WITH names is counted by what
                stands before it; where two have one name, by the larger.
    Checked by: tests/unit/plan/sql/test_bound_queries_that_with_repeats.py

    >>> import sqlglot
    >>> count_queries(sqlglot.parse_one("WITH a AS (SELECT 1), b AS (SELECT 2 FROM a, a) SELECT 3 FROM b, b"))
    7
    """
    costs: dict[str, int] = {}
    for part in _list_withs_inside_out(root):
        name = part.alias.casefold()
        costs[name] = max(costs.get(name, 0), _count_reads(part.this, costs))
    return _count_reads(root, costs)


def _count_reads(query: exp.Expr, costs: Mapping[str, int]) -> int:
    """How many queries are read of one, by what reading those costs that it names."""
    nodes = list_nodes(query, lambda node: isinstance(node, exp.With))
    named = sum(costs.get(node.name.casefold(), 0) for node in nodes if isinstance(node, exp.Table))
    return named + sum(isinstance(node, exp.Select) for node in nodes)


def _list_withs_inside_out(root: exp.Expr) -> list[exp.CTE]:
    """All common table expressions of a statement: each after those that stand before it, and those inside it."""
    found: list[exp.CTE] = []
    rest: list[exp.Expr] = [root]
    while rest:
        node = rest.pop()
        if isinstance(node, exp.CTE):
            found.append(node)
        for value in node.args.values():
            rest += [
                part
                for part in (value if isinstance(value, list) else [value])
                if isinstance(part, exp.Expr)
            ]
    return found[::-1]
