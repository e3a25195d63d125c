"""A ledger that lives as long as the process: the same rules as a durable one, without the disk."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from hashlib import sha256

from tacit.accounting import Charge, Filter
from tacit.errors import InvalidInput, LimitExceeded
from tacit.ledger.ledger import Entry, Ledger, check_limits, check_question, check_table, now
from tacit.privacy import Loss

__all__ = ["MemoryLedger"]


class MemoryLedger(Ledger):
    """A limit for everyone together, optional limits for single analysts, and the list of what was charged.

    >>> from tacit.accounting import PureFilter
    >>> from tacit.privacy import PureLoss
    >>> ledger = MemoryLedger(PureFilter(1))
    >>> entry = ledger.charge(b"how many?", PureLoss(1))
    >>> ledger.settle(entry, b"42").payload
    b'42'
    >>> ledger.charge(b"how many?", PureLoss(1)).payload      # the same question is free
    b'42'
    """

    def __init__(self, limit: Filter, analysts: Mapping[str, Filter] | None = None) -> None:
        self._limit = limit
        self._analysts = check_limits(limit, analysts)
        self._entries: list[Entry] = []
        self._spent: dict[str | None, Charge] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._answered: dict[bytes, list[int]] = {}  # by topic
        self._versions: Counter[str] = Counter()
        self._one_at_a_time = threading.Lock()

    def charge(
        self,
        key: bytes,
        loss: Loss,
        analyst: str | None = None,
        *,
        topic: bytes = b"",
        about: str = "",
        once: bool = False,
    ) -> Entry:
        """The entry that pays for this; see `Ledger.charge`."""
        check_question(key, analyst, self._analysts, topic, about)
        price = self._limit.price(loss)
        with self._one_at_a_time:
            for place in self._by_key.get(key, []):
                if once or price.fits(self._entries[place].charge):
                    return self._entries[place]
            self._check(price, None, self._limit)
            if analyst in self._analysts:
                self._check(price, analyst, self._analysts[analyst])
            entry = self._next(
                Entry(len(self._entries), key, analyst, price, topic=topic, about=about, at=now())
            )
            self._entries.append(entry)
            self._by_key.setdefault(key, []).append(entry.number)
            for payer in {None, analyst}:
                self._spent[payer] = self._total(payer) + price
            return entry

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored; see `Ledger.settle`."""
        if not isinstance(payload, bytes):
            raise InvalidInput("payload", type(payload).__name__, "store the answer as bytes")
        with self._one_at_a_time:
            if not 0 <= entry.number < len(self._entries):
                raise InvalidInput(
                    "entry", entry.number, "settle an entry that this ledger charged"
                )
            known = self._entries[entry.number]
            if replace(known, payload=None) != replace(entry, payload=None):
                raise InvalidInput(
                    "entry", entry.number, "settle an entry that this ledger charged"
                )
            if known.payload is None:
                known = replace(known, payload=payload)
                self._entries[entry.number] = known
                self._answered.setdefault(known.topic, []).append(known.number)
            return known

    def total_spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""
        with self._one_at_a_time:
            return self._total(analyst)

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """All entries, or some of them, oldest first, as they are now."""
        with self._one_at_a_time:
            return iter(tuple(self._entries[max(first, 0) : below]))

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic, newest first, as they are now."""
        with self._one_at_a_time:
            numbers = sorted(self._answered.get(topic, ()), reverse=True)
            return iter([self._entries[number] for number in numbers])

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key, answered or not, oldest first, as they are now."""
        with self._one_at_a_time:
            return iter([self._entries[number] for number in self._by_key.get(key, ())])

    def version(self, table: str) -> int:
        """How often the curator has refreshed a table."""
        return self._versions[check_table(table)]

    def refresh(self, table: str) -> int:
        """The next version of a table; see `Ledger.refresh`."""
        with self._one_at_a_time:
            self._versions[check_table(table)] += 1
            return self._versions[table]

    def _next(self, entry: Entry) -> Entry:
        """The entry, after all that were charged before it."""
        last = self._entries[-1].hash if self._entries else b""
        after = replace(entry, before=self._total(None))
        return replace(after, hash=sha256(last + repr(after).encode()).digest())

    def _total(self, payer: str | None) -> Charge:
        return self._spent.get(payer, Charge())

    def _check(self, price: Charge, payer: str | None, limit: Filter) -> None:
        spent = self._total(payer)
        if not limit.admits(spent, price):
            left = 1 - limit.share(spent)
            raise LimitExceeded(payer, limit.share(price), left, limit.epsilon_left(spent, price))
