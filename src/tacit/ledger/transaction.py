"""What one transaction adds to a durable ledger: records, the lines that find them, and running totals."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any

from tacit.accounting import Charge
from tacit.errors import InvalidInput, LedgerRefused
from tacit.ledger.chain import RESTORE, Chain
from tacit.ledger.ledger import Entry
from tacit.ledger.records import (
    answer_fields,
    chain_record,
    charge_fields,
    encode_fields,
    entry_of,
    fields_of,
    refresh_fields,
)
from tacit.ledger.store import Head, Line, Record, Session
from tacit.ledger.verification import digest_totals

__all__ = ["Page", "entry_at", "entry_in_use", "paid", "spent_by", "version_of"]


class Page:
    """A transaction that is being written; totals are read once, and written at its end."""

    def __init__(
        self, session: Session, place: str, chain: Chain | None = None, identity: bytes = b""
    ) -> None:
        """`chain` is what earlier records are read through, `identity` the hash of the first one, if there is one."""
        self.session = session
        self.head = session.head()
        self.identity = identity
        self._place = place
        self._chain = Chain(place, self.head) if chain is None else chain
        self._tallies = session.tallies()
        self._changed: set[str] = set()
        self._sums: dict[str | None, Charge] = {}  # what is in the totals, understood

    def append(self, fields: Mapping[str, Any]) -> Record:
        """The record that says this, at the end of the chain."""
        record = chain_record(self.head, encode_fields(fields))
        self.session.append(record)
        self.head = Head(record.number + 1, record.hash)
        if not record.number:
            self.identity = record.hash
        return record

    def number(self, name: str) -> int:
        """A running total that is one number."""
        return int(self._tallies.get(name, 0))

    def total_spent(self, payer: str | None) -> Charge:
        """What everyone, or one analyst, has spent."""
        if payer not in self._sums:
            self._sums[payer] = _as_charge(self._tallies.get(_total_name(payer)))
        return self._sums[payer]

    def enter(self, asked: Entry, limits: int) -> Entry:
        """The entry that charges this, recorded, listed and added to what was spent."""
        entry = replace(asked, number=self.number("entries"), before=self.total_spent(None))
        record = self.append(charge_fields(entry, limits))
        self.session.index(Line(entry.number, record.number, entry.key, entry.topic))
        self.set("entries", entry.number + 1)
        for payer in {None, entry.analyst}:
            self.spend(payer, entry.charge)
        return replace(entry, hash=record.hash)

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer, which is recorded unless it had one."""
        known = self._own_entry(entry)
        if known.is_answered:
            return known
        record = self.append(answer_fields(known.number, payload))
        self.session.answer(known.number, record.number, payload)
        return replace(known, payload=payload)

    def refresh(self, table: str) -> int:
        """The next version of a table."""
        version = self.number(_version(table)) + 1
        self.append(refresh_fields(table, version))
        self.set(_version(table), version)
        return version

    def spend(self, payer: str | None, charge: Charge) -> None:
        """Add to what a payer has spent."""
        self._sums[payer] = total = self.total_spent(payer) + charge
        self.set(_total_name(payer), f"{total.amount} {total.failure}")

    def set(self, name: str, value: object) -> None:
        """Keep a running total until the end of the transaction."""
        self._tallies[name] = str(value)
        self._changed.add(name)

    def close(self) -> None:
        """Write the totals that have changed; the head has their digest from then on."""
        for name in sorted(self._changed):
            self.session.set_tally(name, self._tallies[name])
        self.head = replace(self.head, totals=digest_totals(self.session, self._tallies))

    def find_paid(self, key: bytes, price: Charge) -> Entry | None:
        """The first entry under a key whose price was no lower."""
        return paid(self._place, self.session, self._chain, key, price)

    def _own_entry(self, entry: Entry) -> Entry:
        """The entry as this ledger has it, if it is one of its own."""
        if 0 <= entry.number < self.number("entries"):
            known = entry_in_use(
                self._place, self.session, self._chain, *self.session.lines(entry.number, 1)
            )
            if replace(known, payload=None) == replace(entry, payload=None):
                return known
        raise InvalidInput("entry", entry.number, "settle an entry that this ledger charged")


def entry_at(place: str, session: Session, chain: Chain, line: Line) -> Entry:
    """The entry that a line leads to.

    Claim:      who asked, what it cost and what was answered is what was written, or the ledger is refused.
    Because:    the records that charged and that answered are read through the chain, and the line must say the same.
    Checked by: tests/unit/ledger/test_tampering.py
    """
    record = chain.record(session, line.record)
    if fields_of(record)["kind"] != "charged":
        raise _differs(place, line)
    entry = entry_of(record, line.payload)
    if (entry.number, entry.key, entry.topic) != (line.entry, line.key, line.topic):
        raise _differs(place, line)
    if (line.answer is None) != (line.payload is None):
        raise _differs(place, line)
    if line.answer is not None and line.payload is not None:
        said = fields_of(chain.record(session, line.answer))
        wanted = {
            "kind": "answered",
            "entry": line.entry,
            "digest": sha256(line.payload).hexdigest(),
        }
        if {name: said.get(name) for name in wanted} != wanted:
            raise _differs(place, line)
    return entry


def entry_in_use(place: str, session: Session, chain: Chain, line: Line) -> Entry:
    """The entry that a line leads to; if it is open, no record since says that it was answered.

    Claim:      an entry that was answered once is never taken for one that was not.
    Because:    an answer is a record after the charge, and all of those are read through the chain.
    Checked by: tests/unit/ledger/test_tampering.py
    """
    entry = entry_at(place, session, chain, line)
    if not entry.is_answered:
        for record in chain.records(session, line.record + 1, session.head().records):
            said = fields_of(record)
            if said["kind"] == "answered" and said["entry"] == line.entry:
                raise _differs(place, line)
    return entry


def paid(place: str, session: Session, chain: Chain, key: bytes, price: Charge) -> Entry | None:
    """The first entry under a key whose price was no lower."""
    entries = (entry_in_use(place, session, chain, line) for line in session.by_key(key))
    return next((entry for entry in entries if price.fits(entry.charge)), None)


def _differs(place: str, line: Line) -> LedgerRefused:
    return LedgerRefused(
        place, f"is damaged: the index row of entry {line.entry} disagrees with its record", RESTORE
    )


def spent_by(session: Session, payer: str | None) -> Charge:
    """What everyone, or one analyst, has spent."""
    return _as_charge(session.tally(_total_name(payer)))


def version_of(session: Session, table: str) -> int:
    """How often a table was refreshed."""
    return int(session.tally(_version(table)) or 0)


def _as_charge(tally: str | None) -> Charge:
    return Charge(*map(int, tally.split())) if tally else Charge()


def _total_name(payer: str | None) -> str:
    return "spent" if payer is None else f"spent of {payer}"


def _version(table: str) -> str:
    return f"version of {table}"
