"""A TOML file section by section, every fault collected with the line that it is on."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, time
from decimal import Decimal, InvalidOperation
from difflib import get_close_matches
from pathlib import Path
from typing import Any, TypeVar

from tacit.errors import Fault, InvalidPolicy, MissingPolicy
from tacit.frozen import frozen

__all__ = ["BLANK", "Faults", "Refused", "Section", "lines_of", "root_of", "spell"]

BLANK = "?"
"""What stands where something is still to be filled in."""

Place = tuple[str, ...]
"""The keys that lead to a place of the file."""

T = TypeVar("T")

# what may hide the end of a statement: texts of four kinds, comments, brackets
_TOKEN = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}'
    r"|'''.*?'{3,5}"
    r'|"(?:\\.|[^"\\\n])*"'
    r"|'[^'\n]*'"
    r"|#[^\n]*|[\[\]{}]|\n",
    re.DOTALL,
)
_SYNTAX = {
    "Invalid value": 'write texts in quotes, as in source = "visits.parquet"; numbers, true and false without',
    "Cannot ": "write each section and each key only once",
    "Duplicate": "write each section and each key only once",
    "Expected '=' after": "write key = value, or a section in brackets, as in [limit]",
    "Unescaped": "write a backslash twice, or the text between single quotes",
}
_SECTION = "write a section in brackets, and its keys below it"
_OTHERWISE = "write one key = value a line, under a section in brackets such as [limit]"


class Refused(ValueError):
    """A value is not what it should be; the fault says so."""

    def __init__(self, remedy: str, problem: str | None = None) -> None:
        self.remedy = remedy
        self.problem = problem
        super().__init__(remedy)


@dataclass(slots=True)
class Faults:
    """What was found wrong so far; the lines are looked up when there is something to tell."""

    file: Path
    text: str
    found: list[tuple[Place, str, str]] = field(default_factory=list)

    def add(self, place: Place, problem: str, remedy: str) -> None:
        """Record a fault."""
        self.found.append((place, problem, remedy))

    def check(self) -> None:
        """Nothing, if nothing was found."""
        if not self.found:
            return
        lines = lines_of(self.text)
        raise InvalidPolicy(
            self.file,
            [Fault(_line(lines, place), spelled_key(place), *told) for place, *told in self.found],
        )


@frozen
class Section:
    """A table of the file: its keys are taken one by one, and what is wrong with one is a fault and not an error."""

    values: Mapping[str, Any]
    place: Place
    faults: Faults

    def fault(self, key: str | None, problem: str, remedy: str) -> None:
        """Record a fault of a key, or of the section."""
        self.faults.add(self.place if key is None else (*self.place, key), problem, remedy)

    def has(self, key: str) -> bool:
        """Whether the key is there."""
        return key in self.values

    def holds(self, key: str) -> bool:
        """Whether the key is there and is a section."""
        return isinstance(self.values.get(key), dict)

    def take(self, key: str, read: Callable[[Any], T], missing: str | None = None) -> T | None:
        """The value of a key, as it is read; None if it is not there or refused, and the fault is remembered.

        `missing` is the remedy for a key that must be there.
        """
        if key not in self.values:
            if missing is not None:
                self.fault(key, "it is missing", missing)
            return None
        value = self.values[key]
        try:
            return read(value)
        except Refused as refusal:
            blank = 'it is "?", to be filled in' if value == BLANK else None
            self.fault(key, blank or refusal.problem or f"it is {spell(value)}", refusal.remedy)
            return None

    def inner(self, key: str, missing: str | None = None) -> Section:
        """The section inside; an empty one where it is missing or something else."""
        found = self.take(key, _table, missing)
        return Section(found or {}, (*self.place, key), self.faults)

    def inners(self, remedy: str = _SECTION) -> Iterator[tuple[str, Section]]:
        """Every key whose value is a section, with it; another value is a fault, which has a remedy."""
        for key, value in self.values.items():
            if isinstance(value, dict):
                yield key, self.inner(key)
            else:
                self.fault(key, f"it is {spell(value)}", remedy)

    def only(self, allowed: Iterable[str], not_yet: Collection[str] = ()) -> None:
        """Record a fault for every key that is not allowed."""
        known = list(allowed)
        for key in self.values:
            if key in not_yet:
                self.fault(key, "this is not supported yet", "leave it out")
            elif key not in known:
                self.fault(
                    key,
                    "there is no such key",
                    f"{suggest(key, known)}it may be: {', '.join(known)}",
                )


def root_of(file: Path) -> Section:
    """The whole file as a section; refused at once if it cannot be read as TOML.

    Numbers with a point are decimals: 0.1 is a tenth, and not the double next to it.
    """
    text = _text_of(file)
    return Section(_parse_file(file, text), (), Faults(file, text))


def suggest(name: str, known: Collection[str]) -> str:
    """The question whether a similar name was meant, if there is one."""
    folded = {other.casefold(): other for other in known}
    near = get_close_matches(name[:64].casefold(), folded, n=1)
    return f"did you mean {folded[near[0]]!r}? " if near else ""


def spell(value: object) -> str:
    """A value as it is written in the file, and what it is, where that may surprise.

    >>> spell("3"), spell(True), spell(Decimal("0.1")), spell([1])
    ('"3", a text', 'true', '0.1', 'a list')
    """
    match value:
        case str():
            return f"{_cut_text(json.dumps(value, ensure_ascii=False))}, a text"
        case bool():
            return str(value).lower()
        case int() if value.bit_length() > 200:
            return "an integer of too many digits"
        case Mapping():
            return "a section"
        case list():
            return "a list"
        case date() | datetime() | time():
            return value.isoformat()
        case _:
            return _cut_text(str(value))


def spelled_key(place: Place) -> str:
    """The keys that lead to a place, as they are written.

    >>> spelled_key(("tables", "my table"))
    'tables."my table"'
    """
    bare = re.compile(r"[A-Za-z0-9_-]+")
    return ".".join(
        key if bare.fullmatch(key) else json.dumps(key, ensure_ascii=False) for key in place
    )


def lines_of(text: str) -> dict[Place, int]:
    """The line on which every section and every key of a TOML text begins.

    A statement of TOML is TOML by itself, so each is parsed alone, under the section that it stands in.

    >>> lines_of("[limit]\\nepsilon = 3\\n")
    {('limit',): 1, ('limit', 'epsilon'): 2}
    """
    explicit: dict[Place, int] = {}
    implied: dict[Place, int] = {}
    section: Place = ()
    for line, statement in _statements(text):
        places = list(_places(_parse_statement(statement)))
        if statement.lstrip().startswith("["):
            section = places[-1] if places else ()
            explicit.setdefault(section, line)
            for place in places[:-1]:
                implied.setdefault(place, line)
        else:
            for place in places:
                explicit.setdefault((*section, *place), line)
    return implied | explicit


def _line(lines: Mapping[Place, int], place: Place) -> int:
    """The line of a place, or of the nearest section around it."""
    return lines[place] if place in lines else _line(lines, place[:-1]) if place else 1


def _statements(text: str) -> Iterator[tuple[int, str]]:
    """The statements of a text with their lines; brackets and quotes may go over several."""
    begun = depth = 0
    line = 1
    for token in [*_TOKEN.finditer(text), None]:
        if token is not None and token[0] in "[]{}":
            depth += 1 if token[0] in "[{" else -1
        elif token is None or (token[0] == "\n" and depth <= 0):
            end = len(text) if token is None else token.end()
            yield line, text[begun:end]
            line, begun = line + text.count("\n", begun, end), end


def _parse_statement(statement: str) -> Mapping[str, Any]:
    try:
        return tomllib.loads(statement, parse_float=_decimal)
    except (ValueError, RecursionError):
        return {}


def _places(found: object, place: Place = ()) -> Iterator[Place]:
    """Every place inside a parsed value, outer ones first."""
    if isinstance(found, list):
        found = found[-1] if found else None
    if isinstance(found, dict):
        for key, value in found.items():
            yield (*place, key)
            yield from _places(value, (*place, key))


def _text_of(file: Path) -> str:
    try:
        return file.read_bytes().decode("utf-8-sig").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        line = 1 + bytes(error.object[: error.start]).count(b"\n")
        fault = Fault(line, "", "it is not UTF-8 text", "save it in UTF-8")
    except FileNotFoundError:
        remedy = "write one with `tacit init`, or name the folder that has one"
        raise MissingPolicy(file, [Fault(0, "", "there is no such file", remedy)]) from None
    except (OSError, ValueError) as error:
        why = getattr(error, "strerror", None) or "not a path"
        fault = Fault(
            0,
            "",
            f"it cannot be read ({why.lower()})",
            "check that it is a file that you may read",
        )
    raise InvalidPolicy(file, [fault])


def _parse_file(file: Path, text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_decimal)
    except tomllib.TOMLDecodeError as error:
        said, _, where = str(error).partition(" (at ")
        number = re.search(r"line (\d+)", where)
        line = int(number[1]) if number else max(1, len(text.splitlines()))
        remedy = next(
            (remedy for start, remedy in _SYNTAX.items() if said.startswith(start)), _OTHERWISE
        )
        fault = Fault(
            line, "", f"this is not TOML: {_cut_text(said[:1].lower() + said[1:])}", remedy
        )
    except (ValueError, RecursionError):
        # an integer of thousands of digits, brackets a thousand deep
        fault = Fault(
            1,
            "",
            "a number is too long or brackets are nested too deep",
            "write a shorter policy",
        )
    raise InvalidPolicy(file, [fault])


def _decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits
        return Decimal("NaN")


def _table(value: object) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise Refused(_SECTION)
    return value


def _cut_text(text: str, most: int = 60) -> str:
    return text if len(text) <= most else text[: most - 3] + "..."
