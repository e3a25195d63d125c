"""Parquet files whose units or keys are texts: what is no UTF-8 names nobody."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name` and `text`

from __future__ import annotations

from collections.abc import Collection, Mapping

import duckdb

from tacit.engines.duckdb.rename_columns import column_types
from tacit.engines.sql.expressions import quote_name
from tacit.errors import InvalidData

__all__ = ["read_parquet", "scan_parquet"]

_PLACE = "file_row_number"


def read_parquet(path: str, *options: str) -> str:
    """A Parquet file as it is; bytes that are no text become question marks.

    >>> read_parquet("'visits.parquet'")
    "read_parquet('visits.parquet', hive_partitioning = false, utf8_validation = 'replace')"
    """
    return _read(path, "utf8_validation = 'replace'", *options)


def scan_parquet(
    connection: duckdb.DuckDBPyConnection, path: str, names: Collection[str]
) -> tuple[str, bool]:
    """A scan of a Parquet file in which each text of these columns that is no UTF-8 is NULL; whether there is one.

    Claim:      what a unit is called depends on its own bytes alone, no two units get the same name, and no row decides
                whether a file can be opened.
    Because:    DuckDB puts a question mark in the place of bytes that are no text, or leaves them out: a text is one if
                both are the same.  Where all are texts the file is read as it is, which gives the same.
    Checked by: tests/unit/engines/test_parquet_texts.py
    """
    stored = column_types(connection, read_parquet(path))
    texts = [name for name in dict.fromkeys(names) if stored.get(name) == "VARCHAR"]
    if texts:
        _check_place(stored)
    broken = [name for name in texts if not _has_texts_alone(connection, path, name)]
    if not broken:
        return read_parquet(path), False
    place = quote_name(_PLACE)
    ours, theirs = (
        _read(path, f"utf8_validation = '{how}'", f"{_PLACE} = true")
        for how in ("replace", "ignore")
    )
    kept = ", ".join(
        f"CASE WHEN r.{name} = i.{name} THEN r.{name} END AS {name}"
        for name in map(quote_name, broken)
    )
    rows = f"{ours} AS r JOIN {theirs} AS i ON r.{place} = i.{place}"
    return f"(SELECT r.* EXCLUDE ({place}) REPLACE ({kept}) FROM {rows})", True


def _read(path: str, *options: str) -> str:
    return f"read_parquet({', '.join((path, 'hive_partitioning = false', *options))})"


def _check_place(stored: Mapping[str, str]) -> None:
    """Refuse a column by whose name DuckDB numbers rows, whatever is stored in it."""
    if _PLACE in {name.casefold() for name in stored}:
        raise InvalidData(
            f"a Parquet file whose units or keys are texts has a column {_PLACE!r}, by which its rows are numbered; "
            "rename it"
        )


def _has_texts_alone(connection: duckdb.DuckDBPyConnection, path: str, name: str) -> bool:
    """Whether every text of a column is one: all of it is read once."""
    try:
        connection.execute(
            f"SELECT bit_xor(hash({quote_name(name)})) FROM {_read(path)}"
        ).fetchall()
    except duckdb.Error:
        return False  # what is wrong with the file besides is found when it is read
    return True
