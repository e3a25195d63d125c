"""Idempotency keys: a question that is sent twice under one key is answered once, with the same bytes."""

import json
import threading
import time
from collections.abc import Callable
from hashlib import sha256
from typing import Any

from tacit.errors import InvalidInput, KeyReused, TooMany
from tacit.server.identities import Identities

__all__ = ["Keys"]

_KEPT = 86_400.0  # seconds
_LONGEST = 255
_MOST = 1_000  # of one person in that time


class Keys:
    """The idempotency keys of the last day, each with the answer that was given under it.

    Claim:      under one key somebody is charged once at most, and gets the same answer again, also after a refresh.
    Because:    a key is written down before the question is asked, and the answer before it leaves.  If the process
                ended between, the question is asked again: the ledger finds its charge, unless a table was refreshed
                meanwhile, and then the key is refused.
    Checked by: tests/unit/server/test_idempotency.py
    """

    def __init__(self, identities: Identities, *, now: Callable[[], float] = time.time) -> None:
        self._file, self._now = identities, now
        self._running: set[tuple[str, str]] = set()
        self._lock = threading.Lock()

    def begin(self, who: str, key: str, body: object, versions: str) -> dict[str, Any] | None:
        """The answer that was given under this key; None if it is to be asked now."""
        if not key or len(key) > _LONGEST or not key.isascii() or not key.isprintable():
            raise InvalidInput("Idempotency-Key", key, "give 1 to 255 printable ASCII characters")
        digest = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        with self._lock, self._file.writing() as file:
            file.execute("DELETE FROM keys WHERE made < ?", (self._now() - _KEPT,))
            row = file.execute(
                "SELECT body, versions, answer FROM keys WHERE name = ? AND key = ?", (who, key)
            ).fetchone()
            if row is None:
                many, oldest = file.execute(
                    "SELECT COUNT(*), MIN(made) FROM keys WHERE name = ?", (who,)
                ).fetchone()
                if many >= _MOST:
                    raise TooMany("idempotency keys in a day", oldest + _KEPT - self._now())
                file.execute(
                    "INSERT INTO keys VALUES (?, ?, ?, ?, NULL, ?)",
                    (who, key, digest, versions, self._now()),
                )
            elif row[0] != digest:
                raise KeyReused("was used for another question", "give every question its own")
            elif row[2] is not None:
                answer: dict[str, Any] = json.loads(row[2])
                return answer
            elif (who, key) in self._running:
                raise KeyReused(
                    "stands for a question that is still being asked",
                    "wait, and send it again",
                    running=True,
                )
            elif row[1] != versions:
                raise KeyReused(
                    "stands for a question that was not answered before a table was refreshed",
                    "ask it anew under another key",
                )
            self._running.add((who, key))
        return None

    def end(self, who: str, key: str, answer: dict[str, Any] | None) -> None:
        """Keep the answer; without one, nothing was charged, and the key may be used again."""
        with self._lock, self._file.writing() as file:
            self._running.discard((who, key))
            if answer is None:
                file.execute("DELETE FROM keys WHERE name = ? AND key = ?", (who, key))
            else:
                file.execute(
                    "UPDATE keys SET answer = ? WHERE name = ? AND key = ?",
                    (json.dumps(answer), who, key),
                )

    def leave(self, who: str, key: str) -> None:
        """Stop asking without an answer, though something may have been charged: the key keeps its meaning."""
        with self._lock:
            self._running.discard((who, key))
