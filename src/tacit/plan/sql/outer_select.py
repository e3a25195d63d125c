"""A question around one that is released: what it chooses, computes and sorts is done with the answer, at no cost."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import Any, Protocol

from tacit.frozen import frozen
from tacit.plan.model.expressions import (
    Across,
    Both,
    Expression,
    join_conditions,
    operands,
)
from tacit.plan.model.nodes import Ordering, Shown
from tacit.plan.questions.draft import Draft, Name, Named, find
from tacit.plan.questions.scope import Scope, Seen
from tacit.plan.semantics.infer import condition_type
from tacit.plan.sql.from_clause import common, read_alias
from tacit.plan.sql.group_windows import is_grouped
from tacit.plan.sql.reader import Reader, is_column, node_kind
from tacit.plan.sql.row_windows import named_windows

__all__ = ["Around", "Told", "find_inner_select", "read_outer_select"]

_COLUMNS = (Named.COLUMN,)
_OWN = ("joins", "group", "having", "distinct")
_STEPS = (
    "put them into one question, or do the last step yourself: an answer is yours to compute with"
)


@dataclass(slots=True)
class Told:
    """A statement that was read and not closed yet: its draft, and what is done with the release."""

    draft: Draft
    having: Expression | None
    qualify: Expression | None
    order: list[Ordering]
    limit: int | None
    offset: int


class Statements(Reader, Protocol):
    """What is needed of the reader of whole statements."""

    key_kinds: set[str]
    withs: Mapping[str, Any]

    def read_select(self, select: Any, *, whole: bool) -> Told:
        """A statement, without its end if it is not the whole one."""
        ...

    def order(self, clause: Any, draft: Draft) -> list[Ordering]:
        """What an answer is sorted by."""
        ...

    def whole(self, clause: Any) -> int | None:
        """The number of rows in LIMIT or OFFSET."""
        ...

    def qualify(self, clause: Any, draft: Draft) -> Expression | None:
        """The condition on what windows over groups say."""
        ...


@frozen
class Around:
    """A question in FROM that is released by itself: its node there, its SELECT, and what names it in WITH, if any.

    `named` are the questions that WITH names and that it may use.
    """

    source: Any
    select: Any
    named: Mapping[str, Any]
    common: Any = None


def find_inner_select(select: Any, named: Mapping[str, Any] | None = None) -> Around | None:
    """The question that a SELECT does nothing with but choose, compute and sort; None if it has rows of its own.

    >>> find_inner_select(None) is None
    True
    """
    if (
        node_kind(select) != "Select"
        or any(select.args.get(part) for part in _OWN)
        or not select.args.get("from_")
    ):
        return None
    if is_grouped(select.args, select.expressions):
        return None
    listed = select.args["with_"].expressions if select.args.get("with_") else []
    known = {**(named or {}), **{part.alias.casefold(): part for part in listed}}
    source = select.args["from_"].this
    if node_kind(source) == "Subquery" and node_kind(source.this) == "Select":
        found = Around(source, source.this, known)
    elif (
        node_kind(source) == "Table"
        and node_kind(source.this) == "Identifier"
        and source.name.casefold() in known
    ):
        part = known[source.name.casefold()]
        before = dict(takewhile(lambda each: each[1] is not part, known.items()))
        found = Around(source, part.this, before, part)
    else:
        return None
    inner = found.select
    grouped = node_kind(inner) == "Select" and is_grouped(inner.args, inner.expressions)
    return found if grouped or find_inner_select(inner, found.named) is not None else None


def read_outer_select(
    reader: Statements, select: Any, parts: Mapping[str, Any], inner: Around, texts: Sequence[str]
) -> Told:
    """A statement whose rows are the groups that another one releases.

    Claim:      what is measured and paid for is what the question inside measures; nothing else is looked at.
    Because:    names mean columns of the answer inside, and the draft gets no new measure, key or row: they are the
                view's, a function of released numbers.
    Checked by: tests/unit/plan/sql/test_outer_select.py::test_a_question_around_another_measures_nothing_more
    """
    account = reader.account
    step: Around | None = inner
    while step is not None:
        account.moved |= set() if step.common is None else {id(step.common)}
        step = find_inner_select(step.select, step.named)
    reader.withs = inner.named
    reader.origins = common(reader, parts.get("with_"))
    account.take(parts["from_"])
    held = account.take(inner.source)
    name = "" if inner.common is None else reader.name(held["this"]).text
    alias = read_alias(reader, held.get("alias")) or name
    told = reader.read_select(inner.select, whole=False)
    draft, shown = told.draft, list(told.draft.columns)
    assert reader.scope is not None, "a question was read"
    reader.scope = Scope(
        reader.scope.origin, tuple(Seen(alias, each.name, each.name) for each in shown)
    )
    # what was calculated inside is known by its name
    reader.key_kinds, draft.key_names = set(), [""] * len(draft.keys)
    measured = len(draft.measures)
    draft.named = named_windows(reader, select, parts)
    condition = _condition(reader, parts.get("where"), draft)
    listed = zip(account.take_list(select), texts, strict=True)
    columns = [each for node, text in listed for each in _read_columns(reader, node, text, draft)]
    hidden = [
        each
        for each in shown
        if each.name.casefold() not in {other.name.casefold() for other in columns}
    ]
    clause = parts.get("order")
    by_place = clause is not None and any(
        node_kind(each.this) in {"Literal", "Var"} for each in clause.expressions
    )
    draft.columns = columns if by_place else [*columns, *hidden]
    order = reader.order(clause, draft)
    draft.columns = [*columns, *hidden]
    qualify = reader.qualify(parts.get("qualify"), draft)
    draft.columns = []
    for each in columns:
        draft.show(each.name, each.value)
    assert len(draft.measures) == measured, "nothing more is measured"
    limit, offset = reader.whole(parts.get("limit")), reader.whole(parts.get("offset"))
    looking = any(node_kind(part) == "Window" for part in _clauses_after(select, parts))
    looked = told.qualify is not None or any(_looks(each.value) for each in shown)
    if (told.limit is not None or told.offset) and (
        condition or order or limit is not None or offset or looking
    ):
        limited = inner.select.args.get("limit") or inner.source
        account.refuse(limited, "LIMIT inside comes before what is done outside", _STEPS)
    if looking and (told.qualify is not None or (condition is not None and looked)):
        account.refuse(select, "windows inside and outside look at different groups", _STEPS)
    having, chosen = told.having, _both(told.qualify, qualify)
    if condition is not None:
        having, chosen = (
            (having, _both(chosen, condition)) if looked else (_both(having, condition), chosen)
        )
    ends = (told.limit, told.offset) if limit is None and not offset else (limit, offset or 0)
    return Told(draft, having, chosen, order or told.order, *ends)


def _condition(reader: Statements, clause: Any, draft: Draft) -> Expression | None:
    """What WHERE asks of the groups."""
    if clause is None:
        return None
    node = reader.account.take(clause)["this"]
    if any(node_kind(part) == "Window" for part in node.walk()):
        reader.account.refuse(
            node, "windows look at what WHERE keeps", "write QUALIFY, after WHERE"
        )
    with reader.account.about(node):
        found = reader.read(node, draft, _COLUMNS)
        condition_type(found, draft.question)
    return found


def _read_columns(reader: Statements, node: Any, text: str, draft: Draft) -> list[Shown]:
    """The columns that one column of the question outside means."""
    account = reader.account
    if node_kind(node) == "Star":
        account.take(node)
        return list(draft.columns)
    value, name = node, None
    if node_kind(node) == "Alias":
        parts = account.take(node)
        value, name = parts["this"], reader.alias_name(parts["alias"]).text
    with account.about(value):
        read = reader.read(value, draft, _COLUMNS)
        if name is None and is_column(value):
            meant: Name = reader.split_name(value)[1]
            name = find(meant, [each.name for each in draft.columns], "column")
        return [Shown(name or text, read)]


def _clauses_after(select: Any, parts: Mapping[str, Any]) -> list[Any]:
    clauses = [
        *select.expressions,
        *(parts[name] for name in ("order", "qualify") if parts.get(name)),
    ]
    return [part for clause in clauses for part in clause.walk()]


def _looks(expression: Expression) -> bool:
    return isinstance(expression, Across) or any(map(_looks, operands(expression)))


def _both(one: Expression | None, other: Expression | None) -> Expression | None:
    if one is None or other is None:
        return one or other
    return join_conditions(Both, one, other)
