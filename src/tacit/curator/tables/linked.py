"""Synthetic tables that are linked by their unit: one row a unit, how many rows it has in a second table, and those."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.accounting import Charge
from tacit.curator.answer.release import Price
from tacit.curator.policy.values import Shared
from tacit.curator.tables.columns import CodedColumn, code_column, code_columns, list_uncoded
from tacit.curator.tables.desk import Desk, Exchange, Order, TablesAsked
from tacit.curator.tables.forms import as_arrow, as_pandas, as_polars, write_csv, write_parquet
from tacit.curator.tables.noise import TableNoise
from tacit.curator.tables.report import SyntheticReport, report_on
from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.plan import Column, Counted, Expression, Field, Kind, MeasureOf, Rows, prove, read_priced
from tacit.printing import printable
from tacit.synth import Model, learn_table, uniforms

__all__ = ["SyntheticTables", "synthesize_linked"]

ROWS_OF_UNIT = "rows of a unit"
"""The column of how many rows of the second table a unit has; no declared column has this name."""


@frozen(eq=False)
class _Part:
    """One of the two tables: what is asked of it, and what was learnt."""

    shared: Shared
    own: tuple[CodedColumn, ...]
    asked: TablesAsked


class SyntheticTables:
    """Two synthetic tables whose rows are linked by the unit; more units are free.

    Units are numbered from 1.  How many rows one has in the second table, and what they are,
    follows from its row in the first one.
    """

    def __init__(
        self,
        parts: tuple[_Part, _Part],
        models: tuple[Model, Model],
        price: Price,
        receipts: tuple[Mapping[str, Any], ...],
    ) -> None:
        self._parts, self._models = parts, models
        self.names = tuple(part.shared.table.name for part in parts)
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
        """For each table how far pairs of columns are from the real ones; those of the second stand
        beside the first one's."""
        return self._report

    @cached_property
    def _report(self) -> dict[str, SyntheticReport]:
        return {
            name: report_on(name, part.asked.columns, model, self.not_modelled[name], linked=True)
            for name, part, model in zip(self.names, self._parts, self._models, strict=True)
        }

    def __str__(self) -> str:
        first, second = map(printable, self.names)
        rows = len(next(iter(self.columns_of(self.names[1]).values())))
        return (
            f"{len(self):,} synthetic units in {first}, with {rows:,} rows in {second}; "
            f"cost: {self.price}"
        )

    __repr__ = __str__

    def _kinds(self, name: str) -> dict[str, Kind]:
        part = self._parts[self.names.index(name)]
        unit = part.shared.table.unit
        assert unit is not None, "linked tables have a unit"
        return {unit: Kind.INTEGER} | {each.name: each.column.kind for each in part.own}

    def _draw(self, count: int) -> tuple[dict[str, list[Any]], ...]:
        """Rows of both tables: those of the second one follow from the first."""
        parent, child = self._models
        columns = self._parts[0].asked.columns
        places = parent.rows(count)
        number = columns[-1].decode(places[:, -1], np.full(count, 0.5))
        owner = np.repeat(np.arange(count), number)
        known = list(range(len(self._parts[1].own), len(self._parts[1].own) + len(columns)))
        rows = child.rows_given(known, places[owner], 1)
        return (
            self._decode(0, np.arange(count) + 1, places),
            self._decode(1, owner + 1, rows),
        )

    def _decode(self, which: int, units: Any, places: Any) -> dict[str, list[Any]]:
        part = self._parts[which]
        inside = uniforms(len(places) * len(part.own), 41 + which).reshape(len(places), -1)
        found = {
            each.name: each.decode(places[:, at], inside[:, at]) for at, each in enumerate(part.own)
        }
        return {str(part.shared.table.unit): units.tolist()} | found


def synthesize_linked(
    desk: Desk, tables: Sequence[str], *, epsilon: Number, always: Sequence[str] = ()
) -> SyntheticTables:
    """Two synthetic tables linked by the unit; see `Vault.synthesize`.

    Claim:      both are paid for with half of one price each, before a row is read; what does not fit into a limit as a
                whole is refused before the first half is paid.  Who spends at the same moment can still have the second
                half refused: the first one then stays paid, and is not paid for again when the same is asked for.
    Because:    the halves of the charge add up to it, and `Desk.answer_all` rehearses and checks both before it pays.
    Checked by: tests/unit/curator/tables/test_linked.py::test_two_linked_tables_cost_their_price and
                tests/unit/curator/tables/test_linked.py::test_both_parts_are_paid_for_or_neither
    """
    if always:
        raise InvalidInput(
            "always", tuple(always), "rules are kept by single tables; leave them out"
        )
    parts = _read_parts(desk, tables)
    charge = desk.price_of(epsilon)
    half = charge.amount // 2
    halves = (Charge(charge.amount - half), Charge(half))
    orders = [
        Order(part.asked, paid, _learning(part)) for part, paid in zip(parts, halves, strict=True)
    ]
    answered = desk.answer_all(orders)
    models = [Model.read(each.stored.model) for each in answered]
    free = all(each.price.free for each in answered)
    receipts = tuple(each.receipt for each in answered)
    price = desk.access.price_of(charge, free=free)
    return SyntheticTables(parts, (models[0], models[1]), price, receipts)


def _learning(part: _Part) -> Callable[[TableNoise], Exchange[bytes]]:
    """What learns one of the two tables."""
    attributes = [each.attribute for each in part.asked.columns]

    def begin(noise: TableNoise) -> Exchange[bytes]:
        model = yield from learn_table(attributes, noise.law)
        return model.write()

    return begin


def _read_parts(desk: Desk, tables: Sequence[str]) -> tuple[_Part, _Part]:
    """What is asked of two tables: units with the number of their rows, and rows beside their unit's."""
    if len(tables) != 2 or tables[0] == tables[1]:
        raise InvalidInput(
            "table", tuple(tables), "name two: one with a row for each unit, then the other"
        )
    first, second = (desk.shared(name) for name in tables)
    for shared in (first, second):
        if shared.table.unit is None:
            raise InvalidInput("table", shared.table.name, "its rows have no unit that links them")
        if shared.contributions is None:
            raise InvalidInput(
                "table", shared.table.name, "set `contributions` for it in the policy"
            )
    if first.contributions != 1:
        remedy = "its `contributions` must be 1: name the table with one row for each unit first"
        raise InvalidInput("table", first.table.name, remedy)
    parent, child = code_columns(first.table), code_columns(second.table)
    shared_names = {each.name for each in parent} & {each.name for each in child}
    if shared_names:
        remedy = "both tables have a column of that name; rename one of them in its source"
        raise InvalidInput("column", min(shared_names), remedy)
    unit, other = _quote(str(first.table.unit)), _quote(str(second.table.unit))
    one, two = _quote(tables[0]), _quote(tables[1])
    counted = f"(SELECT {other}, COUNT(*) AS k FROM {two} GROUP BY {other}) AS c"  # noqa: S608 -- read, never run
    known = {name: shared.asked_table for name, shared in desk.tables.items()}
    most = second.contributions
    assert most is not None, "it was looked at"
    number = code_column(Column(ROWS_OF_UNIT, Kind.INTEGER, low=0, high=most, nullable=False))
    how_many = "CASE WHEN c.k IS NULL THEN 0 ELSE c.k END"
    units, above = _read_rows(
        f"{one} AS p LEFT JOIN {counted} ON p.{unit} = c.{other}",
        [*(("p", each) for each in parent), ("c", number)],
        how_many,
        known,
    )
    about, kind = f"synthetic tables of {tables[0]} and {tables[1]}", "linked synthetic table"
    top = TablesAsked(kind, first, above, about, (tables[1],), units)
    rows, below = _read_rows(
        f"{two} AS v JOIN {one} AS p ON v.{other} = p.{unit} LEFT JOIN {counted} ON v.{other} = c.{other}",
        [*(("v", each) for each in child), *(("p", each) for each in parent), ("c", number)],
        how_many,
        known,
    )
    bottom = TablesAsked(kind, second, below, about, (tables[0],), rows)
    return _Part(first, parent, top), _Part(second, child, bottom)


def _read_rows(
    source: str, columns: Sequence[tuple[str, CodedColumn]], how_many: str, known: Mapping[str, Any]
) -> tuple[Rows, tuple[CodedColumn, ...]]:
    """The rows of a FROM clause, and columns whose axes read them; the last is how many rows a unit has.

    A value is read as the argument of a COUNT; what is never NULL has the same value as in its own table.
    """
    read = [
        *(f"{alias}.{_quote(each.name)}" for alias, each in columns if each.column.nullable),
        how_many,
    ]
    counts = ", ".join(f"COUNT({value}) AS n{place}" for place, value in enumerate(read))
    plan, _ = read_priced(f"SELECT {counts} FROM {source}", known)  # noqa: S608 -- read, never run
    proved = prove(plan)
    shown = [each.value for each in proved.view.columns]
    counted = [
        proved.question.measures[each.place] for each in shown if isinstance(each, MeasureOf)
    ]
    found = iter([each.value for each in counted if isinstance(each, Counted)])
    return proved.question.rows, tuple(
        _with_value(
            each, next(found) if each.column.nullable or each.name == ROWS_OF_UNIT else None
        )
        for _, each in columns
    )


def _with_value(column: CodedColumn, value: Expression | None) -> CodedColumn:
    """A column whose axis reads a value of joined rows."""
    value = Field(column.column) if value is None else value
    return replace(column, axis=replace(column.axis, value=value))


def _quote(name: str) -> str:
    doubled = name.replace('"', '""')
    return f'"{doubled}"'
