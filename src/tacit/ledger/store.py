"""Where a durable ledger lies: the protocol of a place that keeps records, and nothing that decides.

Checked by: tests/unit/ledger/test_sqlite.py
"""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import field
from typing import Protocol

from tacit.frozen import frozen

__all__ = ["EMPTY", "Head", "Line", "Record", "Session", "Store"]


@frozen
class Head:
    """How far a chain of records goes: how many there are, and the hash of the last.

    `totals` is a digest of what the ledger counts beside its records (verification.py), where that is known.
    """

    records: int
    hash: bytes
    totals: bytes = field(default=b"", compare=False)


EMPTY = Head(0, bytes(32))
"""The head of a chain without records."""


@frozen
class Record:
    """One link of the chain: its number, what it says as canonical JSON, and its hash (records.py)."""

    number: int
    body: bytes
    hash: bytes


@frozen
class Line:
    """How a charge is found again: by its number, its key or its topic; and its answer, once there is one.

    `record` is the number of the record that charged, `answer` of the one that answered.
    """

    entry: int
    record: int
    key: bytes
    topic: bytes
    answer: int | None = None
    payload: bytes | None = None


class Session(Protocol):
    """What can be read and written within one transaction.  All lists are short: who wants more asks again."""

    def head(self) -> Head:
        """The head of the chain, `EMPTY` if there are no records."""

    def append(self, record: Record) -> None:
        """Keep a record; its number is the number of records before it."""

    def record(self, number: int) -> Record | None:
        """The record of this number."""

    def records(self, start: int, most: int) -> list[Record]:
        """At most so many records from number `start` on, in order."""

    def index(self, line: Line) -> None:
        """Keep the line of a new charge."""

    def answer(self, entry: int, record: int, payload: bytes) -> None:
        """Complete the line of an entry that has no answer yet."""

    def lines(self, start: int, most: int) -> list[Line]:
        """At most so many lines from entry `start` on, in order."""

    def by_key(self, key: bytes) -> list[Line]:
        """All lines with this key, oldest first."""

    def by_topic(self, topic: bytes, below: int, most: int) -> list[Line]:
        """At most so many answered lines with this topic and an entry below this number, newest first."""

    def tally(self, name: str) -> str | None:
        """A running total by its name."""

    def tallies(self) -> dict[str, str]:
        """All running totals."""

    def set_tally(self, name: str, value: str) -> None:
        """Keep a running total, in place of the one of that name if there is one."""


class Store(Protocol):
    """A place that keeps records.  The ledger over it decides, hashes and counts.

    A store connects when it is first used, and again after `close`.  It need not be safe for threads: at any moment
    at most one thread writes and at most one reads, and these two may be different; `close` comes alone.  What fails is
    raised as `LedgerBusy` (someone else writes for too long), `LedgerUnavailable` (the place cannot be used now) or
    `LedgerRefused` (what lies there is damaged).
    """

    place: str
    """Where it is, without secrets: what messages say, and what the anchor is filed under."""

    def ready(self) -> bool:
        """Whether the tables of a ledger are there; nothing is created by asking."""

    def lay_out(self) -> None:
        """Create the tables, unless they are there."""

    def writing(self) -> AbstractContextManager[Session]:
        """One transaction that sees all earlier ones, excludes all other writers, of every process, from its first
        line on, and is on the disk when the block is left; if the block raises, nothing of it ever was.
        """

    def reading(self) -> AbstractContextManager[Session]:
        """One transaction that sees one durable moment and waits for nobody."""

    def faults(self) -> list[str]:
        """How the tables are not what they were laid out to be, in words that follow "the ledger at …"; none if sound.

        It takes as long for a large ledger as for a small one.
        """

    def read_pages(self) -> list[str]:
        """What is wrong with pages and indexes, found by reading all of them.  The ledger checks their contents."""

    def close(self) -> None:
        """Let go of all connections."""
