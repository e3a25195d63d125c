"""Which tables are modelled together, how their rows are joined to units, and which rules each of them keeps.

Checked by: tests/unit/curator/tables/test_linked_synthetic_tables.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tacit.curator.policy.policy import Shared
from tacit.curator.tables.column_codes import (
    CodedColumn,
    code_column,
    code_columns,
)
from tacit.curator.tables.release_tables import Desk, TablesAsked
from tacit.curator.tables.row_rules import Rule, read_rules
from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tacit.frozen import frozen
from tacit.plan import (
    Column,
    Counted,
    Expression,
    Field,
    Kind,
    MeasureOf,
    Rows,
    Table,
    prove,
    read_priced,
)

__all__ = ["LinkedTable", "read_linked_tables"]


@frozen(eq=False)
class LinkedTable:
    """One of the tables: what is asked of it, its own columns, and the rules that its rows keep."""

    shared: Shared
    own: tuple[CodedColumn, ...]
    asked: TablesAsked
    rules: tuple[Rule, ...]

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.shared.table.name


def read_linked_tables(
    desk: Desk, tables: Sequence[str], always: Sequence[str] = ()
) -> tuple[LinkedTable, ...]:
    """What is asked of all tables: units with the numbers of their rows, and rows beside their unit's."""
    shared = _read_tables(desk, tables)
    first, others = shared[0], shared[1:]
    parent = code_columns(first.table)
    children = [code_columns(each.table) for each in others]
    _check_names(parent, children)
    rules = _share_rules(always, first, others, parent, children)
    known = {name: each.asked_table for name, each in desk.tables.items()}
    one, unit = _quote(first.table.name), _quote(str(first.table.unit))
    numbers = [_number_of(each) for each in others]
    about = f"synthetic tables of {', '.join(tables[:-1])} and {tables[-1]}"
    kind = "linked synthetic table"
    links = [
        f"LEFT JOIN {_counted(each)} AS c{at} ON p.{unit} = c{at}.{_quote(str(each.table.unit))}"
        for at, each in enumerate(others)
    ]
    units, above = _read_rows(
        f"{one} AS p {' '.join(links)}",
        [("p", each) for each in parent],
        [(f"c{at}", number) for at, number in enumerate(numbers)],
        known,
    )
    more = (*(each.table.name for each in others), *_rule_texts(rules[0]))
    found = [
        LinkedTable(first, parent, TablesAsked(kind, first, above, about, more, units), rules[0])
    ]
    for child, own, number, kept in zip(others, children, numbers, rules[1:], strict=True):
        two, other = _quote(child.table.name), _quote(str(child.table.unit))
        rows, below = _read_rows(
            f"{two} AS v JOIN {one} AS p ON v.{other} = p.{unit} "
            f"LEFT JOIN {_counted(child)} AS c ON v.{other} = c.{other}",
            [*(("v", each) for each in own), *(("p", each) for each in parent)],
            [("c", number)],
            known,
        )
        more = (first.table.name, *_rule_texts(kept))
        found.append(
            LinkedTable(child, own, TablesAsked(kind, child, below, about, more, rows), kept)
        )
    return tuple(found)


def _read_tables(desk: Desk, tables: Sequence[str]) -> list[Shared]:
    """The tables, the first of which has one row for each unit."""
    if len(tables) < 2 or len(set(tables)) < len(tables):
        raise InvalidInput(
            "table", tuple(tables), "name one with a row for each unit, then the others, each once"
        )
    found = [desk.shared(name) for name in tables]
    for shared in found:
        if shared.table.unit is None:
            raise InvalidInput("table", shared.table.name, "its rows have no unit that links them")
        if shared.contributions is None:
            raise InvalidInput(
                "table", shared.table.name, "set `contributions` for it in the policy"
            )
    if found[0].contributions != 1:
        remedy = "its `contributions` must be 1: name the table with one row for each unit first"
        raise InvalidInput("table", found[0].table.name, remedy)
    return found


def _check_names(parent: Sequence[CodedColumn], children: Sequence[Sequence[CodedColumn]]) -> None:
    """Refuse a name that the first table and another one both have."""
    names = {each.name for each in parent}
    shared_names = names & {each.name for child in children for each in child}
    if shared_names:
        remedy = "both tables have a column of that name; rename one of them in its source"
        raise InvalidInput("column", min(shared_names), remedy)


def _share_rules(
    texts: Sequence[str],
    first: Shared,
    others: Sequence[Shared],
    parent: tuple[CodedColumn, ...],
    children: Sequence[tuple[CodedColumn, ...]],
) -> list[tuple[Rule, ...]]:
    """The rules of each table: the first keeps those about its own columns, every other those about its own and the
    first one's."""
    found: list[list[Rule]] = [[] for _ in range(1 + len(others))]
    beside = [each for each in first.asked_table.columns if each.name != first.table.unit]
    readers = [(first.asked_table, parent)]
    for other, own in zip(others, children, strict=True):
        table = other.asked_table
        readers.append((replace(table, columns=(*table.columns, *beside)), (*own, *parent)))
    for text in texts:
        read = [_read_rule(text, table, columns) for table, columns in readers]
        keepers = [0] if isinstance(read[0], Rule) else range(1, len(read))
        kept = [(at, rule) for at in keepers if isinstance(rule := read[at], Rule)]
        if not kept:
            raise _explain_refusals(text, read)
        for at, rule in kept:
            found[at].append(rule)
    return [tuple(each) for each in found]


def _read_rule(
    text: str, table: Table, columns: Sequence[CodedColumn]
) -> Rule | InvalidInput | InvalidPlan:
    """A rule as a table reads it, or why it does not."""
    try:
        (rule,) = read_rules([text], table, columns)
    except (InvalidInput, InvalidPlan) as refusal:
        return refusal
    return rule


def _explain_refusals(text: str, read: Sequence[Rule | TacitError]) -> TacitError:
    """Why no table reads a rule: what all of them say, or else that they have not its columns."""
    said = {str(each): each for each in read if isinstance(each, TacitError)}
    if len(said) == 1:
        return next(iter(said.values()))
    remedy = "a rule is about one or two columns with declared values or bounds: of one table, or of one and the first"
    return InvalidInput("a rule", text, remedy)


def _number_of(child: Shared) -> CodedColumn:
    """The column of how many rows a unit has in a table; no declared column has its name."""
    most = child.contributions
    assert most is not None, "it was looked at"
    name = f"rows in {child.table.name}"
    return code_column(Column(name, Kind.INTEGER, low=0, high=most, nullable=False))


def _counted(child: Shared) -> str:
    """The number of rows of every unit that has any, as a subquery."""
    unit = _quote(str(child.table.unit))
    return f"(SELECT {unit}, COUNT(*) AS k FROM {_quote(child.table.name)} GROUP BY {unit})"  # noqa: S608 -- read, never run


def _read_rows(
    source: str,
    columns: Sequence[tuple[str, CodedColumn]],
    numbers: Sequence[tuple[str, CodedColumn]],
    known: Mapping[str, Any],
) -> tuple[Rows, tuple[CodedColumn, ...]]:
    """The rows of a FROM clause, and columns whose axes read them; the last are how many rows a unit has.

    A value is read as the argument of a COUNT; what is never NULL has the same value as in its own table.
    """
    read = [
        *(f"{alias}.{_quote(each.name)}" for alias, each in columns if each.column.nullable),
        *(f"CASE WHEN {alias}.k IS NULL THEN 0 ELSE {alias}.k END" for alias, _ in numbers),
    ]
    counts = ", ".join(f"COUNT({value}) AS n{place}" for place, value in enumerate(read))
    plan, _ = read_priced(f"SELECT {counts} FROM {source}", known)  # noqa: S608 -- read, never run
    proved = prove(plan)
    shown = [each.value for each in proved.view.columns]
    counted = [
        proved.question.measures[each.place] for each in shown if isinstance(each, MeasureOf)
    ]
    found = iter([each.value for each in counted if isinstance(each, Counted)])
    own = [_with_value(each, next(found) if each.column.nullable else None) for _, each in columns]
    return proved.question.rows, (*own, *(_with_value(each, next(found)) for _, each in numbers))


def _with_value(column: CodedColumn, value: Expression | None) -> CodedColumn:
    """A column whose axis reads a value of joined rows."""
    value = Field(column.column) if value is None else value
    return replace(column, axis=replace(column.axis, value=value))


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _rule_texts(rules: Sequence[Rule]) -> list[str]:
    """Rules as they decide which tables are asked for."""
    return [f"always {rule.text}" for rule in rules]
