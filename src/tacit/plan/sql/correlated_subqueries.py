"""Correlated scalar subqueries: about the row's own unit they are a join, about its own group they are released first.

Checked by: tests/unit/plan/sql/test_correlated_subqueries.py and tests/laws/test_row_subqueries.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    Computed,
    Counted,
    Defined,
    Distinct,
    Folding,
    Inner,
    Joined,
    Rows,
    Scan,
    Units,
)
from tacit.plan.model.ownership import Owner, size_of, unique_columns
from tacit.plan.model.schema import Kind
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.build_expressions import NULL, Forms
from tacit.plan.questions.draft import SELECTED, Draft, Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Scope, of_rows
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.answers_as_tables import close_draft
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import is_answer, list_sources
from tacit.plan.sql.group_by_all_distinct import is_distinct
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.joins_with_answers import ReleasedTable, rows_of_answer
from tacit.plan.sql.reading_context import ROWS, Reader, Source, conjuncts, is_column
from tacit.plan.sql.semi_joins import filter_rows, read_unused_columns
from tacit.plan.sql.subquery_as_constant import Read, name_subquery

__all__ = ["read_correlated", "read_tied_exists"]

_CLAUSES = ("group", "having", "qualify", "order", "limit", "offset", "distinct", "with_")
_COUNTS = {Folding.COUNT, Folding.DISTINCT}


@frozen
class _Tie:
    """A condition that compares something of the rows inside with something of the row outside."""

    node: exp.EQ
    inside: exp.Expr
    outside: exp.Expr


def read_correlated(
    read: Read, reader: Reader, node: exp.Expr, draft: Draft
) -> e.Expression | None:
    """A scalar subquery that is tied to the row outside by equalities; None if it is not tied, or in another way.

    WHERE cost > (SELECT AVG(cost) FROM visits w WHERE w.patient = v.patient)    a column that a join on the unit adds
    WHERE cost > (SELECT AVG(cost) FROM visits w WHERE w.ward = v.ward)          CASE WHEN ward = 'A' THEN its mean ...
    """
    select = node.this
    if not isinstance(select, exp.Select) or reader.scope is None:
        return None
    ties = _find_ties(reader, select)
    if not ties or any(select.args.get(name) for name in _CLAUSES):
        return None
    if any(part is not select and isinstance(part, exp.Select) for part in select.walk()):
        return None
    if len(select.expressions) != 1 or not is_grouped(select.args, select.expressions):
        return None
    if any(is_answer(each, reader.answers, reader.unit_names) for each in list_sources(select)):
        return None
    known = draft.lookups.get(id(node))
    if known is None:
        account = reader.account
        parts = account.take(node)
        assert parts["this"] is select, "it was looked at"
        source = reader.read_source(reader.inside(), select, account.take(select))
        if source.scope.origin.owner is Owner.NOBODY:
            reason = "a subquery about a public table cannot be tied to the row outside"
            account.refuse(node, reason, "join the public table: LEFT JOIN ... ON a.x = b.x")
        known = _of_unit(reader, source, select, ties, draft) or _of_group(
            read, reader, node, ties, draft
        )
        draft.lookups[id(node)] = known
    return known


def read_tied_exists(reader: Reader, node: exp.Exists, draft: Draft) -> e.Expression | None:
    """EXISTS that is tied to the row outside by more than its unit, or that is about a public table; None for others.

    WHERE EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.visit = v.visit)    its COUNT(*) is not zero
    WHERE EXISTS (SELECT 1 FROM stations s WHERE s.ward = v.ward AND s.floor > 1)            an outer join meets a row
    """
    select = node.this
    if not isinstance(select, exp.Select) or reader.scope is None:
        return None
    ties = _find_ties(reader, select)
    if not ties or any(select.args.get(name) for name in _CLAUSES if name != "distinct"):
        return None
    known = draft.lookups.get(id(node))
    if known is not None:
        return known
    source = reader.read_source(reader.inside(), select, reader.account.take(select))
    if source.scope.origin.owner is Owner.NOBODY:
        found: e.Expression | None = _is_in_public(reader, source, select, ties, draft)
    elif all(_are_units(reader, source.scope, tie) for tie in ties):
        return None
    else:
        found = _of_unit(reader, source, select, ties, draft)
    if found is not None:
        reader.account.take(node)
        is_distinct(reader.account, select.args)
        draft.lookups[id(node)] = found
    return found


def _is_in_public(
    reader: Reader, source: Source, select: exp.Select, ties: Sequence[_Tie], draft: Draft
) -> e.Expression:
    """Whether a public table has a row with the same values as the row outside.

    Claim:      every row stays once, and the condition is never NULL.
    Because:    of the public rows each combination of what is compared is there once, so that an outer join meets one,
                or none.
    Checked by: tests/unit/plan/sql/test_correlated_subqueries.py and tests/laws/statements.sql
    """
    account = reader.account
    for tie in ties:
        account.take(tie.node)
    inner = reader.inside().with_scope(source.scope)
    inside = Inside(source.scope.origin.table, rows=source.scope.origin.rows)
    met = source.ties | {id(tie.node) for tie in ties}
    filter_rows(inner, select.args.get("where"), inside, met)
    read_unused_columns(inner, select, inside)
    rows: Rows = draft.rows or Scan(draft.table)
    used = [column.name for column in columns_of(rows)]
    pairs, keys = [], []
    for tie in ties:
        with account.about(tie.node):
            one = read_expression(reader, tie.outside, draft, ROWS)
            two = read_expression(inner, tie.inside, inside, ROWS)
            type_of(e.Compared("=", one, two))
            if type_of(one).kind is not type_of(two).kind:
                one, two = (
                    each if type_of(each).kind is Kind.NUMBER else e.Cast(each, Kind.NUMBER)
                    for each in (one, two)
                )
        keys.append(Defined(unused_name("looked up", used), two))
        used.append(keys[-1].name)
        pairs.append(one)
    there: Rows = Computed(inside.question.rows, tuple(keys))
    if len(keys) > 1 or columns_of(there)[0] not in unique_columns(there):
        there = Inner(
            there, tuple(Defined(each.name, e.Field(each)) for each in columns_of(there)), ()
        )
    on = tuple((one, e.Field(two)) for one, two in zip(pairs, columns_of(there), strict=True))
    joined = Joined(rows, there, on, outer=True)
    draft.rows = joined
    of_rows(joined, draft.table.name, draft.table.unit, (), size_of(joined))
    return e.Not(e.IsNull(e.Field(columns_of(joined)[-1])))


# ---------------------------------------------------------------- what ties it


def _find_ties(reader: Reader, select: exp.Select) -> list[_Tie]:
    """The conditions that tie a subquery to the row outside; none if something else in it names that row."""
    where = select.args.get("where")
    inside = [each.alias_or_name.casefold() for each in list_sources(select)]
    found = []
    for part in () if where is None else conjuncts(reader.account, where.this):
        if isinstance(part, exp.EQ):
            sides = part.this, part.expression
            for one, two in (sides, sides[::-1]):
                ours = [_is_outside(reader, column, inside) for column in _columns(one)]
                theirs = [_is_outside(reader, column, inside) for column in _columns(two)]
                if theirs and all(theirs) and ours and not any(ours):
                    found.append(_Tie(part, one, two))
    tied = {id(column) for tie in found for column in _columns(tie.outside)}
    others = [column for column in _columns(select) if id(column) not in tied]
    return [] if any(_is_outside(reader, column, inside) for column in others) else found


def _columns(node: exp.Expr) -> list[exp.Column]:
    return [each for each in node.find_all(exp.Column) if is_column(each)]


def _is_outside(reader: Reader, column: exp.Column, inside: Sequence[str]) -> bool:
    """Whether a column is said to be one of the row outside."""
    table = column.args.get("table")
    if table is None or table.name.casefold() in inside or reader.scope is None:
        return False
    said = Name(table.name, exact=bool(table.args.get("quoted")))
    return any(said.means(alias) for alias in reader.scope.aliases)


def _are_units(reader: Reader, inside: Scope, tie: _Tie) -> bool:
    one, two = tie.inside, tie.outside
    return (
        is_column(one)
        and is_column(two)
        and inside.is_unit(*reader.split_name(one))
        and reader.is_unit(two)
    )


# ---------------------------------------------------------------- of the row's own unit


def _of_unit(
    reader: Reader, source: Source, select: exp.Select, ties: Sequence[_Tie], draft: Draft
) -> e.Expression | None:
    """What the rows of the same unit add up to, as a column that an outer join on the unit adds; None without a unit.

    Claim:      a row stays once, and what is added to it depends on rows of its own unit alone.
    Because:    the rows inside are folded into one for each unit and combination of what is compared, which the join
                on the unit and on all of these meets once or not at all; without a row a count is zero.
    Checked by: tests/laws/test_row_subqueries.py and tests/laws/test_rows_like_duckdb.py
    """
    scope = source.scope
    units = [tie for tie in ties if _are_units(reader, scope, tie)]
    if not units or draft.table.unit is None:
        return None
    account = reader.account
    others = [tie for tie in ties if tie not in units]
    for tie in ties:
        account.take(tie.node)
    inner = reader.inside().with_scope(scope)
    inside = _Tied(scope.origin.table, rows=scope.origin.rows)
    met = source.ties | {id(tie.node) for tie in ties}
    filter_rows(inner, select.args.get("where"), inside, met)
    inside.grouped = True
    on = []
    for tie in others:
        with account.about(tie.inside):
            inside.group_by(read_expression(inner, tie.inside, inside, ROWS))
        with account.about(tie.outside):
            on.append(read_expression(reader, tie.outside, draft, ROWS))
    if isinstance(select.parent, exp.Exists):
        inside.grouped = False
        read_unused_columns(inner, select, inside)
        inside.grouped = True
        there = e.Compared(">", inside.count(), e.Literal(0, Kind.INTEGER))
        return _join_folds(draft, inside, there, on)
    (column,) = account.take_list(select)
    with account.about(column):
        value = read_expression(inner, _value_of(reader, column), inside, SELECTED)
        return _join_folds(draft, inside, value, on)


@dataclass(slots=True, eq=False, repr=False)
class _Tied(Inside):
    """Rows of a unit, of which a mean lies between the least and the greatest value.

    A mean is rounded to a grid, and of equal values, or of one, it would lie beside them: a row would be above a mean
    that it is equal to.
    """

    def fold(self, fold: Folding, value: e.Expression | None) -> e.Expression:
        """What a unit's rows become; a mean is no less than the least of them, and no more than the greatest."""
        found = Inside.fold(self, fold, value)
        if fold is not Folding.MEAN or value is None or type_of(value).kind is not Kind.NUMBER:
            return found
        least, most = (Inside.fold(self, end, value) for end in (Folding.LEAST, Folding.GREATEST))
        below = e.Called(Function.LEAST, (found, most))
        return e.Called(Function.GREATEST, (below, least))


def _value_of(reader: Reader, column: exp.Expr) -> exp.Expr:
    """The value of a column, whose name means nothing here."""
    if isinstance(column, exp.Alias):
        parts = reader.account.take(column)
        reader.alias_name(parts["alias"])
    return column.unalias()


def _join_folds(
    draft: Draft, inside: Inside, value: e.Expression, on: Sequence[e.Expression]
) -> e.Expression:
    """The rows of a draft with what the rows inside are folded into, and the value that is made of it."""
    rows: Rows = draft.rows or Scan(draft.table)
    counts = {fold.column.name for fold in inside.folds if fold.fold in _COUNTS}
    named = [*(key.name for key in inside.by), *(fold.column.name for fold in inside.folds)]
    folded = replace(inside, shown=[]).folded_rows()
    used = [column.name for column in columns_of(rows)]
    renamed = []
    for column in columns_of(folded):
        renamed.append(Defined(unused_name(f"its {column.name}", used), e.Field(column)))
        used.append(renamed[-1].name)
    assert [column.name for column in columns_of(folded)] == named, "they stand in this order"
    there = Computed(folded, tuple(renamed))
    keys = columns_of(there)[: len(on)]
    pairs = tuple((one, e.Field(two)) for one, two in zip(on, keys, strict=True))
    for one, two in pairs:
        type_of(e.Compared("=", one, two))
    joined = Joined(rows, there, pairs, outer=True)
    draft.rows = joined
    of_rows(joined, draft.table.name, draft.table.unit, (), size_of(joined))
    added = columns_of(joined)[-len(named) :]
    zero = e.Literal(0, Kind.INTEGER)
    values: dict[str, e.Expression] = {
        name: e.Called(Function.COALESCE, (e.Field(column), zero))
        if name in counts
        else e.Field(column)
        for name, column in zip(named, added, strict=True)
    }
    return e.substitute(value, values)


# ---------------------------------------------------------------- of the row's own group


def _of_group(
    read: Read, reader: Reader, node: exp.Expr, ties: Sequence[_Tie], draft: Draft
) -> e.Expression:
    """What all rows of the row's own group say: released first for every group, and chosen by a CASE.

    Claim:      what a row is compared with depends on the row, and on values that the same statement releases first.
    Because:    the subquery is read with what is compared inside as its keys, and is an answer of its own; which of its
                values is taken, the row's own columns decide.
    Checked by: tests/laws/test_row_subqueries.py
    """
    account = reader.account
    for tie in ties:
        account.take(tie.node)
    inside = replace(reader, ties=tuple((tie.node, tie.inside) for tie in ties))
    with account.about(node):
        statement = read(inside, node.this)
    closed = close_draft(statement.draft)
    counted = _is_count(statement.draft, closed.columns[0].value)
    rows = rows_of_answer(reader, node, closed, statement.limit)
    named = replace(closed.columns[0], name=name_subquery(node))
    closed = replace(closed, columns=[named, *closed.columns[1:]])
    table = ReleasedTable("", node, statement, closed, rows)
    forms = Forms()
    on = []
    for tie in ties:
        with account.about(tie.outside):
            on.append(read_expression(reader, tie.outside, draft, ROWS))
    with account.about(node):
        keys = [table.constants(reader, place) for place in range(1, len(ties) + 1)]
        meets = [
            e.chain_conditions(
                e.Both,
                [forms.compare("=", one, key[row]) for one, key in zip(on, keys, strict=True)],
            )
            for row in range(rows)
        ]
        told = table.constants(reader, 0)
        nothing = e.Literal(0, Kind.INTEGER) if counted else NULL
        return forms.case(list(zip(meets, told, strict=True)), nothing)


def _is_count(draft: Draft, value: e.Expression) -> bool:
    """Whether a value is zero where there is no row: a count as it is."""
    counts = {
        place
        for measure, place in draft.measures.items()
        if isinstance(measure, Counted | Units | Distinct)
    }
    return isinstance(value, e.MeasureOf) and value.place in counts
