"""GROUP BY ALL, ORDER BY ALL and DISTINCT: what a SELECT lists says what is grouped, sorted and told once.

Checked by: tests/unit/plan/test_wide.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import KeyOf
from tacit.plan.questions.draft import Draft
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES
from tacit.plan.sql.source_positions import Account

__all__ = [
    "check_told_once",
    "has_aggregate",
    "has_on",
    "is_all",
    "is_distinct",
    "list_keys",
]


def has_aggregate(node: exp.Expr, *, windows: bool = False) -> bool:
    """Whether a column makes one number of many rows; with `windows`, whether it looks at other groups, too."""
    if type(node) in AGGREGATES or isinstance(node, exp.CountIf):
        return True
    if isinstance(node, exp.Window | exp.Subquery | exp.Select):
        return windows and isinstance(node, exp.Window)
    parts = [
        part
        for value in node.args.values()
        for part in (value if isinstance(value, list) else [value])
    ]
    return any(has_aggregate(part, windows=windows) for part in parts if isinstance(part, exp.Expr))


def has_on(parts: Mapping[str, Any]) -> bool:
    """Whether a SELECT says DISTINCT ON."""
    clause = parts.get("distinct")
    return clause is not None and bool(clause.args.get("on"))


def is_distinct(account: Account, parts: Mapping[str, Any]) -> bool:
    """Whether a SELECT tells every row once; DISTINCT is read with it."""
    clause = parts.get("distinct")
    if clause is None:
        return False
    if clause.args.get("on"):
        remedy = "choose them in a subquery: FROM (SELECT DISTINCT ON (unit) unit, x FROM ... ORDER BY ...)"
        account.refuse(clause, "DISTINCT ON chooses rows, which are never released", remedy)
    account.take(clause)
    return True


def is_all(account: Account, clause: exp.Expr) -> bool:
    """Whether a clause says ALL in place of a list."""
    if not clause.args.get("all"):
        return False
    account.take(clause)
    account.claim(clause, "ALL")
    return True


def list_keys(columns: Sequence[exp.Expr]) -> list[exp.Expr]:
    """The columns of a SELECT that GROUP BY ALL means: those in which nothing is added up, but for constants."""
    named = [
        column
        for column in columns
        if any(isinstance(part, exp.Column | exp.Star) for part in column.walk())
    ]
    return [column for column in named if not has_aggregate(column, windows=True)]


def check_told_once(draft: Draft) -> None:
    """Refuse DISTINCT where two groups might be told as one row: with all keys there, no two are alike."""
    shown = {column.value.place for column in draft.columns if isinstance(column.value, KeyOf)}
    if shown != set(range(len(draft.keys))):
        remedy = "remove DISTINCT, or select every key"
        raise InvalidPlan("DISTINCT would merge groups whose shown columns are equal", remedy)
