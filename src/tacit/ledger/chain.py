"""The part of a chain that was hashed anew, up to a trusted head: whatever is used of a ledger is read through it."""

from __future__ import annotations

from collections.abc import Iterator

from tacit.errors import LedgerRefused
from tacit.ledger.records import chain_record
from tacit.ledger.store import EMPTY, Head, Record, Session

__all__ = ["RESTORE", "Chain"]

PAGE = 1000
SIZE = 32  # bytes of a hash
RESTORE = "restore an undamaged copy and accept it with `tacit ledger adopt`"


class Chain:
    """The hashes of all records from some record to a trusted head; it grows where older or newer ones are needed.

    It is for one thread at a time.

    Claim:      a record that it returns is the one that was written at its place, byte for byte, whatever was done to
                the store before or while it is open, if the head was.
    Because:    a record's hash covers the hash before it, so that hashing forward from a record to a hash that is known
                shows that all of them, and the hash before the first, are those that the known one was made from.
                The hashes stay in memory, and a record is hashed again whenever it is read.
    Checked by: tests/unit/ledger/test_chain.py and tests/unit/ledger/test_tampering.py
    """

    def __init__(self, place: str, head: Head) -> None:
        self._place = place
        self._first = head.records - 1  # the number of the record whose hash is held first
        self._hashes = bytearray(head.hash)

    @property
    def head(self) -> Head:
        """The newest record that is known, as a head."""
        last = self._first + len(self._hashes) // SIZE - 1
        return Head(last + 1, self._hash(last))

    def record(self, session: Session, number: int) -> Record:
        """The record of this number, as it was written."""
        return next(self.records(session, number, number + 1))

    def records(self, session: Session, start: int, stop: int) -> Iterator[Record]:
        """The records from one number to before another, as they were written."""
        self._reach_up(session, stop)
        self._reach_down(session, start)
        while start < stop:
            page = session.records(start, min(PAGE, stop - start))
            if not page:
                raise self._damage(start)
            for record in page:
                self._compare(record, start)
                start += 1
            yield from page

    def follows(self, session: Session) -> bool:
        """Whether a ledger is this one or continues it, as far as one record can tell."""
        head = self.head
        if session.head() == head or not head.records:
            return True
        last = session.record(head.records - 1)
        return last is not None and last.hash == head.hash

    def _compare(self, record: Record, number: int) -> None:
        before = Head(number, self._hash(number - 1))
        if not _fits(record, before) or record.hash != self._hash(number):
            raise self._damage(number)

    def _reach_up(self, session: Session, stop: int) -> None:
        """Hash from the newest known record on."""
        while (head := self.head).records < stop:
            page = session.records(head.records, PAGE)
            if not page:
                raise self._damage(head.records)
            self._hashes += self._hash_page(page, head)

    def _reach_down(self, session: Session, start: int) -> None:
        """Hash from an older record to the oldest known one: twice as far each time, so that all is hashed once."""
        while self._first >= start:
            lowest = max(0, min(start, self._first + 1 - len(self._hashes) // SIZE))
            before = EMPTY if not lowest else self._stored_head(session, lowest - 1)
            found = bytearray(before.hash)
            while before.records <= self._first:
                page = session.records(before.records, min(PAGE, self._first + 1 - before.records))
                if not page:
                    raise self._damage(before.records)
                found += self._hash_page(page, before)
                before = Head(before.records + len(page), bytes(found[-SIZE:]))
            if found[-SIZE:] != self._hashes[:SIZE]:
                raise self._damage(lowest)
            self._hashes[:0] = found[:-SIZE]
            self._first = lowest - 1

    def _stored_head(self, session: Session, number: int) -> Head:
        record = session.record(number)
        if record is None or len(record.hash) != SIZE:
            raise self._damage(number)
        return Head(number + 1, record.hash)

    def _hash_page(self, page: list[Record], head: Head) -> bytes:
        """The hashes of records that come after a head."""
        hashes = bytearray()
        for record in page:
            if not _fits(record, head):
                raise self._damage(head.records)
            hashes += record.hash
            head = Head(record.number + 1, record.hash)
        return bytes(hashes)

    def _hash(self, number: int) -> bytes:
        start = (number - self._first) * SIZE
        return bytes(self._hashes[start : start + SIZE])

    def _damage(self, number: int) -> LedgerRefused:
        return LedgerRefused(self._place, f"is damaged: record {number} has been changed", RESTORE)


def _fits(record: Record, head: Head) -> bool:
    """Whether a record is the one that it says it is, after a head; whoever edits a store may leave text in it."""
    return isinstance(record.body, bytes) and record == chain_record(head, record.body)
