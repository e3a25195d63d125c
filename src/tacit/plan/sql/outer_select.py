"""A question around one that is released: what it chooses, computes and sorts is done with the answer, at no cost."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Any

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Ordering, Shown
from tacit.plan.model.schema import Kind, Table
from tacit.plan.questions.draft import KEPT, Draft, Named, find
from tacit.plan.questions.scope import Scope, Seen
from tacit.plan.sql.expressions import read_condition, read_expression
from tacit.plan.sql.find_released_queries import groups_by_unit
from tacit.plan.sql.from_clause import read_alias
from tacit.plan.sql.group_by_all_distinct import is_all, list_keys
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.ordering import read_limit, read_order, read_qualify
from tacit.plan.sql.reading_context import Reader, is_column
from tacit.plan.sql.row_windows import read_named_windows
from tacit.plan.sql.walk_syntax_tree import list_nodes

__all__ = [
    "InnerSelect",
    "Statement",
    "find_inner_select",
    "list_released",
    "list_unit_names",
    "both_conditions",
    "read_around",
    "read_outer_select",
]

_COLUMNS = (Named.COLUMN,)
_OWN = ("joins", "distinct")
_STEPS = "write it as one query, or do the last step on the answer yourself"


@frozen
class Statement:
    """A statement that was read and not closed yet: what it measures, and what is done with the release."""

    reader: Reader
    draft: Draft
    having: e.Expression | None
    qualify: e.Expression | None
    order: Sequence[Ordering]
    limit: int | None
    offset: int
    asked: e.Expression | None = None
    """What HAVING asks of groups that are added up outside, before one of each is chosen."""

    @property
    def has_windows(self) -> bool:
        """Whether it looks at several groups, after which no group may be left out before."""
        looks = (
            isinstance(part, e.Across)
            for column in self.draft.columns
            for part in walk_expression(column.value)
        )
        return self.qualify is not None or any(looks)


@frozen
class InnerSelect:
    """A question in FROM that is released by itself: its node there, its SELECT, and what names it in WITH, if any.

    `withs` are the common table expressions that it may use.
    """

    source: exp.Expr
    select: exp.Select
    withs: Mapping[str, exp.Expr]
    common: exp.Expr | None = None


def find_inner_select(
    select: exp.Expr | None,
    withs: Mapping[str, exp.Expr] | None = None,
    units: frozenset[str] = frozenset(),
    *,
    is_added_up: bool = False,
) -> InnerSelect | None:
    """The question whose groups a SELECT chooses, computes with, sorts or adds up; None if it has rows of its own.

    `units` are the names that a unit has somewhere: what is added up for each unit are rows, and not released.  With
    `is_added_up`, the rows of this SELECT are added up further out.

    SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) WHERE n > 10    the one in parentheses
    SELECT AVG(n) FROM (SELECT day, COUNT(*) AS n FROM visits GROUP BY day)                 the one in parentheses
    SELECT AVG(n) FROM (SELECT patient, COUNT(*) AS n FROM visits GROUP BY patient)         None
    SELECT COUNT(*) FROM (SELECT patient FROM visits)                                       None

    >>> find_inner_select(None) is None
    True
    """
    if (
        not isinstance(select, exp.Select)
        or any(select.args.get(part) for part in _OWN)
        or not select.args.get("from_")
    ):
        return None
    adds_up = is_added_up or is_grouped(select.args, select.expressions)
    listed = select.args["with_"].expressions if select.args.get("with_") else []
    known = {**(withs or {}), **{part.alias.casefold(): part for part in listed}}
    found = _select_of(select.args["from_"].this, known)
    if found is None:
        return None
    inner = found.select
    releases = is_grouped(inner.args, inner.expressions)
    if adds_up and releases and groups_by_unit(inner, units):
        return None
    if releases:
        return found
    deeper = find_inner_select(inner, found.withs, units, is_added_up=adds_up)
    return None if deeper is None else found


def list_unit_names(select: exp.Expr, tables: Mapping[str, Table]) -> frozenset[str]:
    """What units are called in the tables, and in columns that are named after them."""
    names = {table.unit.casefold() for table in tables.values() if table.unit}
    renamed = [
        (part.this.name.casefold(), part.alias.casefold())
        for part in list_nodes(select)
        if isinstance(part, exp.Alias) and is_column(part.this)
    ]
    for _ in renamed:
        names |= {new for old, new in renamed if old in names}
    return frozenset(names)


def _select_of(source: exp.Expr, withs: Mapping[str, exp.Expr]) -> InnerSelect | None:
    """The SELECT that stands in FROM, in parentheses or by its name in WITH."""
    if isinstance(source, exp.Subquery) and isinstance(source.this, exp.Select):
        return InnerSelect(source, source.this, withs)
    name = source.name.casefold()
    if not isinstance(source, exp.Table) or not isinstance(source.this, exp.Identifier):
        return None
    if source.args.get("db"):  # public.visits is a table, whatever WITH names
        return None
    if name not in withs or not isinstance(withs[name].this, exp.Select):
        return None
    before = dict(takewhile(lambda each: each[1] is not withs[name], withs.items()))
    return InnerSelect(source, withs[name].this, before, withs[name])


def list_released(inner: InnerSelect, units: frozenset[str]) -> Iterator[exp.Expr]:
    """The common table expressions that are released, and give no rows: the one in FROM, and those inside it."""
    step: InnerSelect | None = inner
    while step is not None:
        if step.common is not None:
            yield step.common
        step = find_inner_select(step.select, step.withs, units)


def read_outer_select(
    select: exp.Select, inner: InnerSelect, released: Statement, texts: Sequence[str]
) -> Statement:
    """A statement whose rows are the groups that another one releases: a view of them, at no cost.

    SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) WHERE n > 10 ORDER BY n
    is the question inside with View((ward,), having=n > 10, order=(n,))

    SELECT AVG(n) AS m FROM (SELECT day, COUNT(*) AS n FROM visits GROUP BY day)
    is the question inside with View((AVG(n) OVER () AS m,), qualify=ROW_NUMBER() OVER (ORDER BY day) = 1)

    Claim:      what is measured and paid for is what the question inside measures; nothing else is looked at.
    Because:    names mean columns of the answer inside, and the draft gets no new measure, key or row: they are the
                view's, a function of released numbers.
    Checked by: tests/unit/plan/sql/test_outer_select.py::test_a_question_around_another_measures_nothing_more
    """
    limited = inner.select.args.get("limit") or inner.source
    return read_around(select, _name_columns(inner, released), released, texts, limited)


def read_around(
    select: exp.Select, reader: Reader, released: Statement, texts: Sequence[str], limited: exp.Expr
) -> Statement:
    """A statement over the rows of answers, whose columns the reader knows by their names.

    `limited` is what a refusal underlines where rows were left out before.
    """
    nameless = [""] * len(released.draft.keys)  # what was calculated inside is known by its name
    draft = replace(
        released.draft,
        key_names=nameless,
        named=read_named_windows(reader, select, select.args),
    )
    measured = len(draft.measures)
    if is_grouped(select.args, select.expressions):
        draft = replace(draft, outer_keys=_read_outer_keys(reader, select, draft))
    outer = _read_clauses(reader, select, draft, texts)
    assert len(outer.draft.measures) == measured, "nothing more is measured"
    if _adds_up_the_first(select, released, outer):
        with reader.account.about(limited):
            return _add_up_the_first(released, outer)
    _refuse_late_steps(select, limited, released, outer)
    return _combine(released, outer)


def _name_columns(inner: InnerSelect, released: Statement) -> Reader:
    """The reader outside, for whom columns of the answer inside are columns of a table."""
    reader, account = released.reader, released.reader.account
    parts = account.take(inner.source)
    name = "" if inner.common is None else reader.name(parts["this"]).text
    alias = read_alias(reader, parts.get("alias")) or name
    assert reader.scope is not None, "a question was read"
    names = tuple(Seen(alias, each.name, each.name) for each in released.draft.columns)
    return reader.with_scope(Scope(reader.scope.origin, names)).with_keys(frozenset())


def _read_clauses(
    reader: Reader, select: exp.Select, draft: Draft, texts: Sequence[str]
) -> Statement:
    """What stands outside, over the columns of the answer inside; WHERE is given as HAVING."""
    parts = reader.account.take(select)
    where = _read_where(reader, parts.get("where"), draft)
    listed = zip(reader.account.take_list(select), texts, strict=True)
    columns = [each for node, text in listed for each in _read_columns(reader, node, text, draft)]
    shown = {each.name.casefold() for each in columns}
    hidden = [each for each in draft.columns if each.name.casefold() not in shown]
    visible = replace(draft, columns=[*columns, *hidden])
    by_place = replace(draft, columns=columns)
    order = read_order(
        _name_shown(reader, columns),
        parts.get("order"),
        by_place if _has_places(parts.get("order")) else visible,
    )
    qualify = asked = read_qualify(reader, parts.get("qualify"), visible)
    if draft.outer_keys is not None:
        _check_outer_keys(reader, select, draft, columns)
        asked = both_conditions(qualify, _read_outer_having(reader, parts.get("having"), visible))
        qualify = both_conditions(asked, _choose_one_of_each(draft))
    answer = replace(draft, columns=[], outer_keys=None)
    for each in columns:
        answer.show(each.name, each.value)
    limit, offset = (read_limit(reader, parts.get(name)) for name in ("limit", "offset"))
    return Statement(reader, answer, where, qualify, order, limit, offset or 0, asked)


def _name_shown(reader: Reader, columns: Sequence[Shown]) -> Reader:
    """The reader of ORDER BY, for whom a name alone means a column of the answer before one of those below it."""
    if reader.scope is None or len(reader.scope.aliases) <= 1:
        return reader
    shown = {each.name.casefold() for each in columns}
    below = [
        replace(each, open=each.open and each.name.casefold() not in shown)
        for each in reader.scope.names
    ]
    names = (*(Seen("", each.name, each.name) for each in columns), *below)
    return reader.with_scope(Scope(reader.scope.origin, names))


def _read_outer_keys(reader: Reader, select: exp.Select, draft: Draft) -> tuple[e.Expression, ...]:
    """What the groups inside are added up by: GROUP BY outside, over the columns of the answer inside."""
    group = select.args.get("group")
    if group is None:
        return ()
    if is_all(reader.account, group):
        nodes = [part.unalias() for part in list_keys(select.expressions)]
    else:
        nodes = [_key_node(reader, part, select) for part in reader.account.take_list(group)]
    keys = []
    for node in nodes:
        with reader.account.about(node):
            keys.append(read_expression(reader, node, draft, _COLUMNS))
    return tuple(keys)


def _key_node(reader: Reader, node: exp.Expr, select: exp.Select) -> exp.Expr:
    """What a key stands for: an expression, its place among the columns, or its alias there."""
    if isinstance(node, exp.Literal) and not node.is_string:
        place = reader.whole_number(node)
        if not 1 <= place <= len(select.expressions):
            remedy = f"count from 1 to {len(select.expressions)}, or name the column"
            reader.account.refuse(node, f"there is no column {place}", remedy)
        column: exp.Expr = select.expressions[place - 1]
        return column.unalias()
    if is_column(node) and reader.scope is not None:
        table, name = reader.split_name(node)
        if table is None and not reader.scope.finds(None, name):
            for column in select.expressions:
                if isinstance(column, exp.Alias) and name.means(column.alias):
                    return column.unalias()
    return node


def _check_outer_keys(
    reader: Reader, select: exp.Select, draft: Draft, columns: Sequence[Shown]
) -> None:
    """Refuse a column outside that has several values in what it is added up by."""
    for node, column in zip(select.expressions, columns, strict=False):
        if _varies(column.value, draft.outer_keys or ()):
            reason = f"{column.name!r} is not a key: what is added up has many values of it"
            remedy = "add it to GROUP BY, or ask for COUNT, SUM, AVG, MIN or MAX of it"
            reader.account.refuse(node, reason, remedy)


def _varies(value: e.Expression, keys: Sequence[e.Expression]) -> bool:
    if value in keys or isinstance(value, e.Across):
        return False
    if isinstance(value, e.KeyOf | e.MeasureOf | e.MeanOf | e.MomentOf):
        return True
    return any(_varies(part, keys) for part in e.operands(value))


def _read_outer_having(
    reader: Reader, clause: exp.Expr | None, draft: Draft
) -> e.Expression | None:
    """What HAVING asks of the groups outside."""
    if clause is None:
        return None
    return read_condition(reader, reader.account.take(clause)["this"], draft, KEPT)


def _choose_one_of_each(draft: Draft) -> e.Expression | None:
    """One of the groups inside for each outside: every one of them says the same."""
    if not draft.keys:
        return None
    order = tuple((e.KeyOf(place), False) for place in range(len(draft.keys)))
    number = e.Across(e.Look.NUMBER, None, draft.outer_keys or (), order)
    return e.Compared("=", number, e.Literal(1, Kind.INTEGER))


def _has_places(clause: exp.Expr | None) -> bool:
    """Whether ORDER BY counts columns: ORDER BY 2, ORDER BY ALL."""
    return clause is not None and any(
        isinstance(each.this, exp.Literal | exp.Var) for each in clause.expressions
    )


def _read_where(reader: Reader, clause: exp.Expr | None, draft: Draft) -> e.Expression | None:
    """What WHERE asks of the groups."""
    if clause is None:
        return None
    node = reader.account.take(clause)["this"]
    if node.find(exp.Window):
        reason = "WHERE cannot contain a window"
        reader.account.refuse(node, reason, "write QUALIFY after WHERE")
    return read_condition(reader, node, draft, _COLUMNS)


def _all_columns(reader: Reader, draft: Draft) -> list[Shown]:
    """SELECT *: every column under its own name; one that USING merged is there once."""
    by_name = {each.name: each.value for each in draft.columns}
    seen = [] if reader.scope is None else [each for each in reader.scope.names if each.open]
    return [Shown(each.name, by_name[each.called]) for each in seen]


def _read_columns(reader: Reader, node: exp.Expr, text: str, draft: Draft) -> list[Shown]:
    """The columns that one column of the question outside means."""
    account = reader.account
    if isinstance(node, exp.Star):
        account.take(node)
        return _all_columns(reader, draft)
    value, name = node, None
    if isinstance(node, exp.Alias):
        parts = account.take(node)
        value, name = parts["this"], reader.alias_name(parts["alias"]).text
    with account.about(value):
        read = read_expression(reader, value, draft, _COLUMNS)
        if name is None and is_column(value):
            meant = reader.split_name(value)[1]
            names = [] if reader.scope is None else [each.name for each in reader.scope.names]
            name = find(meant, list(dict.fromkeys(names)), "column")
        return [Shown(name or text, read)]


def _refuse_late_steps(
    select: exp.Select, limited: exp.Expr, released: Statement, outer: Statement
) -> None:
    """Refuse to choose, sort or compare groups after some were left out inside."""
    account = outer.reader.account
    has_windows = any(map(_has_window, [*select.expressions, *map(select.args.get, _AFTER)]))
    has_windows = has_windows or is_grouped(select.args, select.expressions)
    chooses = _depends_on_rows(outer.having) or bool(outer.order)
    if (released.limit is not None or released.offset) and (chooses or has_windows):
        account.refuse(limited, "a query over a subquery with LIMIT is not supported", _STEPS)
    if has_windows and (
        released.qualify is not None
        or (outer.having is not None and (released.has_windows or _looks_around(outer.having)))
    ):
        account.refuse(
            select, "windows in both the subquery and the outer query are not supported", _STEPS
        )


_AFTER = ("order", "qualify")


def _adds_up_the_first(select: exp.Select, released: Statement, outer: Statement) -> bool:
    """Whether a question adds up the first rows of an answer, all of them and to one row.

    SELECT AVG(n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward ORDER BY n DESC LIMIT 3)
    """
    return (
        bool(released.limit)
        and not released.offset
        and not released.has_windows
        and is_grouped(select.args, select.expressions)
        and not select.args.get("group")
        and not any(map(_has_window, [*select.expressions, *map(select.args.get, _AFTER)]))
        and outer.having is None
    )


def _add_up_the_first(released: Statement, outer: Statement) -> Statement:
    """Aggregates of the first rows of an answer: running ones, at the last of these rows.

    AVG(n) of the first three by n    AVG(n) OVER (ORDER BY n), where ROW_NUMBER() OVER (ORDER BY n) is 3
    """
    keys = [(e.KeyOf(place), False) for place in range(len(released.draft.keys))]
    order = (*((each.value, each.descending) for each in released.order), *keys)
    every = e.Across(e.Look.COUNT)
    most = e.Literal(released.limit, Kind.INTEGER)
    last = e.Called(Function.LEAST, (most, every))

    def run(value: e.Expression) -> e.Expression:
        if value == every:
            return last
        if isinstance(value, e.Across):
            if value.look is e.Look.MIDDLE:
                reason = "MEDIAN of the first rows of an answer is not supported"
                raise InvalidPlan(reason, "leave LIMIT out, or use COUNT, SUM, AVG, MIN or MAX")
            return replace(value, order=order)
        return e.rebuilt(value, run)

    draft = replace(outer.draft, columns=[])
    for each in outer.draft.columns:
        draft.show(each.name, run(each.value))
    chosen = e.Compared("=", e.Across(e.Look.NUMBER, None, (), order), last)
    asked = None if outer.asked is None else run(outer.asked)
    return replace(
        outer,
        draft=draft,
        having=released.having,
        qualify=both_conditions(asked, chosen) if order else asked,
        order=[Ordering(run(each.value), each.descending) for each in outer.order],
    )


def _has_window(clause: Any) -> bool:
    return clause is not None and clause.find(exp.Window) is not None


def _looks_around(condition: e.Expression | None) -> bool:
    """Whether a condition looks at other groups, as one with a scalar subquery about the same answer does."""
    return condition is not None and any(
        isinstance(part, e.Across) for part in walk_expression(condition)
    )


def _combine(released: Statement, outer: Statement) -> Statement:
    """WHERE outside is HAVING, or QUALIFY where windows inside have looked at the groups already."""
    having, qualify = released.having, both_conditions(released.qualify, outer.qualify)
    if released.has_windows or _looks_around(outer.having):
        qualify = both_conditions(qualify, outer.having)
    else:
        having = both_conditions(having, outer.having)
    limit, offset = _cut_twice(released, outer)
    return replace(
        outer,
        having=having,
        qualify=qualify,
        order=outer.order or released.order,
        limit=limit,
        offset=offset,
    )


def _depends_on_rows(condition: e.Expression | None) -> bool:
    """Whether a condition may be true of some rows and not of others; one of constants is of all, or of none."""
    leaves = (e.KeyOf, e.MeasureOf, e.MeanOf, e.MomentOf, e.Across)
    return condition is not None and any(
        isinstance(part, leaves) for part in walk_expression(condition)
    )


def _cut_twice(released: Statement, outer: Statement) -> tuple[int | None, int]:
    """LIMIT and OFFSET of what LIMIT and OFFSET inside leave."""
    left = None if released.limit is None else max(0, released.limit - outer.offset)
    known = [each for each in (left, outer.limit) if each is not None]
    return min(known) if known else None, released.offset + outer.offset


def both_conditions(one: e.Expression | None, other: e.Expression | None) -> e.Expression | None:
    """Both conditions, of which either may be missing."""
    if one is None or other is None:
        return one or other
    return e.join_conditions(e.Both, one, other)
