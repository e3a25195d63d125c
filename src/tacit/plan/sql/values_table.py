"""VALUES in a join: a list of constants in the text, which says what a column of the rows is called or worth.

Checked by: tests/unit/plan/sql/test_values_table.py
"""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Computed, Defined, Rows, Where
from tacit.plan.model.ownership import size_of
from tacit.plan.questions.aggregate_per_unit import unused_name
from tacit.plan.questions.build_expressions import NULL, Forms
from tacit.plan.questions.draft import Draft, Name
from tacit.plan.questions.row_columns import columns_of
from tacit.plan.questions.scope import Scope, Seen, of_rows
from tacit.plan.sql.expressions import read_expression
from tacit.plan.sql.reading_context import ROWS, Reader, is_column

__all__ = ["is_values", "join_values"]

_MAP = "write JOIN (VALUES ('a', 1), ('b', 2)) AS v(name, grade) ON t.x = v.name"


@frozen
class _Listed:
    """The constants of VALUES: what it is called, its columns, and its rows."""

    alias: str
    names: tuple[str, ...]
    rows: tuple[tuple[e.Literal, ...], ...]


def is_values(join: exp.Expr) -> bool:
    """Whether VALUES is joined."""
    return isinstance(join.this, exp.Values)


def join_values(reader: Reader, left: Scope, join: exp.Expr) -> Scope:
    """Rows with the columns of VALUES, each a CASE of what they are joined on.

    FROM visits v JOIN (VALUES ('A', 1), ('B', 2)) AS w(ward, floor) ON v.ward = w.ward
    is Where(Computed(visits, (…, floor = CASE WHEN ward = 'A' THEN 1 WHEN ward = 'B' THEN 2 END)), ward IN ('A', 'B'))

    Claim:      every row stays once or, of an inner join, not at all; what is added to it depends on the row alone.
    Because:    VALUES is a part of the text, and the column that is joined on holds no constant twice: what a row meets
                is chosen by a CASE.
    Checked by: tests/unit/plan/sql/test_values_table.py and tests/laws/statements.sql
    """
    account = reader.account
    parts = account.take(join)
    side, kind = (parts.get("side") or "").upper(), (parts.get("kind") or "").upper()
    if side not in {"", "LEFT"} or kind not in {"", "INNER", "OUTER"}:
        account.refuse(join, "VALUES is joined by JOIN or LEFT JOIN", _MAP)
    for word in (side, kind):
        account.claim(join, word or "JOIN", 1 if word else 0)
    listed = _read_values(reader, parts["this"])
    value, place = _read_condition(reader, left, listed, join)
    keys = [row[place] for row in listed.rows]
    if len(set(keys)) != len(keys) or NULL in keys:
        reason = "VALUES contains a value twice, or NULL, in the column that it is joined on"
        account.refuse(join, reason, "list every value once")
    forms, rows = Forms(), left.origin.rows
    conditions = [forms.compare("=", value, key) for key in keys]
    used = [column.name for column in columns_of(rows)]
    columns, names = list[Defined](), list[Seen]()
    for at, name in enumerate(listed.names):
        with account.about(join):
            chosen = [(when, row[at]) for when, row in zip(conditions, listed.rows, strict=True)]
            case = forms.case(chosen, NULL)
        called = unused_name(name if name not in used else f"{listed.alias}.{name}", used)
        used.append(called)
        columns.append(Defined(called, case))
        names.append(Seen(listed.alias, name, called))
    same = [Defined(column.name, e.Field(column)) for column in columns_of(rows)]
    if not side:
        rows = Where(rows, forms.one_of(value, keys))
    found: Rows = Computed(rows, (*same, *columns))
    table = left.origin.table
    shown = (*left.origin.names, *(each.called for each in names))
    origin = of_rows(found, table.name, table.unit, shown, max(left.origin.size, size_of(found)))
    return Scope(origin, (*left.names, *names))


def _read_values(reader: Reader, node: exp.Expr) -> _Listed:
    """The constants, their columns and their name."""
    account = reader.account
    parts = account.take(node)
    alias = parts.get("alias")
    if alias is None or not alias.args.get("columns"):
        account.refuse(node, "VALUES needs a name, and names of its columns", _MAP)
    named = account.take(alias, "NamedColumns")
    name = reader.alias_name(named["this"]).text
    columns = [reader.name(each).text for each in named["columns"]]
    account.claim(alias, "COMMA", len(columns) - 1)
    rows = account.take_list(node)
    if len({each.casefold() for each in columns}) != len(columns):
        account.refuse(node, "two columns of VALUES have the same name", "rename one of them")
    return _Listed(name, tuple(columns), tuple(_row(reader, row, len(columns)) for row in rows))


def _row(reader: Reader, node: exp.Expr, width: int) -> tuple[e.Literal, ...]:
    account = reader.account
    cells: Sequence[exp.Expr] = [node.this] if isinstance(node, exp.Paren) else node.expressions
    account.take(node) if isinstance(node, exp.Paren) else account.take(node, "Row")
    account.claim(node, "COMMA", len(cells) - 1)
    if len(cells) != width:
        reason = f"this row of VALUES has {len(cells)} constants, and {width} columns are named"
        account.refuse(node, reason, "list one constant for every column")
    return tuple(_constant(reader, cell) for cell in cells)


def _constant(reader: Reader, node: exp.Expr) -> e.Literal:
    if isinstance(node, exp.Neg):
        found = e.negate(_constant(reader, reader.account.take(node)["this"]))
        if isinstance(found, e.Literal):
            return found
    if isinstance(node, exp.Paren):
        return _constant(reader, reader.account.take(node)["this"])
    if not isinstance(node, exp.Literal | exp.Null | exp.Boolean):
        reason = "VALUES takes constants alone"
        reader.account.refuse(node, reason, "write texts and numbers, and calculate outside")
    return reader.constant(node)


def _read_condition(
    reader: Reader, left: Scope, listed: _Listed, join: exp.Expr
) -> tuple[e.Expression, int]:
    """What VALUES is joined on: an expression over the rows, and the column that it equals."""
    account, parts = reader.account, join.args
    table = left.origin.table
    draft, here = Draft(table, rows=left.origin.rows), reader.with_scope(left)
    using = parts.get("using") or []
    if len(using) == 1:
        account.claim(join, "USING")
        name = reader.name(using[0])
        place = _place_of(None, name, listed)
        found = left.finds(None, name)
        if place is None or len(found) != 1:
            account.refuse(join, f"USING needs a column {name.text[:64]!r} on each side", _MAP)
        return e.Field(draft.column(Name(found[0], exact=True))), place
    node = parts.get("on")
    account.claim(join, "ON", 1 if node is not None else 0)
    while isinstance(node, exp.Paren):
        node = account.take(node)["this"]
    if isinstance(node, exp.EQ):
        sides = node.this, node.expression
        for one, two in (sides, sides[::-1]):
            if is_column(two):
                place = _place_of(*reader.split_name(two), listed)
                if place is not None:
                    account.take(node)
                    with account.about(one):
                        return read_expression(here, one, draft, ROWS), place
    return account.refuse(join, "VALUES is joined on one of its columns", _MAP)


def _place_of(table: Name | None, name: Name, listed: _Listed) -> int | None:
    if table is not None and not table.means(listed.alias):
        return None
    return next((at for at, each in enumerate(listed.names) if name.means(each)), None)
