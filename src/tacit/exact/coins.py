"""Coins whose probability is any real number, tossed exactly."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import overload

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import entropy
from tacit.exact.certified import Ball, ball, floor_of
from tacit.exact.rational import LARGEST_SIZE, Number, at_least, count_of
from tacit.frozen import frozen

__all__ = [
    "Chance",
    "bernoulli",
    "bernoulli_exp",
    "exp_chance",
    "falls_below",
    "logistic_chance",
    "rational_chance",
    "settle",
]

Bools = NDArray[np.bool_]
Words = NDArray[np.uint64]

_LARGEST_WORD = (1 << 64) - 1


@frozen(eq=False)
class Chance:
    """A probability p that can be known to any number of bits: `floor(bits)` is floor(2**bits * p)."""

    floor: Callable[[int], int]

    def top(self) -> int:
        """The first 64 bits, as the word with which a random word is compared."""
        return min(self.floor(64), _LARGEST_WORD)


def rational_chance(probability: Fraction) -> Chance:
    """The chance of a rational.

    >>> rational_chance(Fraction(1, 3)).floor(4)
    5
    """
    above, below = probability.numerator, probability.denominator
    return Chance(lambda bits: (above << bits) // below)


def exp_chance(exponent: Fraction) -> Chance:
    """The chance exp(-exponent), for an exponent of at least zero.

    >>> exp_chance(Fraction(1)).floor(8)
    94
    """
    if exponent == 0:
        return rational_chance(Fraction(1))

    def value() -> Ball:
        return (-ball(exponent)).exp()  # enclosed anew at every precision

    return Chance(lambda bits: floor_of(value, bits))


def logistic_chance(exponent: Fraction) -> Chance:
    """The chance 1 / (1 + exp(exponent)).

    >>> logistic_chance(Fraction(0)).floor(8)
    128
    """
    if exponent == 0:
        return rational_chance(Fraction(1, 2))
    return Chance(lambda bits: floor_of(lambda: 1 / (1 + ball(exponent).exp()), bits))


def settle(chance: Chance, word: int) -> bool:
    """Whether a uniform number that begins with the bits of `word` lies below the chance.

    >>> settle(rational_chance(Fraction(1)), 2**64 - 1)
    True
    """
    uniform, bits = word, 64
    while (floor := chance.floor(bits)) == uniform:
        uniform = uniform << 64 | int(entropy.words(1)[0])
        bits += 64
    return uniform < floor


def falls_below(words: Words, top: np.uint64, chance: Chance) -> Bools:
    """One toss of the coin for each word: true with exactly the given chance.

    Claim:      each toss is true with probability exactly p, for any real p in [0, 1].
    Because:    a uniform number U is revealed 64 bits at a time; U < p is decided by the first word in which
                U and p differ, and on a tie (probability 2**-64) more bits of both are computed.
    Checked by: tests/unit/exact/test_coins.py
    """
    below = words < top
    tied = words == top
    if tied.any():
        for place in np.flatnonzero(tied):
            below[place] = settle(chance, int(words[place]))
    return below


@overload
def bernoulli(probability: Number, size: None = None) -> bool: ...
@overload
def bernoulli(probability: Number, size: int) -> Bools: ...
def bernoulli(probability: Number, size: int | None = None) -> bool | Bools:
    """True with exactly the given probability; with `size`, that many independent tosses.

    >>> bernoulli(Fraction(1)), bernoulli(0)
    (True, False)
    """
    exact = at_least(probability, "probability")
    if not 0 <= exact <= 1:
        raise InvalidInput("probability", probability, "give a number from 0 to 1")
    return _toss(rational_chance(exact), size)


@overload
def bernoulli_exp(exponent: Number, size: None = None) -> bool: ...
@overload
def bernoulli_exp(exponent: Number, size: int) -> Bools: ...
def bernoulli_exp(exponent: Number, size: int | None = None) -> bool | Bools:
    """True with probability exactly exp(-exponent); with `size`, that many independent tosses.

    >>> bernoulli_exp(0)
    True
    """
    exact = at_least(exponent, "exponent")
    if not 0 <= exact <= 1 << 40:
        raise InvalidInput("exponent", exponent, "give a number from 0 to 2**40")
    return _toss(exp_chance(exact), size)


def _toss(chance: Chance, size: int | None) -> bool | Bools:
    wanted = 1 if size is None else count_of(size, "size", most=LARGEST_SIZE)
    tosses = falls_below(entropy.words(wanted), np.uint64(chance.top()), chance)
    return bool(tosses[0]) if size is None else tosses
