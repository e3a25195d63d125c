"""What a public table says about itself: its columns' kinds, values and ends, which hold no value twice, its rows.

Checked by: tests/unit/curator/test_public_tables.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction
from hashlib import sha256
from typing import Any

import duckdb

from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.copy_from_server import copy_source
from tacit.engines.duckdb.discover_columns import stored_kinds
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.pandas_frames import seen_kinds
from tacit.engines.sources.rows import not_unique
from tacit.engines.sources.source_kinds import Pandas, Source
from tacit.engines.sql.select_with_parameters import Reader
from tacit.plan import Column, Kind, PublicRows, Scalar, Table

__all__ = ["MOST_KEYS", "public_columns", "read_public"]

MOST_KEYS = 10_000
"""A public column with more values than these is no key until its values are declared."""
MOST_CELLS = 100_000
"""Of a public table with more cells, or more rows than MOST_KEYS, the combinations of its values are not known."""

_ORDERED = {Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP}
_TRIED = (Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP, Kind.BOOLEAN, Kind.TEXT)
_CODE = "^[+-]?0[0-9]"
"""What looks like a number and is a code: 0151 is another one than 151."""


def read_public(table: Table, source: Source) -> tuple[Table, str]:
    """A public table with what its rows say, where nothing is declared, and a digest of them.

    Claim:      nothing of a private table is looked at; rows in another order have the same digest, other rows another.
    Because:    one source is loaded, that of a table that protects nobody; the digest is that of all rows, each by all
                of its cells, in the order of their own digests.
    Checked by: tests/unit/curator/test_public_tables.py

    >>> wards = Table("wards", (Column("ward", Kind.TEXT), Column("floor", Kind.INTEGER)), public=True)
    >>> from tacit.engines import source_of
    >>> found, _ = read_public(wards, source_of([{"ward": "B", "floor": 1}, {"ward": "A", "floor": 1}]))
    >>> found.columns[0].values, found.unique, found.listed.rows
    (('A', 'B'), ('ward',), (('B', 1), ('A', 1)))
    """
    assert table.public, "what is not public is not looked at"
    source = copy_source(source, table)
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source)
        read = relation.reader()
        columns = tuple(
            _fill_in(connection, relation.name, column, read) for column in table.columns
        )
        unique = tuple(
            column.name
            for column in table.columns
            if _is_unique(connection, relation.name, column, read)
        )
        for name in table.unique:
            if name not in unique:
                not_unique(table, name)
        digest = _digest(connection, relation.name, table.columns, read)
        listed = _list_rows(connection, relation.name, columns, read)
    return replace(table, columns=columns, unique=unique, listed=listed), digest


def public_columns(name: str, source: Source) -> tuple[Column, ...]:
    """All columns of a public source that can be read, each of the kind that its rows show."""
    stored = seen_kinds(source.frame) if isinstance(source, Pandas) else stored_kinds(source)
    known = [Column(each, kinds[0]) for each, kinds in stored.items() if 0 < len(kinds) < len(Kind)]
    open_ = [each for each, kinds in stored.items() if len(kinds) == len(Kind)]
    kinds = _kinds_by_rows(name, source, open_) if open_ else {}
    found = {column.name: column for column in known}
    found |= {each: Column(each, kind) for each, kind in kinds.items()}
    return tuple(found[each] for each in stored if each in found)


def _kinds_by_rows(name: str, source: Source, columns: Sequence[str]) -> Mapping[str, Kind]:
    """The kind as which most cells of each column can be read, the narrowest of those that can."""
    counts: dict[Kind, Sequence[int]] = {}
    with closing(open_connection()) as connection:
        for place, kind in enumerate(_TRIED):
            table = Table(name, tuple(Column(each, kind) for each in columns), public=True)
            relation = load_table(connection, place, table, source)
            read = relation.reader()
            cells = [read(column) for column in table.columns]
            listed = ", ".join(f"count({cell})" for cell in cells)
            (counts[kind],) = connection.execute(f"SELECT {listed} FROM {relation.name}").fetchall()
            if kind is Kind.TEXT:
                codes = ", ".join(
                    f"coalesce(bool_or(regexp_matches({cell}, '{_CODE}')), false)" for cell in cells
                )
                (coded,) = connection.execute(f"SELECT {codes} FROM {relation.name}").fetchall()
    found = {}
    for place, column in enumerate(columns):
        most = max(counts[kind][place] for kind in _TRIED)
        fitting = [kind for kind in _TRIED if counts[kind][place] == most and most]
        found[column] = Kind.TEXT if coded[place] or not fitting else fitting[0]
    return found


def _fill_in(
    connection: duckdb.DuckDBPyConnection, rows: str, column: Column, read: Reader
) -> Column:
    """A column with its values, if they are few, and its ends, where nothing is declared."""
    cell = read(column)
    if column.values is not None or column.low is not None or column.high is not None:
        return column
    values: tuple[Scalar, ...] | None = None
    if column.kind is not Kind.NUMBER:
        found = connection.execute(
            f"SELECT DISTINCT {cell} AS v FROM {rows} WHERE {cell} IS NOT NULL LIMIT {MOST_KEYS + 1}"
        ).fetchall()
        if 0 < len(found) <= MOST_KEYS:
            values = tuple(sorted(_scalar(value) for (value,) in found))
    low = high = None
    if column.kind in _ORDERED:
        ((least, most),) = connection.execute(
            f"SELECT min({cell}), max({cell}) FROM {rows}"
        ).fetchall()
        if least is not None and least < most:  # bounds are two
            low, high = _scalar(least), _scalar(most)
    return replace(column, low=low, high=high, values=values)


def _list_rows(
    connection: duckdb.DuckDBPyConnection, rows: str, columns: Sequence[Column], read: Reader
) -> PublicRows | None:
    """All rows as questions see them, if they are few."""
    most = min(MOST_KEYS, MOST_CELLS // max(1, len(columns)))
    cells = ", ".join(map(read, columns)) or "NULL"
    found = connection.execute(f"SELECT {cells} FROM {rows} LIMIT {most + 1}").fetchall()
    if len(found) > most:
        return None
    return PublicRows(
        tuple(
            tuple(
                [
                    None if cell is None else _scalar(cell)
                    for cell, _ in zip(row, columns, strict=False)
                ]
            )
            for row in found
        )
    )


def _scalar(value: Any) -> Scalar:
    """A cell that DuckDB gives, as a public value."""
    if isinstance(value, float):
        return Fraction(repr(value))
    assert isinstance(value, bool | int | str | date | datetime)
    return value


def _is_unique(
    connection: duckdb.DuckDBPyConnection, rows: str, column: Column, read: Reader
) -> bool:
    cell = read(column)
    counted = f"SELECT count({cell}), count(DISTINCT {cell}) FROM {rows}"
    ((cells, values),) = connection.execute(counted).fetchall()
    return bool(cells == values)


def _digest(
    connection: duckdb.DuckDBPyConnection, rows: str, columns: Sequence[Column], read: Reader
) -> str:
    """A digest of all rows, whatever their order."""
    parts = [
        f"coalesce(length(CAST({cell} AS VARCHAR)) || ':' || CAST({cell} AS VARCHAR), 'NULL')"
        for cell in map(read, columns)
    ]
    row = " || ',' || ".join(parts) if parts else "''"
    found = connection.execute(f"SELECT sha256({row}) AS h FROM {rows} ORDER BY h")
    digest = sha256("\0".join(column.name for column in columns).encode())
    while some := found.fetchmany(10_000):
        digest.update("".join(each for (each,) in some).encode())
    return digest.hexdigest()
