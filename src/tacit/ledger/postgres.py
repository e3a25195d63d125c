"""A ledger in PostgreSQL, for curators on several machines: the same rules, in a store that they share."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import quote

from tacit.accounting import Filter
from tacit.errors import LedgerBusy, LedgerUnavailable, LedgerUncertain
from tacit.ledger.anchor import Anchor
from tacit.ledger.durable import DurableLedger
from tacit.ledger.places import spell
from tacit.ledger.postgres_address import SECRETS, parts_of_address, place_of, with_time_limits
from tacit.ledger.records import Founding
from tacit.ledger.store import EMPTY, Head, Line, Record, Session, Store
from tacit.ledger.verification import Progress

__all__ = ["PostgresStore", "postgres_ledger"]

Connection: TypeAlias = Any  # psycopg's, which is imported where it is used
Cursor: TypeAlias = Any

PATIENCE = 30.0
"""For so many seconds a writer waits for another one."""

# A key may be longer than an index takes, so it is found by its hash.
TABLES = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit TO on;
SELECT pg_advisory_xact_lock(7163346301);
CREATE TABLE IF NOT EXISTS tacit_records (
    number bigint PRIMARY KEY,
    body bytea NOT NULL,
    hash bytea NOT NULL
);
CREATE TABLE IF NOT EXISTS tacit_lines (
    entry bigint PRIMARY KEY,
    record bigint NOT NULL,
    key bytea NOT NULL,
    topic bytea NOT NULL,
    answer bigint,
    payload bytea
);
CREATE INDEX IF NOT EXISTS tacit_lines_by_key ON tacit_lines (sha256(key), entry);
CREATE INDEX IF NOT EXISTS tacit_lines_by_topic ON tacit_lines (sha256(topic), entry) WHERE answer IS NOT NULL;
CREATE TABLE IF NOT EXISTS tacit_tallies (
    name text PRIMARY KEY,
    value text NOT NULL
);
CREATE TABLE IF NOT EXISTS tacit_turn (
    writer int PRIMARY KEY CHECK (writer = 0)
);
INSERT INTO tacit_turn VALUES (0) ON CONFLICT DO NOTHING;
COMMIT
"""
NAMES = [
    "tacit_records",
    "tacit_records_pkey",
    "tacit_lines",
    "tacit_lines_pkey",
    "tacit_lines_by_key",
    "tacit_lines_by_topic",
    "tacit_tallies",
    "tacit_tallies_pkey",
    "tacit_turn",
]

READY = "SELECT to_regclass('tacit_records') IS NOT NULL"
MISSING = "SELECT name FROM unnest(%s::text[]) AS name WHERE to_regclass(name) IS NULL"
FLEETING = "SELECT relname FROM pg_class WHERE oid = ANY (%s::regclass[]) AND relpersistence <> 'p'"
BROKEN = "SELECT indexrelid::regclass::text FROM pg_index WHERE NOT indisvalid AND indexrelid = ANY (%s::regclass[])"
TURNS = "SELECT count(*) FROM tacit_turn"

HEAD = "SELECT number + 1, hash FROM tacit_records ORDER BY number DESC LIMIT 1"

# One journey to the server: later statements of READ COMMITTED see what was committed while the lock was waited for.
WRITING = """
BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE;
SET LOCAL synchronous_commit TO on;
SET LOCAL lock_timeout TO '{milliseconds}ms';
SET LOCAL idle_in_transaction_session_timeout TO '15s';
SELECT writer FROM tacit_turn FOR UPDATE;
{head}
"""
READING = f"BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; {HEAD}"

LINE = "SELECT entry, record, key, topic, answer, payload FROM tacit_lines"

LOST = ("08", "57P", "25P03")
"""How the codes of errors begin after which a connection is gone."""

BUSY = ("55P03", "57014", "40001", "40P01")

REFUSALS = {
    "25006": (
        "is on a read-only server",
        "give the address of the primary server",
    ),
    "3F000": (
        "has no schema",
        "create the schema that the address names in its search_path",
    ),
    "42501": (
        "may not be used by this role",
        "grant it SELECT, INSERT and UPDATE on the ledger's tables, and CREATE on the schema for a new ledger",
    ),
    "53100": ("is on a server whose disk is full", "make room there"),
}


def postgres_ledger(
    address: str,
    founding: Founding,
    limit: Filter,
    analysts: Mapping[str, Filter] | None = None,
    *,
    anchors: Path | None = None,
    adopting: str | None = None,
    progress: Progress | None = None,
    vault: str | Path | None = None,
) -> DurableLedger:
    """The ledger in the database at this address, a connection string of PostgreSQL's; founded if there is none.

    Its tables lie in the first schema of the search path: `?options=-csearch_path%3Dclinic` keeps one in `clinic`.
    `vault` is what the vault is opened by, which has no other ledger from then on.
    """
    store = PostgresStore(address)
    anchor = Anchor(store.place, anchors)
    names = [] if vault is None else [str(spell(vault))]
    return DurableLedger(
        store, anchor, founding, limit, analysts, names=names, adopting=adopting, progress=progress
    )


class PostgresStore(Store):
    """Tables in a PostgreSQL database.

    Claim:      writers of all machines take turns; what a block wrote is on the server's disk when it is left, also
                if the connection broke while it was committed; no password is in a message, the place or the anchor.
    Because:    a writer locks the one row of `tacit_turn` first; every transaction asks for a synchronous commit,
                whatever the server's or the role's default is; after a break, whoever gets the row next sees whether
                the commit came to pass; the place is put together from parts of the address that are no secrets.
                Whether a server syncs at all (its `fsync`) is for who runs it.
    Checked by: tests/unit/ledger/test_postgres.py and tests/laws/test_races.py
    """

    def __init__(self, address: str, patience: float = PATIENCE) -> None:
        self.place = place_of(address)
        self._patience = patience
        self._writer = _Wire(address)
        self._reader = _Wire(address)
        # whether a commit was cut off, and nobody could be asked since what became of it
        self._unsure = False

    def ready(self) -> bool:
        """Whether the tables of a ledger are there."""
        with self._translate_errors(self._reader):
            return bool(self._reader.start(READY).fetchone()[0])

    def lay_out(self) -> None:
        """Create the tables, unless they are there; two who do so at once do it one after the other."""
        with self._translate_errors(self._writer):
            if not self._writer.start(READY).fetchone()[0]:
                self._writer.start(TABLES)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction after all earlier ones; see `Store.writing`."""
        with self._translate_errors(self._writer):
            session = self._turn()
            yield session
            self._commit(session)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        """One transaction at one moment; see `Store.reading`."""
        with self._translate_errors(self._reader):
            yield _Rows(self._reader.start(READING))
            self._reader.end()

    def faults(self) -> list[str]:
        """What is missing, tables that a crash would empty, an index that is not whole, no row to take turns by."""
        with self._translate_errors(self._reader):
            missing = self._reader.start(MISSING, [NAMES]).fetchall()
            if missing:
                return [f"is missing {name}" for (name,) in missing]
            fleeting = self._reader.start(FLEETING, [NAMES]).fetchall()
            broken = self._reader.start(BROKEN, [NAMES]).fetchall()
            turns = self._reader.start(TURNS).fetchone()
        return [
            *(f"keeps {name} in an unlogged table, which a crash empties" for (name,) in fleeting),
            *(f"has a broken index, {name}" for (name,) in broken),
            *([] if turns == (1,) else ["has lost its lock row"]),
        ]

    def read_pages(self) -> list[str]:
        """Nothing: a server checks its own pages when it reads them, if it was set up to."""
        return []

    def close(self) -> None:
        """Let go of both connections."""
        self._writer.close()
        self._reader.close()

    def _turn(self) -> _Rows:
        """A transaction of the one who writes now."""
        rows = _Rows(
            self._writer.start(WRITING.format(milliseconds=round(1000 * self._patience), head=HEAD))
        )
        # whatever was cut off has ended, one way or the other, and can be seen
        self._unsure = False
        return rows

    def _commit(self, session: _Rows) -> None:
        """The transaction is on the server's disk; or it never was, and that is raised."""
        import psycopg

        try:
            ended = session.connection.execute("COMMIT").statusmessage
        except psycopg.OperationalError as error:
            if not self._writer.broke(error):
                raise
            self._writer.close()
            if session.last is not None:
                self._find_out(session.last)
            return
        # what PostgreSQL says if a statement had failed and the block went on
        if ended != "COMMIT":
            raise LedgerUnavailable(
                self.place, "rolled back the transaction", "check the server's log, and try again"
            )

    def _find_out(self, last: Record) -> None:
        """Whether a commit came to pass whose answer was lost, by its last record.

        Claim:      what is found is final.
        Because:    the transaction held the row by which writers take turns: who has that row now comes after it.
        Checked by: tests/unit/ledger/test_postgres.py
        """
        import psycopg

        try:
            found = self._turn().record(last.number)
            self._writer.end()
        except psycopg.Error:
            self._unsure = True
            raise LedgerUncertain(self.place) from None
        if found != last:
            raise LedgerUnavailable(self.place, "lost its connection", "try again")

    @contextmanager
    def _translate_errors(self, wire: _Wire) -> Iterator[None]:
        """Whatever goes wrong, no transaction stays open; what PostgreSQL says of it becomes ours."""
        import psycopg

        try:
            yield
        except psycopg.Error as error:
            wire.end()
            raise self._refusal(error) from None
        except BaseException:
            wire.end()
            raise

    def _refusal(self, error: Any) -> LedgerBusy | LedgerUnavailable:
        code = error.sqlstate or ""
        if self._unsure:  # to say that nothing was charged could be untrue
            return LedgerUncertain(self.place)
        if code in BUSY:
            return LedgerBusy(self.place, self._patience)
        if code in REFUSALS:
            return LedgerUnavailable(self.place, *REFUSALS[code])
        if not code or code.startswith(LOST):
            said = self._writer.without_secrets(str(error).strip().partition("\n")[0])
            return LedgerUnavailable(
                self.place, f"cannot be reached ({said})", "check the server and the address"
            )
        return LedgerUnavailable(
            self.place, f"reported PostgreSQL error {code}", "check the server's log"
        )


class _Wire:
    """One connection, made when it is needed, and made anew if it broke while nobody used it."""

    def __init__(self, address: str) -> None:
        self._address = address
        self._connection: Connection | None = None

    def start(self, statement: str, parameters: list[Any] | None = None) -> Cursor:
        """What the first statement after a pause returns; it may be tried twice."""
        import psycopg

        if self._connection is not None:
            try:
                return self._connection.execute(statement, parameters)
            except psycopg.OperationalError as error:
                if not self.broke(error):
                    raise
                self.close()
        self._connection = psycopg.connect(
            with_time_limits(self._address), autocommit=True, client_encoding="utf8"
        )
        return self._connection.execute(statement, parameters)

    def end(self) -> None:
        """No transaction is open; if need be, there is no connection either."""
        import psycopg

        if self._connection is not None:
            try:
                self._connection.execute("ROLLBACK")
            except psycopg.Error:
                self.close()
            except BaseException:
                # an interrupt: what was half done must not be committed with what comes next
                self.close()
                raise

    def broke(self, error: Any) -> bool:
        """Whether the error is that the connection is gone."""
        return (
            self._connection is None
            or self._connection.closed
            or (error.sqlstate or "").startswith(LOST)
        )

    def close(self) -> None:
        """Let go of the connection."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def without_secrets(self, text: str) -> str:
        """A message of the driver's, in which no secret of the address is left."""
        for name, value in parts_of_address(self._address).items():
            if name in SECRETS and value:
                text = text.replace(value, "…").replace(quote(value, safe=""), "…")
        return text


class _Rows(Session):
    """The rows of a ledger, within one transaction."""

    def __init__(self, begun: Cursor) -> None:
        """`begun` has started the transaction, and has read the head last."""
        while begun.nextset():
            pass
        row = begun.fetchone()
        self.connection = begun.connection
        self.last: Record | None = None
        self._head = EMPTY if row is None else Head(*row)

    def head(self) -> Head:
        """The head of the chain."""
        return self._head

    def append(self, record: Record) -> None:
        """Keep a record."""
        self._execute(
            "INSERT INTO tacit_records VALUES (%s, %s, %s)", record.number, record.body, record.hash
        )
        self.last = record
        self._head = Head(record.number + 1, record.hash)

    def record(self, number: int) -> Record | None:
        """The record of this number."""
        row = self._execute(
            "SELECT number, body, hash FROM tacit_records WHERE number = %s", number
        ).fetchone()
        return None if row is None else Record(*row)

    def records(self, start: int, most: int) -> list[Record]:
        """Some records, in order."""
        found = "SELECT number, body, hash FROM tacit_records WHERE number >= %s ORDER BY number LIMIT %s"
        return [Record(*row) for row in self._execute(found, start, most)]

    def index(self, line: Line) -> None:
        """Keep the line of a new charge."""
        added = "INSERT INTO tacit_lines VALUES (%s, %s, %s, %s, %s, %s)"
        self._execute(
            added, line.entry, line.record, line.key, line.topic, line.answer, line.payload
        )

    def answer(self, entry: int, record: int, payload: bytes) -> None:
        """Complete the line of an entry."""
        changed = (
            "UPDATE tacit_lines SET answer = %s, payload = %s WHERE entry = %s AND answer IS NULL"
        )
        assert self._execute(changed, record, payload, entry).rowcount == 1, (
            "an entry is answered once"
        )

    def lines(self, start: int, most: int) -> list[Line]:
        """Some lines, in order."""
        return self._lines(f"{LINE} WHERE entry >= %s ORDER BY entry LIMIT %s", start, most)

    def by_key(self, key: bytes) -> list[Line]:
        """All lines with this key, oldest first."""
        return self._lines(
            f"{LINE} WHERE sha256(key) = sha256(%s) AND key = %s ORDER BY entry", key, key
        )

    def by_topic(self, topic: bytes, below: int, most: int) -> list[Line]:
        """Some answered lines with this topic, newest first."""
        answered = f"{LINE} WHERE sha256(topic) = sha256(%s) AND topic = %s AND answer IS NOT NULL AND entry < %s"
        return self._lines(f"{answered} ORDER BY entry DESC LIMIT %s", topic, topic, below, most)

    def tally(self, name: str) -> str | None:
        """A running total."""
        row = self._execute("SELECT value FROM tacit_tallies WHERE name = %s", name).fetchone()
        return None if row is None else str(row[0])

    def tallies(self) -> dict[str, str]:
        """All running totals."""
        return dict(self._execute("SELECT name, value FROM tacit_tallies").fetchall())

    def set_tally(self, name: str, value: str) -> None:
        """Keep a running total."""
        kept = "INSERT INTO tacit_tallies VALUES (%s, %s) ON CONFLICT (name) DO UPDATE SET value = EXCLUDED.value"
        self._execute(kept, name, value)

    def _lines(self, statement: str, *parameters: Any) -> list[Line]:
        return [Line(*row) for row in self._execute(statement, *parameters)]

    def _execute(self, statement: str, *parameters: Any) -> Cursor:
        return self.connection.execute(statement, parameters)
