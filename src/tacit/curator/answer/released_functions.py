"""Functions of released numbers, days and moments: what they are, and between which ends the exact ones lie."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan
from typing import Any

from tacit.curator.answer.interval_arithmetic import compare
from tacit.curator.answer.intervals import Interval, around, as_interval, may_be_null, point_of
from tacit.plan import (
    ANGLES,
    INT64,
    MEANINGS,
    PARTS,
    STRICT,
    Function,
    Kind,
    Range,
    angle_range,
    cast,
    range_of_two,
)

__all__ = ["called_value", "cast_value", "greatest_of", "least_of", "value_of_kind"]

_WHOLE = {Kind.INTEGER, Kind.DATE, Kind.TIMESTAMP}
_INTERVALS = {Kind.INTEGER, Kind.NUMBER, Kind.DATE, Kind.TIMESTAMP}

_MONOTONE = {
    Function.SQRT,
    Function.LN,
    Function.LOG10,
    Function.EXP,
    Function.ROUND,
    Function.FLOOR,
    Function.CEIL,
    Function.TRUNC,
    Function.SIGN,
}
# What a function comes to far below and far above, where that is not as far away; below zero SQRT begins at zero.
_LOWEST = {Function.EXP: 0.0, Function.SQRT: 0.0, Function.SIGN: -1.0}
_HIGHEST = {Function.SIGN: 1.0}


# Within which unit of time a part of a moment only grows.
_GROWING = {
    **dict.fromkeys(("quarter", "month", "doy"), "year"),
    "day": "month",
    "isodow": "week",
    "hour": "day",
    "minute": "hour",
    "second": "minute",
}
_BY_MONTHS = {"year", "quarter", "month"}
_DAY = 86_400_000_000


def value_of_kind(value: Any, kind: Kind) -> Any:
    """A value as its kind is computed with: whole numbers, days and moments are integers, numbers are finite floats.

    What is too large for its kind is NULL, and so is what is no number; an end that is not known is infinite.

    >>> value_of_kind(Interval(2.0, -1.5, inf), Kind.INTEGER)
    Interval(value=2, low=-2, high=inf)
    """
    if isinstance(value, Interval):
        point = value_of_kind(value.value, kind)
        low, high = _end(value.low, kind, -inf), _end(value.high, kind, inf)
        too_large = isfinite(value.low) > isfinite(low) or isfinite(value.high) > isfinite(high)
        return Interval(point, low, high, value.null or point is None or too_large)
    if kind is Kind.NUMBER and value is not None:
        return float(value) if isfinite(value) else None
    if kind in _WHOLE and isinstance(value, int | float):
        whole = int(value) if isfinite(value) else INT64[1] + 1
        return whole if INT64[0] <= whole <= INT64[1] else None
    return value


def _end(end: float, kind: Kind, far: float) -> float:
    if isnan(end) or abs(end) == inf:
        return far if isnan(end) else end
    if kind not in _WHOLE:
        return float(end)
    outward = floor(end) if far < 0 else ceil(end)
    return outward if INT64[0] <= outward <= INT64[1] else far


def write_number(value: float) -> str:
    """A released number as a text: its shortest digits, without an exponent; a double that is whole has a point.

    >>> write_number(12.0), write_number(12), write_number(0.1), write_number(1e-7)
    ('12.0', '12', '0.1', '0.0000001')
    """
    return format(Decimal(repr(value)), "f")


def cast_value(value: Any, since: Kind, kind: Kind) -> Any:
    """A value as another kind, by the rules of the engines; the ends of an interval are cast as it is."""
    if since is Kind.NUMBER and kind is Kind.TEXT and point_of(value) is not None:
        return write_number(point_of(value))
    if not isinstance(value, Interval):
        return cast(value, since, kind)
    point = None if value.value is None else cast(value.value, since, kind)
    if kind not in _INTERVALS:
        return point
    if kind is Kind.NUMBER:
        return around(point, float(value.low), float(value.high), null=value.null)
    low, high = _cast_end(value.low, -inf, since, kind), _cast_end(value.high, inf, since, kind)
    too_large = isfinite(value.low) > isfinite(low) or isfinite(value.high) > isfinite(high)
    return around(point, low, high, null=value.null or too_large)


def _cast_end(end: float, far: float, since: Kind, kind: Kind) -> float:
    """An end as another kind; one that has no value there is not known."""
    found = None if abs(end) == inf else cast(end, since, kind)
    return found if isinstance(found, int | float) else far


def called_value(
    function: Function,
    values: Sequence[Any],
    *,
    noisy: bool,
    kind: Kind = Kind.NUMBER,
    whole_days: bool = False,
) -> Any:
    """The function of values, some of which are intervals; an interval if the result has an order and noise touched it.

    `kind` is that of the result; `noisy` says that noise touched a text or a truth value among the values, and
    `whole_days` that moments among them are the beginnings of days.

    Claim:      where the exact numbers, days and moments lie in their intervals, the function of them lies in the
                result's, or is NULL and the result says that it may be.
    Because:    monotone functions keep the order of ends; the others are bounded at the corners and at zero, and
                where no rule is known the ends are infinite.
    Checked by: tests/unit/curator/answer/test_released_functions.py::test_the_exact_value_lies_within_the_interval and
                tests/unit/curator/answer/test_released_functions.py::test_the_exact_moment_lies_within_the_interval
    """
    needed = values if function in STRICT else values[: function is Function.NULLIF]
    if any(value is None for value in needed):
        return None
    points = [point_of(value) for value in values]
    is_null = function in STRICT and None in points
    point = None if is_null else value_of_kind(MEANINGS[function](*points), kind)
    if kind not in _INTERVALS:
        return point
    if noisy:
        return Interval(point, -inf, inf, null=True)
    if not any(isinstance(value, Interval) for value in values):
        return point
    if function in _FROM_ON and _is_below(function, as_interval(values[0]).high):
        return None
    if function in _MOMENTS:
        low, high = _of_moments(function, values, whole_days)
        beyond = function is Function.DATE_ADD and not (isfinite(low) and isfinite(high))
        null = beyond or any(map(may_be_null, values))
    elif function in STRICT:
        low, high = _ends(function, values)
        null = any(map(may_be_null, values)) or _has_no_value(function, values, (low, high))
    else:
        low, high, null = _of_those_there(function, values)
    return value_of_kind(around(point, low, high, null=null), kind)


# ---------------------------------------------------------------- days and moments

_MOMENTS = {
    *(Function.EXTRACT, Function.DATE_TRUNC, Function.DATE_ADD, Function.DATE_DIFF),
    Function.SECONDS_BETWEEN,
}


def _of_moments(function: Function, values: Sequence[Any], whole_days: bool) -> tuple[float, float]:
    meaning = MEANINGS[function]
    match function, [*values]:
        case Function.DATE_TRUNC, [unit, moment]:
            return _lowest_and_highest(lambda end: meaning(unit, end), moment, moment)
        case Function.DATE_DIFF | Function.SECONDS_BETWEEN, [*unit, since, until]:
            first, last = as_interval(since), as_interval(until)
            if any(abs(end) == inf for end in (first.low, first.high, last.low, last.high)):
                return -inf, inf
            return _number(meaning(*unit, first.high, last.low)), _number(
                meaning(*unit, first.low, last.high)
            )
        case Function.DATE_ADD, [moment, count, unit]:
            return _later(meaning, as_interval(moment), as_interval(count), unit, whole_days)
        case Function.EXTRACT, [part, moment]:
            return _part_of_moment(meaning, part, as_interval(moment))
        case _:
            return -inf, inf


def _part_of_moment(
    meaning: Callable[..., Any], part: str, moment: Interval
) -> tuple[float, float]:
    """The ends of a part of a moment: it grows with the moment, or does within the unit in which both ends lie."""
    known = isfinite(moment.low) and isfinite(moment.high)
    unit, bounds = _GROWING.get(part), PARTS[part]
    together = known and unit is not None and _began(unit, moment.low) == _began(unit, moment.high)
    if bounds is None or part == "year" or together:
        return _lowest_and_highest(lambda end: meaning(part, end), moment, moment)
    return float(bounds[0]), float(bounds[1])


def _began(unit: str, moment: float) -> Any:
    return MEANINGS[Function.DATE_TRUNC](unit, moment)


def _later(
    meaning: Callable[..., Any], moment: Interval, count: Interval, unit: str, whole_days: bool
) -> tuple[float, float]:
    """The ends of a moment so many units later; months later, the order within a day may change."""
    low, high = -inf, inf
    day = _DAY - 1 if unit in _BY_MONTHS and not whole_days else 0
    if isfinite(moment.low) and isfinite(count.low):
        found = meaning(moment.low, count.low, unit)
        low = -inf if found is None else _began("day", found) if day else found
    if isfinite(moment.high) and isfinite(count.high):
        found = meaning(moment.high, count.high, unit)
        high = inf if found is None else _began("day", found) + day if day else found
    return low, high


def _lowest_and_highest(grow: Callable[[float], Any], low: Any, high: Any) -> tuple[float, float]:
    """What a growing function makes of the ends; of one that is not known, none is."""
    first, last = as_interval(low).low, as_interval(high).high
    return (
        _number(grow(first)) if isfinite(first) else -inf,
        _number(grow(last)) if isfinite(last) else inf,
    )


def _number(value: Any) -> float:
    assert isinstance(value, int | float), "a function of moments that is NULL nowhere else"
    return value


# ---------------------------------------------------------------- numbers


def least_of(every: Sequence[Interval]) -> tuple[float, float, bool]:
    """The ends of the least of several numbers that are not NULL, and whether all of them may be.

    >>> least_of([Interval(5, 4, 6), Interval(3, 2, 9, null=True)])
    (2, 6, False)
    """
    sure = [each.high for each in every if not each.null]
    high = min(sure) if sure else max(each.high for each in every)
    return min(each.low for each in every), high, not sure


def greatest_of(every: Sequence[Interval]) -> tuple[float, float, bool]:
    """The ends of the greatest of several numbers that are not NULL, and whether all of them may be."""
    sure = [each.low for each in every if not each.null]
    low = max(sure) if sure else min(each.low for each in every)
    return low, max(each.high for each in every), not sure


def _of_those_there(function: Function, values: Sequence[Any]) -> tuple[float, float, bool]:
    """The ends of a function that is not NULL wherever an operand is, and whether it may be NULL."""
    known = [as_interval(value) for value in values if value is not None]
    match function:
        case Function.COALESCE:
            surely = next((at for at, each in enumerate(known, 1) if not each.null), None)
            taken = known[:surely]
            return min(each.low for each in taken), max(each.high for each in taken), not surely
        case Function.NULLIF:
            first = known[0]
            alike = len(known) == 2 and True in compare("=", first, known[1])
            return first.low, first.high, first.null or alike
        case Function.LEAST:
            return least_of(known)
        case Function.GREATEST:
            return greatest_of(known)
        case _:
            return -inf, inf, True


_FROM_ON = {Function.SQRT, Function.LN, Function.LOG10}


def _is_below(function: Function, high: float) -> bool:
    """Whether a function that has values from some number on has none up to an end."""
    return isfinite(high) and MEANINGS[function](high) is None


def _has_no_value(function: Function, values: Sequence[Any], ends: tuple[float, float]) -> bool:
    """Whether a function may have no value for numbers that are not NULL: outside its domain, or as it is too large."""
    first = as_interval(values[0])
    match function:
        case Function.SQRT:
            return first.low < 0
        case Function.LN | Function.LOG10:
            return first.low <= 0
        case Function.ASIN | Function.ACOS:
            return first.low < -1 or first.high > 1
        case _ if function in ANGLES:
            return False
        case _:  # a division by zero, and what is too large, has no end
            return not (isfinite(ends[0]) and isfinite(ends[1]))


def _ends(function: Function, values: Sequence[Any]) -> tuple[float, float]:
    known = [as_interval(value) for value in values]
    match function:
        case Function.ABS:
            (only,) = known
            sizes = abs(only.low), abs(only.high)
            return 0.0 if only.low <= 0 <= only.high else min(sizes), max(sizes)
        case _ if function in _MONOTONE:
            settings = [int(value) for value in values[1:]]
            return _at(function, known[0].low, -inf, settings), _at(
                function, known[0].high, inf, settings
            )
        case Function.QUOTIENT:
            return (
                _corners(function, known[0], known[1])
                if not known[1].low <= 0 <= known[1].high
                else (-inf, inf)
            )
        case Function.POWER:
            return _powers(known[0], known[1])
        case _ if function in ANGLES:
            return _angles(function, known)
        case _:
            return -inf, inf


def _at(function: Function, end: float, far: float, settings: list[int]) -> float:
    """A monotone function at an end; where it has no value there, the last one towards `far`."""
    beyond = _LOWEST.get(function, -inf) if far < 0 else _HIGHEST.get(function, inf)
    if abs(end) == inf:
        return beyond if end == far else far
    found = MEANINGS[function](end, *settings)
    return beyond if found is None else float(found)


def _angles(function: Function, known: Sequence[Interval]) -> tuple[float, float]:
    """Sines and their like, by the ranges that are proved of rows; a tangent near its pole may be any number."""
    ranges = [
        Range(Fraction(each.low), Fraction(each.high))
        if isfinite(each.low) and isfinite(each.high)
        else None
        for each in known
    ]
    found = (
        range_of_two(*ranges) if function is Function.ATAN2 else angle_range(function, ranges[0])
    )
    return (-inf, inf) if found is None else (float(found.low), float(found.high))


def _powers(base: Interval, exponent: Interval) -> tuple[float, float]:
    if base.low > 0:
        return _corners(Function.POWER, base, exponent)
    whole = exponent.low == exponent.high >= 0 and exponent.low == int(exponent.low)
    if not whole:
        return -inf, inf
    low, high = _corners(Function.POWER, base, exponent)
    return min(low, 0.0), high


def _corners(function: Function, one: Interval, other: Interval) -> tuple[float, float]:
    sides = [(x, y) for x in (one.low, one.high) for y in (other.low, other.high)]
    if any(abs(side) == inf for corner in sides for side in corner):
        return -inf, inf
    whole = function is Function.QUOTIENT
    found = [MEANINGS[function](*((int(x), int(y)) if whole else (x, y))) for x, y in sides]
    if any(each is None for each in found):
        return -inf, inf
    numbers = [float(each) for each in found if each is not None]
    return min(numbers), max(numbers)
