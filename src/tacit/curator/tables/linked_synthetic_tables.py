"""Synthetic tables that are linked by their unit: one row a unit, how many rows it has in other tables, and those."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.accounting import Charge
from tacit.curator.answer.release import Price
from tacit.curator.tables.column_codes import (
    find_lattice,
    list_uncoded,
)
from tacit.curator.tables.enforce_row_rules import decode_rows
from tacit.curator.tables.join_linked_tables_to_units import LinkedTable, read_linked_tables
from tacit.curator.tables.quality_report import SyntheticReport, report_on
from tacit.curator.tables.release_tables import Desk, Exchange, Order
from tacit.curator.tables.table_formats import (
    as_arrow,
    as_pandas,
    as_polars,
    write_csv,
    write_parquet,
)
from tacit.curator.tables.tables_noise import TableNoise
from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.plan import (
    Kind,
)
from tacit.printing import printable
from tacit.synth import Model, learn_table

__all__ = ["SyntheticTables", "synthesize_linked"]


class SyntheticTables:
    """Synthetic tables whose rows are linked by the unit; more units are free.

    Units are numbered from 1.  The first table has one row for each; how many rows one has in every
    other table, and what they are, follows from that row.
    """

    def __init__(
        self,
        parts: tuple[LinkedTable, ...],
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
        self, which: int, part: LinkedTable, owner: Any, units: Any, values: Mapping[str, list[Any]]
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
        self, part: LinkedTable, units: Any, values: dict[str, list[Any]]
    ) -> dict[str, list[Any]]:
        """Columns beside the numbers of their units, which begin with 1."""
        return {str(part.shared.table.unit): (units + 1).tolist()} | values


def _on_lattices(part: LinkedTable, model: Model) -> LinkedTable:
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
    parts = read_linked_tables(desk, tables, always)
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


def _learning(part: LinkedTable) -> Callable[[TableNoise], Exchange[bytes]]:
    """What learns one of the tables."""
    attributes = [each.attribute for each in part.asked.columns]
    forbidden = [rule.forbid(part.asked.columns) for rule in part.rules]

    def begin(noise: TableNoise) -> Exchange[bytes]:
        model = yield from learn_table(attributes, noise.law, forbidden)
        return model.write()

    return begin
