"""Transactions of a session: nothing is written in them, but settings return, and errors end them.

Checked by: tests/unit/server/wire/test_transactions.py
"""

from __future__ import annotations

from tacit.server.wire.problems import Problem
from tacit.server.wire.settings import Settings

__all__ = ["Transaction"]

_MOST = 1_000

Saved = tuple[dict[str, str], dict[str, str]]


class Transaction:
    """Whether a transaction is open (T), has failed (E) or neither (I), and what to return to."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._saved: list[tuple[str, Saved]] = []
        self.status = "I"

    @property
    def is_open(self) -> bool:
        """Whether a transaction is open, failed or not."""
        return self.status != "I"

    def begin(self) -> bool:
        """Open one; True if one was open already."""
        if self.is_open:
            return True
        self.status = "T"
        self._saved = [("", self._settings.saved())]
        return False

    def fail(self) -> None:
        """A statement failed: if a transaction is open, it ends with a rollback."""
        if self.status == "T":
            self.status = "E"

    def end(self, *, kept: bool) -> None:
        """End it, and keep what was set for the session or return to what was."""
        if self._saved and not kept:
            self._settings.restore(self._saved[0][1])
        self._settings.end_transaction()
        self._saved = []
        self.status = "I"

    def save(self, name: str) -> None:
        """Set a savepoint."""
        self._refuse_outside("SAVEPOINT")
        if len(self._saved) >= _MOST:
            raise Problem("54000", "too many savepoints")
        self._saved.append((name, self._settings.saved()))

    def roll_back_to(self, name: str) -> None:
        """Return to a savepoint: what failed since then is forgotten."""
        self._refuse_outside("ROLLBACK TO SAVEPOINT")
        place = self._place(name)
        del self._saved[place + 1 :]
        self._settings.restore(self._saved[place][1])
        self.status = "T"

    def release(self, name: str) -> None:
        """Forget a savepoint, and those that were set since."""
        self._refuse_outside("RELEASE SAVEPOINT")
        del self._saved[self._place(name) :]

    def _refuse_outside(self, what: str) -> None:
        if not self.is_open:
            raise Problem("25P01", f"{what} can only be used in transaction blocks")

    def _place(self, name: str) -> int:
        for place in range(len(self._saved) - 1, 0, -1):
            if self._saved[place][0] == name:
                return place
        raise Problem("3B001", f'savepoint "{name[:64]}" does not exist')
