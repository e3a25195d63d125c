"""Skewness and kurtosis, from released means of powers.

Checked by: tests/unit/plan/questions/test_shape_of_distribution.py
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.draft import Draft
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = ["kurtosis", "skewness"]


def skewness(draft: Draft, value: e.Expression) -> e.Expression:
    """SKEWNESS(value): that of a sample, as DuckDB has it; NULL of fewer than three rows, or if all are the same."""
    count, mean, square, cube = _mean_powers(draft, value, 3)
    spread = _minus(square, _times(mean, mean))
    third = _sum(cube, _times(-3, mean, square), _times(2, mean, mean, mean))
    found = _over(third, _call(Function.POWER, spread, _number(Fraction(3, 2))))
    root = _call(Function.SQRT, _times(count, _minus(count, 1)))
    return _over(_times(root, found), _minus(count, 2))


def kurtosis(draft: Draft, value: e.Expression) -> e.Expression:
    """KURTOSIS(value): the excess of a sample over that of a normal law, as DuckDB has it."""
    count, mean, square, cube, fourth = _mean_powers(draft, value, 4)
    spread = _minus(square, _times(mean, mean))
    moment = _sum(
        fourth,
        _times(-4, mean, cube),
        _times(6, mean, mean, square),
        _times(-3, mean, mean, mean, mean),
    )
    excess = _minus(_over(moment, _times(spread, spread)), 3)
    adjusted = _times(_minus(count, 1), _sum(_times(_sum(count, 1), excess), 6))
    return _over(adjusted, _times(_minus(count, 2), _minus(count, 3)))


def _mean_powers(draft: Draft, value: e.Expression, most: int) -> list[e.Expression]:
    """The count and the means of the first powers of a value, moved and scaled so that its range is from -1 to 1."""
    value = draft.within_bounds(value)
    known = type_of(value).range
    assert known is not None, "what has no bounds is refused"
    middle, half = (known.low + known.high) / 2, (known.high - known.low) / 2 or Fraction(1)
    if type_of(value).kind is Kind.INTEGER:
        value = e.Cast(value, Kind.NUMBER)
    scaled = e.Arithmetic("*", e.Arithmetic("-", value, _number(middle)), _number(1 / half))
    powers = [
        reduce(lambda found, one: e.Arithmetic("*", found, one), [scaled] * power)
        for power in range(1, most + 1)
    ]
    return [draft.count(scaled), *(draft.mean(power) for power in powers)]


# ---------------------------------------------------------------- arithmetic of what is released

_Part = e.Expression | int


def _number(value: Fraction | int) -> e.Literal:
    return e.Literal(Fraction(value), Kind.NUMBER)


def _part(value: _Part) -> e.Expression:
    return _number(value) if isinstance(value, int) else value


def _join(sign: str, parts: Sequence[_Part]) -> e.Expression:
    return reduce(lambda one, other: e.Arithmetic(sign, one, other), map(_part, parts))


def _times(*parts: _Part) -> e.Expression:
    return _join("*", parts)


def _sum(*parts: _Part) -> e.Expression:
    return _join("+", parts)


def _minus(one: _Part, other: _Part) -> e.Expression:
    return _join("-", [one, other])


def _over(one: _Part, other: _Part) -> e.Expression:
    return _join("/", [one, other])


def _call(function: Function, *operands: e.Expression) -> e.Expression:
    return e.Called(function, operands)
