"""A connection to DuckDB that can do nothing but compute, and whose cursors can all be stopped.

Checked by: tests/unit/engines/duckdb/test_engine.py
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from math import ceil
from threading import Condition, Lock
from typing import Any

import duckdb

from tacit.engines.sql.expressions import text
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import at_least, count_of

__all__ = [
    "Connection",
    "SharedCursor",
    "describing_cursor",
    "lock_settings",
    "open_connection",
]

# Units that are numbers of so many bits are counted in an array instead of a hash table, in a third of the time.  Each
# thread has an array of its own: of numbers with more bits, it would be larger than what it saves.
_COUNTED_IN_PLACE = 20

# What DuckDB may do besides computing: nothing.  Spill is off: what does not fit into memory fails.
_SETTINGS = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "enable_logging": False,
    "error_on_division_by_zero": False,
    "ieee_floating_point_ops": False,  # with the line above: a division by zero is NULL
    # Rows are joined in the order of the plan, for which bounds are proved; what is small stands on the right.
    "disabled_optimizers": "join_order,build_side_probe_side",
    "perfect_ht_threshold": _COUNTED_IN_PLACE,
    "default_collation": "",
    "TimeZone": "UTC",
}
_AGAIN, _TRIES = 0.01, 1_000
_MOST_PARSED = 16


class SharedCursor:
    """A cursor that runs statements as they are written, one at a time."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.cursor, self.lock = connection.cursor(), Lock()
        self.cursor.execute("PRAGMA disable_optimizer")

    def close(self) -> None:
        """Let go of the cursor."""
        self.cursor.close()


class Connection:
    """The cursors of a connection, those that are running, and the statements that were parsed."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.duckdb, self.lock, self.closing = connection, Condition(), False
        self.running: set[duckdb.DuckDBPyConnection] = set()
        self._parsed: dict[str, duckdb.Statement] = {}

    @contextmanager
    def cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one question, which `interrupt` can find."""
        with self.lock:
            cursor = self.duckdb.cursor()
        try:
            with self._use_cursor(cursor):
                yield cursor
        finally:
            cursor.close()

    @contextmanager
    def share(self, shared: SharedCursor) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose users take turns; `interrupt` can find it, too."""
        with shared.lock, self._use_cursor(shared.cursor) as cursor:
            yield cursor

    def parse(self, sql: str) -> duckdb.Statement:
        """A statement as DuckDB reads it, once for its rehearsal and for its answer: a fifth of a small question."""
        with self.lock:
            if sql not in self._parsed:
                while len(self._parsed) >= _MOST_PARSED:
                    del self._parsed[next(iter(self._parsed))]
                (self._parsed[sql],) = self.duckdb.extract_statements(sql)
            return self._parsed[sql]

    def interrupt(self) -> None:
        """Stop whatever is running."""
        with self.lock:
            self._stop()

    def close(self, *shared: SharedCursor) -> None:
        """Stop what is running, wait until it has stopped, and let go of the rows."""
        with self.lock:
            self.closing = True
            for _ in range(_TRIES):  # a question of several statements is stopped in each
                self._stop()
                if self.lock.wait_for(lambda: not self.running, _AGAIN):
                    break
        for each in shared:
            each.close()
        self.duckdb.close()

    def _stop(self) -> None:
        for cursor in self.running:
            cursor.interrupt()

    @contextmanager
    def _use_cursor(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor while somebody uses it; nobody begins once the connection is being closed."""
        with self.lock:
            if self.closing:
                raise EngineFailed
            self.running.add(cursor)
        try:
            yield cursor
        finally:
            with self.lock:
                self.running.discard(cursor)
                self.lock.notify_all()


def open_connection(
    *, threads: int | None = None, memory: str = "4GB", seconds: float | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, with every setting but the last ones made."""
    settings: dict[str, Any] = {**_SETTINGS, "memory_limit": memory}
    if threads is not None:
        settings["threads"] = count_of(threads, "threads", least=1)
    if seconds is not None:
        settings["max_execution_time"] = ceil(at_least(seconds, "seconds") * 1000)
    connection = duckdb.connect(":memory:")
    _hide_progress(connection)
    for name, value in settings.items():
        try:
            connection.execute(f"SET GLOBAL {name} = {_setting(value)}")
        except duckdb.Error:
            connection.close()
            raise InvalidInput(name, value, "this version of DuckDB does not accept it") from None
    return connection


@contextmanager
def describing_cursor() -> Iterator[duckdb.DuckDBPyConnection]:
    """A cursor for statements that describe a file or a frame and keep nothing.

    All come from one connection of the process: to open one takes twenty milliseconds, most of them for functions that
    no description calls.

    >>> with describing_cursor() as cursor:
    ...     cursor.execute("SELECT current_setting('threads')").fetchall()
    [(1,)]
    """
    cursor = _describing_connection(os.getpid()).cursor()
    try:
        yield cursor
    finally:
        cursor.close()


@cache  # by process, and never let go: a fork cannot close what its parent opened
def _describing_connection(_: int) -> duckdb.DuckDBPyConnection:
    # It has no thread that a fork would miss, and remembers nothing of a file, which may be another one next time.
    connection = open_connection(threads=1)
    connection.execute("SET GLOBAL async_threads = 0")
    connection.execute("SET GLOBAL enable_external_file_cache = false")
    return connection


def _hide_progress(connection: duckdb.DuckDBPyConnection) -> None:
    """Draw no progress bar: how far a question is depends on the rows.

    In a notebook without ipywidgets there is none, and DuckDB refuses to turn it off.
    """
    with suppress(duckdb.InvalidInputException):
        connection.execute("SET enable_progress_bar = false")
    for each in (connection, connection.cursor()):
        ((drawn,),) = each.execute("SELECT current_setting('enable_progress_bar')").fetchall()
        assert not drawn, "nobody sees how far a question is"


def lock_settings(connection: duckdb.DuckDBPyConnection, paths: Iterable[str]) -> None:
    """From here on the connection reads the files at these paths, nothing else, and its settings stay."""
    connection.execute(f"SET GLOBAL allowed_paths = [{', '.join(map(text, paths))}]")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL lock_configuration = true")
    # A setting of the session would not reach the cursors, and then a zero in the rows could raise.
    zero = (
        connection.cursor()
        .execute("SELECT x % 0, x / 0, x / 0e0, x % 0e0 FROM (VALUES (1)) AS v(x)")
        .fetchall()
    )
    assert zero == [(None, None, None, None)], "a division by zero is NULL"


def _setting(value: object) -> str:
    return text(value) if isinstance(value, str) else str(value)
