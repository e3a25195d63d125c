"""The threshold that hides the keys of single units without a delta: it grows with the bits of a key's code."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from math import ceil, comb

import numpy as np

from tacit.errors import InvalidInput
from tacit.exact import Ball, Chance, below, falls_below, floor_of, words
from tacit.frozen import frozen
from tacit.mechanisms.noise_law import LaplaceLaw

__all__ = ["Code", "CodeThreshold"]

Code = tuple[int, int]
"""A key among all keys that there could be: how many bits its code has, and the number that they are."""

_LN_2 = Fraction(6_931_472, 10_000_000)
"""A little more than the natural logarithm of 2."""


@frozen
class CodeThreshold:
    """From what noisy weight on a key is shown, where every code of at most `longest` bits could be a key.

    Every code has a weight, which is zero for nearly all of them, and gets Laplace noise; those are shown that reach
    `start` of their length.  Of all codes of one length that nobody has, 2**-rare are expected among them, or fewer.

    Claim:      which codes are shown is a function of independent noisy weights, one for every code, whoever has it:
                it costs what the noise costs, and no delta.
    Because:    codes that weigh something get their noise one by one; of all others, each passes with the probability
                of the noise's own tail, and `draw_phantoms` draws which of them do, exactly.
    Checked by: tests/laws/test_key_codes.py

    >>> CodeThreshold(LaplaceLaw(Fraction(10)), rare=26, longest=600).start(18)
    305
    """

    law: LaplaceLaw
    rare: int
    longest: int

    def __post_init__(self) -> None:
        if not 0 <= self.longest <= 1 << 12:
            raise InvalidInput("longest", self.longest, "give a number of bits from 0 to 4096")

    def start(self, bits: int) -> int:
        """The threshold of codes with so many bits: 2**-rare of them pass by noise alone, or fewer."""
        return max(1, ceil(self.law.scale * (bits + self.rare) * _LN_2))

    def shows(self, bits: int, noisy: int) -> bool:
        """Whether a code of so many bits is shown that has this noisy weight."""
        return bits <= self.longest and noisy >= self.start(bits)

    def draw_phantoms(self) -> set[Code]:
        """Codes that pass by noise alone, as if none weighed anything.

        Claim:      every code of n bits is among them with probability P(Z >= start(n)), independently of all others.
        Because:    how many of a length pass is drawn by the binomial law, one length after the other; which ones is
                    drawn uniformly, without repetition.  Whether any passes at all is asked first, and most often none
                    does; the other coins are tossed given that some do.
        Checked by: tests/laws/test_key_codes.py::test_phantoms_have_the_law_of_independent_noise
        """
        found: set[Code] = set()
        length = 0
        while length <= self.longest and not _toss_none(self, length):
            while length < self.longest and not _toss(_is_first(self, length)):
                length += 1
            found |= _draw_codes(length, _draw_count(self, length))
            length += 1
        return found


def _draw_codes(length: int, count: int) -> set[Code]:
    """So many codes of a length, all different."""
    found: set[Code] = set()
    while len(found) < count:
        found.add((length, below(1 << length)))
    return found


def _draw_count(threshold: CodeThreshold, length: int) -> int:
    """How many codes of a length pass, given that one does."""
    count, most = 1, 1 << length
    while count < most and not _toss(_is_exactly(threshold, length, count)):
        count += 1
    return count


# ---------------------------------------------------------------- coins


def _toss(chance: Chance) -> bool:
    return bool(falls_below(words(1), np.uint64(chance.top()), chance)[0])


def _toss_none(threshold: CodeThreshold, length: int) -> bool:
    """Whether no code of this length or a longer one passes."""
    top, chance = _none_from(threshold, length)
    return bool(falls_below(words(1), np.uint64(top), chance)[0])


@lru_cache(maxsize=64)
def _none_from(threshold: CodeThreshold, length: int) -> tuple[int, Chance]:
    """The chance that none passes from a length on, and its first word: the same for every question of a price."""
    chance = _chance(lambda: _log_none_from(threshold, length).exp())
    return chance.top(), chance


def _is_first(threshold: CodeThreshold, length: int) -> Chance:
    """Whether codes of this length pass, given that some of this length or a longer one do."""
    return _chance(
        lambda: _log_none(threshold, length).expm1() / _log_none_from(threshold, length).expm1()
    )


def _is_exactly(threshold: CodeThreshold, length: int, count: int) -> Chance:
    """Whether exactly so many codes of a length pass, given that so many do, or more."""

    def value() -> Ball:
        masses = [_mass(threshold, length, each) for each in range(count + 1)]
        return masses[count] / (1 - sum(masses[:count], Ball(0)))

    return _chance(value)


def _chance(value: Callable[[], Ball]) -> Chance:
    return Chance(lambda bits: floor_of(value, bits))


def _mass(threshold: CodeThreshold, length: int, count: int) -> Ball:
    """The probability that exactly so many codes of a length pass."""
    tail, many = threshold.law.tail(threshold.start(length)), 1 << length
    return comb(many, count) * tail**count * ((-tail).log1p() * (many - count)).exp()


def _log_none(threshold: CodeThreshold, length: int) -> Ball:
    """The logarithm of the probability that no code of a length passes."""
    return (-threshold.law.tail(threshold.start(length))).log1p() * (1 << length)


def _log_none_from(threshold: CodeThreshold, length: int) -> Ball:
    lengths = range(length, threshold.longest + 1)
    return sum((_log_none(threshold, each) for each in lengths), Ball(0))
