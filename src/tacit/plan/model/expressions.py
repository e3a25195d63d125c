"""What is computed from one row, and from one released row: a closed family, matched and never visited.

Checked by: tests/unit/plan/model/test_serialize.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from fractions import Fraction
from typing import assert_never

from tacit.frozen import frozen
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Column, Kind, Scalar

__all__ = [
    "join_conditions",
    "negate",
    "chain_conditions",
    "fields_of",
    "substitute",
    "Names",
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
    "SubqueryValue",
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
class SubqueryValue:
    """A constant that a subquery of the same statement releases before the rows here are looked at.

    `place` is its place among the statement's subqueries.  The column says its kind and the bounds between which the
    released value is held, which is all that is proved with; its name is for readers.  `value` is the constant, once it
    is released.
    """

    place: int
    column: Column
    value: Literal | None = None


@frozen
class Arithmetic:
    """left + - * / % right; division is exact division of doubles, and by zero it is NULL."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Negated:
    """Minus the operand."""

    operand: Expression


@frozen
class Compared:
    """left = <> < <= > >= right; NULL if either is."""

    operator: str
    left: Expression
    right: Expression


@frozen
class Both:
    """left AND right, in three-valued logic."""

    left: Expression
    right: Expression


@frozen
class Either:
    """left OR right, in three-valued logic."""

    left: Expression
    right: Expression


@frozen
class Not:
    """NOT operand, in three-valued logic."""

    operand: Expression


@frozen
class IsNull:
    """Whether the operand is NULL; never NULL itself."""

    operand: Expression


@frozen
class OneOf:
    """operand IN (literals); a NULL among them makes a miss NULL, as in SQL."""

    operand: Expression
    options: tuple[Literal, ...]


@frozen
class Like:
    """operand LIKE pattern: % any text, _ any one character, a backslash takes the next one literally."""

    operand: Expression
    pattern: str


@frozen
class Case:
    """The value of the first branch whose condition is true, else `otherwise`."""

    branches: tuple[tuple[Expression, Expression], ...]
    otherwise: Expression


@frozen
class Cast:
    """The operand as another kind; what cannot be read becomes NULL."""

    operand: Expression
    kind: Kind


@frozen
class Called:
    """A function of its operands; what says how (a number of decimals, a part of a day) is a literal among them."""

    function: Function
    operands: tuple[Expression, ...]


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
    MIDDLE = "MEDIAN"
    BEFORE = "LAG"
    AFTER = "LEAD"
    FIRST = "FIRST_VALUE"
    LAST = "LAST_VALUE"


@frozen
class Across:
    """After release: what a window over the groups that HAVING keeps says of one of them.

    Groups are those with the same values of `by`.  With an order, sums and the like are of those up to a group and its
    peers; each part of it is an expression and whether it is taken from the greatest on.  NULLs come last.  FIRST and
    LAST are of all groups in their order, MIDDLE of all without one.
    """

    look: Look
    operand: Expression | None = None
    by: tuple[Expression, ...] = ()
    order: tuple[tuple[Expression, bool], ...] = ()
    offset: int = 1


Expression = (
    Literal
    | Field
    | SubqueryValue
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


LEAVES = frozenset({Literal, Field, SubqueryValue, KeyOf, MeasureOf, MeanOf, MomentOf})
"""The expressions that are made of no others: most are."""


def operands(expression: Expression) -> tuple[Expression, ...]:
    """The expressions that an expression is directly made of."""
    if type(expression) in LEAVES:
        return ()
    match expression:
        case Literal() | Field() | SubqueryValue() | KeyOf() | MeasureOf() | MeanOf() | MomentOf():
            return ()
        case (
            Arithmetic(_, left, right)
            | Compared(_, left, right)
            | Both(left, right)
            | Either(left, right)
        ):
            return (left, right)
        case (
            Negated(operand) | Not(operand) | IsNull(operand) | Like(operand, _) | Cast(operand, _)
        ):
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


def walk_expression(*expressions: Expression) -> list[Expression]:
    """The expressions and all that they are made of, from the outside in and from left to right."""
    found, left = [], list(expressions[::-1])
    while left:
        part = left.pop()
        found.append(part)
        if type(part) not in LEAVES:
            left += operands(part)[::-1]
    return found


def walk_fields(expression: Expression) -> list[Field]:
    """The columns that an expression reads, in their order, each as often as it stands there."""
    return [part for part in walk_expression(expression) if isinstance(part, Field)]


def rebuilt(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """The expression with each operand changed; itself, if neither side of it is another."""
    match expression:
        case Literal() | Field() | SubqueryValue() | KeyOf() | MeasureOf() | MeanOf() | MomentOf():
            return expression
        case Arithmetic() | Compared() | Both() | Either():
            return _with_sides(expression, change(expression.left), change(expression.right))
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
            return Case(
                tuple((change(when), change(then)) for when, then in branches), change(otherwise)
            )
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


def _with_sides(
    expression: Arithmetic | Compared | Both | Either, left: Expression, right: Expression
) -> Expression:
    if left is expression.left and right is expression.right:
        return expression
    if isinstance(expression, Both | Either):
        return type(expression)(left, right)
    return type(expression)(expression.operator, left, right)


Names = dict[str, Expression]
"""What the columns of rows are over rows that are simpler."""


def substitute(expression: Expression, names: Names) -> Expression:
    """An expression with columns replaced by what they stand for."""
    if isinstance(expression, Field):
        return names.get(expression.column.name, expression)
    return rebuilt(expression, lambda part: substitute(part, names))


def fields_of(expression: Expression) -> set[str]:
    """The columns that an expression reads."""
    if isinstance(expression, Field):
        return {expression.column.name}
    return {name for operand in operands(expression) for name in fields_of(operand)}


def chain_conditions(
    join: Callable[[Expression, Expression], Expression], parts: Sequence[Expression]
) -> Expression:
    """Many conditions joined by AND or OR as a tree that is no deeper than it must be."""
    if len(parts) == 1:
        return parts[0]
    half = len(parts) // 2
    return join(chain_conditions(join, parts[:half]), chain_conditions(join, parts[half:]))


def negate(operand: Expression) -> Expression:
    """Minus the operand; of a constant, the negative constant."""
    match operand:
        case Literal(bool(), _):
            return Negated(operand)
        case Literal(int() | Fraction() as value, kind):
            return Literal(-value, kind)
        case _:
            return Negated(operand)


def join_conditions(join: type[Both | Either], left: Expression, right: Expression) -> Expression:
    """left AND right, or left OR right, however long the chains on either side are."""
    parts, rest = [], [right, left]
    while rest:
        part = rest.pop()
        if isinstance(part, Both | Either) and type(part) is join:
            rest += [part.right, part.left]
        else:
            parts.append(part)
    return chain_conditions(join, parts)
