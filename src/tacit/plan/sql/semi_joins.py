"""Which units: IN and EXISTS among the conditions of WHERE."""

from __future__ import annotations

from sqlglot import exp

from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Computed, Defined, Inner, Joined, Kept, Rows, Scan, Where
from tacit.plan.model.ownership import Owner, size_of, unique_columns
from tacit.plan.model.schema import Kind
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.draft import Draft, Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import HIDDEN, Origin, Scope, of_rows
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.questions.unit_membership import flag_units
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.allowed_syntax_nodes import KINDS
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import gives_answer
from tacit.plan.sql.group_by_all_distinct import is_distinct
from tacit.plan.sql.reading_context import (
    ROWS,
    Reader,
    conjuncts,
    is_column,
    refuse_end,
    same_units,
    strip_negations,
)

__all__ = ["filter_rows", "read_membership", "read_unused_columns"]

_UNITS_ONLY = (
    "a subquery in IN or EXISTS must be about the protected unit, as a condition of its own "
    "in WHERE"
)
_ALONE = (
    "write WHERE patient IN (SELECT patient FROM ...) AND ..., with the unit's name; or list "
    "constants: x IN (1, 2); or join a public table: JOIN ... ON ..."
)


def filter_rows(
    reader: Reader, clause: exp.Expr | None, draft: Draft, ties: frozenset[int] = frozenset()
) -> None:
    """Keep the rows that WHERE asks for: conditions on rows, and on which units they are of.

    `ties` are the conditions that tables were joined on, which are not asked again.

    WHERE cost > 10 AND patient IN (SELECT patient FROM labs)    Where(Kept(visits, labs), cost > 10)
    """
    if clause is None:
        return
    account, condition = reader.account, reader.account.take(clause)["this"]
    if not ties and not any(map(_has_query, condition.walk())):
        with account.about(condition):
            draft.where(read_expression(reader, condition, draft, ROWS))
        return
    of_rows_alone = []
    for part in conjuncts(account, condition):
        if id(part) in ties:
            continue
        if _has_query(strip_negations(part)):
            with account.about(part):
                _filter_by_query(reader, part, draft)
        else:
            of_rows_alone.append(read_expression(reader, part, draft, ROWS))
    if of_rows_alone:
        with account.about(condition):
            draft.where(e.chain_conditions(e.Both, of_rows_alone))


def read_membership(reader: Reader, node: exp.Expr, draft: Draft) -> e.Expression:
    """IN and EXISTS inside an expression: whether the unit of a row is among others.

    CASE WHEN patient IN (SELECT patient FROM labs) THEN 1 ELSE 0 END    a column of the rows that flag_units adds
    """
    if draft.rows is None:
        reason = "a join condition cannot contain a subquery"
        reader.account.refuse(node, reason, "write it in WHERE")
    if _is_lookup(reader, node) and _is_released_set(reader, node.args["query"]):
        value = read_expression(reader, node.this, draft, ROWS)
        return reader.read_subquery(reader, node, value, draft)
    if _is_lookup(reader, node):
        return _look_up(reader, node, draft)
    if (
        isinstance(node, exp.Exists)
        and (tied := reader.read_exists(reader, node, draft)) is not None
    ):
        return tied
    _refuse_without_units(reader, node, draft)
    among = _read_units(reader, node)
    known = next((found for rows, found in draft.flags if rows == among.rows), None)
    if known is not None:
        return known
    draft.rows, found = flag_units(draft.rows, among.rows)
    draft.flags.append((among.rows, found))
    of_rows(draft.rows, draft.table.name, draft.table.unit, (), size_of(draft.rows))
    return found


def _has_query(node: exp.Expr) -> bool:
    return isinstance(node, exp.Exists) or bool(node.args.get("query"))


def _filter_by_query(reader: Reader, node: exp.Expr, draft: Draft) -> None:
    """Keep the rows that an IN or EXISTS among the conditions asks for."""
    if _join_public_values(reader, node, draft):
        return
    inside = strip_negations(node)
    is_tied = (
        isinstance(inside, exp.Exists) and reader.read_exists(reader, inside, draft) is not None
    )
    if is_tied or _is_lookup(reader, inside):
        draft.where(read_expression(reader, node, draft, ROWS))
        return
    _keep_units(reader, node, draft)


def _keep_units(reader: Reader, node: exp.Expr, draft: Draft) -> None:
    """unit IN (SELECT …), EXISTS (SELECT …) and their opposites.

    Claim:      a row stays exactly if its unit is among those of the other rows, or is not if that is asked.
    Because:    rows without a unit are in neither: no NULL makes NOT IN unknown.
    Checked by: tests/laws/test_rows.py and tests/unit/plan/test_rows_sql.py
    """
    present = True
    while isinstance(node, exp.Not | exp.Paren):
        present ^= isinstance(node, exp.Not)
        node = reader.account.take(node)["this"]
    _refuse_without_units(reader, node, draft)
    among = _read_units(reader, node)
    rows: Rows = Scan(draft.table) if draft.rows is None else draft.rows
    kept = Kept(rows, among.rows, present)
    draft.rows = of_rows(kept, draft.table.name, draft.table.unit, (), among.size + 2).rows


def _refuse_without_units(reader: Reader, node: exp.Expr, draft: Draft) -> None:
    if draft.table.unit is None:
        reason = "IN and EXISTS compare units, but in this table every row is its own unit"
        reader.account.refuse(node, reason, "compare columns instead")


def _read_units(reader: Reader, node: exp.Expr) -> Origin:
    """The rows among whose units one is looked for."""
    return _read_exists(reader, node) if isinstance(node, exp.Exists) else _read_in(reader, node)


def _is_lookup(reader: Reader, node: exp.Expr) -> bool:
    """Whether IN compares a value, and not the unit."""
    return isinstance(node, exp.In) and not (is_column(node.this) and reader.is_unit(node.this))


def _is_released_set(reader: Reader, query: exp.Expr) -> bool:
    """Whether a query after IN gives groups of private rows, which are released first."""
    if not gives_answer(query, reader.withs, reader.unit_names):
        return False
    named = {table.name.casefold() for table in query.find_all(exp.Table)}
    public = {name.casefold() for name, table in reader.tables.items() if table.public}
    return not named <= public


def _look_up(reader: Reader, node: exp.Expr, draft: Draft) -> e.Expression:
    """x IN (SELECT x FROM a public table) inside a condition, also after NOT: whether a row's value is there.

    Claim:      every row stays once; as in SQL the condition is NULL where the value is, and where it is not found
                among values of which one is NULL.
    Because:    the column holds no value twice, so that an outer join meets one of its rows or none; whether it holds
                NULL is one row that all rows meet, or none.
    Checked by: tests/unit/plan/test_wide.py::test_a_column_is_looked_up_anywhere and tests/laws/test_public_lists.py
    """
    value, there, on = _read_public_column(reader, node, draft)
    column = columns_of(there)[0]
    rows = draft.rows or Scan(draft.table)
    draft.rows = Joined(rows, there, on, outer=True)
    found: e.Expression = e.Not(e.IsNull(e.Field(columns_of(draft.rows)[-1])))
    unknown: list[e.Expression] = []
    if type_of(value).nullable:
        unknown.append(e.IsNull(value))
    if column.nullable:
        name = unused_name("has null", [each.name for each in columns_of(draft.rows)])
        one = e.Literal(1, Kind.INTEGER)
        nulls = Computed(Where(there, e.IsNull(e.Field(column))), (Defined(name, one),))
        (flag,) = columns_of(nulls)
        once = Inner(nulls, (Defined(name, e.Field(flag)),), ())
        draft.rows = Joined(draft.rows, once, ((one, e.Field(columns_of(once)[0])),), outer=True)
        there_too = e.Not(e.IsNull(e.Field(columns_of(draft.rows)[-1])))
        unknown.append(e.Both(e.Not(found), there_too))
    of_rows(draft.rows, draft.table.name, draft.table.unit, (), size_of(draft.rows))
    if not unknown:
        return found
    known = e.Not(e.chain_conditions(e.Either, unknown))
    return e.Case(((known, found),), e.Literal(None, Kind.BOOLEAN))


def _join_public_values(reader: Reader, node: exp.Expr, draft: Draft) -> bool:
    """Keep the rows whose value is among those of a public column, if that is what is asked: x IN (SELECT x FROM …).

    Claim:      every row stays once or not at all.
    Because:    the column holds no value twice, or is taken once for each value; NULL equals nothing.
    Checked by: tests/unit/plan/test_wide.py::test_a_column_is_looked_up_in_a_public_table and tests/laws/statements.sql
    """
    while isinstance(node, exp.Paren):
        node = reader.account.take(node)["this"]
    if not _is_lookup(reader, node) or _is_released_set(reader, node.args["query"]):
        return False
    _, there, on = _read_public_column(reader, node, draft)
    draft.rows = Joined(draft.rows or Scan(draft.table), there, on)
    of_rows(draft.rows, draft.table.name, draft.table.unit, (), size_of(draft.rows))
    return True


def _read_public_column(
    reader: Reader, node: exp.Expr, draft: Draft
) -> tuple[e.Expression, Rows, tuple[tuple[e.Expression, e.Expression], ...]]:
    """What IN compares, the rows of the public column among which it is looked for, and what they are joined on."""
    parts = reader.account.take(node)
    select = parts["query"].unnest()
    if isinstance(select, exp.Select) and is_distinct(reader.account, select.args):
        select.set("distinct", None)  # each value is compared once, in any case
    found = reader.read_query(reader.inside(), parts["query"], "the subquery")
    if found.owner is not Owner.NOBODY:
        reader.account.refuse(node, _UNITS_ONLY, _ALONE)
    if len(found.table.columns) != 1:
        reason = "the subquery returns more than one column"
        reader.account.refuse(parts["query"], reason, "select only the column that is compared")
    value = read_expression(reader, parts["this"], draft, ROWS)
    rows = draft.rows or Scan(draft.table)
    (column,) = columns_of(found.rows)
    kind = type_of(value).kind
    if kind is not column.kind and not {kind, column.kind} <= {Kind.INTEGER, Kind.NUMBER}:
        word = next(word for word, each in KINDS.items() if each is column.kind)
        reason = f"the public column {column.name!r} has another type than what is compared with it"
        remedy = f"cast one of them: CAST(x AS {word}) IN (SELECT ...)"
        reader.account.refuse(parts["query"], reason, remedy)
    name = unused_name("looked up", [each.name for each in columns_of(rows)])
    if kind is not column.kind:  # of both, the values as numbers
        value = value if kind is Kind.NUMBER else e.Cast(value, Kind.NUMBER)
    cell = e.Field(column)
    same = cell if kind is column.kind or column.kind is Kind.NUMBER else e.Cast(cell, Kind.NUMBER)
    there: Rows = Computed(found.rows, (Defined(name, same),))
    (cells,) = columns_of(there)
    if cells not in unique_columns(there):
        there = Inner(there, (Defined(name, e.Field(cells)),), ())  # each value once
    return value, there, ((value, e.Field(columns_of(there)[0])),)


def _read_in(reader: Reader, node: exp.Expr) -> Origin:
    """The rows of a query after IN, which gives the unit alone."""
    parts = reader.account.take(node)
    if not is_column(parts["this"]) or not reader.is_unit(parts["this"]):
        reader.account.refuse(node, _UNITS_ONLY, _ALONE)
    query = parts["query"]
    found = reader.read_query(reader.inside(), query, "the subquery")
    if found.owner is not Owner.UNIT or found.names != (found.table.unit,):
        remedy = "select the unit alone: IN (SELECT patient FROM ...), with the unit's name"
        reader.account.refuse(query, "the subquery does not return the protected unit", remedy)
    return found


# ---------------------------------------------------------------- EXISTS


def _read_exists(reader: Reader, node: exp.Expr) -> Origin:
    """The rows of a query after EXISTS, whose only tie to the row outside is that their units are equal.

    EXISTS (SELECT 1 FROM labs l WHERE l.patient = v.patient AND l.value > 5)    Where(labs, value > 5)
    """
    account, select = reader.account, reader.account.take(node)["this"]
    if not isinstance(select, exp.Select):
        account.refuse(node, _UNITS_ONLY, _ALONE)
    parts = account.take(select)
    refuse_end(account, parts, "group", "having", "with_")
    # which changes nothing: whether there is a row is asked, and not how many
    is_distinct(account, parts)
    source = reader.read_source(reader.inside(), select, parts)
    inside, outside = source.scope, reader.scope
    assert outside is not None, "there are rows outside"
    inner = reader.inside().with_scope(inside)
    clause = parts.get("where")
    conditions = [
        part
        for part in (conjuncts(account, account.take(clause)["this"]) if clause else ())
        if id(part) not in source.ties
    ]
    ties = [part for part in conditions if _ties_units(inner, part, inside, outside)]
    _check_ties(reader, node, inside, has_tie=bool(ties))
    draft = Inside(inside.origin.table, rows=inside.origin.rows)
    for part in conditions:
        if part not in ties:
            _filter_inside(inner, part, draft, outside)
    read_unused_columns(inner, select, draft)
    rows = draft.question.rows
    return of_rows(rows, "", HIDDEN, (), max(inside.origin.size + 1, size_of(rows)))


def _ties_units(reader: Reader, node: exp.Expr, inside: Scope, outside: Scope) -> bool:
    """Whether a condition says that the row inside is of the unit of the row outside."""
    return same_units(reader, node, inside, outside) or _is_shadowed(reader, node, inside, outside)


def _is_shadowed(reader: Reader, node: exp.Expr, inside: Scope, outside: Scope) -> bool:
    """Whether a condition ties units that are called alike, the one inside without its table."""
    if not (
        isinstance(node, exp.EQ)
        and isinstance(node.this, exp.Column)
        and isinstance(node.expression, exp.Column)
    ):
        return False
    one, two = reader.split_name(node.this), reader.split_name(node.expression)
    for first, second in ((one, two), (two, one)):
        said = second[0] is not None and not any(second[0].means(alias) for alias in inside.aliases)
        if inside.is_unit(*first) and said and outside.is_unit(*second):
            reader.account.take(node)
            return True
    return False


def _check_ties(reader: Reader, node: exp.Expr, inside: Scope, *, has_tie: bool) -> None:
    """Refuse EXISTS that would be true or false for everybody at once."""
    outside = reader.scope
    assert outside is not None, "there are rows outside"
    if inside.origin.owner is Owner.NOBODY:
        reason = "a public table has no units to compare"
        reader.account.refuse(node, reason, "write JOIN ... ON ...")
    if has_tie and inside.origin.owner is Owner.UNIT:
        return
    unit, other = inside.origin.table.unit, outside.origin.table.unit
    tie = (
        f"{inside.aliases[0]}.{unit} = {outside.aliases[0]}.{other}"
        if unit and other
        else "their units"
    )
    reason = "whether any row exists at all would be an answer without noise"
    reader.account.refuse(node, reason, f"compare the unit: EXISTS (... WHERE {tie})")


def _filter_inside(reader: Reader, node: exp.Expr, draft: Draft, outside: Scope) -> None:
    """Keep the rows inside EXISTS for which a condition is true, which knows nothing else of the row outside."""
    for column in node.walk():
        table = column.args.get("table") if isinstance(column, exp.Column) else None
        if table is not None and reader.scope is not None:
            said = Name(table.name, exact=bool(table.args.get("quoted")))
            ours = any(said.means(alias) for alias in reader.scope.aliases)
            if not ours and any(said.means(alias) for alias in outside.aliases):
                reason = (
                    "a correlated subquery may refer to the unit of the outer row and to nothing "
                    "else"
                )
                remedy = (
                    "look at the next row of the same unit, or with LAG at the one before: FROM (SELECT *, LEAD(day) "
                    "OVER (PARTITION BY unit ORDER BY day) AS next FROM t) WHERE next <= day + INTERVAL 30 DAY; or, "
                    "with far more noise, join on the unit and keep each row once: FROM (SELECT DISTINCT a.unit, "
                    "a.day FROM t a JOIN t b ON a.unit = b.unit AND b.day > a.day)"
                )
                reader.account.refuse(column, reason, remedy)
    with reader.account.about(node):
        if _has_query(strip_negations(node)):
            _keep_units(reader, node, draft)
        else:
            draft.where(read_expression(reader, node, draft, ROWS))


def read_unused_columns(reader: Reader, select: exp.Expr, draft: Draft) -> None:
    """The columns of a question inside EXISTS, which mean nothing there."""
    columns = reader.account.take_list(select)
    if not columns:
        reason = "no column is selected"
        reader.account.refuse(select.args["from_"], reason, "write SELECT 1 FROM ...")
    for node in columns:
        if isinstance(node, exp.Star):
            reader.account.take(node)
        elif isinstance(node, exp.Literal | exp.Null | exp.Boolean):
            reader.constant(node)
        elif not (is_column(node) and reader.is_unit(node)):
            read_expression(reader, node, draft, ROWS)
