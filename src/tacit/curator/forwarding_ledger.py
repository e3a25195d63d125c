"""A ledger that passes everything on to another one: what changes one step of it begins here.

Checked by: tests/unit/curator/test_read_only_ledger.py and tests/attacks/test_free_reads.py
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.accounting import Charge
from tacit.ledger import Entry, Ledger
from tacit.privacy import Loss

__all__ = ["PassedLedger"]


class PassedLedger(Ledger):
    """Another ledger, as it is."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

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
        """The entry that pays for this."""
        return self._ledger.charge(key, loss, analyst, topic=topic, about=about, once=once)

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored."""
        return self._ledger.settle(entry, payload)

    def total_spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges, or of one analyst's."""
        return self._ledger.total_spent(analyst)

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """All entries, or some of them, oldest first."""
        return self._ledger.entries(first, below)

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic, newest first."""
        return self._ledger.find_answered(topic)

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key, oldest first."""
        return self._ledger.find_charged(key)

    def version(self, table: str) -> int:
        """How often the curator has refreshed a table."""
        return self._ledger.version(table)

    def refresh(self, table: str) -> int:
        """The next version of a table."""
        return self._ledger.refresh(table)
