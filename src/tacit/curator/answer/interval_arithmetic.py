"""Arithmetic, comparison and logic over numbers that are known to lie in intervals.

Checked by: tests/unit/curator/answer/test_view_rows.py
"""

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
    """Whether two numbers may compare so and otherwise, wherever in their intervals they lie."""
    if left is None or right is None:
        return {None}
    if not isinstance(left, Interval) and not isinstance(right, Interval):
        return {COMPARE[operator](left, right)}
    a, b = as_interval(left), as_interval(right)
    if a.low <= b.high and b.low <= a.high and (a.low, b.low) != (a.high, b.high):
        return {True, False}
    return {COMPARE[operator](a.value, b.value)}


def calculate(operator: str, left: Any, right: Any) -> Any:
    """The operation on the values, and on every pair of ends; a divisor that may be zero leaves the ends open."""
    if left is None or right is None or (operator in {"/", "%"} and point_of(right) == 0):
        return None
    value = _operation(operator, point_of(left), point_of(right))
    if value is None or not (isinstance(left, Interval) or isinstance(right, Interval)):
        return value
    a, b = as_interval(left), as_interval(right)
    if operator == "%" or (operator == "/" and b.low <= 0 <= b.high):
        return Interval(value, -inf, inf)
    corners = [_operation(operator, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    ends = [corner for corner in corners if corner is not None]
    return Interval(value, min(ends), max(ends)) if len(ends) == 4 else Interval(value, -inf, inf)


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
