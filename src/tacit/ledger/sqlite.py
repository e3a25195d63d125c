"""A ledger in a file: SQLite with a write-ahead log, synced at every commit."""

from __future__ import annotations

import os
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeAlias

from tacit.accounting import Filter
from tacit.errors import LedgerBusy, LedgerRefused, LedgerUnavailable, TacitError
from tacit.ledger.anchor import Anchor
from tacit.ledger.chain import RESTORE
from tacit.ledger.durable import DurableLedger
from tacit.ledger.places import locate, refuse_links, spell
from tacit.ledger.records import Founding
from tacit.ledger.store import EMPTY, Head, Line, Record, Session, Store
from tacit.ledger.verification import Progress

__all__ = ["SqliteStore", "sqlite_ledger"]

Connection: TypeAlias = Any
"""What `connect` returns: `execute(statement, values)` gives a cursor with `fetchone` and `fetchall`; `close()`."""

SECONDS = 10.0
"""How long to wait for another process that writes, unless told otherwise."""

TABLES = {
    "records": "CREATE TABLE records (number INTEGER PRIMARY KEY, body BLOB NOT NULL, hash BLOB NOT NULL)",
    "charges": "CREATE TABLE charges (entry INTEGER PRIMARY KEY, record INTEGER NOT NULL, key BLOB NOT NULL, "
    "topic BLOB NOT NULL, answer INTEGER, payload BLOB)",
    "charges_by_key": "CREATE INDEX charges_by_key ON charges (key, entry)",
    "charges_by_topic": "CREATE INDEX charges_by_topic ON charges (topic, entry) WHERE answer IS NOT NULL",
    "tallies": "CREATE TABLE tallies (name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID",
}

_DAMAGED = (
    "malformed",
    "not a database",
    "no such",
    "constraint failed",
    "decode",
    "datatype mismatch",
)
_REASONS = {
    "readonly": (
        "cannot be written",
        "mount its disk for writing, or give this account permission to write",
    ),
    "unable to open": (
        "cannot be opened",
        "give this account permission to read and write the file and its folder",
    ),
    "disk is full": ("is on a disk that is full", "free some space"),
}


def sqlite_ledger(
    path: str | Path,
    founding: Founding,
    limit: Filter,
    analysts: Mapping[str, Filter] | None = None,
    *,
    anchors: Path | None = None,
    adopting: str | None = None,
    progress: Progress | None = None,
    timeout: float = SECONDS,
    connect: Callable[[str], Connection] | None = None,
    vault: str | Path | None = None,
) -> DurableLedger:
    """The ledger in this file, compared with its anchor; it is founded if there is none.

    `vault` is what the vault is opened by, which has no other ledger from then on; `anchors` is where its anchor lies,
    `adopting` the reason for which a ledger that differs from its anchor is to be taken as it is, `timeout` how many
    seconds to wait for another process that writes.

    >>> from tempfile import TemporaryDirectory
    >>> from tacit.accounting import PureFilter
    >>> from tacit.privacy import PureLoss
    >>> limit = PureFilter(1)
    >>> with TemporaryDirectory() as folder:
    ...     where = {"founding": Founding.of("patient", limit), "limit": limit, "anchors": Path(folder, "anchors")}
    ...     ledger = sqlite_ledger(Path(folder, "ledger.sqlite"), **where)
    ...     entry = ledger.charge(b"how many?", PureLoss(1))
    ...     ledger.close()
    ...     sqlite_ledger(Path(folder, "ledger.sqlite"), **where).charge(b"how many?", PureLoss(1)) == entry
    True
    """
    store = SqliteStore(path, timeout=timeout, connect=connect)
    anchor = Anchor(store.place, anchors)
    names = [str(spell(path)), *([] if vault is None else [str(spell(vault))])]
    return DurableLedger(
        store, anchor, founding, limit, analysts, names=names, adopting=adopting, progress=progress
    )


class SqliteStore(Store):
    """A store in one SQLite file.

    Claim:      a transaction that was left without an error survives a power cut.
    Because:    with a write-ahead log and synchronous=FULL, a commit returns after the log was synced, and others
                see it after that.
    Checked by: tests/unit/ledger/test_sqlite.py
    """

    def __init__(
        self,
        path: str | Path,
        *,
        timeout: float = SECONDS,
        connect: Callable[[str], Connection] | None = None,
    ) -> None:
        self.place = str(locate(path))
        self._timeout = timeout
        self._connect = connect or _connect
        self._writer: Connection | None = None
        self._reader: Connection | None = None

    def ready(self) -> bool:
        """Whether the tables are there."""
        refuse_links(self.place)
        try:
            if not Path(self.place).exists():
                return False
        except OSError as error:
            raise LedgerUnavailable(
                self.place, f"cannot be reached ({error.strerror})", "fix its folder"
            ) from None
        with self._translate_errors():
            self._reader = self._reader or self._open_connection()
            return (
                self._reader.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None
            )

    def lay_out(self) -> None:
        """Create the tables, unless they are there."""
        with self._translate_errors():
            self._writer = self._writer or self._open_connection()
            self._keep_log(self._writer)
        with self.writing():
            if self._writer.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone() is not None:
                return  # another process came first
            for statement in TABLES.values():
                self._writer.execute(statement)

    def _keep_log(self, connection: Connection) -> None:
        """Have the file keep a write-ahead log; if several processes want that at once, SQLite itself does not wait."""
        end = time.monotonic() + self._timeout
        while connection.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
            try:
                connection.execute("PRAGMA journal_mode = WAL").fetchone()
            except sqlite3.OperationalError as error:
                if "locked" not in str(error) or time.monotonic() > end:
                    raise
                time.sleep(0.01)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One exclusive transaction, durable when it is left."""
        with self._translate_errors():
            self._writer = self._writer or self._open_connection()
            with _transaction(self._writer, "BEGIN IMMEDIATE"):
                yield _SqliteSession(self._writer)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction that sees one durable moment."""
        with self._translate_errors():
            self._reader = self._reader or self._open_connection()
            with _transaction(self._reader, "BEGIN"):
                yield _SqliteSession(self._reader)

    def faults(self) -> list[str]:
        """What is not as it was laid out."""
        with self._translate_errors():
            self._reader = self._reader or self._open_connection()
            found = dict(
                self._reader.execute(
                    "SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL"
                ).fetchall()
            )
            if found != TABLES:
                return ["is damaged: its tables have another layout"]
        return []

    def read_pages(self) -> list[str]:
        """What SQLite finds wrong with its pages and indexes."""
        with self._translate_errors():
            self._reader = self._reader or self._open_connection()
            told = self._reader.execute("PRAGMA integrity_check(1)").fetchone()[0]
            return [] if told == "ok" else ["is damaged: its pages or indexes are broken"]

    def close(self) -> None:
        """Let go of both connections."""
        for connection in (self._reader, self._writer):
            if connection is not None:
                with suppress(sqlite3.Error):
                    connection.close()
        self._reader = self._writer = None

    def _open_connection(self) -> Connection:
        refuse_links(self.place)
        connection = self._connect(self.place)
        for setting in (
            f"busy_timeout = {round(self._timeout * 1000)}",
            "synchronous = FULL",
            "fullfsync = ON",
        ):
            connection.execute(f"PRAGMA {setting}").fetchone()
        return connection

    @contextmanager
    def _translate_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._reason(str(error)) from None

    def _reason(self, text: str) -> TacitError:
        """What SQLite's words mean for who keeps the ledger."""
        if "locked" in text or "busy" in text:
            return LedgerBusy(self.place, self._timeout)
        if any(word in text for word in _DAMAGED):
            return LedgerRefused(self.place, f"is damaged: {text}", RESTORE)
        for words, told in _REASONS.items():
            if words in text:
                return LedgerUnavailable(self.place, *told)
        return LedgerUnavailable(self.place, f"failed: {text}", "check the disk it is on")


class _SqliteSession(Session):
    """The statements of one transaction."""

    def __init__(self, connection: Connection) -> None:
        self._execute = connection.execute

    def head(self) -> Head:
        last = self._execute(
            "SELECT number, hash FROM records ORDER BY number DESC LIMIT 1"
        ).fetchone()
        return EMPTY if last is None else Head(last[0] + 1, last[1])

    def append(self, record: Record) -> None:
        self._execute(
            "INSERT INTO records VALUES (?, ?, ?)", (record.number, record.body, record.hash)
        )

    def record(self, number: int) -> Record | None:
        return next((record for record in self.records(number, 1) if record.number == number), None)

    def records(self, start: int, most: int) -> list[Record]:
        rows = self._execute(
            "SELECT number, body, hash FROM records WHERE number >= ? ORDER BY number LIMIT ?",
            (start, most),
        )
        return [Record(*row) for row in rows.fetchall()]

    def index(self, line: Line) -> None:
        self._execute(
            "INSERT INTO charges VALUES (?, ?, ?, ?, NULL, NULL)",
            (line.entry, line.record, line.key, line.topic),
        )

    def answer(self, entry: int, record: int, payload: bytes) -> None:
        self._execute(
            "UPDATE charges SET answer = ?, payload = ? WHERE entry = ?", (record, payload, entry)
        )

    def lines(self, start: int, most: int) -> list[Line]:
        return self._lines("WHERE entry >= ? ORDER BY entry LIMIT ?", (start, most))

    def by_key(self, key: bytes) -> list[Line]:
        return self._lines("WHERE key = ? ORDER BY entry", (key,))

    def by_topic(self, topic: bytes, below: int, most: int) -> list[Line]:
        return self._lines(
            "WHERE topic = ? AND answer IS NOT NULL AND entry < ? ORDER BY entry DESC LIMIT ?",
            (topic, below, most),
        )

    def tally(self, name: str) -> str | None:
        found = self._execute("SELECT value FROM tallies WHERE name = ?", (name,)).fetchone()
        return None if found is None else found[0]

    def tallies(self) -> dict[str, str]:
        return dict(self._execute("SELECT name, value FROM tallies").fetchall())

    def set_tally(self, name: str, value: str) -> None:
        self._execute("INSERT OR REPLACE INTO tallies VALUES (?, ?)", (name, value))

    def _lines(self, which: str, values: tuple[Any, ...]) -> list[Line]:
        columns = "entry, record, key, topic, answer, payload"
        rows = self._execute(f"SELECT {columns} FROM charges {which}", values)  # noqa: S608 - all text is ours
        return [Line(*row) for row in rows.fetchall()]


@contextmanager
def _transaction(connection: Connection, begin: str) -> Iterator[None]:
    connection.execute(begin)
    try:
        yield
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):  # SQLite may have rolled back already
            connection.execute("ROLLBACK")
        raise


def _connect(path: str) -> Connection:
    # SQLite keeps a file beside one with a log, even to read it.  Where none can be written, nobody writes at all.
    address = (
        f"{Path(path).as_uri()}?mode=ro&immutable=1"
        if _on_read_only_disk(path)
        else Path(path).as_uri()
    )
    return sqlite3.connect(address, uri=True, isolation_level=None, check_same_thread=False)


def _on_read_only_disk(path: str) -> bool:
    try:
        read_only = bool(os.statvfs(path).f_flag & os.ST_RDONLY)
    except (AttributeError, OSError):
        return False
    return read_only and not Path(path + "-wal").exists()
