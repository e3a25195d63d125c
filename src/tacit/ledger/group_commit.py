"""Group commit: who comes while others are written waits for a moment, and one commit writes the charges of all."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from tacit.errors import TacitError

__all__ = ["Ticket", "Turns"]

Page = TypeVar("Page")

MOMENT = 0.0003
"""Seconds in which another one may come."""


class Ticket(Generic[Page]):
    """A task that waits for its turn, and later what came of it."""

    def __init__(self, task: Callable[[Page], Any]) -> None:
        self._task = task
        self._result: Any = None
        self._refusal: TacitError | None = None
        # a lock of one's own wakes nobody else, and costs less than a condition
        self._bell = threading.Lock()
        self._bell.acquire()
        self.done = False
        self.leads = False

    def wait(self) -> None:
        """Until it is done, or its turn."""
        self._bell.acquire()

    def ring(self) -> None:
        """End the wait; once."""
        self._bell.release()

    def attempt(self, page: Page) -> None:
        """Do the task and note its result or its refusal; neither is known to anybody until it is done."""
        self._result, self._refusal = None, None
        try:
            self._result = self._task(page)
        except TacitError as refusal:
            self._refusal = refusal

    def refuse(self, refusal: TacitError) -> None:
        """Forget the result: what all did together failed."""
        self._refusal = refusal

    def outcome(self) -> Any:
        """The result, or the refusal raised."""
        if self._refusal is not None:
            raise self._refusal
        return self._result


class Turns(Generic[Page]):
    """Whoever's turn it is works for all who wait: one commit for many charges, and no thread of its own.

    Claim:      no task has an outcome before everything that was done together with it is done.
    Because:    `together` returns first; then tickets are marked, by the thread whose turn it is.
    Checked by: tests/unit/ledger/test_group_commit.py
    """

    def __init__(self, together: Callable[[Sequence[Ticket[Page]]], None]) -> None:
        self._together = together
        self.forget()

    def forget(self) -> None:
        """Begin anew: in a forked child the threads that wait do not exist, and theirs is the parent's to do."""
        self._waiting: list[Ticket[Page]] = []
        self._alone: list[Ticket[Page]] = []  # who wait for a turn of their own, which comes first
        self._changing = threading.Lock()
        self._taken = False
        self._served = 0  # how many, last time

    def do(self, task: Callable[[Page], Any]) -> Any:
        """What the task returns, once it and all that it was done with are done."""
        ticket = Ticket(task)
        self._await(ticket, self._waiting)
        if not ticket.done:
            try:
                self._lead(ticket)
            finally:
                self.leave()
        return ticket.outcome()

    def take(self) -> None:
        """Wait for one's turn, and let nobody else have one."""
        self._await(Ticket(_nothing), self._alone)

    def leave(self) -> None:
        """End one's turn: the next one's begins."""
        with self._changing:
            queue = self._alone or self._waiting
            self._taken = bool(queue)
            if queue:
                following = queue.pop(0)
                following.leads = True
                following.ring()

    @contextmanager
    def take_turn(self) -> Iterator[None]:
        """A turn of one's own."""
        self.take()
        try:
            yield
        finally:
            self.leave()

    def _await(self, ticket: Ticket[Page], queue: list[Ticket[Page]]) -> None:
        with self._changing:
            if not self._taken:
                self._taken = True
                return
            queue.append(ticket)
        try:
            ticket.wait()
        except BaseException:  # an interrupt: nobody waits for it any more
            with self._changing:
                if ticket in queue:
                    queue.remove(ticket)
            if ticket.leads:
                self.leave()
            raise

    def _gather(self) -> None:
        """Wait until as many are here as were served last, or a moment passes in which nobody came.

        Who comes back first would otherwise be served alone, while the others come back and wait.
        """
        came = -1
        while came < len(self._waiting) < self._served - 1:
            came = len(self._waiting)
            time.sleep(MOMENT)

    def _lead(self, own: Ticket[Page]) -> None:
        self._gather()
        with self._changing:
            others = self._waiting[:]
            self._waiting.clear()
        batch = [own, *others]
        self._served = len(batch)
        try:
            self._together(batch)
        except TacitError as refusal:
            for ticket in batch:
                ticket.refuse(refusal)
        except BaseException:  # an interrupt is the leader's alone: the others do theirs without it
            with self._changing:
                self._waiting[:0] = others
            raise
        for ticket in batch:
            ticket.done = True
        for ticket in others:
            ticket.ring()


def _nothing(_: Any) -> None:
    """The task of one who only wants a turn."""
