"""What the ledger has and nobody is shown yet: all that was written in a slot that has not ended."""

import threading
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import replace
from itertools import takewhile
from typing import Any

from tacit.accounting import Charge
from tacit.curator.forwarding_ledger import PassedLedger
from tacit.curator.vault import Vault
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.privacy import Loss

__all__ = ["Unseen"]


@frozen
class View:
    """What may be seen while slots run: entries below `length` but for the answers of those that were `open` when the
    first of the slots was reserved, and what slots that have ended `released`: an entry, and whether with its answer.
    """

    length: int
    open: frozenset[int]
    released: dict[int, bool]
    totals: dict[str | None, Charge]

    def shows(self, number: int) -> bool:
        """Whether there is such an entry, as far as anybody is told."""
        return number < self.length or number in self.released

    def shows_answer(self, number: int) -> bool:
        """Whether an entry is answered, as far as anybody is told."""
        old = number < self.length and number not in self.open
        return old or self.released.get(number, False)

    def entry(self, entry: Entry) -> Entry:
        """The entry as it is shown."""
        return entry if self.shows_answer(entry.number) else replace(entry, payload=None)

    def shows_record(self, fields: dict[str, Any]) -> bool:
        """Whether a record of the ledger may be shown."""
        if fields["kind"] == "charged":
            return self.shows(fields["entry"])
        return fields["kind"] != "answered" or self.shows_answer(fields["entry"])


class Unseen:
    """Which slots run, and what may be seen meanwhile.

    Claim:      what free reads show changes when a slot is reserved or ends, never within one, whatever is written.
    Because:    while slots run, all is shown as it was when the first of them was reserved, and with it what slots that
                have ended have written themselves; once none runs, nothing is hidden.
    Checked by: tests/attacks/test_free_reads.py
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._running = 0
        self._view: View | None = None
        self._ledger: Ledger | None = None  # of which the two below were read
        self._length, self._open = 0, set[int]()

    def enter(self, vault: Vault) -> None:
        """A slot is about to be reserved."""
        with self._lock:
            if not self._running:
                ledger = vault.ledger
                payers = {None, *vault.policy.analysts}
                totals = {payer: ledger.total_spent(payer) for payer in payers}
                self._read_on(ledger)
                self._view = View(self._length, frozenset(self._open), {}, totals)
            self._running += 1

    def _read_on(self, ledger: Ledger) -> None:
        """How many entries there are and which are open: what was answered before is not read again."""
        if ledger is not self._ledger:
            self._ledger, self._length, self._open = ledger, 0, set()
        before = [entry for number in self._open for entry in ledger.entries(number, number + 1)]
        since = list(ledger.entries(self._length))
        self._length = max([self._length, *(entry.number + 1 for entry in since)])
        self._open = {entry.number for entry in (*before, *since) if not entry.is_answered}

    def leave(self, written: dict[int, bool]) -> None:
        """A slot has ended, in which this was written: entries, and whether they are answered."""
        with self._lock:
            self._running -= 1
            if not self._running:
                self._view = None
            elif self._view is not None:
                kept = self._view.released
                shown = {
                    number: kept.get(number, False) or told for number, told in written.items()
                }
                self._view = replace(self._view, released={**kept, **shown})

    @property
    def view(self) -> View | None:
        """What may be seen now; None if no slot runs, and nothing is hidden."""
        with self._lock:
            return self._view

    def seen(self, vault: Vault) -> Vault:
        """A vault as free reads see it: without what was written in slots that have not ended."""
        view = self.view
        return vault if view is None else _through(vault, lambda ledger: SeenLedger(ledger, view))

    def records(self, vault: Vault) -> Iterator[dict[str, Any]]:
        """The records of the ledger, up to the first that was written in a slot that has not ended."""
        view, records = self.view, vault.records()
        return records if view is None else takewhile(view.shows_record, records)

    @staticmethod
    def noted(vault: Vault, written: dict[int, bool]) -> Vault:
        """A vault as it is asked in a slot: what it writes is noted for `leave`."""
        return _through(vault, lambda ledger: NotedLedger(ledger, written))


class NotedLedger(PassedLedger):
    """Another ledger, of which is noted what is written in one slot."""

    def __init__(self, ledger: Ledger, written: dict[int, bool]) -> None:
        super().__init__(ledger)
        self._written = written

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
        entry = super().charge(key, loss, analyst, topic=topic, about=about, once=once)
        self._written[entry.number] = entry.is_answered
        return entry

    def settle(self, entry: Entry, payload: bytes) -> Entry:
        """The entry with its answer stored."""
        settled = super().settle(entry, payload)
        self._written[settled.number] = True
        return settled


class SeenLedger(PassedLedger):
    """Another ledger, as far as it may be seen."""

    def __init__(self, ledger: Ledger, view: View) -> None:
        super().__init__(ledger)
        self._view = view

    def total_spent(self, analyst: str | None = None) -> Charge:
        """The sum of all charges that may be seen, or of one analyst's."""
        view = self._view
        known = view.totals.get(analyst)
        total = Charge() if known is None else known
        for entry in self.entries(0 if known is None else view.length):
            if analyst is None or entry.analyst == analyst:
                total += entry.charge
        return total

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """The entries that may be seen, or some of them, oldest first."""
        view, found = self._view, super().entries(first, below)
        return (view.entry(each) for each in found if view.shows(each.number))

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic that may be seen, newest first."""
        view = self._view
        return (each for each in super().find_answered(topic) if view.shows_answer(each.number))

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key that may be seen, oldest first."""
        view = self._view
        return (view.entry(each) for each in super().find_charged(key) if view.shows(each.number))


def _through(vault: Vault, wrap: Callable[[Ledger], Ledger]) -> Vault:
    """The same vault, which reads and writes its ledger through another."""
    other = copy(vault)
    other._access = replace(vault._access, ledger=wrap(vault.ledger))  # noqa: SLF001 -- as `Vault.replay` does
    return other
