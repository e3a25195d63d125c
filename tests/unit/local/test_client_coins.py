"""Draws, from the bytes up: what every byte and every word makes of them."""

from collections import Counter
from fractions import Fraction
from itertools import product
from unittest.mock import patch

import numpy as np
import pytest

from tacit.local import Draws

F = Fraction


class Given(Draws):
    """Draws from bytes that are given."""

    def __init__(self, octets):
        self.left = octets

    def octets(self, count):
        taken, self.left = self.left[:count], self.left[count:]
        assert len(taken) == count, "more bytes are read than were given"
        return taken


@pytest.mark.parametrize("bound", [1, 2, 3, 5, 7, 8, 200, 255, 256])
def test_every_integer_below_the_bound_is_equally_likely(bound):
    kept = Counter()
    for byte in range(256):
        draws = Given(bytes([byte, 0]))
        number = draws.below(bound)
        if len(draws.left) == 1 or bound == 1:  # else the byte was thrown away
            kept[number] += 1
    assert len(kept) == bound
    assert len(set(kept.values())) == 1


def test_a_wide_bound_reads_whole_bytes_highest_first():
    assert Given(bytes([1, 2])).below(1000) == 0x102
    assert Given(bytes([3, 255, 0, 5])).below(1000) == 5  # 1023 is thrown away
    assert Given(b"\xff" * 8 + b"\0" * 8).below(2**64 - 1) == 0


def test_a_coin_is_a_number_below_its_total():
    assert [Given(bytes([byte])).coin(3, 1) for byte in range(4)] == [True, True, True, False]
    assert Given(b"").coin(1, 0) is True


def sixteen_bits(numbers):
    """Words that hold these 16-bit numbers."""
    filled = np.zeros(-(-len(numbers) // 4) * 4, np.uint16)
    filled[: len(numbers)] = numbers
    return filled.view(np.uint64)


@pytest.mark.parametrize(
    ("yes", "no"), [(1, 1), (1, 2), (1, 65535), (65535, 1), (2**40, 3**20), (1, 0)]
)
def test_many_coins_have_the_exact_probability(yes, no):
    """All 16-bit numbers at once, and those of a tie again: the chance is counted down to 2**-32."""
    every = np.arange(1 << 16)

    def given(count):
        assert count in {1 << 14, 1}
        return sixteen_bits(every) if count == 1 << 14 else sixteen_bits(np.zeros(4))

    with patch("tacit.local.client_coins.words", given):
        heads = Draws().coins(yes, no, 1 << 16)
    chance = F(yes, yes + no)
    sure = int(heads.sum())
    assert sure == min(
        -(-(chance.numerator << 16) // chance.denominator), 1 << 16
    )  # a tie that falls low is heads
    assert heads[:sure].all()
    tied = []
    with patch("tacit.local.client_coins.words", lambda count: sixteen_bits(every[: 4 * count])):
        draws = Draws()
        inner = draws.coins
        draws.coins = lambda *asked: tied.append(asked) or inner(*asked)
        inner(yes, no, 1 << 16)
    if (chance * 2**16).denominator == 1:
        assert not tied
    else:
        ((more, less, size),) = tied[:1]
        assert size == 1
        assert F(more, more + less) == chance * 2**16 % 1


@pytest.mark.parametrize(
    "bound", [1, 2, 3, 100, 1 << 16, (1 << 16) + 1, 1 << 20, (1 << 32) - 5, 1 << 40]
)
def test_many_numbers_are_below_their_bound_and_none_is_missing(bound):
    drawn = Draws().numbers(bound, 5000)
    assert drawn.shape == (5000,)
    assert drawn.dtype == np.int64
    assert drawn.min() >= 0
    assert drawn.max() < bound
    if bound <= 100:
        assert set(drawn.tolist()) == set(range(bound))  # misses one with probability below 1e-19


@pytest.mark.parametrize("bound", [3, 200, 65535])
def test_numbers_that_are_too_large_are_thrown_away(bound):
    asked = []

    def given(count):
        asked.append(count)
        return sixteen_bits(np.resize(np.arange(1 << 16), 4 * count))

    with patch("tacit.local.client_coins.words", given):
        drawn = Draws().numbers(bound, 1 << 16)
    width = (bound - 1).bit_length()
    expected = [number & ((1 << width) - 1) for number in range(1 << 16)]
    fits = [number for number in expected if number < bound]
    assert drawn[: len(fits)].tolist() == fits


def test_the_same_bytes_give_the_same_numbers():
    one, other = (Given(bytes(range(100))) for _ in range(2))
    asked = list(product((5, 77, 3000), range(4)))
    assert [one.below(bound) for bound, _ in asked] == [other.below(bound) for bound, _ in asked]
