"""Parquet files whose moments are milliseconds: those beyond what DuckDB can count in microseconds are infinite.

DuckDB multiplies milliseconds as it decodes them and fails on a product of more than 64 bits, whatever a statement says
of it.  So a file with such a number is copied, and the copy states that its numbers are microseconds: two bytes of its
footer differ for each column, and every number is read as it is.
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name` and `text`

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

import duckdb

from tacit.engines.duckdb.milliseconds_in_parquet_footer import find_milliseconds
from tacit.engines.duckdb.parquet_texts import read_parquet, scan_parquet
from tacit.engines.duckdb.rename_columns import column_types
from tacit.engines.sql.expressions import quote_name, text

__all__ = ["coarse_moments", "scan_parquet_file"]

_FAR = ((1 << 63) - 1) // 1000
"""So many milliseconds, and no more, are microseconds of 64 bits."""

_EPOCH = datetime(1970, 1, 1)  # noqa: DTZ001 -- a zone is written beside it
_COPY = "copy.parquet"


def coarse_moments(connection: duckdb.DuckDBPyConnection, path: Path) -> set[str]:
    """The columns of a file whose moments are milliseconds."""
    schema = connection.execute(
        f"SELECT name, logical_type, converted_type FROM parquet_schema({text(str(path))})"
    ).fetchall()
    return {
        name
        for name, logical, converted in schema
        if "MILLIS=M" in str(logical) or converted == "TIMESTAMP_MILLIS"
    }


def scan_parquet_file(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    path: Path,
    needed: Collection[str],
    units: Collection[str],
) -> tuple[str, bool]:
    """A scan of a file, and whether one of its cells cannot be read in place: a text of a unit, or a moment.

    `units` are the columns that name units or lead to them.  A table of the connection is made, by the name that is
    given, if a moment among the columns that are needed is too far.

    Claim:      what a moment means depends on that cell alone, and no row decides whether a file can be opened.
    Because:    a number that DuckDB can multiply becomes the moment that DuckDB makes of it, in the copy as in the
                file; one that it cannot is infinite, as all are beyond the years that are read, and a unit of it is
                nobody.
    Checked by: tests/unit/engines/test_poison.py::test_timestamps_beyond_all_years_clamp_or_are_null and
                tests/unit/engines/sources/test_parquet_files.py::test_a_far_moment_changes_no_other_cell
    """
    coarse = coarse_moments(connection, path).intersection(needed)
    if all(_is_readable(connection, path, each) for each in coarse):
        return scan_parquet(connection, text(str(path)), units)
    types = column_types(connection, read_parquet(text(str(path))))
    with TemporaryDirectory(prefix="tacit-") as folder:
        copy = Path(folder, _COPY)
        shutil.copyfile(path, copy)
        _state_microseconds(copy, coarse)
        scan, _ = scan_parquet(connection, text(str(copy)), units)
        read = ", ".join(
            f"{_multiplied(each, types[each], each in units)} AS {quote_name(each)}"
            if each in coarse
            else quote_name(each)
            for each in types
            if each in needed
        )
        connection.execute(f"CREATE TABLE {name} AS SELECT {read} FROM {scan}").fetchall()
    return name, True


def _is_readable(connection: duckdb.DuckDBPyConnection, path: Path, name: str) -> bool:
    """Whether DuckDB reads every cell of a column: all of it is read once."""
    try:
        connection.execute(
            f"SELECT bit_xor(hash({quote_name(name)})) FROM {read_parquet(text(str(path)))}"
        ).fetchall()
    except duckdb.Error:
        return False
    return True


def _state_microseconds(path: Path, names: Iterable[str]) -> None:
    """Change what a file states of columns of milliseconds, and none of its cells."""
    with path.open("r+b") as file:
        for place, stated in find_milliseconds(path, names).items():
            file.seek(place)
            file.write(bytes([stated]))


def _multiplied(name: str, stored: str, is_unit: bool) -> str:
    """The moment of a cell whose milliseconds are read as microseconds, of the type that it has without that."""
    cell, zoned = f"TRY({quote_name(name)})", stored != "TIMESTAMP"
    kind, make = ("TIMESTAMPTZ", "make_timestamptz") if zoned else ("TIMESTAMP", "make_timestamp")
    first, last = (
        f"{kind} '{_EPOCH + timedelta(microseconds=end)}{'+00' if zoned else ''}'"
        for end in (-_FAR, _FAR)
    )
    below, above = ("NULL", "NULL") if is_unit else (f"{kind} '-infinity'", f"{kind} 'infinity'")
    return (
        f"CASE WHEN {cell} > {last} THEN {above} WHEN {cell} < {first} THEN {below} "
        f"ELSE {make}(epoch_us({cell}) * 1000) END"
    )
