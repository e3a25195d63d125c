"""The kind, the range and the nullability of every expression, by rules of our own and without a look at the data."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil, floor
from typing import assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Question, Ranked
from tacit.plan.model.schema import Column, Kind
from tacit.plan.semantics.case_ranges import Ends, narrow_branch
from tacit.plan.semantics.cases_without_value import (
    NEGATION,
    as_doubles,
    may_be_null,
    refuse_partial,
)
from tacit.plan.semantics.expression_type import (
    CALENDAR,
    NUMERIC,
    Type,
    leaf,
    refuse,
    refuse_unbounded,
    suggest_type,
    type_with_range,
)
from tacit.plan.semantics.function_types import called_type, operated_kind, wanted_kinds
from tacit.plan.semantics.ranges import INT64, Range, outward

__all__ = ["CASTS", "condition_type", "operand_kind", "type_of", "operand_kinds"]

CASTS = frozenset(
    {
        (Kind.INTEGER, Kind.NUMBER),
        (Kind.NUMBER, Kind.INTEGER),
        (Kind.BOOLEAN, Kind.INTEGER),
        (Kind.INTEGER, Kind.TEXT),
        (Kind.TEXT, Kind.INTEGER),
        (Kind.TEXT, Kind.NUMBER),
        (Kind.TEXT, Kind.DATE),
        (Kind.DATE, Kind.TIMESTAMP),
        (Kind.TIMESTAMP, Kind.DATE),
    }
)
"""The casts that exist, besides those to the same kind: every engine agrees on them bit for bit."""

# The types of expressions over rows that were asked for of late; every part of a plan is asked for its type many times.
# That of a column is kept once, however often it is mentioned.  What is kept lives, so that nothing else has its id;
# what is refused is not kept.
_KNOWN: dict[int, tuple[e.Expression | Column, Type]] = {}
_MOST_KNOWN = 4_000

_DAY = Range(Fraction(86_400_000_000), Fraction(86_400_000_000))


def type_of(expression: e.Expression, question: Question | None = None) -> Type:
    """The type of an expression over rows or, if a question is given, over its release.

    Over rows the bounds are those of the computed value, and an expression that could overflow is refused.  A release
    is public: bounds do not matter there.

    >>> from tacit.plan import Column
    >>> age = e.Field(Column("age", Kind.INTEGER, low=0, high=120))
    >>> type_of(e.Arithmetic("*", age, e.Literal(2, Kind.INTEGER))).high
    Fraction(240, 1)
    """
    if question is not None:
        return _infer(expression, question)
    part = expression.column if type(expression) is e.Field else expression
    known = _KNOWN.get(id(part))
    if known is None or known[0] is not part:
        known = part, _infer(expression, None)
        if len(_KNOWN) >= _MOST_KNOWN:
            _KNOWN.clear()
        _KNOWN[id(part)] = known
    return known[1]


def _infer(expression: e.Expression, question: Question | None) -> Type:
    match expression:
        case e.Literal() | e.Field():
            return leaf(expression)
        case e.SubqueryValue(_, column, _):
            return leaf(e.Field(column))
        case e.Arithmetic():
            return _arithmetic(expression, question)
        case e.Negated(operand):
            return _type_of_negation(
                expression, type_of(operand, question), free=question is not None
            )
        case e.Compared(_, left, right):
            return _type_of_comparison(
                expression, type_of(left, question), [type_of(right, question)]
            )
        case e.OneOf(operand, options):
            return _type_of_comparison(
                expression, type_of(operand, question), [type_of(option) for option in options]
            )
        case e.Both(left, right) | e.Either(left, right):
            sides = condition_type(left, question), condition_type(right, question)
            return Type(Kind.BOOLEAN, nullable=any(side.nullable for side in sides))
        case e.Not(operand):
            return condition_type(operand, question)
        case e.IsNull(operand):
            type_of(operand, question)
            return Type(Kind.BOOLEAN, nullable=False)
        case e.Like(operand, _):
            return _like(expression, type_of(operand, question))
        case e.Case():
            return _case(expression, question)
        case e.Cast(operand, kind):
            return _cast(expression, type_of(operand, question), kind, free=question is not None)
        case e.Called(_, parts):
            return called_type(expression, [type_of(part, question) for part in parts], question)
        case e.KeyOf() | e.MeasureOf() | e.MeanOf() | e.MomentOf():
            return _type_of_released(expression, question)
        case e.Across():
            return _type_of_window(expression, question)
        case _:
            assert_never(expression)


def operand_kinds(expression: e.Called, question: Question | None = None) -> list[Kind]:
    """The kind that each operand of a call becomes before the function is applied to it."""
    return wanted_kinds(expression, [type_of(part, question).kind for part in expression.operands])


def operand_kind(expression: e.Called, question: Question | None = None) -> Kind:
    """The kind of what a function works on, by which its partial cases are known."""
    return operated_kind(expression.function, operand_kinds(expression, question))


def condition_type(expression: e.Expression, question: Question | None = None) -> Type:
    """The type of an expression that must be a condition."""
    found = type_of(expression, question)
    if found.kind is not Kind.BOOLEAN:
        remedy = "compare it with something, as in x = 1 or x > 0"
        refuse(
            expression,
            f"a condition is needed here, but this is of type {found.kind.value}",
            remedy,
            question,
        )
    return found


def _number(expression: e.Expression, question: Question | None) -> Type:
    found = type_of(expression, question)
    if not found.numeric:
        remedy = "a condition is counted as SUM(CASE WHEN condition THEN 1 ELSE 0 END)"
        if found.kind is not Kind.BOOLEAN:
            remedy = "cast it: CAST(x AS DOUBLE)"
        if found.kind is Kind.TEXT:
            remedy = f"to join texts, write x || y; to calculate, {remedy}"
        refuse(
            expression,
            f"arithmetic needs numbers, but this is of type {found.kind.value}",
            remedy,
            question,
        )
    return found


def _arithmetic(expression: e.Arithmetic, question: Question | None) -> Type:
    left, right = _number(expression.left, question), _number(expression.right, question)
    both_whole = left.kind is right.kind is Kind.INTEGER
    kind = Kind.INTEGER if both_whole and expression.operator != "/" else Kind.NUMBER
    nullable = (
        left.nullable or right.nullable or may_be_null(expression.operator, kind, left, right)
    )
    if question is not None:
        return Type(kind, nullable=nullable)
    return type_with_range(kind, _range_of_arithmetic(expression, left, right, kind), nullable)


def _range_of_arithmetic(expression: e.Arithmetic, left: Type, right: Type, kind: Kind) -> Range:
    """The range of + - * / %; what could overflow, or has an operand without a range, is refused."""
    whole = kind is Kind.INTEGER
    if right.range is None:
        refuse_unbounded(expression.right, "the result could overflow")
    # a remainder is bounded by its divisor alone
    if left.range is None and expression.operator != "%":
        refuse_unbounded(expression.left, "the result could overflow")
    refuse_partial(expression, expression.operator, kind, left, right)
    x, y = (left.range or INT64, right.range) if whole else as_doubles([left, right])
    match expression.operator:
        case "+":
            found = x + y
        case "-":
            found = x - y
        case "*":
            found = x * y
        case "%":
            found = x.rest(y, whole=whole)
        case "/":
            quotient = x.divide(y, whole=right.kind is Kind.INTEGER)
            assert quotient is not None, "a quotient without a bound is refused"
            found = quotient
        case operator:
            raise AssertionError(operator)
    return found if whole else outward(found)


def _type_of_negation(expression: e.Negated, found: Type, *, free: bool) -> Type:
    if not found.numeric:
        refuse(
            expression,
            f"a minus sign needs a number, but this is of type {found.kind.value}",
            "remove the minus sign",
        )
    known = found.range
    if not free:
        if known is None and found.kind is Kind.INTEGER:
            refuse_unbounded(
                expression.operand, "minus the least integer does not fit into 64 bits"
            )
        refuse_partial(expression, NEGATION, found.kind, found)
    return type_with_range(found.kind, None if known is None else -known, found.nullable)


def _type_of_comparison(
    expression: e.Compared | e.OneOf, left: Type, others: Sequence[Type]
) -> Type:
    operator = expression.operator if isinstance(expression, e.Compared) else "="
    for other in others:
        if left.kind is not other.kind and not (left.numeric and other.numeric):
            reason = f"values of type {left.kind.value} and {other.kind.value} cannot be compared"
            refuse(
                expression,
                reason,
                "give both sides the same type: 5 is a number and '5' is text"
                + _suggest_type_of_side(expression, left, other),
            )
    if left.kind is Kind.BOOLEAN and operator not in {"=", "<>"}:
        refuse(expression, "true and false cannot be ordered", "compare them with = or <>")
    return Type(Kind.BOOLEAN, nullable=left.nullable or any(other.nullable for other in others))


def _suggest_type_of_side(expression: e.Compared | e.OneOf, left: Type, other: Type) -> str:
    """What to declare of the side of a comparison that is a column of texts, where the other is none."""
    if isinstance(expression, e.OneOf):
        return suggest_type(expression.operand, other.kind)
    return suggest_type(expression.left, other.kind) or suggest_type(expression.right, left.kind)


def _like(expression: e.Like, found: Type) -> Type:
    if found.kind is not Kind.TEXT:
        refuse(
            expression,
            f"LIKE needs text, but this is of type {found.kind.value}",
            "compare it with = < or >",
        )
    return Type(Kind.BOOLEAN, nullable=found.nullable)


def _case(expression: e.Case, question: Question | None) -> Type:
    conditions = [condition for condition, _ in expression.branches]
    for condition in conditions:
        condition_type(condition, question)
    values = [*(value for _, value in expression.branches), expression.otherwise]
    types = [type_of(value, question) for value in values]
    known = [
        (i, found) for i, found in enumerate(types) if values[i] != e.Literal(None, found.kind)
    ]
    kinds = {found.kind for _, found in known} or {types[0].kind}
    if len(kinds) > 1 and not kinds <= set(NUMERIC):
        names = " and ".join(sorted(kind.value for kind in kinds))
        refuse(
            expression,
            f"the branches of this CASE have different types: {names}",
            "give all branches one type",
        )
    kind = kinds.pop() if len(kinds) == 1 else Kind.NUMBER
    nullable = any(found.nullable for found in types)
    if (kind not in NUMERIC and kind not in CALENDAR) or question is not None:
        return Type(kind, nullable=nullable)
    ends = [
        narrow_branch((types[i].low, types[i].high), values[i], conditions, i) for i, _ in known
    ]
    return _union(kind, ends or [(Fraction(0), Fraction(0))], nullable)


def _union(kind: Kind, ends: list[Ends], nullable: bool) -> Type:
    """The type of a value that is one of several: each end is known only if every one of them is."""
    lows, highs = (
        [low for low, _ in ends if low is not None],
        [high for _, high in ends if high is not None],
    )
    low = min(lows) if len(lows) == len(ends) else None
    high = max(highs) if len(highs) == len(ends) else None
    if kind is Kind.NUMBER and low is not None and high is not None:
        found = outward(Range(low, high))
        low, high = found.low, found.high
    return Type(kind, low, high, nullable)


def _cast(expression: e.Cast, found: Type, kind: Kind, *, free: bool) -> Type:
    if found.kind is kind:
        return found
    if free and (found.kind, kind) == (Kind.NUMBER, Kind.TEXT):  # which no engine writes
        return Type(kind, nullable=found.nullable)
    if (found.kind, kind) not in CASTS:
        possible = sorted(to.value for since, to in CASTS if since is found.kind)
        remedy = f"it can be cast to {' or '.join(possible)}" if possible else "remove the cast"
        refuse(
            expression, f"a value of type {found.kind.value} cannot be cast to {kind.value}", remedy
        )
    known = found.range
    match found.kind, kind:
        case Kind.BOOLEAN, _:
            return Type(kind, Fraction(0), Fraction(1), found.nullable)
        case Kind.INTEGER, Kind.NUMBER:
            return type_with_range(kind, None if known is None else outward(known), found.nullable)
        case Kind.NUMBER, _:
            if known is None or may_be_null((found.kind, kind), found.kind, found):
                return Type(kind, nullable=True)
            return Type(
                kind, Fraction(floor(known.low)), Fraction(ceil(known.high)), found.nullable
            )
        case Kind.TEXT, _:
            return type_with_range(kind, CALENDAR.get(kind), nullable=True)
        case Kind.DATE, _:
            return type_with_range(kind, None if known is None else known * _DAY, found.nullable)
        case Kind.TIMESTAMP, _:
            first, last = (
                None if end is None else Fraction(end // _DAY.low)
                for end in (found.low, found.high)
            )
            return Type(kind, first, last, found.nullable)
        case _:
            return Type(kind, nullable=found.nullable)


def _type_of_window(expression: e.Across, question: Question | None) -> Type:
    """What a window over groups gives: counts and ranks are whole, and what may be of no group may be NULL."""
    assert question is not None, "groups exist only after release"
    inside = [type_of(part, question) for part in e.operands(expression)]
    if expression.look in {e.Look.NUMBER, e.Look.RANK, e.Look.DENSE, e.Look.COUNT}:
        return Type(Kind.INTEGER, nullable=False)
    found = inside[0]
    if expression.look in {e.Look.SUM, e.Look.MEAN, e.Look.MIDDLE} and not found.numeric:
        culprit = e.operands(expression)[0]
        who = "MEDIAN needs" if expression.look is e.Look.MIDDLE else "SUM and AVG need"
        refuse(
            culprit,
            f"{who} a number, but this is of type {found.kind.value}",
            "sum or average a number",
            question,
        )
    if found.kind is Kind.BOOLEAN and expression.look in {e.Look.LEAST, e.Look.GREATEST}:
        refuse(
            e.operands(expression)[0],
            "true and false cannot be ordered",
            "write a CASE that returns a number",
            question,
        )
    is_between = expression.look in {e.Look.MEAN, e.Look.MIDDLE}
    return Type(Kind.NUMBER if is_between else found.kind, nullable=True)


def _type_of_released(
    expression: e.KeyOf | e.MeasureOf | e.MeanOf | e.MomentOf, question: Question | None
) -> Type:
    assert question is not None, "keys and measures exist only after release"
    match expression:
        case e.KeyOf(place):
            return Type(
                type_of(question.keys[place].value).kind, nullable=question.keys[place].null
            )
        case e.MeasureOf(place):
            measure = question.measures[place]
            kind = type_of(measure.value).kind if isinstance(measure, Ranked) else Kind.NUMBER
            return Type(kind, nullable=question.may_be_missing(place))
        case e.MeanOf() | e.MomentOf():
            return Type(Kind.NUMBER, nullable=True)
