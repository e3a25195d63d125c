"""Expressions as SQL."""

from fractions import Fraction

import pytest

from tacit.engines.sql.expressions import double, literal, quote_name, render, text, whole
from tacit.engines.sql.select_with_parameters import Reader
from tacit.plan import Arithmetic, Case, Cast, Column, Compared, Field, KeyOf, Kind, Like, Literal

Y = Field(Column("y", Kind.NUMBER, 1, 2))
I = Field(Column("i", Kind.INTEGER, 1, 2))
S = Field(Column("s", Kind.TEXT))


def sql(expression):
    return render(expression, Reader(lambda column: column.name))


def test_names_and_texts_cannot_end_their_quotes():
    assert quote_name('a"; DROP TABLE t0; --') == '"a""; DROP TABLE t0; --"'
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
    assert "CAST(NULL AS DOUBLE)" in sql(
        Case(((Compared("=", S, S), Y),), Literal(None, Kind.INTEGER))
    )


def test_text_grows_with_the_expression_and_not_faster():
    lengths = []
    for depth in (4, 8, 16):
        nested = Y
        for _ in range(depth):
            nested = Arithmetic(
                "/", Literal(Fraction(3, 2), Kind.NUMBER), Case(((Compared("=", S, S), nested),), Y)
            )
        lengths.append(len(sql(nested)))
    assert lengths[2] < 4.5 * lengths[0]
    nested = S
    for _ in range(12):
        nested = Cast(Cast(nested, Kind.INTEGER), Kind.TEXT)
    assert len(sql(nested)) < 2_000


def test_keys_and_measures_have_no_sql():
    with pytest.raises(AssertionError):
        sql(KeyOf(0))


def test_a_remainder_by_minus_one_is_zero_without_a_net(monkeypatch):
    """DuckDB fails on the least integer of 64 bits, where nothing holds it back."""
    import duckdb

    monkeypatch.setattr("tacit.engines.sql.duckdb_dialect.caught", lambda value: value)
    wide, divisor = (
        Field(Column("wide", Kind.INTEGER)),
        Field(Column("divisor", Kind.INTEGER, -5, 7)),
    )
    written = sql(Arithmetic("%", wide, divisor))
    least = "CAST('-9223372036854775808' AS BIGINT), CAST(-1 AS BIGINT)"
    cells = f"(VALUES ({least}), (-7, -1), (-7, 3), (7, -3)) AS t(wide, divisor)"
    assert duckdb.sql(f"SELECT {written} FROM {cells}").fetchall() == [(0,), (0,), (-1,), (1,)]
