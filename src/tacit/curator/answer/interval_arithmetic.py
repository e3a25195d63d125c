"""Arithmetic, comparison and logic over numbers that are known to lie in intervals.

Checked by: tests/unit/curator/answer/test_view_rows.py
"""

from __future__ import annotations

from collections.abc import Callable
from math import fmod, inf, isfinite
from typing import Any

from tacit.curator.answer.intervals import (
    Interval,
    as_interval,
    point_of,
)

__all__ = ["COMPARE", "both_of", "calculate", "compare", "not_of"]

COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


def compare(operator: str, left: Any, right: Any) -> set[bool | None]:
    """Whether two numbers may compare so and otherwise, wherever in their intervals they lie; NULL if one may be."""
    if left is None or right is None:
        return {None}
    if not isinstance(left, Interval) and not isinstance(right, Interval):
        return {COMPARE[operator](left, right)}
    a, b = as_interval(left), as_interval(right)
    null: set[bool | None] = {None} if a.null or b.null else set()
    if a.low <= b.high and b.low <= a.high and (a.low, b.low) != (a.high, b.high):
        return {True, False} | null
    return {COMPARE[operator](a.low, b.low)} | null


def calculate(operator: str, left: Any, right: Any) -> Any:
    """The operation on the values, and on every pair of ends; a divisor that may be zero leaves the ends open."""
    if left is None or right is None:
        return None
    value = _point(operator, point_of(left), point_of(right))
    if not (isinstance(left, Interval) or isinstance(right, Interval)):
        return value
    a, b = as_interval(left), as_interval(right)
    divides = operator in {"/", "%"}
    if divides and b.low == 0 == b.high:
        return None
    if divides and (operator == "%" or b.low <= 0 <= b.high):
        return Interval(value, -inf, inf, a.null or b.null or b.low <= 0 <= b.high)
    corners = [_operation(operator, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    if None in corners:  # what is too large is NULL
        return Interval(value, -inf, inf, null=True)
    return Interval(value, min(corners), max(corners), a.null or b.null)


def _point(operator: str, left: Any, right: Any) -> Any:
    """The result for two numbers, of which each may be NULL."""
    if left is None or right is None or (right == 0 and operator in {"/", "%"}):
        return None
    return _operation(operator, left, right)


def _operation(operator: str, left: float, right: float) -> Any:
    """The result as engines compute it; NULL where it is no number or too large for one."""
    result: float
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "/":
            result = left / right
        case "%" if isinstance(left, int) and isinstance(right, int):
            result = abs(left) % abs(right) * (-1 if left < 0 else 1)
        case "%":
            result = fmod(left, right)
        case _:
            raise AssertionError(f"no such operation: {operator}")
    fits = -(1 << 63) <= result < 1 << 63 if isinstance(result, int) else isfinite(result)
    return result if fits else None


def both_of(left: bool | None, right: bool | None) -> bool | None:
    """AND of SQL."""
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def not_of(operand: bool | None) -> bool | None:
    """NOT of SQL."""
    return None if operand is None else not operand
