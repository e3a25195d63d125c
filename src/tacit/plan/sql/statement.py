"""The SQL door: a SELECT is read into a plan, and what is not understood is refused, never dropped.

Text is read as DuckDB's SQL by sqlglot.  Every node of its tree, every argument of every node and every word of the
text must be read by something here; `grammar.NODES` says what a node may hold and which words it accounts for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, NoReturn

from sqlglot import exp

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan.model.combined_answers import CombinedPlan, ReadAnswers
from tacit.plan.model.expressions import Expression, Field, KeyOf
from tacit.plan.model.nodes import Plan, Scan
from tacit.plan.model.ownership import Owner, tables_of
from tacit.plan.model.schema import Table
from tacit.plan.questions.draft import KEPT, SELECTED, Draft, Named, find
from tacit.plan.questions.group_windows import without_windows
from tacit.plan.questions.scope import Scope, Seen
from tacit.plan.rewrite.combine_answers import merge_parts
from tacit.plan.rewrite.prune_measures import drop_unused_measures
from tacit.plan.sql.answers_as_tables import (
    NamedAnswer,
    close_draft,
    join_answers,
    join_scalar,
    stack_statements,
)
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import (
    Query,
    find_query,
    is_answer,
    is_of_public_tables,
    list_branches,
    list_released_withs,
    list_scalars,
    list_sources,
    list_unions,
    list_withs,
    scalars_in,
)
from tacit.plan.sql.from_clause import read_alias, read_query, read_source, read_with
from tacit.plan.sql.group_by_all_distinct import (
    check_told_once,
    has_aggregate,
    is_all,
    is_distinct,
    list_keys,
)
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.grouping_sets import Sets, has_sets, list_sets
from tacit.plan.sql.join_one_row_answer import add_one_row
from tacit.plan.sql.join_public_columns import add_public_columns, is_public_table
from tacit.plan.sql.joins_with_answers import determine_by_keys, find_released, join_answer
from tacit.plan.sql.mode import find_mode, is_most_frequent, read_mode, read_mode_key
from tacit.plan.sql.ordering import read_limit, read_order, read_qualify
from tacit.plan.sql.outer_select import (
    Statement,
    find_inner_select,
    list_released,
    list_unit_names,
    read_around,
    read_outer_select,
)
from tacit.plan.sql.parameters import NO_PARAMETERS, Parameters
from tacit.plan.sql.parse import TYPES, parse, tokenise
from tacit.plan.sql.precheck import check_tokens, decimal_parts, interval_parts, items, outermost
from tacit.plan.sql.privacy_options import Header, header_of
from tacit.plan.sql.quantiles import is_list_of_ranks, read_ranks
from tacit.plan.sql.reading_context import ROWS, Reader, Source, is_column
from tacit.plan.sql.row_windows import read_named_windows
from tacit.plan.sql.semi_joins import filter_rows, read_membership
from tacit.plan.sql.source_positions import Account
from tacit.plan.sql.subquery_as_constant import (
    list_view_scalars,
    read_row_scalar,
    read_row_set,
    read_view_scalar,
    with_row_subqueries,
)

__all__ = ["read_asked", "read_priced", "read_sql"]


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
    plan, header = read_asked(text, tables, finding=finding)
    if isinstance(plan, CombinedPlan):
        reason = "this combines several answers, which is more than one plan"
        raise InvalidPlan(reason, "ask a vault: vault.sql(text)", text=text, end=len(text))
    return plan, header


def read_asked(
    text: str,
    tables: Mapping[str, Table],
    *,
    finding: bool = False,
    bound: Parameters = NO_PARAMETERS,
) -> tuple[Plan | CombinedPlan, Header]:
    """What a statement asks for, one question or several whose answers it combines, and what its header says.

    `bound` are the values of its parameters (see `freeze_parameters`).

    >>> visits = {"visits": Table("visits", ())}
    >>> text = "SELECT 'all' AS rows, COUNT(*) AS n FROM visits UNION ALL SELECT 'again', COUNT(*) FROM visits"
    >>> len(read_asked(text, visits)[0].parts)
    1
    """
    raw, tokens = tokenise(text, bound, _column_names(tables))
    header, places = header_of(text, tokens)
    raw = [token for i, token in enumerate(raw) if i not in places]
    tokens = [token for i, token in enumerate(tokens) if i not in places]
    check_tokens(text, tokens, TYPES)
    account = Account(text, tokens, places=interval_parts(tokens) | decimal_parts(tokens))
    reader = Reader(
        account,
        tables,
        read_query,
        read_source,
        read_membership,
        _read_row_subquery,
        _read_tied_exists,
        _join_answer,
        finding=finding,
    )
    try:
        select = parse(text, raw, tokens, _column_names(tables))
        if [token.kind for token in tokens].count("SELECT") > 1:  # names of units may be passed on
            reader = replace(reader, unit_names=list_unit_names(select, tables))
        plan = _read_plan(reader, select)
    except RecursionError:
        reason = "the text is nested too deeply"
        raise InvalidPlan(reason, "ask a simpler question", text=text, end=len(text)) from None
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
            "declare its bounds, or clip it: CASE WHEN x > 100 THEN 100 WHEN x < 0 "
            "THEN 0 ELSE x END"
        )
        raise InvalidPlan(
            reason, remedy, text=refusal.text, start=refusal.start, end=refusal.end
        ) from None
    account.close(TYPES)
    return plan, header


def _column_names(tables: Mapping[str, Table]) -> Iterator[str]:
    """The names of all columns that a statement may use, units' as well."""
    for table in tables.values():
        yield from (column.name for column in table.columns)
        if table.unit is not None:
            yield table.unit


def _read_plan(reader: Reader, query: exp.Query) -> Plan | CombinedPlan:
    """The plan of a whole statement."""
    read, clause = _read_query(reader, query, whole=True), query.args.get("having")
    ends = read.having, read.order, read.limit, read.offset, read.qualify
    with reader.account.about(clause.this if clause else query):
        if reader.subqueries:
            draft = close_draft(read.draft) if read.draft.beside is None else read.draft
            whole = draft.combined_plan(merge_parts, *ends)
            return with_row_subqueries(whole, reader.subqueries)
        if read.draft.beside is None:
            return drop_unused_measures(read.draft.plan(*ends))
        return read.draft.combined_plan(merge_parts, *ends)


def _read_query(reader: Reader, query: exp.Expr, *, whole: bool) -> Statement:
    """A SELECT, or several that UNION ALL stacks, not closed yet."""
    if isinstance(query, exp.Subquery):
        reader.account.take(query)
        return _read_query(reader, query.this, whole=False)
    if isinstance(query, exp.Union):
        return _read_union(reader, query)
    if not isinstance(query, exp.Select):
        reason = "EXCEPT and INTERSECT of answers are not supported"
        reader.account.refuse(query, reason, "join the answers on their keys instead")
    return _read_statement(reader, query, whole=whole)


def _read_union(reader: Reader, union: exp.Union) -> Statement:
    """Answers that are stacked; ORDER BY and LIMIT at the end are about all of them."""
    account, known = reader.account, list_withs(union, reader.withs)
    listed = list_branches(union)
    for each in list_unions(union):
        if each.args.get("distinct"):
            _check_apart(reader, union, listed)
        account.take(each, "Merged" if each.args.get("distinct") else None)
    parts = union.args
    reader = reader.with_origins(
        read_with(reader, parts.get("with_"), list_released_withs(known, reader.unit_names))
    ).with_withs(known)
    branches = [_read_query(reader, each, whole=False) for each in listed]
    stacked = stack_statements(reader, union, branches)
    draft = stacked.draft
    scope = stacked.reader.scope
    assert scope is not None, "a question was read"
    names = tuple(Seen("", each.name, each.name) for each in draft.columns)
    reader = reader.with_scope(Scope(scope.origin, names)).with_keys(frozenset())
    order = read_order(reader, parts.get("order"), draft)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    return replace(stacked, reader=reader, order=order, limit=limit, offset=offset or 0)


def _check_apart(reader: Reader, union: exp.Expr, branches: Sequence[exp.Expr]) -> None:
    """Refuse UNION where it may merge rows of its branches: one constant that tells them apart keeps them."""
    rows = [each.unnest().expressions for each in branches]
    for column in zip(*rows, strict=False):
        values = [each.unalias() for each in column]
        if all(isinstance(each, exp.Literal) for each in values) and len(
            {each.name for each in values}
        ) == len(values):
            return
    reason = "UNION of answers would merge rows whose noisy numbers happen to be equal"
    reader.account.refuse(union, reason, "write UNION ALL")


def _named_in_from(select: exp.Select, withs: Mapping[str, exp.Expr]) -> frozenset[int]:
    """The common table expressions that a SELECT reads in FROM, as rows."""
    found = [find_query(source, withs) for source in list_sources(select)]
    return frozenset(id(each.common) for each in found if each is not None)


def _read_combined(reader: Reader, select: exp.Select, *, whole: bool) -> Statement | None:
    """A SELECT that reads several answers: joined in FROM, or in scalar subqueries; None if it reads one at most."""
    account, units = reader.account, reader.unit_names
    known, sources = list_withs(select, reader.withs), list_sources(select)
    answers = [is_answer(each, known, units) for each in sources]
    over_answers = bool(sources) and _has_answers(reader, sources, answers, known)
    scalars = list_scalars(select) if over_answers else list_view_scalars(select)
    where = select.args.get("where")
    if over_answers and where is not None:
        scalars += scalars_in(where)
    if not scalars and not any(answers):
        if has_sets(select.args.get("group")):
            return _read_sets(reader, select, whole=whole)
        return None
    if (
        over_answers
        and not scalars
        and len(sources) == 1
        and not _is_combined(sources[0], known, units)
    ):
        return None
    if any(answers) and not over_answers:
        rows = [each for each, found in zip(sources, answers, strict=True) if not found]
        if all(_is_public(reader, each, known) for each in rows):
            reason = "an answer is joined with a public table here"
            remedy = "join the table before GROUP BY, and group by its columns"
            account.refuse(rows[0], reason, remedy)
    if not over_answers and not scalars:  # it reads rows, which answers may be joined with
        return (
            _read_sets(reader, select, whole=whole) if has_sets(select.args.get("group")) else None
        )
    parts = account.take(select)
    texts = _column_texts(account, select, whole=whole and bool(sources))
    reader = reader.with_origins(
        read_with(reader, parts.get("with_"), list_released_withs(known, units))
    ).with_withs(known)
    if not over_answers and sources:
        return _read_beside(reader, select, scalars, whole=whole)
    if not sources:
        return _read_scalars_alone(reader, select, scalars, texts)
    account.take(parts["from_"])
    is_only = answers.count(True) == 1 and len(sources) > 1 and not scalars
    joined = _join_sources(reader, sources, parts.get("joins") or [], known, is_only=is_only)
    outside = joined.reader(reader)
    statement = joined.statement
    read, draft = {}, statement.draft
    for node in scalars:
        if not _is_about_same(node, known, sources):
            more, read[id(node)] = _read_other_scalar(reader, node, draft.beside)
            draft = replace(draft, beside=more)
    for node in scalars:
        if id(node) not in read:
            read[id(node)] = _read_own_scalar(outside, node, draft)
    return read_around(
        select,
        replace(outside, scalars={**reader.scalars, **read}),
        replace(statement, draft=draft),
        texts,
        select.args.get("from_") or select,
    )


def _has_answers(
    reader: Reader,
    sources: Sequence[exp.Expr],
    answers: Sequence[bool],
    withs: Mapping[str, exp.Expr],
) -> bool:
    """Whether what stands in FROM are answers, one of the first two at least, and public tables beside them."""
    return any(answers[:2]) and all(
        found or is_public_table(reader, each, withs)
        for each, found in zip(sources, answers, strict=True)
    )


def _join_sources(
    reader: Reader,
    sources: Sequence[exp.Expr],
    joins: Sequence[exp.Expr],
    known: Mapping[str, exp.Expr],
    *,
    is_only: bool,
) -> NamedAnswer:
    """The answers and public tables of FROM as one answer; `is_only` if there is one answer among them."""
    beside = len(sources) > 1
    rest = list(zip(sources[1:], joins, strict=True))
    joined: NamedAnswer
    if is_public_table(reader, sources[0], known):
        (first, join), *rest = rest
        joined = _read_answer(reader, first, known, beside=beside, is_only=is_only)
        with reader.account.about(join):
            joined = add_public_columns(reader, joined, sources[0], join, is_first=True)
    else:
        joined = _read_answer(reader, sources[0], known, beside=beside, is_only=is_only)
    for source, join in rest:
        if is_public_table(reader, source, known):
            with reader.account.about(join):
                joined = add_public_columns(reader, joined, source, join, is_first=False)
            continue
        other = _read_answer(reader, source, known, beside=beside)
        with reader.account.about(join):
            one_row = add_one_row(reader, joined, other, join)
            joined = one_row or join_answers(reader, joined, other, join)
    return joined


def _is_public(reader: Reader, source: exp.Expr, withs: Mapping[str, exp.Expr]) -> bool:
    """Whether what stands in FROM has public rows alone."""
    return is_of_public_tables(source, withs, reader.public_names)


def _is_combined(source: exp.Expr, withs: Mapping[str, exp.Expr], units: frozenset[str]) -> bool:
    """Whether an answer in FROM is made of several, somewhere inside it."""
    found = find_query(source, withs)
    assert found is not None, "it is an answer"
    query = found.query
    if not isinstance(query, exp.Select):
        return True
    known, sources = list_withs(query, found.withs), list_sources(query)
    if has_sets(query.args.get("group")) or list_scalars(query):
        return True
    answers = [is_answer(each, known, units) for each in sources]
    where = query.args.get("where")
    if not any(answers):
        return False
    if len(sources) > 1 or (where is not None and any(True for _ in scalars_in(where))):
        return True
    return _is_combined(sources[0], known, units)


def _read_answer(
    reader: Reader,
    source: exp.Expr,
    known: Mapping[str, exp.Expr],
    *,
    beside: bool,
    is_only: bool = False,
) -> NamedAnswer:
    found = find_query(source, known)
    assert found is not None, "it is an answer"
    statement = _read_query(reader.with_withs(found.withs), found.query, whole=False)
    return NamedAnswer.of(reader, found, statement, beside=beside, is_only=is_only)


def _read_other_scalar(
    reader: Reader, node: exp.Subquery, beside: ReadAnswers | None
) -> tuple[ReadAnswers | None, Expression]:
    """The answers with a scalar subquery beside them, unless it is of groups that are added up; and what it says."""
    scalar = _read_scalar(reader, node)
    constant = read_view_scalar(reader, node, scalar)
    if constant is not None:
        return beside, constant
    return join_scalar(reader, beside, node, scalar)


def _read_scalar(reader: Reader, node: exp.Subquery) -> Statement:
    """A scalar subquery, as a statement of its own."""
    parts = reader.account.take(node)
    with reader.account.about(node):
        return _read_query(replace(reader, scope=None, scalars={}), parts["this"], whole=False)


def _read_inside(reader: Reader, query: exp.Expr) -> Statement:
    """A query inside rows, as a statement of its own."""
    inside = replace(reader, scope=None, scalars={}, key_kinds=frozenset())
    return _read_query(inside, query, whole=False)


def _read_tied_exists(reader: Reader, node: exp.Exists, draft: Draft) -> Expression | None:
    """EXISTS that is tied to the row outside by more than its unit, or about a public table; None for others."""
    from tacit.plan.sql.correlated_subqueries import read_tied_exists

    return read_tied_exists(reader, node, draft)


def _read_row_subquery(
    reader: Reader, node: exp.Expr, value: Expression | None, draft: Draft
) -> Expression:
    """A subquery that rows are compared with: a scalar, or with a value what IN compares it with."""
    if value is None:
        from tacit.plan.sql.correlated_subqueries import read_correlated

        tied = read_correlated(_read_inside, reader, node, draft)
        return read_row_scalar(_read_inside, reader, node) if tied is None else tied
    return read_row_set(_read_inside, reader, node, value)


def _join_answer(
    reader: Reader, left: Scope, join: exp.Expr, source: exp.Expr, where: exp.Expr | None
) -> Source:
    """Rows joined with an answer, which is released first."""
    return join_answer(_read_inside, reader, left, join, source, where)


def _is_about_same(
    node: exp.Subquery, known: Mapping[str, exp.Expr], sources: Sequence[exp.Expr]
) -> bool:
    """Whether a scalar subquery adds up the rows of the answer which the query around it is about."""
    select = node.this
    if len(sources) != 1 or not isinstance(select, exp.Select):
        return False
    inside = list_sources(select)
    if len(inside) != 1 or select.args.get("group") or len(select.expressions) != 1:
        return False
    one = find_query(sources[0], known)
    two = find_query(inside[0], list_withs(select, known))
    if one is None or two is None or not _is_same_query(one, two):
        return False
    return is_grouped(select.args, select.expressions)


def _is_same_query(one: Query, two: Query) -> bool:
    """Whether two places of FROM name the same query, or hold it twice, word for word and with the same WITH."""
    if one.common is not None or two.common is not None:
        return one.common is two.common
    return one.query == two.query and dict(one.withs) == dict(two.withs)


def _read_own_scalar(reader: Reader, node: exp.Subquery, draft: Draft) -> Expression:
    """What a scalar subquery says of all rows of the answer around it: a window over them.

    SELECT n - (SELECT AVG(n) FROM daily) FROM daily    n - AVG(n) OVER ()
    … FROM (SELECT day, COUNT(*) AS n …) WHERE n > (SELECT AVG(n) FROM (SELECT day, COUNT(*) AS n …))    the same
    """
    account, select = reader.account, node.this
    account.take(node)
    for name in ("where", "having", "qualify", "order", "limit", "offset", "distinct", "with_"):
        if select.args.get(name):
            reason = "a scalar subquery about the same answer takes an aggregate alone"
            account.refuse(node, reason, "select one aggregate: (SELECT AVG(n) FROM daily)")
    account.take(select)
    within = account.take(select.args["from_"])["this"]
    source = account.take(within)
    if isinstance(within, exp.Subquery):
        # the words of the query around it, once more: read for their own sake
        _read_query(replace(reader, scope=None, scalars={}), source["this"], whole=False)
        name = ""
    else:
        name = reader.name(source["this"]).text
    alias = read_alias(reader, source.get("alias")) or name
    assert reader.scope is not None, "an answer was read"
    names = tuple(replace(each, alias=alias) for each in reader.scope.names)
    inside = reader.with_scope(Scope(reader.scope.origin, names))
    (column,) = account.take_list(select)
    if isinstance(column, exp.Alias):
        reader.alias_name(account.take(column)["alias"])
        column = column.this
    with account.about(column):
        return read_expression(inside, column, replace(draft, outer_keys=()), (Named.COLUMN,))


def _read_beside(
    reader: Reader, select: exp.Select, scalars: Sequence[exp.Subquery], *, whole: bool
) -> Statement:
    """A SELECT over rows whose view also reads scalar subqueries.

    SELECT ward, COUNT(*) / (SELECT COUNT(*) FROM labs) FROM visits GROUP BY ward
    """
    if has_sets(select.args.get("group")):
        reason = "a scalar subquery cannot stand beside grouping sets"
        remedy = "write the grouping sets in a subquery, and the scalar subquery around it"
        reader.account.refuse(scalars[0], reason, remedy)
    read: dict[int, Expression] = {}
    beside: ReadAnswers | None = None
    for node in scalars:
        beside, read[id(node)] = _read_other_scalar(reader, node, beside)
    reader = replace(reader, scalars={**reader.scalars, **read})
    return _read_groups(reader, select, whole=whole, beside=beside)


def _read_scalars_alone(
    reader: Reader, select: exp.Select, scalars: Sequence[exp.Subquery], texts: Sequence[str]
) -> Statement:
    """A SELECT without FROM: SELECT (SELECT COUNT(*) FROM visits) / (SELECT COUNT(*) FROM labs)."""
    read: dict[int, Expression] = {}
    beside: ReadAnswers | None = None
    first: Statement | None = None
    for node in scalars:
        found = _read_scalar(reader, node)
        first = first or found
        beside, read[id(node)] = join_scalar(reader, beside, node, found)
    assert first is not None, "a SELECT without FROM has scalar subqueries"
    draft = replace(close_draft(first.draft), beside=beside, columns=[])
    inside = first.reader.scope
    assert inside is not None, "a question was read"
    outside = replace(reader, scalars=read, scope=Scope(inside.origin, ()))
    around = Statement(outside, draft, None, None, (), None, 0)
    return read_around(select, outside, around, texts, select)


def _read_sets(reader: Reader, select: exp.Select, *, whole: bool) -> Statement:
    """A SELECT with ROLLUP, CUBE or GROUPING SETS: one question for each set of keys, stacked.

    SELECT ward, COUNT(*) FROM visits GROUP BY ROLLUP (ward)    by ward, and for all of them with ward NULL
    """
    account = reader.account
    parts, sets = account.take(select), list_sets(account, select)
    known = list_withs(select, reader.withs)
    released = list_released_withs(known, reader.unit_names)
    reader = reader.with_origins(read_with(reader, parts.get("with_"), released)).with_withs(known)
    for name in ("qualify", "distinct"):
        if parts.get(name):
            reason = f"{name.upper()} cannot be combined with grouping sets"
            account.refuse(parts[name], reason, "write the grouping sets in a subquery")
    branches = [
        replace(_read_groups(reader, select, whole=whole, sets=(each, sets)), order=(), limit=None)
        for each in sets
    ]
    if any(each.has_windows for each in branches):
        reason = "a window cannot be combined with grouping sets"
        account.refuse(
            select, reason, "write the grouping sets in a subquery, and the window outside"
        )
    branches = [replace(each, offset=0) for each in branches]
    stacked = stack_statements(reader, select, branches)
    scope = stacked.reader.scope
    assert scope is not None, "a question was read"
    names = tuple(Seen("", each.name, each.name) for each in stacked.draft.columns)
    outside = reader.with_scope(Scope(scope.origin, names)).with_keys(frozenset())
    order = read_order(outside, parts.get("order"), stacked.draft)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    return replace(stacked, order=order, limit=limit, offset=offset or 0)


def _read_statement(reader: Reader, select: exp.Select, *, whole: bool) -> Statement:
    """A statement, not closed yet; one that is not the whole one stands inside another, and is released first."""
    combined = _read_combined(reader, select, whole=whole)
    if combined is not None:
        return combined
    parts = reader.account.take(select)
    inner = find_inner_select(select, reader.withs, reader.unit_names)
    if inner is None:
        if parts.get("with_"):
            known = list_withs(select, reader.withs)
            released = list_released_withs(known, reader.unit_names)
            if all(is_answer(each, known, reader.unit_names) for each in list_sources(select)):
                released -= _named_in_from(select, known)
            reader = reader.with_origins(read_with(reader, parts["with_"], released))
            reader = reader.with_withs(known)
        elif reader.answers != reader.withs:
            reader = reader.with_withs(reader.withs)
        return _read_groups(reader, select, whole=whole)
    released = frozenset(map(id, list_released(inner, reader.unit_names)))
    reader = reader.with_origins(read_with(reader, parts.get("with_"), released))
    reader.account.take(parts["from_"])
    texts = _column_texts(reader.account, select, whole=whole)
    inside = _read_statement(reader.with_withs(inner.withs), inner.select, whole=False)
    return read_outer_select(select, inner, inside, texts)


def _read_groups(
    reader: Reader,
    select: exp.Select,
    *,
    whole: bool,
    beside: ReadAnswers | None = None,
    sets: Sets | None = None,
) -> Statement:
    """A SELECT whose groups are released: keys, measures, and what is shown of them.

    SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 10
    is Question(visits, keys=(ward,), measures=(Counted(),)) and View((KeyOf(0), MeasureOf(0)), having=n > 10)
    """
    parts, columns = reader.account.take(select), reader.account.take_list(select)
    tied = reader.ties
    if tied:
        reader = replace(reader, ties=())
    source = read_source(reader, select, parts)
    reader = reader.with_scope(source.scope)
    draft = _make_draft(reader, source, parts)
    draft.beside = beside
    ties = source.ties | {id(node) for node, _ in tied}
    filter_rows(reader, parts.get("where"), draft, ties)
    draft.named = read_named_windows(reader, select, parts)
    draft.grouped = is_grouped(parts, columns)
    if (mode := find_mode(reader, parts, columns)) is not None:
        if parts.get("group"):
            return _read_modes(reader, select, mode, draft, whole=whole)
        return _read_mode(reader, select, mode, draft, whole=whole)
    once = is_distinct(reader.account, parts)
    if sets is None:
        kinds = _read_keys(reader, parts.get("group"), columns, draft, once=once)
    else:
        kinds = _read_set(reader, sets, columns, draft)
    for _, node in tied:
        kinds |= _read_calculated_key(reader, node, None, draft)
    if kinds != reader.key_kinds:
        reader = reader.with_keys(kinds)
    texts = _column_texts(reader.account, select, whole=whole)
    for column, text in zip(columns, texts, strict=True):
        _read_column(reader, column, text, draft)
    for _, node in tied:
        _show_key(reader, node, draft)
    if once:
        with reader.account.about(select):
            check_told_once(draft)
    clause = parts.get("having")
    having = (
        read_expression(reader, reader.account.take(clause)["this"], draft, KEPT)
        if clause
        else None
    )
    order = [] if sets else read_order(reader, parts.get("order"), draft)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    qualify = read_qualify(reader, parts.get("qualify"), draft)
    with reader.account.about(clause.this if clause else select):
        without_windows(having)
    return Statement(reader, draft, having, qualify, order, limit, offset or 0)


def _read_mode(
    reader: Reader, select: exp.Select, mode: exp.Expr, draft: Draft, *, whole: bool
) -> Statement:
    """SELECT MODE(x): the first of the groups of x by their counts, of which no count is shown."""
    (column,), (name,) = (
        reader.account.take_list(select),
        _column_texts(reader.account, select, whole=whole),
    )
    if isinstance(column, exp.Alias):
        name = reader.alias_name(reader.account.take(column)["alias"]).text
    draft.grouped = True
    return Statement(reader, draft, None, None, read_mode(reader, mode, name, draft), 1, 0)


def _read_modes(
    reader: Reader, select: exp.Select, mode: exp.Expr, draft: Draft, *, whole: bool
) -> Statement:
    """SELECT ward, MODE(sex) … GROUP BY ward: counts by ward and sex, of which the first of each ward is shown.

    Which value is the mode of each group is told by the noisy counts of all of them, at one price; no count is shown.
    """
    account, parts = reader.account, select.args
    columns, texts = account.take_list(select), _column_texts(account, select, whole=whole)
    draft.grouped = True
    kinds = _read_keys(reader, parts["group"], columns, draft, once=False)
    reader = reader.with_keys(kinds)
    key: KeyOf | None = None
    for column, text in zip(columns, texts, strict=True):
        if column.unalias() is not mode:
            _read_column(reader, column, text, draft)
            continue
        name = text
        if isinstance(column, exp.Alias):
            name = reader.alias_name(account.take(column)["alias"]).text
        key = read_mode_key(reader, mode, name, draft)
        draft.show(name, key)
    assert key is not None, "the mode is one of the columns"
    qualify = is_most_frequent(draft, key)
    order = read_order(reader, parts.get("order"), draft)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    return Statement(reader, draft, None, qualify, order, limit, offset or 0)


def _make_draft(reader: Reader, source: Source, parts: Mapping[str, Any]) -> Draft:
    """A question about the rows of FROM."""
    origin = source.scope.origin
    if origin.owner is Owner.NOBODY:
        names = [table.name for table in tables_of(origin.rows)]
        reason = "this question uses public tables only"
        remedy = (
            f"{' and '.join(names)} {'is' if len(names) == 1 else 'are'} not protected: read the source directly, with "
            f"any tool; DESCRIBE {names[0]} lists columns and values"
        )
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
    _determine_columns(reader, group, draft)
    return frozenset(kinds)


def _determine_columns(reader: Reader, group: exp.Expr | None, draft: Draft) -> None:
    """Columns of answers among the keys: they are no keys, since those of the answer decide them.

    Claim:      groups are those of SQL, as far as keys are declared, and such a column is shown as SQL shows it.
    Because:    a row has the columns of the group that it meets, which is decided by what it is joined on; all of that
                is among the keys, or the column is refused.
    Checked by: tests/laws/test_row_subqueries.py
    """
    for name, (value, _) in list(draft.determined.items()):
        released = find_released(value, draft.rows or Scan(draft.table))
        found = None if released is None else determine_by_keys(draft, released)
        if found is None:
            assert group is not None, "the column was named there"
            reason = f"{name!r} is a column of an answer, and its keys are not all in GROUP BY"
            remedy = "add what the rows are joined on to GROUP BY"
            reader.account.refuse(group, reason, remedy)
        draft.determined[name] = value, found


def _read_set(reader: Reader, sets: Sets, columns: Sequence[exp.Expr], draft: Draft) -> _Kinds:
    """Read the keys of one grouping set; those of others are NULL."""
    here, all_sets = sets
    kinds: set[type[exp.Expr]] = set()
    for key in here:
        with reader.account.about(key):
            kinds |= _read_key(reader, key, columns, draft)
    known = {key.value for key in draft.keys}
    for key in dict.fromkeys(key for each in all_sets for key in each):
        other = Draft(draft.table, rows=draft.rows, finding=draft.finding)
        with reader.account.about(key):
            kinds |= _read_key(reader, key, columns, other)
        if other.determined:
            reason = "a column of an answer cannot be a key of grouping sets"
            reader.account.refuse(key, reason, "group by what the rows are joined on")
        if other.keys[0].value not in known:
            draft.absent[other.key_names[0]] = other.keys[0].value
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
        if _read_column_key(reader, node, None, draft):
            return frozenset()
        for column in columns:
            if isinstance(column, exp.Alias) and reader.column_name(node).means(column.alias):
                return _read_calculated_key(reader, column.this, column.alias, draft)
    return _read_calculated_key(reader, node, None, draft)


def _read_listed_key(reader: Reader, column: exp.Expr, draft: Draft) -> _Kinds:
    """Read a column of the SELECT that is a key, by its alias if it has one."""
    return _read_calculated_key(reader, column.unalias(), column.alias or None, draft)


def _read_calculated_key(reader: Reader, node: exp.Expr, name: str | None, draft: Draft) -> _Kinds:
    """Read an expression that is a key."""
    if is_column(node) and _read_column_key(reader, node, name, draft):
        return frozenset()
    if is_column(node) and reader.is_unit(node):
        _refuse_unit(reader, node, draft)
    value = read_expression(reader, node, draft, ROWS)
    with reader.account.about(node):
        draft.key(value, name)
    return frozenset({type(node), type(node.unnest())})


def _refuse_unit(reader: Reader, node: exp.Expr, draft: Draft) -> NoReturn:
    """Refuse to group by the unit, with the question that is mostly meant: how many units have how many rows."""
    unit = reader.split_name(node)[1].text[:64]
    reason = f"{unit!r} is the protected unit: grouping by it would give one answer per person"
    table = draft.table.name if isinstance(draft.rows, Scan) else "..."
    rows = f"SELECT n, COUNT(*) FROM (SELECT {unit}, COUNT(*) AS n FROM {table} GROUP BY {unit}) GROUP BY n"  # noqa: S608 -- for people
    remedy = (
        f"count units, COUNT(DISTINCT {unit}); or ask how many of them have how many rows: {rows}"
    )
    reader.account.refuse(node, reason, remedy)


def _show_key(reader: Reader, node: exp.Expr, draft: Draft) -> None:
    """Show what a correlated subquery compares inside."""
    key = draft.key_of(read_expression(reader, node, draft, ROWS))
    assert key is not None, "it was read as a key"
    draft.show(f"key {len(draft.columns)}", key)


def _read_column_key(reader: Reader, node: exp.Expr, name: str | None, draft: Draft) -> bool:
    """Read a key that is a column, if the table has it."""
    meant = reader.column_name(node)
    if find(meant, [column.name for column in draft.table.columns], "column") is None:
        return False
    value = Field(draft.column(meant))
    if find_released(value, draft.rows or Scan(draft.table)) is not None:
        for each in filter(None, (value.column.name, name)):
            draft.determined[each] = value, value
        return True
    draft.key(value)
    return True


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
            if name.casefold() in {shown.name.casefold() for shown in draft.columns}:
                name = text  # a.name and b.name
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
