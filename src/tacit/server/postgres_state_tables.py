"""The tables of several servers over one ledger: in PostgreSQL, beside the ledger's own.

Checked by: tests/unit/server/test_shared_tables.py
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from tacit.errors import LedgerUnavailable
from tacit.extras import extra
from tacit.server.passwords import new_secret
from tacit.server.state_tables import NAMES, FileTables, Statements, Tables

__all__ = ["PostgresTables", "adopt_file"]

_PATIENCE = 10  # seconds
_IDLE = 20  # seconds within a step without a statement, after which the database ends it

# The lock is for two servers that begin at once: each table is made once.
_LAYOUT = """
SELECT pg_advisory_xact_lock(7163346302);
CREATE TABLE IF NOT EXISTS tacit_people (
    name text PRIMARY KEY, role text NOT NULL, password text, generation bigint NOT NULL DEFAULT 0,
    disabled int NOT NULL DEFAULT 0, price text, allowance float8, seen float8
);
CREATE TABLE IF NOT EXISTS tacit_tokens (
    hash text PRIMARY KEY, name text NOT NULL REFERENCES tacit_people(name), label text NOT NULL,
    made float8 NOT NULL, expires float8 NOT NULL, stored_key bytea, server_key bytea
);
CREATE TABLE IF NOT EXISTS tacit_links (
    hash text PRIMARY KEY, name text NOT NULL REFERENCES tacit_people(name), expires float8 NOT NULL
);
CREATE TABLE IF NOT EXISTS tacit_spent (
    name text NOT NULL, day text NOT NULL, share float8 NOT NULL, PRIMARY KEY (name, day)
);
CREATE TABLE IF NOT EXISTS tacit_settings (name text PRIMARY KEY, value text NOT NULL);
CREATE TABLE IF NOT EXISTS tacit_keys (
    name text NOT NULL, key text NOT NULL, body text NOT NULL, versions text NOT NULL,
    answer text, made float8 NOT NULL, owner text, PRIMARY KEY (name, key)
);
ALTER TABLE tacit_keys ADD COLUMN IF NOT EXISTS owner text;
CREATE TABLE IF NOT EXISTS tacit_texts (
    name text NOT NULL, entry bigint NOT NULL, body text NOT NULL, PRIMARY KEY (name, entry)
);
CREATE TABLE IF NOT EXISTS tacit_servers (server text PRIMARY KEY, seen float8 NOT NULL);
CREATE TABLE IF NOT EXISTS tacit_running (
    slot text PRIMARY KEY, server text NOT NULL, length bigint NOT NULL, still_open text NOT NULL
);
CREATE TABLE IF NOT EXISTS tacit_attempts (id text PRIMARY KEY, remaining float8 NOT NULL, since float8 NOT NULL);
CREATE TABLE IF NOT EXISTS tacit_released (entry bigint PRIMARY KEY, answered int NOT NULL);
"""
_TURN = "LOCK TABLE tacit_people IN SHARE ROW EXCLUSIVE MODE"
_BOUNDS = "SET LOCAL lock_timeout = '{patience}s'; SET LOCAL idle_in_transaction_session_timeout = '{idle}s';"
_WORD = re.compile(
    rf"\b({'|'.join((*NAMES, 'servers', 'running', 'released', 'attempts'))})\b(?!')"
)


class PostgresTables(Tables):
    """The tables in the database of a ledger."""

    is_near = False

    def __init__(self, address: str) -> None:
        with extra("postgres", "a ledger in PostgreSQL"):
            import psycopg
        self._psycopg: Any = psycopg
        self._address, self.server = address, new_secret()[:22]
        self._lock = threading.RLock()
        self._connection: Any = None
        with self._lock, self._failing_plainly(), self._connected().transaction():
            self._connected().execute(_bounds() + _LAYOUT)

    @contextmanager
    def writing(self) -> Iterator[Statements]:
        """One indivisible step, one after another, whichever server takes it.

        Claim:      no session keeps the others from their steps for long: neither a server that hangs within a step,
                    nor anybody else without a refusal.
        Because:    the database ends a step without a statement for 20 seconds, and waits 10 for a lock.
        Checked by: tests/unit/server/test_shared_tables.py
        """
        with self._lock, self._failing_plainly(), self._connected().transaction():
            self._connected().execute(_bounds() + _TURN)
            yield _Spelled(self._connected())

    @contextmanager
    def reading(self) -> Iterator[Statements]:
        """Single statements, which read."""
        with self._lock, self._failing_plainly():
            yield _Spelled(self._connected())

    def now(self) -> float:
        """The time in the database: machines whose clocks differ agree on it."""
        with self.reading() as file:
            (found,) = file.execute("SELECT EXTRACT(EPOCH FROM clock_timestamp())").fetchone()
        return float(found)

    def say_alive(self, file: Statements) -> None:
        """Say that this server lives; within a step."""
        file.execute(
            "INSERT INTO servers VALUES (?, ?) "
            "ON CONFLICT (server) DO UPDATE SET seen = excluded.seen",
            (self.server, self.now()),
        )

    def lives(self, file: Statements, server: str) -> bool:
        """Whether a server was heard of, and not forgotten since: `SharedBoard` forgets who is silent."""
        found = file.execute("SELECT 1 FROM servers WHERE server = ?", (server,)).fetchone()
        return found is not None

    def close(self) -> None:
        """Close the connection."""
        with self._lock:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _connected(self) -> Any:
        if self._connection is None:
            self._connection = self._psycopg.connect(
                self._address, autocommit=True, connect_timeout=_PATIENCE
            )
        return self._connection

    @contextmanager
    def _failing_plainly(self) -> Iterator[None]:
        """Whatever the database says of a failure may hold its address: one sentence is said, and it is tried anew."""
        try:
            yield
        except self._psycopg.errors.LockNotAvailable:
            self.close()
            raise LedgerUnavailable(
                "the database of the ledger",
                f"was locked by another session for more than {_PATIENCE} seconds",
                "ask again; if this persists, find in pg_locks which session holds tacit_people",
            ) from None
        except self._psycopg.Error:
            self.close()
            raise LedgerUnavailable(
                "the database of the ledger",
                "cannot be reached, or refuses a statement about identities",
                "check that it is running, and ask again",
            ) from None


def _bounds() -> str:
    return _BOUNDS.format(patience=_PATIENCE, idle=_IDLE)


class _Spelled(Statements):
    """Runs statements as PostgreSQL spells them: names of tables begin with tacit_, values are written %s."""

    def __init__(self, connection: Any) -> None:
        self._connection = connection

    def execute(self, statement: str, values: Sequence[Any] = ()) -> Any:
        """A cursor over the rows of a statement."""
        return self._connection.execute(spell(statement), values)


@cache
def spell(statement: str) -> str:
    """A statement as PostgreSQL reads it.

    >>> spell("SELECT name FROM people WHERE name = ?")
    'SELECT name FROM tacit_people WHERE name = %s'
    """
    return _WORD.sub(r"tacit_\1", statement).replace("?", "%s")


def adopt_file(tables: PostgresTables, file: Path) -> None:
    """Take over the identities that a file has, if the database has none: the vault's ledger was moved there."""
    if not file.is_file():
        return
    old = FileTables(file)
    try:
        with tables.writing() as new, old.reading() as before:
            if new.execute("SELECT COUNT(*) FROM people").fetchone()[0]:
                return
            for name in NAMES:
                for row in before.execute(f"SELECT * FROM {name}").fetchall():  # noqa: S608 -- names of this room
                    places = ", ".join("?" * len(row))
                    new.execute(f"INSERT INTO {name} VALUES ({places})", tuple(row))  # noqa: S608
    finally:
        old.close()
