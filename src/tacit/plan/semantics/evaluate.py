"""How an expression is computed from a row, in plain Python: the oracle that every engine agrees with.

Checked by: tests/laws/test_functions.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import fmod
from operator import eq, ge, gt, le, lt, ne
from typing import assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import STRICT
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.cases_without_value import NEGATION, Operation, cases_of
from tacit.plan.semantics.function_meanings import MEANINGS
from tacit.plan.semantics.infer_expression_types import operand_kind, operand_kinds, type_of
from tacit.plan.semantics.match_like_patterns import matches, tokens_of
from tacit.plan.semantics.value_kinds import Value, bounds_of, cast, clamp_between, constant

__all__ = ["Computation", "Row", "compile_expression"]

Row = Mapping[str, Value]
"""The cells of a row by the names of their columns."""

Computation = Callable[[Row], Value]
"""A value that is computed from a row."""


def compile_expression(expression: e.Expression) -> Computation:
    """How an expression is computed from a row: doubles as IEEE says, three-valued logic with None."""
    match expression:
        case e.Literal(given, kind):
            fixed = constant(given, kind)
            return lambda _row: fixed
        case e.Field(column):
            name, (low, high) = column.name, bounds_of(column)
            return lambda row: clamp_between(row[name], low, high)
        case e.Arithmetic(operator, left, right):
            kind = type_of(expression).kind
            return _strict(
                _whole(operator, kind, _OPERATIONS[operator, kind]), *_alike(kind, left, right)
            )
        case e.Negated(operand):
            return _strict(
                _whole(NEGATION, type_of(operand).kind, lambda x: -x), compile_expression(operand)
            )
        case e.Compared(operator, left, right):
            return _strict(_COMPARISONS[operator], *_alike(_common(left, right), left, right))
        case e.Both(left, right):
            return _logical(False, compile_expression(left), compile_expression(right))
        case e.Either(left, right):
            return _logical(True, compile_expression(left), compile_expression(right))
        case e.Not(operand):
            return _strict(lambda x: not x, compile_expression(operand))
        case e.IsNull(operand):
            value = compile_expression(operand)
            return lambda row: value(row) is None
        case e.OneOf(operand, options):
            return _one_of(operand, options)
        case e.Like(operand, pattern):
            tokens = tokens_of(pattern)
            return _strict(lambda text: matches(text, tokens), compile_expression(operand))
        case e.Case():
            return _compile_case(expression)
        case e.Cast(operand, kind):
            return _cast(operand, kind)
        case e.Called(function, parts):
            values = [
                _cast(part, kind)
                for part, kind in zip(parts, operand_kinds(expression), strict=True)
            ]
            meaning = _whole(function, operand_kind(expression), MEANINGS[function])
            return (_strict if function in STRICT else _lenient)(meaning, *values)
        case e.KeyOf() | e.MeasureOf() | e.MeanOf() | e.MomentOf() | e.Across():
            raise AssertionError("keys and measures exist only after release")
        case e.SubqueryValue(_, _, value):
            assert value is not None, "a subquery is answered before rows are looked at"
            return compile_expression(value)
        case _:
            assert_never(expression)


def _whole(
    operation: Operation, kind: Kind, function: Callable[..., Value]
) -> Callable[..., Value]:
    """A function of all values: NULL where the operation has none."""
    cases = [case.is_met for case in cases_of(operation, kind)]
    if not cases:
        return function
    return lambda *values: None if any(is_met(*values) for is_met in cases) else function(*values)


def _remainder(x: int, y: int) -> int:
    """What is left of x, with the sign of x."""
    return abs(x) % abs(y) * (-1 if x < 0 else 1)


_OPERATIONS: dict[tuple[str, Kind], Callable[..., Value]] = {
    ("+", Kind.INTEGER): lambda x, y: x + y,
    ("-", Kind.INTEGER): lambda x, y: x - y,
    ("*", Kind.INTEGER): lambda x, y: x * y,
    ("%", Kind.INTEGER): _remainder,
    ("+", Kind.NUMBER): lambda x, y: x + y,
    ("-", Kind.NUMBER): lambda x, y: x - y,
    ("*", Kind.NUMBER): lambda x, y: x * y,
    ("/", Kind.NUMBER): lambda x, y: x / y,
    ("%", Kind.NUMBER): fmod,
}
_COMPARISONS: dict[str, Callable[..., Value]] = {
    "=": eq,
    "<>": ne,
    "<": lt,
    "<=": le,
    ">": gt,
    ">=": ge,
}


def _strict(function: Callable[..., Value], *operands: Computation) -> Computation:
    """The function of its operands; NULL if one of them is."""

    def value(row: Row) -> Value:
        values = [operand(row) for operand in operands]
        return None if any(each is None for each in values) else function(*values)

    return value


def _lenient(function: Callable[..., Value], *operands: Computation) -> Computation:
    """The function of its operands, some of which may be NULL."""
    return lambda row: function(*(operand(row) for operand in operands))


def _logical(decisive: bool, *operands: Computation) -> Computation:
    """AND (where false decides) and OR (where true does); NULL if nobody decides and somebody does not know."""

    def value(row: Row) -> Value:
        values = [operand(row) for operand in operands]
        if any(each is decisive for each in values):
            return decisive
        return None if any(each is None for each in values) else not decisive

    return value


def _common(*expressions: e.Expression) -> Kind:
    """The kind in which values are compared or chosen: doubles if integers meet doubles."""
    kinds = {
        type_of(each).kind for each in expressions if each != e.Literal(None, type_of(each).kind)
    }
    return (
        kinds.pop() if len(kinds) == 1 else Kind.NUMBER if kinds else type_of(expressions[0]).kind
    )


def _alike(kind: Kind, *expressions: e.Expression) -> list[Computation]:
    return [_cast(each, kind) for each in expressions]


def _one_of(operand: e.Expression, options: tuple[e.Literal, ...]) -> Computation:
    """Whether the operand, which is computed once, is one of some constants; inside itself it was options**depth."""
    value, *others = _alike(_common(operand, *options), operand, *options)

    def is_one(row: Row) -> Value:
        found = value(row)
        if found is None:
            return None if others else False
        listed = [other(row) for other in others]
        if found in listed:
            return True
        return None if None in listed else False

    return is_one


def _cast(operand: e.Expression, kind: Kind) -> Computation:
    value, since = compile_expression(operand), type_of(operand).kind
    if isinstance(operand, e.Literal) and operand.value is None:
        return lambda _row: None  # NULL is of every kind
    return lambda row: cast(value(row), since, kind)


def _compile_case(case: e.Case) -> Computation:
    kind = type_of(case).kind
    conditions = [compile_expression(condition) for condition, _ in case.branches]
    *values, otherwise = _alike(kind, *(value for _, value in case.branches), case.otherwise)

    def value(row: Row) -> Value:
        for condition, chosen in zip(conditions, values, strict=True):
            if condition(row) is True:
                return chosen(row)
        return otherwise(row)

    return value
