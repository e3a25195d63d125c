"""Geometric and discrete Laplace numbers, word by word."""

import random
import tracemalloc
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.exact import discrete_laplace, entropy, geometric, geometric_coins, laplace

ALL_ONES = (1 << 64) - 1
DIGITS = Context(prec=120)


def following_bits(nats: Fraction, words: int) -> list[int]:
    """exp(-nats) as words, by another arithmetic."""
    value = DIGITS.exp(DIGITS.divide(Decimal(-nats.numerator), Decimal(nats.denominator)))
    bits = int(DIGITS.multiply(value, Decimal(1 << 64 * words)))
    return [bits >> 64 * place & ALL_ONES for place in reversed(range(words))]


def as_the_coins_say(scale: Fraction, words: list[int]) -> int:
    """The geometric number of one word for each digit, read off the table in Python's integers."""
    coins = geometric_coins(scale)
    return sum(
        (word < int(top)) << place
        for place, (word, top) in enumerate(zip(words, coins.tops, strict=True))
    )


@pytest.mark.parametrize(
    "scale", [Fraction(1, 1000), Fraction(1, 3), Fraction(1), Fraction(1000), Fraction(2**54)]
)
@pytest.mark.parametrize("times", [1, 2**10, 2**146])
def test_an_array_and_single_draws_read_the_same_table(script, scale, times):
    """The vector path, the single path and the table itself turn the same words into the same numbers."""
    scale *= times
    count = len(geometric_coins(scale).digits)
    dice = random.Random(count)
    length = 200
    columns = [[dice.randrange(1, 1 << 64) for _ in range(count + 1)] for _ in range(length)]
    signs = [dice.randrange(1, 1 << 64) for _ in range(length)]
    expected = [as_the_coins_say(scale, words) for words in columns]
    script(*(words[place] for place in range(count + 1) for words in columns))
    assert geometric(scale, length).tolist() == expected
    for words, number in zip(columns, expected, strict=True):
        script(*words)
        assert geometric(scale) == number
    negative = int(geometric_coins(scale).negative_top)
    signed = [-1 - g if sign < negative else g for g, sign in zip(expected, signs, strict=True)]
    script(*(words[place] for place in range(count + 1) for words in columns), *signs)
    assert discrete_laplace(scale, length).tolist() == signed
    for words, sign, number in zip(columns, signs, signed, strict=True):
        script(*words, sign)
        assert discrete_laplace(scale) == number


@pytest.mark.parametrize(
    "scale", [Fraction(1, 1000), Fraction(1, 3), Fraction(7), Fraction(10**16, 3), Fraction(2**70)]
)
def test_words_that_are_computed_together_are_those_that_are_computed_singly(monkeypatch, scale):
    together = geometric_coins(scale).tops
    monkeypatch.setattr(laplace, "certain_floor", lambda *_: None)
    assert geometric_coins.__wrapped__(scale).tops.tolist() == together.tolist()


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(1000), Fraction(10**16, 3)])
@pytest.mark.parametrize("offset", [-1, 1])
def test_every_digit_resolves_its_tie_by_further_bits(script, scale, offset):
    """Every coin is tied with its stored word; the word after it decides."""
    coins = geometric_coins(scale)
    count = len(coins.digits)
    firsts = [int(top) for top in coins.tops[:count]]
    seconds = [(chance.floor(128) & ALL_ONES) + offset for chance in coins.digits]
    expected = (1 << count) - 1 if offset < 0 else 0
    script(*firsts, ALL_ONES, *seconds)
    assert geometric(scale) == expected
    script(*firsts, ALL_ONES, *seconds)
    assert geometric(scale, 1).tolist() == [expected]


@pytest.mark.parametrize("offset", [-1, 1])
def test_the_sign_resolves_its_tie_by_further_bits(script, offset):
    coins = geometric_coins(Fraction(10, 3))
    nothing = [ALL_ONES] * (len(coins.digits) + 1)
    second = (coins.negative.floor(128) & ALL_ONES) + offset
    expected = -1 if offset < 0 else 0
    script(*nothing, int(coins.negative_top), second)
    assert discrete_laplace(Fraction(10, 3)) == expected
    script(*nothing, int(coins.negative_top), second)
    assert discrete_laplace(Fraction(10, 3), 1).tolist() == [expected]


def escape_words(scale: Fraction, times: int) -> list[int]:
    """What follows a zero word in the escape's place, so that it is tossed with success `times` times, then without."""
    count = len(geometric_coins(scale).digits)
    words = following_bits((1 << count) / scale, 3)
    assert words[0] == 0
    once_more = [words[1] - 1] if words[1] else [0, words[2] - 1]
    return [*once_more, *([0, *once_more] * (times - 1)), 1]


@pytest.mark.parametrize("scale", [Fraction(1), Fraction(10, 3), Fraction(1000), Fraction(10**6)])
@pytest.mark.parametrize("times", [1, 2, 5])
def test_an_escape_adds_the_memoryless_remainder(script, scale, times):
    """Probability below 2**-64: the digits stay, and what lies beyond them is counted from one."""
    count = len(geometric_coins(scale).digits)
    digits = [0 if place % 2 else ALL_ONES for place in range(count)]
    low = sum(1 << place for place in range(count) if place % 2)
    words = script(*digits, 0, *escape_words(scale, times))
    assert geometric(scale) == low + (times << count)
    assert words.left == []
    words = script(*digits, 0, *escape_words(scale, times))
    drawn = geometric(scale, 1)
    assert drawn.tolist() == [low + (times << count)]
    assert drawn.dtype == np.int64
    assert words.left == []


def test_an_escape_in_an_array_concerns_its_own_place_alone(script):
    scale = Fraction(1)
    count = len(geometric_coins(scale).digits)
    table = np.full((count + 1, 3), ALL_ONES, np.uint64)
    table[0] = 0  # the lowest digit of all three is one
    table[count, 1] = 0
    script(*table.ravel().tolist(), *escape_words(scale, 2))
    assert geometric(scale, 3).tolist() == [1, 1 + (2 << count), 1]


def test_a_near_escape_adds_nothing(script):
    count = len(geometric_coins(Fraction(1)).digits)
    words = following_bits(Fraction(1 << count), 2)
    script(*[ALL_ONES] * count, 0, words[1] + 1)
    assert geometric(1) == 0


@pytest.mark.parametrize("scale", [Fraction(1, 1000), Fraction(1, 100), Fraction(1, 45)])
def test_the_smallest_scales_have_no_digits_and_still_no_end(script, scale):
    assert geometric_coins(scale).digits == ()
    escape = geometric_coins(scale).escape
    bits = 64 * (2 + int(1 / scale) * 3 // 128)
    passes = [
        (escape.floor(bits) - 1) >> 64 * place & ALL_ONES for place in reversed(range(bits // 64))
    ]
    script(*passes, *passes, *passes, ALL_ONES)
    assert geometric(scale) == 3


def test_a_wide_result_becomes_a_python_integer_and_never_wraps(script):
    """At scale 2**54 there are 60 digits; four escapes reach 2**62, eight pass the end of int64, 40 go far beyond."""
    scale = Fraction(2**54)
    count = len(geometric_coins(scale).digits)
    assert count == 60
    for times, dtype in ((3, np.int64), (4, object), (8, object), (40, object)):
        exact = (1 << count) - 1 + (times << count)
        script(*[0] * (count + 1), *escape_words(scale, times))
        drawn = geometric(scale, 1)
        assert drawn.dtype == dtype
        assert drawn.tolist() == [exact]
        for sign, signed in ((0, -1 - exact), (ALL_ONES, exact)):
            script(*[0] * (count + 1), *escape_words(scale, times), sign)
            drawn = discrete_laplace(scale, 1)
            assert drawn.tolist() == [signed]
            assert type(drawn.tolist()[0]) is int


def test_blocks_of_which_one_is_wide_are_joined_as_python_integers(monkeypatch, script):
    monkeypatch.setattr(laplace, "_BLOCK", 1)
    scale = Fraction(2**54)
    count = len(geometric_coins(scale).digits)
    small = [ALL_ONES] * (count + 1)
    script(*small, ALL_ONES, *[0] * (count + 1), *escape_words(scale, 9), 0, *small, 0)
    drawn = discrete_laplace(scale, 3)
    assert drawn.dtype == object
    assert drawn.tolist() == [0, -(10 << count), -1]
    assert {type(number) for number in drawn.tolist()} == {int}


WIDE = [2**57, 2**62, 2**64, 2**200, 2**1024]


@pytest.mark.parametrize("scale", WIDE)
def test_noise_of_any_width_is_drawn_in_vectors(monkeypatch, scale):
    asked = []
    words = entropy.words
    monkeypatch.setattr(entropy, "words", lambda count: (asked.append(count), words(count))[1])
    monkeypatch.setattr(laplace, "_digits", lambda coins: pytest.fail("drawn one by one"))
    assert len(geometric(scale, 1000)) == len(discrete_laplace(scale, 1000)) == 1000
    assert len(asked) <= 4


@pytest.mark.parametrize("scale", WIDE)
def test_wide_scales_draw_python_integers(scale):
    for drawn in (geometric(scale, 40), discrete_laplace(scale, 40)):
        assert drawn.dtype == object
        assert {type(number) for number in drawn.tolist()} == {int}
    # All 40 within a 2**40th of the scale: probability below 2**-1500.
    assert max(abs(number) for number in drawn.tolist()) > scale >> 40


def test_a_single_draw_asks_for_the_same_words_whatever_comes_out(script):
    count = len(geometric_coins(Fraction(1000)).digits)
    asked = set()
    for word in (1, 1 << 40, 1 << 62, ALL_ONES):
        words = script(*[word] * (count + 2))
        discrete_laplace(1000)
        asked.add(tuple(words.asked))
    assert len(asked) == 1


def test_kinds_and_shapes():
    assert type(geometric(3)) is int
    assert type(discrete_laplace(3)) is int
    assert geometric(3, 0).shape == discrete_laplace(3, 0).shape == (0,)
    assert geometric(3, 0).dtype == np.int64
    assert discrete_laplace(0.5, 3).dtype == np.int64
    assert discrete_laplace(np.int64(3), np.int32(7)).shape == (7,)
    assert geometric(3, 1000).min() >= 0
    assert discrete_laplace(2**60, 0).shape == (0,)


def test_the_ends_of_a_block_are_drawn_too():
    """Lengths around the block's: a cell that is not written would be zero, which at this scale has chance 2**-40."""
    for size in ((1 << 14) - 1, 1 << 14, (1 << 14) + 1, (1 << 15) + 3):
        drawn = geometric(1 << 40, size)
        assert len(drawn) == size
        assert np.count_nonzero(drawn == 0) < 3


def test_ten_million_are_drawn_in_the_memory_of_two_arrays():
    """80 MB of numbers, joined from their blocks: the words behind them are never all there at once."""
    tracemalloc.start()
    try:
        drawn = discrete_laplace(1, 10**7)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert drawn.shape == (10**7,)
    assert drawn.dtype == np.int64
    assert peak < 200 * 10**6
