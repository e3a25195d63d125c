"""Every case in which an operation on values has no value: one table, which proofs, engines and tests read.

An operation that stands here for a kind has no value in some rows; one that does not has a value for all of them.  What
is `refused` no accepted plan can meet; all else is NULL, in every engine.  Where DuckDB would raise, it is told to give
NULL instead, so that a plan that should have been refused costs a value, and no failure that somebody could see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from math import isfinite

from tacit.exact import ball, upper, working
from tacit.frozen import frozen
from tacit.plan.model.expressions import Expression
from tacit.plan.model.function_names import FORMATS, PARTS, TRUNCATED, UNITS, Function
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.expression_type import CALENDAR, Type, refuse
from tacit.plan.semantics.function_meanings import FIRST, LAST, LONGEST, is_format, later
from tacit.plan.semantics.ranges import INT64, LARGEST, Range, outward
from tacit.plan.semantics.regular_expressions import is_pattern
from tacit.plan.semantics.value_kinds import Value, parse_text

__all__ = [
    "LARGEST_LOGARITHM",
    "NEGATION",
    "PARTIAL",
    "SETTINGS",
    "Operation",
    "Partial",
    "Setting",
    "as_doubles",
    "can_raise",
    "cases_of",
    "has_value",
    "log_of_power",
    "may_be_null",
    "refuse_partial",
]

NEGATION = "minus"
"""The operation of `Negated`."""

Operation = str | Function | tuple[Kind, Kind]
"""The sign of a calculation, a function, or a cast from one kind to another."""

LARGEST_LOGARITHM = 693
"""A number whose logarithm is no larger is a little less than 2**1000 at most."""

_LEAST, _MOST = int(INT64.low), int(INT64.high)
_DECIMALS = "declare narrower bounds, or compute with doubles: CAST(x AS DOUBLE)"
_NARROW = "declare narrower bounds"


@frozen
class Partial:
    """A case in which an operation on operands of a kind has no value.

    `is_met` says it of operands, `may_be_met` of what is known of them; the `example` meets it.  `raises` says whether
    DuckDB, as it is set up, fails there when nothing holds it back.
    """

    operation: Operation
    kind: Kind
    name: str
    is_met: Callable[..., bool]
    may_be_met: Callable[..., bool]
    example: tuple[Value, ...]
    raises: bool = False
    refused: bool = False
    reason: str = ""
    remedy: str = _NARROW


# ---------------------------------------------------------------- what cases are made of


def as_doubles(types: Sequence[Type]) -> list[Range]:
    """The ranges of operands after they became doubles; of one that has no bounds, all doubles that are not large."""
    return [
        outward(found.range) if found.range is not None else Range(-LARGEST, LARGEST)
        for found in types
    ]


def _as_integers(types: Sequence[Type]) -> list[Range]:
    return [found.range or INT64 for found in types]


def _is_outside(value: float) -> bool:
    return not _LEAST <= value <= _MOST


def _too_wide(
    operation: Operation, exact: Callable[..., int], ranges: Callable[..., Range], *example: int
) -> Partial:
    """An integer that 64 bits do not hold."""
    return Partial(
        operation,
        Kind.INTEGER,
        "an integer leaves 64 bits",
        is_met=lambda *values: _is_outside(exact(*values)),
        may_be_met=lambda *types: not ranges(*_as_integers(types)).is_within(INT64),
        example=example,
        raises=True,
        refused=True,
        reason="this integer could exceed 64 bits",
        remedy=_DECIMALS,
    )


def _too_large(
    operation: Operation, exact: Callable[..., float], ranges: Callable[..., Range], *example: float
) -> Partial:
    """A number that no double holds."""
    return Partial(
        operation,
        Kind.NUMBER,
        "a number becomes too large for a double",
        is_met=lambda *values: not isfinite(exact(*values)),
        may_be_met=lambda *types: outward(ranges(*as_doubles(types))).furthest > LARGEST,
        example=example,
        refused=True,
        reason="this number could become too large for a double",
    )


def _by_zero(operation: Operation, kind: Kind) -> Partial:
    """A division by zero."""
    one, zero = (1, 0) if kind is Kind.INTEGER else (1.0, 0.0)
    return Partial(
        operation,
        kind,
        "a division by zero",
        is_met=lambda _, divisor: divisor == 0,
        may_be_met=lambda _, divisor: divisor.range is None or 0 in divisor.range,
        example=(one, zero),
    )


def _least_by_minus_one(operation: Operation) -> Partial:
    """The least integer, divided by minus one."""
    return Partial(
        operation,
        Kind.INTEGER,
        "the least integer over minus one",
        is_met=lambda value, divisor: value == _LEAST and divisor == -1,
        may_be_met=lambda value, divisor: (
            _LEAST in (value.range or INT64) and -1 in (divisor.range or INT64)
        ),
        example=(_LEAST, -1),
        raises=True,
        refused=True,
        reason="the smallest 64-bit integer divided by -1 overflows",
        remedy="declare narrower bounds, or exclude -1 from the divisor",
    )


def _least(operation: Operation, reason: str) -> Partial:
    """The least integer, of which there is no opposite."""
    return Partial(
        operation,
        Kind.INTEGER,
        "the opposite of the least integer",
        is_met=lambda value: value == _LEAST,
        may_be_met=lambda found: found.low is None or found.low <= _LEAST,
        example=(_LEAST,),
        raises=True,
        refused=True,
        reason=reason,
        remedy=_DECIMALS,
    )


def _below(operation: Operation, edge: float, *, inclusive: bool) -> Partial:
    """A root or a logarithm of a number that has none."""
    example = edge if inclusive else edge - 1
    return Partial(
        operation,
        Kind.NUMBER,
        "a root or a logarithm of too small a number",
        is_met=lambda value: value <= edge if inclusive else value < edge,
        may_be_met=lambda found: (
            found.low is None or (found.low <= edge if inclusive else found.low < edge)
        ),
        example=(example,),
        raises=True,
    )


def _beyond_one(operation: Operation) -> Partial:
    """An angle whose sine or cosine would be beyond 1."""
    return Partial(
        operation,
        Kind.NUMBER,
        "a sine or a cosine beyond one",
        is_met=lambda value: not -1 <= value <= 1,
        may_be_met=lambda found: found.range is None or found.range.furthest > 1,
        example=(1.5,),
        raises=True,
    )


def _beyond_calendar(
    operation: Operation, kind: Kind, places: Sequence[int], *example: Value
) -> Partial:
    """A day or a moment beyond the years 1 to 9999; none is read, and none is calculated."""
    scale = 86_400_000_000 if kind is Kind.DATE else 1

    def is_met(*values: Value) -> bool:
        return any(not FIRST <= int(values[place] or 0) * scale <= LAST for place in places)

    def may_be_met(*types: Type) -> bool:
        known = [(types[place], CALENDAR.get(types[place].kind)) for place in places]
        return any(
            found.range and years and not found.range.is_within(years) for found, years in known
        )

    # what the first moment of a unit or the microseconds between two are, DuckDB may be unable to hold
    raises = operation in {Function.DATE_TRUNC, Function.SECONDS_BETWEEN}
    return Partial(
        operation, kind, "a moment beyond the calendar", is_met, may_be_met, example, raises
    )


# ---------------------------------------------------------------- quotients and powers


def _quotient_has_no_bound(top: Type, bottom: Type) -> bool:
    one, two = as_doubles([top, bottom])
    return one.divide(two, whole=bottom.kind is Kind.INTEGER) is None


def _quotient_too_large(top: Type, bottom: Type) -> bool:
    one, two = as_doubles([top, bottom])
    found = one.divide(two, whole=bottom.kind is Kind.INTEGER)
    return found is not None and outward(found).furthest > LARGEST


def log_of_power(base: Fraction, exponent: Fraction) -> Fraction:
    """No less than the logarithm of base**exponent, of a base that is positive."""
    with working(128):
        return upper(ball(base).log() * ball(exponent))


def _power_of_zero(base: Type, exponent: Type) -> bool:
    x, y = as_doubles([base, exponent])
    return 0 in x and y.low < 0


def _power_has_no_bound(base: Type, exponent: Type) -> bool:
    _, y = as_doubles([base, exponent])
    return _power_of_zero(base, exponent) and (base.kind is not Kind.INTEGER or y.high >= 0)


def _power_too_large(base: Type, exponent: Type) -> bool:
    x, y = base.range, exponent.range
    if x is None or y is None:
        return True
    least = (
        min(abs(x.low), abs(x.high))
        if 0 not in x
        else Fraction(1)
        if base.kind is Kind.INTEGER
        else Fraction(0)
    )
    sizes = [size for size in (least, x.furthest) if size]
    return any(
        log_of_power(size, turn) > LARGEST_LOGARITHM for size in sizes for turn in (y.low, y.high)
    )


def _is_root_of_negative(base: Type, exponent: Type) -> bool:
    y = exponent.range
    whole = exponent.kind is Kind.INTEGER or (
        y is not None and y.low == y.high and y.low.denominator == 1
    )
    return (base.low is None or base.low < 0) and not whole


def _power(base: float, exponent: float) -> float:
    try:
        found = base**exponent
    except (OverflowError, ZeroDivisionError):
        return float("inf")
    return found if isinstance(found, float) else 0.0


def _round_whole(value: int, decimals: int) -> int:
    unit = 10 ** max(0, -decimals)
    away: int = (abs(value) + unit // 2) // unit * unit
    return away if value >= 0 else -away


def _rounded_range(value: Range, decimals: Range) -> Range:
    unit = 10 ** max(0, -int(decimals.low))
    # Engines add half a unit before they cut.
    return Range(value.low - unit, value.high + unit) if unit > 1 else value


def _leaves_calendar(moment: Type, count: Type, unit: str) -> bool:
    known = moment.range or CALENDAR[moment.kind if moment.kind in CALENDAR else Kind.TIMESTAMP]
    scale = 86_400_000_000 if moment.kind is Kind.DATE else 1
    first, last, counts = int(known.low) * scale, int(known.high) * scale, count.range or INT64
    return (
        later(first, int(counts.low), unit) is None or later(last, int(counts.high), unit) is None
    )


def _is_later_than_all(moment: Value, count: Value, unit: Value) -> bool:
    return (
        not FIRST <= int(moment or 0) <= LAST
        or later(int(moment or 0), int(count or 0), str(unit)) is None
    )


# ---------------------------------------------------------------- the table

_FAR_DAY, _FAR, _FIRST_HELD = 10**8, (1 << 62) + 1, -9_223_372_022_400_000_000

PARTIAL: tuple[Partial, ...] = (
    _too_wide("+", lambda x, y: x + y, lambda x, y: x + y, _MOST, 1),
    _too_wide("-", lambda x, y: x - y, lambda x, y: x - y, _LEAST, 1),
    _too_wide("*", lambda x, y: x * y, lambda x, y: x * y, _LEAST, -1),
    _too_wide(Function.ROUND, _round_whole, _rounded_range, _MOST, -3),
    _least(NEGATION, "this integer could exceed 64 bits"),
    _least(Function.ABS, "the absolute value of the smallest integer overflows"),
    _by_zero("%", Kind.INTEGER),
    _by_zero(Function.QUOTIENT, Kind.INTEGER),
    _least_by_minus_one(Function.QUOTIENT),
    _too_large("+", lambda x, y: x + y, lambda x, y: x + y, 1.7e308, 1.7e308),
    _too_large("-", lambda x, y: x - y, lambda x, y: x - y, -1.7e308, 1.7e308),
    _too_large("*", lambda x, y: x * y, lambda x, y: x * y, 1e200, 1e200),
    _by_zero("%", Kind.NUMBER),
    _by_zero("/", Kind.NUMBER),
    Partial(
        "/",
        Kind.NUMBER,
        "a divisor that is nearly zero",
        is_met=lambda x, y: y != 0 and not isfinite(x / y),
        may_be_met=_quotient_has_no_bound,
        example=(1e300, 5e-324),
        refused=True,
        reason="the divisor may be arbitrarily close to zero, so the quotient has no bound",
        remedy="exclude values near zero: WHERE y >= 0.01, or x / CASE WHEN y >= 0.01 THEN y END",
    ),
    Partial(
        "/",
        Kind.NUMBER,
        "a quotient that is too large for a double",
        is_met=lambda x, y: y != 0 and not isfinite(x / y),
        may_be_met=_quotient_too_large,
        example=(1e300, 1e-300),
        refused=True,
        reason="this number could become too large for a double",
    ),
    _below(Function.SQRT, 0.0, inclusive=False),
    _below(Function.LN, 0.0, inclusive=True),
    _below(Function.LOG10, 0.0, inclusive=True),
    Partial(
        Function.EXP,
        Kind.NUMBER,
        "an exponential that is too large for a double",
        is_met=lambda value: value > 709.782712893384,
        may_be_met=lambda found: found.high is None or found.high > LARGEST_LOGARITHM,
        example=(800.0,),
        refused=True,
        reason="this number could become too large for a double",
    ),
    Partial(
        Function.POWER,
        Kind.NUMBER,
        "a power of what is nearly zero",
        is_met=lambda base, exponent: base == 0 and exponent < 0,
        may_be_met=_power_has_no_bound,
        example=(0.0, -1.0),
        raises=True,
        refused=True,
        reason="the base may be arbitrarily close to zero, so the power has no bound",
        remedy="exclude values near zero: POWER(CASE WHEN x >= 0.01 THEN x END, y)",
    ),
    Partial(
        Function.POWER,
        Kind.NUMBER,
        "a negative power of zero",
        is_met=lambda base, exponent: base == 0 and exponent < 0,
        may_be_met=_power_of_zero,
        example=(0.0, -1.0),
        raises=True,
    ),
    Partial(
        Function.POWER,
        Kind.NUMBER,
        "a root of a negative number",
        is_met=lambda base, exponent: base < 0 and not float(exponent).is_integer(),
        may_be_met=_is_root_of_negative,
        example=(-8.0, 0.5),
    ),
    Partial(
        Function.POWER,
        Kind.NUMBER,
        "a power that is too large for a double",
        is_met=lambda base, exponent: (
            (base != 0 or exponent >= 0) and not isfinite(_power(base, exponent))
        ),
        may_be_met=_power_too_large,
        example=(10.0, 400.0),
        refused=True,
        reason="this number could become too large for a double",
    ),
    _beyond_one(Function.ASIN),
    _beyond_one(Function.ACOS),
    Partial(
        (Kind.NUMBER, Kind.INTEGER),
        Kind.NUMBER,
        "a number that 64 bits do not hold",
        is_met=lambda value: not isfinite(value) or _is_outside(round(value)),
        may_be_met=lambda found: found.range is None or not found.range.is_within(INT64),
        example=(1e30,),
    ),
    *(
        Partial(
            (Kind.TEXT, kind),
            Kind.TEXT,
            f"a text that is no {kind.value}",
            is_met=lambda text, kind=kind: parse_text(text, kind) is None,
            may_be_met=lambda _: True,
            example=("none",),
        )
        for kind in (Kind.INTEGER, Kind.NUMBER, Kind.DATE)
    ),
    Partial(
        Function.DATE_ADD,
        Kind.TIMESTAMP,
        "a moment that is too far away",
        is_met=_is_later_than_all,
        may_be_met=_leaves_calendar,
        example=(LAST, _MOST, "second"),
        raises=True,
    ),
    _beyond_calendar(Function.EXTRACT, Kind.TIMESTAMP, [1], "week", _FAR),
    _beyond_calendar(Function.DATE_TRUNC, Kind.TIMESTAMP, [1], "quarter", _FIRST_HELD),
    _beyond_calendar(Function.DATE_DIFF, Kind.TIMESTAMP, [1, 2], "second", -_FAR, _FAR),
    _beyond_calendar(Function.SECONDS_BETWEEN, Kind.TIMESTAMP, [0, 1], -_FAR, _FAR),
    _beyond_calendar(Function.STRFTIME, Kind.TIMESTAMP, [0], _FAR, "%Y"),
    _beyond_calendar((Kind.DATE, Kind.TIMESTAMP), Kind.DATE, [0], _FAR_DAY),
    _beyond_calendar((Kind.TIMESTAMP, Kind.DATE), Kind.TIMESTAMP, [0], _FAR),
)
"""Every case in which an operation has no value."""

_CASES: Mapping[tuple[Operation, Kind], tuple[Partial, ...]] = {
    place: tuple(case for case in PARTIAL if (case.operation, case.kind) == place)
    for place in {(case.operation, case.kind) for case in PARTIAL}
}


def cases_of(operation: Operation, kind: Kind) -> tuple[Partial, ...]:
    """The cases in which an operation on operands of a kind has no value.

    >>> [case.name for case in cases_of(Function.QUOTIENT, Kind.INTEGER)]
    ['a division by zero', 'the least integer over minus one']
    """
    return _CASES.get((operation, kind), ())


def can_raise(operation: Operation, kind: Kind) -> bool:
    """Whether DuckDB fails on some operands, when nothing holds it back."""
    return any(case.raises for case in cases_of(operation, kind))


def has_value(operation: Operation, kind: Kind, *values: Value) -> bool:
    """Whether an operation has a value for operands, none of which is NULL.

    >>> has_value(Function.QUOTIENT, Kind.INTEGER, -(2**63), -1), has_value("%", Kind.INTEGER, -(2**63), -1)
    (False, True)
    """
    return not any(case.is_met(*values) for case in cases_of(operation, kind))


def refuse_partial(
    expression: Expression, operation: Operation, kind: Kind, *known: object
) -> None:
    """Refuse an expression if operands of which so much is `known` may meet a case that no plan may meet.

    Claim:      of an expression that is not refused, no row has operands on which an engine fails.
    Because:    whatever an engine fails on is a case of the table, and `may_be_met` is true wherever `is_met` is of
                some operands within the known ranges; that a column is never NULL is not used.
    Checked by: tests/laws/test_partial.py::test_what_a_plan_may_hold_raises_nowhere and
                tests/unit/plan/semantics/test_cases_without_value.py::test_a_case_that_operands_meet_is_one_that_their_ranges_may_meet
    """
    for case in cases_of(operation, kind):
        if case.refused and case.may_be_met(*known):
            refuse(expression, case.reason, case.remedy)


def may_be_null(operation: Operation, kind: Kind, *known: object) -> bool:
    """Whether an operation is NULL for some operands that are not, of which so much is known."""
    return any(case.may_be_met(*known) for case in cases_of(operation, kind) if not case.refused)


# ---------------------------------------------------------------- settings


@frozen
class Setting:
    """An operand that says how a function works: a constant that is allowed, or the function is refused.

    `good` are some that are allowed, `bad` some that are not: engines raise on them, or do not agree.
    """

    place: int
    allows: Callable[[object], bool]
    reason: str
    remedy: str
    good: tuple[Value, ...]
    bad: tuple[Value, ...]


def _whole_from(first: int, last: int) -> Callable[[object], bool]:
    return lambda given: (
        isinstance(given, int) and not isinstance(given, bool) and first <= given <= last
    )


def _one_of(words: Sequence[str]) -> Callable[[object], bool]:
    return lambda given: isinstance(given, str) and given in words


def _word(
    function: Function, place: int, words: Sequence[str], what: str, remedy: str = ""
) -> Setting:
    told = (
        remedy
        or f"the {'parts' if function is Function.EXTRACT else 'units'} are {', '.join(words)}"
    )
    return Setting(
        place,
        _one_of(words),
        f"{function.value} needs {what} here",
        told,
        tuple(words),
        ("", "none", 7),
    )


_LAST_PLACE = (1 << 31) - 1
_TEXTS = (
    "the second and third argument of REPLACE must be constants",
    "write them in quotes: REPLACE(x, '-', '')",
)
_NOT_NEGATIVE = "write a whole number that is not negative"
_SIGNS = ", ".join(f"%{sign}" for sign in FORMATS)
_APART = [unit for unit in UNITS if unit != "week"]


def _padding(name: str) -> tuple[Setting, ...]:
    return (
        Setting(
            1,
            _whole_from(0, LONGEST),
            f"{name} needs a constant length here",
            f"write a whole number from 0 to {LONGEST}",
            (0, 3, LONGEST),
            (-1, LONGEST + 1, _MOST, _LEAST),
        ),
        Setting(
            2,
            lambda given: isinstance(given, str) and 0 < len(given) <= LONGEST,
            f"{name} needs a constant text to fill up with",
            f"write it in quotes: {name}(x, 3, '0')",
            ("0", "éa"),
            ("", 7),
        ),
    )


SETTINGS: Mapping[Function, tuple[Setting, ...]] = {
    Function.ROUND: (
        Setting(
            1,
            _whole_from(-15, 15),
            "ROUND needs a constant number of decimals",
            "write a whole number from -15 to 15",
            (-15, -1, 0, 2, 15),
            (-16, 16, _MOST, _LEAST),
        ),
    ),
    Function.SUBSTR: (
        Setting(
            1,
            _whole_from(1, _LAST_PLACE),
            "SUBSTR needs a constant start position",
            "count from 1: SUBSTR(x, 1, 3) is the first three characters",
            (1, 2, _LAST_PLACE),
            (0, -1, 1 << 31, _MOST, _LEAST),
        ),
        Setting(
            2,
            _whole_from(0, _LAST_PLACE),
            "SUBSTR needs a constant length",
            _NOT_NEGATIVE,
            (0, 3, _LAST_PLACE),
            (-1, 1 << 31, _MOST, _LEAST),
        ),
    ),
    Function.RIGHT: (
        Setting(
            1,
            _whole_from(0, _LAST_PLACE),
            "RIGHT needs a constant length",
            _NOT_NEGATIVE,
            (0, 3, _LAST_PLACE),
            (-1, 1 << 31, _MOST, _LEAST),
        ),
    ),
    Function.REPLACE: (
        Setting(
            1,
            lambda given: isinstance(given, str) and 0 < len(given) <= LONGEST,
            *_TEXTS,
            ("a", "ß"),
            ("", 7),
        ),
        Setting(
            2,
            lambda given: isinstance(given, str) and len(given) <= LONGEST,
            *_TEXTS,
            ("", "xy"),
            (7,),
        ),
    ),
    Function.SPLIT_PART: (
        Setting(
            1,
            lambda given: isinstance(given, str) and 0 < len(given) <= LONGEST,
            "SPLIT_PART needs a constant text between the parts",
            "write it in quotes: SPLIT_PART(x, '-', 1)",
            ("-", "a", "éa"),
            ("", 7),
        ),
        Setting(
            2,
            lambda given: given != 0 and _whole_from(-_LAST_PLACE, _LAST_PLACE)(given),
            "SPLIT_PART needs a constant position here",
            "count from 1: SPLIT_PART(x, '-', 1) is the part before the first dash, and -1 the last one",
            (1, 2, -1, -2, _LAST_PLACE, -_LAST_PLACE),
            (0, 1 << 31, _MOST, _LEAST),
        ),
    ),
    Function.STRPOS: (
        Setting(
            1,
            lambda given: isinstance(given, str) and 0 < len(given) <= LONGEST,
            "STRPOS needs a constant text to look for",
            "write it in quotes: STRPOS(x, '-')",
            ("a", "ß", "ab"),
            ("", 7),
        ),
    ),
    Function.LPAD: _padding("LPAD"),
    Function.RPAD: _padding("RPAD"),
    Function.REGEXP: (
        Setting(
            1,
            lambda given: isinstance(given, str) and is_pattern(given),
            "this pattern is not supported",
            "write a constant of letters, . [a-z] \\d \\w \\s ^ $ ( ) | * + ? {2,5}; or use LIKE",
            ("a", "^[A-Z]?.b*$", "(a|é)+|[^a-z\\d]{2,3}"),
            ("", "(?i)a", "a*?", "\\bx", "[[:alpha:]]", "(", 7),
        ),
    ),
    Function.STRFTIME: (
        Setting(
            1,
            lambda given: isinstance(given, str) and 0 < len(given) <= 64 and is_format(given),
            "this date format is not supported",
            f"write a constant made of {_SIGNS}",
            ("%Y-%m-%d %H:%M:%S %j", "%a %A %b %B %y"),
            ("", "%", "%Q", "%f", "%Y" * 40, 7),
        ),
    ),
    Function.EXTRACT: (_word(Function.EXTRACT, 0, list(PARTS), "a part of a timestamp"),),
    Function.DATE_TRUNC: (_word(Function.DATE_TRUNC, 0, TRUNCATED, "a unit of time"),),
    Function.DATE_ADD: (_word(Function.DATE_ADD, 2, list(UNITS), "a unit of time"),),
    Function.DATE_DIFF: (
        _word(
            Function.DATE_DIFF,
            0,
            _APART,
            "a unit of time",
            f"the units are {', '.join(_APART)}; for weeks, divide days by 7: // 7",
        ),
    ),
}
"""The operands of functions that must be constants, and which ones."""
