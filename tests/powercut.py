"""A disk whose power can be cut: it notes what is asked of it, and says what may be left on it afterwards.

What was synced is there.  Of what was written since, any sectors may be there and any may not, in any mixture: a disk
and the cache before it write in an order of their own.  A sector may even be written in part.  A file that was deleted
or replaced may be back, until its folder is synced.
"""

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TypeAlias
from unittest.mock import patch

import apsw

SECTORS = (512, 4096)


@dataclass(frozen=True, slots=True)
class Write:
    """Bytes were handed over, to be written at this place."""

    file: str
    offset: int
    data: bytes


@dataclass(frozen=True, slots=True)
class Truncate:
    """The file was cut to this size."""

    file: str
    size: int


@dataclass(frozen=True, slots=True)
class Sync:
    """All that was asked of the file before is on the disk."""

    file: str


@dataclass(frozen=True, slots=True)
class Delete:
    """The file was deleted; it may come back until its folder is synced."""

    file: str


@dataclass(frozen=True, slots=True)
class Replace:
    """Another file of the same folder got this one's name; until the folder is synced, the old one may have it."""

    file: str
    by: str


@dataclass(frozen=True, slots=True)
class SyncFolder:
    """What was deleted or replaced in this folder is so for good."""

    file: str


Event: TypeAlias = Write | Truncate | Sync | Delete | Replace | SyncFolder


@dataclass
class Disk:
    """What was asked of the file system below a folder, in order; files are known by their names in there.

    SQLite asks through the system that has this disk's name, Python through `os.pwrite`, `os.fdatasync`, `os.fsync` and
    `os.replace` while they are `watched`.
    """

    name: str
    root: Path
    events: list[Event] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._system = _System(self)

    def close(self) -> None:
        """Let SQLite forget this disk."""
        self._system.unregister()

    def known_as(self, file: str | Path) -> str:
        """The name of a file here."""
        return str(Path(file).relative_to(self.root))

    @contextmanager
    def watched(self) -> Iterator[None]:
        """What Python writes in place, syncs and replaces meanwhile is noted too.

        What it writes otherwise is noted when it is synced with `os.fsync` or replaces something.
        """
        pwrite, fdatasync, fsync, replace = os.pwrite, os.fdatasync, os.fsync, os.replace

        def noted_pwrite(descriptor: int, data: bytes, offset: int) -> int:
            self.events.append(Write(self._named(descriptor), offset, bytes(data)))
            return pwrite(descriptor, data, offset)

        def noted_fdatasync(descriptor: int) -> None:
            fdatasync(descriptor)
            self.events.append(Sync(self._named(descriptor)))

        def noted_fsync(descriptor: int) -> None:
            fsync(descriptor)
            name = self._named(descriptor)
            if (self.root / name).is_dir():
                self.events.append(SyncFolder(name))
            else:
                self.events += [
                    Truncate(name, 0),
                    Write(name, 0, (self.root / name).read_bytes()),
                    Sync(name),
                ]

        def noted_replace(source: Path, target: Path) -> None:
            name = self.known_as(source)
            self.events += [
                Write(name, 0, source.read_bytes()),
                Replace(self.known_as(target), name),
            ]
            replace(source, target)

        with (
            patch("os.pwrite", noted_pwrite),
            patch("os.fdatasync", noted_fdatasync),
            patch("os.fsync", noted_fsync),
            patch("os.replace", noted_replace),
        ):
            yield

    def _named(self, descriptor: int) -> str:
        meant = os.fstat(descriptor)
        places = (self.root, *self.root.rglob("*"))
        return next(self.known_as(path) for path in places if os.path.samestat(path.stat(), meant))


class _System(apsw.VFS):
    """The usual file system, which also notes what passes."""

    def __init__(self, disk: Disk) -> None:
        self.disk = disk
        super().__init__(disk.name, "")

    def xOpen(self, name: str | apsw.URIFilename | None, flags: list[int]) -> apsw.VFSFile:  # noqa: N802 - SQLite's name
        return _File(self.disk, name, flags)

    def xDelete(self, filename: str, syncdir: bool) -> None:  # noqa: N802
        super().xDelete(filename, syncdir)
        self.disk.events.append(Delete(self.disk.known_as(filename)))
        if syncdir:
            self.disk.events.append(SyncFolder(self.disk.known_as(Path(filename).parent)))


class _File(apsw.VFSFile):
    """A file of that system."""

    def __init__(self, disk: Disk, name: str | apsw.URIFilename | None, flags: list[int]) -> None:
        self.events = disk.events
        full = name.filename() if isinstance(name, apsw.URIFilename) else name
        self.name = disk.known_as(full) if full else "temporary"
        # SQLite syncs the folder too when it first syncs a log or a journal that it may have created.
        self.is_new = (
            bool(flags[0] & apsw.SQLITE_OPEN_CREATE) and not flags[0] & apsw.SQLITE_OPEN_MAIN_DB
        )
        super().__init__("", name, flags)

    def xWrite(self, data: bytes, offset: int) -> None:  # noqa: N802
        self.events.append(Write(self.name, offset, bytes(data)))
        super().xWrite(data, offset)

    def xTruncate(self, newsize: int) -> None:  # noqa: N802
        self.events.append(Truncate(self.name, newsize))
        super().xTruncate(newsize)

    def xSync(self, flags: int) -> None:  # noqa: N802
        super().xSync(flags)
        self.events.append(Sync(self.name))
        if self.is_new:
            self.events.append(SyncFolder(str(Path(self.name).parent)))
            self.is_new = False


@dataclass
class _Kept:
    """A file as the disk has it: what is certain, and what was asked since."""

    certain: bytes
    since: list[Write | Truncate] = field(default_factory=list)

    def left(self, random: Random) -> bytes:
        """The file after some of what was asked."""
        data, share, sector = (
            bytearray(self.certain),
            random.choice((0, 1, random.random())),
            random.choice(SECTORS),
        )
        for event in self.since:
            for piece in _pieces(event, sector):
                if random.random() < share:
                    _apply(data, _torn(piece, random))
        return bytes(data)

    def synced(self) -> "_Kept":
        """The file after all that was asked."""
        data = bytearray(self.certain)
        for event in self.since:
            _apply(data, event)
        return _Kept(bytes(data))


def images(
    events: Sequence[Event], cuts: Sequence[int], random: Random
) -> Iterator[tuple[int, dict[str, bytes]]]:
    """For every cut, given as a number of events that came before it, one thing that may be left: bytes by file."""
    # Several files may have had one name; which of them has it after the cut is open until the folder is synced.
    named: dict[str, list[_Kept | None]] = {}
    done = 0
    for cut in sorted(cuts):
        for event in events[done:cut]:
            _note(named, event)
        done = cut
        chosen = {
            name: random.choice((files[-1], random.choice(files))) for name, files in named.items()
        }
        yield cut, {name: file.left(random) for name, file in chosen.items() if file is not None}


def _note(named: dict[str, list[_Kept | None]], event: Event) -> None:
    files = named.setdefault(event.file, [None])
    match event:
        case Write() | Truncate():
            if files[-1] is None:
                files.append(_Kept(b""))
            assert files[-1] is not None
            files[-1].since.append(event)
        case Sync():
            files[-1] = files[-1] and files[-1].synced()
        case Delete():
            files.append(None)
        case Replace(_, by):
            files.append(named[by][-1])
            named[by].append(None)
        case SyncFolder(folder):
            named |= {
                name: files[-1:]
                for name, files in named.items()
                if str(Path(name).parent) == folder
            }


def _pieces(event: Write | Truncate, sector: int) -> Iterator[Write | Truncate]:
    """A write, divided where sectors end."""
    if isinstance(event, Truncate):
        yield event
        return
    start, end = event.offset, event.offset + len(event.data)
    while start < end:
        stop = min(end, (start // sector + 1) * sector)
        yield Write(event.file, start, event.data[start - event.offset : stop - event.offset])
        start = stop


def _torn(piece: Write | Truncate, random: Random) -> Write | Truncate:
    """The piece, or now and then its beginning, broken off within what it says and not in the blanks after it."""
    if isinstance(piece, Write) and random.random() < 0.3:
        return Write(
            piece.file, piece.offset, piece.data[: random.randrange(len(piece.data.rstrip()) + 1)]
        )
    return piece


def _apply(data: bytearray, event: Write | Truncate) -> None:
    if isinstance(event, Truncate):
        del data[event.size :]
    else:
        data.extend(bytes(max(0, event.offset - len(data))))  # a hole reads as zeros
        data[event.offset : event.offset + len(event.data)] = event.data
