"""Files of text with a header: their names, how they seem to be written, and their rows."""

from __future__ import annotations

import csv
import json
import re
import zlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from io import TextIOWrapper
from itertools import islice
from pathlib import Path
from typing import BinaryIO, cast

from tacit.engines.sources.refuse_ambiguous_names import check_names
from tacit.engines.sources.text_cells import Dialect
from tacit.errors import InvalidData
from tacit.plan import Kind

__all__ = [
    "every_row",
    "guess_format",
    "guess_kinds",
    "header_of",
    "is_gzipped",
    "json_names",
    "json_rows",
    "open_bytes",
    "separated_rows",
]

_SEPARATORS = (";", "\t", "|", ",")
_FIRST_LINES = 50
_MARKS = (b"\xff\xfe", b"\xfe\xff")  # of UTF-16
_DECIMAL_COMMA = (
    r"[+-]?[0-9]{1,3}(?:[. '\u2019\u00a0\u202f\u2009]?[0-9]{3})*,[0-9]+|[+-]?[0-9]+,[0-9]+"
)
_DECIMAL_POINT = r"[+-]?[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,})"
_GROUPED = {
    mark: rf"[+-]?[1-9][0-9]{{0,2}}(?:{sign}[0-9]{{3}})+(?:[{other}][0-9]+)?"
    for mark, sign, other in (
        (".", r"\.", ","),
        (",", ",", "."),
        ("'", "['\N{RIGHT SINGLE QUOTATION MARK}]", ".,"),
        (" ", "[ \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}]", ".,"),
    )
}
_MOST_DIGITS = 100  # of an integer in JSON; beyond, it lies outside of every bound
_POINTED_DAY = r"[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{4}"
# Patterns are compiled when a text file is looked at: most vaults have none.
# A code such as 00815 is no number, and words such as y and n may be codes.
_LOOKS = {
    Kind.INTEGER: r"[+-]?(?:0|[1-9][0-9]{0,17})",
    Kind.NUMBER: r"[+-]?(?:0|[1-9][0-9.,'\s’]*)(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]{1,3})?",
    Kind.DATE: r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}",
    Kind.TIMESTAMP: r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}[ T][0-9].*",
    Kind.BOOLEAN: "(?i:true|false|yes|no)",
}
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
    other = _other_separator(names)
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


def guess_format(path: Path, dialect: Dialect) -> dict[str, str]:
    """What the first lines of a text file say about how it is written, where that is unusual: for a curator to check.

    Claim:      no cell is told: of the rows, only whether the first ones look as if written with decimal commas, with
                thousands set apart, with days such as 31.12.2024, and with letters that are no UTF-8.
    Because:    the first line, which is public, says how cells are separated; of the rows the outcomes of a few
                patterns are used, and the words that can come out are fixed.
    Checked by: tests/unit/curator/test_starter_policy.py::test_how_a_text_file_is_written_is_guessed_from_its_shape
    """
    try:
        with open_bytes(path) as file:
            lines = list(islice(file, _FIRST_LINES))
    except UNREADABLE:
        return {}
    first = (lines or [b""])[0]
    names = _cells(first, dialect.separator)
    other = _other_separator(names)
    found = {} if other is None else {"separator": other}
    separator = other or dialect.separator
    cells = [cell.strip() for line in lines[1:] for cell in _cells(line, separator)]
    if separator != "," and _has_decimal_commas(cells):
        found["decimal"] = ","
    thousands = _thousands_mark(cells, found.get("decimal"))
    if thousands is not None and (thousands, separator) != (".", ","):
        found["thousands"] = thousands
        if thousands == ".":
            found.setdefault("decimal", ",")
    if any(
        re.fullmatch(_POINTED_DAY, cell) for cell in cells
    ):  # whose day comes first; slashes may be either
        found["dates"] = "%d.%m.%Y"
    try:
        b"".join(lines).decode()
    except UnicodeDecodeError:
        found["encoding"] = "windows-1252"
    return found


def guess_kinds(path: Path, dialect: Dialect) -> dict[str, Kind]:
    """As what the cells of each column seem to be written in the first lines: for a curator to check.

    Claim:      no cell is told: of each column, only which of five patterns all its first cells fit.
    Because:    the words that can come out are kinds; a column whose first cells are empty has none.
    Checked by: tests/unit/curator/test_starter_policy.py::test_kinds_of_a_text_file_are_proposed_as_comments
    """
    found: dict[str, Kind] = {}
    rows = list(islice(separated_rows(path, dialect), _FIRST_LINES))
    for name in header_of(path, dialect):
        cells = [cell.strip() for row in rows if (cell := row[name]) is not None and cell.strip()]
        fitting = (
            kind
            for kind, looks_like in _LOOKS.items()
            if all(
                re.fullmatch(looks_like, cell) and dialect.read(cell, kind) is not None
                for cell in cells
            )
        )
        if cells and (kind := next(fitting, None)) is not None:
            found[name] = kind
    return found


def _cells(line: bytes, separator: str) -> list[str]:
    try:
        return next(csv.reader([line.decode(errors="replace")], delimiter=separator), [])
    except csv.Error:
        return []


def _has_decimal_commas(cells: Sequence[str]) -> bool:
    """Whether some cells are numbers with a comma, and none is one with a point that is no separator of thousands."""
    commas = any(re.fullmatch(_DECIMAL_COMMA, cell) for cell in cells)
    return commas and not any(re.fullmatch(_DECIMAL_POINT, cell) for cell in cells)


def _thousands_mark(cells: Sequence[str], decimal: str | None) -> str | None:
    """What seems to separate thousands: a mark that cannot be the decimal mark, or that stands twice in one number."""
    for mark, pattern in _GROUPED.items():
        other = "," if mark == "." else "."
        if mark == decimal or (mark == "." and any(re.fullmatch(_DECIMAL_POINT, c) for c in cells)):
            continue
        sure = decimal == other if mark in ".," else True
        for cell in cells:
            if re.fullmatch(pattern, cell) and (sure or cell.count(mark) > 1 or other in cell):
                return mark
    return None


def _other_separator(names: Sequence[str]) -> str | None:
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
