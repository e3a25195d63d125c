"""What a source says about its columns before anything is declared: names and types, never values.

Checked by: tests/unit/engines/sources/test_refuse_ambiguous_names.py
"""

# ruff: noqa: S608 -- every name and path goes through `quote_name` and `text`

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import closing, nullcontext, suppress
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, Any

import duckdb

from tacit.engines.duckdb.connection import describing_cursor, open_connection
from tacit.engines.duckdb.ingested_layout import INGESTED, INGESTED_UNIT, is_own_name
from tacit.engines.duckdb.rename_columns import column_types
from tacit.engines.sources.pandas_frames import declared_kinds
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.refuse_ambiguous_names import check_names
from tacit.engines.sources.source_kinds import (
    Frame,
    JsonLines,
    Listed,
    Pandas,
    Parquet,
    ParquetFiles,
    Separated,
    Stored,
    source_of,
)
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.sql.expressions import quote_name, text
from tacit.engines.sql.read_stored_columns import check_units_alike, kinds_of, refuse_own_numbers
from tacit.errors import InvalidData
from tacit.plan import Kind, Table

if TYPE_CHECKING:
    from tacit.engines.served.table_selects import StoredColumn


__all__ = ["check_combined", "stored_kinds", "stored_types", "tables_inside"]

ANY = tuple(Kind)
NONE: tuple[Kind, ...] = ()

Kinds = Mapping[str, tuple[Kind, ...]]
"""Columns, and the kinds as which each can be declared; the first is what it is if nothing is said."""


def stored_kinds(given: object, connection: Any = None) -> Kinds:
    """The columns of a source and the kinds as which each can be declared; a text file can be declared as anything.

    A connection that is already `opened` is asked if it is given, and left as it was.

    >>> stored_kinds([{"ward": "A"}])["ward"] == tuple(Kind)
    True
    """
    match source_of(given):
        case Listed(rows):
            return dict.fromkeys(rows[0], ANY) if rows else {}
        case Separated(path, dialect):
            from tacit.engines.sources.text_files import header_of

            return dict.fromkeys(header_of(path, dialect), ANY)
        case JsonLines(path):
            return dict.fromkeys(_checked_names(path), ANY)
        case Pandas(frame):
            return declared_kinds(frame)
        case Parquet(path):
            found = _describe_columns(
                connection, f"read_parquet({text(str(path))}, hive_partitioning = false)", path.name
            )
            _check_parquet(connection, path)
            return found
        case ParquetFiles(paths, names):
            first = paths[0]
            scan = f"read_parquet({text(str(first))}, hive_partitioning = false)"
            found = _describe_columns(connection, scan, first.name)
            _check_parquet(connection, first)
            check_names([*found, *names], "a folder of Parquet files")
            return {**found, **dict.fromkeys(names, ANY)}
        case Frame(frame):
            check_names(
                map(str, getattr(frame, "column_names", None) or frame.columns), "the frame"
            )
            return _describe_columns(connection, "given", "the frame", frame)
        case Stored(path, inside):
            return _kinds_in_file(path, inside)
        case (PostgresTable() | SparkTable()) as inside:
            return {
                name: NONE if column.stored is None else kinds_of(column.stored)
                for name, column in _columns_there(inside).items()
            }
        case Linked(source, _) as linked:
            return {linked.path: NONE, **stored_kinds(source)}


def stored_types(given: object) -> Mapping[str, str]:
    """As what a source stores each of its columns, in its own words; nothing where it has no types.

    >>> import pyarrow as pa
    >>> stored_types(pa.table({"age": pa.array([1], pa.int8())}))
    {'age': 'TINYINT'}
    """
    match source_of(given):
        case Parquet(path) | ParquetFiles((path, *_)):
            scan = f"read_parquet({text(str(path))}, hive_partitioning = false)"
            with describing_cursor() as connection, suppress(duckdb.Error):
                return column_types(connection, scan)
        case Frame(frame):
            with describing_cursor() as connection, suppress(duckdb.Error):
                connection.register("given", frame)
                return column_types(connection, "given")
        case Stored(path, inside):
            with closing(open_connection()) as connection, suppress(duckdb.Error):
                tables = _list_tables(connection, path)
                named = INGESTED if INGESTED in tables else inside or ""
                return column_types(connection, f"file.main.{quote_name(named)}")
        case Pandas(frame):
            return {str(name): str(frame[name].dtype) for name in frame.columns}
        case (PostgresTable() | SparkTable()) as there:
            return {name: column.declared for name, column in _columns_there(there).items()}
        case _:
            pass
    return {}


def _columns_there(source: PostgresTable | SparkTable) -> Mapping[str, StoredColumn]:
    """The columns of a table on a server."""
    if isinstance(source, SparkTable):
        from tacit.engines.spark import catalog as spark_catalog

        return spark_catalog.read_columns(source)
    from tacit.engines.postgres import catalog as postgres_catalog

    return postgres_catalog.read_columns(source)


def _checked_names(path: Path) -> list[str]:
    from tacit.engines.sources.text_files import json_names

    names = json_names(path)
    check_names(names, path.name)
    return names


def check_combined(tables: Iterable[tuple[Table, object]]) -> None:
    """Refuse tables whose units cannot be told to be the same, by the types that their sources say; no row is read."""
    units = [_unit_type(source, table.unit) for table, source in tables if table.unit is not None]
    if len(units) > 1 and _INGESTED_UNITS in units:
        refuse_own_numbers()
    check_units_alike(units)


_INGESTED_UNITS = "numbers of its own"


def _unit_type(given: object, unit: str) -> str:
    """As what a source stores its units."""
    match source_of(given):
        case Separated():
            return "VARCHAR"
        case ParquetFiles(_, names) if unit in names:
            return "VARCHAR"
        case Parquet(path) | ParquetFiles((path, *_)):
            scan = f"read_parquet({text(str(path))}, hive_partitioning = false)"
            return _type_of_column(None, scan, unit, path.name)
        case Stored(path, inside):
            with closing(open_connection()) as connection, suppress(duckdb.Error):
                if INGESTED in _list_tables(connection, path):
                    return _INGESTED_UNITS
                return _type_of_column(
                    connection, f"file.main.{quote_name(inside or '')}", unit, path.name
                )
            raise _unreadable(path.name)
        case Linked(_, steps, end):
            return _unit_type(steps[-1].source, end)
        case _:
            return "NULL"  # held in memory, where the engine that rehearses sees it


def _type_of_column(connection: Any, scan: str, column: str, called: str) -> str:
    with (
        describing_cursor() if connection is None else nullcontext(connection) as asked,
        suppress(duckdb.Error),
    ):
        for name, stored, *_ in asked.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall():
            if name == column:
                return str(stored)
    raise _unreadable(called)


def tables_inside(given: object) -> list[str] | None:
    """The names of the tables in a file of DuckDB, in order; None if the source is one table."""
    source = source_of(given)
    if not isinstance(source, Stored):
        return None
    with closing(open_connection()) as connection, suppress(duckdb.Error):
        tables = _list_tables(connection, source.path)
        return None if INGESTED in tables else tables
    raise _unreadable(source.path.name)


def _list_tables(connection: Any, path: Path) -> list[str]:
    """The tables of a file, which is attached by the name `file`."""
    connection.execute(f"ATTACH {text(str(path))} AS file (READ_ONLY)")
    listed = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = 'file' AND schema_name = 'main' ORDER BY 1"
    )
    return [name for (name,) in listed.fetchall()]


def _check_parquet(connection: Any, path: Path) -> None:
    """Refuse a Parquet file with columns whose names are alike: its scan would give them other names."""
    with (
        describing_cursor() if connection is None else nullcontext(connection) as asked,
        suppress(duckdb.Error),
    ):
        schema = asked.execute(
            f"SELECT name, num_children FROM parquet_schema({text(str(path))})"
        ).fetchall()
        names, inside = [], 0
        # the first is the root; what lies within a column is none of its own
        for name, children in schema[1:]:
            if not inside:
                names.append(name)
            inside = max(0, inside - 1) + (children or 0)
        check_names(names, path.name)
        return
    raise _unreadable(path.name)


def _describe_columns(connection: Any, scan: str, called: str, frame: object = None) -> Kinds:
    with (
        describing_cursor() if connection is None else nullcontext(connection) as asked,
        suppress(duckdb.Error),
    ):
        if frame is None:
            return _kinds(asked, scan)
        asked.register("given", frame)
        try:
            return _kinds(asked, scan)
        finally:
            asked.unregister("given")
    raise _unreadable(called)


def _kinds_in_file(path: Path, inside: str | None) -> Kinds:
    """The columns of a table in a file of DuckDB; of an ingested one, its unit too."""
    with closing(open_connection()) as connection, suppress(duckdb.Error):
        tables = _list_tables(connection, path)
        if INGESTED in tables:
            ((unit,),) = connection.execute(
                f"SELECT unit FROM file.main.{INGESTED_UNIT}"
            ).fetchall()
            found = _kinds(connection, f"file.main.{INGESTED}").items()
            kinds = {name: each for name, each in found if not is_own_name(name)}
            return kinds if unit is None else {unit: NONE, **kinds}
        if inside is None:
            raise InvalidData(
                f"{path.name} contains tables; declare their columns with their types"
            )
        if inside not in tables:
            near = get_close_matches(inside, tables, n=1)
            meant = f"did you mean {near[0]!r}? " if near else ""
            raise InvalidData(
                f"{path.name} has no table {inside!r}; {meant}it has: {', '.join(tables) or 'none'}"
            )
        return _kinds(connection, f"file.main.{quote_name(inside)}")
    raise _unreadable(path.name)


def _kinds(connection: Any, scan: str) -> Kinds:
    return {
        row[0]: kinds_of(row[1])
        for row in connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    }


def _unreadable(called: str) -> InvalidData:
    return InvalidData(
        f"{called} cannot be read; check that it is complete, of the type its name says, and "
        "that you may read it"
    )
