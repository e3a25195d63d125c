"""How the cells of a source fare when they are read: exact counts, for the curator alone."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import Any

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.copy_from_server import copy_source
from tacit.engines.duckdb.load_source import raw_columns, text_scan
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.pandas_frames import series_cells
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.python_cells import is_missing, read_object
from tacit.engines.sources.rows import read_json
from tacit.engines.sources.source_kinds import (
    JsonLines,
    Listed,
    Pandas,
    Separated,
    Source,
    source_of,
)
from tacit.engines.sources.text_files import every_row, json_rows, open_bytes
from tacit.engines.sql.expressions import literal, quote_name, text
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.read_stored_columns import read_unit, scan_conditions
from tacit.engines.sql.select_with_parameters import Reader
from tacit.frozen import frozen
from tacit.plan import Column, Kind, Table, constant
from tacit.progress import show_progress

__all__ = ["InspectedColumn", "InspectedTable", "inspect_source"]

_CHUNK = 1 << 20
_BLANKS = text(" \t\r\n\N{NO-BREAK SPACE}")


@frozen
class InspectedColumn:
    """How many cells of a column are missing, could not be read, lie beyond its bounds, or are not declared.

    `padded` of those that are not declared would be without the blanks at their ends.
    """

    name: str
    missing: int
    unread: int
    out_of_range: int
    undeclared: int
    padded: int = 0


@frozen
class InspectedTable:
    """How many rows a table has, and how many of them count for less than the curator may think.

    `unreadable` rows of a text file have too few cells or letters that cannot be read; `without_unit` belong to nobody;
    `incomplete` rows have nothing in a column that is declared never to be NULL.  `heavy_units` have more rows than
    count in full, None where that is not decided; `shared_keys` lead to several units or keys.
    """

    name: str
    rows: int
    unreadable: int
    without_unit: int
    incomplete: int
    units: int
    heavy_units: int | None
    shared_keys: int
    columns: tuple[InspectedColumn, ...]


def inspect_source(table: Table, given: object, contributions: int | None = None) -> InspectedTable:
    """The exact counts of a source: not private, and for nobody but the curator.

    >>> from tacit.plan import Kind
    >>> ages = Table("visits", (Column("age", Kind.INTEGER, 0, 120),))
    >>> inspect_source(ages, [{"age": 130}, {"age": "40"}, {"age": None}]).columns
    (InspectedColumn(name='age', missing=1, unread=1, out_of_range=1, undeclared=0, padded=0),)
    """
    source = copy_source(source_of(given), table)
    own = source_of(source.source) if isinstance(source, Linked) else source
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source)
        rows = relation.reader()
        unread = _unread(connection, own, table, relation)
        counted = [part for column in table.columns for part in _parts(column, rows)]
        needed = scan_conditions(table.columns, rows)
        incomplete = f"count(*) FILTER (NOT ({' AND '.join(needed)}))" if needed else "0"
        nobody, units, heavy = "0", 0, None
        if relation.unit is not None:
            who = read_unit(quote_name(relation.unit[0]), relation.unit[1])
            nobody = f"count(*) FILTER ({who} IS NULL)"
            most = "NULL" if contributions is None else f"count(*) FILTER (n > {contributions:d})"
            owned = (
                f"SELECT count(*) AS n FROM {relation.name} WHERE {who} IS NOT NULL GROUP BY {who}"
            )
            ((units, heavy),) = connection.execute(
                f"SELECT count(*), {most} FROM ({owned})"
            ).fetchall()
        asked = ", ".join(["count(*)", nobody, incomplete, *counted])
        (found,) = connection.execute(f"SELECT {asked} FROM {relation.name}").fetchall()
        shared = _shared_keys(connection, source, table) if isinstance(source, Linked) else 0
    total, cells = found[0], iter(found[3:])
    columns = []
    for column in table.columns:
        present, outside, undeclared, padded = islice(cells, 4)
        lost = unread[column.name]
        columns.append(
            InspectedColumn(column.name, total - present - lost, lost, outside, undeclared, padded)
        )
    unreadable = _unreadable(own, source, table) if isinstance(own, Separated) else 0
    return InspectedTable(
        table.name, total, unreadable, found[1], found[2], units, heavy, shared, tuple(columns)
    )


def _parts(column: Column, rows: Reader) -> list[str]:
    """How many cells of a column have a value, were moved onto a bound, and are none of the declared ones.

    Of the latter, also how many are one but for blanks at their ends.
    """
    cell, free = rows(column), rows(replace(column, low=None, high=None))
    bounded = column.low is not None or column.high is not None
    outside = f"count(*) FILTER ({cell} IS DISTINCT FROM {free})" if bounded else "0"
    undeclared = padded = "0"
    if column.values is not None:
        listed = ", ".join(
            literal(constant(value, column.kind), column.kind) for value in column.values
        )
        undeclared = f"count(*) FILTER ({cell} NOT IN ({listed}))"
        if column.kind is Kind.TEXT:
            padded = f"count(*) FILTER ({cell} NOT IN ({listed}) AND trim({cell}, {_BLANKS}) IN ({listed}))"
    return [f"count({cell})", outside, undeclared, padded]


def _unread(connection: Any, source: Source, table: Table, relation: Relation) -> Mapping[str, int]:
    """How many cells of each column hold something that is no value of its kind."""
    match source:
        case Listed(rows):
            return {
                column.name: _count_lost([row.get(column.name) for row in rows], column)
                for column in table.columns
            }
        case JsonLines(path):
            given = json_rows(path)
            return {
                column.name: sum(
                    row.get(column.name) is not None
                    and row[column.name] != ""
                    and read_json(row[column.name], column.kind) is None
                    for row in given
                )
                for column in table.columns
            }
        case Pandas(frame):
            return {
                column.name: _count_lost(series_cells(frame[column.name]), column)
                for column in table.columns
            }
        case Separated(_, dialect):
            cells = [(quote_name(column.name), column.kind) for column in table.columns]
            lost = [
                f"(NOT {dialect.null_sql(cell, kind)} AND {dialect.sql(cell, kind)} IS NULL)"
                for cell, kind in cells
            ]
            scan = text_scan(connection, "inspected", source, replace(table, unit=None))
        case _:
            stored, rows_of = relation.columns, relation.reader()
            cells_of = [(*stored[column.name], rows_of(column)) for column in table.columns]
            lost = [
                f"({_is_given(quote_name(name), kind)} AND {cell} IS NULL)"
                for name, kind, cell in cells_of
            ]
            scan = relation.name
    counted = ", ".join(["count(*)", *(f"count(*) FILTER {each}" for each in lost)])
    ((_, *found),) = connection.execute(f"SELECT {counted} FROM {scan}").fetchall()
    return {column.name: count for column, count in zip(table.columns, found, strict=True)}


def _is_given(cell: str, stored: str) -> str:
    return (
        f"{cell} IS NOT NULL AND NOT isnan({cell})"
        if stored in {"DOUBLE", "FLOAT"}
        else f"{cell} IS NOT NULL"
    )


def _count_lost(cells: list[Any], column: Column) -> int:
    every = show_progress(cells, len(cells), f"cells of {column.name}")
    return sum(not is_missing(cell) and _is_lost(cell, column) for cell in every)


def _is_lost(cell: Any, column: Column) -> bool:
    found = read_object(cell, column.kind)
    unbounded = column.low is None and column.high is None
    return found is None or (isinstance(found, float) and found - found != 0 and unbounded)


def _unreadable(own: Separated, source: Source, table: Table) -> int:
    """How many rows of a text file are left out: what stands in columns that are not read does not matter."""
    first = source.steps[0].column if isinstance(source, Linked) else table.unit
    needed = [*(column.name for column in table.columns), *([first] if first else [])]
    with open_bytes(own.path) as file:
        lines = sum(chunk.count(b"\n") for chunk in iter(lambda: file.read(_CHUNK), b""))
    rows = show_progress(
        every_row(own.path, own.dialect, needed), lines, f"lines of {own.path.name}"
    )
    return sum(row is None for row in rows)


def _shared_keys(connection: Any, source: Linked, table: Table) -> int:
    """How many keys on the way to the units stand in rows that lead to different ends."""
    found = 0
    for place, (step, end) in enumerate(source.ends()):
        scan, (key, after) = raw_columns(
            connection, f"i{place}", source_of(step.source), table, step.key, end
        )
        several = f"SELECT 1 FROM {scan} GROUP BY {key.sql} HAVING count(DISTINCT {after.sql}) > 1"
        ((shared,),) = connection.execute(f"SELECT count(*) FROM ({several})").fetchall()
        found += shared
    return found
