"""An answer of one row beside another one: FROM daily, (SELECT AVG(n) AS m FROM daily) s; its columns are constants.

Checked by: tests/unit/plan/sql/test_join_one_row_answer.py and tests/laws/test_row_subqueries.py
"""

from __future__ import annotations

from dataclasses import replace

from sqlglot import exp

from tacit.plan.model.nodes import Shown
from tacit.plan.sql.answers_as_tables import NamedAnswer, refuse_equal_names
from tacit.plan.sql.reading_context import Reader
from tacit.plan.sql.subquery_as_constant import add_values, close_subquery, is_one_row

__all__ = ["add_one_row"]


def add_one_row(
    reader: Reader, left: NamedAnswer, right: NamedAnswer, node: exp.Expr
) -> NamedAnswer | None:
    """An answer beside one whose groups were added up to one row; None if neither is, or a condition joins them.

    Claim:      every row stays once, and what is added to it is a function of released values.
    Because:    the other answer has one row; its columns become constants of the statement, whose measures are parts of
                its plan.
    Checked by: tests/laws/test_row_subqueries.py::test_groups_are_compared_as_sql_says
    """
    account, kind = reader.account, (node.args.get("kind") or "").upper()
    if any(node.args.get(part) for part in ("on", "using", "side")) or kind not in {"", "CROSS"}:
        return None
    one, two = (left, right) if is_one_row(right.statement) else (right, left)
    if not is_one_row(two.statement):
        return None
    account.take(node) if kind else account.take(node, "Beside")
    if kind:
        account.claim(node, kind)
    refuse_equal_names(reader, node, left, right)
    named = _names_in(node)
    kept = tuple(each for each in two.names if named is None or each.name.casefold() in named)
    draft, columns = two.statement.draft, []
    for seen in kept:
        column = next(each for each in draft.columns if each.name == seen.called)
        plan = close_subquery(two.statement, draft, (column,))
        (constant,) = add_values(reader, plan, column.name, 1)
        columns.append(Shown(column.name, constant))
    own = one.statement.draft
    is_right = two is right
    whole = [*own.columns, *columns] if is_right else [*columns, *own.columns]
    names = (*one.names, *kept) if is_right else (*kept, *one.names)
    statement = replace(one.statement, draft=replace(own, columns=whole))
    return NamedAnswer(statement, names)


def _names_in(node: exp.Expr) -> set[str] | None:
    """The columns that the statement names, as far as its words say; None if it may mean all."""
    root = node.root()
    if any(isinstance(star.parent, exp.Select | exp.Column) for star in root.find_all(exp.Star)):
        return None
    return {column.name.casefold() for column in root.find_all(exp.Column)}
