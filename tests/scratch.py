"""An empty DuckDB for tests that look at one table and let it go.

To open a DuckDB takes ten to twenty CPU milliseconds, most of them for its functions; to empty one takes two.
"""

import os
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, closing, contextmanager
from functools import cache
from importlib import import_module
from typing import Any, Self
from unittest.mock import patch

import duckdb

from tacit.engines.duckdb import engine
from tacit.engines.duckdb.connection import lock_settings, open_connection

_HELD = """
SELECT 'DROP VIEW memory.' || schema_name || '."' || replace(view_name, '"', '""') || '"' FROM duckdb_views()
WHERE database_name = 'memory' AND NOT internal
UNION ALL
SELECT 'DROP TABLE memory.' || schema_name || '."' || replace(table_name, '"', '""') || '"' FROM duckdb_tables()
WHERE database_name = 'memory'
UNION ALL
SELECT 'DROP TYPE memory.' || schema_name || '."' || replace(type_name, '"', '""') || '"' FROM duckdb_types()
WHERE database_name = 'memory' AND NOT internal
UNION ALL
SELECT 'DROP SCHEMA memory.' || schema_name FROM duckdb_schemas() WHERE database_name = 'memory' AND NOT internal
UNION ALL
SELECT 'DETACH ' || database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'
"""


@contextmanager
def scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB as the engine sets it up, with one thread and nothing in it; what is made in it is gone afterwards."""
    shared = _shared(os.getpid())
    try:
        with closing(shared.cursor()) as connection:
            yield connection
    finally:
        empty(shared)


def empty(connection: duckdb.DuckDBPyConnection) -> None:
    """Drop all that was made in a database."""
    for (statement,) in connection.execute(_HELD).fetchall():
        connection.execute(statement)
    assert not connection.execute(_HELD).fetchall()


@cache  # by process: a fork cannot use what its parent opened
def _shared(_: int) -> duckdb.DuckDBPyConnection:
    connection = open_connection(threads=1)
    # A file may be another one next time.
    connection.execute("SET GLOBAL enable_external_file_cache = false")
    return connection


_FREE: dict[tuple[Any, ...], list[duckdb.DuckDBPyConnection]] = defaultdict(list)
"""Databases that nobody uses, by the process that opened them and how; what they held before may still be there."""


class Lent:
    """A connection to a database that others use later: it is free again when this is closed, unless it was locked."""

    def __init__(self, **options: Any) -> None:
        self._free = _FREE[os.getpid(), *sorted(options.items())]
        try:  # not after a look: another thread may be quicker
            self._database = self._free.pop()
        except IndexError:
            self._database = _open_unoptimised(**options)
        self._cursor: duckdb.DuckDBPyConnection = self._database.cursor()
        self.reusable = True
        empty(self._database)
        for kept in ("false", "true"):  # what was read of a file, which may be another one by now
            self._database.execute(f"SET GLOBAL enable_external_file_cache = {kept}")

    def __getattr__(self, name: str) -> Any:
        return getattr(self._cursor, name)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection, and of what it made for itself alone."""
        self._cursor.close()
        if self.reusable:
            self.reusable = False
            self._free.append(self._database)


def _open_unoptimised(**options: Any) -> duckdb.DuckDBPyConnection:
    connection = open_connection(**options)
    # of this cursor, which lists what is to be dropped
    connection.execute("PRAGMA disable_optimizer")
    return connection


def _lock(connection: Any, paths: Iterable[str]) -> None:
    """Lock the settings, unless nothing but copies is read: then there is no file that it could reach."""
    files = list(paths)
    if not isinstance(connection, Lent):
        lock_settings(connection, files)
    elif files:
        connection.reusable = False
        lock_settings(connection._cursor, files)


@contextmanager
def reused_databases() -> Iterator[None]:
    """Engines over rows in memory take a database that an earlier engine let go of, and leave its settings open.

    What is locked, and that it is, is the subject of tests/unit/engines/duckdb, where databases are not reused.
    """
    with ExitStack() as meanwhile:
        for name in (
            "curator.protect",
            "engines.duckdb.engine",
            "engines.duckdb.public_table_facts",
        ):
            module = import_module(f"tacit.{name}")
            meanwhile.enter_context(patch.object(module, "open_connection", Lent))
        meanwhile.enter_context(patch.object(engine, "lock_settings", _lock))
        yield
