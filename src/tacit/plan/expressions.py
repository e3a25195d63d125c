"""What is computed from one row, and from one released row: a closed family, matched and never visited."""

from collections.abc import Callable
from enum import Enum
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.functions import Function
from tacit.plan.schema import Column, Kind, Scalar

__all__ = [
    "Across",
    "Arithmetic",
    "Both",
    "Called",
    "Case",
    "Cast",
    "Compared",
    "Either",
    "Expression",
    "Field",
    "IsNull",
    "KeyOf",
    "Like",
    "Literal",
    "Look",
    "MeanOf",
    "MeasureOf",
    "Moment",
    "MomentOf",
    "Negated",
    "Not",
    "OneOf",
    "operands",
    "rebuilt",
]


@frozen
class Literal:
    """A constant; None is NULL."""

    value: Scalar | None
    kind: Kind


@frozen
class Field:
    """A column of the row, already clamped to its declared bounds; NaN has become NULL."""

    column: Column


@frozen
class Arithmetic:
    """left + - * / % right; division is exact division of doubles, and by zero it is NULL."""

    operator: str
    left: "Expression"
    right: "Expression"


@frozen
class Negated:
    """Minus the operand."""

    operand: "Expression"


@frozen
class Compared:
    """left = <> < <= > >= right; NULL if either is."""

    operator: str
    left: "Expression"
    right: "Expression"


@frozen
class Both:
    """left AND right, in three-valued logic."""

    left: "Expression"
    right: "Expression"


@frozen
class Either:
    """left OR right, in three-valued logic."""

    left: "Expression"
    right: "Expression"


@frozen
class Not:
    """NOT operand, in three-valued logic."""

    operand: "Expression"


@frozen
class IsNull:
    """Whether the operand is NULL; never NULL itself."""

    operand: "Expression"


@frozen
class OneOf:
    """operand IN (literals); a NULL among them makes a miss NULL, as in SQL."""

    operand: "Expression"
    options: tuple[Literal, ...]


@frozen
class Like:
    """operand LIKE pattern: % any text, _ any one character, a backslash takes the next one literally."""

    operand: "Expression"
    pattern: str


@frozen
class Case:
    """The value of the first branch whose condition is true, else `otherwise`."""

    branches: tuple[tuple["Expression", "Expression"], ...]
    otherwise: "Expression"


@frozen
class Cast:
    """The operand as another kind; what cannot be read becomes NULL."""

    operand: "Expression"
    kind: Kind


@frozen
class Called:
    """A function of its operands; what says how (a number of decimals, a part of a day) is a literal among them."""

    function: Function
    operands: tuple["Expression", ...]


@frozen
class KeyOf:
    """After release: the key of the group, by its place among the question's keys."""

    place: int


@frozen
class MeasureOf:
    """After release: a released number, by its place among the question's measures."""

    place: int


@frozen
class MeanOf:
    """After release: the mean from a centred sum and a count, by their places among the question's measures.

    It is (centre + sum / count) * step with the centre and the step of the sum, and NULL if the count is not positive.
    """

    sum_place: int
    count_place: int


class Moment(Enum):
    """What is computed from sums of values, of their squares and of their products; and of which measures.

    The measures are a count, a centred sum of x, one of y, then centred sums of squares of x, of squares of y and of
    products, each of x and y less the middle of their ranges; those that a moment does not need are left out.
    """

    VARIANCE = "VAR_SAMP"
    POPULATION_VARIANCE = "VAR_POP"
    COVARIANCE = "COVAR_SAMP"
    POPULATION_COVARIANCE = "COVAR_POP"
    CORRELATION = "CORR"


@frozen
class MomentOf:
    """After release: a variance, a covariance or a correlation, by the places of the measures that it is made of."""

    moment: Moment
    places: tuple[int, ...]


class Look(Enum):
    """What a group's numbers are among those of other groups."""

    NUMBER = "ROW_NUMBER"
    RANK = "RANK"
    DENSE = "DENSE_RANK"
    COUNT = "COUNT"
    SUM = "SUM"
    MEAN = "AVG"
    LEAST = "MIN"
    GREATEST = "MAX"
    BEFORE = "LAG"
    AFTER = "LEAD"


@frozen
class Across:
    """After release: what a window over the groups that HAVING keeps says of one of them.

    Groups are those with the same values of `by`.  With an order, sums and the like are of those up to a group and its
    peers; each part of it is an expression and whether it is taken from the greatest on.  NULLs come last.
    """

    look: Look
    operand: "Expression | None" = None
    by: tuple["Expression", ...] = ()
    order: tuple[tuple["Expression", bool], ...] = ()
    offset: int = 1


Expression = (
    Literal
    | Field
    | Arithmetic
    | Negated
    | Compared
    | Both
    | Either
    | Not
    | IsNull
    | OneOf
    | Like
    | Case
    | Cast
    | Called
    | KeyOf
    | MeasureOf
    | MeanOf
    | MomentOf
    | Across
)
"""Every expression there is."""


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is directly made of."""
    match expression:
        case Literal() | Field() | KeyOf() | MeasureOf() | MeanOf() | MomentOf():
            return ()
        case Arithmetic(_, left, right) | Compared(_, left, right) | Both(left, right) | Either(left, right):
            return (left, right)
        case Negated(operand) | Not(operand) | IsNull(operand) | Like(operand, _) | Cast(operand, _):
            return (operand,)
        case OneOf(operand, options):
            return (operand, *options)
        case Case(branches, otherwise):
            return (*(part for branch in branches for part in branch), otherwise)
        case Called(_, parts):
            return parts
        case Across(_, operand, by, order, _):
            return (*(() if operand is None else (operand,)), *by, *(value for value, _ in order))
        case _:
            assert_never(expression)


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each operand changed."""
    match expression:
        case Literal() | Field() | KeyOf() | MeasureOf() | MeanOf() | MomentOf():
            return expression
        case Arithmetic(operator, left, right):
            return Arithmetic(operator, change(left), change(right))
        case Compared(operator, left, right):
            return Compared(operator, change(left), change(right))
        case Both(left, right):
            return Both(change(left), change(right))
        case Either(left, right):
            return Either(change(left), change(right))
        case Negated(operand):
            return Negated(change(operand))
        case Not(operand):
            return Not(change(operand))
        case IsNull(operand):
            return IsNull(change(operand))
        case OneOf(operand, options):
            return OneOf(change(operand), options)
        case Like(operand, pattern):
            return Like(change(operand), pattern)
        case Case(branches, otherwise):
            return Case(tuple((change(when), change(then)) for when, then in branches), change(otherwise))
        case Cast(operand, kind):
            return Cast(change(operand), kind)
        case Called(function, parts):
            return Called(function, tuple(change(part) for part in parts))
        case Across(look, operand, by, order, offset):
            changed = None if operand is None else change(operand)
            ordered = tuple((change(value), descending) for value, descending in order)
            return Across(look, changed, tuple(change(part) for part in by), ordered, offset)
        case _:
            assert_never(expression)
