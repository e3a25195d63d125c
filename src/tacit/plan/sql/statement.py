"""The SQL door: a SELECT is read into a plan, and what is not understood is refused, never dropped.

Text is read as DuckDB's SQL by sqlglot.  Every node of its tree, every argument of every node and every word of the
text must be read by something here; `grammar.NODES` says what a node may hold and which words it accounts for.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from sqlglot import exp

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan.model.expressions import Field
from tacit.plan.model.nodes import Plan
from tacit.plan.model.ownership import Owner
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import KEPT, SELECTED, Draft, find
from tacit.plan.questions.group_windows import without_windows
from tacit.plan.rewrite.prune import drop_unused_measures
from tacit.plan.sql.coverage import Account
from tacit.plan.sql.distinct import check_told_once, has_aggregate, is_all, is_distinct, list_keys
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.from_clause import read_query, read_source, read_with
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.options import Header, header_of
from tacit.plan.sql.ordering import read_limit, read_order, read_qualify
from tacit.plan.sql.outer_select import (
    Statement,
    find_inner_select,
    list_released,
    list_unit_names,
    read_outer_select,
)
from tacit.plan.sql.parse import TYPES, parse, tokenise
from tacit.plan.sql.precheck import check_tokens, decimal_parts, interval_parts, items, outermost
from tacit.plan.sql.quantiles import is_list_of_ranks, read_ranks
from tacit.plan.sql.reader import ROWS, Reader, Source, is_column
from tacit.plan.sql.row_windows import read_named_windows
from tacit.plan.sql.semi_joins import filter_rows, read_membership

__all__ = ["read_priced", "read_sql"]


def read_sql(text: str, tables: Mapping[str, Table], *, finding: bool = False) -> Plan:
    """The plan that a SELECT asks for; an `InvalidPlan` says what is not understood, and how to ask instead.

    `finding` says whether keys whose values are not public may be found in the data.  A plan knows no price: what the
    header of a SELECT says of it is given by `read_priced`, and refused here.

    >>> from tacit.plan import Column, Kind
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
    >>> read_sql("SELECT COUNT(*) AS n FROM visits WHERE age >= 65", {"visits": visits}).question.measures
    (Counted(value=None),)
    """
    plan, header = read_priced(text, tables, finding=finding)
    for name in header.options:
        header.refuse(name, "a plan has no price", "ask a vault: vault.sql(text)")
    return plan


def read_priced(
    text: str, tables: Mapping[str, Table], *, finding: bool = False
) -> tuple[Plan, Header]:
    """The plan that a SELECT asks for, and what its header says: SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(…) …

    >>> visits = {"visits": Table("visits", ())}
    >>> text = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5) COUNT(*) AS n FROM visits"
    >>> read_priced(text, visits)[1].number("epsilon")
    Fraction(1, 2)
    """
    raw, tokens = tokenise(text)
    header, places = header_of(text, tokens)
    raw = [token for i, token in enumerate(raw) if i not in places]
    tokens = [token for i, token in enumerate(tokens) if i not in places]
    check_tokens(text, tokens, TYPES)
    account = Account(text, tokens, places=interval_parts(tokens) | decimal_parts(tokens))
    reader = Reader(account, tables, read_query, read_source, read_membership, finding=finding)
    try:
        select = parse(text, raw, tokens)
        if sum(token.kind == "SELECT" for token in tokens) > 1:  # names of units may be passed on
            reader = replace(reader, unit_names=list_unit_names(select, tables))
        plan = _read_plan(reader, select)
    except Unbounded as refusal:
        if any(
            column.name == refusal.column for table in tables.values() for column in table.columns
        ):
            raise
        reason = (
            f"{refusal.column!r} has no known range, so one row could change the answer by any "
            "amount"
        )
        remedy = (
            "declare its bounds in the policy, or clip it: CASE WHEN x > 100 THEN 100 WHEN x < 0 "
            "THEN 0 ELSE x END"
        )
        raise InvalidPlan(
            reason, remedy, text=refusal.text, start=refusal.start, end=refusal.end
        ) from None
    account.close(TYPES)
    return plan, header


def _read_plan(reader: Reader, select: exp.Select) -> Plan:
    """The plan of a whole statement."""
    read, clause = _read_statement(reader, select, whole=True), select.args.get("having")
    with reader.account.about(clause.this if clause else select):
        return drop_unused_measures(
            read.draft.plan(read.having, read.order, read.limit, read.offset, read.qualify)
        )


def _read_statement(reader: Reader, select: exp.Select, *, whole: bool) -> Statement:
    """A statement, not closed yet; one that is not the whole one stands inside another, and is released first."""
    parts = reader.account.take(select)
    inner = find_inner_select(select, reader.withs, reader.unit_names)
    if inner is None:
        reader = reader.with_origins(read_with(reader, parts.get("with_")))
        return _read_groups(reader, select, whole=whole)
    released = frozenset(map(id, list_released(inner, reader.unit_names)))
    reader = reader.with_origins(read_with(reader, parts.get("with_"), released))
    reader.account.take(parts["from_"])
    texts = _column_texts(reader.account, select, whole=whole)
    inside = _read_statement(reader.with_withs(inner.withs), inner.select, whole=False)
    return read_outer_select(select, inner, inside, texts)


def _read_groups(reader: Reader, select: exp.Select, *, whole: bool) -> Statement:
    """A SELECT whose groups are released: keys, measures, and what is shown of them.

    SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 10
    is Question(visits, keys=(ward,), measures=(Counted(),)) and View((KeyOf(0), MeasureOf(0)), having=n > 10)
    """
    parts, columns = reader.account.take(select), reader.account.take_list(select)
    source = read_source(reader, select, parts)
    reader = reader.with_scope(source.scope)
    draft = _make_draft(reader, source, parts)
    filter_rows(reader, parts.get("where"), draft, source.ties)
    draft.named = read_named_windows(reader, select, parts)
    draft.grouped = is_grouped(parts, columns)
    once = is_distinct(reader.account, parts)
    reader = reader.with_keys(_read_keys(reader, parts.get("group"), columns, draft, once=once))
    texts = _column_texts(reader.account, select, whole=whole)
    for column, text in zip(columns, texts, strict=True):
        _read_column(reader, column, text, draft)
    if once:
        with reader.account.about(select):
            check_told_once(draft)
    clause = parts.get("having")
    having = (
        read_expression(reader, reader.account.take(clause)["this"], draft, KEPT)
        if clause
        else None
    )
    order = read_order(reader, parts.get("order"), draft)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    qualify = read_qualify(reader, parts.get("qualify"), draft)
    with reader.account.about(clause.this if clause else select):
        without_windows(having)
    return Statement(reader, draft, having, qualify, order, limit, offset or 0)


def _make_draft(reader: Reader, source: Source, parts: Mapping[str, Any]) -> Draft:
    """A question about the rows of FROM."""
    origin = source.scope.origin
    if origin.owner is Owner.NOBODY:
        reason = "this question uses public tables only"
        remedy = "read them directly: they are not protected"
        reader.account.refuse(parts["from_"], reason, remedy)
    return Draft(origin.table, rows=origin.rows, finding=reader.finding)


def _column_texts(account: Account, select: exp.Select, *, whole: bool) -> list[str]:
    """What the columns of a SELECT are called that have no name: as they are written."""
    columns = account.take_list(select)
    spans = (
        items(outermost(account.tokens)) if whole else [account.span(column) for column in columns]
    )
    if len(spans) != len(columns):
        account.refuse(
            select, "the list of columns is not understood", "put parentheses around them"
        )
    return [" ".join(account.text[start:end].split()) for start, end in spans]


# ---------------------------------------------------------------- keys and columns

_Kinds = frozenset[type[exp.Expr]]


def _read_keys(
    reader: Reader,
    group: exp.Expr | None,
    columns: Sequence[exp.Expr],
    draft: Draft,
    *,
    once: bool,
) -> _Kinds:
    """Read the keys of GROUP BY, GROUP BY ALL and SELECT DISTINCT; what sorts of expressions they calculate."""
    kinds: set[type[exp.Expr]] = set()
    account = reader.account
    if (group and is_all(account, group)) or (
        once and not group and not any(map(has_aggregate, columns))
    ):
        for column in list_keys(columns):
            with account.about(column):
                kinds |= _read_listed_key(reader, column, draft)
    elif group:
        for key in account.take_list(group):
            with account.about(key):
                kinds |= _read_key(reader, key, columns, draft)
    return frozenset(kinds)


def _read_key(reader: Reader, node: exp.Expr, columns: Sequence[exp.Expr], draft: Draft) -> _Kinds:
    """Read a key of GROUP BY: an expression, its place in the SELECT or its alias there."""
    if isinstance(node, exp.Literal) and not node.is_string:
        place = reader.whole_number(node)
        if not 1 <= place <= len(columns):
            reason = f"there is no column {place}"
            remedy = f"count from 1 to {len(columns)}, or name the column"
            reader.account.refuse(node, reason, remedy)
        return _read_listed_key(reader, columns[place - 1], draft)
    if is_column(node):
        meant = reader.column_name(node)
        if find(meant, [column.name for column in draft.table.columns], "column") is None:
            for column in columns:
                if isinstance(column, exp.Alias) and meant.means(column.alias):
                    return _read_calculated_key(reader, column.this, column.alias, draft)
    return _read_calculated_key(reader, node, None, draft)


def _read_listed_key(reader: Reader, column: exp.Expr, draft: Draft) -> _Kinds:
    """Read a column of the SELECT that is a key, by its alias if it has one."""
    return _read_calculated_key(reader, column.unalias(), column.alias or None, draft)


def _read_calculated_key(reader: Reader, node: exp.Expr, name: str | None, draft: Draft) -> _Kinds:
    """Read an expression that is a key."""
    if is_column(node):
        meant = reader.column_name(node)
        if find(meant, [column.name for column in draft.table.columns], "column") is not None:
            draft.key(Field(draft.column(meant)))
            return frozenset()
    value = read_expression(reader, node, draft, ROWS)
    with reader.account.about(node):
        draft.key(value, name)
    return frozenset({type(node.unnest())})


def _read_column(reader: Reader, node: exp.Expr, text: str, draft: Draft) -> None:
    """Read one column of the answer; several quantiles at once are several columns."""
    value, name = node, None
    if isinstance(node, exp.Alias):
        parts = reader.account.take(node)
        value, name = parts["this"], reader.alias_name(parts["alias"]).text
    with reader.account.about(value):
        if is_list_of_ranks(value):
            _read_quantile_columns(reader, value, name or text, draft)
            return
        read = read_expression(reader, value, draft, SELECTED)
        if name is None:
            name = _name_shown(reader, value, draft) if isinstance(value, exp.Column) else text
        draft.show(name, read)


def _read_quantile_columns(reader: Reader, node: exp.Expr, name: str, draft: Draft) -> None:
    """QUANTILE_CONT(cost, [0.25, 0.75]) AS q gives q_0.25 and q_0.75."""
    value, ranks = read_ranks(reader, node)
    read = read_expression(reader, value, draft, ROWS)
    for rank in ranks:
        draft.show(f"{name}_{float(rank):g}", draft.rank_value(read, rank))


def _name_shown(reader: Reader, node: exp.Expr, draft: Draft) -> str:
    """What a column is called that is shown: as the table calls it, without the table that it was joined from."""
    found = draft.column(reader.column_name(node)).name
    names = reader.scope.names if reader.scope is not None else ()
    return next((seen.name for seen in names if seen.called == found), found)
