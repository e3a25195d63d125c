"""Numbers between two rationals."""

from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.audit.enclosure import Enclosure, enclose, exp_of, log_of, rational
from tacit.errors import InvalidInput
from tacit.exact import log

ZERO, ONE = Fraction(0), Fraction(1)


def test_a_float_is_shown_rounded_up():
    third = Fraction(1, 3)
    assert Fraction(float(Enclosure(third, third))) >= third
    assert Fraction(float(Enclosure(ZERO, Fraction(1, 10)))) >= Fraction(1, 10)


def test_a_float_has_two_readings_and_a_rational_one():
    assert not enclose(0.1).exact
    assert enclose(Decimal("0.1")) == Enclosure(Fraction(1, 10), Fraction(1, 10))
    assert enclose(3).exact


def test_a_ball_is_read_as_its_two_ends():
    three = enclose(log(3))
    assert not three.exact
    assert three.width < Fraction(1, 2**120)
    assert log(3) in three
    assert Fraction(2) not in three


def test_exponential_and_logarithm_round_outwards():
    e = exp_of(Enclosure(ONE, ONE), 64)
    assert e.low < e.high
    assert Fraction("2.71828182845904523536") in Enclosure(e.low - Fraction(1, 10**18), e.high)
    back = log_of(e, 64)
    assert back.low <= 1 <= back.high


def test_the_exponential_of_zero_and_the_logarithm_of_one_are_exact():
    assert exp_of(Enclosure(ZERO, ZERO), 64) == Enclosure(ONE, ONE)
    assert log_of(Enclosure(ONE, ONE), 64) == Enclosure(ZERO, ZERO)


@pytest.mark.parametrize("given", [0.5, True, "1", None, float("nan")])
def test_an_exact_question_refuses_what_is_not_rational(given):
    with pytest.raises(InvalidInput, match="ratio"):
        rational(given, "ratio")


def test_an_exact_number_prints_as_a_fraction_and_an_enclosed_one_with_its_width():
    assert str(Enclosure(Fraction(2, 5), Fraction(2, 5))) == "2/5"
    assert str(enclose(log(3))).startswith("1.0986122886681098 (certified, to within")


def test_a_huge_enclosure_is_shown_as_infinite_rather_than_failing():
    assert float(Enclosure(Fraction(10**400), Fraction(10**400))) == float("inf")
