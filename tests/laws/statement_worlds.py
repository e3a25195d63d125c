"""Rows for generated statements: tables that differ in what one unit owns, which is built to stand out."""

from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from functools import cached_property
from math import inf, nan
from random import Random
from typing import Any

from tacit.engines import DuckDB, Memory
from tacit.plan import Column, Kind, Table
from tests.laws.statement_tables import DOSES, LABS, PRICES, STATIONS, TRIPS, VISITS, WARDS

__all__ = ["VARIANTS", "World", "make_world"]

Rows = dict[Table, list[dict[str, Any]]]

PUBLIC: Rows = {
    STATIONS: [
        {"ward": ward, "floor": floor} for ward, floor in zip(WARDS, (1, 2, 3), strict=True)
    ],
    PRICES: [
        {"drug": drug, "price": price, "class": kind}
        for drug, price, kind in (
            ("aspirin", 1.5, "x"),
            ("aspirin", 20.0, "y"),
            ("A", 0.0, "x"),
            ("7", 3.25, None),
        )
    ],
}
USUAL: dict[Kind, list[Any]] = {
    Kind.BOOLEAN: [True, False, None],
    Kind.INTEGER: [0, 1, 2, 3, 7, 40, None],
    Kind.NUMBER: [0.0, 0.5, 1.0, 7.25, 100.0, Decimal("1.10"), None],
    Kind.TEXT: ["A", "B", "é b", "aspirin", "hdl", "7", "-3.5e1", "2024-02-29", "it's", " A", None],
    Kind.DATE: [date(2024, 2, 29), date(2024, 7, 1), date(2024, 12, 31), None],
    Kind.TIMESTAMP: [
        datetime(2024, 2, 29, 23, 59, 59, 999_999, UTC),
        datetime(2024, 7, 1, 12, tzinfo=UTC),
        None,
    ],
}
EXTREME: dict[Kind, list[Any]] = {
    Kind.BOOLEAN: [True, False],
    Kind.INTEGER: [2**63 - 1, -(2**63), 10**9, -1, 120, 121],
    Kind.NUMBER: [
        nan,
        inf,
        -inf,
        1e308,
        -1e308,
        5e-324,
        -0.0,
        2.0**63,
        500.0,
        -50.0,
        250.0,
        Decimal("99.999"),
    ],
    Kind.TEXT: [
        "",
        "\0",
        "%_\\",
        "'; --",
        "x" * 3000,
        "ﬀİ\u0345",
        "9" * 40,
        "NaN",
        "0001-01-01",
        "Infinity",
        "1e400",
        "\ud800x",
    ],
    Kind.DATE: [date(1, 1, 1), date(9999, 12, 31), date(1969, 12, 31), date(2024, 1, 1)],
    Kind.TIMESTAMP: [
        datetime(1, 1, 1, tzinfo=UTC),
        datetime(9999, 12, 31, 23, 59, 59, 999_999, UTC),
    ],
}
VARIANTS = ("highest", "lowest", "extreme", "nothing", "many copies", "like others", "many keys")
PRIVATE = (VISITS, DOSES, LABS)
UNITS: dict[Table, list[Any]] = {
    VISITS: ["1", "2", "3", "ann", "é", "", None],
    DOSES: [1, 2, 3, 4, -1, None],
    LABS: [1, 2, 0, 2**70, -(2**63), None],
}
# one unit, which each table stores in its own way
VICTIM: dict[Table, Any] = {VISITS: "7", DOSES: 7, LABS: 7}


@dataclass(frozen=True)
class World:
    """Databases that are alike but for the rows of one unit: in the first it has none, then come its variants.

    Where every row is a unit, one row of that table comes with each variant.
    """

    databases: tuple[Rows, ...]

    @cached_property
    def memories(self) -> list[Memory]:
        """Every database in the memory engine."""
        return [Memory(rows) for rows in self.databases]

    @cached_property
    def _ducks(self) -> dict[int, DuckDB]:
        return {}

    def duck(self, place: int) -> DuckDB:
        """A database in DuckDB, its rows in another order."""
        if place not in self._ducks:
            rows = {table: rows[::-1] for table, rows in self.databases[place].items()}
            self._ducks[place] = DuckDB(rows, threads=1)
        return self._ducks[place]

    def close(self) -> None:
        """Let go of what was opened."""
        for engine in self._ducks.values():
            engine.close()


def make_world(seed: int) -> World:
    """The world of a seed."""
    dice = Random(seed)
    others: Rows = {TRIPS: [_make_row(dice, TRIPS, 0.15) for _ in range(9)], **PUBLIC}
    for table in PRIVATE:
        owners = [unit for unit in UNITS[table] for _ in range(dice.choice([1, 1, 2, 3]))]
        others[table] = [_make_row(dice, table, 0.15) | {str(table.unit): unit} for unit in owners]
    found = [others]
    for variant in VARIANTS:
        own: Rows = {table: _make_rows(dice, table, variant, others[table]) for table in PRIVATE}
        if dice.random() < 0.3:
            own[dice.choice(PRIVATE)] = []
        own = {
            table: [row | {str(table.unit): VICTIM[table]} for row in rows]
            for table, rows in own.items()
        }
        own[TRIPS] = _make_rows(dice, TRIPS, variant, others[TRIPS])[:1]
        found.append(
            {table: _shuffle(dice, [*rows, *own.get(table, [])]) for table, rows in others.items()}
        )
    return World(tuple(found))


def _shuffle(dice: Random, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return dice.sample(rows, len(rows))


def _make_rows(
    dice: Random, table: Table, variant: str, others: list[dict[str, Any]]
) -> list[dict[str, Any]]:
    """The rows of the unit that makes the difference."""
    match variant:
        case "highest" | "lowest":
            rows = [
                {
                    column.name: _make_end(dice, column, variant == "highest")
                    for column in table.columns
                }
            ]
            return rows * dice.choice([1, 2, 3])
        case "extreme":
            return [_make_row(dice, table, 0.8) for _ in range(dice.choice([1, 2, 4]))]
        case "nothing":
            return [dict.fromkeys((column.name for column in table.columns), None)] * dice.choice(
                [1, 3]
            )
        case "many copies":
            return [_make_row(dice, table, 0)] * 5
        case "like others":
            return [dict(dice.choice(others)) for _ in range(4)]
        case _:
            return [
                {column.name: _make_other(column, number) for column in table.columns}
                for number in range(6)
            ]


def _make_row(dice: Random, table: Table, extreme: float) -> dict[str, Any]:
    return {column.name: _make_cell(dice, column, extreme) for column in table.columns}


def _make_cell(dice: Random, column: Column, extreme: float) -> Any:
    if dice.random() < extreme:
        return dice.choice(EXTREME[column.kind])
    if column.values is not None and dice.random() < 0.8:
        return dice.choice(column.values)
    return dice.choice(USUAL[column.kind])


def _make_other(column: Column, number: int) -> Any:
    """A cell that differs from those of other numbers: of declared values one after the other."""
    if column.values is not None:
        return column.values[number % len(column.values)]
    match column.kind:
        case Kind.TEXT:
            return f"{column.name} {number}"
        case Kind.INTEGER | Kind.NUMBER:
            return 17 * number - 3
        case Kind.DATE:
            return date(2024, 2 * number + 1, 5 * number + 1)
        case Kind.TIMESTAMP:
            return datetime(2024, 2 * number + 1, 5 * number + 1, number, tzinfo=UTC)
        case Kind.BOOLEAN:
            return (None, True, False)[number % 3]


def _make_end(dice: Random, column: Column, high: bool) -> Any:
    """A cell at an end of what is declared, or beyond it."""
    end = column.high if high else column.low
    if isinstance(end, int) and not isinstance(end, bool):
        beyond = end + (1000 if high else -1000)
        return (
            dice.choice([end, beyond])
            if column.kind is Kind.INTEGER
            else float(dice.choice([end, beyond]))
        )
    if end is not None:
        return end
    if column.values is not None:
        return column.values[-1 if high else 0]
    return USUAL[column.kind][-2 if high else 0]
