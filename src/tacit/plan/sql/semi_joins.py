"""Which units: IN and EXISTS among the conditions of WHERE."""

from typing import Any

from tacit.plan.model.expressions import Both, Expression, Field, chain_conditions
from tacit.plan.model.nodes import Computed, Defined, Joined, Kept, Rows, Scan
from tacit.plan.model.ownership import Owner, size_of, unique_columns
from tacit.plan.questions.columns import columns_of
from tacit.plan.questions.draft import Draft, Name
from tacit.plan.questions.inner_draft import Inside
from tacit.plan.questions.per_unit import unused_name
from tacit.plan.questions.scope import HIDDEN, Origin, Scope, of_rows
from tacit.plan.questions.unit_rows import flag_units
from tacit.plan.semantics.infer import type_of
from tacit.plan.sql.distinct import is_distinct
from tacit.plan.sql.reader import (
    ROWS,
    Reader,
    conjuncts,
    is_column,
    is_unit,
    no_end,
    node_kind,
    same_units,
)

__all__ = ["filter_rows", "is_among"]

_UNITS_ONLY = (
    "a question inside IN or EXISTS is about the protected unit, "
    "and stands by itself among the conditions of WHERE"
)
_ALONE = (
    "write WHERE patient IN (SELECT patient FROM ...) AND ..., with the unit's name; list the constants: x IN (1, 2); "
    "or join a public table: JOIN ... ON ..."
)


def filter_rows(reader: Reader, clause: Any, draft: Draft) -> None:
    """Keep the rows that WHERE asks for: conditions on rows, and on which units they are of."""
    if clause is None:
        return
    condition = reader.account.take(clause)["this"]
    whole = not any(id(part) in reader.account.moved for part in condition.walk())
    if whole and not any(
        node_kind(part) == "Exists" or part.args.get("query") for part in condition.walk()
    ):
        with reader.account.about(condition):
            draft.where(reader.read(condition, draft, ROWS))
        return
    plain = []
    for part in conjuncts(reader, condition):
        if id(part) in reader.account.moved:
            continue
        inner = part
        while node_kind(inner) in {"Not", "Paren"}:
            inner = inner.this
        if node_kind(inner) == "Exists" or inner.args.get("query"):
            with reader.account.about(part):
                if not _public(reader, part, draft):
                    _keep(reader, part, draft)
        else:
            plain.append(reader.read(part, draft, ROWS))
    if plain:
        with reader.account.about(condition):
            draft.where(chain_conditions(Both, plain))


def _keep(reader: Reader, node: Any, draft: Draft) -> None:
    """unit IN (SELECT …), EXISTS (SELECT …) and their opposites.

    Claim:      a row stays exactly if its unit is among those of the other rows, or is not if that is asked.
    Because:    rows without a unit are in neither: no NULL makes NOT IN unknown.
    Checked by: tests/laws/test_rows.py and tests/unit/plan/test_rows_sql.py
    """
    present = True
    while node_kind(node) in {"Not", "Paren"}:
        present ^= node_kind(node) == "Not"
        node = reader.account.take(node)["this"]
    if draft.table.unit is None:
        reader.account.refuse(
            node, "units are looked for, and every row is its own unit", "compare columns instead"
        )
    among = _exists(reader, node) if node_kind(node) == "Exists" else _in(reader, node)
    rows: Rows = Scan(draft.table) if draft.rows is None else draft.rows
    draft.rows = of_rows(
        Kept(rows, among.rows, present), draft.table.name, draft.table.unit, (), among.size + 2
    ).rows


def is_among(reader: Reader, node: Any, draft: Draft) -> Expression:
    """IN and EXISTS inside an expression: whether the unit of a row is among others."""
    if draft.rows is None:
        reader.account.refuse(
            node, "what tables are joined on looks at their rows alone", "write it in WHERE"
        )
    if draft.table.unit is None:
        reader.account.refuse(
            node, "units are looked for, and every row is its own unit", "compare columns instead"
        )
    among = _exists(reader, node) if node_kind(node) == "Exists" else _in(reader, node)
    known = next((found for rows, found in draft.flags if rows == among.rows), None)
    if known is not None:
        return known
    draft.rows, found = flag_units(draft.rows, among.rows)
    draft.flags.append((among.rows, found))
    of_rows(draft.rows, draft.table.name, draft.table.unit, (), size_of(draft.rows))
    return found


def _public(reader: Reader, node: Any, draft: Draft) -> bool:
    """Keep the rows whose value is among those of a public column, if that is what is asked: x IN (SELECT x FROM …).

    Claim:      every row stays once or not at all.
    Because:    the column holds no value twice, and is compared as it is; NULL equals nothing.
    Checked by: tests/unit/plan/test_wide.py::test_a_column_is_looked_up_in_a_public_table and tests/laws/statements.sql
    """
    while node_kind(node) == "Paren":
        node = reader.account.take(node)["this"]
    if node_kind(node) != "In" or (is_column(node.this) and is_unit(reader, node.this)):
        return False
    parts = reader.account.take(node)
    found = reader.query(parts["query"], "the question inside")
    if found.owner is not Owner.NOBODY:
        reader.account.refuse(node, _UNITS_ONLY, _ALONE)
    if len(found.table.columns) != 1:
        reader.account.refuse(
            parts["query"], "this gives more than one column", "select the one that is compared"
        )
    value, rows = reader.read(parts["this"], draft, ROWS), draft.rows or Scan(draft.table)
    (column,) = columns_of(found.rows)
    if column not in unique_columns(found.rows) or type_of(value).kind is not column.kind:
        reason = f"the public column {column.name!r} may hold a value twice, and rows would be counted twice"
        remedy = (
            f"declare it unique in the policy: unique = [{column.name!r}]; kinds must be the same"
        )
        reader.account.refuse(parts["query"], reason, remedy)
    name = unused_name("looked up", [each.name for each in columns_of(rows)])
    there = Computed(found.rows, (Defined(name, Field(column)),))
    on = ((value, Field(columns_of(there)[0])),)
    draft.rows = Joined(rows, there, on)
    of_rows(draft.rows, draft.table.name, draft.table.unit, (), size_of(draft.rows))
    return True


def _in(reader: Reader, node: Any) -> Origin:
    parts = reader.account.take(node)
    operand = parts["this"]
    if (
        node_kind(operand) != "Column"
        or node_kind(operand.this) == "Star"
        or not is_unit(reader, operand)
    ):
        reader.account.refuse(node, _UNITS_ONLY, _ALONE)
    query = parts["query"]
    found = reader.query(query, "the question inside")
    if found.owner is not Owner.UNIT or found.names != (found.table.unit,):
        remedy = "select the unit alone: IN (SELECT patient FROM ...), with the unit's name"
        reader.account.refuse(query, "this gives something else than the protected unit", remedy)
    return found


def _exists(reader: Reader, node: Any) -> Origin:
    """A question about the unit of the row outside: its only tie to it is that they are equal."""
    outside, select = reader.scope, reader.account.take(node)["this"]
    if node_kind(select) != "Select":
        reader.account.refuse(node, _UNITS_ONLY, _ALONE)
    inside, parts = reader.nested_reader(), reader.account.take(select)
    no_end(reader, parts, "group", "having", "with_")
    # which changes nothing: whether there is a row is asked, and not how many
    is_distinct(reader, parts)
    inside.scope = inside.read_sources(select, parts)
    draft = Inside(inside.scope.origin.table, rows=inside.scope.origin.rows)
    assert outside is not None, "there are rows outside"
    tied, rest = False, []
    clause = parts.get("where")
    for part in conjuncts(inside, reader.account.take(clause)["this"]) if clause else ():
        if id(part) in reader.account.moved:
            continue
        if same_units(inside, part, inside.scope, outside) or _is_shadowed(
            inside, part, inside.scope, outside
        ):
            tied = True
        else:
            rest.append(part)
    if inside.scope.origin.owner is Owner.NOBODY:
        reader.account.refuse(
            node, "public rows are of no unit, and units are looked for", "write JOIN ... ON ..."
        )
    if not tied or inside.scope.origin.owner is not Owner.UNIT:
        unit, other = inside.scope.origin.table.unit, outside.origin.table.unit
        tie = (
            f"{inside.scope.aliases[0]}.{unit} = {outside.aliases[0]}.{other}"
            if unit and other
            else "their units"
        )
        reason = "whether there is any row would be told about everybody at once"
        reader.account.refuse(
            node, reason, f"ask for rows of the same unit: EXISTS (... WHERE {tie})"
        )
    for part in rest:
        _where(inside, part, draft, outside)
    columns = reader.account.take_list(select)
    if not columns:
        reader.account.refuse(parts["from_"], "no column is selected", "write SELECT 1 FROM ...")
    for column in columns:
        _read_unused(inside, column, draft)
    return of_rows(draft.question.rows, "", HIDDEN, (), inside.scope.origin.size + 1)


def _is_shadowed(reader: Reader, node: Any, inside: Scope, outside: Scope) -> bool:
    """Whether a condition ties units that are called alike, the one inside without its table."""
    if (
        node_kind(node) != "EQ"
        or node_kind(node.this) != "Column"
        or node_kind(node.expression) != "Column"
    ):
        return False
    one, two = reader.split_name(node.this), reader.split_name(node.expression)
    for first, second in ((one, two), (two, one)):
        said = second[0] is not None and not any(second[0].means(alias) for alias in inside.aliases)
        if inside.is_unit(*first) and said and outside.is_unit(*second):
            reader.account.take(node)
            return True
    return False


def _where(reader: Reader, node: Any, draft: Draft, outside: Scope) -> None:
    """A condition of a question inside EXISTS, which knows nothing else of the row outside."""
    for column in node.walk():
        table = column.args.get("table") if node_kind(column) == "Column" else None
        if table is not None and reader.scope is not None:
            said = Name(table.name, exact=bool(table.args.get("quoted")))
            ours = any(said.means(alias) for alias in reader.scope.aliases)
            if not ours and any(said.means(alias) for alias in outside.aliases):
                reason = "of the row outside, a question inside knows the unit and nothing else"
                reader.account.refuse(column, reason, "join the tables on the unit instead")
    inner = node
    while node_kind(inner) in {"Not", "Paren"}:
        inner = inner.this
    with reader.account.about(node):
        if node_kind(inner) == "Exists" or inner.args.get("query"):
            _keep(reader, node, draft)
        else:
            draft.where(reader.read(node, draft, ROWS))


def _read_unused(reader: Reader, node: Any, draft: Draft) -> None:
    """A column of a question inside EXISTS, which means nothing there."""
    if node_kind(node) == "Star":
        reader.account.take(node)
    elif node_kind(node) in {"Literal", "Null", "Boolean"}:
        reader.constant(node)
    elif not (is_column(node) and is_unit(reader, node)):
        reader.read(node, draft, ROWS)
