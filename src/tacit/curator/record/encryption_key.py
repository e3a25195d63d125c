"""The key under which a vault seals what it has to remember and nobody may read: a file beside the policy."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from tacit.errors import InvalidData
from tacit.exact import KEY_BYTES, new_key

__all__ = ["KEY_FILE", "file_secret", "memory_secret"]

KEY_FILE = "watch.key"

Secret = Callable[[], bytes]


def memory_secret() -> Secret:
    """A key that lives as long as the process, as the ledger in memory does."""
    key = new_key()
    return lambda: key


def file_secret(folder: Path) -> Secret:
    """The key in a vault's folder, made when it is first needed.

    Claim:      a key that was used is on the disk, readable by its owner alone, and is never replaced.
    Because:    it is written in full and synchronised under another name, which becomes its own only if there is none.
    Checked by: tests/unit/curator/record/test_encryption_key.py
    """
    return lambda: _read_key(folder / KEY_FILE) or _make_key(folder / KEY_FILE)


def _read_key(file: Path) -> bytes | None:
    try:
        key = file.read_bytes()
    except FileNotFoundError:
        return None
    except OSError:
        raise InvalidData(f"{str(file)!r} cannot be read; a watch needs it") from None
    if len(key) != KEY_BYTES:
        raise InvalidData(f"{str(file)!r} is damaged; restore it from a backup of the vault")
    return key


def _make_key(file: Path) -> bytes:
    draft = file.with_name(f".{KEY_FILE}.{os.getpid()}.{new_key()[:4].hex()}")
    try:
        handle = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(handle, "wb") as target:
            target.write(new_key())
            target.flush()
            os.fsync(target.fileno())
        try:
            os.link(draft, file)
        except FileExistsError:  # somebody else made one meanwhile
            pass
        finally:
            draft.unlink()
        _synchronise(file.parent)
    except OSError:
        raise InvalidData(
            f"{str(file)!r} cannot be written; a watch keeps its key in the vault's folder"
        ) from None
    key = _read_key(file)
    assert key is not None, "a key was made, and keys are not removed"
    return key


def _synchronise(folder: Path) -> None:
    """Make the name of a new file durable."""
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
