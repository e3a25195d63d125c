"""The board of several servers: which slots run, wherever they do, and what those that have ended have let out."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager

from tacit.curator import Board, Reserved, merge_released, still_needed
from tacit.server.passwords import new_secret
from tacit.server.state_tables import Statements, Tables

__all__ = ["SharedBoard"]

SILENT = 600.0
"""After so many seconds without a word of a server its slots count no more: it has ended without taking them off."""

_EVERY = 60.0


class SharedBoard(Board):
    """Slots of all servers over one ledger.

    Claim:      no server shows what was written in a slot of another before that slot ends.
    Because:    a slot is on the board, in the ledger's own database, before it may write, and is taken off when it has
                ended; one whose server was killed stays there until that server has been silent for ten minutes, by
                the clock of the database.  A server says that it lives whenever it writes here, and writes its slots
                down anew if it was forgotten meanwhile; to itself it never shows them.
    Checked by: tests/unit/server/test_shared_tables.py, tests/laws/test_two_servers.py
    """

    def __init__(self, tables: Tables) -> None:
        self._tables = tables
        self._own: dict[str, Reserved] = {}  # the slots of this server
        self._added: list[str] = []  # in the turn that lasts
        self._stopped = threading.Event()
        self._say_alive()
        threading.Thread(target=self._go_on_saying, name="tacit-board", daemon=True).start()

    @contextmanager
    def turn(self) -> Iterator[object]:
        """While this lasts, nobody else writes here."""
        added: list[str] = []
        try:
            with self._tables.writing() as held:
                self._added = added
                yield held
        except BaseException:
            for name in added:  # it was not written down
                self._own.pop(name, None)
            raise

    def add(self, reserved: Reserved) -> str:
        """Write down a slot; within a turn."""
        name = new_secret()[:22]
        with self._tables.reading() as file:
            self._own[name] = reserved
            self._added.append(name)
            self._stay(file)
        return name

    def remove(self, name: str, written: Mapping[int, bool]) -> None:
        """Take a slot off that has ended; if the database is away, it goes with the next word of this server."""
        self._own.pop(name, None)
        with self._tables.writing() as file:
            self._stay(file)
            known = merge_released(_released(file), written)
            kept = still_needed(_running(file).values(), known)
            file.execute("DELETE FROM released")
            for entry, answered in kept.items():
                file.execute("INSERT INTO released VALUES (?, ?)", (entry, int(answered)))

    def read(self) -> tuple[Sequence[Reserved], Mapping[int, bool]]:
        """The slots that run, and what was let out by those that have ended.

        What was let out is read last: a slot that ends between the two is hidden once more, never shown too early.
        """
        with self._tables.reading() as file:
            running = [*{**dict(self._own), **_running(file)}.values()]
            return running, _released(file) if running else {}

    def close(self) -> None:
        """Say no more; slots that still run count until the server has been silent for long."""
        self._stopped.set()

    def _say_alive(self) -> None:
        with self._tables.writing() as file:
            self._stay(file)

    def _go_on_saying(self) -> None:
        while not self._stopped.wait(_EVERY):
            try:
                self._say_alive()
            except Exception:  # noqa: BLE001, S112 -- whatever it was, a server that is silent is forgotten
                continue  # it is said again in a minute, and slots stay hidden for ten

    def _stay(self, file: Statements) -> None:
        """Say that this server lives, have its own slots on the board and no others of it, and forget who is silent."""
        self._tables.say_alive(file)
        server, own = self._tables.server, dict(self._own)
        rows = file.execute("SELECT slot FROM running WHERE server = ?", (server,)).fetchall()
        known = {slot for (slot,) in rows}
        for slot in known - own.keys():
            file.execute("DELETE FROM running WHERE slot = ?", (slot,))
        for slot in own.keys() - known:
            file.execute(
                "INSERT INTO running VALUES (?, ?, ?, ?)",
                (slot, server, own[slot].length, json.dumps(sorted(own[slot].open))),
            )
        file.execute("DELETE FROM servers WHERE seen < ?", (self._tables.now() - SILENT,))
        file.execute("DELETE FROM running WHERE server NOT IN (SELECT server FROM servers)")


def _running(file: Statements) -> dict[str, Reserved]:
    rows = file.execute("SELECT slot, length, still_open FROM running").fetchall()
    return {slot: Reserved(length, frozenset(json.loads(still))) for slot, length, still in rows}


def _released(file: Statements) -> dict[int, bool]:
    return {
        entry: bool(answered)
        for entry, answered in file.execute("SELECT entry, answered FROM released").fetchall()
    }
