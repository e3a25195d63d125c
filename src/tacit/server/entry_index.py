"""Whose entries are which: every entry of the ledger is read once, however often somebody looks at their history.

Checked by: tests/unit/server/test_entry_index.py
"""

from __future__ import annotations

import threading
from collections.abc import Sequence

from tacit.curator import Vault
from tacit.frozen import frozen

__all__ = ["EntryIndex", "Spent"]


@frozen
class Spent:
    """What one entry cost: who paid, when, and which share of the limit."""

    number: int
    analyst: str | None
    at: str
    share: float


class EntryIndex:
    """What a ledger is searched for, by who paid; it is read on from where it ended, and anew for another vault."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._vault: Vault | None = None
        self._all: list[Spent] = []
        self._own: dict[str | None, list[Spent]] = {}

    def of(self, vault: Vault, analyst: str | None) -> Sequence[Spent]:
        """What somebody has paid for, oldest first."""
        with self._lock:
            self._read_on(vault)
            return tuple(self._own.get(analyst, ()))

    def everyone(self, vault: Vault) -> Sequence[Spent]:
        """What everybody has paid for, oldest first."""
        with self._lock:
            self._read_on(vault)
            return tuple(self._all)

    def _read_on(self, vault: Vault) -> None:
        if vault is not self._vault:
            self._vault, self._all, self._own = vault, [], {}
        rule = vault.policy.limit.filter()
        for entry in vault.ledger.entries(len(self._all)):
            spent = Spent(entry.number, entry.analyst, entry.at, float(rule.share(entry.charge)))
            self._all.append(spent)
            self._own.setdefault(entry.analyst, []).append(spent)
