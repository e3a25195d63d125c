"""Coins: the first word decides, and on a tie the next."""

from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.exact import (
    bernoulli,
    bernoulli_exp,
    entropy,
    exp_chance,
    falls_below,
    logistic_chance,
    rational_chance,
)
from tacit.exact.coins import settle

ALL_ONES = (1 << 64) - 1
THIRD = ALL_ONES // 3  # 0101…01, and one third is this word for ever
DIGITS = Context(prec=200)


def ideal_floor(value: Decimal, bits: int) -> int:
    return int(DIGITS.multiply(value, Decimal(1 << bits)))


def test_a_third_is_the_same_word_for_ever():
    assert rational_chance(Fraction(1, 3)).floor(192) == THIRD << 128 | THIRD << 64 | THIRD


@pytest.mark.parametrize("ties", [0, 1, 2, 5])
@pytest.mark.parametrize(("off", "verdict"), [(-1, True), (1, False)])
def test_a_tie_is_decided_by_the_first_word_that_differs(script, ties, off, verdict):
    words = script(*[THIRD] * ties, THIRD + off)
    assert bernoulli(Fraction(1, 3)) is verdict
    assert words.left == []


@pytest.mark.parametrize("place", [0, 1, 6])
def test_a_tie_in_an_array_concerns_its_own_place_alone(script, place):
    first = [0 if index % 2 else ALL_ONES for index in range(7)]
    first[place] = THIRD
    expected = [word == 0 for word in first]
    for second, verdict in ((THIRD - 1, True), (THIRD + 1, False)):
        script(*first, second)
        expected[place] = verdict
        assert bernoulli(Fraction(1, 3), 7).tolist() == expected


def test_two_ties_in_an_array_are_decided_by_different_words(script):
    script(THIRD, 0, THIRD, THIRD + 1, 0)
    assert bernoulli(Fraction(1, 3), 3).tolist() == [False, True, True]


def test_certainty_passes_even_the_largest_word(script):
    script(*[ALL_ONES] * 5)
    assert bernoulli(1) is True
    assert bernoulli(Fraction(1), 3).all()
    assert bernoulli_exp(0) is True


def test_impossibility_fails_even_the_smallest_words(script):
    words = script(0, 0, 0, 1)
    assert bernoulli(0) is False
    assert words.left == []


def test_a_chance_of_2_to_the_minus_70_is_not_nothing(script):
    tiny = Fraction(1, 1 << 70)
    for second, verdict in (((1 << 58) - 1, True), ((1 << 58) + 1, False), (1 << 58, None)):
        script(0, second)
        if verdict is None:  # exactly the chance so far: a third word is wanted
            with pytest.raises(AssertionError, match="left"):
                bernoulli(tiny)
        else:
            assert bernoulli(tiny) is verdict


def test_a_chance_of_almost_one_can_fail(script):
    nearly = 1 - Fraction(1, 1 << 70)
    script(ALL_ONES, ALL_ONES - (1 << 58) - 1)
    assert bernoulli(nearly) is True
    script(ALL_ONES, ALL_ONES - (1 << 58) + 2)
    assert bernoulli(nearly) is False


def test_exp_of_minus_a_hundred_happens_at_the_third_word(script):
    third = ideal_floor(DIGITS.exp(Decimal(-100)), 192)
    assert 0 < third < 1 << 64  # so the first two words of the chance are zero
    script(0, 0, third - 1)
    assert bernoulli_exp(100) is True
    script(0, 0, third + 1)
    assert bernoulli_exp(100) is False


@given(
    st.fractions(0, 1, max_denominator=1 << 80), st.integers(0, ALL_ONES), st.integers(0, ALL_ONES)
)
def test_a_coin_compares_the_uniform_number_with_the_probability(probability, first, second):
    """The law itself: with U = first / 2**64 + second / 2**128, known to 128 bits, the toss is U < p."""
    uniform = first << 64 | second
    floor = rational_chance(probability).floor(128)
    if floor == uniform:
        return  # undecided by 128 bits
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entropy, "words", lambda count: np.array([second], np.uint64))
        assert settle(rational_chance(probability), first) is (uniform < floor)


@given(st.fractions(0, 200, max_denominator=10**6), st.integers(1, 400))
def test_the_floors_of_an_exponential_are_those_of_another_arithmetic(exponent, bits):
    ideal = DIGITS.exp(DIGITS.divide(Decimal(-exponent.numerator), Decimal(exponent.denominator)))
    assert exp_chance(exponent).floor(bits) == ideal_floor(ideal, bits)
    ideal = DIGITS.divide(ideal, DIGITS.add(ideal, Decimal(1)))
    assert logistic_chance(exponent).floor(bits) == ideal_floor(ideal, bits)


@given(
    st.fractions(0, 1) | st.sampled_from([Fraction(0), Fraction(1)]),
    st.integers(1, 300),
    st.integers(0, 300),
)
def test_a_shorter_floor_is_the_beginning_of_a_longer_one(probability, bits, more):
    for chance in (
        rational_chance(probability),
        exp_chance(probability),
        logistic_chance(probability),
    ):
        assert chance.floor(bits) == chance.floor(bits + more) >> more


def test_only_certainty_has_a_word_that_is_not_its_first():
    assert rational_chance(Fraction(1)).floor(64) == 1 << 64
    assert rational_chance(Fraction(1)).top() == ALL_ONES
    assert exp_chance(Fraction(0)).top() == ALL_ONES
    assert exp_chance(Fraction(1, 1 << 80)).top() == ALL_ONES
    assert rational_chance(Fraction(0)).top() == 0


def test_tosses_are_as_many_as_there_are_words():
    half = rational_chance(Fraction(1, 2))
    words = np.array([0, 1 << 63, (1 << 63) - 1, ALL_ONES], np.uint64)
    words[1] += np.uint64(1)
    assert falls_below(words, np.uint64(half.top()), half).tolist() == [True, False, True, False]


def test_shapes():
    assert bernoulli(Fraction(1, 2), 0).shape == (0,)
    assert bernoulli(Fraction(1, 2), 3).dtype == np.bool_
    assert type(bernoulli(Fraction(1, 2))) is bool
    assert type(bernoulli_exp(Fraction(1, 2))) is bool
    assert bernoulli_exp(Fraction(1, 2), np.int64(4)).shape == (4,)


def test_a_float_probability_is_read_upwards_and_never_above_one():
    assert bernoulli(1.0, 50).all()
    assert not bernoulli(0.0, 50).any()
