"""Files that `ingest` has written: units are numbers, and each row knows how many rows its unit has, and its strata.

Checked by: tests/attacks/test_units_that_are_numbered.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import duckdb

from tacit.engines.duckdb.file_seal import check_seal
from tacit.engines.duckdb.rename_columns import (
    column_types,
    create_relation,
    key_number_name,
    stratum_name,
)
from tacit.engines.sources.path_to_unit import Raw
from tacit.engines.sources.rows import check_columns
from tacit.engines.sql.expressions import quote_name, text
from tacit.engines.sql.names_of_stored_rows import CountedKeys, Relation, Strata
from tacit.engines.sql.read_stored_columns import check_type
from tacit.errors import InvalidData
from tacit.plan import Kind, Table

__all__ = [
    "INGESTED",
    "INGESTED_KEYS",
    "INGESTED_NAMES",
    "INGESTED_STRATA",
    "INGESTED_UNIT",
    "UNIT",
    "UNIT_ROWS",
    "is_ingested",
    "is_own_name",
    "load_ingested",
    "name_key_numbers",
    "name_pairs",
    "name_strata",
    "name_units",
    "raw_ingested",
    "refuse_numbers",
]

INGESTED, INGESTED_UNIT, INGESTED_NAMES = "tacit_rows", "tacit_unit", "tacit_names"
"""The tables of a file that `ingest` has written: the rows, what their unit is called, and a name for each of them."""

INGESTED_STRATA = "tacit_strata"
"""The table of strata: the column that they divide, their number, and what `Strata` says of each."""

INGESTED_KEYS = "tacit_keys"
"""The table of texts that were counted: of which column, its place among such columns, and what `CountedKeys` says."""

UNIT, UNIT_ROWS = "tacit unit", "tacit unit rows"
"""The columns of an ingested table that say whose a row is and how many rows that unit has."""

_STRATUM, _KEY_NUMBER = "tacit stratum of ", "tacit key of "


def name_strata(column: str) -> str:
    """What the column of an ingested table is called that says the strata of its rows by another column."""
    return f"{_STRATUM}{column}"


def name_key_numbers(column: str) -> str:
    """What the column of an ingested table is called that says the numbers of another column's texts."""
    return f"{_KEY_NUMBER}{column}"


def name_pairs(place: int) -> str:
    """What the table is called that says which units have which texts."""
    return f"tacit_pairs_{place}"


def is_own_name(name: str) -> bool:
    """Whether a column of an ingested table is one that `ingest` adds."""
    return name in {UNIT, UNIT_ROWS} or name.startswith((_STRATUM, _KEY_NUMBER))


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
    check_seal(connection, schema.removesuffix(".main"), path)
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
    if unit is None:
        return create_relation(connection, "VIEW", ours, scan, table, cells, kinds)
    texts = [column.name for column in table.columns if column.kind is Kind.TEXT]
    divided = [name for name in texts if name_strata(name) in types]
    known = _list_counted(connection, schema)
    texts = [name for name in texts if name in known]
    cells += [
        quote_name(name)
        for name in (UNIT, UNIT_ROWS, *map(name_strata, divided), *map(name_key_numbers, texts))
    ]
    counted = ["unit_table_rows", *map(stratum_name, range(len(divided)))]
    counted += map(key_number_name, range(len(texts)))
    made = create_relation(
        connection, "VIEW", ours, scan, table, cells, [*kinds, types[UNIT]], counted
    )
    return replace(
        made,
        numbered=str(path),
        names=name_units(connection, "VIEW", ours, schema),
        strata=tuple(
            _load_strata(connection, ours, schema, name, place)
            for place, name in enumerate(divided)
        ),
        counted_keys=tuple(
            _load_counted(connection, ours, schema, name, place, known[name])
            for place, name in enumerate(texts)
        ),
    )


def _load_strata(
    connection: duckdb.DuckDBPyConnection, ours: str, schema: str, column: str, place: int
) -> Strata:
    """The strata of a column, as a view."""
    view = f"{ours}_strata_{place}"
    listed = f"SELECT * EXCLUDE (divided) FROM {schema}.{INGESTED_STRATA}"
    connection.execute(f"CREATE VIEW {view} AS {listed} WHERE divided = {text(column)}").fetchall()
    return Strata(column, stratum_name(place), view)


def _list_counted(connection: duckdb.DuckDBPyConnection, schema: str) -> dict[str, int]:
    """The columns of a file whose texts were counted, and the place of each; none in files of earlier versions."""
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?",
        [schema.removesuffix(".main")],
    )
    if (INGESTED_KEYS,) not in found.fetchall():
        return {}
    listed = f"SELECT DISTINCT counted, place FROM {schema}.{INGESTED_KEYS}"
    return dict(connection.execute(listed).fetchall())


def _load_counted(
    connection: duckdb.DuckDBPyConnection,
    ours: str,
    schema: str,
    column: str,
    place: int,
    stored: int,
) -> CountedKeys:
    """The texts of a column that were counted and the pairs of units with them, as views."""
    table, pairs = f"{ours}_keys_{place}", f"{ours}_pairs_{place}"
    listed = f"SELECT number, cell FROM {schema}.{INGESTED_KEYS} WHERE counted = {text(column)}"
    connection.execute(f"CREATE VIEW {table} AS {listed}").fetchall()
    connection.execute(
        f"CREATE VIEW {pairs} AS SELECT * FROM {schema}.{name_pairs(stored)}"
    ).fetchall()
    return CountedKeys(column, key_number_name(place), table, pairs)
