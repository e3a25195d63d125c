"""Tables beside each other, FROM a, b WHERE a.x = b.x: a join on what WHERE says of both."""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import exp

from tacit.plan.questions.scope import Scope
from tacit.plan.sql.reading_context import Reader, conjuncts, is_column

__all__ = ["find_ties", "is_comma"]


def is_comma(join: exp.Expr) -> bool:
    """Whether a table stands after a comma."""
    return not any(join.args.get(part) for part in ("side", "kind", "on", "using", "method"))


def find_ties(
    reader: Reader,
    clause: exp.Expr | None,
    left: Scope,
    right: Scope,
    tied: frozenset[int],
) -> list[exp.Expr]:
    """The conditions of WHERE that say that something on the left equals something on the right.

    They are what the tables are joined on, and WHERE has them no more: an inner join asks for them all the same.
    `tied` are those that were found before.

    FROM visits v, labs l WHERE v.patient = l.patient AND v.cost > 10    [v.patient = l.patient]

    Claim:      rows meet exactly where they do in every pair of rows that WHERE keeps.
    Because:    a condition that is joined to the others by AND may be asked when rows meet, or afterwards.
    Checked by: tests/laws/test_rows_like_duckdb.py and tests/laws/statements.sql
    """
    if clause is None:
        return []
    return [
        part
        for part in conjuncts(reader.account, reader.account.take(clause)["this"])
        if id(part) not in tied and _ties(reader, part, left, right)
    ]


def _ties(reader: Reader, node: exp.Expr, left: Scope, right: Scope) -> bool:
    if not isinstance(node, exp.EQ) or node.find(exp.Select, exp.Exists):
        return False
    sides = [set(_list_sides(reader, side, left, right)) for side in (node.this, node.expression)]
    return sides in ([{"left"}, {"right"}], [{"right"}, {"left"}])


def _list_sides(reader: Reader, node: exp.Expr, left: Scope, right: Scope) -> Iterator[str]:
    """On which sides the columns of an expression stand."""
    for part in node.walk():
        if is_column(part):
            named = reader.split_name(part)
            ours, theirs = bool(left.finds(*named)), bool(right.finds(*named))
            yield "left" if ours and not theirs else "right" if theirs and not ours else "neither"
