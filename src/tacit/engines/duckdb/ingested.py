"""Files that `ingest` has written: units are numbers, and each row knows how many rows its unit has.

Checked by: tests/attacks/test_units_that_are_numbered.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import duckdb

from tacit.engines.duckdb.create_relation import column_types, create_relation
from tacit.engines.sources.foreign_keys import Raw
from tacit.engines.sources.rows import check_columns
from tacit.engines.sql.casts import check_type
from tacit.engines.sql.expressions import quote_name, text
from tacit.engines.sql.relation import Relation
from tacit.errors import InvalidData
from tacit.plan import Table

__all__ = [
    "INGESTED",
    "INGESTED_NAMES",
    "INGESTED_UNIT",
    "UNIT",
    "UNIT_ROWS",
    "is_ingested",
    "load_ingested",
    "name_units",
    "raw_ingested",
    "refuse_numbers",
]

INGESTED, INGESTED_UNIT, INGESTED_NAMES = "tacit_rows", "tacit_unit", "tacit_names"
"""The tables of a file that `ingest` has written: the rows, what their unit is called, and a name for each of them."""

UNIT, UNIT_ROWS = "tacit unit", "tacit unit rows"
"""The columns of an ingested table that say whose a row is and how many rows that unit has."""


def is_ingested(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> bool:
    """Whether a file, which is attached by a name, was made by `ingest`."""
    connection.execute(f"ATTACH {text(str(path))} AS {name} (READ_ONLY)")
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [name]
    )
    return (INGESTED,) in found.fetchall()


def raw_ingested(
    connection: duckdb.DuckDBPyConnection, schema: str, ends: list[Table]
) -> tuple[str, list[Raw]]:
    """A scan of an ingested file, and some of its columns as they are stored: its unit has another name."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    types = column_types(connection, f"{schema}.{INGESTED}")
    for end in ends:
        check_columns({*types, unit}, end)
    if unit in {end.unit for end in ends[:-1]}:
        refuse_numbers(unit)
    names = [UNIT if end.unit == unit else end.unit or "" for end in ends]
    return f"{schema}.{INGESTED}", [Raw(quote_name(name), types[name]) for name in names]


def refuse_numbers(key: str) -> NoReturn:
    """Refuse a key that became a number when its table was ingested."""
    raise InvalidData(
        f"{key!r} is a key and was ingested as a unit, which became a number; open the source itself"
    )


def name_units(connection: duckdb.DuckDBPyConnection, what: str, ours: str, schema: str) -> str:
    """A view or table of the names of units that an ingested file has numbered."""
    database = schema.removesuffix(".main")
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [database]
    )
    if (INGESTED_NAMES,) not in found.fetchall():
        raise InvalidData("a file was ingested by an earlier version; ingest its source again")
    connection.execute(
        f"CREATE {what} {ours}_names AS SELECT u AS unit, name FROM {schema}.{INGESTED_NAMES}"
    ).fetchall()
    return f"{ours}_names"


def load_ingested(
    connection: duckdb.DuckDBPyConnection, ours: str, schema: str, table: Table, path: Path
) -> Relation:
    """The relation of a file that `ingest` has written: its units are numbers, and each row knows how many it has."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    if unit != table.unit:
        raise InvalidData(
            f"the file was ingested with unit {unit!r}, but table {table.name!r} declares "
            f"{table.unit!r}; ingest the source again"
        )
    scan = f"{schema}.{INGESTED}"
    types = column_types(connection, scan)
    check_columns({*types, *([unit] if unit else [])}, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    cells, kinds = (
        [quote_name(column.name) for column in table.columns],
        [types[column.name] for column in table.columns],
    )
    if unit is not None:
        cells, kinds = [*cells, quote_name(UNIT), quote_name(UNIT_ROWS)], [*kinds, types[UNIT]]
    made = create_relation(connection, "VIEW", ours, scan, table, cells, kinds)
    return (
        made
        if unit is None
        else replace(made, numbered=str(path), names=name_units(connection, "VIEW", ours, schema))
    )
