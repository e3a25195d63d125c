"""The oracle, by hand."""

from fractions import Fraction

import pytest

from tacit.engines.memory.engine import Memory
from tacit.engines.weights_of_rows import presence_weight, weight
from tacit.plan import (
    Arithmetic,
    Both,
    Case,
    Cast,
    Column,
    Compared,
    Either,
    Field,
    IsNull,
    KeyOf,
    Kind,
    Like,
    Literal,
    Negated,
    Not,
    OneOf,
    Weighing,
    Weights,
    compile_expression,
)
from tests.together import together
from tests.unit.engines.tables import EVERYTHING, LOOSE, ROWS, VISITS

X = Field(Column("x", Kind.INTEGER, -100, 100))
Y = Field(Column("y", Kind.NUMBER, -100, 100))
N = Field(Column("n", Kind.INTEGER, -100, 100))
S = Field(Column("s", Kind.TEXT))
B = Field(Column("b", Kind.BOOLEAN))
ROW = {"n": None, "x": -7, "y": 0.5, "s": "ward 7", "b": None}
TRUE, FALSE, NULL = (Literal(value, Kind.BOOLEAN) for value in (True, False, None))


def integer(value):
    return Literal(value, Kind.INTEGER)


def number(value):
    return Literal(value, Kind.NUMBER)


@together
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        (Arithmetic("%", X, integer(3)), -1),
        (Arithmetic("%", X, integer(0)), None),
        (Arithmetic("/", X, integer(2)), -3.5),
        (Arithmetic("/", Y, integer(0)), None),
        (Arithmetic("%", number(Fraction(15, 2)), integer(-2)), 1.5),
        (Arithmetic("*", X, Y), -3.5),
        (Arithmetic("+", X, N), None),
        (Negated(X), 7),
        (Compared("<", X, Y), True),
        (Compared("=", B, TRUE), None),
        (Compared("=", integer(2**53 + 1), number(2**53)), True),
        (Both(B, FALSE), False),
        (Both(B, TRUE), None),
        (Either(B, TRUE), True),
        (Either(B, FALSE), None),
        (Not(B), None),
        (IsNull(B), True),
        (OneOf(X, (integer(1), integer(-7))), True),
        (OneOf(X, (integer(1), integer(None))), None),
        (OneOf(X, (number(Fraction(-7)), integer(1))), True),
        (OneOf(S, ()), False),
        (Like(S, "w%_7"), True),
        (Case(((B, integer(1)), (TRUE, number(Fraction(1, 2)))), integer(3)), 0.5),
        (Case(((NULL, integer(1)),), integer(None)), None),
        (Cast(Y, Kind.INTEGER), 0),
        (Cast(integer(None), Kind.TEXT), None),
        (Cast(S, Kind.INTEGER), None),
    ],
)
def test_expressions_mean_what_sql_means(expression, value):
    found = compile_expression(expression)(ROW)
    assert found == value
    assert type(found) is type(value)


def test_a_unit_within_the_bound_is_never_scaled():
    for norm in Weighing:
        assert weight([1, 2], Weights(norm, 3, 1, 20)) == 1 << 20
    assert weight([3, 4], Weights(Weighing.L2, 5, 1, 20)) == 1 << 20
    assert weight([3, 4], Weights(Weighing.L1, 5, 1, 20)) == 5 * 2**20 // 7


def test_a_presence_is_scaled_by_the_root_of_the_square():
    assert presence_weight(4, Weights(Weighing.L2, 1, 1, 4)) == 8
    assert presence_weight(4, Weights(Weighing.L1, 1, 1, 4)) == 4
    assert presence_weight(4, Weights(Weighing.L2, 1, 4, 4)) == 16


def test_keys_and_measures_have_no_value_in_a_row():
    with pytest.raises(AssertionError):
        compile_expression(KeyOf(0))


def test_nothing_is_left_after_closing():
    engine = Memory({VISITS: ROWS})
    engine.close()
    with pytest.raises(Exception, match="could not evaluate"):
        engine.evaluate(EVERYTHING, LOOSE)
