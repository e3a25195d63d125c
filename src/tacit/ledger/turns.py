"""Tasks of many threads, done together: whoever comes first does what all who wait have brought."""

import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Generic, TypeVar

from tacit.errors import TacitError

__all__ = ["Ticket", "Turns"]

Page = TypeVar("Page")


class Ticket(Generic[Page]):
    """A task that waits for its turn, and later what came of it."""

    def __init__(self, task: Callable[[Page], Any]) -> None:
        self._task = task
        self._result: Any = None
        self._refusal: TacitError | None = None
        self.done = False

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
    Checked by: tests/unit/ledger/test_turns.py
    """

    def __init__(self, together: Callable[[Sequence[Ticket[Page]]], None]) -> None:
        self._together = together
        self.forget()

    def forget(self) -> None:
        """Begin anew: in a forked child the threads that wait do not exist, and theirs is the parent's to do."""
        self._waiting: list[Ticket[Page]] = []
        self._changed = threading.Condition(threading.Lock())
        self._taken = False

    def do(self, task: Callable[[Page], Any]) -> Any:
        """What the task returns, once it and all that it was done with are done."""
        ticket = Ticket(task)
        with self._changed:
            self._waiting.append(ticket)
            self._changed.wait_for(lambda: ticket.done or not self._taken)
            if ticket.done:
                return ticket.outcome()
            self._taken = True
            batch, self._waiting = self._waiting, []
        try:
            self._lead(batch, ticket)
        finally:
            self.leave()
        return ticket.outcome()

    def take(self) -> None:
        """Wait for one's turn, and let nobody else have one."""
        with self._changed:
            self._changed.wait_for(lambda: not self._taken)
            self._taken = True

    def leave(self) -> None:
        """End one's turn."""
        with self._changed:
            self._taken = False
            self._changed.notify_all()

    @contextmanager
    def alone(self) -> Iterator[None]:
        """A turn of one's own."""
        self.take()
        try:
            yield
        finally:
            self.leave()

    def _lead(self, batch: list[Ticket[Page]], own: Ticket[Page]) -> None:
        try:
            self._together(batch)
        except TacitError as refusal:
            for ticket in batch:
                ticket.refuse(refusal)
        except BaseException:  # an interrupt is the leader's alone: the others do theirs without it
            with self._changed:
                self._waiting = [ticket for ticket in batch if ticket is not own] + self._waiting
            raise
        for ticket in batch:
            ticket.done = True
