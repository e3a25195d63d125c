"""Answers as tables: how those in FROM are joined and stacked, and what a scalar subquery says beside them.

Checked by: tests/unit/plan/sql/test_answers_as_tables.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import ReadAnswers, answer_of, stack_answers
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Shown
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL
from tacit.plan.questions.draft import Draft, Name, Named
from tacit.plan.questions.scope import Scope, Seen
from tacit.plan.rewrite.combine_answers import measures_of, move_places
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import Query
from tacit.plan.sql.from_clause import read_alias
from tacit.plan.sql.outer_select import Statement, both_conditions
from tacit.plan.sql.reading_context import Reader, conjuncts

__all__ = [
    "NamedAnswer",
    "close_draft",
    "join_answers",
    "join_scalar",
    "refuse_equal_names",
    "stack_statements",
]

_COLUMNS = (Named.COLUMN,)
_INSIDE = "write the condition, the window or LIMIT in the query around them"


# ---------------------------------------------------------------- drafts of answers


def close_draft(draft: Draft) -> Draft:
    """The draft of a question that is asked as it is: what is done from here on is done with its answer."""
    if draft.closed:
        return draft
    own = draft.own_question
    read = answer_of(own) if draft.beside is None else draft.beside.beside(own)
    return _draft_of(draft, read, draft.columns)


def _draft_of(like: Draft, read: ReadAnswers, columns: Sequence[Shown]) -> Draft:
    keys = list(read.question.keys)
    return Draft(
        like.table,
        rows=like.rows,
        keys=keys,
        key_names=[""] * len(keys),
        columns=list(columns),
        grouped=True,
        finding=like.finding,
        beside=read,
        closed=True,
    )


@frozen
class NamedAnswer:
    """An answer in FROM: how it was read, and what names mean among its columns."""

    statement: Statement
    names: tuple[Seen, ...]

    @staticmethod
    def of(
        reader: Reader,
        found: Query,
        statement: Statement,
        *,
        beside: bool,
        is_only: bool = False,
    ) -> NamedAnswer:
        """An answer by the name that it has in FROM; `beside` others, its columns are called by that name, too.

        The only answer is the same question as if it stood alone.
        """
        parts = reader.account.take(found.source)
        name = "" if found.common is None else reader.name(parts["this"]).text
        alias = read_alias(reader, parts.get("alias")) or name
        is_open = is_only and statement.draft.beside is None
        draft = statement.draft if is_open else close_draft(statement.draft)
        columns = [
            Shown(f"{alias}.{each.name}" if beside else each.name, each.value)
            for each in draft.columns
        ]
        names = tuple(
            Seen(alias, each.name, column.name)
            for each, column in zip(draft.columns, columns, strict=True)
        )
        return NamedAnswer(replace(statement, draft=replace(draft, columns=columns)), names)

    def reader(self, reader: Reader) -> Reader:
        """The reader of what stands around, for whom columns of the answer are columns of a table."""
        inside = self.statement.reader.scope
        assert inside is not None, "a question was read"
        return reader.with_scope(Scope(inside.origin, self.names)).with_keys(frozenset())


def _check_plain(reader: Reader, node: exp.Expr, answer: NamedAnswer, *, having: bool) -> None:
    """Refuse an answer of which rows were left out, or whose rows look at each other, before it is joined."""
    read = answer.statement
    if read.limit is not None or read.offset or read.qualify is not None or read.has_windows:
        reason = "an answer with LIMIT, QUALIFY or a window cannot be joined with another"
        reader.account.refuse(node, reason, _INSIDE)
    if read.having is not None and not having:
        reason = "an outer join cannot distinguish a group that HAVING removed from a missing one"
        reader.account.refuse(node, reason, _INSIDE)


# ---------------------------------------------------------------- joins


def join_answers(
    reader: Reader, left: NamedAnswer, right: NamedAnswer, node: exp.Expr
) -> NamedAnswer:
    """Two answers, joined on their keys.

    FROM a JOIN b USING (month)    JoinedAnswers(a, b, on=((KeyOf(0), KeyOf(0)),))

    Claim:      nothing is measured but what both answers measure.
    Because:    the draft is closed: it takes no measure, and its rows are made of the keys of both.
    Checked by: tests/unit/plan/sql/test_answers_as_tables.py::test_joining_measures_nothing_more
    """
    account = reader.account
    side, kind = (node.args.get("side") or "").upper(), (node.args.get("kind") or "").upper()
    is_beside = not any(node.args.get(part) for part in ("on", "using", "side", "kind"))
    parts = account.take(node, "Beside") if is_beside else account.take(node)
    if kind not in {"", "INNER", "OUTER", "CROSS"} or side not in {"", "LEFT", "RIGHT", "FULL"}:
        reason = f"{side or kind} JOIN of answers is not supported"
        account.refuse(node, reason, "write JOIN, LEFT JOIN, FULL JOIN or CROSS JOIN")
    for word in (side, kind):
        account.claim(node, word or "JOIN", 1 if word else 0)
    if side == "RIGHT":
        left, right, side = right, left, "LEFT"
    _check_plain(reader, node, left, having=side != "FULL")
    _check_plain(reader, node, right, having=not side)
    keep_left, keep_right = side in {"LEFT", "FULL"}, side == "FULL"
    one, two = left.statement.draft, right.statement.draft
    assert one.beside is not None, "the left side is closed"
    assert two.beside is not None, "and so is the right one"
    shift = _Shift(len(one.keys), len(one.beside.question.measures))
    refuse_equal_names(reader, node, left, right)
    columns = [*one.columns, *(Shown(each.name, shift(each.value)) for each in two.columns)]
    shared = [reader.name(each) for each in parts.get("using") or []]
    hidden = {name.text.casefold() for name in shared}
    names = (
        *left.names,
        *(
            replace(each, open=each.open and each.name.casefold() not in hidden)
            for each in right.names
        ),
    )
    # the kinds of keys and measures are known before the join is
    sides = _draft_of(one, one.beside.joined(two.beside), columns)
    inside = left.statement.reader.scope
    assert inside is not None, "a question was read"
    on_reader = reader.with_scope(Scope(inside.origin, names)).with_keys(frozenset())
    if shared:
        account.claim(node, "USING")
        account.claim(node, "COMMA", len(shared) - 1)
        pairs = [
            (_using(reader, node, left, name), shift(_using(reader, node, right, name)))
            for name in shared
        ]
    elif parts.get("on"):
        account.claim(node, "ON")
        pairs = [
            _pair(on_reader, part, sides, len(one.keys))
            for part in conjuncts(account, node.args["on"])
        ]
    else:
        if one.keys and two.keys:
            reason = "no condition connects these answers, so every pair of rows would be combined"
            account.refuse(node, reason, "write JOIN ... ON a.x = b.x, or USING (x)")
        pairs = []
    back = _Shift(-len(one.keys), 0)
    on = tuple((first, back(second)) for first, second in pairs)
    read = one.beside.joined(two.beside, on, keep_left=keep_left, keep_right=keep_right)
    if keep_right and shared:
        columns = _merge_shared(left, shared, pairs, columns)
    having = None if right.statement.having is None else shift(right.statement.having)
    statement = replace(
        left.statement,
        draft=_draft_of(one, read, columns),
        having=both_conditions(left.statement.having, having),
        order=(),
    )
    return NamedAnswer(statement, names)


@frozen
class _Shift:
    """Moves the places of keys and measures in an expression."""

    keys: int
    measures: int

    def __call__(self, expression: e.Expression) -> e.Expression:
        return move_places(
            expression, lambda place: place + self.keys, lambda place: place + self.measures
        )


def refuse_equal_names(
    reader: Reader, node: exp.Expr, left: NamedAnswer, right: NamedAnswer
) -> None:
    """Refuse two answers of one name in FROM."""
    known = {each.alias.casefold() for each in left.names}
    same = next((each.alias for each in right.names if each.alias.casefold() in known), None)
    if same is not None:
        reason = f"two answers have the name {same!r} here"
        reader.account.refuse(node, reason, "give one of them another name: ... AS other")


def _using(reader: Reader, node: exp.Expr, side: NamedAnswer, name: Name) -> e.Expression:
    """The column of one side that USING names, which is made of keys."""
    found = [each for each in side.names if each.open and name.means(each.name)]
    if len(found) != 1:
        reason = f"USING needs a column {name.text[:64]!r} on each side"
        reader.account.refuse(node, reason, "write ON a.x = b.x")
    by_name = {each.name: each.value for each in side.statement.draft.columns}
    value = by_name[found[0].called]
    _check_of_keys(reader, node, value)
    return value


def _check_of_keys(reader: Reader, node: exp.Expr, value: e.Expression) -> None:
    if measures_of(value) or any(isinstance(part, e.Across) for part in walk_expression(value)):
        reason = "answers are joined on keys, and this is a noisy number"
        reader.account.refuse(node, reason, "join on keys, and compare numbers in WHERE")


def _pair(
    reader: Reader, node: exp.Expr, sides: Draft, keys: int
) -> tuple[e.Expression, e.Expression]:
    """The left and the right side of an equality between keys."""
    with reader.account.about(node):
        found = read_expression(reader, node, sides, _COLUMNS)
    if isinstance(found, e.Compared) and found.operator == "=":
        for one, two in ((found.left, found.right), (found.right, found.left)):
            ours, theirs = _keys_in(one), _keys_in(two)
            if ours and theirs and max(ours) < keys <= min(theirs):
                for side in (one, two):
                    _check_of_keys(reader, node, side)
                return one, two
    reason = "answers are joined on equalities between a key of one and a key of the other"
    return reader.account.refuse(node, reason, "write ON a.x = b.x, and other conditions in WHERE")


def _keys_in(value: e.Expression) -> set[int]:
    return {part.place for part in walk_expression(value) if isinstance(part, e.KeyOf)}


def _merge_shared(
    left: NamedAnswer,
    shared: Sequence[Name],
    pairs: Sequence[tuple[e.Expression, e.Expression]],
    columns: Sequence[Shown],
) -> list[Shown]:
    """The columns after a FULL JOIN USING: what it names is that of the side which has the row."""
    merged = {
        next(each.called for each in left.names if name.means(each.name)): e.Called(
            Function.COALESCE, pair
        )
        for name, pair in zip(shared, pairs, strict=True)
    }
    return [Shown(each.name, merged.get(each.name, each.value)) for each in columns]


# ---------------------------------------------------------------- scalar subqueries


def join_scalar(
    reader: Reader, read: ReadAnswers | None, node: exp.Expr, scalar: Statement
) -> tuple[ReadAnswers, e.Expression]:
    """The answers with a scalar subquery beside them, and what it says there."""
    draft = close_draft(scalar.draft)
    if draft.keys or len(draft.columns) != 1:
        reason = "a scalar subquery gives one number, and this one gives several"
        remedy = (
            "select one aggregate without GROUP BY; of groups: WITH g AS (...) SELECT ... FROM g WHERE n > "
            "(SELECT AVG(n) FROM g); or write it in FROM and join it on a key"
        )
        reader.account.refuse(node, reason, remedy)
    late = scalar.having is not None or scalar.qualify is not None or scalar.has_windows
    if late or scalar.limit == 0 or scalar.offset:
        reason = "a scalar subquery with HAVING, a window or OFFSET is not supported"
        reader.account.refuse(node, reason, "select one aggregate: (SELECT COUNT(*) FROM ...)")
    assert draft.beside is not None, "it is closed"
    value = draft.columns[0].value
    if read is None:
        return draft.beside, value
    return read.joined(draft.beside), _Shift(0, len(read.question.measures))(value)


# ---------------------------------------------------------------- UNION ALL


def stack_statements(reader: Reader, node: exp.Expr, branches: Sequence[Statement]) -> Statement:
    """The rows of several answers, one below the other, under the names of the first.

    SELECT 'a' AS which, COUNT(*) AS n FROM visits UNION ALL SELECT 'b', COUNT(*) FROM labs
    is StackedAnswers((visits, labs)), with which = CASE branch WHEN 0 THEN 'a' ELSE 'b' END

    Claim:      nothing is measured but what the branches measure.
    Because:    the draft is closed, and its columns are chosen among theirs by the number of the branch.
    Checked by: tests/unit/plan/sql/test_answers_as_tables.py::test_stacking_measures_nothing_more
    """
    account = reader.account
    drafts = [close_draft(each.draft) for each in branches]
    width = len(drafts[0].columns)
    for draft in drafts:
        if len(draft.columns) != width:
            reason = f"UNION ALL needs equal columns, but one side has {width} and another {len(draft.columns)}"
            account.refuse(node, reason, "select the same columns on all sides, in the same order")
    for each in branches:
        if each.limit is not None or each.offset:
            reason = "LIMIT in a branch of UNION ALL is not supported"
            account.refuse(node, reason, "write LIMIT at the end of the whole query")
    reads = [draft.beside for draft in drafts if draft.beside is not None]
    empty = _draft_of(drafts[0], stack_answers(reads), ())
    shifts, keys, measures = [], 1, 0
    for draft, read in zip(drafts, reads, strict=True):
        shifts.append(_Shift(keys, measures))
        keys += len(draft.keys)
        measures += len(read.question.measures)
    forms = empty.released_forms
    number = e.KeyOf(0)
    is_branch = [
        forms.compare("=", number, e.Literal(place, Kind.INTEGER)) for place in range(len(drafts))
    ]

    def move(place: int, value: e.Expression) -> e.Expression:
        return _apart(shifts[place](value), number)

    for at in range(width):
        values = [move(place, draft.columns[at].value) for place, draft in enumerate(drafts)]
        with account.about(node):
            empty.show(
                drafts[0].columns[at].name,
                forms.case(list(zip(is_branch, values, strict=True)), NULL),
            )

    def condition(name: str) -> e.Expression | None:
        found: e.Expression | None = None
        for place, each in enumerate(branches):
            asked = getattr(each, name)
            if asked is not None:
                elsewhere = e.Not(is_branch[place])
                found = both_conditions(found, e.Either(elsewhere, move(place, asked)))
        return found

    return Statement(
        branches[0].reader, empty, condition("having"), condition("qualify"), (), None, 0
    )


def _apart(value: e.Expression, number: e.Expression) -> e.Expression:
    """An expression whose windows look at the rows of the same branch alone."""
    if isinstance(value, e.Across):
        return replace(value, by=(number, *value.by))
    return e.rebuilt(value, lambda part: _apart(part, number))
