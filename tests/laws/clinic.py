"""A clinic for questions about several tables: private ones, one where every row is a unit, public ones."""

import random
from contextlib import contextmanager
from datetime import date, timedelta
from typing import Any
from unittest.mock import patch

import duckdb

from tacit.curator import Limit, Policy, Shared, Vault
from tacit.engines import DuckDB
from tacit.ledger import MemoryLedger
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Kind, Table

WARDS = ("A", "B", "C", "D")
VISITS = Table(
    "visits",
    (
        Column("patient", Kind.INTEGER),
        Column("visit", Kind.INTEGER),
        Column("ward", Kind.TEXT, values=WARDS),
        Column("cost", Kind.NUMBER, 0, 5000),
        Column("stay", Kind.INTEGER, 0, 60),
        Column("day", Kind.DATE, date(2024, 1, 1), date(2025, 12, 31)),
        Column("urgent", Kind.BOOLEAN, values=(False, True)),
    ),
    unit="patient",
    contributions=40,
)
PATIENTS = Table(
    "patients",
    (
        Column("sex", Kind.TEXT, values=("f", "m")),
        Column("age", Kind.INTEGER, 0, 120),
        Column("ward", Kind.TEXT, values=WARDS),
    ),
    unit="id",
    contributions=3,
)
DOSES = Table(
    "doses",
    (
        Column("visit", Kind.INTEGER),
        Column("drug", Kind.TEXT, values=("x", "y")),
        Column("mg", Kind.NUMBER, 0, 100),
    ),
    unit="person",
    contributions=60,
    references=(("visit", "visits", "visit"),),
)
STATIONS = Table(
    "stations",
    (
        Column("ward", Kind.TEXT, values=WARDS),
        Column("floor", Kind.INTEGER, 0, 9, values=tuple(range(10))),
    ),
    public=True,
    unique=("ward",),
)
ROOMS = Table(
    "rooms",
    (Column("ward", Kind.TEXT, values=WARDS), Column("beds", Kind.INTEGER, 0, 8)),
    public=True,
)
TRIPS = Table(
    "trips",
    (Column("ward", Kind.TEXT, values=WARDS), Column("km", Kind.INTEGER, 0, 50)),
    contributions=1,
)
TABLES = {table.name: table for table in (VISITS, PATIENTS, DOSES, STATIONS, ROOMS, TRIPS)}


def rows(seed: int = 7, patients: int = 40) -> dict[Table, list[dict[str, Any]]]:
    """Some rows, with NULLs in every column that may have them and patients of every number of visits."""
    dice = random.Random(seed)
    visits: list[dict[str, Any]] = []
    people: list[dict[str, Any]] = []
    doses: list[dict[str, Any]] = []
    for patient in range(patients):
        if dice.random() < 0.8:
            people.append(
                {
                    "id": patient,
                    "sex": dice.choice("fm"),
                    "age": dice.randint(0, 99),
                    "ward": dice.choice([*WARDS, None]),
                }
            )
        for _ in range(dice.choice([0, 1, 2, 3, 9])):
            cost = dice.choice(
                [None, round(dice.uniform(0, 4999), 2), float(dice.randint(0, 5000))]
            )
            visits.append(
                {
                    "patient": patient,
                    "visit": len(visits),
                    "ward": dice.choice([*WARDS, None]),
                    "cost": cost,
                    "stay": dice.choice([None, 0, 1, 2, 3, 30]),
                    "day": dice.choice([None, date(2024, 1, 1) + timedelta(dice.randint(0, 700))]),
                    "urgent": dice.choice([True, False, None]),
                }
            )
            for _ in range(dice.choice([0, 0, 1, 2])):
                mg = dice.choice([None, dice.randint(0, 800) / 8])
                doses.append(
                    {
                        "person": patient,
                        "visit": visits[-1]["visit"],
                        "drug": dice.choice("xy"),
                        "mg": mg,
                    }
                )
    stations = [{"ward": ward, "floor": floor} for ward, floor in (("A", 1), ("B", 1), ("C", 2))]
    rooms = [
        {"ward": ward, "beds": beds}
        for ward, beds in (("A", 2), ("A", 4), ("B", 1), ("D", 8), ("D", 0))
    ]
    trips = [{"ward": dice.choice([*WARDS, None]), "km": dice.randint(0, 50)} for _ in range(30)]
    return {
        VISITS: visits,
        PATIENTS: people,
        DOSES: doses,
        STATIONS: stations,
        ROOMS: rooms,
        TRIPS: trips,
    }


def vault(limit: Limit, given: dict[Table, list[dict[str, Any]]], engine: Any = None) -> Vault:
    """A vault over all tables, in one engine."""
    held = (engine or (lambda each: DuckDB(each, threads=1)))(given)
    policy = Policy(
        limit, {table.name: Shared(table, table.contributions or 1) for table in given}, "patient"
    )
    return Vault(policy, {table.name: held for table in given}, MemoryLedger(limit.filter()))


@contextmanager
def no_noise():
    """Every mechanism releases what it was given."""

    def release(_: object, value: Any, times: int | None = None) -> Any:
        return value

    with patch.object(Laplace, "release", release), patch.object(Gaussian, "release", release):
        yield


_TYPES = {
    Kind.TEXT: "VARCHAR",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.DATE: "DATE",
    Kind.BOOLEAN: "BOOLEAN",
}


def plain(given: dict[Table, list[dict[str, Any]]]) -> duckdb.DuckDBPyConnection:
    """The same tables in DuckDB as it is."""
    connection = duckdb.connect(":memory:")
    for table, listed in given.items():
        columns = {column.name: _TYPES[column.kind] for column in table.columns}
        columns |= {table.unit: "BIGINT"} if table.unit else {}
        connection.execute(
            f"CREATE TABLE {table.name} ({', '.join(f'{n} {t}' for n, t in columns.items())})"
        )
        for row in listed:
            marks = ", ".join("?" for _ in columns)
            connection.execute(
                f"INSERT INTO {table.name} VALUES ({marks})", [row[name] for name in columns]
            )
    return connection
