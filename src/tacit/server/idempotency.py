"""Idempotency keys: a question that is sent twice under one key is answered once, with the same bytes."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Callable
from contextlib import suppress
from hashlib import sha256
from typing import Any

from tacit.errors import InvalidInput, KeyReused, LedgerUnavailable, TooMany
from tacit.server.identities import Identities
from tacit.server.state_tables import Statements

__all__ = ["Keys"]

_KEPT = 86_400.0  # seconds
_LONGEST = 255
_MOST = 1_000  # of one person in that time


class Keys:
    """The idempotency keys of the last day, each with the answer that was given under it.

    Claim:      under one key somebody is charged once at most, and gets the same answer again, also after a refresh.
    Because:    a key is written down before the question is asked, and the answer before it leaves.  If the process
                ended between, the question is asked again: the ledger finds its charge, unless a table was refreshed
                meanwhile, and then the key is refused.  A key that is being asked has an owner, one of the servers:
                while that lives no other asks under the key, and no other ends it or writes over its answer.
    Checked by: tests/unit/server/test_idempotency.py, tests/unit/server/test_shared_tables.py
    """

    def __init__(self, identities: Identities, *, now: Callable[[], float] | None = None) -> None:
        self._file, self._tables = identities, identities.tables
        self._now = self._tables.now if now is None else now
        self._running: set[tuple[str, str]] = set()
        self._left: set[tuple[str, str]] = set()  # which still name this server as their owner
        self._lock = threading.Lock()

    def begin(self, who: str, key: str, body: object, versions: str) -> dict[str, Any] | None:
        """The answer that was given under this key; None if it is to be asked now."""
        if not key or len(key) > _LONGEST or not key.isascii() or not key.isprintable():
            raise InvalidInput("Idempotency-Key", key, "give 1 to 255 printable ASCII characters")
        digest = sha256(json.dumps(body, sort_keys=True).encode()).hexdigest()
        with self._lock:
            self._disown()
            answer = self._begin(who, key, digest, versions)
            if answer is None:
                self._running.add((who, key))
            return answer

    def _begin(self, who: str, key: str, digest: str, versions: str) -> dict[str, Any] | None:
        """Own a key in the tables, or find its answer."""
        with self._file.writing() as file:
            file.execute("DELETE FROM keys WHERE made < ?", (self._now() - _KEPT,))
            row = file.execute(
                "SELECT body, versions, answer, owner FROM keys WHERE name = ? AND key = ?",
                (who, key),
            ).fetchone()
            if row is None:
                self._insert(file, who, key, digest, versions)
            else:
                body, earlier, answer, owner = row
                if body != digest:
                    remedy = "give every question its own key"
                    raise KeyReused("was used for another question", remedy)
                if answer is not None:
                    found: dict[str, Any] = json.loads(answer)
                    return found
                if (who, key) in self._running or self._is_anothers(file, owner):
                    reason = "belongs to a question that is still running"
                    raise KeyReused(reason, "wait, and send it again", running=True)
                if earlier != versions:
                    reason = (
                        "belongs to a question that was not answered before a table was refreshed"
                    )
                    raise KeyReused(reason, "ask it again under another key")
            file.execute(
                "UPDATE keys SET owner = ? WHERE name = ? AND key = ?",
                (self._tables.server, who, key),
            )
            self._tables.say_alive(file)
        return None

    def _insert(self, file: Statements, who: str, key: str, digest: str, versions: str) -> None:
        """Write a new key down, unless somebody has too many."""
        many, oldest = file.execute(
            "SELECT COUNT(*), MIN(made) FROM keys WHERE name = ?", (who,)
        ).fetchone()
        if many >= _MOST:
            raise TooMany("idempotency keys in a day", oldest + _KEPT - self._now())
        file.execute(
            "INSERT INTO keys (name, key, body, versions, made) VALUES (?, ?, ?, ?, ?)",
            (who, key, digest, versions, self._now()),
        )

    def end(self, who: str, key: str, answer: dict[str, Any] | None) -> None:
        """Keep the answer; without one, nothing was charged, and the key may be used again."""
        with self._lock:
            self._running.discard((who, key))
            self._left.add((who, key))  # until it is written down that it has ended
            with self._file.writing() as file:
                own = (who, key, self._tables.server)
                if answer is None:
                    file.execute(
                        "DELETE FROM keys "
                        "WHERE name = ? AND key = ? AND owner = ? AND answer IS NULL",
                        own,
                    )
                else:
                    file.execute(
                        "UPDATE keys SET answer = ? "
                        "WHERE name = ? AND key = ? AND owner = ? AND answer IS NULL",
                        (json.dumps(answer), *own),
                    )
            self._left.discard((who, key))

    def leave(self, who: str, key: str) -> None:
        """Stop asking without an answer, though something may have been charged: the key keeps its meaning."""
        with self._lock:
            self._running.discard((who, key))
            self._left.add((who, key))
            # if the database or the disk fails, other servers are told so with the next key that is begun
            with suppress(LedgerUnavailable, sqlite3.Error, OSError):
                self._disown()

    def _is_anothers(self, file: Statements, owner: str | None) -> bool:
        """Whether another server that lives is asking under a key."""
        return (
            owner is not None and owner != self._tables.server and self._tables.lives(file, owner)
        )

    def _disown(self) -> None:
        """Let other servers ask under the keys that were left here; whatever becomes of the key that is begun next."""
        left = sorted(self._left - self._running)
        if left:
            with self._file.writing() as file:
                for who, key in left:
                    file.execute(
                        "UPDATE keys SET owner = NULL WHERE name = ? AND key = ? AND owner = ?",
                        (who, key, self._tables.server),
                    )
        self._left.clear()
