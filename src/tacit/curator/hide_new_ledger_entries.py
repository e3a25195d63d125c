"""What the ledger has and nobody is shown yet: all that was written in a slot that has not ended."""

from __future__ import annotations

import threading
from collections import ChainMap
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from copy import copy
from dataclasses import replace
from itertools import count, takewhile
from typing import Any, Protocol

from tacit.accounting import Charge
from tacit.curator.forwarding_ledger import PassedLedger
from tacit.curator.vault import Vault
from tacit.frozen import frozen
from tacit.ledger import Entry, Ledger
from tacit.privacy import Loss

__all__ = ["Board", "Reserved", "Unseen", "View", "merge_released", "still_needed"]


@frozen
class Reserved:
    """How many entries there were when a slot was reserved, and which of them had no answer."""

    length: int
    open: frozenset[int]


@frozen
class View:
    """What one read may see: entries below `length` but for the answers of those that were `open`, and what slots that
    have ended `released`: an entry, and whether with its answer.
    """

    length: int
    open: frozenset[int]
    released: Mapping[int, bool]

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


class Board(Protocol):
    """Where slots that run are written down, and what those that have ended have let out meanwhile."""

    def turn(self) -> AbstractContextManager[object]:
        """While this lasts, nobody else writes here."""

    def add(self, reserved: Reserved) -> str:
        """Write down a slot; the name by which it is taken off again."""

    def remove(self, name: str, written: Mapping[int, bool]) -> None:
        """Take a slot off that has ended, and keep what it has written as long as others run that began before."""

    def read(self) -> tuple[Sequence[Reserved], Mapping[int, bool]]:
        """The slots that run, and what was let out by those that have ended."""


class MemoryBoard(Board):
    """The board of one process."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        self._names = count()
        self._running: dict[str, Reserved] = {}
        self._released: dict[int, bool] = {}

    def turn(self) -> AbstractContextManager[object]:
        """While this lasts, nobody else writes here."""
        return self._lock

    def add(self, reserved: Reserved) -> str:
        """Write down a slot."""
        with self._lock:
            name = str(next(self._names))
            self._running[name] = reserved
            return name

    def remove(self, name: str, written: Mapping[int, bool]) -> None:
        """Take a slot off that has ended."""
        with self._lock:
            del self._running[name]
            self._released = still_needed(
                self._running.values(), merge_released(self._released, written)
            )

    def read(self) -> tuple[Sequence[Reserved], Mapping[int, bool]]:
        """The slots that run, and what was let out by those that have ended."""
        with self._lock:
            return tuple(self._running.values()), self._released


def merge_released(before: Mapping[int, bool], written: Mapping[int, bool]) -> dict[int, bool]:
    """What was let out before, and what is now: an answer that was shown stays so."""
    return {**before, **{each: before.get(each, False) or told for each, told in written.items()}}


def still_needed(running: Iterable[Reserved], released: Mapping[int, bool]) -> dict[int, bool]:
    """What has to be remembered of what was let out: the rest nobody hides any more.

    >>> still_needed([Reserved(7, frozenset({2}))], {2: True, 5: True, 7: False})
    {2: True, 7: False}
    """
    first = min((each.length for each in running), default=None)
    if first is None:
        return {}
    hidden = frozenset[int]().union(*(each.open for each in running))
    return {each: told for each, told in released.items() if each >= first or each in hidden}


class Unseen:
    """Which slots run, and what may be seen meanwhile.

    Claim:      what a free read shows is decided when it begins: nothing of a slot that runs then, or begins later,
                whatever is written meanwhile.
    Because:    the read is given the ledger up to the length that it has then, or had when the first of the running
                slots was reserved, and with it what slots that have ended have written themselves.  Length and open
                entries are read before the board: a slot that was reserved before is on it until it ends, and one that
                is reserved later writes beyond that length.
    Checked by: tests/attacks/test_free_reads.py, tests/unit/curator/test_hide_new_ledger_entries.py
    """

    def __init__(self, board: Board | None = None) -> None:
        self._board = MemoryBoard() if board is None else board
        self._lock = threading.Lock()
        self._ledger: Ledger | None = None  # of which the two below were read
        self._length, self._open = 0, set[int]()

    def enter(self, vault: Vault) -> str:
        """A slot is about to be reserved; the name under which it leaves."""
        with self._board.turn():
            return self._board.add(self._read_on(vault.ledger))

    def leave(self, name: str, written: Mapping[int, bool]) -> None:
        """A slot has ended, in which this was written: entries, and whether they are answered."""
        self._board.remove(name, written)

    def view_of(self, vault: Vault) -> View:
        """What a read that begins now may see."""
        now = self._read_on(vault.ledger)
        running, released = self._board.read()
        length = min([now.length, *(each.length for each in running)])
        return View(length, now.open.union(*(each.open for each in running)), released)

    def view_within(self) -> View:
        """What a read that begins now may see, where a slot that was reserved is still on the board.

        Claim:      it shows what `view_of` shows.
        Because:    that slot's length is no larger than the ledger's now, and an entry below it that is open now was so
                    when the slot was reserved: nothing of the ledger is left to be asked.
        Checked by: tests/unit/curator/test_hide_new_ledger_entries.py::test_in_a_slot_the_board_alone_says_what_is_seen
        """
        running, released = self._board.read()
        assert running, "a slot is on the board until it is taken off"
        length = min(each.length for each in running)
        return View(length, frozenset[int]().union(*(each.open for each in running)), released)

    def seen(self, vault: Vault, view: View | None = None) -> Vault:
        """A vault as a free read sees it that begins now, or has begun with a view."""
        shown = self.view_of(vault) if view is None else view
        return _through(vault, lambda ledger: SeenLedger(ledger, shown))

    def records(self, vault: Vault, view: View | None = None) -> Iterator[dict[str, Any]]:
        """The records of the ledger, up to the first that is not to be seen."""
        shown = self.view_of(vault) if view is None else view
        return takewhile(shown.shows_record, vault.records())

    def _read_on(self, ledger: Ledger) -> Reserved:
        """How many entries there are and which are open: what was answered before is not read again."""
        with self._lock:
            if ledger is not self._ledger:
                self._ledger, self._length, self._open = ledger, 0, set()
            known = [entry for number in self._open for entry in ledger.entries(number, number + 1)]
            still = {entry.number for entry in known if not entry.is_answered}
            for entry in ledger.entries(self._length):
                self._length = entry.number + 1
                still |= set() if entry.is_answered else {entry.number}
            self._open = still
            return Reserved(self._length, frozenset(still))

    @staticmethod
    def noted(vault: Vault, written: dict[int, bool], view: View) -> Vault:
        """A vault as it is asked in a slot that was reserved with a view: what it writes is noted for `leave`."""
        return _through(vault, lambda ledger: NotedLedger(ledger, written, view))


class NotedLedger(PassedLedger):
    """Another ledger, of which is noted what is written in one slot.

    Claim:      which entries an answer is made from, and what is charged for it, does not depend on how long the looks
                of other slots take.
    Because:    of the answers there are, those are found that were shown when the slot was reserved, and its own; an
                answer that another slot gives meanwhile is reached by its charge alone, which notes it.
    Checked by: tests/attacks/test_free_reads.py::test_what_resembles_a_running_question_tells_nothing
    """

    def __init__(self, ledger: Ledger, written: dict[int, bool], view: View) -> None:
        super().__init__(ledger)
        self._written = written
        self._view = View(view.length, view.open, ChainMap(written, dict(view.released)))

    def entries(self, first: int = 0, below: int | None = None) -> Iterator[Entry]:
        """All entries, or some of them, oldest first, with the answers that this slot may use."""
        return map(self._view.entry, super().entries(first, below))

    def find_answered(self, topic: bytes) -> Iterator[Entry]:
        """The answered entries with this topic that this slot may use, newest first."""
        view = self._view
        return (each for each in super().find_answered(topic) if view.shows_answer(each.number))

    def find_charged(self, key: bytes) -> Iterator[Entry]:
        """The entries under this key, oldest first, with the answers that this slot may use."""
        return map(self._view.entry, super().find_charged(key))

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
        while True:
            total = self._ledger.total_spent(analyst)
            hidden = [
                entry.charge
                for entry in self._ledger.entries(self._view.length)
                if analyst in {None, entry.analyst} and not self._view.shows(entry.number)
            ]
            if self._ledger.total_spent(analyst) == total:  # so that it sums just those entries
                break
        return Charge(
            total.amount - sum(each.amount for each in hidden),
            total.failure - sum(each.failure for each in hidden),
        )

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
