"""Outer joins that keep rows of a public table: read where these make groups without rows, and nothing else.

Checked by: tests/unit/plan/sql/test_outer_joins_with_public_tables.py
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import assert_never

from sqlglot import exp

from tacit.plan.model.nodes import (
    Computed,
    Inner,
    Joined,
    Kept,
    Rows,
    Scan,
    Stacked,
    Where,
    Windowed,
)
from tacit.plan.questions.groups_of_public_rows import has_no_null
from tacit.plan.questions.scope import Scope
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES, ARITHMETIC, COMPARISONS
from tacit.plan.sql.grouping_sets import has_sets

__all__ = ["keeps_groups_alone", "with_all_groups"]

_CALCULATED: tuple[type[exp.Expr], ...] = (
    *(exp.Column, exp.Identifier, exp.Literal, exp.Boolean),
    *(exp.Paren, exp.Neg, exp.Cast, exp.DataType),
    *ARITHMETIC,
)
_TESTS: tuple[type[exp.Expr], ...] = (
    *(exp.Where, exp.In, exp.Between, exp.Like, exp.And),
    *COMPARISONS,
)


def keeps_groups_alone(join: exp.Expr) -> bool:
    """Whether the rows that an outer join keeps of a public table make groups, which are public, and change no number.

    SELECT w.ward, COUNT(v.cost) FROM wards w LEFT JOIN visits v ON v.ward = w.ward GROUP BY w.ward

    Claim:      the SELECT means the same as with JOIN, but that it has groups without rows, which Tacit always answers.
    Because:    every key is of the public table, so the group of a row that is kept alone is known; its private columns
                are NULL, so it fails every condition on them, and no aggregate of a calculation with one counts it.
    Checked by: tests/unit/plan/sql/test_outer_joins_with_public_tables.py
    """
    select = join.parent
    if not isinstance(select, exp.Select) or len(select.args.get("joins") or ()) != 1:
        return False
    sides = [select.args["from_"].this, join.this]
    public, private = sides if (join.args.get("side") or "").upper() == "LEFT" else sides[::-1]
    group = select.args.get("group")
    if group is None or has_sets(group) or not group.expressions:
        return False
    keys = [_key_of(each, select) for each in group.expressions]
    aggregates = list(_list_aggregates(select))
    return (
        all(_names(key) == {public.alias_or_name.casefold()} for key in keys)
        and all(_ignores_null(each, private.alias_or_name.casefold()) for each in aggregates)
        and _drops_null(select.args.get("where"), public.alias_or_name.casefold())
    )


def with_all_groups(scope: Scope) -> Scope:
    """The join that such an outer join is read as, of which no group is taken for impossible that would be kept alone.

    SELECT w.floor, COUNT(v.cost) FROM wards w LEFT JOIN visits v ON v.ward = w.ward AND w.beds > 10 GROUP BY w.floor

    It has every floor, also one where no ward has more than ten beds, and one whose only ward is NULL.
    """
    rows = scope.origin.rows
    if isinstance(rows, Joined) and len(rows.on) == 1 and has_no_null(rows.right, rows.on[0][1]):
        return scope
    return replace(scope, origin=replace(scope.origin, rows=_without_listed_rows(rows)))


def _without_listed_rows(rows: Rows) -> Rows:
    """The rows, where it is not known which public rows there are."""
    match rows:
        case Scan(table):
            return Scan(replace(table, listed=None))
        case Stacked(parts):
            return Stacked(tuple(map(_without_listed_rows, parts)))
        case Joined(left, right, _, _):
            return replace(rows, left=_without_listed_rows(left), right=_without_listed_rows(right))
        case Where() | Computed() | Inner() | Kept() | Windowed():
            return replace(rows, rows=_without_listed_rows(rows.rows))
        case _:
            assert_never(rows)


def _key_of(node: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a key stands for: an expression, its place among the columns, or its alias there."""
    if isinstance(node, exp.Literal) and node.name.isdecimal():
        place = int(node.name) if len(node.name) < 4 else 0
        if 1 <= place <= len(select.expressions):
            column: exp.Expr = select.expressions[place - 1]
            return column.unalias()
    if isinstance(node, exp.Column) and not node.table:
        named = [each for each in select.expressions if isinstance(each, exp.Alias)]
        meant = [each.this for each in named if each.alias.casefold() == node.name.casefold()]
        return meant[0] if meant else node
    return node


def _names(node: exp.Expr) -> set[str]:
    """The tables of which an expression has columns; empty for a column that is named without one."""
    return {column.table.casefold() for column in node.find_all(exp.Column)}


def _list_aggregates(select: exp.Select) -> Iterator[exp.Expr]:
    clauses = [select.args.get(name) for name in ("having", "order", "qualify")]
    for root in [*select.expressions, *(clause for clause in clauses if clause is not None)]:
        yield from root.find_all(*AGGREGATES, exp.CountIf, exp.Filter, exp.Mode)


def _ignores_null(node: exp.Expr, private: str) -> bool:
    """Whether an aggregate passes over rows in which the columns of the private table are NULL."""
    if isinstance(node, exp.CountIf | exp.Filter | exp.Mode) or node.args.get("expression"):
        return False
    operand = node.this
    if isinstance(operand, exp.Distinct):
        operand = operand.expressions[0]
    if not isinstance(operand, exp.Expr) or isinstance(operand, exp.Star):
        return False
    calculated = all(isinstance(part, _CALCULATED) for part in operand.walk())
    return calculated and private in _names(operand)


def _drops_null(where: exp.Expr | None, public: str) -> bool:
    """Whether a condition is about the public table, or is not met where what it compares is NULL."""
    if where is None or _names(where) <= {public}:
        return True
    return all(isinstance(part, _CALCULATED + _TESTS) for part in where.walk())
