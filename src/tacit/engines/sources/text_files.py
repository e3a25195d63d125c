"""Files of text with a header: their names and their rows."""

from __future__ import annotations

import csv
import json
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import TextIOWrapper
from pathlib import Path
from typing import BinaryIO, cast

from tacit.engines.sources.refuse_ambiguous_names import check_names
from tacit.engines.sources.text_cells import Dialect
from tacit.errors import InvalidData

__all__ = [
    "every_row",
    "header_of",
    "is_gzipped",
    "json_names",
    "json_rows",
    "open_bytes",
    "other_separator",
    "separated_rows",
]

_SEPARATORS = (";", "\t", "|", ",")
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_MOST_DIGITS = 100  # of an integer in JSON; beyond, it lies outside of every bound
_LONGEST_CELL = (1 << 31) - 1
"""So many characters of a cell Python's reader takes; beyond its own limit it would give up the whole file."""


UNREADABLE = (OSError, EOFError, zlib.error)
"""What a file raises that is not there, may not be read, or is not compressed as its name says."""


def is_gzipped(path: Path) -> bool:
    """Whether a file's name says that it is compressed by gzip."""
    return path.suffix.lower() == ".gz"


def open_bytes(path: Path) -> BinaryIO:
    """A file of text, decompressed if need be."""
    if not is_gzipped(path):
        return path.open("rb")
    import gzip

    return cast("BinaryIO", gzip.open(path))


def _open_text(path: Path, encoding: str, errors: str) -> TextIOWrapper:
    return TextIOWrapper(open_bytes(path), encoding, errors, newline="")


def _unreadable(path: Path) -> InvalidData:
    return InvalidData(
        f"{path.name} cannot be read; check that it is complete, of the type its name says, and that "
        "you may read it"
    )


def header_of(path: Path, dialect: Dialect) -> list[str]:
    """The names in the first line of a text file, which are public; one that is empty is called after its place."""
    try:
        with open_bytes(path) as raw:
            first = raw.readline(2)  # of the header, which is public
        if first in _MARKS or b"\0" in first:
            raise InvalidData(
                f"{path.name} seems to be encoded as UTF-16; save it as UTF-8, for example with "
                "iconv -f UTF-16 -t UTF-8"
            )
        with _open_text(path, _codec(dialect), "replace") as file:
            cells = next(csv.reader(file, delimiter=dialect.separator), [])
    except (*UNREADABLE, csv.Error):
        cells = []
    names = [cell or f"column {place}" for place, cell in enumerate(cells, start=1)]
    if not names:
        raise _unreadable(path)
    other = other_separator(names)
    if other is not None:
        mark = _spelled_mark(other)
        shell = "$'separator=\\t'" if other == "\t" else f'"separator={other}"'
        raise InvalidData(
            f"{path.name} seems to use the separator {other!r}, but {dialect.separator!r} is "
            f'expected; declare it: format={{"separator": {mark}}} in Python, --format {shell} on the '
            f"shell, or format = {{ separator = {mark} }} in the policy"
        )
    check_names(names, path.name, "give them different names in its first line")
    return names


def other_separator(names: Sequence[str]) -> str | None:
    """The mark that seems to separate names, where the expected one has left them in one piece."""
    return next((mark for mark in _SEPARATORS if len(names) == 1 and mark in names[0]), None)


def _spelled_mark(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'


def _codec(dialect: Dialect) -> str:
    return {"utf-8": "utf-8-sig", "windows-1252": "cp1252"}.get(dialect.encoding, dialect.encoding)


def separated_rows(
    path: Path, dialect: Dialect, needed: Collection[str] | None = None
) -> Iterator[Mapping[str, str | None]]:
    """The rows of a text file; one with too few cells, or letters that cannot be read where they are, is left out.

    `needed` are the columns that are read; without them, all.
    """
    return (row for row in every_row(path, dialect, needed) if row is not None)


def every_row(
    path: Path, dialect: Dialect, needed: Collection[str] | None = None
) -> Iterator[Mapping[str, str | None] | None]:
    """The same, with None for every row that is left out; a line without anything is no row.

    Claim:      no cell, however long, keeps other rows from being read.
    Because:    what Python's reader takes of one cell is more than a file that is read has in a line.
    Checked by: tests/unit/engines/test_separated.py::test_a_long_cell_is_one_cell
    """
    names = header_of(path, dialect)
    places = [at for at, name in enumerate(names) if needed is None or name in needed]
    # one number for the whole process, which anybody may have set
    csv.field_size_limit(_LONGEST_CELL)
    with _open_text(path, _codec(dialect), "surrogateescape") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        next(reader, None)
        for cells in reader:
            if len(cells) >= len(names) and _is_read(cells, places):
                yield {name: cell or None for name, cell in zip(names, cells, strict=False)}
            elif cells:
                yield None


def _is_read(cells: Sequence[str], places: Sequence[int]) -> bool:
    """Whether the letters of some cells could be read."""
    read = "".join([cells[at] for at in places])
    return read.encode("utf-8", "replace").decode() == read


def json_rows(path: Path) -> list[Mapping[str, object]]:
    """The objects of a file with one JSON value a line; a line that holds none is left out."""
    try:
        with open_bytes(path) as file:
            found = [_json_object(line) for line in file]
    except UNREADABLE:
        raise _unreadable(path) from None
    return [row for row in found if row is not None]


def json_names(path: Path) -> list[str]:
    """The keys of the first object of such a file."""
    try:
        with open_bytes(path) as file:
            for line in file:
                if (row := _json_object(line)) is not None:
                    return list(row)
    except UNREADABLE:
        pass
    raise _unreadable(path)


def _json_object(line: bytes) -> dict[str, object] | None:
    """The object that a line is, None if it is none; a number of too many digits is nothing, as any other oddity.

    >>> _json_object(b'{"cost": 1.5}'), _json_object(b"[1]"), _json_object(b"{")
    ({'cost': 1.5}, None, None)
    """
    try:
        found = json.loads(line, parse_int=_whole_number)
    except (ValueError, RecursionError):
        return None
    return found if isinstance(found, dict) else None


def _whole_number(digits: str) -> int | float:
    return int(digits) if len(digits) <= _MOST_DIGITS else float(digits)
