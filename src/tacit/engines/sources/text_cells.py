"""Cells of text files: how CSV writes a number, a date or a moment, and what each means, in Python and as SQL."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from math import inf
from typing import Any, Literal, get_args

from tacit.engines.sql.expressions import double, text, whole
from tacit.errors import InvalidInput
from tacit.frozen import frozen
from tacit.plan import INT64, NUMBER_TEXT, Kind, Value, plain

__all__ = ["DIALECT_WORDS", "YEARS", "Dialect", "Encoding", "dialect_of", "moment"]

Encoding = Literal["utf-8", "latin-1", "windows-1252"]
"""How the letters of a text file are stored."""

DIALECT_WORDS = (
    *("separator", "decimal", "thousands", "encoding", "dates"),
    *("true", "false", "nulls"),
)
"""What may be declared about how a text file is written."""

TRUE_WORDS: tuple[str, ...] = ("true", "t", "yes", "y", "1", "1.0")
FALSE_WORDS: tuple[str, ...] = ("false", "f", "no", "n", "0", "0.0")
"""The words for true and false where nothing is declared, in small or capital letters."""

YEARS = (-62_135_596_800_000_000, 253_402_300_799_999_999)
"""The first and the last microsecond of the years 1 to 9999."""

_THOUSANDS = {".": ".", ",": ",", "'": "'\N{RIGHT SINGLE QUOTATION MARK}"}
_THOUSANDS[" "] = " \N{NO-BREAK SPACE}\N{NARROW NO-BREAK SPACE}\N{THIN SPACE}"
"""What may separate groups of three digits, and the signs that each stands for."""

_SPACES = " \t\r\n\x0b\x0c\N{NO-BREAK SPACE}"
_WHOLE = r"([+-]?[0-9]{1,38})(?:\.0*)?"
# So few digits that no two decimals become one double, and none that is not whole becomes whole.
_POWER = r"[+-]?(?:[0-9]{1,15}|[0-9]\.[0-9]{0,14})[eE][+-]?[0-9]{1,2}"
_MOST_POWER = 2.0**53
_YEAR = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
# microseconds, and the rest is cut off
_TIME = r"(?:[01][0-9]|2[0-3]):[0-5][0-9](?::[0-5][0-9](?:\.[0-9]{1,9})?)?"
_ZONE = "Z|[+-](?:0[0-9]|1[0-4])(?::?[0-5][0-9])?"
_AFTER_DAY = f"(?:[ T](?P<time>{_TIME}) ?(?P<zone>{_ZONE})?)?"
_PARTS = {"%d": ("day", "[0-9]{1,2}"), "%m": ("month", "[0-9]{1,2}"), "%Y": ("year", _YEAR)}
_ISO = "%Y-%m-%d"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MINUTE = 60_000_000


@frozen
class Dialect:
    """How a text file is written, as its policy declares it; nothing is guessed from its rows.

    `dates` is how days are written, of %d, %m and %Y; where nothing is said, as 2025-01-31.  A time of day may follow.
    `thousands` is what separates groups of three digits, all of them: 1.234,5 with decimal = "," and thousands = ".".
    `nulls` are words for a missing cell, beside an empty one; `true` and `false` replace the usual words.

    Claim:      `read` and `sql` give the same value for the same text, and raise on none; no other cell matters.
    Because:    both match the same patterns, which RE2 and Python understand alike, and convert what matched by exact
                arithmetic; whole numbers are read from digits, or from so few that doubles hold them exactly.
    Checked by: tests/laws/test_cells.py::test_a_text_means_the_same_in_both_engines

    >>> Dialect(decimal=",").read("1,5", Kind.NUMBER), Dialect().read(" 18.0", Kind.INTEGER)
    (1.5, 18)
    >>> german = Dialect(decimal=",", thousands=".")
    >>> german.read("1.234,5", Kind.NUMBER), german.read("12.34", Kind.NUMBER)
    (1234.5, None)
    >>> Dialect(dates="%d/%m/%Y").read("02/01/1970", Kind.DATE), Dialect().read("02/01/1970", Kind.DATE)
    (1, None)
    """

    separator: str = ","
    decimal: str = "."
    encoding: Encoding = "utf-8"
    dates: str | None = None
    true: tuple[str, ...] | None = None
    false: tuple[str, ...] | None = None
    nulls: tuple[str, ...] = ()
    thousands: str | None = None

    def is_null(self, cell: str, kind: Kind | None) -> bool:
        """Whether a text stands for nothing; as a unit or a key, which are of no kind, it is taken as it is."""
        bare = cell if kind in (None, Kind.TEXT) else cell.strip(_SPACES)
        return not bare or bare in self.nulls

    def read(self, cell: str, kind: Kind) -> Value:
        """The value of a text; NULL if it does not look like one of the kind.

        A moment beyond the years 1 to 9999 is infinite, as it is in every other source.
        """
        if self.is_null(cell, kind):
            return None
        if kind is Kind.TEXT:
            return cell
        bare = cell.strip(_SPACES)
        match kind:
            case Kind.BOOLEAN:
                return self._truth(bare)
            case Kind.INTEGER:
                return _whole_number(self._plain_number(bare))
            case Kind.NUMBER:
                number = self._plain_number(bare)
                return float(number) if re.fullmatch(NUMBER_TEXT, number, re.ASCII) else None
            case Kind.DATE | Kind.TIMESTAMP:
                found = re.fullmatch(self._moments, bare, re.ASCII)
                return None if found is None else _read_moment(found, kind)

    def null_sql(self, cell: str, kind: Kind | None) -> str:
        """The SQL of `is_null`; what the file leaves empty is NULL already."""
        bare = cell if kind in (None, Kind.TEXT) else _bare_sql(cell)
        words = ", ".join(map(text, ("", *self.nulls)))
        return f"({cell} IS NULL OR {bare} IN ({words}))"

    def sql(self, cell: str, kind: Kind | None) -> str:
        """The SQL of `read`; of a unit or a key, which are of no kind, the text or NULL."""
        given = (
            f"CASE WHEN NOT {self.null_sql(cell, kind)} THEN {cell} END"
            if self.nulls
            else f"nullif({cell}, '')"
        )
        if kind in (None, Kind.TEXT):
            return given
        bare = _bare_sql(given)
        number = self._plain_number_sql(bare)
        match kind:
            case Kind.BOOLEAN:
                return self._truth_sql(bare)
            case Kind.INTEGER:
                return _whole_sql(number)
            case Kind.NUMBER:
                return f"TRY_CAST({_match_text(number, f'({NUMBER_TEXT})')} AS DOUBLE)"
            case Kind.DATE:
                return f"TRY_CAST({self._day_sql(bare)} AS DATE)"
            case _:
                return self._moment_sql(bare)

    @property
    def _grouped(self) -> str:
        """The pattern of a number whose digits stand in groups of three."""
        marks = "".join(map(re.escape, _THOUSANDS[self.thousands or ","]))
        return rf"[+-]?[0-9]{{1,3}}(?:[{marks}][0-9]{{3}})+(?:{re.escape(self.decimal)}[0-9]*)?"

    def _plain_number(self, number: str) -> str:
        """A number as it is written with a point and without separated thousands; what is none is none then, too."""
        if self.thousands is not None and re.fullmatch(self._grouped, number, re.ASCII):
            number = number.translate(dict.fromkeys(map(ord, _THOUSANDS[self.thousands])))
        return number.translate({ord(","): ".", ord("."): ","}) if self.decimal == "," else number

    def _plain_number_sql(self, number: str) -> str:
        """The SQL of the same."""
        if self.thousands is not None:
            marks = text(_THOUSANDS[self.thousands])
            number = (
                f"CASE WHEN regexp_full_match({number}, {text(self._grouped)}) THEN translate({number}, {marks}, '') "
                f"ELSE {number} END"
            )
        return f"translate({number}, ',.', '.,')" if self.decimal == "," else number

    def _truth(self, word: str) -> bool | None:
        if self.true is None or self.false is None:
            lower = word.lower() if word.isascii() else ""
            return True if lower in TRUE_WORDS else False if lower in FALSE_WORDS else None
        return True if word in self.true else False if word in self.false else None

    def _truth_sql(self, word: str) -> str:
        if self.true is None or self.false is None:
            word = f"CASE WHEN {word} SIMILAR TO '[ -~]*' THEN lower({word}) END"
        true, false = self.true or TRUE_WORDS, self.false or FALSE_WORDS
        cases = [f"WHEN {text(each)} THEN TRUE" for each in true] + [
            f"WHEN {text(each)} THEN FALSE" for each in false
        ]
        return f"CASE {word} {' '.join(cases)} END"

    @property
    def _moments(self) -> str:
        return _date_pattern(self.dates or _ISO) + _AFTER_DAY

    def _part(self, cell: str, name: str) -> str:
        """The part of a moment that is called so; the empty text where it has none or is none."""
        group = list(re.compile(self._moments).groupindex).index(name) + 1
        return _match_text(cell, re.sub(r"\?P<\w+>", "", self._moments), group)

    def _day_sql(self, cell: str) -> str:
        return f"concat_ws('-', {', '.join(self._part(cell, name) for name in ('year', 'month', 'day'))})"

    def _moment_sql(self, cell: str) -> str:
        time, zone = self._part(cell, "time"), self._part(cell, "zone")
        clock = f"CASE {time} WHEN '' THEN '00:00' ELSE {time} END"
        local = f"TRY_CAST(concat({self._day_sql(cell)}, ' ', {clock}) AS TIMESTAMP)"
        hours, after = (
            f"TRY_CAST(left({zone}, 3) AS BIGINT)",
            f"concat(left({zone}, 1), right({zone}, 2))",
        )
        minutes = f"CASE WHEN length({zone}) > 3 THEN TRY_CAST({after} AS BIGINT) ELSE 0 END"
        ahead = f"CASE WHEN {zone} IN ('', 'Z') THEN 0 ELSE {hours} * 60 + {minutes} END"
        return f"make_timestamp(epoch_us({local}) - {ahead} * {_MINUTE})"


def dialect_of(given: Mapping[str, Any], separator: str = ",") -> Dialect:
    """The dialect that a policy declares, word by word; refused if a word is none of ours, or means two things.

    >>> dialect_of({"decimal": ",", "separator": ";"}).decimal
    ','
    """
    unknown = sorted(set(given) - set(DIALECT_WORDS))
    if unknown:
        raise InvalidInput("format", unknown, f"it may have: {', '.join(DIALECT_WORDS)}")
    found = {"separator": separator, **given}
    for name in ("true", "false", "nulls"):
        if name in found:
            found[name] = _words(found[name], name)
    dialect = Dialect(**found)
    mark = dialect.separator
    if not isinstance(mark, str) or len(mark) != 1 or mark.isalnum() or mark in "\"'\r\n .+-":
        raise InvalidInput("separator", mark, 'write one character, such as ";" or a tab')
    if dialect.decimal not in (".", ",") or (dialect.decimal == mark):
        raise InvalidInput(
            "decimal", dialect.decimal, 'write "." or ",", different from the separator'
        )
    if dialect.thousands is not None and (
        dialect.thousands not in _THOUSANDS or dialect.thousands == dialect.decimal
    ):
        listed = ", ".join(f'"{each}"' for each in _THOUSANDS)
        raise InvalidInput(
            "thousands", dialect.thousands, f"it may be one of {listed}, and not the decimal mark"
        )
    if dialect.encoding not in get_args(Encoding):
        listed = ", ".join(f'"{each}"' for each in get_args(Encoding))
        raise InvalidInput("encoding", dialect.encoding, f"it may be: {listed}")
    if dialect.dates is not None:
        _date_pattern(dialect.dates)
    true, false, nulls = (set(each or ()) for each in (dialect.true, dialect.false, dialect.nulls))
    if (dialect.true is None) != (dialect.false is None):
        missing = "true" if dialect.true is None else "false"
        raise InvalidInput(missing, None, "declare the words for true and for false together")
    if true & false or (true | false) & nulls:
        raise InvalidInput("true", dialect.true, "a word can mean only one of true, false and NULL")
    return dialect


def moment(microseconds: int) -> int | float:
    """A moment, or an infinity where it lies beyond the years 1 to 9999: then a bound holds it, or it is NULL.

    >>> moment(7), moment(YEARS[1] + 1)
    (7, inf)
    """
    return inf if microseconds > YEARS[1] else -inf if microseconds < YEARS[0] else microseconds


def _words(given: Any, name: str) -> tuple[str, ...]:
    listed = tuple(given) if isinstance(given, list | tuple) else None
    if listed is None or not all(
        isinstance(each, str) and each and each == each.strip(_SPACES) for each in listed
    ):
        raise InvalidInput(
            name,
            given,
            f'list words in brackets, as in {name} = ["NA"], without spaces around them',
        )
    if len(set(listed)) < len(listed) or not listed:
        raise InvalidInput(name, given, "list each word once, and at least one")
    return listed


def _date_pattern(form: str) -> str:
    """The pattern of a day, with the parts that it is made of by their names."""
    remedy = 'use %d, %m and %Y once each, as in "%d/%m/%Y", "%m/%d/%Y" or "%Y%m%d"'
    if isinstance(form, str) and "%y" in form:
        remedy += "; years of two digits cannot be read, so write them with four in the file"
    pieces = re.split("(%.)", form) if isinstance(form, str) else []
    if sorted(piece for piece in pieces if piece.startswith("%")) != sorted(_PARTS):
        raise InvalidInput("dates", form, remedy)
    between = pieces[2:-1:2]
    if any(re.search(r"[^ /.\-]", piece) for piece in pieces[::2]) or pieces[0] or pieces[-1]:
        raise InvalidInput(
            "dates",
            form,
            f"{remedy}, with a point, a slash, a dash, a space or nothing between them",
        )
    dense = not all(between) or form == _ISO
    found = ""
    for piece in pieces:
        name, pattern = _PARTS.get(piece, ("", ""))
        exact = pattern.replace("{1,2}", "{2}") if dense else pattern
        found += f"(?P<{name}>{exact})" if name else re.escape(piece)
    return found


def _whole_number(number: str) -> int | None:
    if found := re.fullmatch(_WHOLE, number, re.ASCII):
        return max(INT64[0], min(INT64[1], int(found[1])))
    if re.fullmatch(_POWER, number, re.ASCII):
        exact = float(number)
        return int(exact) if abs(exact) <= _MOST_POWER and exact.is_integer() else None
    return None


def _whole_sql(number: str) -> str:
    digits = f"TRY_CAST({_match_text(number, _WHOLE)} AS HUGEINT)"
    low, high = (f"CAST('{end}' AS HUGEINT)" for end in INT64)
    plain_number = (
        f"CASE WHEN {digits} > {high} THEN {whole(INT64[1])} WHEN {digits} < {low} THEN {whole(INT64[0])} "
        f"ELSE TRY_CAST({digits} AS BIGINT) END"
    )
    power = f"TRY_CAST({_match_text(number, f'({_POWER})')} AS DOUBLE)"
    fits = f"abs({power}) <= {double(_MOST_POWER)} AND {power} = trunc({power})"
    return f"coalesce({plain_number}, CASE WHEN {fits} THEN TRY_CAST({power} AS BIGINT) END)"


def _match_text(cell: str, pattern: str, group: int = 1) -> str:
    """A group of a text that matches as a whole; the empty text, which is no value, of one that does not."""
    return f"regexp_extract({cell}, {text(f'^(?:{pattern})$')}, {group})"


def _bare_sql(cell: str) -> str:
    return f"trim({cell}, {text(_SPACES)})"


def _read_moment(found: re.Match[str], kind: Kind) -> Value:
    try:
        day = date(int(found["year"]), int(found["month"]), int(found["day"]))
    except ValueError:  # the thirtieth of February
        return None
    if kind is Kind.DATE:
        return plain(day, kind)
    time, zone = found["time"] or "00:00", found["zone"] or "Z"
    local = datetime.fromisoformat(f"{day.isoformat()} {time}").replace(tzinfo=UTC)
    hours, minutes = (
        (0, 0) if zone == "Z" else (int(zone[:3]), int(zone[0] + zone[-2:]) if len(zone) > 3 else 0)
    )
    return moment((local - _EPOCH) // timedelta(microseconds=1) - (hours * 60 + minutes) * _MINUTE)
