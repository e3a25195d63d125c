"""Where a ledger lies and what a vault is called: paths as they are written, and notes about them outside the vault."""

from __future__ import annotations

import os
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path

from tacit.errors import LedgerRefused
from tacit.ledger.anchor import Anchor, report_failures, write_whole

__all__ = ["Note", "Whereabouts", "locate", "refuse_links", "spell"]

BESIDE = ("", "-wal", "-shm", "-journal")
"""How the names of the files end in which SQLite keeps one database."""


def spell(path: str | Path) -> Path:
    """A path from the root on, as it is written: links are not followed, but for those that a `..` leads back over.

    >>> str(spell("/srv/./clinic/../clinic"))
    '/srv/clinic'
    """
    walked = Path(Path(path).absolute().anchor)
    for part in Path(path).absolute().parts[1:]:
        walked = walked.resolve().parent if part == ".." else walked / part
    return walked


def locate(path: str | Path) -> Path:
    """A path whose folder is where links lead, and whose last name is as it is written."""
    spelled = spell(path)
    return spelled.parent.resolve() / spelled.name


def refuse_links(place: str) -> None:
    """Refuse a ledger whose file, or one that SQLite keeps beside it, is a link: its folder alone says which it is.

    A name that leads to another file could be turned to an empty one; and with two names for one file SQLite would keep
    two logs of it.
    """
    for end in BESIDE:
        file = place + end
        try:
            found = os.lstat(file)
        except OSError:
            continue  # whoever opens it says why it cannot be
        if Path(file).is_symlink():
            what = "is a symbolic link"
        elif found.st_nlink > 1 and not Path(file).is_dir():
            what = "is a hard link: the same file has another name"
        else:
            continue
        raise LedgerRefused(
            place,
            what if not end else f"has a file {Path(file).name} beside it that {what}",
            "put the file itself there, or give its real path as `place` under [ledger] in "
            "the policy; then accept it with `tacit ledger adopt`",
        )


class Note:
    """A file beside the anchors that says in one line where something is."""

    def __init__(self, name: str, folder: Path) -> None:
        self.name = name
        self.file = folder / f"{sha256(name.encode()).hexdigest()[:32]}.note"

    def read(self) -> str | None:
        """What it says; None if there is none."""
        with report_failures(self.name, self.file):
            try:
                name, place, check, *_ = self.file.read_text(
                    encoding="utf-8", errors="replace"
                ).split("\n")
            except FileNotFoundError:
                return None
            except ValueError:
                name = place = check = ""
        if (name, check) == (self.name, _check(self.name, place)):
            return place
        raise LedgerRefused(
            self.name,
            f"has a damaged note of its location ({self.file})",
            "make sure that this ledger is the newest copy, then accept it with `tacit ledger "
            "adopt`",
        )

    def write(self, place: str) -> None:
        """Say this from now on; it is on the disk when the call returns."""
        with report_failures(self.name, self.file):
            write_whole(self.file, f"{self.name}\n{place}\n{_check(self.name, place)}\n".encode())


class Whereabouts:
    """What is remembered, outside of it, of the place of a vault's ledger.

    `names` are all names under which the vault and its ledger are asked for, as they are written.

    Claim:      a name that once led to the ledger at a place leads to no other one, and a ledger that was taken over at
                another place is not used at this one, until somebody adopts it.
    Because:    for every name, and for the ledger's identity (the hash of its first record, in which there is a number
                that no other has), a note keeps the place; a place that has an anchor is one of its own names.
    Checked by: tests/unit/ledger/test_places.py
    """

    def __init__(self, place: str, names: Sequence[str], folder: Path) -> None:
        self.place = place
        self._names = tuple(dict.fromkeys(names))
        self._folder = folder

    def find_contradiction(self) -> tuple[str, str] | None:
        """How a name and this place contradict each other, and what to do; None if they do not."""
        for name in self._names:
            known = Note(name, self._folder).read()
            if (
                known is None
                and name != self.place
                and Anchor(name, self._folder).read() is not None
            ):
                known = name
            if known is not None and known != self.place:
                return (
                    (
                        f"is not the ledger that {name} had before, at {known}: what was spent "
                        "there would be forgotten"
                    ),
                    (
                        "restore folders, links and policy, or accept this ledger with `tacit "
                        "ledger adopt`"
                    ),
                )
        return None

    def find_other_home(self, identity: bytes) -> str | None:
        """Where else this very ledger was opened or adopted last, if that was not here."""
        known = self._home(identity).read()
        return None if known == self.place else known

    def remember(self, identity: bytes | None) -> None:
        """Note this place for all names, and for the ledger if it has an identity already."""
        for name in self._names:
            if name != self.place or self._is_noted(Note(name, self._folder)):
                self._note(Note(name, self._folder))
        if identity is not None:
            self._note(self._home(identity))

    def _note(self, note: Note) -> None:
        try:
            known = note.read()
        except LedgerRefused:  # damaged: who remembers has checked, or has adopted
            known = None
        if known != self.place:
            note.write(self.place)

    def _is_noted(self, note: Note) -> bool:
        return note.file.exists()

    def _home(self, identity: bytes) -> Note:
        return Note(f"ledger {identity.hex()}", self._folder)


def _check(name: str, place: str) -> str:
    return sha256(f"{name}\n{place}".encode()).hexdigest()
