"""Which values a key can have, from declarations and the question alone: those are the groups that are answered."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import product
from math import ceil, floor, prod
from typing import Any

from tacit.errors import InvalidPlan
from tacit.plan.computing import computed
from tacit.plan.expressions import (
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Expression,
    Field,
    Literal,
    Negated,
    operands,
    rebuilt,
)
from tacit.plan.functions import FORMATS, INEXACT, Function
from tacit.plan.meanings import formatted, later
from tacit.plan.narrowing import implied
from tacit.plan.proofs import CALENDAR, NUMERIC
from tacit.plan.schema import Column, Kind, Scalar
from tacit.plan.types import type_of
from tacit.plan.values import Value, cast, constant

__all__ = ["MOST_VALUES", "public_values", "scalar"]

MOST_VALUES = 10_000
"""The most values that are found for one key."""

_Values = list[Value]


def public_values(value: Expression, conditions: Sequence[Expression] = ()) -> tuple[Scalar, ...] | None:
    """The public values of a key, NULL not among them; None if there are none, or too many.

    They are what is declared of a column, what a calculation makes of that, the whole numbers, days and months within
    bounds, the constants of a CASE, or false and true.  Bounds come from the policy and from WHERE.

    Claim:      nothing here depends on a row.
    Because:    only the plan is passed in.
    Checked by: tests/unit/plan/test_domains.py

    >>> age = Field(Column("age", Kind.INTEGER, low=0, high=39))
    >>> public_values(Called(Function.FLOOR, (Arithmetic("/", age, Literal(10, Kind.INTEGER)),)))
    (Fraction(0, 1), Fraction(1, 1), Fraction(2, 1), Fraction(3, 1))
    """
    if isinstance(value, Field) and value.column.values:
        return value.column.values
    parts = [part for condition in conditions for part in _conjuncts(condition)]
    found = _Search([_narrow(part, parts) for part in parts]).domain(_narrow(value, parts))
    if found is None:
        return None
    kind = type_of(value).kind
    distinct = list(dict.fromkeys(each for each in found if each is not None))
    ordered = distinct if kind is Kind.TEXT else sorted(distinct)
    return tuple(scalar(each, kind) for each in ordered) or None


@dataclass(slots=True)
class _Search:
    """A search for the values of a key; it ends after so many calculations, and then there are none."""

    conditions: Sequence[Expression]
    left: int = 100_000

    def domain(self, expression: Expression) -> _Values | None:
        """The values that an expression may have, if there are not too many."""
        if type_of(expression).kind is Kind.BOOLEAN:
            return [False, True]
        for attempt in (self.image, self.chosen, self.calculated, _rounded, _whole, _begun, _written):
            found = attempt(expression)
            if found is not None:
                return found if len(found) <= MOST_VALUES else None
        return None

    def affords(self, rows: int, each: int) -> bool:
        """Whether so many rows may still be calculated."""
        if rows > MOST_VALUES or rows * each > self.left:
            return False
        self.left -= rows * each
        return True

    def image(self, expression: Expression) -> _Values | None:
        """Every value over all rows of the columns in it, if those can be listed."""
        fields = list(dict.fromkeys(_fields(expression)))
        cells = [_cells(field.column) for field in fields]
        listed = [each for each in cells if each is not None]
        if len(listed) < len(cells) or _is_inexact(expression):
            return None
        about = [part for part in self.conditions if fields and set(_fields(part)) <= set(fields)]
        if not self.affords(prod(map(len, listed)), sum(map(_size, (expression, *about)))):
            return None
        value, conditions = computed(expression), [computed(part) for part in about]
        names = [field.column.name for field in fields]
        rows = (dict(zip(names, row, strict=True)) for row in product(*listed))
        return [value(row) for row in rows if all(condition(row) is True for condition in conditions)]

    def chosen(self, expression: Expression) -> _Values | None:
        """The values of all that an expression may choose from."""
        match expression:
            case Case(branches, otherwise):
                parts = [*(then for _, then in branches), otherwise]
            case Called(Function.COALESCE | Function.LEAST | Function.GREATEST, many):
                parts = list(many)
            case Called(Function.NULLIF, (first, _)):
                parts = [first]
            case _:
                return None
        kind, found = type_of(expression).kind, []
        for part in parts:
            values = self.domain(part)
            if values is None:
                return None
            since = type_of(part).kind
            found += [None if value is None else cast(value, since, kind) for value in values]
        return list(dict.fromkeys(found))

    def calculated(self, expression: Expression) -> _Values | None:
        """What an expression makes of every combination of its operands' values."""
        inside = operands(expression)
        if not inside or (isinstance(expression, Called) and expression.function in INEXACT):
            return None
        places: dict[Expression, tuple[Field, _Values]] = {}
        for part in inside:
            if isinstance(part, Literal) or part in places:
                continue
            known: _Values = [value for value in dict.fromkeys(self.domain(part) or []) if value is not None]
            if not known:
                return None
            places[part] = Field(_holding(str(len(places)), type_of(part).kind, known)), known
        if not self.affords(prod(len(known) for _, known in places.values()), 1 + len(inside)):
            return None
        simple = rebuilt(expression, lambda part: places[part][0] if part in places else part)
        try:
            value = computed(simple)
        except InvalidPlan:  # of every part alone less is known than of all together
            return None
        names = [field.column.name for field, _ in places.values()]
        return [value(dict(zip(names, row, strict=True))) for row in product(*(known for _, known in places.values()))]


def _size(expression: Expression) -> int:
    return 1 + sum(map(_size, operands(expression)))


def _holding(name: str, kind: Kind, values: list[Any]) -> Column:
    """A column that has these values."""
    if kind not in NUMERIC and kind not in CALENDAR:
        return Column(name, kind)
    low, high = min(values), max(values)
    return Column(name, kind, scalar(low, kind), scalar(high, kind))


def _whole(expression: Expression) -> _Values | None:
    """The whole numbers or days between the ends of a range."""
    if not _is_whole(expression):
        return None
    found = type_of(expression)
    known = found.range
    if known is None or known.high - known.low > MOST_VALUES:
        return None
    numbers = range(ceil(known.low), floor(known.high) + 1)
    return [float(number) for number in numbers] if found.kind is Kind.NUMBER else list(numbers)


def _rounded(expression: Expression) -> _Values | None:
    """The numbers of so many decimals between the ends of a range, as they are rounded."""
    match expression:
        case Called(Function.ROUND, (_, Literal(int(decimals), _))):
            found = type_of(expression)
            if found.range is None or (found.range.high - found.range.low) * Fraction(10) ** decimals > MOST_VALUES:
                return None
            ends = (round(end * Fraction(10) ** decimals) for end in (found.range.low, found.range.high))
            steps, scale = range(next(ends), next(ends) + 1), 10 ** abs(decimals)
            if found.kind is Kind.INTEGER:
                return [step * scale for step in steps] if decimals < 0 else None
            return [float(step) * scale if decimals < 0 else float(step) / scale for step in steps]
        case _:
            return None


def _begun(expression: Expression) -> _Values | None:
    """The first moments of all years, months, … between the ends of a range."""
    match expression:
        case Called(Function.DATE_TRUNC, (Literal(str(unit), _), _)):
            known = type_of(expression).range
            assert known is not None, "the calendar has ends"
            found: _Values = []
            moment: int | None = int(known.low)
            while moment is not None and moment <= known.high and len(found) <= MOST_VALUES:
                found.append(moment)
                moment = later(moment, 1, unit)
            return found
        case _:
            return None


def _written(expression: Expression) -> _Values | None:
    """What a format without a year makes of all days of 28 years, after which weekdays return, or of all hours."""
    match expression:
        case Called(Function.STRFTIME, (_, Literal(str(text), _))):
            units = {FORMATS[part[0]] for part in text.split("%")[1:]}
        case _:
            return None
    day = 24 * 3_600_000_000
    moments = None
    if units and units <= {"month", "day"}:
        moments = range(0, (28 * 365 + 7) * day, day)
    elif units and units <= {"hour", "minute"}:
        moments = range(0, day, 60_000_000)
    return None if moments is None else [*sorted({formatted(moment, text) for moment in moments})]


def _is_whole(expression: Expression) -> bool:
    """Whether an expression can only be a whole number or a day."""
    match expression:
        case Called(Function.FLOOR | Function.CEIL | Function.TRUNC, _):
            return True
        case Called(Function.ROUND, (operand, Literal(int(decimals), _))):
            return decimals <= 0 or _is_whole(operand)
        case Literal(Fraction(denominator=1), _):
            return True
        case Called(Function.ABS, parts):
            return all(map(_is_whole, parts))
        case Cast(operand, Kind.NUMBER) | Negated(operand):
            return _is_whole(operand)
        case Arithmetic("+" | "-" | "*", left, right):
            return _is_whole(left) and _is_whole(right)
        case _:
            return type_of(expression).kind in {Kind.INTEGER, Kind.DATE}


# ---------------------------------------------------------------- columns


def _cells(column: Column) -> _Values | None:
    """What a row may hold in a column, NULL too, if it can be listed."""
    nothing: _Values = [None] if column.nullable else []
    if column.values:
        return [*(constant(value, column.kind) for value in column.values), *nothing]
    if column.kind is Kind.BOOLEAN:
        return [False, True, *nothing]
    found = _whole(Field(column))
    return None if found is None else [*found, *nothing]


def _fields(expression: Expression) -> Iterator[Field]:
    if isinstance(expression, Field):
        yield expression
    for part in operands(expression):
        yield from _fields(part)


def _is_inexact(expression: Expression) -> bool:
    if isinstance(expression, Called) and expression.function in INEXACT:
        return True
    return any(map(_is_inexact, operands(expression)))


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Both):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _narrow(expression: Expression, conditions: list[Expression]) -> Expression:
    """The expression over columns whose bounds WHERE has narrowed, for as long as its values are looked for."""
    if not isinstance(expression, Field):
        return rebuilt(expression, lambda part: _narrow(part, conditions))
    column = expression.column
    if column.values or (column.kind not in NUMERIC and column.kind not in CALENDAR):
        return expression
    found = type_of(expression)
    ends = [(found.low, found.high), *(implied(part, expression, holds=True) for part in conditions)]
    low = max((end for end, _ in ends if end is not None), default=None)
    high = min((end for _, end in ends if end is not None), default=None)
    if low is not None and high is not None and low > high:
        return expression
    least, most = (None if end is None else _end(end, column.kind) for end in (low, high))
    return Field(replace(column, low=least, high=most))


def _end(number: Fraction, kind: Kind) -> Scalar:
    return number if kind in NUMERIC else scalar(int(number), kind)


def scalar(value: Value, kind: Kind) -> Scalar:
    """A value as it is declared."""
    assert value is not None, "NULL is no key"
    match kind:
        case Kind.NUMBER:
            assert isinstance(value, int | float)
            return Fraction(value)
        case Kind.DATE:
            return date(1970, 1, 1) + timedelta(days=int(value))
        case Kind.TIMESTAMP:
            return (datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=int(value))).replace(tzinfo=None)
        case _:
            assert not isinstance(value, float)
            return value
