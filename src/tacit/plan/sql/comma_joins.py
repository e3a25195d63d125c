"""Tables beside each other, FROM a, b WHERE a.x = b.x: a join on what WHERE says of both."""

from collections.abc import Iterator, Mapping
from typing import Any

from tacit.plan.questions.scope import Scope
from tacit.plan.sql.reader import Reader, conjuncts, is_column, node_kind

__all__ = ["is_beside", "ties"]


def is_beside(join: Any) -> bool:
    """Whether a table stands after a comma."""
    return not any(join.args.get(part) for part in ("side", "kind", "on", "using", "method"))


def ties(reader: Reader, parts: Mapping[str, Any], left: Scope, right: Scope) -> list[Any]:
    """The conditions of WHERE that say that something on the left equals something on the right.

    They are what the tables are joined on, and WHERE has them no more: an inner join asks for them all the same.

    Claim:      rows meet exactly where they do in every pair of rows that WHERE keeps.
    Because:    a condition that is joined to the others by AND may be asked when rows meet, or afterwards.
    Checked by: tests/laws/test_rows_like_duckdb.py and tests/laws/statements.sql
    """
    clause = parts.get("where")
    if clause is None:
        return []
    found = [
        part
        for part in conjuncts(reader, reader.account.take(clause)["this"])
        if id(part) not in reader.account.moved and _ties(reader, part, left, right)
    ]
    reader.account.moved |= {id(part) for part in found}
    return found


def _ties(reader: Reader, node: Any, left: Scope, right: Scope) -> bool:
    if node_kind(node) != "EQ" or any(
        node_kind(part) in {"Select", "Exists"} for part in node.walk()
    ):
        return False
    sides = [set(_where(reader, side, left, right)) for side in (node.this, node.expression)]
    return sides in ([{"left"}, {"right"}], [{"right"}, {"left"}])


def _where(reader: Reader, node: Any, left: Scope, right: Scope) -> Iterator[str]:
    """On which sides the columns of an expression stand."""
    for part in node.walk():
        if is_column(part):
            named = reader.split_name(part)
            ours, theirs = bool(left.finds(*named)), bool(right.finds(*named))
            yield "left" if ours and not theirs else "right" if theirs and not ours else "neither"
