"""Uniform integers: too large a draw is thrown away whole."""

import random

import numpy as np
import pytest

from tacit.exact import below, random_bits

ALL_ONES = (1 << 64) - 1


def test_bits_are_the_low_ones_of_the_words_in_order(script):
    script(0xAAAA_0000_0000_BBBB, 0xCCCC_0000_0000_DDDD)
    assert random_bits(80) == 0xDDDD << 64 | 0xAAAA_0000_0000_BBBB
    script()
    assert random_bits(0) == 0


def test_the_number_of_bits_may_be_one_of_numpys():
    assert random_bits(np.int64(100)) < 1 << 100


def test_a_single_draw_that_is_too_large_is_thrown_away(script):
    words = script(7, 6, 5, 4)
    assert below(5) == 4
    assert words.left == []
    words = script(7, 5, 3, 0)
    assert below(5) == 3
    assert words.left == [0]


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 6, 7, 8, 9])
def test_every_integer_below_the_bound_comes_from_equally_many_words(script, bound):
    """The top bits of the words 0, 1, …, 15 in turn: what is kept is 0 … bound - 1, each equally often, in order."""
    width = (bound - 1).bit_length()
    wanted = bound * (16 >> width)
    repeats = [word << 60 for word in range(16)]
    filler = [0] * (2 * wanted + 64 - 16)
    script(*repeats, *filler)
    drawn = below(bound, wanted)[:wanted]
    expected = [word >> (4 - width) for word in range(16) if width and word >> (4 - width) < bound]
    assert drawn.tolist() == (expected if width else [0] * wanted)


def test_an_array_that_is_not_full_draws_more(script):
    too_large, fits = 7 << 61, 3 << 61
    words = script(*[too_large] * 66, *[fits] * 66)
    assert below(5, 1).tolist() == [3]
    assert words.asked == [66, 66]


def test_the_widest_results_are_not_negative(script):
    script(*[ALL_ONES] * 70)
    assert below(1 << 63, 3).tolist() == [(1 << 63) - 1] * 3
    script(*[ALL_ONES] * 70)
    drawn = below(1 << 64, 3)
    assert drawn.dtype == object
    assert drawn.tolist() == [ALL_ONES] * 3


@pytest.mark.parametrize("bound", [2**63 + 1, 2**64, 2**64 + 1, 2**130 - 5, 10**60])
def test_wide_numbers_are_those_of_their_words_and_drawn_in_vectors(script, bound):
    width = (bound - 1).bit_length()
    words = -(-width // 64)
    dice = random.Random(bound)
    parts = [[dice.randrange(1 << 64) for _ in range(72 + 64)] for _ in range(words)]
    seen = script(*(word for part in parts for word in part))
    expected = []
    for column in zip(*parts, strict=True):
        first, *others = column
        number = first >> 64 * words - width
        for word in others:
            number = number << 64 | word
        expected += [number] if number < bound else []
    assert below(bound, 36).tolist() == expected[:36]
    assert seen.asked == [words * 136]


def test_kinds_and_shapes():
    assert type(below(10)) is int
    assert below(np.int64(10)) < 10
    assert below(10, 4).dtype == np.int64
    assert below(10, 0).shape == (0,)
    assert below(1, 5).tolist() == [0] * 5
    assert below(1) == 0
    assert 0 <= below(10**100) < 10**100


def test_every_value_of_a_small_bound_occurs():
    """Misses a value with probability 7 * (6/7)**2000 < 1e-133."""
    assert set(below(7, 2000).tolist()) == set(range(7))
    assert {below(3) for _ in range(300)} == {0, 1, 2}
