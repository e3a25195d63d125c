"""The tables of a server: who may ask, by what, what was spent today; in a file, or where several servers share them.

Checked by: tests/unit/server/test_identities.py
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Protocol

from tacit.server.passwords import new_secret

__all__ = ["NAMES", "FileTables", "Statements", "Tables"]

NAMES = ("people", "tokens", "links", "spent", "settings", "keys", "texts")
"""What the tables are called."""

_LAYOUT = """
CREATE TABLE IF NOT EXISTS people (
    name TEXT PRIMARY KEY, role TEXT NOT NULL, password TEXT, generation INTEGER NOT NULL DEFAULT 0,
    disabled INTEGER NOT NULL DEFAULT 0, price TEXT, allowance REAL, seen REAL
) STRICT;
CREATE TABLE IF NOT EXISTS tokens (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name), label TEXT NOT NULL,
    made REAL NOT NULL, expires REAL NOT NULL, stored_key BLOB, server_key BLOB
) STRICT;
CREATE TABLE IF NOT EXISTS links (
    hash TEXT PRIMARY KEY, name TEXT NOT NULL REFERENCES people(name), expires REAL NOT NULL
) STRICT;
CREATE TABLE IF NOT EXISTS spent (
    name TEXT NOT NULL, day TEXT NOT NULL, share REAL NOT NULL, PRIMARY KEY (name, day)
) STRICT;
CREATE TABLE IF NOT EXISTS settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
CREATE TABLE IF NOT EXISTS keys (
    name TEXT NOT NULL, key TEXT NOT NULL, body TEXT NOT NULL, versions TEXT NOT NULL,
    answer TEXT, made REAL NOT NULL, owner TEXT, PRIMARY KEY (name, key)
) STRICT;
CREATE TABLE IF NOT EXISTS texts (
    name TEXT NOT NULL, entry INTEGER NOT NULL, body TEXT NOT NULL, PRIMARY KEY (name, entry)
) STRICT;
"""
_LATER = (
    ("tokens", "stored_key", "BLOB"),
    ("tokens", "server_key", "BLOB"),
    ("keys", "owner", "TEXT"),
)


class Statements(Protocol):
    """What runs statements, in the SQL that SQLite and PostgreSQL share; `?` stands for a value."""

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """A cursor over the rows of a statement."""


class Tables(Protocol):
    """Where the tables are; `server` is the name of who uses them, which no other has."""

    server: str
    is_near: bool
    """Whether single statements take microseconds, so that whoever serves many may wait for one."""

    def writing(self) -> AbstractContextManager[Statements]:
        """One indivisible step, one after another, seen by other processes whole or not at all."""

    def reading(self) -> AbstractContextManager[Statements]:
        """Single statements, which read."""

    def now(self) -> float:
        """The time (seconds since 1970), by one clock for all who use the tables."""

    def say_alive(self, file: Statements) -> None:
        """Say that this server lives; within a step."""

    def lives(self, file: Statements, server: str) -> bool:
        """Whether another server counts as living."""

    def close(self) -> None:
        """Let go of the file or the connection."""


class FileTables(Tables):
    """The tables in a file of their own, which its owner alone may read; or in memory.

    Nobody who reads waits until somebody else's step is on the disk: statements that only read have a connection of
    their own, but for those within a step of the same thread, which find what it has written.
    """

    is_near = True

    def __init__(self, file: str | Path) -> None:
        in_memory = str(file) == ":memory:"
        if not in_memory and not Path(file).exists():
            os.close(os.open(file, os.O_WRONLY | os.O_CREAT, 0o600))
        self.server = new_secret()[:22]
        self._lock = threading.RLock()
        self._writer: int | None = None  # the thread whose step lasts
        self._connection = _connect(file)
        self._connection.execute("PRAGMA journal_mode = WAL")
        self._connection.execute("PRAGMA synchronous = FULL")
        self._connection.executescript(_LAYOUT)
        self._add_columns()
        self._reading = self._connection if in_memory else _connect(file)
        self._reading_lock = self._lock if in_memory else threading.RLock()

    @contextmanager
    def writing(self) -> Iterator[Statements]:
        """One indivisible step, seen by other processes whole or not at all."""
        with self._lock:
            self._connection.execute("BEGIN IMMEDIATE")
            self._writer = threading.get_ident()
            try:
                yield self._connection
                self._connection.execute("COMMIT")
            except BaseException:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")
                raise
            finally:
                self._writer = None

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        """Single statements, which read."""
        if self._writer == threading.get_ident():
            yield self._connection
            return
        with self._reading_lock:
            yield self._reading

    def now(self) -> float:
        """The time on this machine."""
        return time.time()

    def say_alive(self, file: Statements) -> None:
        """A file has one server at a time, by a lock: it needs not say so."""

    def lives(self, file: Statements, server: str) -> bool:
        """No other server: the one before has ended."""
        return False

    def close(self) -> None:
        """Close the file."""
        with self._lock, self._reading_lock:
            self._reading.close()
            self._connection.close()

    def _add_columns(self) -> None:
        """Give an older file the columns that came later; tokens older than SCRAM sign in over HTTP alone."""
        with self.writing() as file:
            for table, name, kind in _LATER:
                known = {row[1] for row in file.execute(f"PRAGMA table_info({table})")}
                if name not in known:
                    file.execute(f"ALTER TABLE {table} ADD COLUMN {name} {kind}")


def _connect(file: str | Path) -> sqlite3.Connection:
    return sqlite3.connect(file, check_same_thread=False, isolation_level=None, timeout=10)
