"""Whether a file of DuckDB is still what `ingest` has written.

Checked by: tests/unit/engines/duckdb/test_file_seal.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote_name`, `text` and their like

from __future__ import annotations

from pathlib import Path

import duckdb

from tacit.engines.sql.expressions import text
from tacit.errors import InvalidData

__all__ = ["check_seal", "count_checkpoints", "last_change", "write_seal"]

_SEAL = "tacit_seal"
_BLOCK, _HEADERS, _NUMBER = 4096, 2, 8


def write_seal(connection: duckdb.DuckDBPyConnection, path: Path) -> None:
    """Write into a file, which is not attached, how often it will have been written once this is done."""
    last = count_checkpoints(path) + 1
    connection.execute(f"ATTACH {text(str(path))} AS sealed")
    connection.execute(f"CREATE TABLE sealed.{_SEAL} AS SELECT {last} AS checkpoints").fetchall()
    connection.execute("DETACH sealed")
    assert count_checkpoints(path) == last, "a file is written once more"


def check_seal(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> None:
    """Refuse a file, which is attached by a name, that was written after it was sealed.

    Claim:      what `ingest` has stored of units is true of the rows that are read.
    Because:    DuckDB counts in the head of a file how often it was written, and keeps what is not yet written there
                beside it; whoever changes a row through DuckDB raises the one or leaves the other.  While a file is
                attached to be read, DuckDB locks it, and nobody attaches it to be written.  The head is read while it
                is not attached, since a process that closes a file lets go of its locks.  That nobody wrote in between,
                or after another part of the process let go of the lock, is seen by the time of the last change, before
                every statement.  Who writes bytes by other means may as well write a policy.
    Checked by: tests/unit/engines/duckdb/test_file_seal.py::test_rows_that_were_changed_are_refused,
                tests/unit/engines/duckdb/test_file_seal.py::test_a_change_at_the_last_moment_is_seen,
                tests/unit/engines/duckdb/test_file_seal.py::test_nobody_changes_rows_while_they_are_read and
                tests/unit/engines/duckdb/test_file_seal.py::test_rows_that_are_changed_all_the_same_are_not_read
    """
    connection.execute(f"DETACH {name}")
    before, written = last_change(path), count_checkpoints(path)
    pending = path.with_name(f"{path.name}.wal").exists()
    connection.execute(f"ATTACH {text(str(path))} AS {name} (READ_ONLY)")
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [name]
    )
    if (_SEAL,) not in found.fetchall():
        raise InvalidData("a file was ingested by an earlier version; ingest its source again")
    ((sealed,),) = connection.execute(f"SELECT checkpoints FROM {name}.main.{_SEAL}").fetchall()
    if pending or written != sealed or last_change(path) != before:
        raise InvalidData(f"{path.name} was changed after it was ingested; ingest its source again")


def last_change(path: Path) -> tuple[int, int, int]:
    """Which file it is, when it was changed, and how long it is; nothing is opened."""
    found = path.stat()
    return found.st_ino, found.st_mtime_ns, found.st_size


def count_checkpoints(path: Path) -> int:
    """How often DuckDB has written a file: the larger number in its two headers, which are written in turns."""
    with path.open("rb") as file:
        head = file.read((1 + _HEADERS) * _BLOCK)
    starts = [each * _BLOCK + _NUMBER for each in range(1, 1 + _HEADERS)]
    return max(int.from_bytes(head[start : start + _NUMBER], "little") for start in starts)
