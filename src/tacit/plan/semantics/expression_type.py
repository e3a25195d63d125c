"""What is known of an expression without a look at the data, and how one is refused of which too little is known.

Checked by: tests/unit/plan/semantics/test_infer_expression_types.py
"""

from __future__ import annotations

from datetime import date
from fractions import Fraction
from math import ceil, floor
from typing import NoReturn

from tacit.errors import InvalidPlan, Unbounded, how_to_declare
from tacit.frozen import frozen
from tacit.plan.model.describe_plan import phrase
from tacit.plan.model.expressions import Expression, Field, Literal, walk_fields
from tacit.plan.model.nodes import Question
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.function_meanings import FIRST, LAST
from tacit.plan.semantics.ranges import INT64, Range, as_double
from tacit.plan.semantics.value_kinds import bounds_of, constant

__all__ = [
    "CALENDAR",
    "NUMERIC",
    "Type",
    "leaf",
    "refuse",
    "refuse_unbounded",
    "suggest_type",
    "type_with_range",
]

NUMERIC = (Kind.INTEGER, Kind.NUMBER)
CALENDAR = {
    Kind.DATE: Range(Fraction(FIRST // 86_400_000_000), Fraction(LAST // 86_400_000_000)),
    Kind.TIMESTAMP: Range(Fraction(FIRST), Fraction(LAST)),
}
"""Every day and every moment that there is, as engines count them."""

_WORD = 1 << 63
_CLAMP = "declare its bounds, or clip it: CASE WHEN x > 100 THEN 100 WHEN x < 0 THEN 0 ELSE x END"


@frozen
class Type:
    """What an expression can be: its kind, its bounds where they are known, and whether it may be NULL.

    The bounds of a day or a moment are those of the number by which engines know it.
    """

    kind: Kind
    low: Fraction | None = None
    high: Fraction | None = None
    nullable: bool = True

    @property
    def range(self) -> Range | None:
        """Both bounds, if both are known."""
        return None if self.low is None or self.high is None else Range(self.low, self.high)

    @property
    def numeric(self) -> bool:
        """Whether one can calculate with it."""
        return self.kind in NUMERIC


def refuse(
    culprit: Expression, reason: str, remedy: str, question: Question | None = None
) -> NoReturn:
    """Refuse an expression, in its own words until a door says where it stands."""
    text = phrase(culprit, question)
    raise InvalidPlan(reason, remedy, text=text, end=len(text), culprit=culprit)


def refuse_unbounded(expression: Expression, why: str) -> NoReturn:
    """Refuse an expression whose range is not known, and name the column that lacks bounds."""
    for field in walk_fields(expression):
        column = field.column
        if column.kind in NUMERIC and leaf(field).range is None:
            raise Unbounded(column.name, column.kind.value, culprit=field)
    refuse(expression, f"the range of this value is not known, and {why}", _CLAMP)


def suggest_type(expression: Expression, kind: Kind) -> str:
    """What to declare of a column of texts that is used as if it were of another kind; nothing of any other expression.

    >>> from tacit.plan.model.schema import Column
    >>> print(suggest_type(Field(Column("age", Kind.TEXT)), Kind.INTEGER).partition(" in Python")[0])
    ; or, if 'age' is a column of a text file such as CSV, declare its type: columns={"age": (..., ...)}
    """
    if not isinstance(expression, Field) or expression.column.kind is not Kind.TEXT:
        return ""
    if expression.column.values is not None:
        return ""
    name = expression.column.name
    return (
        f"; or, if {name!r} is a column of a text file such as CSV, declare its type: "
        f"{how_to_declare(name, kind.value, 'bounds')}"
    )


def type_with_range(kind: Kind, known: Range | None, nullable: bool) -> Type:
    """The type of a kind with a range, if there is one."""
    return (
        Type(kind, None, None, nullable)
        if known is None
        else Type(kind, known.low, known.high, nullable)
    )


def leaf(expression: Literal | Field) -> Type:
    """The type of a constant or a column."""
    match expression:
        case Literal(None, kind):
            return Type(kind)
        case Literal(value, kind):
            exact = _read_bound(value, kind)
            wide = exact is None or (kind is Kind.INTEGER and not -_WORD <= exact.numerator < _WORD)
            if kind in NUMERIC and wide:
                refuse(expression, "this number is too large", "write one that fits into 64 bits")
            return Type(kind, exact, exact, nullable=False)
        case Field(column):
            if column.kind in CALENDAR:
                ends = zip(
                    bounds_of(column),
                    (CALENDAR[column.kind].low, CALENDAR[column.kind].high),
                    strict=True,
                )
                first, last = (
                    Fraction(end) if isinstance(end, int) else default for end, default in ends
                )
                return Type(column.kind, first, last, column.nullable)
            low, high = _read_bound(column.low, column.kind), _read_bound(column.high, column.kind)
            if column.kind is Kind.INTEGER:
                low = None if low is None else max(Fraction(ceil(low)), INT64.low)
                high = None if high is None else min(Fraction(floor(high)), INT64.high)
            return Type(column.kind, low, high, column.nullable)


def _read_bound(value: object, kind: Kind) -> Fraction | None:
    """A bound or a literal as engines see it: integers as they are, other numbers as the nearest double."""
    if kind in CALENDAR:
        known = constant(value, kind) if isinstance(value, date) else None
        return None if known is None else Fraction(int(known))
    if kind not in NUMERIC or not isinstance(value, int | Fraction):
        return None
    return Fraction(value) if kind is Kind.INTEGER else as_double(value)
