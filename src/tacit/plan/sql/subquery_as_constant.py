"""Subqueries that rows are compared with: each is released first, and is a constant where rows are looked at.

Checked by: tests/unit/plan/sql/test_subquery_as_constant.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from math import ceil, floor

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import CombinedPlan, most_rows
from tacit.plan.model.nodes import Shown
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.questions.draft import Draft, Name
from tacit.plan.questions.measures import WIDEST_RELEASED
from tacit.plan.questions.public_values import scalar
from tacit.plan.rewrite.combine_answers import merge_parts
from tacit.plan.rewrite.fill_in_subqueries import join_subqueries
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.released_ranges import grid_range, released_range
from tacit.plan.sql.allowed_syntax_nodes import AGGREGATES
from tacit.plan.sql.answers_as_tables import close_draft
from tacit.plan.sql.find_released_queries import list_scalars, list_sources, scalars_in
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.outer_select import Statement
from tacit.plan.sql.reading_context import Reader, is_column

__all__ = [
    "MOST_LISTED",
    "Read",
    "RowSubquery",
    "add_values",
    "close_subquery",
    "list_view_scalars",
    "is_one_row",
    "name_subquery",
    "read_row_scalar",
    "read_row_set",
    "read_view_scalar",
    "with_row_subqueries",
]

MOST_LISTED = 50
"""The most values that IN compares with, of a subquery that is released first."""

Read = Callable[[Reader, exp.Expr], Statement]
"""How a query is read as a statement of its own."""

_MOST_SHOWN = 80


@frozen
class RowSubquery:
    """A subquery that rows are compared with: what it asks, and what its constant is, by the row of its answer."""

    plan: CombinedPlan
    column: Column
    row: int = 0


def read_row_scalar(read: Read, reader: Reader, node: exp.Expr) -> e.Expression:
    """(SELECT AVG(price) FROM t) among the rows of a question: a constant that is released before they are looked at.

    WHERE price > (SELECT AVG(price) FROM t)    Compared(">", Field(price), SubqueryValue(0))

    Claim:      what rows are compared with is a released value, which the same statement pays for.
    Because:    the subquery is read as a question of its own, whose measures become parts of the statement's plan; of
                its value, the rows here know a kind and bounds alone.
    Checked by: tests/laws/test_row_subqueries.py
    """
    known = reader.subquery_values.get(id(node))
    if known is not None:
        return known[0]
    account = reader.account
    parts = account.take(node)
    _refuse_correlated(reader, node)
    plan, select = _read_plan(read, reader, node, parts["this"]), parts["this"].unnest()
    alone = is_grouped(select.args, select.expressions) and not select.args.get("group")
    questions = [part.question for part in plan.parts]
    if not alone and plan.plan.view.limit != 1 and most_rows(plan.answers, questions) > 1:
        reason = "a scalar subquery gives one value, and this one may give several"
        remedy = "select one aggregate without GROUP BY, or write ORDER BY ... LIMIT 1 at its end"
        account.refuse(node, reason, remedy)
    (found,) = _add_values(reader, node, plan, 1)
    return found


def read_view_scalar(
    reader: Reader, node: exp.Subquery, scalar: Statement
) -> e.SubqueryValue | None:
    """A scalar subquery of other groups, which were added up or of which one is chosen; None if it is none of these.

    HAVING COUNT(*) > (SELECT AVG(n) FROM (SELECT day, COUNT(*) AS n FROM labs GROUP BY day))    SubqueryValue(0)

    Claim:      what groups are compared with is a function of released values, which the same statement pays for.
    Because:    it is read as a question of its own, whose measures become parts of the statement's plan.
    Checked by: tests/laws/test_row_subqueries.py::test_groups_are_compared_as_sql_says
    """
    draft = close_draft(scalar.draft)
    if not draft.keys or len(draft.columns) != 1 or scalar.offset:
        return None
    if not (scalar.limit == 1 or (scalar.limit is None and is_one_row(scalar))):
        return None
    plan = close_subquery(scalar, draft, draft.columns)
    (found,) = add_values(reader, plan, name_subquery(node), 1)
    return found


def is_one_row(statement: Statement) -> bool:
    """Whether groups were added up to one row, which no condition may have removed since."""
    match statement.qualify:
        case e.Compared("=", e.Across(e.Look.NUMBER, None, ()), e.Literal(1)):
            return statement.limit != 0 and not statement.offset
        case _:
            return False


def read_row_set(read: Read, reader: Reader, node: exp.Expr, value: e.Expression) -> e.Expression:
    """x IN (SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 3): constants that are released first.

    Claim:      as in SQL, the condition is true if the value is one of those released, and NULL if the value is.
    Because:    it is compared with each of them, of which one that is missing or NULL is left out.
    Checked by: tests/laws/test_row_subqueries.py
    """
    account, query = reader.account, node.args["query"]
    known = reader.subquery_values.get(id(query))
    if known is None:
        inside = account.take(query)["this"] if isinstance(query, exp.Subquery) else query
        _refuse_correlated(reader, query)
        plan = _read_plan(read, reader, query, inside)
        limit = plan.plan.view.limit
        most = most_rows(plan.answers, [part.question for part in plan.parts])
        most = most if limit is None else min(most, limit)
        if most > MOST_LISTED:
            reason = f"the subquery after IN may give more than {MOST_LISTED} values"
            remedy = f"write ORDER BY ... LIMIT {MOST_LISTED} at its end, or fewer"
            account.refuse(query, reason, remedy)
        known = _add_values(reader, query, plan, most)
    forms, found = Forms(), []
    for each in known:
        there = e.Not(e.IsNull(each))
        found.append(e.Both(there, forms.compare("=", value, each)))
    return e.chain_conditions(e.Either, found)


def with_row_subqueries(plan: CombinedPlan, subqueries: Sequence[RowSubquery]) -> CombinedPlan:
    """A plan with the subqueries that its rows are compared with."""
    return join_subqueries(plan, [(each.plan, each.column, each.row) for each in subqueries])


def list_view_scalars(select: exp.Select) -> list[exp.Subquery]:
    """The scalar subqueries of a SELECT over rows that stand beside its groups, and not among its rows.

    SELECT COUNT(*) / (SELECT COUNT(*) FROM labs)                                 one
    SELECT SUM(CASE WHEN x > (SELECT AVG(x) FROM t) THEN 1 END)                   none: it is compared with rows
    SELECT x > (SELECT AVG(x) FROM t) AS high, COUNT(*) FROM t GROUP BY high      none: it is part of a key
    """
    scalars = list_scalars(select)
    if not scalars:
        return []
    keys = _key_columns(select)
    among_rows = {
        id(scalar)
        for column in select.expressions
        if id(column) in keys
        for scalar in scalars_in(column)
    }
    among_rows |= {
        id(scalar)
        for part in select.walk(
            prune=lambda each: each is not select and isinstance(each, exp.Query)
        )
        if type(part) in AGGREGATES or isinstance(part, exp.Filter | exp.CountIf)
        for inside in part.args.values()
        for each in (inside if isinstance(inside, list) else [inside])
        if isinstance(each, exp.Expr)
        for scalar in scalars_in(each)
    }
    return [each for each in scalars if id(each) not in among_rows]


def _key_columns(select: exp.Select) -> set[int]:
    """The columns of a SELECT that are keys as they are: by place, by alias, or written twice."""
    group = select.args.get("group")
    listed = list(group.expressions) if group else []
    texts = {part.sql() for part in listed}
    places = {int(part.name) for part in listed if isinstance(part, exp.Literal) and part.is_int}
    aliases = {part.name.casefold() for part in listed if is_column(part)}
    whole = bool(group and group.args.get("all"))
    return {
        id(column)
        for place, column in enumerate(select.expressions, 1)
        if place in places
        or column.alias.casefold() in aliases
        or column.unalias().sql() in texts
        or (whole and not any(type(part) in AGGREGATES for part in column.walk()))
    }


def _read_plan(read: Read, reader: Reader, node: exp.Expr, query: exp.Expr) -> CombinedPlan:
    """What a subquery asks for, as a plan of its own with one column."""
    with reader.account.about(node):
        statement = read(reader, query)
        draft = close_draft(statement.draft)
        if len(draft.columns) != 1:
            reason = "the subquery returns more than one column"
            reader.account.refuse(node, reason, "select only the value that is compared")
        return close_subquery(statement, draft, draft.columns)


def close_subquery(statement: Statement, draft: Draft, columns: Sequence[Shown]) -> CombinedPlan:
    """What a statement that was read asks for, as a plan of its own with some of its columns."""
    return replace(draft, columns=list(columns)).combined_plan(
        merge_parts,
        statement.having,
        statement.order,
        statement.limit,
        statement.offset,
        statement.qualify,
    )


def _add_values(
    reader: Reader, node: exp.Expr, plan: CombinedPlan, rows: int
) -> tuple[e.SubqueryValue, ...]:
    """The constants of a subquery, entered among those of the statement."""
    reader.subquery_values[id(node)] = add_values(reader, plan, name_subquery(node), rows)
    return reader.subquery_values[id(node)]


def name_subquery(node: exp.Expr) -> str:
    """What a subquery is called where its constants are shown: its words, as far as there is room."""
    text = node.sql(dialect="duckdb")
    name = text if text.startswith("(") else f"({text})"
    return name if len(name) <= _MOST_SHOWN else f"{name[: _MOST_SHOWN - 2]}…)"


def add_values(
    reader: Reader, plan: CombinedPlan, name: str, rows: int
) -> tuple[e.SubqueryValue, ...]:
    """What a plan's column says in each of its first rows, entered among the constants of the statement."""
    found = []
    for row in range(rows):
        column = _column(plan, name)
        found.append(e.SubqueryValue(len(reader.subqueries), column))
        reader.subqueries.append(RowSubquery(plan, column, row))
    return tuple(found)


def _column(plan: CombinedPlan, name: str) -> Column:
    """The kind and the bounds of a subquery's constant: those of what it is a mean or a quantile of, or wide ones."""
    value, question = plan.plan.view.columns[0].value, plan.plan.question
    kind = type_of(value, question).kind
    if kind is Kind.DATE and (days := grid_range(value, question)) is not None:
        first, last = (scalar(day, kind) for day in (floor(days.low), ceil(days.high)))
        return Column(name, kind, first, last)
    if kind not in WIDEST_RELEASED:
        return Column(name, kind)
    widest = WIDEST_RELEASED[kind]
    found = released_range(value, question)
    known = widest if found is None else found
    low, high = max(known.low, widest.low), min(known.high, widest.high)
    if kind is Kind.INTEGER:
        return Column(name, kind, floor(low), ceil(high))
    return Column(name, kind, low, high)


def _refuse_correlated(reader: Reader, node: exp.Expr) -> None:
    """Refuse a subquery that names a column of the row outside: it would be another question for each row."""
    if reader.scope is None:
        return
    inside = {each.alias_or_name.casefold() for each in _all_sources(node)}
    for column in node.find_all(exp.Column):
        table = column.args.get("table")
        if table is None or table.name.casefold() in inside:
            continue
        said = Name(table.name, exact=bool(table.args.get("quoted")))
        if any(said.means(alias) for alias in reader.scope.aliases):
            unit = reader.scope.origin.table.unit or "unit"
            reason = "a correlated subquery would be another question for each row"
            remedy = f"tie it by equalities alone: b.{unit} = a.{unit} inside it, or columns whose values are declared"
            reader.account.refuse(column, reason, remedy)


def _all_sources(node: exp.Expr) -> list[exp.Expr]:
    return [source for select in node.find_all(exp.Select) for source in list_sources(select)]
