"""A ledger that lives as long as the process: the same rules as a durable one, without the disk."""

import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace

from tacit.accounting import Charge, Filter
from tacit.errors import InvalidInput, LimitExceeded
from tacit.ledger.ledger import Entry, Ledger
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
        self._analysts = dict(analysts or {})
        for name, own in self._analysts.items():
            if type(own) is not type(limit):
                raise InvalidInput(f"the limit of {name!r}", own, "state it in the currency of the limit for everyone")
        self._entries: list[Entry] = []
        self._spent: dict[str | None, Charge] = {}
        self._by_key: dict[bytes, list[int]] = {}
        self._one_at_a_time = threading.Lock()

    def charge(self, key: bytes, loss: Loss, analyst: str | None = None) -> Entry:
        """The entry that pays for this; see `Ledger.charge`."""
        if not isinstance(key, bytes) or not key:
            raise InvalidInput("key", key, "give the fingerprint of what is asked, as bytes")
        if analyst is not None and not (isinstance(analyst, str) and (analyst in self._analysts or not self._analysts)):
            raise InvalidInput("analyst", analyst, "name one of the policy's analysts")
        price = self._limit.price(loss)
        with self._one_at_a_time:
            for place in self._by_key.get(key, []):
                if price.fits(self._entries[place].charge):
                    return self._entries[place]
            self._check(price, None, self._limit)
            if analyst in self._analysts:
                self._check(price, analyst, self._analysts[analyst])
            entry = Entry(len(self._entries), key, analyst, price)
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
                raise InvalidInput("entry", entry.number, "settle an entry that this ledger charged")
            known = self._entries[entry.number]
            if replace(known, payload=None) != replace(entry, payload=None):
                raise InvalidInput("entry", entry.number, "settle an entry that this ledger charged")
            if known.payload is None:
                known = replace(known, payload=payload)
                self._entries[entry.number] = known
            return known

    def spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""
        with self._one_at_a_time:
            return self._total(analyst)

    def entries(self) -> Iterator[Entry]:
        """All entries, oldest first, as they are now."""
        with self._one_at_a_time:
            return iter(tuple(self._entries))

    def _total(self, payer: str | None) -> Charge:
        return self._spent.get(payer, Charge())

    def _check(self, price: Charge, payer: str | None, limit: Filter) -> None:
        if not limit.admits(self._total(payer), price):
            raise LimitExceeded(payer, limit.share(price), 1 - limit.share(self._total(payer)))
