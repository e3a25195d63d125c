"""Rows joined with an answer: its groups are released first, and what a row meets among them are constants.

Checked by: tests/unit/plan/sql/test_joins_with_answers.py and tests/laws/test_row_subqueries.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import (
    AnswerOf,
    Answers,
    JoinedAnswers,
    StackedAnswers,
    most_rows,
)
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.nodes import (
    Computed,
    Defined,
    Inner,
    Joined,
    Kept,
    Question,
    Rows,
    Scan,
    Stacked,
    Where,
    Windowed,
)
from tacit.plan.model.ownership import size_of
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.build_expressions import NULL, Forms
from tacit.plan.questions.draft import Draft, Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Scope, Seen, of_rows
from tacit.plan.rewrite.combine_answers import measures_of
from tacit.plan.semantics.infer_expression_types import condition_type, type_of
from tacit.plan.sql.answers_as_tables import close_draft
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import find_query
from tacit.plan.sql.from_clause import read_alias
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.outer_select import Statement
from tacit.plan.sql.reading_context import ROWS, Reader, Source, conjuncts, is_column
from tacit.plan.sql.subquery_as_constant import Read, add_values, close_subquery

__all__ = [
    "MOST_JOINED",
    "ReleasedTable",
    "determine_by_keys",
    "find_released",
    "join_answer",
    "rows_of_answer",
]

MOST_JOINED = 100
"""The most groups of an answer that rows are joined with."""

_ON_KEYS = (
    "write JOIN ... ON a.key = b.key for every key of the answer, and other conditions in WHERE"
)


@frozen
class ReleasedTable:
    """An answer among rows: its name there, how it was read, its columns, and how many rows it may have."""

    alias: str
    node: exp.Expr
    statement: Statement
    draft: Draft
    rows: int

    @property
    def names(self) -> list[str]:
        """What its columns are called."""
        return [each.name for each in self.draft.columns]

    def value(self, place: int) -> e.Expression:
        """What a column is over what was released."""
        return self.draft.columns[place].value

    def place_of(self, table: Name | None, name: Name) -> int | None:
        """The column that a name means here; None if it is one of another table."""
        if table is not None and not table.means(self.alias):
            return None
        return next((at for at, each in enumerate(self.names) if name.means(each)), None)

    def constants(self, reader: Reader, place: int) -> tuple[e.SubqueryValue, ...]:
        """What a column says in every row, as constants that are released first."""
        key = id(self.node), place
        if key not in reader.subquery_values:
            plan = close_subquery(self.statement, self.draft, (self.draft.columns[place],))
            name = f"{self.alias}.{self.names[place]}" if self.alias else self.names[place]
            reader.subquery_values[key] = add_values(reader, plan, name, self.rows)
        return reader.subquery_values[key]


def join_answer(
    read: Read,
    reader: Reader,
    left: Scope,
    join: exp.Expr,
    source: exp.Expr,
    where: exp.Expr | None,
) -> Source:
    """Rows with the columns of an answer, each a CASE of what they are joined on.

    FROM visits v JOIN (SELECT ward, AVG(cost) AS m FROM visits GROUP BY ward) a ON v.ward = a.ward WHERE v.cost > a.m
    is Where(Where(Computed(visits, (…, m = CASE WHEN ward = key of the first group THEN its mean …)), …), cost > m)

    Claim:      every row stays once or, of an inner join, not at all; what is added to it depends on the row, and on
                values that the same statement releases first and pays for.
    Because:    the answer is read as a question of its own, whose measures become parts of the statement's plan; a row
                meets one group at most, since all keys of the answer are compared; it is chosen by a CASE.
    Checked by: tests/laws/test_row_subqueries.py
    """
    account = reader.account
    inner = _read_kind(reader, join, source)
    table = _read_table(read, reader, source)
    here, table_of_rows = reader.with_scope(left), left.origin.table
    draft = Draft(table_of_rows, rows=left.origin.rows)
    pairs: list[tuple[e.Expression, int]] = []
    later: list[exp.Expr] = []
    ties: frozenset[int] = frozenset()
    shared = join.args.get("using") or []
    if shared:
        account.claim(join, "USING")
        account.claim(join, "COMMA", len(shared) - 1)
        pairs = [_pair_by_name(reader, left, table, each, draft) for each in shared]
    elif join.args.get("on") is not None:
        account.claim(join, "ON")
        for part in conjuncts(account, join.args["on"]):
            pair = _read_pair(here, left, table, part, draft)
            pairs += [pair] if pair else []
            later += [] if pair else [part]
    elif where is not None:
        for part in conjuncts(account, account.take(where)["this"]):
            pair = _read_pair(here, left, table, part, draft)
            if pair:
                pairs.append(pair)
                ties |= {id(part)}
    _check_one_group(reader, join, table, pairs)
    scope = _add_columns(reader, left, table, join, pairs, inner=inner, shared=bool(shared))
    for part in later:
        if not inner:
            reason = "an outer join with an answer takes equalities with its keys alone"
            account.refuse(part, reason, "write other conditions in WHERE")
        scope = _keep_rows(reader, scope, part)
    return Source(scope, ties)


def find_released(value: e.Expression, rows: Rows) -> e.Expression | None:
    """What a column of rows is, if it is one of an answer that they are joined with: a constant, or a CASE of such."""
    if not isinstance(value, e.Field):
        return None
    match rows:
        case Where(inner, _) | Kept(inner, _, _) | Windowed(inner, _):
            return find_released(value, inner)
        case Joined(left, right, _, _):
            return find_released(value, left) or find_released(value, right)
        case Computed(inner, columns):
            found = next((each.value for each in columns if each.name == value.column.name), None)
            if found is None or isinstance(found, e.Field):
                return None if found is None else find_released(found, inner)
            return found if _is_released(found) else None
        case Scan() | Inner() | Stacked():
            return None


def _is_released(value: e.Expression) -> bool:
    if isinstance(value, e.Case):
        is_null = isinstance(value.otherwise, e.Literal) and value.otherwise.value is None
        return is_null and all(isinstance(then, e.SubqueryValue) for _, then in value.branches)
    return isinstance(value, e.SubqueryValue)


def determine_by_keys(draft: Draft, value: e.Expression) -> e.Expression | None:
    """A column of an answer over the keys of a question; None if they do not decide it.

    SELECT v.ward, a.m, COUNT(*) ... JOIN a ON v.ward = a.ward GROUP BY v.ward, a.m    CASE WHEN KeyOf(0) = ... THEN m
    """
    places = {key.value: place for place, key in enumerate(draft.keys)}

    def move(part: e.Expression) -> e.Expression:
        return e.KeyOf(places[part]) if part in places else e.rebuilt(part, move)

    moved = move(value)
    return None if any(isinstance(part, e.Field) for part in walk_expression(moved)) else moved


def rows_of_answer(reader: Reader, node: exp.Expr, draft: Draft, limit: int | None) -> int:
    """How many rows an answer may have, refused if they are too many to be compared with."""
    read = draft.beside
    assert read is not None, "the draft is closed"
    most = most_rows(read.answers, read.questions)
    most = most if limit is None else min(most, limit)
    if most > MOST_JOINED:
        reason = f"this answer may have more than {MOST_JOINED} groups that rows are compared with"
        remedy = (
            "group it by columns with fewer declared values, name them (WHERE x IN ('a', 'b')), or write "
            f"ORDER BY ... LIMIT {MOST_JOINED} at its end"
        )
        reader.account.refuse(node, reason, remedy)
    return most


# ---------------------------------------------------------------- what is joined


def _read_kind(reader: Reader, join: exp.Expr, source: exp.Expr) -> bool:
    """Whether the join is an inner one; others keep all rows, and are refused if they would keep groups alone."""
    account = reader.account
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    if any(join.args.get(part) for part in ("on", "using", "side", "kind")):
        account.take(join)
    else:
        account.take(join, "Beside")
    for word in (side, kind):
        account.claim(join, word or "JOIN", 1 if word else 0)
    kept = "RIGHT" if source is not join.this else "LEFT"
    if kind not in {"", "INNER", "OUTER", "CROSS"} or side not in {"", kept}:
        reason = "an outer join would keep groups of the answer that meet no row"
        remedy = "keep the rows: write rows LEFT JOIN answer; or aggregate both sides, and join their answers"
        account.refuse(join, reason, remedy)
    return not side


def _read_table(read: Read, reader: Reader, source: exp.Expr) -> ReleasedTable:
    found = find_query(source, reader.answers)
    assert found is not None, "it is an answer"
    account, parts = reader.account, reader.account.take(source)
    name = "" if found.common is None else reader.name(parts["this"]).text
    alias = read_alias(reader, parts.get("alias")) or name
    inside = replace(reader, scope=None, scalars={}, key_kinds=frozenset(), ties=())
    with account.about(source):
        statement = read(inside.with_withs(found.withs), found.query)
    draft = close_draft(statement.draft)
    rows = rows_of_answer(reader, source, draft, statement.limit)
    return ReleasedTable(alias, source, statement, draft, rows)


def _read_pair(
    reader: Reader, left: Scope, table: ReleasedTable, node: exp.Expr, draft: Draft
) -> tuple[e.Expression, int] | None:
    """What a condition compares with a column of the answer, None if it is no such equality."""
    while isinstance(node, exp.Paren):
        node = reader.account.take(node)["this"]
    if not isinstance(node, exp.EQ):
        return None
    for one, two in ((node.this, node.expression), (node.expression, node.this)):
        if not is_column(two):
            continue
        named = reader.split_name(two)
        place = table.place_of(*named)
        if place is None or (named[0] is None and left.finds(*named)):
            continue
        if _is_noisy(table.value(place)):
            continue
        if not all(_is_of_rows(reader, left, table, part) for part in one.find_all(exp.Column)):
            continue
        reader.account.take(node)
        with reader.account.about(one):
            return read_expression(reader, one, draft, ROWS), place
    return None


def _is_of_rows(reader: Reader, left: Scope, table: ReleasedTable, node: exp.Column) -> bool:
    if not is_column(node):
        return False
    named = reader.split_name(node)
    return named[0] is None or not named[0].means(table.alias) or bool(left.finds(*named))


def _pair_by_name(
    reader: Reader, left: Scope, table: ReleasedTable, node: exp.Expr, draft: Draft
) -> tuple[e.Expression, int]:
    name = reader.name(node)
    place, found = table.place_of(None, name), left.finds(None, name)
    if place is None or len(found) != 1:
        reason = f"USING needs a column {name.text[:64]!r} on each side"
        reader.account.refuse(node, reason, "write ON a.x = b.x")
    return e.Field(draft.column(Name(found[0], exact=True))), place


def _check_one_group(
    reader: Reader, join: exp.Expr, table: ReleasedTable, pairs: Sequence[tuple[e.Expression, int]]
) -> None:
    """Refuse a join in which a row might meet several groups, or of which it is private whether it meets one."""
    joined = {table.value(place) for _, place in pairs}
    if any(map(_is_noisy, joined)):
        reason = "rows are joined with an answer on its keys, and this is a noisy number"
        reader.account.refuse(join, reason, _ON_KEYS)
    if not pairs:
        _check_one_row(reader, join, table)
    elif not _identify(table, joined):
        reason = "a row may meet several groups of this answer"
        reader.account.refuse(join, reason, _ON_KEYS)


def _is_noisy(value: e.Expression) -> bool:
    looks = any(isinstance(part, e.Across) for part in walk_expression(value))
    return looks or bool(measures_of(value))


def _check_one_row(reader: Reader, join: exp.Expr, table: ReleasedTable) -> None:
    found = find_query(table.node, reader.answers)
    select = None if found is None else found.query.unnest()
    alone = (
        isinstance(select, exp.Select)
        and is_grouped(select.args, select.expressions)
        and not any(select.args.get(part) for part in ("group", "having", "qualify", "offset"))
        and table.statement.limit != 0
    )
    if not alone:
        reason = "no condition connects these rows with the groups of the answer"
        reader.account.refuse(join, reason, _ON_KEYS)


def _identify(table: ReleasedTable, known: set[e.Expression]) -> bool:
    """Whether no two rows of an answer have the same values of some keys."""
    read = table.draft.beside
    assert read is not None, "the draft is closed"
    if any(set(by) <= known for by in _numbered_by(table.statement.qualify)):
        return True
    found = _links(read.answers, read.questions)
    if found is None:
        return False
    width, links = found
    places = {value.place for value in known if isinstance(value, e.KeyOf)}
    for _ in range(width):
        places |= {two for one, two in links if one in places}
    return places == set(range(width))


def _numbered_by(condition: e.Expression | None) -> Iterator[tuple[e.Expression, ...]]:
    """Within which groups a condition keeps one row: ROW_NUMBER() OVER (PARTITION BY ...) = 1."""
    match condition:
        case e.Both(left, right):
            yield from _numbered_by(left)
            yield from _numbered_by(right)
        case e.Compared("=", e.Across(e.Look.NUMBER, _, by), e.Literal(1)):
            yield by


def _links(
    answers: Answers, questions: Sequence[Question]
) -> tuple[int, list[tuple[int, int]]] | None:
    """How many keys the rows of answers have, and which of them decide which others."""
    match answers:
        case AnswerOf(_, keys):
            return len(keys), []
        case JoinedAnswers(left, right, on, keep_left, keep_right):
            one, two = _links(left, questions), _links(right, questions)
            if one is None or two is None or keep_right:
                return None
            pairs = [
                (a.place, b.place + one[0])
                for a, b in on
                if isinstance(a, e.KeyOf) and isinstance(b, e.KeyOf)
            ]
            back = [] if keep_left else [(b, a) for a, b in pairs]
            right_links = [(a + one[0], b + one[0]) for a, b in two[1]]
            return one[0] + two[0], [*one[1], *right_links, *pairs, *back]
        case StackedAnswers():
            return None


# ---------------------------------------------------------------- rows with its columns


def _add_columns(
    reader: Reader,
    left: Scope,
    table: ReleasedTable,
    join: exp.Expr,
    pairs: Sequence[tuple[e.Expression, int]],
    *,
    inner: bool,
    shared: bool,
) -> Scope:
    """The rows with the columns of the answer that the statement names; those of an inner join that meet a group."""
    forms, rows = Forms(), left.origin.rows
    with reader.account.about(join):
        meets = _conditions(forms, reader, table, pairs)
        used = [column.name for column in columns_of(rows)]
        defined, names = list[Defined](), list[Seen]()
        named = _names_in(join, table)
        for place, name in enumerate(table.names):
            is_joined = [value for value, at in pairs if at == place]
            if name.casefold() not in named and not is_joined:
                continue
            if is_joined:
                value = is_joined[0]
                if not inner:
                    anywhere = e.chain_conditions(e.Either, meets)
                    value = forms.case([(anywhere, value)], NULL)
            elif pairs:
                told = table.constants(reader, place)
                value = forms.case(list(zip(meets, told, strict=True)), NULL)
            else:
                (value,) = table.constants(reader, place)
            is_open = not (shared and is_joined)
            if inner and is_joined and isinstance(value, e.Field):
                names.append(Seen(table.alias, name, value.column.name, is_open))
                continue
            type_of(value)
            called = unused_name(name if name not in used else f"{table.alias}.{name}", used)
            used.append(called)
            defined.append(Defined(called, value))
            names.append(Seen(table.alias, name, called, is_open))
    if inner and pairs:
        rows = Where(rows, e.chain_conditions(e.Either, meets))
    found: Rows = rows
    if defined:
        same = [Defined(column.name, e.Field(column)) for column in columns_of(rows)]
        found = Computed(rows, (*same, *defined))
    origin = left.origin
    shown = (*origin.names, *(each.name for each in defined))
    size = max(origin.size, size_of(found))
    whole = of_rows(found, origin.table.name, origin.table.unit, shown, size)
    return Scope(whole, (*left.names, *names))


def _conditions(
    forms: Forms,
    reader: Reader,
    table: ReleasedTable,
    pairs: Sequence[tuple[e.Expression, int]],
) -> list[e.Expression]:
    """When a row meets each group of the answer."""
    columns = [(value, table.constants(reader, place)) for value, place in pairs]
    return [
        e.chain_conditions(
            e.Both, [forms.compare("=", value, constants[row]) for value, constants in columns]
        )
        for row in range(table.rows if pairs else 0)
    ]


def _names_in(join: exp.Expr, table: ReleasedTable) -> set[str]:
    """The columns that the statement names, as far as its words say: others are not released."""
    root = join.root()
    found = {column.name.casefold() for column in root.find_all(exp.Column)}
    if any(isinstance(star.parent, exp.Select | exp.Column) for star in root.find_all(exp.Star)):
        found |= {name.casefold() for name in table.names}
    return found


def _keep_rows(reader: Reader, scope: Scope, node: exp.Expr) -> Scope:
    """The rows for which another condition of the join is true."""
    origin = scope.origin
    draft = Draft(origin.table, rows=origin.rows)
    with reader.account.about(node):
        condition = read_expression(reader.with_scope(scope), node, draft, ROWS)
        condition_type(condition)
    rows = Where(origin.rows, condition)
    kept = of_rows(rows, origin.table.name, origin.table.unit, origin.names, origin.size + 1)
    return Scope(kept, scope.names)
