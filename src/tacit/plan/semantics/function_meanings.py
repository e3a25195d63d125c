"""What every function means, in plain Python: the oracle that engines are held against, and total on all values.

Moments are microseconds since 1970 in UTC; a day that meets a function is the moment at which it begins.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import date
from functools import lru_cache
from math import (
    acos,
    asin,
    atan,
    atan2,
    copysign,
    cos,
    exp,
    floor,
    isfinite,
    log,
    log10,
    pow,  # noqa: A004 -- the power of C's library
    sin,
    sqrt,
    tan,
)

from tacit.plan.model.function_names import FORMATS, Function
from tacit.plan.semantics.regular_expressions import find_pattern
from tacit.plan.semantics.value_kinds import INT64, Value

__all__ = [
    "FIRST",
    "LAST",
    "LONGEST",
    "MEANINGS",
    "count_boundaries",
    "format_moment",
    "is_format",
    "later",
    "round_half_away",
    "seconds_between",
    "trunc",
]

_HOUR, _MINUTE, _SECOND = 3_600_000_000, 60_000_000, 1_000_000
_DAY = 24 * _HOUR
_EPOCH = date(1970, 1, 1).toordinal()
FIRST, LAST = (date.min.toordinal() - _EPOCH) * _DAY, (date.max.toordinal() - _EPOCH + 1) * _DAY - 1
"""The first and the last moment that there is: the years 1 to 9999."""
LONGEST = 1_000
"""So many characters of a text are taken when texts are joined or replaced in: how long they become is proved."""

_SPACES = "".join(map(chr, [0x20, 0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000]))


# ---------------------------------------------------------------- choices


def _least(*values: Value) -> Value:
    known = [value for value in values if value is not None]
    return min(known, default=None)  # of one kind, as the plan has proved


def _greatest(*values: Value) -> Value:
    known = [value for value in values if value is not None]
    return max(known, default=None)


def _null_if(value: Value, other: Value) -> Value:
    if isinstance(other, float) and value is not None:
        return None if float(value) == other else value
    return None if value == other else value


# ---------------------------------------------------------------- numbers


def _in_int64(value: int) -> int | None:
    return value if INT64[0] <= value <= INT64[1] else None


def _quotient(value: int, divisor: int) -> int | None:
    """What remains is cut off: the quotient is rounded toward zero."""
    if divisor == 0:
        return None
    whole = abs(value) // abs(divisor)
    return _in_int64(whole if (value < 0) == (divisor < 0) else -whole)


def _whole(value: float) -> float:
    """The nearest whole number, halves away from zero."""
    found = floor(abs(value))
    return copysign(float(found + 1 if abs(value) - found >= 0.5 else found), value)


def round_half_away(value: float, decimals: int) -> float | None:
    """A number to so many decimals, halves away from zero; where that leaves all doubles, as DuckDB has it.

    >>> round_half_away(2.5, 0), round_half_away(-2.5, 0), round_half_away(1.005, 2), round_half_away(25, -1)
    (3.0, -3.0, 1.0, 30)
    """
    if isinstance(value, int):
        unit = 10 ** max(0, -decimals)
        away = (abs(value) + unit // 2) // unit * unit
        return _in_int64(away if value >= 0 else -away)
    scale = 10.0 ** abs(decimals)
    if decimals < 0:
        found = _whole(value / scale) * scale
        return found if isfinite(found) else 0.0
    larger = value * scale
    return _whole(larger) / scale if isfinite(larger) else value


def _floor(value: float) -> float:
    return value if isinstance(value, int) else float(floor(value))


def _ceil(value: float) -> float:
    return value if isinstance(value, int) else -float(floor(-value))


def _trunc(value: float) -> float:
    """What stands before the point; the sign stays, also that of zero."""
    return value if isinstance(value, int) else copysign(float(floor(abs(value))), value)


def _exp(value: float) -> float | None:
    try:
        return exp(value)
    except OverflowError:
        return None


def _power(base: float, exponent: float) -> float | None:
    try:
        return pow(base, exponent)
    except (OverflowError, ValueError):
        # too large, a root of a negative number, or a quotient by zero
        return None


def _angle(y: float, x: float) -> float:
    """The angle of a point; a zero has no sign, which would turn it half a circle around."""
    return atan2(y + 0.0, x + 0.0)


# ---------------------------------------------------------------- texts


@lru_cache(maxsize=10_000)
def _lower(letter: str) -> str:
    # of all letters only the I with a dot has two lower ones, the first of which is i
    return letter.lower()[0]


@lru_cache(maxsize=10_000)
def _upper(letter: str) -> str:
    if letter == "ß":
        return "ẞ"
    return next((found for found in (letter.upper(), letter.title()) if len(found) == 1), letter)


def lower(text: str) -> str:
    """A text in lower case, letter by letter: as many characters as before.

    >>> lower("ΑΣ") == "ας", lower("ΑΣ") == "ασ"
    (False, True)
    """
    return text.lower() if text.isascii() else "".join(map(_lower, text))


def _upper_text(text: str) -> str:
    return text.upper() if text.isascii() else "".join(map(_upper, text))


def _substr(text: str, start: int, length: int | None = None) -> str:
    return text[start - 1 :] if length is None else text[start - 1 : start - 1 + length]


def _right(text: str, length: int) -> str:
    return text[-length:] if length else ""


def _replace(text: str, old: str, new: str) -> str:
    return text[:LONGEST].replace(old, new)


def _split_part(text: str, separator: str, place: int) -> str:
    """The part of a text at a place, counted from 1, or from the end if it is below zero; nothing beyond."""
    parts = text.split(separator)
    return parts[place - (place > 0)] if abs(place) <= len(parts) else ""


def _lpad(text: str, length: int, fill: str) -> str:
    """A text of exactly so many characters: cut at its end, or filled up at its beginning."""
    missing = max(0, length - len(text))
    return (fill * missing)[:missing] + text[:length]


def _rpad(text: str, length: int, fill: str) -> str:
    missing = max(0, length - len(text))
    return text[:length] + (fill * missing)[:missing]


def _concat(*texts: str | None) -> str:
    return "".join(text[:LONGEST] for text in texts if text is not None)


# ---------------------------------------------------------------- days and moments


def _date(moment: int) -> date:
    return date.fromordinal(moment // _DAY + _EPOCH)


def _moment(day: date) -> int:
    return (day.toordinal() - _EPOCH) * _DAY


_PARTS: dict[str, Callable[[int], int | float]] = {
    "year": lambda moment: _date(moment).year,
    "quarter": lambda moment: (_date(moment).month + 2) // 3,
    "month": lambda moment: _date(moment).month,
    "week": lambda moment: _date(moment).isocalendar().week,
    "day": lambda moment: _date(moment).day,
    "dow": lambda moment: _date(moment).isoweekday() % 7,
    "isodow": lambda moment: _date(moment).isoweekday(),
    "doy": lambda moment: _date(moment).timetuple().tm_yday,
    "hour": lambda moment: moment % _DAY // _HOUR,
    "minute": lambda moment: moment % _HOUR // _MINUTE,
    "second": lambda moment: moment % _MINUTE // _SECOND,
    "epoch": lambda moment: float(moment) / 1e6,
}
_TRUNCATED: dict[str, Callable[[int], int]] = {
    "year": lambda moment: _moment(_date(moment).replace(month=1, day=1)),
    "quarter": lambda moment: _moment(
        _date(moment).replace(month=(_date(moment).month - 1) // 3 * 3 + 1, day=1)
    ),
    "month": lambda moment: _moment(_date(moment).replace(day=1)),
    "week": lambda moment: (moment // _DAY - _date(moment).weekday()) * _DAY,
    "day": lambda moment: moment // _DAY * _DAY,
    "hour": lambda moment: moment // _HOUR * _HOUR,
    "minute": lambda moment: moment // _MINUTE * _MINUTE,
    "second": lambda moment: moment // _SECOND * _SECOND,
}
_MONTHS = {"year": 12, "quarter": 3, "month": 1}
_LENGTHS = {"week": 7 * _DAY, "day": _DAY, "hour": _HOUR, "minute": _MINUTE, "second": _SECOND}


def _extract(part: str, moment: int) -> int | float:
    return _PARTS[part](moment)


def trunc(unit: str, moment: int) -> int:
    """The first moment of the year, month, … in which a moment lies."""
    return _TRUNCATED[unit](moment)


def later(moment: int, count: int, unit: str) -> int | None:
    """A moment so many units later; a day that its month does not have becomes the month's last one.

    NULL beyond the years 1 to 9999.
    """
    if unit in _LENGTHS:
        found = moment + count * _LENGTHS[unit]
        return found if FIRST <= found <= LAST else None
    day = _date(moment)
    year, month = divmod(day.year * 12 + day.month - 1 + count * _MONTHS[unit], 12)
    if not 1 <= year <= 9999:
        return None
    return _moment(date(year, month + 1, min(day.day, _days_of(year, month + 1)))) + moment % _DAY


def _days_of(year: int, month: int) -> int:
    if month == 12:
        return 31
    return (date(year, month + 1, 1) - date(year, month, 1)).days


def count_boundaries(unit: str, moment: int) -> int:
    """How many beginnings of a unit there were up to a moment, from some fixed one on."""
    if unit in _LENGTHS:
        return moment // _LENGTHS[unit]
    day = _date(moment)
    return (day.year * 12 + day.month - 1) // _MONTHS[unit]


def seconds_between(since: int, until: int) -> float:
    """How many seconds one moment is after another: whole days first, and then the rest of a day.

    So do databases: the microseconds are subtracted before anything is rounded.

    >>> seconds_between(0, 86_400_000_001), seconds_between(1_500_000, 0)
    (86400.000001, -1.5)
    """
    apart = until - since
    days = abs(apart) // _DAY * (1 if apart >= 0 else -1)
    return float(days * (_DAY // _SECOND)) + float(apart - days * _DAY) / 1e6


_DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
_MONTH_NAMES = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_WRITTEN: dict[str, Callable[[int], str]] = {
    "Y": lambda moment: f"{_date(moment).year:04d}",
    "y": lambda moment: f"{_date(moment).year % 100:02d}",
    "m": lambda moment: f"{_date(moment).month:02d}",
    "b": lambda moment: _MONTH_NAMES[_date(moment).month - 1][:3],
    "B": lambda moment: _MONTH_NAMES[_date(moment).month - 1],
    "d": lambda moment: f"{_date(moment).day:02d}",
    "j": lambda moment: f"{_date(moment).timetuple().tm_yday:03d}",
    "a": lambda moment: _DAYS[_date(moment).weekday()][:3],
    "A": lambda moment: _DAYS[_date(moment).weekday()],
    "H": lambda moment: f"{moment % _DAY // _HOUR:02d}",
    "M": lambda moment: f"{moment % _HOUR // _MINUTE:02d}",
    "S": lambda moment: f"{moment % _MINUTE // _SECOND:02d}",
}


def is_format(text: str) -> bool:
    """Whether every % sign of a text is followed by a letter that STRFTIME knows, and all else can be printed."""
    return (
        all(part[:1] in FORMATS for part in text.split("%")[1:])
        and text.isprintable()
        and text.isascii()
    )


def format_moment(moment: int, text: str) -> str:
    """A moment, written as a format says.

    >>> format_moment(0, "%A, %d %B %Y")
    'Thursday, 01 January 1970'
    """
    first, *rest = text.split("%")
    return first + "".join(_WRITTEN[part[0]](moment) + part[1:] for part in rest)


# ---------------------------------------------------------------- all of them

MEANINGS: Mapping[Function, Callable[..., Value]] = {
    Function.COALESCE: lambda *values: next((value for value in values if value is not None), None),
    Function.NULLIF: _null_if,
    Function.LEAST: _least,
    Function.GREATEST: _greatest,
    Function.DISTINCT: lambda one, other: one != other,
    Function.QUOTIENT: _quotient,
    Function.ABS: lambda value: _in_int64(abs(value)) if isinstance(value, int) else abs(value),
    Function.SIGN: lambda value: (value > 0) - (value < 0),
    Function.ROUND: round_half_away,
    Function.FLOOR: _floor,
    Function.CEIL: _ceil,
    Function.TRUNC: _trunc,
    Function.SQRT: lambda value: sqrt(value) if value >= 0 else None,
    Function.LN: lambda value: log(value) if value > 0 else None,
    Function.LOG10: lambda value: log10(value) if value > 0 else None,
    Function.EXP: _exp,
    Function.POWER: _power,
    Function.SIN: sin,
    Function.COS: cos,
    Function.TAN: tan,
    Function.ASIN: lambda value: asin(value) if -1 <= value <= 1 else None,
    Function.ACOS: lambda value: acos(value) if -1 <= value <= 1 else None,
    Function.ATAN: atan,
    Function.ATAN2: _angle,
    Function.LOWER: lower,
    Function.UPPER: _upper_text,
    Function.TRIM: lambda text: text.strip(_SPACES),
    Function.LTRIM: lambda text: text.lstrip(_SPACES),
    Function.RTRIM: lambda text: text.rstrip(_SPACES),
    Function.SUBSTR: _substr,
    Function.RIGHT: _right,
    Function.REPLACE: _replace,
    Function.LENGTH: len,
    Function.SPLIT_PART: _split_part,
    Function.STRPOS: lambda text, part: text.find(part) + 1,
    Function.LPAD: _lpad,
    Function.RPAD: _rpad,
    Function.REGEXP: find_pattern,
    Function.CONCAT: _concat,
    Function.JOINED: _concat,
    Function.EXTRACT: _extract,
    Function.DATE_TRUNC: trunc,
    Function.DATE_ADD: later,
    Function.DATE_DIFF: lambda unit, since, until: (
        count_boundaries(unit, until) - count_boundaries(unit, since)
    ),
    Function.SECONDS_BETWEEN: seconds_between,
    Function.STRFTIME: format_moment,
}
"""Each function of values of the kinds that `wanted` says; those in STRICT are never given NULL."""
