"""GROUP BY ALL, ORDER BY ALL and DISTINCT: what a SELECT lists says what is grouped, sorted and told once."""

from collections.abc import Sequence
from typing import Any

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import KeyOf
from tacit.plan.questions.draft import Draft
from tacit.plan.sql.grammar import AGGREGATES
from tacit.plan.sql.reader import Reader, node_kind

__all__ = [
    "aggregates",
    "all_keys",
    "check_told_once",
    "is_all",
    "is_distinct",
]

_AGGREGATES = AGGREGATES | {"CountIf"}


def aggregates(node: Any, *, windows: bool = False) -> bool:
    """Whether a column makes one number of many rows; with `windows`, whether it looks at other groups, too."""
    if node_kind(node) in _AGGREGATES:
        return True
    if node_kind(node) in {"Window", "Subquery", "Select"}:
        return windows and node_kind(node) == "Window"
    parts = [
        part
        for value in node.args.values()
        for part in (value if isinstance(value, list) else [value])
    ]
    return any(aggregates(part, windows=windows) for part in parts if hasattr(part, "args"))


def is_distinct(reader: Reader, parts: Any) -> bool:
    """Whether a SELECT tells every row once; DISTINCT is read with it."""
    clause = parts.get("distinct")
    if clause is None:
        return False
    if clause.args.get("on"):
        remedy = "number the rows of each unit, ROW_NUMBER() OVER (PARTITION BY unit ORDER BY ...), and keep the first"
        reader.account.refuse(clause, "DISTINCT ON would choose among rows", remedy)
    reader.account.take(clause)
    return True


def is_all(reader: Reader, clause: Any) -> bool:
    """Whether a clause says ALL in place of a list."""
    if not clause.args.get("all"):
        return False
    reader.account.take(clause)
    reader.account.claim(clause, "ALL")
    return True


def all_keys(columns: Sequence[Any]) -> list[Any]:
    """The columns of a SELECT that GROUP BY ALL means: those in which nothing is added up, but for constants."""
    named = [
        column
        for column in columns
        if any(node_kind(part) in {"Column", "Star"} for part in column.walk())
    ]
    return [column for column in named if not aggregates(column, windows=True)]


def check_told_once(draft: Draft) -> None:
    """Refuse DISTINCT where two groups might be told as one row: with all keys there, no two are alike."""
    shown = {column.value.place for column in draft.columns if isinstance(column.value, KeyOf)}
    if shown != set(range(len(draft.keys))):
        remedy = "leave DISTINCT out, or show every key"
        raise InvalidPlan(
            "groups that look alike would become one row, and how many there are is lost", remedy
        )
