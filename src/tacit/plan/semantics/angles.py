"""Between which bounds sines, cosines, tangents and their inverses lie, of angles and numbers within a range.

Checked by: tests/unit/plan/semantics/test_angles.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor

from tacit.exact import Ball, ball, lower, pi, upper, working
from tacit.plan.model.function_names import Function
from tacit.plan.semantics.ranges import Range, hull, outward

__all__ = ["PI", "angle_range", "range_of_two", "widen"]

PI = Fraction("3.14159265358979323846264338327950288419716939937510")
"""The circle's number to fifty digits: the double next to it is the double next to this."""

_ONE = Fraction(1)
_WAVE = Range(-_ONE, _ONE)
_FULL_TURN = 7
_BITS, _FAR = 192, Fraction(1 << 40)


def widen(exact: Range) -> Range:
    """A range with room for the last bits of a library's function.

    >>> 1 in widen(Range(Fraction(0), Fraction(1))), widen(Range(Fraction(0), Fraction(1))).high > 1
    (True, True)
    """
    room = exact.furthest / (1 << 44)
    return outward(Range(exact.low - room, exact.high + room))


def angle_range(function: Function, given: Range | None) -> Range | None:
    """Between which bounds a function of one number lies, of numbers within a range; None if there are none.

    An arc sine or an arc cosine is that of what lies between -1 and 1: all else has none.

    Claim:      the doubles that libraries give for numbers in the range lie between the bounds.
    Because:    each function is monotone between its turning points, which are multiples of half a circle, or of it
                and a quarter more; those that may lie in the range, by an enclosure of pi, count as lying in it. A
                tangent has no bound where such a quarter may lie in the range. `widen` leaves room for the last bits.
    Checked by: tests/unit/plan/semantics/test_angles.py::test_values_lie_in_the_range

    >>> round(float(angle_range(Function.SIN, Range(Fraction(0), Fraction(1))).high), 9)
    0.841470985
    """
    given = (
        None if given is None else outward(given)
    )  # as a constant or an integer becomes a double
    match function:
        case Function.SIN:
            return _wave(given, Fraction(1, 2), lambda angle: angle.sin())
        case Function.COS:
            return _wave(given, Fraction(0), lambda angle: angle.cos())
        case Function.TAN:
            return _tangent(given)
        case Function.ATAN:
            return _monotone(given, _quarters(-1, 1), lambda number: number.atan())
        case Function.ASIN | Function.ACOS:
            inside = _within_one(given)
            if function is Function.ASIN:
                return _monotone(inside, _quarters(-1, 1), lambda number: number.asin())
            return _monotone(inside, _quarters(0, 2), lambda number: number.acos())
        case _:
            raise AssertionError(function)


def range_of_two(y: Range | None, x: Range | None) -> Range:
    """Between which bounds ATAN2(y, x) lies: along the sides of a rectangle without the origin the angle is monotone.

    Where the rectangle meets the half line on which the angle goes from half a circle to minus half a circle, or the
    origin, any angle of its half plane is possible; a zero has no sign, so above that line angles are not negative.
    """
    if y is None or x is None:
        return _quarters(-2, 2)
    y, x = outward(y), outward(x)
    if y.low > 0 or y.high < 0 or x.low > 0:
        with working(_BITS):
            found = [Ball.atan2(ball(side), ball(end)) for side in _ends(y) for end in _ends(x)]
            ends = hull(bound for each in found for bound in (lower(each), upper(each)))
        return _cut(widen(ends), _quarters(-2, 2))
    return _quarters(0 if y.low >= 0 else -2, 2)


def _ends(known: Range) -> tuple[Fraction, Fraction]:
    return known.low, known.high


def _quarters(low: int, high: int) -> Range:
    """So many quarters of a circle, as doubles that are no less far."""
    return widen(Range(PI * low / 2, PI * high / 2))


def _cut(found: Range, most: Range) -> Range:
    return Range(max(found.low, most.low), min(found.high, most.high))


def _within_one(given: Range | None) -> Range:
    """What of a range lies between -1 and 1; of none that does, any."""
    if given is None or given.low > 1 or given.high < -1:
        return _WAVE
    return _cut(given, _WAVE)


def _monotone(given: Range | None, most: Range, of: Callable[[Ball], Ball]) -> Range:
    if given is None:
        return most
    with working(_BITS):
        found = [of(ball(end)) for end in _ends(given)]
        ends = hull(bound for each in found for bound in (lower(each), upper(each)))
    return _cut(widen(ends), most)


def _turns(given: Range, shift: Fraction) -> list[int]:
    """The whole numbers k for which (k + shift) times pi may lie in a range that is neither wide nor far."""
    circle = pi(_BITS)
    low, high = lower(circle), upper(circle)
    first = floor(given.low / PI - shift)
    found = []
    for k in range(first - 1, first + 2 + _FULL_TURN // 2):
        ends = sorted(((k + shift) * low, (k + shift) * high))
        if ends[0] <= given.high and ends[1] >= given.low:
            found.append(k)
    return found


def _is_wide(given: Range | None) -> bool:
    return given is None or given.high - given.low >= _FULL_TURN or given.furthest > _FAR


def _wave(given: Range | None, shift: Fraction, of: Callable[[Ball], Ball]) -> Range:
    """A sine or a cosine: its greatest and least values are at every other turning point."""
    if given is None or _is_wide(given):
        return _WAVE
    ends = [Fraction(-1) ** (k % 2) for k in _turns(given, shift)]
    with working(_BITS):
        for end in _ends(given):
            found = of(ball(end))
            ends += [lower(found), upper(found)]
    return _cut(widen(hull(ends)), _WAVE)


def _tangent(given: Range | None) -> Range | None:
    if given is None or _is_wide(given) or _turns(given, Fraction(1, 2)):
        return None
    with working(_BITS):
        found = [ball(end).tan() for end in _ends(given)]
        return widen(hull(bound for each in found for bound in (lower(each), upper(each))))
