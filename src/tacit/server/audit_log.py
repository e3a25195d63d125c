"""The audit log: one line of JSON for each event, with who, what and at which price; never a text, answer or secret."""

from __future__ import annotations

import os
import threading
import traceback
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

from tacit.printing import json_text

__all__ = ["EVENTS", "AuditLog", "place_of"]

EVENTS = frozenset(
    {
        *("started", "stopped", "signed in", "refused to sign in", "signed out"),
        *("explained", "asked", "answered", "replayed", "refused", "failed", "late", "left"),
        *("found", "refreshed", "reloaded", "verified", "read ledger", "mistake"),
        *("added", "disabled", "enabled", "password set", "token made", "token revoked"),
    }
)
"""What is logged."""

_PACKAGE = Path(__file__).parents[1]

_FIELDS = frozenset(
    {"identity", "door", "address", "job", "entry", "key", "share", "free", "problem", "about"}
)


class AuditLog:
    """A file that lines are appended to, readable by its owner alone.

    Claim:      no text of a question, no answer, no password and no token is written.
    Because:    a line has fields of a closed list, none of which holds one; anything else is a mistake and raises.
    Checked by: tests/unit/server/test_audit_log.py and tests/attacks/test_server_secrets.py
    """

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write = write

    @classmethod
    def at(cls, file: Path) -> AuditLog:
        """The log in a file, which is made if it is missing."""
        lock = threading.Lock()
        handle = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)

        def write(line: str) -> None:
            with lock:
                os.write(handle, f"{line}\n".encode())

        return cls(write)

    def note(self, event: str, **fields: str | float | bool | None) -> None:
        """Append a line."""
        assert event in EVENTS, f"{event!r} is not an event"
        assert fields.keys() <= _FIELDS, f"{fields.keys() - _FIELDS} are not logged"
        told = {name: value for name, value in fields.items() if value is not None}
        at = datetime.now(UTC).isoformat(timespec="milliseconds")
        self._write(json_text({"at": at, "event": event, **told}))


def place_of(error: BaseException) -> str | None:
    """The innermost line of Tacit's own source that an exception passed through, such as `server/desk.py:293`.

    Claim:      it says nothing of what the exception holds.
    Because:    it is made of the name of a file of the package and of the number of a line.
    Checked by: tests/unit/server/test_audit_log.py::test_a_mistake_is_noted_by_its_place_and_not_by_what_it_says

    >>> place_of(ValueError("never raised"))
    """
    for frame in reversed(traceback.extract_tb(error.__traceback__)):
        if (file := Path(frame.filename)).is_relative_to(_PACKAGE):
            return f"{file.relative_to(_PACKAGE).as_posix()}:{frame.lineno}"
    return None
