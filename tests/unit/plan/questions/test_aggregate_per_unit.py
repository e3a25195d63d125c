"""What rows of one unit become: columns, bounds, grids."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import (
    Arithmetic,
    Column,
    Defined,
    Field,
    Folding,
    Kind,
    column_of,
    fold_rows,
    steps_of,
)
from tacit.plan.questions.aggregate_per_unit import label

F = Fraction
ENDS = st.fractions(-(10**9), 10**9, max_denominator=10**6)


@given(
    st.tuples(ENDS, ENDS).map(sorted).filter(lambda ends: ends[0] < ends[1]), st.integers(1, 10**6)
)
def test_totals_are_doubles_within_so_many_times_the_range(ends, most):
    value = Field(Column("x", Kind.NUMBER, *ends))
    made, steps = fold_rows(Folding.SUM, value, most), steps_of(fold_rows(Folding.SUM, value, most))
    low, high = made.column.low, made.column.high
    assert low == min(steps.low, most * steps.low) * made.step
    assert high == max(steps.high, most * steps.high) * made.step
    for end in (low, high):
        assert F(float(end)) == end
        assert abs(end / made.step) <= 2**51 + most
    assert made.step * 2**49 <= most * max(map(abs, ends)) or made.step == F(1, 2**900)


@given(st.tuples(ENDS, ENDS).map(sorted).filter(lambda ends: ends[0] < ends[1]))
def test_a_mean_stays_within_the_range_of_its_terms(ends):
    made = fold_rows(Folding.MEAN, Field(Column("x", Kind.NUMBER, *ends)), 7)
    assert ends[0] - made.step <= made.column.low <= made.column.high <= ends[1] + made.step
    assert steps_of(made).low * made.step == made.column.low


@pytest.mark.parametrize(
    ("low", "high", "most", "bounds"),
    [
        (0, 9, 5, (0, 45)),
        (2, 9, 5, (2, 45)),
        (-3, -1, 4, (-12, -1)),
        (-2, 3, 10, (-20, 30)),
        (5, 5, 1, (5, 5)),
    ],
)
def test_a_sum_of_integers_is_an_integer(low, high, most, bounds):
    column = fold_rows(Folding.SUM, Field(Column("x", Kind.INTEGER, low, high)), most).column
    assert (column.kind, column.low, column.high) == (Kind.INTEGER, *bounds)


def test_counts_are_held_at_the_contributions():
    assert fold_rows(Folding.COUNT, None, 7).column == Column(
        "COUNT(*)", Kind.INTEGER, 1, 7, nullable=False
    )
    some = fold_rows(Folding.COUNT, Field(Column("x", Kind.TEXT)), 7).column
    assert (some.name, some.low, some.high, some.nullable) == ("COUNT(x)", 0, 7, False)
    assert (
        fold_rows(Folding.DISTINCT, Field(Column("x", Kind.TEXT)), 7).column.name
        == "COUNT(DISTINCT x)"
    )


def test_extremes_are_like_what_they_are_of():
    given = Column("day", Kind.DATE, values=None, nullable=False)
    assert fold_rows(Folding.LEAST, Field(given), 3).column == Column(
        "MIN(day)", Kind.DATE, nullable=False
    )


@pytest.mark.parametrize("fold", [Folding.SUM, Folding.MEAN])
def test_what_has_no_range_is_not_summed(fold):
    with pytest.raises(Unbounded):
        fold_rows(fold, Field(Column("x", Kind.NUMBER)), 3)
    with pytest.raises(InvalidPlan, match="SUM and AVG need a number, but this"):
        fold_rows(fold, Field(Column("x", Kind.TEXT)), 3)


def test_a_sum_beyond_64_bits_is_refused():
    with pytest.raises(InvalidPlan, match="exceed 64 bits"):
        fold_rows(Folding.SUM, Field(Column("x", Kind.INTEGER, 0, 2**62)), 3)
    with pytest.raises(InvalidPlan, match="cannot be ordered"):
        fold_rows(Folding.GREATEST, Field(Column("x", Kind.BOOLEAN)), 3)


def test_a_column_that_is_repeated_keeps_what_is_public_about_it():
    given = Column("ward", Kind.TEXT, values=("A", "B"), nullable=False)
    assert column_of(Defined("w", Field(given))).values == ("A", "B")


def test_names_do_not_grow_without_end():
    """What is folded is called by how it is calculated: if that is long, by its beginning and what tells it apart."""
    one = Field(Column("x" * 1_500, Kind.INTEGER, 0, 9))
    two = Field(Column("x" * 1_400 + "y", Kind.INTEGER, 0, 9))
    long = [label("SUM", Arithmetic("+", one, other)) for other in (one, two)]
    assert len(set(long)) == 2
    assert all(len(name) < 2_100 for name in long)
    assert label("SUM", one) == f"SUM({'x' * 1_500})"
