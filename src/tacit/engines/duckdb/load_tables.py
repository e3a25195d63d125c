"""Sources in DuckDB: each is loaded by itself, and then joined along its foreign keys to its units.

Checked by: tests/attacks/test_units_that_are_numbered.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from dataclasses import replace

import duckdb

from tacit.engines.duckdb.ingested_layout import UNIT, name_units, refuse_numbers
from tacit.engines.duckdb.load_source import load_source, raw_columns
from tacit.engines.duckdb.rename_columns import column_types
from tacit.engines.sources.path_to_unit import Linked, Owners, Raw, Step, check_key, owner, owners
from tacit.engines.sources.rows import check_path
from tacit.engines.sources.source_kinds import (
    Frame,
    JsonLines,
    Listed,
    Pandas,
    Parquet,
    ParquetFiles,
    Source,
    Stored,
    source_of,
)
from tacit.engines.sql.expressions import quote_name
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.read_stored_columns import check_unit_type
from tacit.engines.sql.select_with_parameters import alias
from tacit.errors import InvalidData
from tacit.plan import Table

__all__ = ["load_table"]


def load_table(
    connection: duckdb.DuckDBPyConnection, place: int, table: Table, source: Source
) -> Relation:
    """The relation of the connection that holds a table's declared columns and its units, by names of our own."""
    try:
        if isinstance(source, Linked):
            return _load_linked(connection, place, table, source)
        return load_source(connection, place, table, source)
    except (duckdb.Error, UnicodeError):
        pass
    raise InvalidData(
        f"the source of table {table.name!r} cannot be read; check that it is complete and of "
        "the type its name says"
    )


def _load_linked(
    connection: duckdb.DuckDBPyConnection, place: int, table: Table, source: Linked
) -> Relation:
    """The relation of a source that is joined along its foreign keys to its units."""
    check_path(source, table)
    found: Owners | None = None
    for j, (step, end) in reversed(list(enumerate(source.ends()))):
        found = _create_owners(connection, f"{place}_{j}", table, step, end, found)
    assert found is not None, "a path has a step"
    inner, first = source_of(source.source), source.steps[0].column
    rows = load_source(connection, f"{place}_r", replace(table, unit=first), inner, keys=True)
    assert rows.unit is not None, "a foreign key was asked for as a unit"
    if rows.numbered is not None:
        refuse_numbers(first)
    check_key(rows.unit[1], first, table.name)
    # What is read in place is joined for every question; what was copied is joined once.
    copied = not isinstance(inner, Parquet | ParquetFiles | Stored)
    ours = alias(f"t{place}", table.name)
    cells = ", ".join([*(f"t.{name}" for name, _ in rows.columns.values()), "o.who AS unit"])
    joined = f"SELECT {cells} FROM {rows.name} AS t {owner(Raw('t.unit', rows.unit[1]), found)}"
    connection.execute(f"CREATE {'TABLE' if copied else 'VIEW'} {ours} AS {joined}").fetchall()
    if copied:
        connection.execute(f"DROP TABLE {rows.name}")
    unit = "unit", found.unit
    return Relation(ours, rows.columns, unit, None, found.numbered, found.names, copied=copied)


def _create_owners(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    table: Table,
    step: Step,
    end: str,
    after: Owners | None,
) -> Owners:
    """A table of whom every key of one step belongs to, through the owners of the next keys, if any."""
    given = source_of(step.source)
    scan, (key, last) = raw_columns(connection, f"s{name}", given, table, step.key, end)
    check_key(key.stored, step.key, table.name)
    numbered, names = (None, None) if after is None else (after.numbered, after.names)
    if after is not None:
        check_key(last.stored, end, table.name)
    else:
        check_unit_type(last.stored, table)
        if isinstance(given, Stored) and last.sql == quote_name(UNIT):
            numbered = str(given.path)
            names = name_units(connection, "TABLE", f"o{name}", f"s{name}.main")
    connection.execute(f"CREATE TABLE o{name} AS {owners(scan, key, last, after)}").fetchall()
    if isinstance(given, Frame | JsonLines | Listed | Pandas):
        connection.unregister(scan)
    types = column_types(connection, f"o{name}")
    return Owners(f"o{name}", types["k"], types["who"], numbered, names)
