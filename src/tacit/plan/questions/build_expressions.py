"""How both doors write expressions: constants read exactly, kinds reconciled, long chains balanced.

Checked by: tests/unit/plan/frame/test_frame.py
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational

from tacit.errors import InvalidPlan, Unbounded
from tacit.frozen import frozen
from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import operands
from tacit.plan.model.function_names import FORMATS, TRUNCATED, UNITS, Function
from tacit.plan.model.nodes import Question
from tacit.plan.model.schema import Kind, Scalar
from tacit.plan.questions.undeclared_constants import check_declared
from tacit.plan.questions.where_bounds import (
    clamp_to_conditions,
    has_only_values,
    within_declared_values,
)
from tacit.plan.semantics.expression_type import CALENDAR, NUMERIC, refuse
from tacit.plan.semantics.function_meanings import later, lower
from tacit.plan.semantics.function_types import ARITY
from tacit.plan.semantics.infer_expression_types import condition_type, type_of
from tacit.plan.semantics.ranges import LARGEST
from tacit.plan.semantics.value_kinds import constant

__all__ = [
    "Forms",
    "is_truth",
    "literal",
    "meeting",
    "number",
    "only",
    "read_day",
    "read_moment",
    "unit_named",
]

NULL = e.Literal(None, Kind.BOOLEAN)
"""NULL before it is known of which kind it is."""

_PASSED_OVER = {Function.COALESCE, Function.LEAST, Function.GREATEST, Function.CONCAT}
_SPANS = (
    "add whole days to a date, or an interval: x + INTERVAL 1 DAY; the difference of two "
    "timestamps is DATE_DIFF('hour', a, b)"
)
_DAYS = "write a date as DATE '2025-01-31'"
_MOMENTS = "write a timestamp as TIMESTAMP '2025-01-31 12:00:00', in UTC"


def literal(value: object) -> e.Literal:
    """A constant of Python as a literal; a float means the decimal that it prints as.

    >>> literal(0.1)
    Literal(value=Fraction(1, 10), kind=<Kind.NUMBER: 'number'>)
    """
    match value:
        case None:
            return NULL
        case bool():
            return e.Literal(value, Kind.BOOLEAN)
        case Integral():
            return _integer(int(value))
        case str():
            return _text(str(value))
        case datetime():
            return e.Literal(_utc(value), Kind.TIMESTAMP)
        case date():
            return e.Literal(value, Kind.DATE)
        case float() if isfinite(value):
            return _fraction(Fraction(repr(float(value))))
        case Decimal() if value.is_finite() and abs(value.adjusted()) < 400:
            return _fraction(Fraction(value))
        case Rational():
            return _fraction(Fraction(int(value.numerator), int(value.denominator)))
    raise InvalidPlan(
        f"a constant of type {type(value).__name__} is not supported",
        "write a finite number, a text, true or false, a date or a datetime",
    )


def number(text: str) -> e.Literal:
    """A number as it is written in SQL: an integer without a point or an exponent, else exactly the decimal."""
    if re.fullmatch(r"[0-9]{1,25}", text):
        return _integer(int(text))
    if len(text) <= 60 and re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text):
        return _fraction(Fraction(text.lower().replace(".e", "e").rstrip(".")))
    raise InvalidPlan(
        "this number is too long or malformed", "write it with digits, a point and an exponent"
    )


def _text(value: str) -> e.Literal:
    if "\0" in value or (
        not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)
    ):
        raise InvalidPlan(
            "this text contains an invalid character",
            "remove NUL characters and unpaired surrogates",
        )
    return e.Literal(value, Kind.TEXT)


def _integer(value: int) -> e.Literal:
    if not -(1 << 63) <= value <= 1 << 63:  # minus 2**63 is written as minus and 2**63
        raise InvalidPlan(
            "this integer does not fit into 64 bits", "write it with a point, as a decimal"
        )
    return e.Literal(value, Kind.INTEGER)


def _fraction(value: Fraction) -> e.Literal:
    if abs(value) > LARGEST:
        raise InvalidPlan("this number is too large", "write one below 10 to the power of 300")
    return e.Literal(value, Kind.NUMBER)


def _utc(value: datetime) -> datetime:
    """A moment without a zone, which is in UTC."""
    return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)


def read_day(text: str) -> e.Literal:
    """A day from its ISO spelling."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise InvalidPlan("this is not a valid date", _DAYS)
    try:
        return e.Literal(date.fromisoformat(text), Kind.DATE)
    except ValueError:
        raise InvalidPlan("there is no such date", _DAYS) from None


def read_moment(text: str) -> e.Literal:
    """A moment from its ISO spelling, in UTC and to the microsecond."""
    if not re.fullmatch(
        r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?Z?)?", text
    ):
        raise InvalidPlan("this is not a valid timestamp", _MOMENTS)
    day, _, clock = text.rstrip("Z").replace("T", " ").partition(" ")
    whole, _, part = clock.partition(".")
    try:
        found = datetime.fromisoformat(f"{day} {whole or '00:00'}")
    except ValueError:
        raise InvalidPlan("there is no such timestamp", _MOMENTS) from None
    return e.Literal(
        found.replace(microsecond=int(part.ljust(6, "0")) if part else 0), Kind.TIMESTAMP
    )


def only(value: e.Expression, condition: e.Expression | None) -> e.Expression:
    """A value in the rows for which a condition is true, and NULL in all others."""
    return value if condition is None else Forms().case([(condition, value)], NULL)


def meeting(condition: e.Expression | None) -> e.Expression | None:
    """What is NULL but in the rows for which a condition is true; None without a condition."""
    return None if condition is None else only(e.Literal(1, Kind.INTEGER), condition)


@frozen
class Forms:
    """Expressions over rows or, with a question, over its release.

    `asking` gives the question as far as it has been read: an operand that is read later may bring a new measure.
    """

    asking: Callable[[], Question] | None = None

    @property
    def question(self) -> Question | None:
        """The question whose release is meant; None over rows."""
        return None if self.asking is None else self.asking()

    def arithmetic(self, operator: str, left: e.Expression, right: e.Expression) -> e.Expression:
        """left + - * / % right; a day and whole days make a day, and two days are so many days apart."""
        self._not_null("calculate with", left, right)
        if not (self._may_be_time(left) or self._may_be_time(right)):
            left, right = (e.Cast(x, Kind.INTEGER) if is_truth(x) else x for x in (left, right))
            return self._with_bounds(e.Arithmetic(operator, left, right))
        sides = (
            (self._cast_like(left, right), self._cast_like(right, left))
            if operator == "-"
            else (left, right)
        )
        kinds = tuple(type_of(side, self.question).kind for side in sides)
        match operator, kinds:
            case "+", (Kind.DATE, Kind.INTEGER):
                return self._days_later(left, right)
            case "+", (Kind.INTEGER, Kind.DATE):
                return self._days_later(right, left)
            case "-", (Kind.DATE, Kind.INTEGER):
                return self._days_later(left, e.negate(right))
            case "-", (Kind.DATE, Kind.DATE):
                return e.Called(
                    Function.DATE_DIFF, (e.Literal("day", Kind.TEXT), sides[1], sides[0])
                )
            case _ if set(kinds) & set(CALENDAR):
                culprit = next(
                    side for side, kind in zip(sides, kinds, strict=True) if kind in CALENDAR
                )
                reason = f"{kinds[0].value} {operator} {kinds[1].value} is not supported"
                refuse(culprit, reason, _SPANS, self.question)
        return e.Arithmetic(operator, left, right)

    def _with_bounds(self, calculated: e.Expression) -> e.Expression:
        """A calculation; where it needs bounds that a column lacks, within the list of that column's values."""
        if not any(
            isinstance(part, e.Field) and has_only_values(part.column)
            for part in operands(calculated)
        ):
            return calculated
        try:
            type_of(calculated, self.question)
        except Unbounded:
            return within_declared_values(calculated)
        except InvalidPlan:  # refused where it is asked for, which knows its place in the text
            return calculated
        return calculated

    def _may_be_time(self, side: e.Expression) -> bool:
        """Whether a side of a calculation may be a day or a moment; long calculations are known not to be at once."""
        match side:
            case e.Called(Function.DATE_TRUNC | Function.DATE_ADD, _) | e.Cast(
                _, Kind.DATE | Kind.TIMESTAMP
            ):
                return True
            case e.Called() | e.Case():
                return any(map(self._may_be_time, operands(side)))
            case e.Literal() | e.Field() | e.KeyOf() | e.MeasureOf():
                return type_of(side, self.question).kind in CALENDAR
            case _:
                return False

    def _days_later(self, day: e.Expression, count: e.Expression) -> e.Expression:
        return e.Cast(
            e.Called(Function.DATE_ADD, (day, count, e.Literal("day", Kind.TEXT))), Kind.DATE
        )

    def later(self, operand: e.Expression, count: int, unit: str) -> e.Expression:
        """A moment so many years, months, days, … later; that of a constant is a constant."""
        self._not_null("calculate with", operand)
        name = unit_named(unit)
        if name in UNITS and abs(count) > UNITS[name]:
            raise InvalidPlan("this interval is too long", f"write at most {UNITS[name]} {name}s")
        kind = type_of(operand, self.question).kind
        if isinstance(operand, e.Literal) and kind in CALENDAR and name in UNITS:
            moment = _midnight(operand) if kind is Kind.DATE else operand
            assert isinstance(moment, e.Literal)
            found = later(int(constant(moment.value, Kind.TIMESTAMP) or 0), count, name)
            if found is None:
                raise InvalidPlan(
                    "this timestamp is outside the years 1 to 9999", "write a shorter interval"
                )
            return e.Literal(datetime(1970, 1, 1) + timedelta(microseconds=found), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC
        return e.Called(
            Function.DATE_ADD, (operand, e.Literal(count, Kind.INTEGER), e.Literal(name, Kind.TEXT))
        )

    def call(self, function: Function, operands: Sequence[e.Expression]) -> e.Expression:
        """A function of its operands; NULLs that it passes over are left out, and kinds are reconciled."""
        least, most = ARITY[function]
        if not least <= len(operands) <= most:
            count = f"{least} values" if least == most else f"from {least} to {most} values"
            raise InvalidPlan(
                f"{function.value} takes {count}", "list them in parentheses, with commas between"
            )
        if function is Function.DISTINCT and NULL in operands:
            return e.Not(e.IsNull(operands[0] if operands[1] == NULL else operands[1]))
        given = list(operands)
        if function in _PASSED_OVER:
            given = [part for part in operands if part != NULL]
            if not given:
                raise InvalidPlan(f"{function.value} of NULL alone is constant", "give it a value")
        else:
            self._not_null("calculate with", *given)
        if function is Function.NULLIF:  # what is given back stays of its kind
            given = [given[0], self._cast_like(given[1], given[0])]
            check_declared(given[0], given[1], self.question)
        elif function in _PASSED_OVER | {Function.DISTINCT} and function is not Function.CONCAT:
            given = self._alike(given)
        if function is Function.DISTINCT:
            check_declared(given[0], given[1], self.question)
            check_declared(given[1], given[0], self.question)
        return self._with_bounds(e.Called(function, tuple(given)))

    def moment_part(self, part: str, operand: e.Expression) -> e.Expression:
        """EXTRACT(part FROM operand)."""
        return self.call(Function.EXTRACT, [e.Literal(unit_named(part), Kind.TEXT), operand])

    def in_units(self, function: Function, unit: str, *moments: e.Expression) -> e.Expression:
        """DATE_TRUNC and DATE_DIFF, in a unit of time."""
        return self.call(function, [e.Literal(unit_named(unit), Kind.TEXT), *self._alike(moments)])

    def seconds_between(self, since: e.Expression, until: e.Expression) -> e.Expression:
        """How many seconds one moment is after another."""
        return self.call(Function.SECONDS_BETWEEN, self._alike([since, until]))

    def divide(self, left: e.Expression, right: e.Expression) -> e.Expression:
        """SAFE_DIVIDE(left, right): NULL where the divisor is zero, as every division is."""
        return self.arithmetic("/", left, right)

    def last_day(self, operand: e.Expression) -> e.Expression:
        """LAST_DAY(operand): the last day of its month; December is apart, so that no moment leaves the calendar."""
        begun = self.in_units(Function.DATE_TRUNC, "month", operand)
        december = self.compare("=", self.moment_part("month", operand), literal(12))
        ends = self.later(self.later(begun, 1, "month"), -1, "day")
        return self.cast(self.case([(december, self.later(begun, 30, "day"))], ends), Kind.DATE)

    def join_with(self, separator: e.Expression, parts: Sequence[e.Expression]) -> e.Expression:
        """CONCAT_WS(separator, ...): texts that are not NULL, with the separator between them."""
        known = [part for part in parts if part != NULL]
        if not known:
            raise InvalidPlan("nothing is joined", "list the values to join: CONCAT_WS('-', a, b)")
        joined: list[e.Expression] = [known[0]]
        for place, part in enumerate(known[1:], start=1):
            before = [e.Not(e.IsNull(each)) for each in known[:place]]
            both = e.Both(e.chain_conditions(e.Either, before), e.Not(e.IsNull(part)))
            joined += [self.case([(both, separator)], literal("")), part]
        return self.call(Function.CONCAT, joined)

    def bucket(
        self, operand: e.Expression, low: e.Expression, high: e.Expression, count: e.Expression
    ) -> e.Expression:
        """WIDTH_BUCKET(operand, low, high, count): 1 to count, 0 below and count + 1 from the high end on."""
        ends = [self._read_number(each) for each in (low, high)]
        buckets = self._read_number(count)
        if ends[0] >= ends[1] or buckets.denominator != 1 or not 1 <= buckets <= 1000:
            raise InvalidPlan(
                "these buckets are not understood",
                "write constants, the lower end first: WIDTH_BUCKET(x, 0, 100, 10)",
            )
        width = (ends[1] - ends[0]) / buckets
        scaled = self.arithmetic(
            "/", self.arithmetic("-", operand, literal(ends[0])), literal(width)
        )
        held = self.call(Function.GREATEST, [scaled, literal(Fraction(-1))])
        held = self.call(Function.LEAST, [held, literal(buckets)])
        whole = self.cast(self.call(Function.FLOOR, [held]), Kind.INTEGER)
        return self.arithmetic("+", whole, literal(1))

    def _read_number(self, value: e.Expression) -> Fraction:
        if not isinstance(value, e.Literal) or not isinstance(value.value, int | Fraction):
            raise InvalidPlan(
                "the ends of buckets and their number are constants",
                "write them with digits: WIDTH_BUCKET(x, 0, 100, 10)",
            )
        return Fraction(value.value)

    def is_truth(self, operand: e.Expression, truth: bool) -> e.Expression:
        """Whether a condition is true, or false, and not NULL."""
        self._not_null("compare with", operand)
        condition_type(operand, self.question)
        return e.Called(
            Function.COALESCE,
            (operand if truth else e.Not(operand), e.Literal(False, Kind.BOOLEAN)),
        )

    def like_either_case(self, operand: e.Expression, pattern: e.Expression) -> e.Expression:
        """operand ILIKE pattern: both in lower case, letter by letter."""
        found = self.like(operand, pattern)
        assert isinstance(found, e.Like)
        return e.Like(e.Called(Function.LOWER, (operand,)), lower(found.pattern))

    def compare(self, operator: str, left: e.Expression, right: e.Expression) -> e.Expression:
        """left = <> < <= > >= right; a text beside a day or a moment is read as one."""
        self._not_null("compare with", left, right)
        one, other = self._cast_like(left, right), self._cast_like(right, left)
        if operator in {"=", "<>"}:
            check_declared(one, other, self.question)
            check_declared(other, one, self.question)
        return e.Compared(operator, one, other)

    def is_between(
        self, operand: e.Expression, low: e.Expression, high: e.Expression
    ) -> e.Expression:
        """low <= operand <= high."""
        return e.Both(self.compare(">=", operand, low), self.compare("<=", operand, high))

    def one_of(self, operand: e.Expression, options: Sequence[e.Expression]) -> e.Expression:
        """Whether the operand is one of some constants."""
        self._not_null("compare with", operand)
        if not options:
            raise InvalidPlan("the list is empty", "list at least one constant, as in x IN (1, 2)")
        read: list[e.Literal] = []
        for option in options:
            constant = self._cast_like(option, operand)
            if not isinstance(constant, e.Literal):
                refuse(
                    option,
                    "the list may contain constants only",
                    "compare with AND and OR instead",
                    self.question,
                )
            check_declared(operand, constant, self.question)
            read.append(self._type_literal(constant, operand))
        return e.OneOf(operand, tuple(read))

    def like(self, operand: e.Expression, pattern: e.Expression) -> e.Expression:
        """operand LIKE pattern."""
        if not isinstance(pattern, e.Literal) or not isinstance(pattern.value, str):
            refuse(
                pattern,
                "a pattern must be a constant text",
                "write it in quotes: x LIKE 'a%'",
                self.question,
            )
        if re.fullmatch(r"(?s)(\\.|[^\\])*", pattern.value) is None:
            refuse(
                pattern,
                "this pattern ends in a backslash, which must escape a character",
                "write it twice",
            )
        self._not_null("compare with", operand)
        return e.Like(operand, pattern.value)

    def case(
        self, branches: Sequence[tuple[e.Expression, e.Expression]], otherwise: e.Expression
    ) -> e.Expression:
        """The value of the first branch whose condition is true; NULLs take the kind of the other branches."""
        branches = [(when, self._hold(then, when)) for when, then in branches]
        values = [*(value for _, value in branches), otherwise]
        known = next((value for value in values if value != NULL), None)
        if known is None:
            raise InvalidPlan("every branch of this CASE is NULL", "give one of them a value")
        typed = [self._type_literal(value, known) if value == NULL else value for value in values]
        conditions = [condition for condition, _ in branches]
        return e.Case(tuple(zip(conditions, typed, strict=False)), typed[-1])

    def _hold(self, value: e.Expression, condition: e.Expression) -> e.Expression:
        """What a branch gives; where its bounds do not suffice, with those that its condition gives its columns."""
        if self.question is not None or value == NULL:
            return value
        try:
            type_of(value)
        except InvalidPlan:
            held = clamp_to_conditions(value, [condition])
            try:
                type_of(held)
            except InvalidPlan:
                return value
            return held
        return value

    def cast(self, operand: e.Expression, kind: Kind) -> e.Expression:
        """The operand as another kind; a constant text is read at once as a day or a moment."""
        self._not_null("cast", operand)
        if kind is Kind.TEXT and not _is_text(operand) and self._is_day(operand):
            return self.format_time(operand, "%Y-%m-%d")
        if kind is Kind.NUMBER and self._is_condition(operand):
            operand = e.Cast(operand, Kind.INTEGER)
        if kind is Kind.TEXT and self._is_condition(operand):
            words = [(operand, literal("true")), (e.Not(operand), literal("false"))]
            return self.case(words, NULL)
        if kind is Kind.BOOLEAN and type_of(operand, self.question).kind in NUMERIC:
            return e.Compared("<>", operand, literal(0))
        match operand, kind:
            case e.Literal(str(text), _), Kind.DATE:
                return read_day(text)
            case e.Literal(str(text), _), Kind.TIMESTAMP:
                return read_moment(text)
            case _, Kind.DATE | Kind.TIMESTAMP if self._joins_short_numbers(operand):
                raise InvalidPlan(
                    "a month or a day of one digit would not be read here: a date is written 2024-01-31",
                    "write MAKE_DATE(year, month, day), or LPAD(CAST(month AS TEXT), 2, '0')",
                )
            case _:
                return e.Cast(operand, kind)

    def _is_condition(self, operand: e.Expression) -> bool:
        """Whether an expression is true or false: by its form, or by its type where that says it."""
        if is_truth(operand):
            return True
        if not isinstance(operand, e.Literal | e.KeyOf | e.Case | e.Called):
            return False
        try:
            return type_of(operand, self.question).kind is Kind.BOOLEAN
        except InvalidPlan:  # refused where it is asked for, with its place in the text
            return False

    def _joins_short_numbers(self, operand: e.Expression) -> bool:
        """Whether a text is joined of parts of which one is a whole number that may have one digit alone."""
        match operand:
            case e.Called(Function.JOINED | Function.CONCAT, parts):
                return any(map(self._joins_short_numbers, parts)) or any(
                    self._is_short_number(part) for part in parts
                )
            case _:
                return False

    def _is_short_number(self, part: e.Expression) -> bool:
        written = part.operand if isinstance(part, e.Cast) and part.kind is Kind.TEXT else part
        known = type_of(written, self.question)
        if known.kind is not Kind.INTEGER:
            return False
        return known.range is None or (known.range.low < 10 and known.range.high > -10)

    def decimal(self, operand: e.Expression, digits: int, decimals: int) -> e.Expression:
        """CAST(operand AS DECIMAL(digits, decimals)): a number that is rounded to so many decimals, as a double.

        Of rows it is proved that the digits suffice; what is released is rounded, whatever its size.
        """
        self._not_null("cast", operand)
        if type_of(operand, self.question).kind not in NUMERIC:
            refuse(
                operand,
                "only numbers can be cast to DECIMAL",
                "cast it to DOUBLE first, then round it",
                self.question,
            )
        if not 1 <= digits <= 38 or not 0 <= decimals <= min(digits, 15):
            raise InvalidPlan(
                "this precision of DECIMAL is not supported",
                "use at most 38 digits, of which at most 15 after the decimal point",
            )
        number = (
            operand
            if type_of(operand, self.question).kind is Kind.NUMBER
            else e.Cast(operand, Kind.NUMBER)
        )
        found = e.Called(Function.ROUND, (number, e.Literal(decimals, Kind.INTEGER)))
        known = type_of(found, self.question).range
        if self.question is None and (known is None or known.furthest >= 10 ** (digits - decimals)):
            reason = f"this may have more than {digits - decimals} digits before the decimal point"
            refuse(
                operand,
                reason,
                f"write ROUND(x, {decimals}), or declare narrower bounds",
            )
        return found

    def holds(
        self, operand: e.Expression, part: e.Expression, before: str, after: str
    ) -> e.Expression:
        """Whether a text begins with, ends with or contains a constant: a LIKE in which no sign is special."""
        if not isinstance(part, e.Literal) or not isinstance(part.value, str):
            refuse(
                part,
                "the text to search for must be a constant",
                "write it in quotes",
                self.question,
            )
        escaped = re.sub(r"([\\%_])", r"\\\1", part.value)
        return self.like(operand, e.Literal(f"{before}{escaped}{after}", Kind.TEXT))

    def format_time(self, operand: e.Expression, text: str) -> e.Expression:
        """STRFTIME(operand, text); with a year in it, of the beginning of the finest unit that it writes."""
        self._not_null("calculate with", operand)
        letters = [part[:1] for part in text.split("%")[1:]]
        if any(letter in "Yy" for letter in letters) and all(
            letter in FORMATS for letter in letters
        ):
            finest = max((FORMATS[letter] for letter in letters), key=TRUNCATED.index)
            unit = e.Literal(finest, Kind.TEXT)
            begun = e.Called(Function.DATE_TRUNC, (unit, operand))
            if not (
                isinstance(operand, e.Called)
                and (operand.function, operand.operands[0]) == (begun.function, unit)
            ):
                operand = begun
        return self.call(Function.STRFTIME, [operand, e.Literal(text, Kind.TEXT)])

    def _cast_like(self, side: e.Expression, other: e.Expression) -> e.Expression:
        """A side of a comparison, as the kind of the other side where that is a day or a moment."""
        if side == NULL:
            return side
        match side, type_of(other, self.question).kind:
            case e.Literal(str(text), _), Kind.DATE:
                return read_day(text)
            case e.Literal(str(text), _), Kind.TIMESTAMP:
                return read_moment(text)
            case e.Literal(str(text), _), Kind.INTEGER | Kind.NUMBER | Kind.BOOLEAN as kind:
                return _read_literal(text, kind) or side
            case e.Literal(0 | 1 as bit, Kind.INTEGER), Kind.BOOLEAN:
                return e.Literal(bool(bit), Kind.BOOLEAN)
            case _, Kind.TIMESTAMP if type_of(side, self.question).kind is Kind.DATE:
                return _midnight(side)
            case _:
                return side

    def _is_day(self, operand: e.Expression) -> bool:
        return self._may_be_time(operand) and type_of(operand, self.question).kind is Kind.DATE

    def _alike(self, sides: Sequence[e.Expression]) -> list[e.Expression]:
        """Several values of one kind, where one of them is a day or a moment."""
        kinds = [
            Kind.TEXT if _is_text(side) else type_of(side, self.question).kind for side in sides
        ]
        lead = next(
            (
                i
                for kind in (Kind.TIMESTAMP, Kind.DATE)
                for i, each in enumerate(kinds)
                if each is kind
            ),
            None,
        )
        return (
            list(sides) if lead is None else [self._cast_like(side, sides[lead]) for side in sides]
        )

    def _type_literal(self, side: e.Literal | e.Expression, other: e.Expression) -> e.Literal:
        assert isinstance(side, e.Literal)
        return e.Literal(None, type_of(other, self.question).kind) if side == NULL else side

    def _not_null(self, what: str, *sides: e.Expression) -> None:
        if NULL in sides:
            raise InvalidPlan(
                f"to {what} NULL always gives NULL", "write IS NULL or IS NOT NULL, or leave it out"
            )


def unit_named(text: str) -> str:
    """The name of a unit or a part of time: in lower case, one and not many."""
    name = text.lower().removesuffix("s") if text.isascii() else text
    return {"dayofweek": "dow", "dayofyear": "doy", "dayofmonth": "day"}.get(name, name)


def _read_literal(text: str, kind: Kind) -> e.Literal | None:
    """A constant text as a number or a truth, beside one: year = '1'; None if it is none, or not a whole one."""
    if kind is Kind.BOOLEAN:
        known = {"true": True, "false": False}.get(text.lower())
        return None if known is None else e.Literal(known, kind)
    whole = re.fullmatch(r"-?[0-9]{1,18}", text)
    if kind is Kind.INTEGER and not whole:
        return None
    if not re.fullmatch(r"-?[0-9]{1,18}([.][0-9]{1,18})?", text):
        return None
    found = e.negate(number(text.removeprefix("-"))) if text[:1] == "-" else number(text)
    assert isinstance(found, e.Literal), "a constant"
    return found


def is_truth(value: e.Expression) -> bool:
    """Whether an expression is a condition, by its form."""
    if isinstance(value, e.Field):
        return value.column.kind is Kind.BOOLEAN
    if isinstance(value, e.Called):
        return value.function in {Function.REGEXP, Function.DISTINCT}
    return isinstance(value, e.Compared | e.Both | e.Either | e.Not | e.IsNull | e.OneOf | e.Like)


def _is_text(side: e.Expression) -> bool:
    return isinstance(side, e.Literal) and isinstance(side.value, str)


def _midnight(side: e.Expression) -> e.Expression:
    """A day as the moment at which it begins."""
    value: Scalar | None = side.value if isinstance(side, e.Literal) else None
    if isinstance(value, date):
        return e.Literal(datetime(value.year, value.month, value.day), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC, by agreement
    return e.Cast(side, Kind.TIMESTAMP)
