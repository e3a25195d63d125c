"""Questions inside the question: what stands in FROM and WITH, and the rows that a SELECT gives.

Checked by: tests/unit/plan/test_rows_sql.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Ordering, Place, Placed
from tacit.plan.model.ownership import size_of
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.draft import SELECTED, close_to, find
from tacit.plan.questions.scope import HIDDEN, Origin, Scope, of_rows, of_table
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.questions.unit_membership import deduplicate_rows
from tacit.plan.semantics.infer_expression_types import condition_type, type_of
from tacit.plan.sql.allowed_syntax_nodes import ONE_COLUMN_EACH
from tacit.plan.sql.comma_joins import find_ties, is_comma
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import (
    is_answer,
    is_of_public_tables,
    list_released_withs,
    list_withs,
)
from tacit.plan.sql.group_by_all_distinct import (
    has_aggregate,
    has_on,
    is_all,
    is_distinct,
    list_keys,
)
from tacit.plan.sql.joins import join_scopes, join_where
from tacit.plan.sql.reading_context import ROWS, Reader, Source, is_column, refuse_end
from tacit.plan.sql.row_windows import read_named_windows
from tacit.plan.sql.semi_joins import filter_rows
from tacit.plan.sql.unions import keep_units, stack_rows
from tacit.plan.sql.values_table import is_values, join_values

__all__ = ["read_alias", "read_query", "read_source", "read_table", "read_with"]

# What the parser takes for a name, and every reader for something else.
_RESERVED = frozenset(
    (
        *("ALL", "AND", "ANY", "AS", "ASC", "BETWEEN", "BY", "CASE", "DESC"),
        *("DISTINCT", "ELSE", "END", "EXISTS", "FROM", "GROUP", "HAVING", "IN", "IS"),
        *("JOIN", "LIKE", "LIMIT", "NOT", "NULL", "OFFSET", "ON", "OR", "ORDER"),
        *("OUTER", "OVER", "PARTITION", "SELECT", "SOME", "THEN", "UNION", "USING", "WHEN"),
        *("WHERE", "WITH", "WINDOW", "QUALIFY"),
    )
)


def read_with(
    reader: Reader, clause: exp.Expr | None, released: frozenset[int] = frozenset()
) -> dict[str, Origin]:
    """The rows that WITH names, by their names; each query may use those before it.

    `released` are the common table expressions whose groups are released: they give no rows.
    """
    found = dict(reader.origins)
    if clause is None:
        return found
    here: list[str] = []
    answers = dict(reader.answers)
    for part in reader.account.take_list(clause):
        parts = reader.account.take(part)
        name = reader.name(reader.account.take(parts["alias"])["this"])
        if find(name, here, "table") is not None:
            reason = f"two common table expressions have the name {name.text!r}"
            reader.account.refuse(parts["alias"], reason, "rename one of them")
        here.append(name.text)
        if id(part) not in released:
            inner = replace(reader.inside().with_origins(found), answers=answers)
            found = {**found, name.text: read_query(inner, parts["this"], name.text)}
        answers = {**answers, part.alias.casefold(): part}
    return found


def read_source(reader: Reader, select: exp.Expr, parts: Mapping[str, Any]) -> Source:
    """What a SELECT is about: the tables and questions in its FROM, joined.

    FROM visits JOIN labs USING (patient)    Source(Scope(Joined(visits, labs), names of both))
    """
    clause, account = parts.get("from_"), reader.account
    if clause is None:
        reason = "the query has no FROM"
        account.refuse(select, reason, "name a table: SELECT COUNT(*) FROM table")
    first, joins = account.take(clause)["this"], list(parts.get("joins") or [])
    waiting: list[tuple[exp.Expr, Scope]] = []
    where = parts.get("where")
    if joins and _is_answer(reader, first) and not _is_answer(reader, joins[0].this):
        found = Source(read_table(reader, joins[0].this))
        with account.about(joins[0]):
            found = reader.join_answer(reader, found.scope, joins[0], first, where)
        joins = joins[1:]
    else:
        found = Source(read_table(reader, first))
    for join in joins:
        with account.about(join):
            if is_values(join):
                found = replace(found, scope=join_values(reader, found.scope, join))
                continue
            if _is_answer(reader, join.this):
                met = reader.join_answer(reader, found.scope, join, join.this, where)
                found = Source(met.scope, found.ties | met.ties)
                continue
            scope = read_table(reader, join.this)
            if is_comma(join):
                waiting.append((join, scope))
            else:
                found = replace(found, scope=join_scopes(reader, found.scope, scope, join))
        found, waiting = _join_waiting(reader, parts.get("where"), found, waiting)
    if waiting:
        reason = (
            "no condition in WHERE connects these tables, so every pair of rows would be combined"
        )
        remedy = "write WHERE a.x = b.x AND ..., or JOIN ... ON a.x = b.x"
        account.refuse(waiting[0][0], reason, remedy)
    if any(map(is_comma, joins)) and any(
        (join.args.get("side") or "").upper() == "RIGHT" for join in joins
    ):
        reason = "a comma join and RIGHT JOIN cannot be combined"
        account.refuse(clause, reason, "write JOIN ... ON for all tables")
    return found


def _is_answer(reader: Reader, source: exp.Expr) -> bool:
    """Whether what stands in FROM beside rows is an answer, of groups that are released first."""
    known, public = reader.answers, reader.public_names
    return is_answer(source, known, reader.unit_names) and not is_of_public_tables(
        source, known, public
    )


_Waiting = list[tuple[exp.Expr, Scope]]
"""Tables after a comma, whose condition in WHERE was not found yet."""


def _join_waiting(
    reader: Reader, where: exp.Expr | None, found: Source, waiting: _Waiting
) -> tuple[Source, _Waiting]:
    """The source joined with those that stand beside it, as far as WHERE says what they have in common."""
    for join, scope in waiting:
        ties = find_ties(reader, where, found.scope, scope, found.ties)
        if ties:
            with reader.account.about(ties[0]):
                joined = Source(
                    join_where(reader, found.scope, scope, join, ties),
                    found.ties | {id(part) for part in ties},
                )
                rest = [each for each in waiting if each[0] is not join]
                return _join_waiting(reader, where, joined, rest)
    return found, waiting


def read_table(reader: Reader, node: exp.Expr) -> Scope:
    """A table, or a question in parentheses, by the name that it has here."""
    if isinstance(node, exp.Subquery):
        parts = reader.account.take(node)
        alias = read_alias(reader, parts.get("alias"))
        if isinstance(parts["this"], exp.Table):
            inner = read_table(reader, parts["this"])
            return Scope.of(alias, inner.origin) if alias else inner
        return Scope.of(alias or "", read_query(reader, parts["this"], alias or "the subquery"))
    if not isinstance(node, exp.Table) or not isinstance(node.this, exp.Identifier):
        remedy = (
            "name a table, or write a subquery in parentheses; functions and files are not "
            "allowed here"
        )
        if isinstance(node, exp.Unnest):
            reader.account.refuse(node, *ONE_COLUMN_EACH)
        reader.account.refuse(node, "this is not a table", remedy)
    parts = reader.account.take(node)
    name, schema = reader.name(parts["this"]), parts.get("db")
    reader.check_schema(schema)
    with reader.account.about(node):
        # what WITH names is in no schema
        known = None if schema else find(name, list(reader.origins), "table")
        if known is not None:
            origin = reader.origins[known]
        else:
            known = find(name, list(reader.tables), "table")
            if known is None:
                remedy = (
                    close_to(name, [*reader.origins, *reader.tables], "table")
                    + "; files cannot be read"
                )
                raise InvalidPlan(f"there is no table {name.text[:64]!r}", remedy)
            origin = of_table(reader.tables[known])
    return Scope.of(read_alias(reader, parts.get("alias")) or known, origin)


def read_alias(reader: Reader, node: exp.Expr | None) -> str | None:
    """The name that is given to a table here."""
    if node is None:
        return None
    name = reader.alias_name(reader.account.take(node)["this"])
    if not name.exact and name.text.upper() in _RESERVED:
        reader.account.refuse(
            node,
            f"{name.text} is not the name of a table",
            "put a name in double quotes, or remove it",
        )
    return name.text


def read_query(reader: Reader, node: exp.Expr, name: str) -> Origin:
    """The rows that a query inside the question gives.

    (SELECT patient, SUM(cost) AS total FROM visits GROUP BY patient)    Inner(visits, (), (SUM(cost),)), by patient
    """
    account = reader.account
    match node:
        case exp.Subquery():
            return read_query(reader, account.take(node)["this"], name)
        case exp.Select():
            with account.about(node):
                return _read_subquery(reader.inside(), node, name)
        case exp.Union():
            parts = account.take(node, "Merged" if node.args.get("distinct") else None)
            refuse_end(account, parts)
            with account.about(node):
                inner = reader.inside().with_origins(read_with(reader, parts.get("with_")))
                found = [read_query(inner, parts[side], name) for side in ("this", "expression")]
                return stack_rows(account, node, found, name, distinct=bool(parts.get("distinct")))
        case exp.Except() | exp.Intersect():
            parts = account.take(node)
            with account.about(node):
                inner = reader.inside().with_origins(read_with(reader, parts.get("with_")))
                left, right = (
                    read_query(inner, parts[side], name) for side in ("this", "expression")
                )
                is_kept = isinstance(node, exp.Intersect)
                return keep_units(account, node, left, right, name, present=is_kept)
        case _:
            remedy = "name a table, or write a subquery in parentheses"
            return account.refuse(node, "this is not a table", remedy)


def _read_subquery(reader: Reader, select: exp.Expr, name: str) -> Origin:
    """The rows that a SELECT inside gives: its columns, and whose they are."""
    account = reader.account
    parts = account.take(select)
    chosen = has_on(parts)
    refuse_end(account, {**parts, "order": None} if chosen else parts)
    known = list_withs(select, reader.answers)
    released = list_released_withs(known, reader.unit_names) if parts.get("with_") else frozenset()
    reader = replace(
        reader.with_origins(read_with(reader, parts.get("with_"), released)), answers=known
    )
    source = read_source(reader, select, parts)
    scope = source.scope
    reader = reader.with_scope(scope)
    columns, group = account.take_list(select), parts.get("group")
    if not columns:
        account.refuse(parts["from_"], "no column is selected", "name the columns, or write *")
    draft = Inside(
        scope.origin.table, rows=scope.origin.rows, named=read_named_windows(reader, select, parts)
    )
    filter_rows(reader, parts.get("where"), draft, source.ties)
    draft.grouped = bool(group or parts.get("having") or any(map(has_aggregate, columns)))
    if draft.grouped:
        _group(reader, select, columns, draft)
    unit: str | None = None
    names: list[str] = []
    draft.listing = not draft.grouped
    for column in columns:
        shown, owner = _read_column(reader, column, draft)
        names += shown
        unit = unit or owner
    draft.listing = False
    folded = [each.casefold() for each in names]
    twice = next((each for each in names if folded.count(each.casefold()) > 1), None)
    # of which one is the unit, where it is no declared column: others are refused when shown
    if twice is not None:
        account.refuse(
            select,
            f"two columns have the name {twice!r}",
            "give one of them another name: ... AS other",
        )
    having = None
    if clause := parts.get("having"):
        condition = account.take(clause)["this"]
        with account.about(condition):
            having = read_expression(reader, condition, draft, SELECTED)
    if clause := parts.get("qualify"):
        having = _read_qualify(reader, account.take(clause)["this"], draft)
    if chosen:
        if having is not None or draft.grouped:
            reason = "DISTINCT ON cannot be combined with GROUP BY, HAVING or QUALIFY"
            account.refuse(parts["distinct"], reason, "choose the rows in a subquery of its own")
        having = _read_distinct_on(reader, parts, draft)
    rows = draft.finish_rows(having)
    if not chosen and is_distinct(account, parts):
        rows = deduplicate_rows(rows, unit)
    size = max(scope.origin.size + 3, size_of(rows))  # which conditions on units made larger
    return of_rows(rows, name, unit or HIDDEN, tuple(names), size)


def _read_qualify(reader: Reader, node: exp.Expr, draft: Inside) -> e.Expression:
    """The condition of QUALIFY, on what windows say of a row."""
    if draft.grouped:
        remedy = "aggregate in a subquery, and use QUALIFY outside"
        reader.account.refuse(node, "QUALIFY cannot be combined with GROUP BY here", remedy)
    draft.listing = draft.qualifying = True
    with reader.account.about(node):
        found = read_expression(reader, node, draft, ROWS)
        condition_type(found)
    draft.listing = draft.qualifying = False
    return found


def _read_distinct_on(reader: Reader, parts: Mapping[str, Any], draft: Inside) -> e.Expression:
    """DISTINCT ON (patient, ward) … ORDER BY patient, ward, day: the first row of each unit and ward, by day.

    It is QUALIFY ROW_NUMBER() OVER (PARTITION BY patient, ward ORDER BY day) = 1.
    """
    account, clause = reader.account, parts["distinct"]
    on = account.take(clause, "DistinctOn")["on"]
    listed = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
    account.claim(clause, "COMMA", len(listed) - 1)
    units = [node for node in listed if is_column(node) and reader.is_unit(node)]
    if not units:
        unit = draft.table.unit or "the unit"
        reason = "DISTINCT ON without the unit would choose among rows of several units"
        account.refuse(clause, reason, f"write DISTINCT ON ({unit}, ...)")
    by = tuple(read_expression(reader, node, draft, ROWS) for node in listed if node not in units)
    order = []
    for ordered in account.take_list(parts["order"]) if parts.get("order") else ():
        node, descending = ordered.this, reader.is_descending(ordered)
        if is_column(node) and reader.is_unit(node):
            continue
        with account.about(node):
            value = read_expression(reader, node, draft, ROWS)
            type_of(value)
        if value not in by:
            order.append(Ordering(value, descending))
    with account.about(clause):
        number = Column("ROW_NUMBER()", Kind.INTEGER, 1, nullable=False)
        draft.listing = draft.qualifying = True
        place = draft.window(Placed(number, Place.NUMBER, tuple(order), by))
        draft.listing = draft.qualifying = False
    return e.Compared("=", place, e.Literal(1, Kind.INTEGER))


def _group(reader: Reader, select: exp.Expr, columns: Sequence[exp.Expr], draft: Inside) -> None:
    """Read the keys of a question inside, the unit among them."""
    account, group = reader.account, select.args.get("group")
    unit = draft.table.unit
    if unit is None:
        account.refuse(
            group or select,
            "every row is a unit, so there is nothing to aggregate per unit",
            "remove GROUP BY from the subquery",
        )
    found = False
    every = group is not None and is_all(account, group)
    for given in list_keys(columns) if every else account.take_list(group) if group else ():
        node = given.unalias() if every else _key(reader, given, columns)
        if is_column(node) and reader.is_unit(node):
            found = True
            continue
        with account.about(node):
            draft.group_by(read_expression(reader, node, draft, ROWS))
    if not found:
        key = unit or "the unit, which the subquery has to select"
        reason = (
            "a subquery may aggregate per unit only: an aggregate over all units would have no "
            "noise"
        )
        account.refuse(
            group or select, reason, f"add {key} to GROUP BY, or ask this as a separate question"
        )


def _key(reader: Reader, node: exp.Expr, columns: Sequence[exp.Expr]) -> exp.Expr:
    """What a key of GROUP BY stands for: an expression, its place among the columns, or its alias there."""
    if isinstance(node, exp.Literal) and not node.is_string:
        place = reader.whole_number(node)
        if not 1 <= place <= len(columns):
            remedy = f"count from 1 to {len(columns)}, or name the column"
            reader.account.refuse(node, f"there is no column {place}", remedy)
        return columns[place - 1].unalias()
    if is_column(node) and reader.scope is not None:
        table, name = reader.split_name(node)
        if table is None and not reader.scope.finds(None, name):
            for column in columns:
                if isinstance(column, exp.Alias) and name.means(column.alias):
                    return column.unalias()
    return node


def _read_column(reader: Reader, node: exp.Expr, draft: Inside) -> tuple[list[str], str | None]:
    """Read a column of a question inside: the names that it gives, and that of the unit if it is among them."""
    account = reader.account
    if node.is_star:
        return _all(reader, node, draft)
    value, alias = node, None
    if isinstance(node, exp.Alias):
        parts = account.take(node)
        value, alias = parts["this"], reader.alias_name(parts["alias"]).text
    with account.about(value):
        plain = isinstance(value, exp.Column)
        if plain and reader.is_unit(value):
            name = alias or reader.split_name(value)[1].text
            declared = draft.unit_value()
            if declared is not None:
                draft.show(name, declared)
            return [name], name
        read = (
            _read_grouped(reader, value, draft)
            if draft.grouped
            else read_expression(reader, value, draft, ROWS)
        )
        start, end = account.span(value)
        name = alias or (
            reader.split_name(value)[1].text if plain else " ".join(account.text[start:end].split())
        )
        if plain and alias is None and isinstance(read, e.Field):
            name = (
                read.column.name if len(reader.scope.aliases if reader.scope else []) <= 1 else name
            )
        draft.show(name, read)
        return [name], None


def _read_grouped(reader: Reader, node: exp.Expr, draft: Inside) -> e.Expression:
    """A column beside aggregates: what GROUP BY calculates is not calculated again."""
    if not isinstance(node, exp.Column) and not has_aggregate(node):
        key = draft.key_column(read_expression(reader, node, draft, ROWS))
        if key is not None:
            return key
    return read_expression(reader, node, draft, SELECTED)


def _all(reader: Reader, node: exp.Expr, draft: Inside) -> tuple[list[str], str | None]:
    """SELECT *: every column, and the unit by its name."""
    account = reader.account
    if draft.grouped or isinstance(node, exp.Column):
        account.refuse(node, "* must stand alone, and not with GROUP BY", "name the columns")
    account.take(node)
    for column in draft.table.columns:
        draft.show(column.name, e.Field(column))
    names = [column.name for column in draft.table.columns]
    unit = draft.table.unit
    if unit and unit not in names:
        names.append(unit)
    return names, unit or None
