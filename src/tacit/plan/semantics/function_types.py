"""What a function's value can be: its kind, its range and whether it may be NULL, from what its operands can be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from tacit.exact import ball, exp, log, lower, sqrt, upper, working
from tacit.plan.model.expressions import Called, Expression, Literal
from tacit.plan.model.function_names import ANGLES, PARTS, Function
from tacit.plan.model.nodes import Question
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.angles import angle_range, range_of_two, widen
from tacit.plan.semantics.cases_without_value import (
    LARGEST_LOGARITHM,
    SETTINGS,
    log_of_power,
    may_be_null,
    refuse_partial,
)
from tacit.plan.semantics.expression_type import (
    CALENDAR,
    NUMERIC,
    Type,
    refuse,
    refuse_unbounded,
    type_with_range,
)
from tacit.plan.semantics.function_meanings import (
    FIRST,
    LAST,
    MEANINGS,
    count_boundaries,
    later,
    round_half_away,
    seconds_between,
    trunc,
)
from tacit.plan.semantics.ranges import INT64, Range, hull, outward

__all__ = ["ARITY", "MOST_OPERANDS", "called_type", "may_leave", "operated_kind", "wanted_kinds"]

MOST_OPERANDS = 32
ARITY: dict[Function, tuple[int, int]] = dict.fromkeys(Function, (1, 1)) | {
    Function.COALESCE: (1, MOST_OPERANDS),
    Function.LEAST: (1, MOST_OPERANDS),
    Function.GREATEST: (1, MOST_OPERANDS),
    Function.CONCAT: (1, MOST_OPERANDS),
    Function.NULLIF: (2, 2),
    Function.DISTINCT: (2, 2),
    Function.QUOTIENT: (2, 2),
    Function.ROUND: (2, 2),
    Function.POWER: (2, 2),
    Function.ATAN2: (2, 2),
    Function.SUBSTR: (2, 3),
    Function.RIGHT: (2, 2),
    Function.REPLACE: (3, 3),
    Function.SPLIT_PART: (3, 3),
    Function.STRPOS: (2, 2),
    Function.LPAD: (3, 3),
    Function.RPAD: (3, 3),
    Function.REGEXP: (2, 2),
    Function.STRFTIME: (2, 2),
    Function.JOINED: (2, 2),
    Function.EXTRACT: (2, 2),
    Function.DATE_TRUNC: (2, 2),
    Function.DATE_ADD: (3, 3),
    Function.DATE_DIFF: (3, 3),
    Function.SECONDS_BETWEEN: (2, 2),
}
"""How many operands each function has: the fewest and the most."""

_CHOICES = {
    Function.COALESCE,
    Function.LEAST,
    Function.GREATEST,
    Function.DISTINCT,
    Function.NULLIF,
}
_OWN = {Function.ABS, Function.SIGN, Function.ROUND, Function.FLOOR, Function.CEIL, Function.TRUNC}
_DOUBLES = ANGLES | {Function.SQRT, Function.LN, Function.LOG10, Function.EXP, Function.POWER}
_JOINS = {Function.CONCAT, Function.JOINED}
_TEXTS = _JOINS | {Function.REPLACE}
_MOMENTS = {
    Function.EXTRACT: (Kind.TEXT, Kind.TIMESTAMP),
    Function.DATE_TRUNC: (Kind.TEXT, Kind.TIMESTAMP),
    Function.DATE_ADD: (Kind.TIMESTAMP, Kind.INTEGER, Kind.TEXT),
    Function.DATE_DIFF: (Kind.TEXT, Kind.TIMESTAMP, Kind.TIMESTAMP),
    Function.SECONDS_BETWEEN: (Kind.TIMESTAMP, Kind.TIMESTAMP),
    Function.STRFTIME: (Kind.TIMESTAMP, Kind.TEXT),
}
_SETTINGS_OF_TEXT = {
    Function.SPLIT_PART: (Kind.TEXT, Kind.TEXT, Kind.INTEGER),
    Function.STRPOS: (Kind.TEXT, Kind.TEXT),
    Function.LPAD: (Kind.TEXT, Kind.INTEGER, Kind.TEXT),
    Function.RPAD: (Kind.TEXT, Kind.INTEGER, Kind.TEXT),
    Function.REGEXP: (Kind.TEXT, Kind.TEXT),
}
_RESULTS = {
    Function.DISTINCT: Kind.BOOLEAN,
    Function.QUOTIENT: Kind.INTEGER,
    Function.SIGN: Kind.INTEGER,
    Function.LENGTH: Kind.INTEGER,
    Function.STRPOS: Kind.INTEGER,
    Function.REGEXP: Kind.BOOLEAN,
    Function.DATE_TRUNC: Kind.TIMESTAMP,
    Function.DATE_ADD: Kind.TIMESTAMP,
    Function.DATE_DIFF: Kind.INTEGER,
    Function.SECONDS_BETWEEN: Kind.NUMBER,
    Function.STRFTIME: Kind.TEXT,
} | dict.fromkeys(_DOUBLES, Kind.NUMBER)
_READS = {
    Kind.INTEGER: ("whole numbers", "cast it, CAST(x AS BIGINT), or use / and FLOOR"),
    Kind.NUMBER: ("numbers", "cast it, CAST(x AS DOUBLE), or leave it out"),
    Kind.TEXT: ("text", "cast it if it is an integer: CAST(x AS VARCHAR)"),
    Kind.TIMESTAMP: ("dates and timestamps", "cast it: CAST(x AS DATE)"),
}


def wanted_kinds(expression: Called, kinds: Sequence[Kind]) -> list[Kind]:
    """The kind that each operand becomes before the function is applied, from the kinds that they are of."""
    function = expression.function
    if function in _CHOICES:
        known = {
            kind
            for part, kind in zip(expression.operands, kinds, strict=True)
            if not _is_null(part)
        }
        common = known.pop() if len(known) == 1 else Kind.NUMBER if known else kinds[0]
        return [kinds[0], common] if function is Function.NULLIF else [common] * len(kinds)
    if function in _MOMENTS:
        return list(_MOMENTS[function])
    if function in _SETTINGS_OF_TEXT:
        return list(_SETTINGS_OF_TEXT[function])
    if function in _OWN:
        return [kinds[0], *[Kind.INTEGER] * (len(kinds) - 1)]
    if function in _DOUBLES:
        return [Kind.NUMBER] * len(kinds)
    if function is Function.QUOTIENT:
        return [Kind.INTEGER, Kind.INTEGER]
    return (
        [Kind.TEXT] * len(kinds)
        if function in _TEXTS
        else [Kind.TEXT, *[Kind.INTEGER] * (len(kinds) - 1)]
    )


def operated_kind(function: Function, wanted: Sequence[Kind]) -> Kind:
    """The kind of what a function works on, from those that its operands become."""
    return Kind.TIMESTAMP if function in _MOMENTS else wanted[0]


def called_type(expression: Called, types: Sequence[Type], question: Question | None) -> Type:
    """The type of a call, from those of its operands; refused if a row could make it overflow.

    After release nothing is refused for its range: what is no number becomes NULL.

    Claim:      the function's value is NULL only if the type is nullable, and lies in its range.
    Because:    each rule below: monotone functions are bounded by their values at the ends; where an operand that may
                be NULL is passed over, the range covers that the others are chosen.
    Checked by: tests/laws/test_functions.py::test_values_lie_in_the_inferred_range
    """
    least, most = ARITY[expression.function]
    assert least <= len(types) <= most, "the doors count operands"
    kinds = wanted_kinds(expression, [found.kind for found in types])
    _check_kinds(expression, types, kinds, question)
    kind = _RESULTS.get(expression.function, kinds[0])
    if expression.function is Function.EXTRACT:
        kind = Kind.NUMBER if _setting(expression, 0) == "epoch" else Kind.INTEGER
    _check_settings(expression, question)
    never_null = expression.function in {Function.CONCAT, Function.DISTINCT}
    if question is not None:
        return Type(kind, nullable=not never_null)
    nullable = not never_null and any(found.nullable for found in types)
    rule = _RULES.get(expression.function)
    return (
        Type(kind, nullable=nullable) if rule is None else rule(expression, types, kind, nullable)
    )


# ---------------------------------------------------------------- what may be given to a function


def _check_kinds(
    expression: Called, types: Sequence[Type], kinds: Sequence[Kind], question: Question | None
) -> None:
    function = expression.function
    pairs = zip(expression.operands, types, kinds, strict=True)
    given = [(part, found.kind, kind) for part, found, kind in pairs if not _is_null(part)]
    for part, kind, wanted in given:
        if function in _CHOICES:
            _check_choice(expression, [each for _, each, _ in given], question)
            return
        fits = kind is wanted and (wanted in NUMERIC or function not in _OWN)
        fits = fits or (wanted is Kind.NUMBER and kind is Kind.INTEGER)
        fits = fits or (wanted is Kind.TIMESTAMP and kind is Kind.DATE)
        fits = fits or (function in _JOINS and kind is Kind.INTEGER)
        fits = fits or (function in _JOINS and kind is Kind.NUMBER and question is not None)
        if not fits:
            what, remedy = _READS[Kind.NUMBER if function in _OWN else wanted]
            refuse(
                part,
                f"{function.value} takes {what}, but this is of type {kind.value}",
                remedy,
                question,
            )


def _check_choice(expression: Called, kinds: Sequence[Kind], question: Question | None) -> None:
    if len(set(kinds)) > 1 and not set(kinds) <= set(NUMERIC):
        names = " and ".join(sorted({kind.value for kind in kinds}))
        reason = f"the arguments of {expression.function.value} have different types: {names}"
        refuse(expression, reason, "give them one type: 5 is a number and '5' is text", question)
    if Kind.BOOLEAN in kinds and expression.function in {Function.LEAST, Function.GREATEST}:
        refuse(
            expression, "true and false cannot be ordered", "combine them with AND and OR", question
        )


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _setting(expression: Called, place: int) -> object:
    """A literal among the operands that says how the function works."""
    part = expression.operands[place]
    return part.value if isinstance(part, Literal) else None


def _check_settings(expression: Called, question: Question | None) -> None:
    for setting in SETTINGS.get(expression.function, ()):
        if setting.place < len(expression.operands) and not setting.allows(
            _setting(expression, setting.place)
        ):
            culprit = (
                expression
                if expression.function in _MOMENTS
                else expression.operands[setting.place]
            )
            refuse(culprit, setting.reason, setting.remedy, question)


# ---------------------------------------------------------------- ranges

_Rule = Callable[[Called, Sequence[Type], Kind, bool], Type]


def _double_ends(found: Type, kind: Kind) -> tuple[Fraction | None, Fraction | None]:
    """The ends of an operand after it became a double, if the result is one."""
    if kind is not Kind.NUMBER:
        return found.low, found.high
    low, high = (
        None if end is None else outward(Range(end, end)) for end in (found.low, found.high)
    )
    return None if low is None else low.low, None if high is None else high.high


def _coalesce(expression: Called, types: Sequence[Type], kind: Kind, _: bool) -> Type:
    """Any of its operands: that one of them is never NULL is a promise, on which no range relies."""
    possible = [
        found for part, found in zip(expression.operands, types, strict=True) if not _is_null(part)
    ]
    lows, highs = (
        zip(*(_double_ends(found, kind) for found in possible), strict=True)
        if possible
        else ([None], [None])
    )
    low = None if None in lows else min(end for end in lows if end is not None)
    high = None if None in highs else max(end for end in highs if end is not None)
    return Type(kind, low, high, all(found.nullable for found in types))


def _extreme(expression: Called, types: Sequence[Type], kind: Kind, _: bool) -> Type:
    """LEAST and GREATEST: constants bound them on one side, all operands together on both.

    That a column is never NULL is a promise, on which no range relies; that a constant is not NULL is known.
    """
    pairs = [pair for pair in zip(expression.operands, types, strict=True) if not _is_null(pair[0])]
    ends = [_double_ends(found, kind) for _, found in pairs] or [(None, None)]
    sure = [_double_ends(found, kind) for part, found in pairs if isinstance(part, Literal)]
    least = expression.function is Function.LEAST
    near, far = (1, 0) if least else (0, 1)
    tight, wide = (min, max) if least else (max, min)
    known = [each[near] for each in sure if each[near] is not None]
    all_known = [each[near] for each in ends if each[near] is not None]
    beyond = [each[far] for each in ends if each[far] is not None]
    held = tight(known) if known else wide(all_known) if len(all_known) == len(ends) else None  # type: ignore[type-var]
    open_end = tight(beyond) if len(beyond) == len(ends) else None  # type: ignore[type-var]
    low, high = (open_end, held) if least else (held, open_end)
    return Type(kind, low, high, all(found.nullable for _, found in pairs))


def _first(_: Called, types: Sequence[Type], kind: Kind, __: bool) -> Type:
    return Type(kind, types[0].low, types[0].high, nullable=True)


def _quotient(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    for part, found in zip(expression.operands, types, strict=True):
        if found.range is None:
            refuse_unbounded(part, "the result could overflow")
    top, bottom = types[0].range, types[1].range
    assert top is not None
    assert bottom is not None
    refuse_partial(expression, Function.QUOTIENT, kind, *types)
    exact = top.divide(bottom, whole=True)
    assert exact is not None, "whole divisors keep away from zero"
    cut = Range(_toward_zero(exact.low), _toward_zero(exact.high))
    return type_with_range(kind, cut, nullable or may_be_null(Function.QUOTIENT, kind, *types))


def _toward_zero(number: Fraction) -> Fraction:
    return Fraction(floor(number) if number >= 0 else ceil(number))


def _abs(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    if kind is Kind.INTEGER and found.low is None:
        refuse_unbounded(
            expression.operands[0], "the absolute value of the smallest integer overflows"
        )
    refuse_partial(expression, Function.ABS, kind, found)
    low = max(
        found.low or Fraction(0),
        -found.high if found.high is not None else Fraction(0),
        Fraction(0),
    )
    return Type(kind, low, None if found.range is None else found.range.furthest, nullable)


def _sign(_: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    low = -1 if found.low is None or found.low < 0 else int(found.low > 0)
    high = 1 if found.high is None or found.high > 0 else -int(found.high < 0)
    return Type(kind, Fraction(low), Fraction(high), nullable)


def _stepwise(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    """ROUND, FLOOR, CEIL and TRUNC, which never change the order of two numbers."""
    found, decimals = (
        types[0],
        _setting(expression, 1) if expression.function is Function.ROUND else 0,
    )
    assert isinstance(decimals, int)
    if kind is Kind.INTEGER and decimals >= 0:
        return Type(kind, found.low, found.high, nullable)
    if kind is Kind.INTEGER:
        if found.range is None:
            refuse_unbounded(expression.operands[0], "rounding it could overflow")
        refuse_partial(expression, Function.ROUND, kind, *types)
        whole = [
            Fraction(round_half_away(int(end), decimals) or 0)
            for end in (found.range.low, found.range.high)
        ]
        return Type(kind, whole[0], whole[1], nullable)
    meaning = MEANINGS[expression.function]
    ends = [
        None
        if end is None
        else Fraction(meaning(float(end), *([decimals] if len(types) > 1 else [])))  # type: ignore[arg-type]
        for end in (found.low, found.high)
    ]
    return Type(kind, ends[0], ends[1], nullable)


def _sqrt(_: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    low = Fraction(0) if found.low is None else max(found.low, Fraction(0))
    high = None if found.high is None else max(found.high, Fraction(0))
    below = outward(Range(lower(sqrt(low)), upper(sqrt(low)))).low if low else low
    above = outward(Range(Fraction(0), upper(sqrt(high)))).high if high else high
    return Type(kind, below, above, nullable or may_be_null(Function.SQRT, kind, found))


# The logarithms of the least and of the greatest double lie between these.
_LEAST_LOG, _GREATEST_LOG = Fraction(-745), Fraction(710)
_TEN = Fraction(10)


def _log(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    by_ten = expression.function is Function.LOG10

    def ends(number: Fraction) -> Range:
        value = log(number) / log(_TEN) if by_ten else log(number)
        return widen(Range(lower(value), upper(value)))

    least, greatest = (Fraction(-324), Fraction(309)) if by_ten else (_LEAST_LOG, _GREATEST_LOG)
    if found.high is not None and found.high <= 0:
        return Type(kind, Fraction(0), Fraction(0), nullable=True)
    low = ends(found.low).low if found.low is not None and found.low > 0 else least
    high = ends(found.high).high if found.high is not None else greatest
    return Type(kind, low, high, nullable or may_be_null(expression.function, kind, found))


def _exp(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    if found.high is None:
        refuse_unbounded(expression.operands[0], "its exponential could become infinite")
    refuse_partial(expression, Function.EXP, kind, found)
    high = widen(Range(Fraction(0), upper(exp(found.high)))).high
    low = (
        Fraction(0)
        if found.low is None or found.low < -600
        else max(Fraction(0), _round_down(lower(exp(found.low))))
    )
    return Type(kind, low, high, nullable)


def _round_down(number: Fraction) -> Fraction:
    return widen(Range(number, number)).low


def _power(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    base, exponent = types
    for part, found in zip(expression.operands, types, strict=True):
        if found.range is None:
            refuse_unbounded(part, "its power could become infinite")
    x, y = base.range, exponent.range
    assert x is not None
    assert y is not None
    refuse_partial(expression, Function.POWER, kind, *types)
    nullable = nullable or may_be_null(Function.POWER, kind, *types)
    if 0 in x and y.low < 0:  # a whole number to negative powers
        pieces = [Range(Fraction(1), x.furthest)] if x.furthest else []
    else:
        pieces = [Range(min(abs(x.low), abs(x.high)) if 0 not in x else Fraction(0), x.furthest)]
    if not pieces:
        return Type(kind, Fraction(0), Fraction(0), nullable=True)
    sizes = widen(
        hull(_corner(size, n) for size in (pieces[0].low, pieces[0].high) for n in _turns(y))
    )
    low, high = max(sizes.low, Fraction(0)), sizes.high
    if x.low < 0 and not (y.low == y.high and y.low % 2 == 0):
        low = -high
    return type_with_range(kind, outward(Range(low, high)), nullable)


def _turns(exponents: Range) -> list[Fraction]:
    """The exponents at which a power of a fixed base can be extreme; at zero it is one, whatever the base."""
    return [exponents.low, exponents.high, *([Fraction(0)] if 0 in exponents else [])]


def _corner(base: Fraction, exponent: Fraction) -> Fraction:
    """base**exponent of a base that is not negative, to many bits."""
    if exponent == 0 or base == 1:
        return Fraction(1)
    if base == 0 or log_of_power(base, exponent) < -LARGEST_LOGARITHM:
        return Fraction(0)
    with working(128):
        return upper(exp(ball(base).log() * ball(exponent)))


def _angle(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    """Sines, cosines and tangents of angles in radians, and the angles that have them."""
    function, ranges = expression.function, [found.range for found in types]
    if function is Function.ATAN2:
        return type_with_range(kind, range_of_two(*ranges), nullable)
    found = angle_range(function, ranges[0])
    nullable = nullable or may_be_null(function, kind, *types)
    if found is None:
        return Type(kind, nullable=nullable)
    return type_with_range(kind, found, nullable)


def _length(expression: Called, _: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    """A text may be of any length, but for what SUBSTR or RIGHT has cut."""
    match expression.operands[0]:
        case Called(Function.SUBSTR, (_, _, Literal(int(most), _))):
            return Type(kind, Fraction(0), Fraction(most), nullable)
        case Called(Function.RIGHT, (_, Literal(int(most), _))):
            return Type(kind, Fraction(0), Fraction(most), nullable)
        case Literal(str(text), _):
            return Type(kind, Fraction(len(text)), Fraction(len(text)), nullable)
        case _:
            return Type(kind, Fraction(0), None, nullable)


def _position(_: Called, __: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    """Where something stands in a text: zero if nowhere."""
    return Type(kind, Fraction(0), None, nullable)


def _moments(found: Type) -> tuple[int, int]:
    """The first and the last moment that a day or a moment may be."""
    known = found.range or CALENDAR[found.kind if found.kind in CALENDAR else Kind.TIMESTAMP]
    scale = 86_400_000_000 if found.kind is Kind.DATE else 1
    return int(known.low) * scale, int(known.high) * scale


def _extract(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    part, (first, last) = _setting(expression, 0), _moments(types[1])
    assert isinstance(part, str)
    if part in {"year", "epoch"}:
        low, high = (Fraction(MEANINGS[Function.EXTRACT](part, moment)) for moment in (first, last))  # type: ignore[arg-type]
        return Type(kind, low, high, nullable)
    ends = PARTS[part]
    assert ends is not None
    return Type(kind, Fraction(ends[0]), Fraction(ends[1]), nullable)


def _type_of_truncation(
    expression: Called, types: Sequence[Type], kind: Kind, nullable: bool
) -> Type:
    unit, moments = _setting(expression, 0), _moments(types[1])
    assert isinstance(unit, str)
    first, last = (Fraction(trunc(unit, moment)) for moment in moments)
    return Type(kind, first, last, nullable)


def may_leave(moment: Type, count: Type, unit: str) -> bool:
    """Whether a moment so many units later may lie beyond the years 1 to 9999."""
    return may_be_null(Function.DATE_ADD, Kind.TIMESTAMP, moment, count, unit)


def _later(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    unit, (first, last), counts = (
        _setting(expression, 2),
        _moments(types[0]),
        types[1].range or INT64,
    )
    assert isinstance(unit, str)
    low, high = later(first, int(counts.low), unit), later(last, int(counts.high), unit)
    # An earlier day may have a later hour and come, in a month without its day, onto the same one: whole days.
    since = FIRST if low is None else trunc("day", low)
    until = LAST if high is None else trunc("day", high) + 86_400_000_000 - 1
    return Type(
        kind, Fraction(since), Fraction(until), nullable or may_leave(types[0], types[1], unit)
    )


def _type_of_distinct(
    expression: Called, types: Sequence[Type], kind: Kind, nullable: bool
) -> Type:
    unit, since, until = _setting(expression, 0), _moments(types[1]), _moments(types[2])
    assert isinstance(unit, str)
    low, high = (
        count_boundaries(unit, until[i]) - count_boundaries(unit, since[1 - i]) for i in (0, 1)
    )
    return Type(kind, Fraction(low), Fraction(high), nullable)


def _type_of_seconds(_: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    since, until = _moments(types[0]), _moments(types[1])
    low, high = (Fraction(seconds_between(since[1 - i], until[i])) for i in (0, 1))
    return Type(kind, low, high, nullable)


_RULES: dict[Function, _Rule] = {
    Function.COALESCE: _coalesce,
    Function.LEAST: _extreme,
    Function.GREATEST: _extreme,
    Function.NULLIF: _first,
    Function.QUOTIENT: _quotient,
    Function.ABS: _abs,
    Function.SIGN: _sign,
    Function.ROUND: _stepwise,
    Function.FLOOR: _stepwise,
    Function.CEIL: _stepwise,
    Function.TRUNC: _stepwise,
    Function.SQRT: _sqrt,
    Function.LN: _log,
    Function.LOG10: _log,
    Function.EXP: _exp,
    Function.POWER: _power,
    **dict.fromkeys(ANGLES, _angle),
    Function.LENGTH: _length,
    Function.STRPOS: _position,
    Function.EXTRACT: _extract,
    Function.DATE_TRUNC: _type_of_truncation,
    Function.DATE_ADD: _later,
    Function.DATE_DIFF: _type_of_distinct,
    Function.SECONDS_BETWEEN: _type_of_seconds,
}
