"""Measures: grids, bounds and the proof that sums fit."""

from dataclasses import replace
from fractions import Fraction
from math import floor

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from tacit.errors import InvalidPlan, Unbounded
from tacit.plan import (
    Arithmetic,
    Called,
    Case,
    Column,
    Compared,
    Counted,
    Field,
    Function,
    Kind,
    Literal,
    Negated,
    Question,
    Scan,
    Summed,
    Units,
    Where,
    centred_sum,
    count_measure,
    fits,
    sum_measure,
    table_of,
)
from tests.unit.plan.cases import VISITS, decimal, evaluate, field, integer, numbers, rows


def test_integers_are_summed_as_they_are():
    assert sum_measure(field("age")) == Summed(field("age"), Fraction(1), 0, 120)
    assert centred_sum(field("age")) == Summed(field("age"), Fraction(1), 0, 120, 60)


def test_a_mean_of_an_odd_range_reaches_half_of_it_rounded_up():
    assert centred_sum(field("change")).centre == 1
    assert centred_sum(field("change")).reach == 6


def test_numbers_are_summed_in_steps_of_a_power_of_two():
    found = sum_measure(field("cost"))
    # 5000 / 2**20 is 0.00477, and 1/256 the power of two below
    assert found.step == Fraction(1, 256)
    assert (found.low, found.high) == (0, 5000 * 256)
    assert centred_sum(field("cost")).reach == 2500 * 256


@given(
    st.fractions(-(10**6), 10**6, max_denominator=1000),
    st.fractions(Fraction(1, 10**6), 10**6, max_denominator=10**6),
)
def test_the_grid_is_the_largest_power_of_two_that_is_fine_enough(low, width):
    found = sum_measure(Field(Column("x", Kind.NUMBER, low, low + width)))
    exact = Fraction(float(low + width)) - Fraction(float(low))
    assert found.step.numerator == 1 or found.step.denominator == 1
    assert (
        found.step <= exact / 2**20 < 2 * found.step or max(abs(found.low), abs(found.high)) > 2**50
    )
    assert max(abs(found.low), abs(found.high)) <= 2**51


def test_a_narrow_range_far_from_zero_has_a_coarser_grid():
    found = sum_measure(Field(Column("x", Kind.NUMBER, 10**15, 10**15 + 1)))
    assert max(abs(found.low), abs(found.high)) <= 2**51


@given(numbers, st.lists(rows, min_size=1, max_size=6))
def test_every_value_lies_between_the_bounds_of_its_sum(expression, tried):
    try:
        found = sum_measure(expression)
    except InvalidPlan:
        assume(False)
    for row in tried:
        value = evaluate(expression, row)
        if value is not None:
            steps = floor(Fraction(value) / found.step + Fraction(1, 2))
            assert found.low <= steps <= found.high


def test_a_sum_without_bounds_names_the_column_and_the_line_of_the_policy():
    with pytest.raises(Unbounded) as refusal:
        sum_measure(Case(((Compared(">", field("age"), integer(3)), field("weight")),), integer(0)))
    assert refusal.value.column == "weight"
    assert 'weight = { type = "number", low = ..., high = ... }' in str(refusal.value)


@pytest.mark.parametrize(
    ("expression", "reason"),
    [
        (field("name"), "SUM and AVG need a number, but this"),
        (field("smoker"), "SUM and AVG need a number, but this"),
        (field("day"), "SUM and AVG need a number, but this"),
        (integer(0), "so there is nothing to aggregate"),
        (Arithmetic("*", integer(2**62), integer(2**0)), None),
        (
            Arithmetic("+", integer(2**62), field("age")),
            "this sum could exceed the range of integers",
        ),
    ],
)
def test_what_cannot_be_summed_is_refused(expression, reason):
    if reason is None:
        assert sum_measure(expression).reach == 2**62
        return
    with pytest.raises(InvalidPlan, match=reason):
        sum_measure(expression)


def test_the_mean_of_a_constant_is_not_measured():
    with pytest.raises(InvalidPlan, match="so there is nothing to aggregate"):
        centred_sum(integer(5))
    with pytest.raises(InvalidPlan, match="so there is nothing to aggregate"):
        centred_sum(Field(Column("x", Kind.INTEGER, 3, 3)))
    assert sum_measure(integer(5)).reach == 5
    assert sum_measure(decimal("0.5")).reach == Fraction(1, 2) / sum_measure(decimal("0.5")).step


@pytest.mark.parametrize(
    ("expression", "mask"),
    [
        (field("stay"), None),
        (integer(1), None),
        (field("age"), field("age")),
        (Arithmetic("*", field("age"), integer(2)), field("age")),
        (Arithmetic("+", field("stay"), Negated(field("cost"))), field("cost")),
        (Arithmetic("-", field("age"), field("age")), field("age")),
        (Compared("<", field("age"), integer(2)), field("age")),
        (Called(Function.ABS, (field("change"),)), field("change")),
        (
            Called(Function.ROUND, (Arithmetic("*", field("cost"), integer(2)), integer(1))),
            field("cost"),
        ),
        (Called(Function.SQRT, (field("stay"),)), None),
        (Called(Function.COALESCE, (field("age"), integer(0))), None),
    ],
)
def test_equal_masks_are_counted_once(expression, mask):
    assert count_measure(expression) == Counted(mask)


@pytest.mark.parametrize(
    "expression",
    [
        Arithmetic("+", field("age"), field("cost")),
        Arithmetic("/", field("age"), field("change")),
        Arithmetic("/", field("stay"), field("change")),
        Arithmetic("%", field("age"), field("age")),
        Called(Function.SQRT, (field("drift"),)),
        Called(Function.NULLIF, (field("stay"), integer(1))),
        Called(Function.LEAST, (field("age"), field("cost"))),
    ],
)
def test_other_masks_are_counted_as_they_are(expression):
    assert count_measure(expression) == Counted(expression)


@given(numbers, st.lists(rows, min_size=1, max_size=6))
def test_a_count_counts_the_rows_that_are_not_null(expression, tried):
    try:
        found = count_measure(expression).value
    except InvalidPlan:
        assume(False)
    for row in tried:
        assert (evaluate(expression, row) is None) == (
            found is not None and evaluate(found, row) is None
        )


def asked(*measures, rows=10**7):
    return Question(Scan(replace(VISITS, rows=rows)), (), measures)


def test_sums_are_proved_to_fit():
    reach = 2**60
    measure = Summed(field("age"), Fraction(1), -reach, 0)
    assert fits(asked(measure, rows=2**20), 45)
    assert not fits(asked(measure, rows=2**20), 46)
    assert not fits(asked(Counted(), measure, rows=2**20), 46)
    assert fits(asked(Summed(field("age"), Fraction(1), -reach, 0, -reach // 2), rows=2**20), 46)


@pytest.mark.parametrize("measure", [Counted(), Units()])
def test_counts_fit_as_long_as_their_rows_do(measure):
    assert fits(asked(measure, rows=2**40 - 1), 86)
    assert not fits(asked(measure, rows=2**40), 86)


def test_the_table_of_rows_is_found_below_conditions():
    condition = Literal(True, Kind.BOOLEAN)
    assert table_of(Where(Where(Scan(VISITS), condition), condition)) is VISITS
