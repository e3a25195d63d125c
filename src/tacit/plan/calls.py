"""What a function's value can be: its kind, its range and whether it may be NULL, from what its operands can be."""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from tacit.exact import ball, exp, log, lower, sqrt, upper, working
from tacit.plan.expressions import Called, Expression, Literal
from tacit.plan.functions import FORMATS, PARTS, TRUNCATED, UNITS, Function
from tacit.plan.meanings import FIRST, LAST, LONGEST, MEANINGS, crossed, is_format, later, rounded, trunc
from tacit.plan.nodes import Question
from tacit.plan.proofs import CALENDAR, NUMERIC, Type, ranged, refused, settled, unbounded
from tacit.plan.ranges import INT64, Range, hull, outward
from tacit.plan.schema import Kind

__all__ = ["ARITY", "called_type", "may_leave", "wanted_kinds"]

_MANY = 32
ARITY: dict[Function, tuple[int, int]] = dict.fromkeys(Function, (1, 1)) | {
    Function.COALESCE: (1, _MANY),
    Function.LEAST: (1, _MANY),
    Function.GREATEST: (1, _MANY),
    Function.CONCAT: (1, _MANY),
    Function.NULLIF: (2, 2),
    Function.DISTINCT: (2, 2),
    Function.QUOTIENT: (2, 2),
    Function.ROUND: (2, 2),
    Function.POWER: (2, 2),
    Function.SUBSTR: (2, 3),
    Function.RIGHT: (2, 2),
    Function.REPLACE: (3, 3),
    Function.STRFTIME: (2, 2),
    Function.JOINED: (2, 2),
    Function.EXTRACT: (2, 2),
    Function.DATE_TRUNC: (2, 2),
    Function.DATE_ADD: (3, 3),
    Function.DATE_DIFF: (3, 3),
}
"""How many operands each function has: the fewest and the most."""

_DECIMALS = range(-15, 16)
_PLACES = range(1 << 31)
_CHOICES = {Function.COALESCE, Function.LEAST, Function.GREATEST, Function.DISTINCT, Function.NULLIF}
_OWN = {Function.ABS, Function.SIGN, Function.ROUND, Function.FLOOR, Function.CEIL, Function.TRUNC}
_DOUBLES = {Function.SQRT, Function.LN, Function.LOG10, Function.EXP, Function.POWER}
_JOINS = {Function.CONCAT, Function.JOINED}
_TEXTS = _JOINS | {Function.REPLACE}
_MOMENTS = {
    Function.EXTRACT: (Kind.TEXT, Kind.TIMESTAMP),
    Function.DATE_TRUNC: (Kind.TEXT, Kind.TIMESTAMP),
    Function.DATE_ADD: (Kind.TIMESTAMP, Kind.INTEGER, Kind.TEXT),
    Function.DATE_DIFF: (Kind.TEXT, Kind.TIMESTAMP, Kind.TIMESTAMP),
    Function.STRFTIME: (Kind.TIMESTAMP, Kind.TEXT),
}
_RESULTS = {
    Function.DISTINCT: Kind.BOOLEAN,
    Function.QUOTIENT: Kind.INTEGER,
    Function.SIGN: Kind.INTEGER,
    Function.LENGTH: Kind.INTEGER,
    Function.DATE_TRUNC: Kind.TIMESTAMP,
    Function.DATE_ADD: Kind.TIMESTAMP,
    Function.DATE_DIFF: Kind.INTEGER,
    Function.STRFTIME: Kind.TEXT,
} | dict.fromkeys(_DOUBLES, Kind.NUMBER)
_READS = {
    Kind.INTEGER: ("whole numbers", "cast it, CAST(x AS BIGINT), or use / and FLOOR"),
    Kind.NUMBER: ("numbers", "cast it, CAST(x AS DOUBLE), or leave it out"),
    Kind.TEXT: ("text", "cast it if it is an integer: CAST(x AS VARCHAR)"),
    Kind.TIMESTAMP: ("days and moments", "cast it: CAST(x AS DATE)"),
}


def wanted_kinds(expression: Called, kinds: Sequence[Kind]) -> list[Kind]:
    """The kind that each operand becomes before the function is applied, from the kinds that they are of."""
    function = expression.function
    if function in _CHOICES:
        known = {kind for part, kind in zip(expression.operands, kinds, strict=True) if not _is_null(part)}
        common = known.pop() if len(known) == 1 else Kind.NUMBER if known else kinds[0]
        return [kinds[0], common] if function is Function.NULLIF else [common] * len(kinds)
    if function in _MOMENTS:
        return list(_MOMENTS[function])
    if function in _OWN:
        return [kinds[0], *[Kind.INTEGER] * (len(kinds) - 1)]
    if function in _DOUBLES:
        return [Kind.NUMBER] * len(kinds)
    if function is Function.QUOTIENT:
        return [Kind.INTEGER, Kind.INTEGER]
    return [Kind.TEXT] * len(kinds) if function in _TEXTS else [Kind.TEXT, *[Kind.INTEGER] * (len(kinds) - 1)]


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
    return Type(kind, nullable=nullable) if rule is None else rule(expression, types, kind, nullable)


# ---------------------------------------------------------------- what may be given to a function


def _check_kinds(expression: Called, types: Sequence[Type], kinds: Sequence[Kind], question: Question | None) -> None:
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
        if not fits:
            what, remedy = _READS[Kind.NUMBER if function in _OWN else wanted]
            refused(part, f"{function.value} reads {what}, and this is of kind {kind.value}", remedy, question)


def _check_choice(expression: Called, kinds: Sequence[Kind], question: Question | None) -> None:
    if len(set(kinds)) > 1 and not set(kinds) <= set(NUMERIC):
        names = " and ".join(sorted({kind.value for kind in kinds}))
        reason = f"{expression.function.value} has values of different kinds: {names}"
        refused(expression, reason, "make them of one kind: 5 is a number and '5' a text", question)
    if Kind.BOOLEAN in kinds and expression.function in {Function.LEAST, Function.GREATEST}:
        refused(expression, "true and false have no order", "combine them with AND and OR", question)


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _setting(expression: Called, place: int) -> object:
    """A literal among the operands that says how the function works."""
    part = expression.operands[place]
    return part.value if isinstance(part, Literal) else None


def _check_settings(expression: Called, question: Question | None) -> None:
    def need(place: int, allowed: object, what: str, remedy: str) -> None:
        given = _setting(expression, place)
        if given is None or isinstance(given, bool) or given not in allowed:  # type: ignore[operator]
            culprit = expression if expression.function in _MOMENTS else expression.operands[place]
            refused(culprit, f"{expression.function.value} needs {what} here", remedy, question)

    match expression.function:
        case Function.ROUND:
            need(1, _DECIMALS, "a constant number of decimals", "write a whole number from -15 to 15")
        case Function.SUBSTR:
            need(1, _PLACES[1:], "a constant place", "count from 1: SUBSTR(x, 1, 3) is the first three characters")
            if len(expression.operands) > 2:
                need(2, _PLACES, "a constant length", "write a whole number that is not negative")
        case Function.RIGHT:
            need(1, _PLACES, "a constant length", "write a whole number that is not negative")
        case Function.REPLACE:
            _need_texts(expression, question)
        case Function.STRFTIME:
            _need_format(expression, question)
        case Function.EXTRACT:
            need(0, PARTS, "a part of a moment", f"the parts are {', '.join(PARTS)}")
        case Function.DATE_TRUNC:
            need(0, TRUNCATED, "a unit of time", f"the units are {', '.join(TRUNCATED)}")
        case Function.DATE_ADD:
            need(2, UNITS, "a unit of time", f"the units are {', '.join(UNITS)}")
        case Function.DATE_DIFF:
            remedy = f"the units are {', '.join(unit for unit in UNITS if unit != 'week')}; weeks are days // 7"
            need(0, UNITS.keys() - {"week"}, "a unit of time", remedy)


def _need_texts(expression: Called, question: Question | None) -> None:
    """What is replaced and what by are constants, and not too long; what is nothing stands nowhere."""
    for place in (1, 2):
        text = _setting(expression, place)
        if not isinstance(text, str) or len(text) > LONGEST or (place == 1 and not text):
            reason = "REPLACE needs constant texts: what is replaced, and by what"
            refused(expression.operands[place], reason, "write them in quotes: REPLACE(x, '-', '')", question)


def _need_format(expression: Called, question: Question | None) -> None:
    """A format is a constant of signs that are known, and short: no row makes the text longer."""
    format_ = _setting(expression, 1)
    known = isinstance(format_, str) and len(format_) <= 64 and is_format(format_)
    if not known:
        signs = ", ".join(f"%{sign}" for sign in FORMATS)
        refused(expression, "this format of a moment is not read", f"write a constant made of {signs}", question)


# ---------------------------------------------------------------- ranges

_Rule = Callable[[Called, Sequence[Type], Kind, bool], Type]


def _kept(found: Type, kind: Kind) -> tuple[Fraction | None, Fraction | None]:
    """The ends of an operand after it became a double, if the result is one."""
    if kind is not Kind.NUMBER:
        return found.low, found.high
    low, high = (None if end is None else outward(Range(end, end)) for end in (found.low, found.high))
    return None if low is None else low.low, None if high is None else high.high


def _coalesce(expression: Called, types: Sequence[Type], kind: Kind, _: bool) -> Type:
    possible: list[Type] = []
    for part, found in zip(expression.operands, types, strict=True):
        possible += [] if _is_null(part) else [found]
        if not found.nullable:
            break
    lows, highs = zip(*(_kept(found, kind) for found in possible), strict=True) if possible else ([None], [None])
    low = None if None in lows else min(end for end in lows if end is not None)
    high = None if None in highs else max(end for end in highs if end is not None)
    return Type(kind, low, high, all(found.nullable for found in types))


def _extreme(expression: Called, types: Sequence[Type], kind: Kind, _: bool) -> Type:
    """LEAST and GREATEST: what is never NULL bounds them on one side, all together on the other."""
    parts = [found for part, found in zip(expression.operands, types, strict=True) if not _is_null(part)]
    ends = [_kept(found, kind) for found in parts] or [(None, None)]
    sure = [_kept(found, kind) for found in parts if not found.nullable]
    least = expression.function is Function.LEAST
    near, far = (1, 0) if least else (0, 1)
    tight, wide = (min, max) if least else (max, min)
    known = [each[near] for each in sure if each[near] is not None]
    all_known = [each[near] for each in ends if each[near] is not None]
    beyond = [each[far] for each in ends if each[far] is not None]
    held = tight(known) if known else wide(all_known) if len(all_known) == len(ends) else None  # type: ignore[type-var]
    open_end = tight(beyond) if len(beyond) == len(ends) else None  # type: ignore[type-var]
    low, high = (open_end, held) if least else (held, open_end)
    return Type(kind, low, high, not sure)


def _first(_: Called, types: Sequence[Type], kind: Kind, __: bool) -> Type:
    return Type(kind, types[0].low, types[0].high, nullable=True)


def _quotient(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    for part, found in zip(expression.operands, types, strict=True):
        if found.range is None:
            unbounded(part, "calculating with it could overflow")
    top, bottom = types[0].range, types[1].range
    assert top is not None
    assert bottom is not None
    exact = top.over(bottom, whole=True)
    assert exact is not None, "whole divisors keep away from zero"
    cut = Range(_toward_zero(exact.low), _toward_zero(exact.high))
    return ranged(kind, settled(expression, kind, cut), nullable or 0 in bottom)


def _toward_zero(number: Fraction) -> Fraction:
    return Fraction(floor(number) if number >= 0 else ceil(number))


def _abs(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    if kind is Kind.INTEGER and (found.low is None or found.low <= INT64.low):
        unbounded(expression.operands[0], "the least integer has no absolute value")
    low = max(found.low or Fraction(0), -found.high if found.high is not None else Fraction(0), Fraction(0))
    return Type(kind, low, None if found.range is None else found.range.furthest, nullable)


def _sign(_: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    low = -1 if found.low is None or found.low < 0 else int(found.low > 0)
    high = 1 if found.high is None or found.high > 0 else -int(found.high < 0)
    return Type(kind, Fraction(low), Fraction(high), nullable)


def _stepwise(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    """ROUND, FLOOR, CEIL and TRUNC, which never change the order of two numbers."""
    found, decimals = types[0], _setting(expression, 1) if expression.function is Function.ROUND else 0
    assert isinstance(decimals, int)
    if kind is Kind.INTEGER and decimals >= 0:
        return Type(kind, found.low, found.high, nullable)
    if kind is Kind.INTEGER:
        if found.range is None:
            unbounded(expression.operands[0], "rounding it could overflow")
        whole = [Fraction(rounded(int(end), decimals) or 0) for end in (found.range.low, found.range.high)]
        room = Fraction(10**-decimals)
        settled(expression, kind, Range(found.range.low - room, found.range.high + room))
        return Type(kind, whole[0], whole[1], nullable)
    meaning = MEANINGS[expression.function]
    ends = [
        None if end is None else Fraction(meaning(float(end), *([decimals] if len(types) > 1 else [])))  # type: ignore[arg-type]
        for end in (found.low, found.high)
    ]
    return Type(kind, ends[0], ends[1], nullable)


def _sqrt(_: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    low = Fraction(0) if found.low is None else max(found.low, Fraction(0))
    high = None if found.high is None else max(found.high, Fraction(0))
    below = outward(Range(lower(sqrt(low)), upper(sqrt(low)))).low if low else low
    above = outward(Range(Fraction(0), upper(sqrt(high)))).high if high else high
    return Type(kind, below, above, nullable or found.low is None or found.low < 0)


# The logarithms of the least and of the greatest double lie between these.
_LEAST_LOG, _GREATEST_LOG = Fraction(-745), Fraction(710)
_TEN = Fraction(10)


def _log(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    by_ten = expression.function is Function.LOG10

    def ends(number: Fraction) -> Range:
        value = log(number) / log(_TEN) if by_ten else log(number)
        return _about(Range(lower(value), upper(value)))

    least, greatest = (Fraction(-324), Fraction(309)) if by_ten else (_LEAST_LOG, _GREATEST_LOG)
    if found.high is not None and found.high <= 0:
        return Type(kind, Fraction(0), Fraction(0), nullable=True)
    low = ends(found.low).low if found.low is not None and found.low > 0 else least
    high = ends(found.high).high if found.high is not None else greatest
    return Type(kind, low, high, nullable or found.low is None or found.low <= 0)


def _about(exact: Range) -> Range:
    """A range with room for the last bits of a library's function."""
    room = exact.furthest / (1 << 44)
    return outward(Range(exact.low - room, exact.high + room))


def _exp(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    (found,) = types
    if found.high is None:
        unbounded(expression.operands[0], "its exponential could become infinite")
    if found.high > 693:  # exp(693) is a little less than 2**1000
        refused(expression, "this number could become too large for a double", "narrow the declared bounds")
    high = _about(Range(Fraction(0), upper(exp(found.high)))).high
    low = Fraction(0) if found.low is None or found.low < -600 else max(Fraction(0), _lowered(lower(exp(found.low))))
    return Type(kind, low, high, nullable)


def _lowered(number: Fraction) -> Fraction:
    return _about(Range(number, number)).low


def _power(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    base, exponent = types
    for part, found in zip(expression.operands, types, strict=True):
        if found.range is None:
            unbounded(part, "its power could become infinite")
    x, y = base.range, exponent.range
    assert x is not None
    assert y is not None
    whole = exponent.kind is Kind.INTEGER or (y.low == y.high and y.low.denominator == 1)
    if 0 in x and y.low < 0:
        if base.kind is not Kind.INTEGER or y.high >= 0:
            reason = "the base may come as close to zero as it likes, so that its power has no bound"
            refused(expression, reason, "keep away from zero: POWER(CASE WHEN x >= 0.01 THEN x END, y)")
        nullable = True
        pieces = [Range(Fraction(1), x.furthest)] if x.furthest else []
    else:
        pieces = [Range(min(abs(x.low), abs(x.high)) if 0 not in x else Fraction(0), x.furthest)]
    if not pieces:
        return Type(kind, Fraction(0), Fraction(0), nullable=True)
    sizes = _about(hull(_corner(expression, size, n) for size in (pieces[0].low, pieces[0].high) for n in _turns(y)))
    low, high = max(sizes.low, Fraction(0)), sizes.high
    if x.low < 0 and not (whole and y.low == y.high and y.low % 2 == 0):
        low = -high
        nullable = nullable or not whole
    return ranged(kind, settled(expression, kind, Range(low, high)), nullable)


def _turns(exponents: Range) -> list[Fraction]:
    """The exponents at which a power of a fixed base can be extreme; at zero it is one, whatever the base."""
    return [exponents.low, exponents.high, *([Fraction(0)] if 0 in exponents else [])]


def _corner(expression: Called, base: Fraction, exponent: Fraction) -> Fraction:
    """base**exponent of a base that is not negative, to many bits."""
    if exponent == 0 or base == 1:
        return Fraction(1)
    if base == 0:
        return Fraction(0)
    with working(128):
        logarithm = ball(base).log() * ball(exponent)
    if upper(logarithm) > 693:
        refused(expression, "this number could become too large for a double", "narrow the declared bounds")
    return Fraction(0) if upper(logarithm) < -693 else upper(exp(logarithm))


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


def _truncated(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    unit, moments = _setting(expression, 0), _moments(types[1])
    assert isinstance(unit, str)
    first, last = (Fraction(trunc(unit, moment)) for moment in moments)
    return Type(kind, first, last, nullable)


def may_leave(moment: Type, count: Type, unit: str) -> bool:
    """Whether a moment so many units later may lie beyond the years 1 to 9999."""
    (first, last), counts = _moments(moment), count.range or INT64
    return later(first, int(counts.low), unit) is None or later(last, int(counts.high), unit) is None


def _later(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    unit, (first, last), counts = _setting(expression, 2), _moments(types[0]), types[1].range or INT64
    assert isinstance(unit, str)
    low, high = later(first, int(counts.low), unit), later(last, int(counts.high), unit)
    # An earlier day may have a later hour and come, in a month without its day, onto the same one: whole days.
    since = FIRST if low is None else trunc("day", low)
    until = LAST if high is None else trunc("day", high) + 86_400_000_000 - 1
    return Type(kind, Fraction(since), Fraction(until), nullable or may_leave(types[0], types[1], unit))


def _apart(expression: Called, types: Sequence[Type], kind: Kind, nullable: bool) -> Type:
    unit, since, until = _setting(expression, 0), _moments(types[1]), _moments(types[2])
    assert isinstance(unit, str)
    low, high = (crossed(unit, until[i]) - crossed(unit, since[1 - i]) for i in (0, 1))
    return Type(kind, Fraction(low), Fraction(high), nullable)


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
    Function.LENGTH: _length,
    Function.EXTRACT: _extract,
    Function.DATE_TRUNC: _truncated,
    Function.DATE_ADD: _later,
    Function.DATE_DIFF: _apart,
}
