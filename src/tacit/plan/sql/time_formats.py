"""Formats of dates and times in the spelling of other dialects, and texts that are read by one.

Checked by: tests/unit/plan/sql/test_time_formats.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from string import ascii_letters

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.questions.declared_text_functions import MOST_DECLARED
from tacit.plan.questions.public_values import public_values
from tacit.plan.questions.time_spans import make_date

__all__ = ["from_java", "from_mysql", "from_to_char", "parse_moment", "read_time", "write_time"]

QUARTER = "%{quarter}"
"""What stands in a format for the number of the quarter, which STRFTIME has no sign for."""


def _pairs(listed: str) -> dict[str, str]:
    """A dictionary written in one line: "YYYY:Y MM:m"."""
    pairs = (pair.split(":") for pair in listed.split())
    return {sign: f"%{letter}" if letter else "" for sign, letter in pairs}


_TO_CHAR = _pairs("YYYY:Y YY:y MM:m DDD:j DD:d HH24:H MI:M SS:S MON:b MONTH:B DY:a DAY:A FM:")
_TO_CHAR["Q"] = QUARTER
_MYSQL = _pairs("Y:Y y:y m:m d:d H:H j:j S:S b:b a:a i:M s:S M:B W:A")
_JAVA = _pairs("yyyy:Y yy:y MMMM:B MMM:b MM:m DDD:j dd:d EEEE:A EEE:a E:a HH:H mm:M ss:S")
_JAVA["Q"] = QUARTER


def _translate(text: str, pattern: str, signs: Mapping[str, str], known: str) -> str:
    """A format, piece by piece: signs, texts in quotes, and what is no letter."""
    found = []
    for piece in re.findall(pattern, text, re.DOTALL):
        if piece in signs:
            found.append(signs[piece])
        elif len(piece) > 1 and piece[0] in "\"'":
            found.append(piece[1:-1])
        elif piece.isalpha() or "%" in piece:
            raise InvalidPlan("this date format is not supported", f"write {known}")
        else:
            found.append(piece)
    return "".join(found)


def from_to_char(text: str) -> str:
    """A format of TO_CHAR as one of STRFTIME; names of months and days are not padded.

    >>> from_to_char("FMMonth YYYY"), from_to_char('YYYY-"Q"Q')
    ('%B %Y', '%Y-Q%{quarter}')
    """
    signs = {**_TO_CHAR, **{name: _TO_CHAR[name.upper()] for name in ("Mon", "Month", "Dy", "Day")}}
    signs |= {name.lower(): found for name, found in _TO_CHAR.items()}
    known = "YYYY, YY, Q, MM, Mon, Month, DDD, DD, Dy, Day, HH24, MI, SS with - / : . and spaces between"
    names = "|".join(sorted(signs, key=len, reverse=True))
    return _translate(text, rf'"[^"]*"|{names}|[A-Za-z]+|.', signs, known)


def from_mysql(text: str) -> str:
    """A format of MySQL's DATE_FORMAT as one of STRFTIME.

    >>> from_mysql("%H:%i"), from_mysql("%W, %M %Y")
    ('%H:%M', '%A, %B %Y')
    """
    signs = {f"%{letter}": found for letter, found in _MYSQL.items()}
    known = f"a format of {', '.join(signs)}, or STRFTIME(x, '%Y-%m')"
    found = []
    for piece in re.findall(r"%.?|[^%]+", text, re.DOTALL):
        if piece[0] == "%" and piece not in signs:
            raise InvalidPlan("this date format is not supported", f"write {known}")
        found.append(signs.get(piece, piece))
    return "".join(found)


def from_java(text: str) -> str:
    """A format of Spark's DATE_FORMAT as one of STRFTIME.

    >>> from_java("yyyy-MM"), from_java("EEEE 'at' HH:mm")
    ('%Y-%m', '%A at %H:%M')
    """
    known = "yyyy, yy, MMMM, MMM, MM, DDD, dd, EEEE, E, HH, mm, ss with - / : . and spaces between"
    runs = "|".join(f"{letter}+" for letter in ascii_letters)
    return _translate(text, rf"'[^']*'|{runs}|.", _JAVA, known)


def write_time(forms: Forms, operand: e.Expression, text: str) -> e.Expression:
    """A moment written by a format that may hold QUARTER."""
    first, *rest = text.split(QUARTER)
    found = [forms.format_time(operand, first)] if first else []
    for piece in rest:
        found.append(forms.moment_part("quarter", operand))
        if piece:
            plain = "%" not in piece
            literal = e.Literal(piece, Kind.TEXT)
            found.append(literal if plain else forms.format_time(operand, piece))
    if len(found) == 1 and rest:
        return forms.cast(found[0], Kind.TEXT)
    joined = found[0]
    for part in found[1:]:
        joined = forms.call(Function.JOINED, [joined, part])
    return joined


# ---------------------------------------------------------------- texts that are read

_NAMES = [
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
]
_READ = {
    "Y": r"(?P<Y>[0-9]{4})",
    "y": r"(?P<y>[0-9]{2})",
    "m": r"(?P<m>[0-9]{1,2})",
    "d": r"(?P<d>[0-9]{1,2})",
    "H": r"(?P<H>[0-9]{1,2})",
    "M": r"(?P<M>[0-9]{1,2})",
    "S": r"(?P<S>[0-9]{1,2})",
    "b": rf"(?P<b>{'|'.join(name[:3] for name in _NAMES)})",
    "B": rf"(?P<B>{'|'.join(_NAMES)})",
}
_SIGNS = ", ".join(f"%{letter}" for letter in _READ)


def parse_moment(text: str, form: str) -> datetime | None:
    """The moment that a text names in a format; None if it is none. A year of two digits is one from 1969 to 2068.

    >>> parse_moment("01-Jan-2018", "%d-%b-%Y")
    datetime.datetime(2018, 1, 1, 0, 0)
    """
    first, *rest = form.split("%")
    pattern = re.escape(first) + "".join(_READ[part[0]] + re.escape(part[1:]) for part in rest)
    found = re.fullmatch(pattern, text, re.IGNORECASE | re.ASCII)
    if found is None:
        return None
    given = found.groupdict()
    short = int(given.get("y") or 0)
    year = int(given.get("Y") or (short + (2000 if short < 69 else 1900) if "y" in given else 1900))
    name = (given.get("b") or given.get("B") or "").lower()
    named = next((n for n, each in enumerate(_NAMES, 1) if name and each.startswith(name)), 1)
    hour, minute, second = (int(given.get(sign) or 0) for sign in "HMS")
    month, day = int(given.get("m") or named), int(given.get("d") or 1)
    try:
        return datetime(year, month, day, hour, minute, second)  # noqa: DTZ001 - UTC, by agreement
    except ValueError:
        return None


def read_time(forms: Forms, operand: e.Expression, form: str, kind: Kind) -> e.Expression:
    """STRPTIME(operand, form): of a constant or of declared values at once, of other texts for a few formats.

    Claim:      for every declared value it is the moment that `parse_moment` reads, the same in every engine.
    Because:    it is computed here, from the policy alone; engines compare with constants. Of texts that are not
                declared, a date is made of their parts by MAKE_DATE, which is NULL where there is none.
    Checked by: tests/unit/plan/sql/test_time_formats.py
    """
    letters = [part[:1] for part in form.split("%")[1:]]
    if not letters or len(set(letters)) < len(letters) or not set(letters) <= set(_READ):
        remedy = f"write each of {_SIGNS} at most once"
        raise InvalidPlan("texts in this date format are not read", remedy)
    if isinstance(operand, e.Literal) and isinstance(operand.value, str):
        moment = parse_moment(operand.value, form)
        if moment is None:
            raise InvalidPlan("this text is not of the format", "correct one of them")
        return _literal_of(moment, kind)
    known = public_values(operand) if forms.question is None else None
    texts = [value for value in known or () if isinstance(value, str)]
    if texts and len(texts) <= MOST_DECLARED:
        made: dict[datetime, list[e.Literal]] = {}
        for text in texts:
            if (moment := parse_moment(text, form)) is not None:
                made.setdefault(moment, []).append(e.Literal(text, Kind.TEXT))
        branches = tuple(
            (e.OneOf(operand, tuple(given)), _literal_of(moment, kind))
            for moment, given in made.items()
        )
        if not branches:
            raise InvalidPlan("no declared value is of this format", "correct the format")
        return e.Case(branches, e.Literal(None, kind))
    day = _day_of_parts(forms, operand, form)
    return day if kind is Kind.DATE else forms.cast(day, kind)


def _literal_of(moment: datetime, kind: Kind) -> e.Literal:
    return e.Literal(moment.date() if kind is Kind.DATE else moment, kind)


def _day_of_parts(forms: Forms, operand: e.Expression, form: str) -> e.Expression:
    """A day of a text that is not declared: three numbers with the same sign between them, or eight digits."""
    if form == "%Y-%m-%d":
        return forms.cast(operand, Kind.DATE)
    between = re.fullmatch(r"%([Ymd])([-/. ])%([Ymd])\2%([Ymd])", form)

    def whole(text: e.Expression) -> e.Expression:
        return forms.cast(text, Kind.INTEGER)

    if between:
        sign = e.Literal(between[2], Kind.TEXT)
        order = [between[1], between[3], between[4]]
        parts = {
            letter: whole(
                forms.call(Function.SPLIT_PART, [operand, sign, e.Literal(place, Kind.INTEGER)])
            )
            for place, letter in enumerate(order, 1)
        }
    elif form == "%Y%m%d":
        places = {"Y": (1, 4), "m": (5, 2), "d": (7, 2)}
        parts = {
            letter: whole(
                forms.call(
                    Function.SUBSTR,
                    [operand, *(e.Literal(number, Kind.INTEGER) for number in place)],
                )
            )
            for letter, place in places.items()
        }
    else:
        reason = "texts that are not declared are read in few date formats"
        remedy = "declare the values of this text, or write '%Y-%m-%d', '%d/%m/%Y' or '%Y%m%d'"
        raise InvalidPlan(reason, remedy)
    return make_date(forms, parts["Y"], parts["m"], parts["d"])
