"""Functions of released numbers: what they are, and between which ends the exact ones lie."""

from collections.abc import Sequence
from math import inf
from typing import Any

from tacit.curator.intervals import Interval
from tacit.plan import MEANINGS, STRICT, Function

__all__ = ["called_value"]

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


def called_value(function: Function, values: Sequence[Any], *, noisy: bool, numeric: bool = True) -> Any:
    """The function of values, some of which are intervals; an interval if the result is a number that noise touched.

    A day or a moment is an integer too, but no number.

    Claim:      where the exact numbers lie in their intervals, the function of them lies in the result's.
    Because:    monotone functions keep the order of ends; the others are bounded at the corners and at zero, and
                where no rule is known the ends are infinite.
    Checked by: tests/unit/curator/test_calls.py::test_the_exact_value_lies_within_the_interval
    """
    points = [value.value if isinstance(value, Interval) else value for value in values]
    if function in STRICT and None in points:
        return None
    if function is Function.QUOTIENT:
        points = [int(point) for point in points]
    point = MEANINGS[function](*points)
    if point is None or not numeric:
        return point
    if not any(isinstance(value, Interval) for value in values):
        return Interval(float(point), -inf, inf) if noisy else point
    (low, high), middle = _ends(function, values), float(point)
    return Interval(middle, min(low, middle), max(high, middle))


def _ends(function: Function, values: Sequence[Any]) -> tuple[float, float]:
    known = [_interval(value) for value in values if value is not None]
    match function:
        case Function.COALESCE | Function.NULLIF:
            return known[0].low, known[0].high
        case Function.LEAST:
            return min(each.low for each in known), min(each.high for each in known)
        case Function.GREATEST:
            return max(each.low for each in known), max(each.high for each in known)
        case Function.ABS:
            (only,) = known
            sizes = abs(only.low), abs(only.high)
            return 0.0 if only.low <= 0 <= only.high else min(sizes), max(sizes)
        case _ if function in _MONOTONE:
            settings = [int(value) for value in values[1:]]
            return _at(function, known[0].low, -inf, settings), _at(function, known[0].high, inf, settings)
        case Function.QUOTIENT:
            return _corners(function, known[0], known[1]) if not known[1].low <= 0 <= known[1].high else (-inf, inf)
        case Function.POWER:
            return _powers(known[0], known[1])
        case _:
            return -inf, inf


def _at(function: Function, end: float, far: float, settings: list[int]) -> float:
    """A monotone function at an end; where it has no value there, the last one towards `far`."""
    beyond = _LOWEST.get(function, -inf) if far < 0 else _HIGHEST.get(function, inf)
    if abs(end) == inf:
        return beyond if end == far else far
    found = MEANINGS[function](end, *settings)
    return beyond if found is None else float(found)


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


def _interval(value: Any) -> Interval:
    return value if isinstance(value, Interval) else Interval(value, value, value)
