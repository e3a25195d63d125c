"""An answer joined with a public table: its columns are functions of the answer's keys, and cost nothing.

Checked by: tests/unit/plan/sql/test_join_public_columns.py and tests/laws/test_groups_of_public_rows.py
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from tacit.errors import InvalidPlan
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.nodes import Scan, Shown
from tacit.plan.model.schema import KeyValue, Kind, Table
from tacit.plan.questions.draft import Draft, Name, Named, close_to
from tacit.plan.questions.groups_of_public_rows import MOST_BRANCHES, map_values
from tacit.plan.questions.scope import Seen
from tacit.plan.rewrite.combine_answers import measures_of
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.answers_as_tables import NamedAnswer
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.find_released_queries import find_query
from tacit.plan.sql.from_clause import read_table
from tacit.plan.sql.outer_select import both_conditions
from tacit.plan.sql.reading_context import Reader, conjuncts, is_column

__all__ = ["add_public_columns", "is_public_table"]

_BEFORE = "join the table before GROUP BY, and group by its columns"


@frozen
class _PublicTable:
    """A public table in FROM: its name there, what it is, and its rows."""

    alias: str
    table: Table
    rows: tuple[tuple[KeyValue, ...], ...]

    def place_of(self, table: Name | None, name: Name) -> int | None:
        """The column that a name means here; None if it is one of another table."""
        if table is not None and not table.means(self.alias):
            return None
        return next(
            (at for at, column in enumerate(self.table.columns) if name.means(column.name)), None
        )


def is_public_table(reader: Reader, source: exp.Expr, withs: Mapping[str, exp.Expr]) -> bool:
    """Whether what stands in FROM is a public table by its name."""
    return (
        isinstance(source, exp.Table)
        and isinstance(source.this, exp.Identifier)
        and find_query(source, withs) is None
        and source.name.casefold() in reader.public_names
    )


def add_public_columns(
    reader: Reader, answer: NamedAnswer, source: exp.Expr, join: exp.Expr, *, is_first: bool
) -> NamedAnswer:
    """An answer with the columns of a public table, of which each of its groups meets one row at most.

    FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) c JOIN wards w USING (ward)
    has w.beds = CASE WHEN ward IN ('gyn', 'ped') THEN 15 WHEN ward = 'icu' THEN 8 END, of wards that wards has

    Claim:      nothing is measured but what the answer measures; what is added depends on its keys and on public rows.
    Because:    the draft is closed, and takes no measure; each column is a CASE of keys; a group is left out by a
                condition on its keys alone.
    Checked by: tests/laws/test_groups_of_public_rows.py::test_an_answer_meets_public_rows_as_in_duckdb
    """
    account = reader.account
    inner = _read_kind(reader, join, is_first=is_first)
    public = _read_public(reader, source)
    if public.alias.casefold() in {each.alias.casefold() for each in answer.names}:
        reason = f"two tables have the name {public.alias!r} here"
        account.refuse(source, reason, "give one of them another name: ... AS other")
    statement = answer.statement
    if inner and (
        statement.limit is not None
        or statement.offset
        or statement.qualify
        or statement.has_windows
    ):
        reason = "a join with a public table may leave out groups after LIMIT, QUALIFY or a window"
        account.refuse(join, reason, "write LEFT JOIN, or LIMIT and the window in the query around")
    pairs, shared = _read_pairs(reader, answer, public, join)
    draft = statement.draft
    over, places = [value for value, _ in pairs], [place for _, place in pairs]
    kinds = [public.table.columns[place].kind for place in places]
    rows = _find_rows(reader, join, public, places)

    def column_of(values: Mapping[tuple[KeyValue, ...], KeyValue], kind: Kind) -> e.Expression:
        return map_values(over, values, kinds, kind)

    columns = [
        Shown(
            f"{public.alias}.{column.name}",
            column_of({at: row[place] for at, row in rows.items()}, column.kind),
        )
        for place, column in enumerate(public.table.columns)
    ]
    names = tuple(
        Seen(public.alias, column.name, shown.name, column.name.casefold() not in shared)
        for column, shown in zip(public.table.columns, columns, strict=True)
    )
    having = statement.having
    if inner:
        met = column_of(dict.fromkeys(rows, True), Kind.BOOLEAN)
        having = both_conditions(having, met if rows else e.Literal(False, Kind.BOOLEAN))
    whole = [*columns, *draft.columns] if is_first else [*draft.columns, *columns]
    listed = (*names, *answer.names) if is_first else (*answer.names, *names)
    if is_first and shared:  # the column that USING names is that of the answer, which is the same
        listed = (*answer.names, *names)
    return NamedAnswer(
        replace(statement, draft=replace(draft, columns=whole), having=having), listed
    )


def _read_kind(reader: Reader, join: exp.Expr, *, is_first: bool) -> bool:
    """Whether the join is an inner one; others keep all groups, and are refused if they would keep public rows."""
    account = reader.account
    side, kind = (join.args.get("side") or "").upper(), (join.args.get("kind") or "").upper()
    account.take(join)
    for word in (side, kind):
        account.claim(join, word or "JOIN", 1 if word else 0)
    if kind not in {"", "INNER", "OUTER"} or not (join.args.get("on") or join.args.get("using")):
        reason = "no condition connects this answer with the public table"
        account.refuse(join, reason, "write JOIN ... ON a.key = b.column, or USING (key)")
    if side not in {"", "RIGHT" if is_first else "LEFT"}:
        reason = "this outer join would keep rows of the public table that meet no group"
        account.refuse(join, reason, "keep the groups: write FROM answer LEFT JOIN table")
    return not side


def _read_public(reader: Reader, source: exp.Expr) -> _PublicTable:
    scope = read_table(reader, source)
    rows = scope.origin.rows
    assert isinstance(rows, Scan), "it is a table by its name"
    listed = rows.table.listed
    if listed is None or len(listed.rows) > MOST_BRANCHES:
        reason = (
            f"an answer is joined with public tables of at most {MOST_BRANCHES} rows, and "
            f"{rows.table.name!r} has more, or its rows are not known here"
        )
        reader.account.refuse(source, reason, _BEFORE)
    return _PublicTable(scope.aliases[0], rows.table, listed.rows)


_Pair = tuple[e.Expression, int]


def _read_pairs(
    reader: Reader, answer: NamedAnswer, public: _PublicTable, join: exp.Expr
) -> tuple[list[_Pair], set[str]]:
    """What is compared with which columns of the public table, and the names that USING has."""
    account, draft = reader.account, answer.statement.draft
    listed = join.args.get("using") or []
    if listed:
        account.claim(join, "USING")
        account.claim(join, "COMMA", len(listed) - 1)
        names = [reader.name(each) for each in listed]
        pairs = [_pair_by_name(answer, public, name) for name in names]
        shared = {name.text.casefold() for name in names}
    else:
        account.claim(join, "ON")
        own = tuple(
            Seen(public.alias, column.name, f"{public.alias}.{column.name}")
            for column in public.table.columns
        )
        here = replace(answer, names=(*answer.names, *own)).reader(reader)
        pairs = [
            _read_pair(here, answer, public, each, draft)
            for each in conjuncts(account, join.args["on"])
        ]
        shared = set()
    for value, place in pairs:
        column = public.table.columns[place]
        if measures_of(value) or any(isinstance(part, e.Across) for part in walk_expression(value)):
            reason = (
                "an answer is joined with a public table on its keys, and this is a noisy number"
            )
            account.refuse(join, reason, "join on keys, and compare numbers in WHERE")
        if type_of(value, draft.question).kind is not column.kind:
            reason = f"{column.name!r} of the public table is of another type than the key"
            account.refuse(join, reason, f"CAST the key to {column.kind.value}, or {_BEFORE}")
    return pairs, shared


def _pair_by_name(answer: NamedAnswer, public: _PublicTable, name: Name) -> _Pair:
    place = public.place_of(None, name)
    found = [each for each in answer.names if each.open and name.means(each.name)]
    if place is None or len(found) != 1:
        reason = f"USING needs a column {name.text[:64]!r} on each side"
        raise InvalidPlan(reason, "write ON a.x = b.x")
    by_name = {each.name: each.value for each in answer.statement.draft.columns}
    return by_name[found[0].called], place


def _read_pair(
    reader: Reader, answer: NamedAnswer, public: _PublicTable, node: exp.Expr, draft: Draft
) -> _Pair:
    """What an equality compares with which column of the public table."""
    while isinstance(node, exp.Paren):
        node = reader.account.take(node)["this"]
    if isinstance(node, exp.EQ):
        for one, two in ((node.this, node.expression), (node.expression, node.this)):
            place = _place_named(reader, answer, public, two)
            if place is None or any(
                _place_named(reader, answer, public, part) is not None
                for part in one.find_all(exp.Column)
            ):
                continue
            reader.account.take(node)
            with reader.account.about(one):
                return read_expression(reader, one, draft, (Named.COLUMN,)), place
    reason = "an answer is joined with a public table on equalities of its keys with columns of the table"
    return reader.account.refuse(
        node, reason, "write ON a.key = b.column, and other conditions in WHERE"
    )


def _place_named(
    reader: Reader, answer: NamedAnswer, public: _PublicTable, node: exp.Expr
) -> int | None:
    """The column of the public table that a name means, None if it is no name or one of the answer."""
    if not is_column(node):
        return None
    table, name = reader.split_name(node)
    if table is None and any(name.means(each.name) for each in answer.names):
        return None  # it is ambiguous, or the answer's alone
    place = public.place_of(table, name)
    if place is None and table is not None and table.means(public.alias):
        listed = [column.name for column in public.table.columns]
        reason = f"the table {public.alias!r} has no column {name.text[:64]!r}"
        reader.account.refuse(node, reason, close_to(name, listed, "column"))
    return place


def _find_rows(
    reader: Reader, join: exp.Expr, public: _PublicTable, places: Sequence[int]
) -> dict[tuple[KeyValue, ...], tuple[KeyValue, ...]]:
    """The public rows by what is compared, of which no two are equal; a row with NULL there is met by nothing."""
    met = [(tuple([row[place] for place in places]), row) for row in public.rows]
    met = [(at, row) for at, row in met if None not in at]
    counts = Counter(at for at, _ in met)
    if any(many > 1 for many in counts.values()):
        names = ", ".join(public.table.columns[place].name for place in places)
        reason = (
            f"several rows of {public.table.name!r} have the same {names}, and a group would be "
            "there once for each"
        )
        reader.account.refuse(
            join, reason, f"join on a column that holds no value twice; or {_BEFORE}"
        )
    return dict(met)
