"""A small file outside the vault that remembers how far a ledger had come, so that an older copy is noticed."""

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from hashlib import sha256
from pathlib import Path
from typing import Any

from tacit.errors import LedgerRefused, LedgerUnavailable
from tacit.ledger.store import EMPTY, Head

__all__ = ["Anchor", "anchors_folder"]


def anchors_folder() -> Path:
    """The folder of anchors: $TACIT_ANCHORS, or `tacit/anchors` in the folder where programs keep their state."""
    if named := os.environ.get("TACIT_ANCHORS"):
        return Path(named)
    if state := os.environ.get("XDG_STATE_HOME"):
        return Path(state) / "tacit" / "anchors"
    try:
        return Path.home() / ".local" / "state" / "tacit" / "anchors"
    except RuntimeError:
        raise LedgerUnavailable(
            "the vault",
            "has no folder for its anchor, since this account has no home folder",
            "name a folder that lasts in TACIT_ANCHORS",
        ) from None


class Anchor:
    """What is remembered of the ledger at one place: how many records it had, and the hash of the last.

    Claim:      it never goes back, whatever processes write it at once, but for `replace`; after a crash it holds
                what it held before or what was written.
    Because:    who writes holds a lock and reads first; a file is written whole, synced, and renamed.
    Checked by: tests/unit/ledger/test_anchor.py
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self.place = place
        self.file = (folder or anchors_folder()) / f"{sha256(place.encode()).hexdigest()[:32]}.json"

    def read(self) -> Head | None:
        """What is remembered; None if nothing ever was."""
        with self._reported():
            try:
                held = json.loads(self.file.read_bytes())
                return self._understood(held)
            except FileNotFoundError:
                return None
            except (ValueError, KeyError, TypeError):
                raise LedgerRefused(
                    self.place,
                    f"has a damaged anchor ({self.file})",
                    "make sure that the ledger is the newest one, then take it as it is with `tacit ledger adopt`",
                ) from None

    def begin(self) -> None:
        """Remember that a ledger is about to be founded here, so that a crash in between is not taken for a loss."""
        self.advance(EMPTY)

    def advance(self, head: Head) -> None:
        """Remember a head, unless one that is as far or farther is remembered already."""
        if self._behind(head):  # else nothing need be writable
            with self._reported(), self._alone():
                if self._behind(head):
                    self._write(head)

    def replace(self, head: Head) -> None:
        """Remember a head in place of whatever is remembered."""
        with self._reported(), self._alone():
            self._write(head)

    def _behind(self, head: Head) -> bool:
        held = self.read()
        return held is None or held.records < head.records

    def _understood(self, held: Any) -> Head:
        head = Head(held["records"], bytes.fromhex(held["head"]))
        if held["place"] != self.place or type(head.records) is not int or head.records < 0 or len(head.hash) != 32:
            raise ValueError("not this ledger's anchor")
        return head

    def _write(self, head: Head) -> None:
        new = not self.file.exists()
        draft = self.file.with_suffix(".draft")
        with draft.open("w", encoding="utf-8") as out:
            json.dump({"place": self.place, "records": head.records, "head": head.hash.hex()}, out)
            out.flush()
            os.fsync(out.fileno())
        draft.replace(self.file)
        if new:  # later renames may be lost in a power cut: an older anchor of the same ledger is no fault
            _sync_folder(self.file.parent)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        import fcntl  # which not every system has; reading needs none

        if not self.file.parent.is_dir():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            _sync_folder(self.file.parent.parent)
        with self.file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    @contextmanager
    def _reported(self) -> Iterator[None]:
        try:
            yield
        except OSError as error:
            raise LedgerUnavailable(
                self.place,
                f"has an anchor that cannot be used ({self.file}: {error.strerror})",
                "mend its folder, or name another one in TACIT_ANCHORS",
            ) from None


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
