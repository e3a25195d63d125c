"""Values as every engine understands them: what a cell, a bound or a literal is, and how one kind becomes another.

Numbers are doubles, dates are days and timestamps microseconds since 1970, both as integers; None is NULL.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan
from numbers import Integral, Rational, Real
from typing import TypeGuard

import numpy as np

from tacit.plan.model.schema import Column, Kind, Scalar

__all__ = [
    "BOOLEAN_WORDS",
    "DATE_TEXT",
    "INT64",
    "INTEGER_TEXT",
    "MOST_CHARACTERS",
    "NUMBER_TEXT",
    "TIMESTAMP_TEXT",
    "Value",
    "bounds_of",
    "cast",
    "constant",
    "clamp_cell",
    "parse_text",
    "plain",
    "clamp_between",
]

Value = bool | int | float | str | None
"""A cell, as engines compute with it."""

INT64 = (-(1 << 63), (1 << 63) - 1)
"""The least and the greatest integer."""

MOST_CHARACTERS = 1 << 14
"""So many characters of a cell are read, and no text that is made of cells is longer: at most 64 KiB."""

# The texts that can be read as another kind, by patterns that RE2 and Python understand alike; all else is NULL.
INTEGER_TEXT = "[+-]?[0-9]{1,19}"
"""A text that may be read as an integer."""
NUMBER_TEXT = (
    r"[+-]?([0-9]{1,200}(\.[0-9]{0,200})?|\.[0-9]{1,200})([eE](\+?[0-9]{1,2}|-[0-9]{1,3}))?"
)
"""A text that may be read as a number; none of them is infinite."""
_YEAR = "(000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
DATE_TEXT = _YEAR + "-[0-9]{2}-[0-9]{2}"
"""A text that may be read as a date: year, month, day."""
TIMESTAMP_TEXT = DATE_TEXT + r"[ T]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](\.[0-9]{1,6})?"
"""A text that may be read as a timestamp: a date and the time of day."""
BOOLEAN_WORDS = {"true": True, "false": False, "1": True, "0": False}
"""The texts that may be read as true or false, in lower case."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_FIRST_DAY = date(1970, 1, 1)
_DAY = 86_400_000_000
_MICROSECOND = timedelta(microseconds=1)


def plain(raw: object, kind: Kind) -> Value:
    """A cell of a Python row as a value of the kind; NULL if it is of another kind.

    A literal, a bound or a declared key is one too, as engines see it: a number is the nearest double.

    >>> plain(date(1970, 1, 3), Kind.DATE), plain("3", Kind.INTEGER), plain(1 << 70, Kind.INTEGER) == INT64[1]
    (2, None, True)
    >>> plain(Fraction(1, 10), Kind.NUMBER)
    0.1
    """
    match kind:
        case Kind.BOOLEAN:
            return bool(raw) if isinstance(raw, bool | np.bool_) else None
        case Kind.INTEGER:
            return max(INT64[0], min(INT64[1], int(raw))) if _is_whole(raw) else None
        case Kind.NUMBER:
            return _double(raw)
        case Kind.TEXT:
            readable = isinstance(raw, str) and (raw.isascii() or _is_unicode(raw))
            return str(raw) if readable else None
        case Kind.DATE:
            return _days(raw) if isinstance(raw, date) and not isinstance(raw, datetime) else None
        case Kind.TIMESTAMP:
            return _microseconds(raw) if isinstance(raw, date) else None


constant = plain
"""What engines see of a literal, a bound or a declared key."""


def bounds_of(column: Column) -> tuple[Value, Value]:
    """The bounds of a column as values, None where there is none; integers are rounded inward."""
    match column.kind:
        case Kind.INTEGER:
            low = None if column.low is None else max(ceil(_rational(column.low)), INT64[0])
            high = None if column.high is None else min(floor(_rational(column.high)), INT64[1])
            return low, high
        case Kind.NUMBER | Kind.DATE | Kind.TIMESTAMP:
            return constant(column.low, column.kind), constant(column.high, column.kind)
        case Kind.BOOLEAN | Kind.TEXT:
            return None, None


def clamp_cell(value: Value, column: Column) -> Value:
    """A cell between the bounds of its column: NaN is NULL, and so is an infinity that no bound holds.

    Of a text the first characters are read, MOST_CHARACTERS at most.

    >>> clamp_cell(inf, Column("cost", Kind.NUMBER, low=0, high=10)), clamp_cell(inf, Column("cost", Kind.NUMBER))
    (10.0, None)
    """
    return clamp_between(value, *bounds_of(column))


def clamp_between(value: Value, low: Value, high: Value) -> Value:
    """A cell between bounds, as `held` says, for those who ask for the bounds of a column once and for all."""
    if isinstance(value, str):
        return value[:MOST_CHARACTERS]
    if value is None or isinstance(value, bool) or (isinstance(value, float) and isnan(value)):
        return None if isinstance(value, float) else value
    if isinstance(high, int | float) and value > high:
        return high
    if isinstance(low, int | float) and value < low:
        return low
    return None if isinstance(value, float) and not isfinite(value) else value


def cast(value: Value, since: Kind, to: Kind) -> Value:
    """A value as another kind; NULL if it cannot be read as one.

    >>> cast(2.5, Kind.NUMBER, Kind.INTEGER), cast("12", Kind.TEXT, Kind.INTEGER), cast("x", Kind.TEXT, Kind.NUMBER)
    (2, 12, None)
    """
    match since, to:
        case _ if value is None or since is to:
            return value
        case (Kind.TEXT, _):
            return parse_text(str(value), to)
        case (Kind.INTEGER, Kind.NUMBER):
            return float(value)
        case (Kind.NUMBER, Kind.INTEGER):
            whole = round(value) if isinstance(value, float) else INT64[1] + 1  # halves to even
            return whole if INT64[0] <= whole <= INT64[1] else None
        case (Kind.BOOLEAN, Kind.INTEGER):
            return int(value)
        case (Kind.INTEGER, Kind.TEXT):
            return str(value)
        case (Kind.DATE, Kind.TIMESTAMP):
            return int(value) * _DAY
        case (Kind.TIMESTAMP, Kind.DATE):
            return int(value) // _DAY
        case _:
            raise AssertionError((since, to))


def parse_text(text: str, kind: Kind) -> Value:
    """A text read as a value of the kind; NULL if it does not look like one.

    >>> parse_text("1e400", Kind.NUMBER), parse_text("2025-02-30", Kind.DATE), parse_text("1970-01-02", Kind.DATE)
    (None, None, 1)
    """
    match kind:
        case Kind.TEXT:
            return text
        case Kind.BOOLEAN:
            return BOOLEAN_WORDS.get(text.lower()) if text.isascii() else None
        case Kind.INTEGER:
            whole = int(text) if re.fullmatch(INTEGER_TEXT, text, re.ASCII) else INT64[1] + 1
            return whole if INT64[0] <= whole <= INT64[1] else None
        case Kind.NUMBER:
            return float(text) if re.fullmatch(NUMBER_TEXT, text, re.ASCII) else None
        case Kind.DATE:
            return plain(_moment(text, DATE_TEXT, date.fromisoformat), kind)
        case Kind.TIMESTAMP:
            return plain(_moment(text, TIMESTAMP_TEXT, datetime.fromisoformat), kind)


def _moment(text: str, pattern: str, read: Callable[[str], date]) -> date | None:
    if not re.fullmatch(pattern, text, re.ASCII):
        return None
    try:
        return read(text)
    except ValueError:  # the thirtieth of February
        return None


def _is_whole(raw: object) -> TypeGuard[Integral]:
    # the type that nearly all are of first: the registry of numbers takes ten times as long
    return type(raw) is int or (isinstance(raw, Integral) and not isinstance(raw, bool))


def _double(raw: object) -> float | None:
    if type(raw) is float:
        return raw
    if isinstance(raw, bool) or not isinstance(raw, Real | Decimal):
        return None
    try:
        return float(raw)
    except OverflowError:  # an integer or a rational beyond all doubles
        return inf if isinstance(raw, Rational) and int(raw.numerator) > 0 else -inf
    except ValueError:  # a signalling NaN of Decimal
        return None


def _rational(bound: Scalar) -> Fraction:
    assert isinstance(bound, int | Fraction), "the bounds of an integer column are numbers"
    return Fraction(bound)


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:  # half of a surrogate pair is no character
        return False
    return True


def _days(raw: date) -> int:
    return (raw - _FIRST_DAY).days


def _microseconds(raw: date) -> int | None:
    if not isinstance(raw, datetime):
        return _days(raw) * _DAY
    if raw != raw:  # noqa: PLR0124 -- a missing timestamp of pandas is not equal to itself
        return None
    return ((raw if raw.tzinfo else raw.replace(tzinfo=UTC)) - _EPOCH) // _MICROSECOND
