"""MODE(x): the group that comes first, which is asked for without its number, and so by private selection.

Checked by: tests/unit/plan/sql/test_mode.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from tacit.plan.model.expressions import (
    Across,
    Compared,
    Expression,
    IsNull,
    KeyOf,
    Literal,
    Look,
    Not,
)
from tacit.plan.model.nodes import Ordering
from tacit.plan.model.schema import Kind
from tacit.plan.questions.aggregate_per_unit import has_null_group
from tacit.plan.questions.draft import Draft
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.group_by_all_distinct import has_aggregate
from tacit.plan.sql.reading_context import ROWS, Reader
from tacit.plan.sql.walk_syntax_tree import list_nodes

__all__ = ["find_mode", "is_most_frequent", "read_mode", "read_mode_key"]

_OTHERS = ("having", "qualify", "distinct")
_ENDS = ("order", "limit", "offset")
_REMEDY = "write SELECT x FROM ... GROUP BY x ORDER BY COUNT(*) DESC LIMIT 1"


def find_mode(
    reader: Reader, parts: Mapping[str, Any], columns: Sequence[exp.Expr]
) -> exp.Expr | None:
    """The MODE(x) that a SELECT asks for, alone or for each group; beside any other aggregate it is refused."""
    modes = [
        node for column in columns for node in list_nodes(column) if isinstance(node, exp.Mode)
    ]
    if not modes:
        return None
    others = [column for column in columns if column.unalias() is not modes[0]]
    grouped = bool(parts.get("group"))
    alone = len(modes) == 1 and len(others) == len(columns) - 1 and (grouped or not others)
    if not alone or any(map(has_aggregate, others)) or any(parts.get(name) for name in _OTHERS):
        reason = "MODE can be selected only alone or with the keys of its groups"
        reader.account.refuse(
            modes[0], reason, f"{_REMEDY}, and ask for the other columns in another question"
        )
    if not grouped and any(parts.get(name) for name in _ENDS):
        reader.account.refuse(modes[0], "MODE is one row, which needs no order", "leave it out")
    if modes[0].args.get("this") is None:
        reader.account.refuse(modes[0], "MODE takes a value", "write MODE(x)")
    return modes[0]


def read_mode(reader: Reader, node: exp.Expr, name: str, draft: Draft) -> list[Ordering]:
    """The key, shown by a name, and the order of which the first is the mode."""
    key = read_mode_key(reader, node, name, draft)
    draft.show(name, key)
    return [Ordering(draft.count(), descending=True)]


def read_mode_key(reader: Reader, node: exp.Expr, name: str, draft: Draft) -> KeyOf:
    """The values of which one is the mode, as a key of the question; NULL is none of them."""
    value: Expression = read_expression(reader, reader.account.take(node)["this"], draft, ROWS)
    reader.account.places.add(node.meta.get("start", -1))
    if has_null_group(value):
        draft.conditions.append(Not(IsNull(value)))
    with reader.account.about(node):
        draft.key(value, name)
    return KeyOf(len(draft.keys) - 1)


def is_most_frequent(draft: Draft, key: KeyOf) -> Expression:
    """Whether a group is the first of those that differ in one key alone, by how many rows it has."""
    by = tuple(KeyOf(place) for place in range(len(draft.keys)) if place != key.place)
    number = Across(Look.NUMBER, None, by, ((draft.count(), True),))
    return Compared("=", number, Literal(1, Kind.INTEGER))
