"""Files of text with a header: their names, how they seem to be written, and their rows."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from tacit.engines.sources.column_names import check_names
from tacit.engines.sources.text_format import Dialect
from tacit.errors import InvalidData

__all__ = ["every_row", "guess_format", "header_of", "separated_rows"]

_SEPARATORS = (";", "\t", "|", ",")
_LONGEST_CELL = (1 << 31) - 1
"""So many characters of a cell Python's reader takes; beyond its own limit it would give up the whole file."""


def header_of(path: Path, dialect: Dialect) -> list[str]:
    """The names in the first line of a text file, which are public; one that is empty is called after its place."""
    try:
        with path.open(encoding=_codec(dialect), errors="replace", newline="") as file:
            cells = next(csv.reader(file, delimiter=dialect.separator), [])
    except (OSError, csv.Error):
        cells = []
    names = [cell or f"column {place}" for place, cell in enumerate(cells, start=1)]
    if not names:
        raise InvalidData(
            f"{path.name} cannot be read; check that it is complete, of the type its name says, and that "
        "you may read it"
        )
    other = _other_separator(names)
    if other is not None:
        raise InvalidData(
            f"{path.name} seems to use the separator {other!r}, but {dialect.separator!r} is "
            "expected; declare it in the table's format, as in format = { separator = "
            f"{_spelled_mark(other)} }}"
        )
    check_names(names, path.name, "give them different names in its first line")
    return names


def guess_format(path: Path, dialect: Dialect) -> dict[str, str]:
    """What the first line of a text file, which is public, says about how it is written, where that is unusual.

    Claim:      no row decides anything.
    Because:    nothing but the first line is read.
    Checked by: tests/unit/curator/test_starter.py::test_how_a_text_file_is_written_is_guessed_from_its_first_line
    """
    try:
        with path.open(encoding="latin-1", newline="") as file:  # which leaves every byte as it is
            line = file.readline().encode("latin-1")
        names = next(csv.reader([line.decode(errors="replace")], delimiter=dialect.separator), [])
    except (OSError, csv.Error):
        return {}
    other = _other_separator(names)
    found = {} if other is None else {"separator": other}
    try:
        line.decode()
    except UnicodeDecodeError:
        found["encoding"] = "windows-1252"
    return found


def _other_separator(names: Sequence[str]) -> str | None:
    """The mark that seems to separate names, where the expected one has left them in one piece."""
    return next((mark for mark in _SEPARATORS if len(names) == 1 and mark in names[0]), None)


def _spelled_mark(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'


def _codec(dialect: Dialect) -> str:
    return {"utf-8": "utf-8-sig", "windows-1252": "cp1252"}.get(dialect.encoding, dialect.encoding)


def separated_rows(path: Path, dialect: Dialect) -> Iterator[Mapping[str, str | None]]:
    """The rows of a text file; one with too few cells, or whose letters cannot be read, is left out."""
    return (row for row in every_row(path, dialect) if row is not None)


def every_row(path: Path, dialect: Dialect) -> Iterator[Mapping[str, str | None] | None]:
    """The same, with None for every row that is left out; a line without anything is no row.

    Claim:      no cell, however long, keeps other rows from being read.
    Because:    what Python's reader takes of one cell is more than a file that is read has in a line.
    Checked by: tests/unit/engines/test_separated.py::test_a_long_cell_is_one_cell
    """
    names = header_of(path, dialect)
    # one number for the whole process, which anybody may have set
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding=_codec(dialect), errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        next(reader, None)
        for cells in reader:
            if len(cells) >= len(names) and "".join(cells).encode(
                "utf-8", "replace"
            ).decode() == "".join(cells):
                yield {name: cell or None for name, cell in zip(names, cells, strict=False)}
            elif cells:
                yield None
