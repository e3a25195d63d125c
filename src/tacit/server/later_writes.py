"""What is written down a moment later, so that nobody waits until it is on the disk; whoever reads finds it at once.

Checked by: tests/unit/server/test_later_writes.py
"""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from typing import Any

from tacit.frozen import frozen
from tacit.server.state_tables import Tables

__all__ = ["LaterWrites"]

_AGAIN = 1.0  # seconds until what could not be written is tried again
_LINGERS = 1.0  # seconds for which a thread waits for more


@frozen
class _Write:
    statement: str
    values: Sequence[Any]


class LaterWrites:
    """Statements that wait to be run, each about something of which the last word counts.

    It is for what is shown to people and decides nothing: if the process is killed, what waits is lost.
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._waiting: dict[Hashable, _Write] = {}
        self._changed = threading.Condition()
        self._thread: threading.Thread | None = None
        self._is_failing = False
        self._closed = False

    def add(self, about: Hashable, statement: str, values: Sequence[Any]) -> None:
        """Have a statement run soon, instead of one about the same that still waits."""
        with self._changed:
            self._waiting[about] = _Write(statement, values)
            self._changed.notify_all()
            if self._thread is None:
                self._thread = threading.Thread(target=self._go_on, name="tacit-notes", daemon=True)
                self._thread.start()

    def find(self, about: Hashable) -> Sequence[Any] | None:
        """The values of what still waits; None if it is written, or never was."""
        with self._changed:
            found = self._waiting.get(about)
            return None if found is None else found.values

    def finish(self) -> None:
        """Wait until all is written that waits, or could not be."""
        with self._changed:
            self._changed.wait_for(lambda: not self._waiting or self._is_failing)

    def close(self) -> None:
        """Write what waits, if it can be written now."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            thread = self._thread
        if thread is not None:
            thread.join()

    def _go_on(self) -> None:
        while self._has_more():
            with self._changed:
                batch = dict(self._waiting)
            try:
                with self._tables.writing() as file:
                    for each in batch.values():
                        file.execute(each.statement, each.values)
            except Exception:  # noqa: BLE001 -- whatever it was, the thread lives on and tries again
                self._wait_after_failure()
                continue
            with self._changed:
                self._is_failing = False
                for about, each in batch.items():
                    if self._waiting[about] is each:
                        del self._waiting[about]
                self._changed.notify_all()

    def _has_more(self) -> bool:
        """Whether something waits, or does so in a moment; if not, the thread ends."""
        with self._changed:
            self._changed.wait_for(lambda: self._waiting or self._closed, _LINGERS)
            if self._waiting and not (self._closed and self._is_failing):
                return True
            self._thread = None
            return False

    def _wait_after_failure(self) -> None:
        with self._changed:
            self._is_failing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._closed, _AGAIN)
