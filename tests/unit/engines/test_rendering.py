"""Expressions as SQL."""

from fractions import Fraction

import pytest

from tacit.engines.rendering import double, literal, quoted, rendered, text, whole
from tacit.plan import Arithmetic, Case, Cast, Column, Compared, Field, KeyOf, Kind, Like, Literal

Y = Field(Column("y", Kind.NUMBER, 1, 2))
I = Field(Column("i", Kind.INTEGER, 1, 2))
S = Field(Column("s", Kind.TEXT))


def sql(expression):
    return rendered(expression, lambda column: column.name)


def test_names_and_texts_cannot_end_their_quotes():
    assert quoted('a"; DROP TABLE t0; --') == '"a""; DROP TABLE t0; --"'
    assert text("'; DROP TABLE t0; --") == "'''; DROP TABLE t0; --'"
    assert "''" in sql(Like(S, "it's%"))


@pytest.mark.parametrize("value", [0.1, 1e22, 5e-324, -1.7976931348623157e308, 1.0, 1 / 3])
def test_a_double_reads_back_as_itself(value):
    written = double(value)
    assert float(written) == value
    assert "e" in written  # without an exponent DuckDB reads a decimal


def test_integers_are_written_with_their_width():
    assert literal(5, Kind.INTEGER) == "CAST(5 AS BIGINT)"
    assert whole(5) == "5"
    assert "BIGINT" in whole(-(1 << 63))


def test_integers_meet_doubles_as_doubles():
    assert sql(Compared("<", I, Y)) == "(CAST(i AS DOUBLE) < y)"
    assert sql(Compared("<", I, I)) == "(i < i)"


def test_null_is_of_the_kind_that_it_meets():
    assert "CAST(NULL AS DOUBLE)" in sql(Case(((Compared("=", S, S), Y),), Literal(None, Kind.INTEGER)))


def test_text_grows_with_the_expression_and_not_faster():
    lengths = []
    for depth in (4, 8, 16):
        nested = Y
        for _ in range(depth):
            nested = Arithmetic("/", Literal(Fraction(3, 2), Kind.NUMBER), Case(((Compared("=", S, S), nested),), Y))
        lengths.append(len(sql(nested)))
    assert lengths[2] < 4.5 * lengths[0]
    nested = S
    for _ in range(12):
        nested = Cast(Cast(nested, Kind.INTEGER), Kind.TEXT)
    assert len(sql(nested)) < 2_000


def test_keys_and_measures_have_no_sql():
    with pytest.raises(AssertionError):
        sql(KeyOf(0))
