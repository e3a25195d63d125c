"""Directed readings of what people type."""

import math
import sys
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidInput
from tacit.exact import at_least, at_most, count_of, float_at_least, float_at_most
from tests.together import together
from tests.unit.exact.wrong import NO_NUMBERS, NO_SIZES

finite = st.floats(allow_nan=False, allow_infinity=False)


@given(finite)
def test_a_float_is_read_both_as_its_binary_value_and_as_the_decimal_it_prints(number):
    readings = {Fraction(number), Fraction(repr(number))}
    assert at_least(number) == max(readings)
    assert at_most(number) == min(readings)


@given(finite)
def test_the_readings_of_the_negative_are_exchanged(number):
    assert at_least(-number) == -at_most(number)


@given(st.fractions() | st.integers() | st.decimals(-(10**9), 10**9))
def test_an_exact_number_has_one_reading(number):
    assert at_least(number) == at_most(number) == Fraction(number)


@pytest.mark.parametrize(
    ("number", "binary_is_larger"),
    [(0.1, True), (0.3, False), (1e22, None), (1e23, False), (5e-324, False), (0.5, None)],
)
def test_known_floats(number, binary_is_larger):
    binary, printed = Fraction(number), Fraction(repr(number))
    assert (None if binary == printed else binary > printed) is binary_is_larger
    assert at_least(number) >= binary >= at_most(number)
    assert at_least(number) >= printed >= at_most(number)


@pytest.mark.parametrize("number", [np.float64(0.1), np.int64(3), np.uint8(200), np.int32(-5)])
def test_numbers_of_numpy_are_read_like_pythons(number):
    assert at_least(number) == at_least(number.item())
    assert type(at_least(number).numerator) is int


def test_the_kind_of_the_result():
    for number in (1, 0.5, Decimal("0.1"), Fraction(1, 3), math.pi):
        assert type(at_least(number)) is type(at_most(number)) is Fraction


@together
@pytest.mark.parametrize("number", NO_NUMBERS.values(), ids=NO_NUMBERS)
@pytest.mark.parametrize("reading", [at_least, at_most])
def test_what_is_no_short_number_is_refused(reading, number):
    with pytest.raises(InvalidInput) as caught:
        reading(number, "epsilon")
    assert caught.value.name == "epsilon"
    assert str(caught.value).startswith(("epsilon cannot be ", "epsilon is missing"))
    assert "; give " in str(caught.value)
    assert len(str(caught.value)) < 250


def test_a_decimal_of_very_many_digits_is_refused_like_a_fraction():
    with pytest.raises(InvalidInput):
        at_least(Decimal("1." + "1" * 10_000))


@given(
    st.fractions()
    | st.floats(-1e307, 1e307).map(Fraction)
    | st.fractions(-1, 1).map(lambda part: part / 10**320)
)
def test_a_rational_is_shown_as_the_nearest_float_in_the_direction_named(exact):
    above, below = float_at_least(exact), float_at_most(exact)
    assert Fraction(above) >= exact >= Fraction(below)
    assert (
        Fraction(math.nextafter(above, -math.inf))
        < exact
        < Fraction(math.nextafter(below, math.inf))
    )


def test_a_rational_beyond_the_largest_float_is_shown_outwards():
    assert float_at_least(Fraction(10**400)) == math.inf
    assert float_at_least(Fraction(-(10**400))) == -sys.float_info.max
    assert float_at_most(Fraction(-(10**400))) == -math.inf
    assert float_at_most(Fraction(10**400)) == sys.float_info.max


def test_counts():
    assert count_of(0) == 0
    assert count_of(np.int8(5)) == 5
    assert type(count_of(np.uint64(5))) is int
    assert count_of(1, least=1) == 1


@pytest.mark.parametrize("number", [*NO_SIZES.values(), None], ids=[*NO_SIZES, "none"])
def test_what_is_no_count_is_refused(number):
    with pytest.raises(InvalidInput) as caught:
        count_of(number, "size", most=1 << 36)
    assert caught.value.name == "size"
    assert len(str(caught.value)) < 250


def test_a_count_below_the_least_is_refused():
    with pytest.raises(InvalidInput, match="from 3 to"):
        count_of(2, least=3)
    assert count_of(9, most=9) == 9
    with pytest.raises(InvalidInput, match="from 0 to 9"):
        count_of(10, most=9)
