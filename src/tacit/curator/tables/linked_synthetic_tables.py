"""Synthetic tables that are linked by their unit: one row a unit, how many rows it has in other tables, and those."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.accounting import Charge
from tacit.curator.answer.release import Price
from tacit.curator.policy.policy import Shared
from tacit.curator.tables.column_codes import (
    CodedColumn,
    code_column,
    code_columns,
    find_lattice,
    list_uncoded,
)
from tacit.curator.tables.enforce_row_rules import decode_rows
from tacit.curator.tables.quality_report import SyntheticReport, report_on
from tacit.curator.tables.release_tables import Desk, Exchange, Order, TablesAsked
from tacit.curator.tables.row_rules import Rule, read_rules
from tacit.curator.tables.table_formats import (
    as_arrow,
    as_pandas,
    as_polars,
    write_csv,
    write_parquet,
)
from tacit.curator.tables.tables_noise import TableNoise
from tacit.errors import InvalidInput, InvalidPlan, TacitError
from tacit.exact import Number, count_of
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
from tacit.printing import printable
from tacit.synth import Model, learn_table

__all__ = ["SyntheticTables", "synthesize_linked"]


@frozen(eq=False)
class _Part:
    """One of the tables: what is asked of it, its own columns, and the rules that its rows keep."""

    shared: Shared
    own: tuple[CodedColumn, ...]
    asked: TablesAsked
    rules: tuple[Rule, ...]

    @property
    def name(self) -> str:
        """The name of the table."""
        return self.shared.table.name


class SyntheticTables:
    """Synthetic tables whose rows are linked by the unit; more units are free.

    Units are numbered from 1.  The first table has one row for each; how many rows one has in every
    other table, and what they are, follows from that row.
    """

    def __init__(
        self,
        parts: tuple[_Part, ...],
        models: tuple[Model, ...],
        price: Price,
        receipts: tuple[Mapping[str, Any], ...],
    ) -> None:
        self._parts = tuple(_on_lattices(*each) for each in zip(parts, models, strict=True))
        self._models = models
        self.names = tuple(part.name for part in parts)
        self.price, self.receipts = price, receipts
        self._made: dict[int, tuple[dict[str, list[Any]], ...]] = {}

    @property
    def not_modelled(self) -> dict[str, tuple[str, ...]]:
        """The columns of each table without declared values or bounds, but for the unit."""
        return {
            part.shared.table.name: tuple(
                name for name in list_uncoded(part.shared.table) if name != part.shared.table.unit
            )
            for part in self._parts
        }

    def __len__(self) -> int:
        return max(1, round(self._models[0].total))

    def columns_of(self, table: str, units: int | None = None) -> dict[str, list[Any]]:
        """The values of a table's columns by name, for so many units: as many as there are, if not said."""
        if table not in self.names:
            raise InvalidInput("table", table, f"name one of: {', '.join(self.names)}")
        count = len(self) if units is None else count_of(units, "units")
        if count not in self._made:
            self._made = {count: self._draw(count)}
        return self._made[count][self.names.index(table)]

    def to_arrow(self, units: int | None = None) -> dict[str, Any]:
        """The tables as Arrow tables, by name."""
        return {
            name: as_arrow(self._kinds(name), self.columns_of(name, units)) for name in self.names
        }

    def to_pandas(self, units: int | None = None) -> dict[str, Any]:
        """The tables as pandas DataFrames, by name."""
        return {
            name: as_pandas(self._kinds(name), self.columns_of(name, units)) for name in self.names
        }

    def to_polars(self, units: int | None = None) -> dict[str, Any]:
        """The tables as polars DataFrames, by name."""
        return {
            name: as_polars(self._kinds(name), self.columns_of(name, units)) for name in self.names
        }

    def to_parquet(self, folder: str | Path, units: int | None = None) -> None:
        """Write each table to a Parquet file of its name."""
        for name in self.names:
            path = Path(folder) / f"{name}.parquet"
            write_parquet(path, self._kinds(name), self.columns_of(name, units))

    def to_csv(self, folder: str | Path, units: int | None = None) -> None:
        """Write each table to a CSV file of its name."""
        for name in self.names:
            write_csv(Path(folder) / f"{name}.csv", self.columns_of(name, units))

    def report(self) -> dict[str, SyntheticReport]:
        """For each table how far pairs of columns are from the real ones; those of every other stand
        beside the first one's."""
        return self._report

    @cached_property
    def _report(self) -> dict[str, SyntheticReport]:
        return {
            name: report_on(name, part.asked.columns, model, self.not_modelled[name], linked=True)
            for name, part, model in zip(self.names, self._parts, self._models, strict=True)
        }

    def __str__(self) -> str:
        first, *others = self.names
        rows = [
            f"{len(next(iter(self.columns_of(name).values()))):,} rows in {printable(name)}"
            for name in others
        ]
        return (
            f"{len(self):,} synthetic units in {printable(first)}, with {' and '.join(rows)}; "
            f"cost: {self.price}"
        )

    __repr__ = __str__

    def _kinds(self, name: str) -> dict[str, Kind]:
        part = self._parts[self.names.index(name)]
        unit = part.shared.table.unit
        assert unit is not None, "linked tables have a unit"
        return {unit: Kind.INTEGER} | {each.name: each.column.kind for each in part.own}

    def _draw(self, count: int) -> tuple[dict[str, list[Any]], ...]:
        """Rows of all tables: those of every other follow from the first."""
        parent, own = self._parts[0], len(self._parts[0].own)
        columns = parent.asked.columns
        places = self._models[0].rows(count, [rule.forbid(columns) for rule in parent.rules])
        values, kept = decode_rows(parent.own, places[:, :own], parent.rules, (41, 61))
        values, places = _keep(values, kept), places[kept]
        found = [self._with_units(parent, np.arange(len(places)), values)]
        for which, part in enumerate(self._parts[1:], 1):
            about = own + which - 1  # the column of how many rows a unit has in this table
            number = columns[about].decode(places[:, about], np.full(len(places), 0.5))
            owner = np.repeat(np.arange(len(places)), number)
            found.append(
                self._draw_rows(which, part, owner, places[:, [*range(own), about]], values)
            )
        return tuple(found)

    def _draw_rows(
        self, which: int, part: _Part, owner: Any, units: Any, values: Mapping[str, list[Any]]
    ) -> dict[str, list[Any]]:
        """Rows of a table, for the units that own them: their places, and the values of their rows."""
        own = len(part.own)
        forbidden = [rule.forbid(part.asked.columns) for rule in part.rules]
        known = range(own, len(part.asked.columns))
        rows, allowed = self._models[which].rows_given(
            known, units[owner], which, forbidden=forbidden
        )
        rows, owner = rows[allowed], owner[allowed]
        above = {name: [column[at] for at in owner.tolist()] for name, column in values.items()}
        streams = 41 + which, 61 + which
        parent = self._parts[0].own
        made, kept = decode_rows(part.own, rows[:, :own], part.rules, streams, parent, above)
        return self._with_units(part, owner[kept], _keep(made, kept))

    def _with_units(
        self, part: _Part, units: Any, values: dict[str, list[Any]]
    ) -> dict[str, list[Any]]:
        """Columns beside the numbers of their units, which begin with 1."""
        return {str(part.shared.table.unit): (units + 1).tolist()} | values


def _on_lattices(part: _Part, model: Model) -> _Part:
    """A part whose own columns know on which lattice their numbers lie."""
    own = enumerate(part.own)
    return replace(part, own=tuple(find_lattice(each, model.marginal([at])) for at, each in own))


def _keep(values: dict[str, list[Any]], kept: Any) -> dict[str, list[Any]]:
    """The rows that are kept."""
    if kept.all():
        return values
    return {
        name: [each for each, keep in zip(column, kept, strict=True) if keep]
        for name, column in values.items()
    }


def synthesize_linked(
    desk: Desk, tables: Sequence[str], *, epsilon: Number, always: Sequence[str] = ()
) -> SyntheticTables:
    """Synthetic tables linked by the unit; see `Vault.synthesize`.

    Claim:      all are paid for with equal parts of one price, before a row is read; what does not fit into a limit as
                a whole is refused before the first part is paid.  Who spends at the same moment can still have a later
                part refused: the earlier ones then stay paid, and are not paid for again when the same is asked for.
    Because:    the parts of the charge add up to it, and `Desk.answer_all` rehearses and checks all before it pays.
    Checked by: tests/unit/curator/tables/test_linked_synthetic_tables.py::test_linked_tables_cost_their_price and
                tests/unit/curator/tables/test_linked_synthetic_tables.py::test_both_parts_are_paid_for_or_neither
    """
    parts = _read_parts(desk, tables, always)
    charge = desk.price_of(epsilon)
    each = charge.amount // len(parts)
    charges = [Charge(charge.amount - each * (len(parts) - 1)), *[Charge(each)] * (len(parts) - 1)]
    orders = [
        Order(part.asked, paid, _learning(part)) for part, paid in zip(parts, charges, strict=True)
    ]
    answered = desk.answer_all(orders)
    models = tuple(Model.read(each.stored.model) for each in answered)
    free = all(each.price.free for each in answered)
    receipts = tuple(each.receipt for each in answered)
    price = desk.access.price_of(charge, free=free)
    return SyntheticTables(parts, models, price, receipts)


def _learning(part: _Part) -> Callable[[TableNoise], Exchange[bytes]]:
    """What learns one of the tables."""
    attributes = [each.attribute for each in part.asked.columns]
    forbidden = [rule.forbid(part.asked.columns) for rule in part.rules]

    def begin(noise: TableNoise) -> Exchange[bytes]:
        model = yield from learn_table(attributes, noise.law, forbidden)
        return model.write()

    return begin


def _read_parts(desk: Desk, tables: Sequence[str], always: Sequence[str] = ()) -> tuple[_Part, ...]:
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
    more = (*(each.table.name for each in others), *_written(rules[0]))
    found = [_Part(first, parent, TablesAsked(kind, first, above, about, more, units), rules[0])]
    for child, own, number, kept in zip(others, children, numbers, rules[1:], strict=True):
        two, other = _quote(child.table.name), _quote(str(child.table.unit))
        rows, below = _read_rows(
            f"{two} AS v JOIN {one} AS p ON v.{other} = p.{unit} "
            f"LEFT JOIN {_counted(child)} AS c ON v.{other} = c.{other}",
            [*(("v", each) for each in own), *(("p", each) for each in parent)],
            [("c", number)],
            known,
        )
        more = (first.table.name, *_written(kept))
        found.append(_Part(child, own, TablesAsked(kind, child, below, about, more, rows), kept))
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


def _written(rules: Sequence[Rule]) -> list[str]:
    """Rules as they decide which tables are asked for."""
    return [f"always {rule.text}" for rule in rules]


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
