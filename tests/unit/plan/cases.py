"""What the tests of plans share: a table, an evaluator that is plain to see, and expressions to try."""

import math
from datetime import date, datetime
from fractions import Fraction

from hypothesis import strategies as st

from tacit.plan import (
    MEANINGS,
    STRICT,
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Column,
    Compared,
    Either,
    Field,
    Function,
    IsNull,
    Kind,
    Like,
    Literal,
    Negated,
    Not,
    OneOf,
    Table,
    operand_kinds,
    type_of,
)

VISITS = Table(
    "visits",
    (
        Column("patient", Kind.INTEGER),
        Column("ward", Kind.TEXT, values=("A", "B", "C")),
        Column("sex", Kind.TEXT, values=("f", "m")),
        Column("name", Kind.TEXT),
        Column("age", Kind.INTEGER, 0, 120),
        Column("change", Kind.INTEGER, -5, 7),
        Column("cost", Kind.NUMBER, 0, 5000),
        Column("drift", Kind.NUMBER, Fraction(-3, 2), Fraction(1, 10)),
        Column("stay", Kind.INTEGER, 1, 365, nullable=False),
        Column("weight", Kind.NUMBER),
        Column("serial", Kind.INTEGER),
        Column("day", Kind.DATE),
        Column("seen", Kind.TIMESTAMP),
        Column("smoker", Kind.BOOLEAN, values=(False, True)),
        Column("Mixed Case", Kind.INTEGER, 0, 9),
    ),
    unit="patient",
    rows=10**7,
)
LOOSE = Table("loose", (Column("x", Kind.INTEGER, 0, 1), Column("kind", Kind.TEXT, values=("a",))))
TABLES = {"visits": VISITS, "loose": LOOSE}
COLUMNS = {column.name: column for column in VISITS.columns}


def field(name):
    return Field(COLUMNS[name])


def integer(value):
    return Literal(value, Kind.INTEGER)


def decimal(value):
    return Literal(Fraction(value), Kind.NUMBER)


# ---------------------------------------------------------------- the evaluator


def evaluate(expression, row):
    """The value of an expression in a row, None for NULL: integers are ints, numbers are floats."""
    match expression:
        case Literal(value, Kind.NUMBER):
            return None if value is None else float(value)
        case Literal(value, _):
            return value
        case Field(column):
            return row[column.name]
        case Arithmetic(operator, left, right):
            return calculate(operator, evaluate(left, row), evaluate(right, row))
        case Negated(operand):
            value = evaluate(operand, row)
            return None if value is None else -value
        case Compared(operator, left, right):
            return compare(operator, evaluate(left, row), evaluate(right, row))
        case Both(left, right):
            sides = evaluate(left, row), evaluate(right, row)
            return False if False in sides else None if None in sides else True
        case Either(left, right):
            sides = evaluate(left, row), evaluate(right, row)
            return True if True in sides else None if None in sides else False
        case Not(operand):
            value = evaluate(operand, row)
            return None if value is None else not value
        case IsNull(operand):
            return evaluate(operand, row) is None
        case OneOf(operand, options):
            hits = [
                compare("=", evaluate(operand, row), evaluate(option, row)) for option in options
            ]
            return True if True in hits else None if None in hits else False
        case Case(branches, otherwise):
            chosen = next(
                (then for when, then in branches if evaluate(when, row) is True), otherwise
            )
            value = evaluate(chosen, row)
            return (
                float(value)
                if type(value) is int and type_of(expression).kind is Kind.NUMBER
                else value
            )
        case Cast(operand, Kind.INTEGER):
            value = evaluate(operand, row)
            return None if value is None else round(value)
        case Cast(operand, Kind.NUMBER):
            value = evaluate(operand, row)
            return None if value is None else float(value)
        case Called(function, parts):
            values = [evaluate(part, row) for part in parts]
            kinds = zip(values, operand_kinds(expression), strict=True)
            given = [
                float(value) if type(value) is int and kind is Kind.NUMBER else value
                for value, kind in kinds
            ]
            return None if function in STRICT and None in given else MEANINGS[function](*given)
        case Like():
            raise NotImplementedError
    raise AssertionError(expression)


def calculate(operator, left, right):
    if left is None or right is None or (operator in "/%" and right == 0):
        return None
    match operator:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return float(left) / float(right)
        case "%" if isinstance(left, int) and isinstance(right, int):
            return int(math.copysign(abs(left) % abs(right), left))
        case "%":
            return math.fmod(left, right)


def compare(operator, left, right):
    if left is None or right is None:
        return None
    if float in {type(left), type(right)}:
        left, right = float(left), float(right)
    return {
        "=": left == right,
        "<>": left != right,
        "<": left < right,
        "<=": left <= right,
        ">": left > right,
        ">=": left >= right,
    }[operator]


# ---------------------------------------------------------------- rows and expressions to try

_COMPUTED = ["age", "change", "cost", "drift", "stay"]


def _values(column):
    low, high = column.low, column.high
    if column.kind is Kind.INTEGER:
        inside = st.sampled_from([low, high, 0, 1]).filter(
            lambda v: low <= v <= high
        ) | st.integers(low, high)
    else:
        low, high = float(low), float(high)
        inside = st.sampled_from([low, high]) | st.floats(low, high)
    return inside | st.none() if column.nullable else inside


rows = st.fixed_dictionaries({name: _values(COLUMNS[name]) for name in _COMPUTED})
constants = st.integers(-9, 9).map(integer) | st.sampled_from(
    ["0.1", "1", "-2.5", "1000", "0.3"]
).map(decimal)
leaves = st.sampled_from([field(name) for name in _COMPUTED]) | constants
operators = st.sampled_from(["=", "<>", "<", "<=", ">", ">="])


def _conditions(numbers):
    compared = st.builds(Compared, operators, numbers, numbers)
    listed = st.builds(OneOf, numbers, st.lists(constants, min_size=1, max_size=4).map(tuple))
    atoms = compared | listed | st.builds(IsNull, numbers)
    return st.recursive(
        atoms,
        lambda inner: (
            st.builds(Both, inner, inner) | st.builds(Either, inner, inner) | st.builds(Not, inner)
        ),
        max_leaves=4,
    )


def _clamped(value, operator, bound, swapped, inner):
    """A value that a CASE holds on one side of a bound, in one of the ways to write it."""
    condition = Compared(operator, bound, value) if swapped else Compared(operator, value, bound)
    return Case(((condition, inner),), value)


def _numbers(inner):
    branch = st.tuples(_conditions(leaves), inner)
    return st.one_of(
        st.builds(Arithmetic, st.sampled_from("+-*/%"), inner, inner),
        st.builds(Negated, inner),
        st.builds(Case, st.lists(branch, min_size=1, max_size=3).map(tuple), inner),
        st.builds(_clamped, inner, operators, constants, st.booleans(), inner | constants),
        st.builds(Cast, inner, st.sampled_from([Kind.INTEGER, Kind.NUMBER])),
        st.builds(
            Called, st.sampled_from(_CHOICES), st.lists(inner, min_size=1, max_size=3).map(tuple)
        ),
        st.builds(Called, st.just(Function.NULLIF), st.tuples(inner, inner)),
        st.builds(Called, st.just(Function.QUOTIENT), st.tuples(inner, inner)),
        st.builds(Called, st.sampled_from(_OF_ONE), st.tuples(inner)),
        st.builds(
            Called, st.just(Function.ROUND), st.tuples(inner, st.integers(-2, 3).map(integer))
        ),
    )


_CHOICES = [Function.COALESCE, Function.LEAST, Function.GREATEST]
_OF_ONE = [
    Function.ABS,
    Function.SIGN,
    Function.FLOOR,
    Function.CEIL,
    Function.TRUNC,
    Function.SQRT,
]


numbers = st.recursive(leaves, _numbers, max_leaves=8)
conditions = _conditions(st.recursive(leaves, _numbers, max_leaves=3))

NOON = datetime(2025, 1, 31, 12)  # noqa: DTZ001 - moments have no zone: they are in UTC
DAY = date(2025, 1, 31)
