"""Geometric and discrete Laplace numbers: the binary digits of a geometric number are independent coins."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import entropy
from tacit.exact.certified import ball, certain_floor, working
from tacit.exact.coins import Chance, exp_chance, falls_below, logistic_chance, settle
from tacit.exact.rational import LARGEST_SIZE, Number, at_least, count_of
from tacit.frozen import frozen

__all__ = ["GeometricCoins", "discrete_laplace", "geometric", "geometric_coins"]

Integers = NDArray[Any]  # int64, or Python integers where one of them needs more than 63 bits

SMALLEST_SCALE = Fraction(1, 1000)
WIDEST_SCALE = 1 << 1024
_BLOCK = 1 << 14
_SMALL_INTEGERS = tuple(range(-5, 257))
_NATS_IN_A_WORD = 45  # exp(-45) < 2**-64


@frozen(eq=False)
class GeometricCoins:
    """The coins that make a geometric number G with P(G = g) proportional to exp(-g / scale).

    Coin j is binary digit j of G; the escape coin says whether G has any digit beyond them.

    Claim:      tossing every coin once, and starting again one size up on an escape, gives G exactly.
    Because:    g = sum of d_j 2**j, so exp(-g/scale) is the product of exp(-d_j 2**j / scale): the digits are
                independent, digit j is 1 with chance 1 / (1 + exp(2**j / scale)), and what lies beyond digit
                J is geometric with scale / 2**J, of which at least 1 has chance exp(-2**J / scale) and, being
                memoryless, exceeds 1 by a fresh copy of itself.
    Checked by: tests/laws/test_sampler_law.py
    """

    scale: Fraction
    digits: tuple[Chance, ...]
    escape: Chance
    tops: NDArray[np.uint64]
    negative: Chance
    negative_top: np.uint64

    @property
    def tail_scale(self) -> Fraction:
        """The scale of what lies beyond the digits."""
        return self.scale / (1 << len(self.digits))


@lru_cache(maxsize=1024)
def geometric_coins(scale: Fraction) -> GeometricCoins:
    """The coins for one scale, with enough digits that an escape is rarer than 2**-64.

    >>> len(geometric_coins(Fraction(1)).digits)
    6
    """
    count = max(0, (-(-_NATS_IN_A_WORD * scale.numerator // scale.denominator) - 1).bit_length())
    digits = tuple(_digit_chance(scale, place) for place in range(count))
    escape = exp_chance((1 << count) / scale)
    negative = logistic_chance(1 / scale)
    tops = _tops(scale, (*digits, escape))
    return GeometricCoins(scale, digits, escape, tops, negative, np.uint64(negative.top()))


def _digit_chance(scale: Fraction, place: int) -> Chance:
    """The chance of one digit, which is looked at in a tie alone."""
    return Chance(lambda bits: logistic_chance((1 << place) / scale).floor(bits))


def _tops(scale: Fraction, chances: Sequence[Chance]) -> NDArray[np.uint64]:
    """The first 64 bits of the chances of all digits and of the escape.

    Claim:      every word is that of the exact chance.
    Because:    e**(2**j / scale), squared, is that of the next digit, and a ball keeps what is exact inside, of which
                a square loses one bit; a floor that is not certain is computed singly.
    Checked by: tests/laws/test_sampler_law.py
    """
    found = []
    with working(128 + len(chances)):
        power = ball(1 / scale).exp()
        for _ in chances[:-1]:
            found.append(certain_floor(1 / (1 + power), 64))
            power = power * power
        found.append(certain_floor(1 / power, 64))
    words = zip(found, chances, strict=True)
    return np.array(
        [chance.top() if floor is None else floor for floor, chance in words], np.uint64
    )


@overload
def geometric(scale: Number, size: None = None) -> int: ...
@overload
def geometric(scale: Number, size: int) -> Integers: ...
def geometric(scale: Number, size: int | None = None) -> int | Integers:
    """An integer g >= 0 with probability proportional to exp(-g / scale); with `size`, an array of them.

    >>> geometric(3) >= 0
    True
    """
    coins = geometric_coins(_check_scale(scale))
    if size is None:
        return _one(coins)
    wanted = count_of(size, "size", most=LARGEST_SIZE)
    return _concatenate([_block(coins, length) for length in _lengths(wanted)])


@overload
def discrete_laplace(scale: Number, size: None = None) -> int: ...
@overload
def discrete_laplace(scale: Number, size: int) -> Integers: ...
def discrete_laplace(scale: Number, size: int | None = None) -> int | Integers:
    """An integer z with probability proportional to exp(-|z| / scale); with `size`, an array of them.

    Claim:      z = g or -1 - g, with g geometric and the sign negative with chance 1 / (1 + exp(1 / scale)).
                Nothing is rejected, nothing truncated, and the work is the same whatever comes out.
    Because:    with r = exp(-1/scale), P(z < 0) = r / (1 + r), and on either side the distance to the nearest
                end (0 or -1) is geometric with ratio r.
    Checked by: tests/laws/test_sampler_law.py

    >>> discrete_laplace(1000, 5).dtype
    dtype('int64')
    """
    coins = geometric_coins(_check_scale(scale))
    if size is None:
        return _one_signed(coins)
    wanted = count_of(size, "size", most=LARGEST_SIZE)
    blocks = []
    for length in _lengths(wanted):
        magnitude = _block(coins, length)
        below_zero = falls_below(entropy.words(length), coins.negative_top, coins.negative)
        blocks.append(magnitude ^ -below_zero.astype(magnitude.dtype))
    return _concatenate(blocks)


def _check_scale(scale: Number) -> Fraction:
    exact = at_least(scale, "scale")
    if not SMALLEST_SCALE <= exact <= WIDEST_SCALE:
        raise InvalidInput(
            "scale", scale, "give a scale from 1/1000 to 2**1024, in steps of the grid"
        )
    return exact


def _lengths(wanted: int) -> Iterator[int]:
    yield from (min(_BLOCK, wanted - start) for start in range(0, wanted, _BLOCK))


def _concatenate(blocks: list[Integers]) -> Integers:
    return np.concatenate(blocks) if blocks else np.empty(0, np.int64)


def _one(coins: GeometricCoins) -> int:
    """One draw of any width."""
    return _assemble(*_digits(coins), 0)


def _one_signed(coins: GeometricCoins) -> int:
    """One signed draw of any width."""
    packed, beyond = _digits(coins)
    sign = falls_below(entropy.words(1), coins.negative_top, coins.negative)
    return _assemble(packed, beyond, int(sign[0]))


def _digits(coins: GeometricCoins) -> tuple[bytes, int]:
    """The digits of one draw as bytes, every digit's coin tossed, and what lies beyond them."""
    count = len(coins.digits)
    tossed = _toss(coins, 1)[:, 0]
    packed = np.packbits(tossed[:count], bitorder="little").tobytes()
    return packed, (1 + _one(geometric_coins(coins.tail_scale)) << count) if tossed[count] else 0


def _assemble(packed: bytes, beyond: int, sign: int) -> int:
    """The integer of the digits, or minus one less it.

    CPython keeps one object for each small integer; to return one that lies outside the processor's cache takes longer,
    and would tell a small number from a large one.  So the number is made with one digit more, which makes all alike,
    all small integers are touched, and only then that digit is taken away.
    """
    bias = 1 << 8 * len(packed)
    biased = int.from_bytes(packed + b"\1", "little") ^ -sign
    sum(_SMALL_INTEGERS)
    number = biased + (bias if sign else -bias)
    return number + (-beyond if sign else beyond) if beyond else number


def _toss(coins: GeometricCoins, length: int) -> NDArray[np.bool_]:
    """Every coin tossed `length` times: a row for each digit, and the last one for the escape.

    Claim:      each toss is true with exactly its coin's chance, and all are made, whatever the others say.
    Because:    a random word below the first 64 bits of a chance is a hit, one above a miss, and a tie is settled by
                more bits of both.
    Checked by: tests/laws/test_sampler_law.py and tests/unit/exact/test_laplace.py
    """
    drawn = entropy.words(len(coins.tops) * length).reshape(-1, length)
    tossed, tied = drawn < coins.tops[:, None], drawn == coins.tops[:, None]
    if tied.any():
        chances = (*coins.digits, coins.escape)
        for place, at in np.argwhere(tied):
            tossed[place, at] = settle(chances[place], int(drawn[place, at]))
    return tossed


def _block(coins: GeometricCoins, length: int) -> Integers:
    """Many draws at once, however many digits there are."""
    count = len(coins.digits)
    tossed = _toss(coins, length)
    packed = np.packbits(tossed[:count].T, axis=1, bitorder="little")
    as_bytes = np.zeros((length, 8 * -(-max(count, 1) // 64)), np.uint8)
    as_bytes[:, : packed.shape[1]] = packed
    numbers, escaped = _joined_words(as_bytes.view(np.uint64), count), tossed[count]
    return _with_escapes(numbers, escaped, coins) if escaped.any() else numbers


def _joined_words(words: NDArray[np.uint64], bits: int) -> Integers:
    """The numbers whose words stand in rows, lowest first: Python's integers where 62 bits are too few."""
    if bits <= 62:
        return words[:, 0].view(np.int64)
    numbers = words[:, 0].astype(object)
    for place in range(1, words.shape[1]):
        numbers = numbers | words[:, place].astype(object) << 64 * place
    return np.asarray(numbers)


def _with_escapes(numbers: Integers, escaped: NDArray[np.bool_], coins: GeometricCoins) -> Integers:
    """The same numbers with what lies beyond the digits added, as wide as it needs to be."""
    wide = numbers.astype(object)
    for place in np.flatnonzero(escaped):
        wide[place] += 1 + _one(geometric_coins(coins.tail_scale)) << len(coins.digits)
    return wide if max(wide) >= 1 << 62 else wide.astype(np.int64)
