"""How both doors write expressions: constants read exactly, kinds reconciled, long chains balanced."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import isfinite
from numbers import Integral, Rational

from tacit.errors import InvalidPlan
from tacit.plan.expressions import (
    Arithmetic,
    Both,
    Case,
    Cast,
    Compared,
    Either,
    Expression,
    Like,
    Literal,
    Negated,
    OneOf,
)
from tacit.plan.nodes import Question
from tacit.plan.ranges import INT64, LARGEST
from tacit.plan.schema import Kind, Scalar
from tacit.plan.types import refused, type_of

__all__ = ["Forms", "chained", "joined", "literal", "negated", "number", "read_day", "read_moment"]

NULL = Literal(None, Kind.BOOLEAN)
"""NULL before it is known of which kind it is."""

_DAYS = "write a day as DATE '2025-01-31'"
_MOMENTS = "write a moment as TIMESTAMP '2025-01-31 12:00:00', in UTC"


def literal(value: object) -> Literal:
    """A constant of Python as a literal; a float means the decimal that it prints as.

    >>> literal(0.1)
    Literal(value=Fraction(1, 10), kind=<Kind.NUMBER: 'number'>)
    """
    match value:
        case None:
            return NULL
        case bool():
            return Literal(value, Kind.BOOLEAN)
        case Integral():
            return _integer(int(value))
        case str():
            return _text(str(value))
        case datetime():
            return Literal(_utc(value), Kind.TIMESTAMP)
        case date():
            return Literal(value, Kind.DATE)
        case float() if isfinite(value):
            return _fraction(Fraction(repr(float(value))))
        case Decimal() if value.is_finite() and abs(value.adjusted()) < 400:
            return _fraction(Fraction(value))
        case Rational():
            return _fraction(Fraction(int(value.numerator), int(value.denominator)))
    raise InvalidPlan(
        f"a constant of type {type(value).__name__} is not understood",
        "write a finite number, a text, true or false, a date or a datetime",
    )


def number(text: str) -> Literal:
    """A number as it is written in SQL: an integer without a point or an exponent, else exactly the decimal."""
    if re.fullmatch(r"[0-9]{1,25}", text):
        return _integer(int(text))
    if len(text) <= 60 and re.fullmatch(r"([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?", text):
        return _fraction(Fraction(text.lower().replace(".e", "e").rstrip(".")))
    raise InvalidPlan("this number is too long or not understood", "write it with digits, a point and an exponent")


def _text(value: str) -> Literal:
    if "\0" in value or (not value.isascii() and any("\ud800" <= letter <= "\udfff" for letter in value)):
        raise InvalidPlan("this text holds a character that is none", "leave out NUL and halves of surrogate pairs")
    return Literal(value, Kind.TEXT)


def _integer(value: int) -> Literal:
    if value not in INT64 and value != 1 << 63:  # minus 2**63 is written as minus and 2**63
        raise InvalidPlan("this integer does not fit into 64 bits", "write it with a point, as a decimal")
    return Literal(value, Kind.INTEGER)


def _fraction(value: Fraction) -> Literal:
    if abs(value) > LARGEST:
        raise InvalidPlan("this number is too large", "write one below 10 to the power of 300")
    return Literal(value, Kind.NUMBER)


def _utc(value: datetime) -> datetime:
    """A moment without a zone, which is in UTC."""
    return value if value.tzinfo is None else value.astimezone(UTC).replace(tzinfo=None)


def read_day(text: str) -> Literal:
    """A day from its ISO spelling."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}", text):
        raise InvalidPlan("this is not a day", _DAYS)
    try:
        return Literal(date.fromisoformat(text), Kind.DATE)
    except ValueError:
        raise InvalidPlan("there is no such day", _DAYS) from None


def read_moment(text: str) -> Literal:
    """A moment from its ISO spelling, in UTC and to the microsecond."""
    if not re.fullmatch(r"[0-9]{4}-[0-9]{2}-[0-9]{2}([ T][0-9]{2}:[0-9]{2}(:[0-9]{2}([.][0-9]{1,6})?)?)?", text):
        raise InvalidPlan("this is not a moment", _MOMENTS)
    day, _, clock = text.replace("T", " ").partition(" ")
    whole, _, part = clock.partition(".")
    try:
        found = datetime.fromisoformat(f"{day} {whole or '00:00'}")
    except ValueError:
        raise InvalidPlan("there is no such moment", _MOMENTS) from None
    return Literal(found.replace(microsecond=int(part.ljust(6, "0")) if part else 0), Kind.TIMESTAMP)


def negated(operand: Expression) -> Expression:
    """Minus the operand; of a constant, the negative constant."""
    match operand:
        case Literal(bool(), _):
            return Negated(operand)
        case Literal(int() | Fraction() as value, kind):
            return Literal(-value, kind)
        case _:
            return Negated(operand)


def joined(join: type[Both] | type[Either], left: Expression, right: Expression) -> Expression:
    """left AND right, or left OR right, however long the chains on either side are."""
    parts, rest = [], [right, left]
    while rest:
        part = rest.pop()
        if isinstance(part, Both | Either) and type(part) is join:
            rest += [part.right, part.left]
        else:
            parts.append(part)
    return chained(join, parts)


def chained(join: Callable[[Expression, Expression], Expression], parts: Sequence[Expression]) -> Expression:
    """Many conditions joined by AND or OR as a tree that is no deeper than it must be."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(chained(join, parts[:half]), chained(join, parts[half:]))


@dataclass(frozen=True, slots=True)
class Forms:
    """Expressions over rows or, with a question, over its release.

    `asking` gives the question as far as it has been read: an operand that is read later may bring a new measure.
    """

    asking: Callable[[], Question] | None = None

    @property
    def question(self) -> Question | None:
        """The question whose release is meant; None over rows."""
        return None if self.asking is None else self.asking()

    def arithmetic(self, operator: str, left: Expression, right: Expression) -> Expression:
        """left + - * / % right."""
        self._not_null("calculate with", left, right)
        return Arithmetic(operator, left, right)

    def compared(self, operator: str, left: Expression, right: Expression) -> Expression:
        """left = <> < <= > >= right; a text beside a day or a moment is read as one."""
        self._not_null("compare with", left, right)
        return Compared(operator, self._beside(left, right), self._beside(right, left))

    def between(self, operand: Expression, low: Expression, high: Expression) -> Expression:
        """low <= operand <= high."""
        return Both(self.compared(">=", operand, low), self.compared("<=", operand, high))

    def one_of(self, operand: Expression, options: Sequence[Expression]) -> Expression:
        """Whether the operand is one of some constants."""
        self._not_null("compare with", operand)
        if not options:
            raise InvalidPlan("nothing is listed", "list at least one constant, as in x IN (1, 2)")
        read: list[Literal] = []
        for option in options:
            constant = self._beside(option, operand)
            if not isinstance(constant, Literal):
                refused(option, "a list may hold constants only", "compare with AND and OR instead", self.question)
            read.append(self._typed(constant, operand))
        return OneOf(operand, tuple(read))

    def like(self, operand: Expression, pattern: Expression) -> Expression:
        """operand LIKE pattern."""
        if not isinstance(pattern, Literal) or not isinstance(pattern.value, str):
            refused(pattern, "a pattern must be a constant text", "write it in quotes: x LIKE 'a%'", self.question)
        if re.fullmatch(r"(?s)(\\.|[^\\])*", pattern.value) is None:
            refused(pattern, "this pattern ends in a backslash, which needs something after it", "write it twice")
        self._not_null("compare with", operand)
        return Like(operand, pattern.value)

    def case(self, branches: Sequence[tuple[Expression, Expression]], otherwise: Expression) -> Expression:
        """The value of the first branch whose condition is true; NULLs take the kind of the other branches."""
        values = [*(value for _, value in branches), otherwise]
        known = next((value for value in values if value != NULL), None)
        if known is None:
            raise InvalidPlan("every branch of this CASE is NULL", "give one of them a value")
        typed = [self._typed(value, known) if value == NULL else value for value in values]
        conditions = [condition for condition, _ in branches]
        return Case(tuple(zip(conditions, typed, strict=False)), typed[-1])

    def cast(self, operand: Expression, kind: Kind) -> Expression:
        """The operand as another kind; a constant text is read at once as a day or a moment."""
        self._not_null("cast", operand)
        match operand, kind:
            case Literal(str(text), _), Kind.DATE:
                return read_day(text)
            case Literal(str(text), _), Kind.TIMESTAMP:
                return read_moment(text)
            case _:
                return Cast(operand, kind)

    def _beside(self, side: Expression, other: Expression) -> Expression:
        """A side of a comparison, as the kind of the other side where that is a day or a moment."""
        if side == NULL:
            return side
        match side, type_of(other, self.question).kind:
            case Literal(str(text), _), Kind.DATE:
                return read_day(text)
            case Literal(str(text), _), Kind.TIMESTAMP:
                return read_moment(text)
            case _, Kind.TIMESTAMP if type_of(side, self.question).kind is Kind.DATE:
                return _midnight(side)
            case _:
                return side

    def _typed(self, side: Literal | Expression, other: Expression) -> Literal:
        assert isinstance(side, Literal)
        return Literal(None, type_of(other, self.question).kind) if side == NULL else side

    def _not_null(self, what: str, *sides: Expression) -> None:
        if NULL in sides:
            raise InvalidPlan(f"to {what} NULL gives NULL, always", "ask IS NULL or IS NOT NULL, or leave it out")


def _midnight(side: Expression) -> Expression:
    """A day as the moment at which it begins."""
    value: Scalar | None = side.value if isinstance(side, Literal) else None
    if isinstance(value, date):
        return Literal(datetime(value.year, value.month, value.day), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC, by agreement
    return Cast(side, Kind.TIMESTAMP)
