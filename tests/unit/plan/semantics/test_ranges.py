"""Ranges: interval arithmetic that computed doubles cannot leave."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tacit.plan.semantics.ranges import LARGEST, Range, as_double, outward

doubles = st.floats(-1e100, 1e100, allow_subnormal=True)
small = st.floats(-1e-290, 1e-290)
pairs = st.tuples(doubles | small, doubles | small).map(sorted)


def between(pair, at):
    """A double of a range: an end, or somewhere between."""
    low, high = pair
    return min(max(low + (high - low) * at, low), high)


def exact(pair):
    return Range(Fraction(pair[0]), Fraction(pair[1]))


@given(pairs, pairs, st.floats(0, 1), st.floats(0, 1), st.sampled_from("+-*/%"))
@example([0.1, 0.3], [0.1, 0.7], 1.0, 1.0, "*")
@example([1e-300, 1e-290], [1e-300, 1e-290], 0.5, 0.5, "*")
def test_no_computed_double_leaves_its_range(left, right, at_left, at_right, operator):
    x, y = between(left, at_left), between(right, at_right)
    a, b = exact(left), exact(right)
    match operator:
        case "+":
            value, found = x + y, a + b
        case "-":
            value, found = x - y, a - b
        case "*":
            value, found = x * y, a * b
        case "%":
            if y == 0:
                return
            value, found = math.fmod(x, y), a.rest(b, whole=False)
        case _:
            found = a.divide(b, whole=False)
            if y == 0 or found is None or found.furthest > LARGEST:
                return
            value = x / y
    assert Fraction(value) in outward(found)


@given(st.fractions(-(10**9), 10**9), st.fractions(0, 10**9))
def test_outward_is_outward_and_hardly_wider(low, width):
    given_range = Range(low, low + width)
    found = outward(given_range)
    assert given_range.is_within(found)
    assert found.high - found.low <= width + (abs(low) + width) * Fraction(1, 2**47) + Fraction(
        1, 2**900
    )


@given(st.integers(-(2**50), 2**50), st.integers(-60, 60))
def test_short_numbers_stay_where_they_are(mantissa, exponent):
    end = mantissa * Fraction(2) ** exponent
    assert outward(Range(end, end)) == Range(end, end)


@pytest.mark.parametrize(
    ("divisor", "found"),
    [
        ((1, 4), (-10, 20)),
        ((-2, -1), (-20, 10)),
        ((0, 4), (-10, 20)),
        ((-1, 4), (-20, 20)),
        ((0, 0), (0, 0)),
    ],
)
def test_whole_divisors_that_are_not_zero_bound_the_quotient(divisor, found):
    assert Range(Fraction(-10), Fraction(20)).divide(
        Range(*map(Fraction, divisor)), whole=True
    ) == Range(*found)


def test_a_divisor_near_zero_bounds_nothing():
    assert (
        Range(Fraction(1), Fraction(2)).divide(Range(Fraction(0), Fraction(4)), whole=False) is None
    )


@pytest.mark.parametrize(
    ("dividend", "divisor", "found"),
    [
        ((0, 100), (1, 7), (0, 6)),
        ((-100, 100), (-7, 3), (-6, 6)),
        ((-2, 3), (10, 10), (-2, 3)),
        ((0, 9), (0, 0), (0, 0)),
    ],
)
def test_a_remainder_has_the_sign_of_the_dividend(dividend, divisor, found):
    assert Range(*map(Fraction, dividend)).rest(
        Range(*map(Fraction, divisor)), whole=True
    ) == Range(*found)


def test_numbers_become_the_nearest_double():
    assert as_double(Fraction(1, 10)) == Fraction(0.1)
    assert as_double(Fraction(10) ** 400) is None
