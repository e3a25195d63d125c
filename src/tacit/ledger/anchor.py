"""A small file outside the vault that remembers how far a ledger had come, so that an older copy is noticed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from errno import ENOSPC
from hashlib import sha256
from pathlib import Path

from tacit.errors import LedgerRefused, LedgerUnavailable
from tacit.ledger.store import EMPTY, Head

__all__ = ["Anchor", "anchors_folder", "report_failures", "write_whole"]

SLOT = 4096
"""The bytes of a slot: a disk that is cut off while it writes one leaves the other alone."""

TRIES = 3
"""How often to read: both slots look broken to a reader whom two writers overtake, one in each."""


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
    """What is remembered of the ledger at one place: how many records it had, the hash of the last, and its totals.

    Claim:      it never goes back, whatever processes write it at once, but for `replace`; after a crash or a power cut
                it holds what it held before or what was written; when a call returns, what it holds is on the disk.
    Because:    who writes holds a lock and reads first; a file begins whole, synced and renamed; later the older of its
                two slots is overwritten and synced, so that a write that was broken off leaves the newer one.
    Checked by: tests/unit/ledger/test_anchor.py and tests/laws/test_power_cuts.py
    """

    def __init__(self, place: str, folder: Path | None = None) -> None:
        self.place = place
        self.file = (
            folder or anchors_folder()
        ) / f"{sha256(place.encode()).hexdigest()[:32]}.anchor"
        self._on_disk: Head | None = None  # what this process has synced last

    def read(self) -> Head | None:
        """What is remembered; None if nothing ever was."""
        with self._translate_errors():
            for _ in range(TRIES):
                try:
                    with self._open_file(os.O_RDONLY) as file:
                        if held := self._newest(file):
                            return held
                except FileNotFoundError:
                    return None
        raise LedgerRefused(
            self.place,
            f"has a damaged anchor ({self.file})",
            "make sure that this ledger is the newest copy, then accept it with `tacit ledger "
            "adopt`",
        )

    def begin(self) -> None:
        """Remember that a ledger is about to be founded here, so that a crash in between is not taken for a loss."""
        self.advance(EMPTY)

    def advance(self, head: Head) -> None:
        """Remember a head, unless one that is as far or farther is remembered already."""
        held = self.read()
        if held is None or _goes_beyond(head, held):
            with self._translate_errors(), self._lock():
                held = self.read()
                if held is None:
                    self._create(head)
                elif _goes_beyond(head, held):
                    self._write(head)
        elif held != self._on_disk:
            # another process wrote it and may have died before it was synced
            # nothing need be writable
            with self._translate_errors(), self._open_file(os.O_RDONLY) as file:
                _sync(file)
                self._on_disk = held

    def replace(self, head: Head) -> None:
        """Remember a head in place of whatever is remembered."""
        with self._translate_errors(), self._lock():
            self._create(head)

    def _create(self, head: Head) -> None:
        """Write a new file: the head in one slot, nothing in the other, and the place for whoever looks into it."""
        write_whole(self.file, self._slot(head) + b"\n".ljust(SLOT) + self.place.encode() + b"\n")
        self._on_disk = head

    def _write(self, head: Head) -> None:
        """Overwrite the slot that is not the newest."""
        with self._open_file(os.O_RDWR) as file:
            first, second = self._slots(file)
            older = (
                1 if first is not None and (second is None or _goes_beyond(first, second)) else 0
            )
            if os.pwrite(file, self._slot(head), older * SLOT) < SLOT:
                raise OSError(ENOSPC, os.strerror(ENOSPC))
            _sync(file)
        self._on_disk = head

    def _newest(self, file: int) -> Head | None:
        return max(filter(None, self._slots(file)), key=_how_far, default=None)

    def _slots(self, file: int) -> list[Head | None]:
        """What each slot holds; None if it is empty, or was not written to its end."""
        return [self._understood(os.pread(file, SLOT, start)) for start in (0, SLOT)]

    def _slot(self, head: Head) -> bytes:
        """Records, last hash, totals if they are known, and a digest by which half a slot, or another's, is known."""
        said = " ".join(
            [str(head.records), head.hash.hex(), *([head.totals.hex()] if head.totals else [])]
        )
        return f"{said} {sha256(f'{said} {self.place}'.encode()).hexdigest()}\n".encode().ljust(
            SLOT
        )

    def _understood(self, slot: bytes) -> Head | None:
        try:
            records, last, *totals, _ = slot.decode().split()
            head = Head(int(records), bytes.fromhex(last), bytes.fromhex("".join(totals)))
        except ValueError:
            return None
        return head if slot == self._slot(head) else None

    @contextmanager
    def _open_file(self, how: int) -> Iterator[int]:
        file = os.open(self.file, how | os.O_CLOEXEC)
        try:
            yield file
        finally:
            os.close(file)

    @contextmanager
    def _lock(self) -> Iterator[None]:
        import fcntl  # which not every system has; reading needs none

        if not self.file.parent.is_dir():
            self.file.parent.mkdir(parents=True, exist_ok=True)
            _sync_folder(self.file.parent.parent)
        with self.file.with_suffix(".lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield

    def _translate_errors(self) -> AbstractContextManager[None]:
        return report_failures(self.place, self.file)


@contextmanager
def report_failures(place: str, file: Path) -> Iterator[None]:
    """Whatever the system refuses about a file beside the vault, told with a remedy."""
    try:
        yield
    except OSError as error:
        raise LedgerUnavailable(
            place,
            f"has an anchor that cannot be used ({file}: {error.strerror})",
            "fix its folder, or name another one in TACIT_ANCHORS",
        ) from None


def write_whole(file: Path, data: bytes) -> None:
    """Put a file in the place of the one of that name: the old one or the new one is there, and at the end the new."""
    if not file.parent.is_dir():
        file.parent.mkdir(parents=True, exist_ok=True)
        _sync_folder(file.parent.parent)
    # notes are written without a lock
    draft = file.with_suffix(f".{os.getpid()}-{threading.get_ident()}.draft")
    with draft.open("wb") as out:
        out.write(data)
        out.flush()
        os.fsync(out.fileno())
    draft.replace(file)
    _sync_folder(file.parent)


def _how_far(head: Head) -> tuple[int, bool]:
    return head.records, bool(head.totals)


def _goes_beyond(head: Head, other: Head) -> bool:
    """Whether a head has more records, or as many and its totals are known."""
    return _how_far(head) > _how_far(other)


def _sync_folder(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _sync(file: int) -> None:
    """Have the bytes of a file on the disk; its times may be lost."""
    if hasattr(os, "fdatasync"):
        os.fdatasync(file)
    else:
        os.fsync(file)
