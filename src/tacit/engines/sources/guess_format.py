"""How a text file seems to be written, from the shape of its first lines: for a curator to check.

Checked by: tests/unit/curator/test_starter_policy.py
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from tacit.engines.sources.text_cells import Dialect
from tacit.engines.sources.text_files import (
    UNREADABLE,
    header_of,
    open_bytes,
    other_separator,
    separated_rows,
)
from tacit.frozen import frozen
from tacit.plan import Kind

__all__ = ["Seeming", "guess_format", "guess_kinds"]

_FIRST_LINES = 50
_MOST_OF_THEM = 0.8
"""Which part of a column's cells make it a column of their type, beside others that are texts."""

_DECIMAL_COMMA = (
    r"[+-]?[0-9]{1,3}(?:[. '\u2019\u00a0\u202f\u2009]?[0-9]{3})*,[0-9]+|[+-]?[0-9]+,[0-9]+"
)
_LIKE_THOUSANDS = r"[+-]?[1-9][0-9]{0,2},[0-9]{3}"
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
_DAY = r"([0-9]{1,2})([-./])([0-9]{1,2})\2[0-9]{4}(?:[ T][0-9].*)?"
_MONTHS, _DAYS = 12, 31
# Patterns are compiled when a text file is looked at: most vaults have none.
# A code such as 00815 is no number, and words such as y and n may be codes.
_LOOKS = {
    Kind.INTEGER: r"[+-]?(?:0|[1-9][0-9]{0,17})",
    Kind.NUMBER: r"[+-]?(?:0|[1-9][0-9.,'\s’]*)(?:[.,][0-9]+)?(?:[eE][+-]?[0-9]{1,3})?",
    Kind.DATE: r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}",
    Kind.TIMESTAMP: r"[0-9]{1,4}[-./][0-9]{1,2}[-./][0-9]{1,4}[ T][0-9].*",
    Kind.BOOLEAN: "(?i:true|false|yes|no)",
}
_USUAL_TRUTHS = (("true", "false"), ("yes", "no"))
_TRUTHS = (
    *_USUAL_TRUTHS,
    *(("ja", "nein"), ("ja", "nee"), ("ja", "nej"), ("oui", "non"), ("si", "no"), ("sí", "no")),
    *(("sì", "no"), ("sim", "não"), ("sim", "nao"), ("tak", "nie"), ("wahr", "falsch")),
    *(("vrai", "faux"), ("vero", "falso"), ("verdadero", "falso"), ("j", "n")),
)
"""The words for true and false that are known: these may be written into a policy, and no others."""

OTHER_TEXTS = "but for other texts in it: nulls = […]?"
WITH_A_POINT = (
    'but with a decimal point, which decimal = "," does not read: write it alike in the file'
)
DAY_OR_MONTH = (
    'once it is said which comes first, the day (dates = "%d/%m/%Y" in format, with the mark between '
    'them) or the month ("%m/%d/%Y")'
)
OTHER_DAYS = (
    "but not as dates in format says: a file has one way to write days, so write them alike"
)


@frozen
class Seeming:
    """As what the first cells of a column seem to be written, and what is to be settled first, if anything."""

    kind: Kind
    doubt: str = ""


def guess_format(path: Path, dialect: Dialect) -> dict[str, str | list[str]]:
    """What the first lines of a text file say about how it is written, where that is unusual: for a curator to check.

    Claim:      no cell is told: of the rows, only whether the first ones look as if written with decimal commas, with
                thousands set apart, with days such as 31.12.2024 or 31/12/2024, with letters that are no UTF-8, and
                with which of a few known words for true and false.
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
    encoding = _encoding(lines)
    names = _cells(first, dialect.separator, encoding)
    other = other_separator(names)
    found: dict[str, str | list[str]] = {} if other is None else {"separator": other}
    separator = other or dialect.separator
    rows = [_cells(line, separator, encoding) for line in lines[1:]]
    width = max(map(len, rows), default=0)
    columns = [[row[at].strip() for row in rows if at < len(row)] for at in range(width)]
    decimal = "," if separator != "," and _has_decimal_commas(columns) else None
    if decimal is not None:
        found["decimal"] = ","
    thousands = _thousands_mark(columns, decimal)
    if thousands is not None and (thousands, separator) != (".", ","):
        found["thousands"] = thousands
        if thousands == ".":
            found.setdefault("decimal", ",")
    if (dates := _way_of_days(columns)) is not None:
        found["dates"] = dates
    if encoding != "utf-8":
        found["encoding"] = "windows-1252"
    found.update(_truth_words(columns))
    return found


def guess_kinds(path: Path, dialect: Dialect) -> dict[str, Seeming]:
    """As what the cells of each column seem to be written in the first lines: for a curator to check.

    Claim:      no cell is told, nor how many: of each column, only which of five patterns all or most of its first
                cells fit, and which of four fixed sentences says what is to be settled.
    Because:    the words that can come out are kinds and these sentences; a column whose first cells are empty has
                none.
    Checked by: tests/unit/curator/test_starter_policy.py::test_kinds_of_a_text_file_are_proposed_as_comments
    """
    found: dict[str, Seeming] = {}
    rows = list(islice(separated_rows(path, dialect), _FIRST_LINES))
    for name in header_of(path, dialect):
        cells = [cell.strip() for row in rows if (cell := row[name]) is not None and cell.strip()]
        if cells and (seeming := next(_seemings(cells, dialect), None)) is not None:
            found[name] = seeming
    return found


# ---------------------------------------------------------------- kinds of columns


def _seemings(cells: Sequence[str], dialect: Dialect) -> Iterator[Seeming]:
    """As what the cells of a column may be written, the most likely first."""
    for doubt, other in [("", dialect), *_other_ways(dialect)]:
        yield from (
            Seeming(kind, doubt)
            for kind in _LOOKS
            if all(_fits(cell, kind, other) for cell in cells)
        )
    fitting = {
        kind: sum(_fits(cell, kind, dialect) for cell in cells)
        for kind in _LOOKS
        if kind is not Kind.BOOLEAN
    }
    best = max(fitting, key=fitting.__getitem__)
    if fitting[best] >= _MOST_OF_THEM * len(cells):
        yield Seeming(best, OTHER_TEXTS)


def _other_ways(dialect: Dialect) -> Iterator[tuple[str, Dialect]]:
    """How the cells of a single column may be written, though the file is written otherwise."""
    if dialect.decimal == ",":
        yield WITH_A_POINT, replace(dialect, decimal=".", thousands=None)
    ways = ["%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y", "%m-%d-%Y"]
    if dialect.dates is None:
        yield from ((DAY_OR_MONTH, replace(dialect, dates=way)) for way in ways)
    else:
        yield from ((OTHER_DAYS, replace(dialect, dates=way)) for way in [None, "%d.%m.%Y", *ways])


def _fits(cell: str, kind: Kind, dialect: Dialect) -> bool:
    """Whether a cell looks like one of a kind, and is read as one."""
    if kind is Kind.BOOLEAN and dialect.true is not None and dialect.false is not None:
        return cell in (*dialect.true, *dialect.false)
    return re.fullmatch(_LOOKS[kind], cell) is not None and dialect.read(cell, kind) is not None


# ---------------------------------------------------------------- how the file is written


def _encoding(lines: Sequence[bytes]) -> str:
    try:
        b"".join(lines).decode()
    except UnicodeDecodeError:
        return "cp1252"
    return "utf-8"


def _cells(line: bytes, separator: str, encoding: str) -> list[str]:
    try:
        return next(csv.reader([line.decode(encoding, "replace")], delimiter=separator), [])
    except csv.Error:
        return []


def _is_any(pattern: str, cells: Sequence[str]) -> bool:
    return any(re.fullmatch(pattern, cell) for cell in cells)


def _has_decimal_commas(columns: Sequence[Sequence[str]]) -> bool:
    """Whether a column has numbers with a comma and none with a point that is no separator of thousands.

    Where another column has such points, as ids that read 18.0, it must be sure that the comma separates no thousands.
    """
    pointed = [_is_any(_DECIMAL_POINT, cells) for cells in columns]
    commas = [
        [cell for cell in cells if re.fullmatch(_DECIMAL_COMMA, cell)]
        for cells, points in zip(columns, pointed, strict=True)
        if not points
    ]
    if not any(pointed):
        return any(commas)
    return any(not re.fullmatch(_LIKE_THOUSANDS, cell) for cells in commas for cell in cells)


def _thousands_mark(columns: Sequence[Sequence[str]], decimal: str | None) -> str | None:
    """What seems to separate thousands: a mark that cannot be the decimal mark, or that stands twice in one number."""
    pointed = [_is_any(_DECIMAL_POINT, cells) for cells in columns]
    for mark, pattern in _GROUPED.items():
        other = "," if mark == "." else "."
        if mark == decimal or (mark == "." and decimal is None and any(pointed)):
            continue
        sure = decimal == other if mark in ".," else True
        for cells, points in zip(columns, pointed, strict=True):
            for cell in cells if mark != "." or not points else ():
                if re.fullmatch(pattern, cell) and (sure or cell.count(mark) > 1 or other in cell):
                    return mark
    return None


def _way_of_days(columns: Sequence[Sequence[str]]) -> str | None:
    """How days seem to be written whose year comes last; None if it may be either of two ways, or several."""
    ways = set()
    for cells in columns:
        found = [each for each in (re.fullmatch(_DAY, cell) for cell in cells) if each]
        if any(each[2] == "." for each in found):  # whose day comes first
            return "%d.%m.%Y"
        first = max((int(each[1]) for each in found), default=0)
        second = max((int(each[3]) for each in found), default=0)
        marks = {each[2] for each in found}
        if len(marks) == 1 and min(first, second) <= _MONTHS < max(first, second) <= _DAYS:
            (mark,) = marks
            ways.add(mark.join(["%d", "%m", "%Y"] if first > second else ["%m", "%d", "%Y"]))
    return ways.pop() if len(ways) == 1 else None


def _truth_words(columns: Sequence[Sequence[str]]) -> Mapping[str, list[str]]:
    """The words for true and false in all columns that contain nothing else, unless they are the usual ones.

    A pair of words is told as a whole, in the small or capital letters of those that occur.
    """
    pairs: dict[tuple[str, str], None] = {}
    found = [(cells, _truth_pair(cells)) for cells in columns]
    for cells, pair in found:
        if pair is not None:
            styles = (str.lower, str.capitalize, str.upper)
            words = [[style(word) for word in pair] for style in styles]
            pairs |= {(one, two): None for one, two in words if {one, two} & set(cells)}
    if all(pair is None or pair in _USUAL_TRUTHS for _, pair in found):
        return {}
    true, false = ([*dict.fromkeys(words)] for words in zip(*pairs, strict=True))
    return {"true": true, "false": false}


def _truth_pair(cells: Sequence[str]) -> tuple[str, str] | None:
    """The first pair of known words of which a column consists; single letters only if both occur."""
    present = {cell for cell in cells if cell}
    lower = {cell.lower() for cell in present}
    if not present or any(
        cell not in (cell.lower(), cell.capitalize(), cell.upper()) for cell in present
    ):
        return None
    for pair in _TRUTHS:
        if lower == set(pair) or (lower < set(pair) and min(map(len, pair)) > 1):
            return pair
    return None
