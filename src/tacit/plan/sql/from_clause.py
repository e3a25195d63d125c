"""Questions inside the question: what stands in FROM and WITH, and the rows that a SELECT gives."""

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import Expression, Field
from tacit.plan.questions.draft import SELECTED, close_to, find
from tacit.plan.questions.inner_draft import Inside
from tacit.plan.questions.scope import HIDDEN, Origin, Scope, of_rows, of_table
from tacit.plan.questions.unit_rows import deduplicate_rows
from tacit.plan.semantics.infer import condition_type
from tacit.plan.sql.comma_joins import is_beside, ties
from tacit.plan.sql.distinct import aggregates, all_keys, is_all, is_distinct
from tacit.plan.sql.grammar import AGGREGATES
from tacit.plan.sql.joins import join_scopes, join_where
from tacit.plan.sql.reader import ROWS, Reader, is_column, is_unit, no_end, node_kind
from tacit.plan.sql.row_windows import named_windows
from tacit.plan.sql.semi_joins import filter_rows
from tacit.plan.sql.unions import read_union

__all__ = ["read_alias", "common", "query", "read_from"]

_AGGREGATES = AGGREGATES | {"CountIf"}
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


def common(reader: Reader, clause: Any) -> dict[str, Origin]:
    """The questions that WITH names, by their names; each may use those before it."""
    found = dict(reader.origins)
    if clause is None:
        return found
    here: list[str] = []
    for part in reader.account.take_list(clause):
        parts = reader.account.take(part)
        name = reader.name(reader.account.take(parts["alias"])["this"])
        if find(name, here, "table") is not None:
            reader.account.refuse(
                parts["alias"],
                f"two questions are called {name.text!r}",
                "name one of them otherwise",
            )
        here.append(name.text)
        if id(part) in reader.account.moved:
            continue  # which is released by itself
        found[name.text] = query(reader.nested_reader(found), parts["this"], name.text)
    return found


def read_from(reader: Reader, select: Any, parts: Mapping[str, Any]) -> Scope:
    """What a SELECT is about: the tables and questions in its FROM, joined."""
    clause = parts.get("from_")
    if clause is None:
        reader.account.refuse(
            select, "no table is asked about", "say which: SELECT COUNT(*) FROM table"
        )
    found = _one(reader, reader.account.take(clause)["this"])
    joins = list(parts.get("joins") or [])
    waiting: list[tuple[Any, Scope]] = []
    for join in joins:
        with reader.account.about(join):
            one = _one(reader, join.this)
            if is_beside(join):
                waiting.append((join, one))
            else:
                found = join_scopes(reader, found, one, join)
        found = _join_waiting(reader, parts, found, waiting)
    if waiting:
        _nothing_in_common(reader, waiting[0][0])
    if any(map(is_beside, joins)) and any(
        (join.args.get("side") or "").upper() == "RIGHT" for join in joins
    ):
        reader.account.refuse(
            clause, "a comma and RIGHT JOIN are not read together", "write JOIN ... ON for all"
        )
    return found


def _join_waiting(
    reader: Reader, parts: Mapping[str, Any], found: Scope, waiting: list[tuple[Any, Scope]]
) -> Scope:
    """The scope joined with those that stand beside it, as far as WHERE says what they have in common."""
    for join, one in list(waiting):
        on = ties(reader, parts, found, one)
        if on:
            waiting.remove((join, one))
            with reader.account.about(on[0]):
                return _join_waiting(
                    reader, parts, join_where(reader, found, one, join, on), waiting
                )
    return found


def _nothing_in_common(reader: Reader, node: Any) -> NoReturn:
    reason = "nothing in WHERE says what these tables have in common: every pair of rows would meet"
    remedy = "write WHERE a.x = b.x AND ..., or JOIN ... ON a.x = b.x"
    reader.account.refuse(node, reason, remedy)


def _one(reader: Reader, node: Any) -> Scope:
    """A table, or a question in parentheses, by the name that it has here."""
    if node_kind(node) == "Subquery":
        parts = reader.account.take(node)
        alias = read_alias(reader, parts.get("alias"))
        if node_kind(parts["this"]) == "Table":
            inner = _one(reader, parts["this"])
            return Scope.of(alias, inner.origin) if alias else inner
        return Scope.of(alias or "", query(reader, parts["this"], alias or "the question inside"))
    if node_kind(node) != "Table" or node_kind(node.this) != "Identifier":
        remedy = (
            "name a table, or write a question in parentheses; no function or file takes its place"
        )
        reader.account.refuse(node, "this is not a table", remedy)
    parts = reader.account.take(node)
    name = reader.name(parts["this"])
    with reader.account.about(node):
        known = find(name, list(reader.origins), "table")
        if known is not None:
            origin = reader.origins[known]
        else:
            known = find(name, list(reader.tables), "table")
            if known is None:
                remedy = (
                    close_to(name, [*reader.origins, *reader.tables], "table")
                    + "; files are not read"
                )
                raise InvalidPlan(f"there is no table {name.text[:64]!r}", remedy)
            origin = of_table(reader.tables[known])
    return Scope.of(read_alias(reader, parts.get("alias")) or known, origin)


def read_alias(reader: Reader, node: Any) -> str | None:
    """The name that is given to a table here."""
    if node is None:
        return None
    name = reader.alias_name(reader.account.take(node)["this"])
    if not name.exact and name.text.upper() in _RESERVED:
        reader.account.refuse(
            node,
            f"{name.text} is no name of a table",
            "put a name in double quotes, or leave it out",
        )
    return name.text


def query(reader: Reader, node: Any, name: str) -> Origin:
    """The rows that a question inside gives."""
    match node_kind(node):
        case "Subquery":
            return query(reader, reader.account.take(node)["this"], name)
        case "Select":
            with reader.account.about(node):
                return _read_subquery(reader.nested_reader(), node, name)
        case "Union":
            parts = reader.account.take(node, "Merged" if node.args.get("distinct") else "Union")
            no_end(reader, parts)
            with reader.account.about(node):
                return read_union(
                    reader.nested_reader(common(reader, parts.get("with_"))), node, parts, name
                )
        case "Except" | "Intersect":
            reason = "whether a row is in both would depend on rows of other units"
            return reader.account.refuse(
                node, reason, "write WHERE unit IN (SELECT ...), or NOT IN"
            )
        case _:
            remedy = "name a table, or write a question in parentheses"
            return reader.account.refuse(node, "this is not a table", remedy)


def _read_subquery(reader: Reader, select: Any, name: str) -> Origin:
    """The rows that a SELECT inside gives: its columns, and whose they are."""
    account = reader.account
    parts = account.take(select)
    no_end(reader, parts)
    reader = reader.nested_reader(common(reader, parts.get("with_")))
    scope = reader.scope = read_from(reader, select, parts)
    columns, group = account.take_list(select), parts.get("group")
    if not columns:
        account.refuse(parts["from_"], "no column is selected", "name the columns, or write *")
    draft = Inside(
        scope.origin.table, rows=scope.origin.rows, named=named_windows(reader, select, parts)
    )
    filter_rows(reader, parts.get("where"), draft)
    draft.grouped = bool(group or parts.get("having") or any(map(aggregates, columns)))
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
            f"two columns are named {twice!r}",
            "give one of them another name: ... AS other",
        )
    having = None
    if clause := parts.get("having"):
        condition = account.take(clause)["this"]
        with account.about(condition):
            having = reader.read(condition, draft, SELECTED)
    if clause := parts.get("qualify"):
        having = _read_qualify(reader, account.take(clause)["this"], draft)
    rows = draft.finish_rows(having)
    if is_distinct(reader, parts):
        rows = deduplicate_rows(rows, unit)
    return of_rows(rows, name, unit or HIDDEN, tuple(names), scope.origin.size + 3)


def _read_qualify(reader: Reader, node: Any, draft: Inside) -> Expression:
    """The condition of QUALIFY, on what windows say of a row."""
    if draft.grouped:
        remedy = "add up in a question inside, and look at its rows outside"
        reader.account.refuse(
            node, "QUALIFY looks at single rows, and here they are added up", remedy
        )
    draft.listing = draft.qualifying = True
    with reader.account.about(node):
        found = reader.read(node, draft, ROWS)
        condition_type(found)
    draft.listing = draft.qualifying = False
    return found


def _group(reader: Reader, select: Any, columns: Sequence[Any], draft: Inside) -> None:
    """Read the keys of a question inside, the unit among them."""
    account, group = reader.account, select.args.get("group")
    unit = draft.table.unit
    if unit is None:
        account.refuse(
            group or select,
            "every row is a unit: there is nothing to add up within one",
            "leave it out",
        )
    found = False
    every = group is not None and is_all(reader, group)
    for given in all_keys(columns) if every else account.take_list(group) if group else ():
        node = given.unalias() if every else _key(reader, given, columns)
        if is_column(node) and is_unit(reader, node):
            found = True
            continue
        with account.about(node):
            draft.group_by(reader.read(node, draft, ROWS))
    if not found:
        key = unit or "the unit, which has to be selected below"
        reason = "inside a question, rows are added up for each unit: over all of them nothing would be protected"
        account.refuse(
            group or select, reason, f"add {key} to GROUP BY, or ask this as a question of its own"
        )


def _key(reader: Reader, node: Any, columns: Sequence[Any]) -> Any:
    """What a key of GROUP BY stands for: an expression, its place among the columns, or its alias there."""
    if node_kind(node) == "Literal" and not node.is_string:
        place = reader.whole_number(node)
        if not 1 <= place <= len(columns):
            remedy = f"count from 1 to {len(columns)}, or name the column"
            reader.account.refuse(node, f"there is no column {place}", remedy)
        return columns[place - 1].unalias()
    if node_kind(node) == "Column" and node_kind(node.this) != "Star" and reader.scope is not None:
        table, name = reader.split_name(node)
        if table is None and not reader.scope.finds(None, name):
            for column in columns:
                if node_kind(column) == "Alias" and name.means(column.alias):
                    return column.this
    return node


def _read_column(reader: Reader, node: Any, draft: Inside) -> tuple[list[str], str | None]:
    """Read a column of a question inside: the names that it gives, and that of the unit if it is among them."""
    account = reader.account
    if node_kind(node) == "Star" or (
        node_kind(node) == "Column" and node_kind(node.this) == "Star"
    ):
        return _all(reader, node, draft)
    value, alias = node, None
    if node_kind(node) == "Alias":
        parts = account.take(node)
        value, alias = parts["this"], reader.alias_name(parts["alias"]).text
    with account.about(value):
        plain = node_kind(value) == "Column"
        if plain and is_unit(reader, value):
            name = alias or reader.split_name(value)[1].text
            declared = draft.unit_value()
            if declared is not None:
                draft.show(name, declared)
            return [name], name
        read = (
            _read_grouped(reader, value, draft)
            if draft.grouped
            else reader.read(value, draft, ROWS)
        )
        start, end = account.span(value)
        name = alias or (
            reader.split_name(value)[1].text if plain else " ".join(account.text[start:end].split())
        )
        if plain and alias is None and isinstance(read, Field):
            name = (
                read.column.name if len(reader.scope.aliases if reader.scope else []) <= 1 else name
            )
        draft.show(name, read)
        return [name], None


def _read_grouped(reader: Reader, node: Any, draft: Inside) -> Expression:
    """A column beside aggregates: what GROUP BY calculates is not calculated again."""
    depth = reader.depth
    if node_kind(node) not in {"Column", *_AGGREGATES} and not aggregates(node):
        value = reader.read(node, draft, ROWS)
        key = draft.key_column(value)
        if key is not None:
            return key
        reader.depth = depth
    return reader.read(node, draft, SELECTED)


def _all(reader: Reader, node: Any, draft: Inside) -> tuple[list[str], str | None]:
    """SELECT *: every column, and the unit by its name."""
    account = reader.account
    if draft.grouped or node_kind(node) == "Column":
        account.refuse(node, "* is read alone, and not beside groups", "name the columns")
    account.take(node)
    for column in draft.table.columns:
        draft.show(column.name, Field(column))
    names = [column.name for column in draft.table.columns]
    unit = draft.table.unit
    if unit and unit not in names:
        names.append(unit)
    return names, unit or None
