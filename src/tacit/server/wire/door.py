"""What all conversations share: the desk, the catalogue, who is connected, whose turn it is, and who cancels what.

Checked by: tests/unit/server/wire/test_conversation.py
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from tacit.server.desk import Desk
from tacit.server.passwords import hash_of_token, new_secret
from tacit.server.public_catalogue import PublicCatalogue
from tacit.server.wire.problems import Problem

if TYPE_CHECKING:
    from tacit.server.wire.conversation import Conversation

__all__ = ["Door", "number_of"]

_MOST_CONNECTIONS, _MOST_EACH = 500, 100


class Door:
    """What all conversations share: the desk, the catalogue, who is connected, and how it is encrypted."""

    def __init__(
        self,
        desk: Desk,
        catalogue: PublicCatalogue,
        *,
        database: str = "tacit",
        encrypted: bool = False,
        binding: bytes | None = None,
        run_catalogue: Callable[[Callable[[], Any]], Coroutine[Any, Any, Any]] | None = None,
    ) -> None:
        self.desk = desk
        self.catalogue = catalogue
        self.database = database
        self.encrypted = encrypted
        self.binding = binding
        self.run_catalogue = run_catalogue
        self._turns: dict[str, asyncio.Lock] = {}
        self._open: dict[bytes, Conversation] = {}

    def enter(self, conversation: Conversation, name: str) -> bytes:
        """Count somebody who has signed in, and draw the key that cancels what they ask."""
        own = sum(1 for each in self._open.values() if each.name == name)
        if len(self._open) >= _MOST_CONNECTIONS or own >= _MOST_EACH:
            raise Problem("53300", "too many connections", "close some", fatal=True)
        first, *rest = bytes.fromhex(hash_of_token(new_secret())[:16])
        key = bytes([first & 0x7F, *rest])  # clients print the first half as a number
        self._open[key] = conversation
        return key

    async def run_in_turn(self, name: str, work: Callable[[], Any]) -> Any:
        """What the work returns that somebody asks the catalogue for: one thing of theirs at a time.

        Claim:      however many connections somebody has, others wait for one statement of theirs at most.
        Because:    it is begun when the one before it has ended, also if nobody waits for that any more.
        Checked by: tests/unit/server/wire/test_turns.py
        """
        turn = self._turns.setdefault(name, asyncio.Lock())
        await turn.acquire()
        running = asyncio.ensure_future((self.run_catalogue or self.desk.run)(work))

        def end(done: asyncio.Future[Any]) -> None:
            turn.release()
            if not done.cancelled():
                done.exception()  # who asked may have gone

        running.add_done_callback(end)
        return await asyncio.shield(running)

    def leave(self, key: bytes) -> None:
        """Forget a conversation that has ended."""
        self._open.pop(key, None)

    def cancel_of(self, name: str, number: int) -> bool:
        """Cancel what runs in a conversation of somebody's own, by its number; whether there is one.

        Claim:      nobody cancels what others ask.
        Because:    only conversations of who asks for it are looked at.
        Checked by: tests/unit/server/wire/test_conversation.py::test_somebody_cancels_by_number_what_is_their_own
        """
        found = [
            each
            for key, each in self._open.items()
            if each.name == name and number_of(key) == number
        ]
        for each in found:
            each.cancel()
        return bool(found)

    def cancel(self, key: bytes) -> None:
        """Cancel what runs in the conversation whose key this is; any other key does nothing, and nothing is said."""
        found = self._open.get(key)
        if found is not None:
            found.cancel()


def number_of(key: bytes) -> int:
    """The number of a conversation: the first half of the key that cancels what runs in it."""
    return int.from_bytes(key[:4], "big")
