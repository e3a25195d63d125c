"""Discrete Gaussian numbers: a proposal in two parts, accepted by coins for the digits of one integer."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import isqrt
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import entropy
from tacit.exact.certified import Ball, ball, certain_floor, floor_of, hull, precision, working
from tacit.exact.coins import Chance, exp_chance, settle
from tacit.exact.rational import LARGEST_SIZE, Number, at_least, count_of
from tacit.exact.uniform import random_bits
from tacit.frozen import frozen

__all__ = ["GaussianTable", "discrete_gaussian", "gaussian_table"]

Integers = NDArray[Any]
Words = NDArray[np.uint64]

SMALLEST_VARIANCE = Fraction(1, 10**6)
WIDEST_VARIANCE = 1 << 2048
_NARROW = 27  # bits of y up to which m fits 63
# bits of a limb: products of two, and sums of many, fit 63 bits, and a limb is three whole digits of m
_LIMB = 24
_BLOCK = 1 << 14
_SINGLE = 64
_POWER_BITS = 128
_BEYOND = 32  # bits of a chance that are looked at beyond the 64 of its word
_UNSEEN = 2 * _POWER_BITS - 64 - _BEYOND
_CARRIES = (1 << _BEYOND) - 1
# with more steps than this (probability below 2**-350) the integer path takes over
_MOST_STEPS = 63


@frozen(eq=False)
class GaussianTable:
    """What is stored for one variance: |z| = stride * v + y, with v from a table and y uniform below the stride.

    Claim:      an accepted proposal is z with probability proportional to exp(-z**2 / (2 variance)), exactly.
    Because:    with c = 1/(2 variance), exp(-z**2 c) = exp(-(stride v)**2 c) * exp(-m c) for the integer
                m = y (y + 2 stride v).  v is drawn with the first factor; the second is the product over the
                base-256 digits of m of exp(-digit 256**j c), one independent coin each, all always tossed.
                One of the two zeros is rejected, so the law is symmetric.  v beyond the table is settled by
                computing more of its tail, so nothing is cut off.
    Checked by: tests/laws/test_sampler_law.py
    """

    variance: Fraction
    stride: int
    step_tops: Words  # ascending: the last is P(v >= 1), the one before P(v >= 2), …
    digit_tops: Words  # one row of 256 for each digit of m

    @property
    def rate(self) -> Fraction:
        """The factor c of exp(-z**2 c)."""
        return 1 / (2 * self.variance)

    @property
    def bits(self) -> int:
        """How many bits y has."""
        return self.stride.bit_length() - 1

    def step_chance(self, steps: int) -> Chance:
        """The chance that v is at least `steps`."""
        return Chance(lambda bits: _steps_floor(self.stride**2 * self.rate, steps, bits))

    def digit_chance(self, place: int, digit: int) -> Chance:
        """The chance that the coin of one digit of m lets a proposal pass."""
        return exp_chance(digit * 256**place * self.rate)


@lru_cache(maxsize=512)
def gaussian_table(variance: Fraction) -> GaussianTable:
    """The table for one variance.

    >>> gaussian_table(Fraction(100)).stride
    4
    """
    root = isqrt(max(1, variance.numerator // (2 * variance.denominator)))
    stride = 1 << (root.bit_length() - 1)
    largest = (stride - 1) * (stride - 1 + 2 * stride * _MOST_STEPS)
    rows = _digit_rows(1 / (2 * variance), -(-largest.bit_length() // 8))
    steps = _step_tops(stride**2 / (2 * variance))
    return GaussianTable(variance, stride, np.array(steps[::-1], np.uint64), rows)


def _step_tops(decay: Fraction) -> list[int]:
    """The first 64 bits of P(v >= 1), P(v >= 2), …, up to the first that is nothing."""
    found: list[int] = []
    with working(_POWER_BITS):
        tails = _tails(decay, 1 if decay > 1 else 64, _POWER_BITS)
        while not found or found[-1]:
            steps = len(found) + 1
            floor = certain_floor(tails[steps] / tails[0], 64) if steps < len(tails) else None
            found.append(_steps_floor(decay, steps, 64) if floor is None else floor)
    return found


def _digit_rows(rate: Fraction, places: int) -> Words:
    """The first 64 bits of exp(-digit 256**place rate), a row for every place with one for every digit.

    Claim:      every word is that of the exact chance.
    Because:    exp(-(16 a + b) rate) is a product of two of 32 powers, in integers of 128 bits and rounded down: it
                falls behind by at most 66 units, which is less than one of the 96 bits that are looked at; a word that
                this could change is computed singly.
    Checked by: tests/laws/test_sampler_law.py
    """
    ratios, certain = _ratios(rate, 2 * places), exp_chance(Fraction(0)).top()
    rows = np.empty((places, 256), np.uint64)
    for place in range(places):
        low, high = _powers(ratios[2 * place]), _powers(ratios[2 * place + 1])
        seen = [one * other >> _UNSEEN for one in high for other in low]
        words = [number >> _BEYOND for number in seen]
        words[0] = certain
        for digit, number in enumerate(seen):
            if digit and number & _CARRIES == _CARRIES:
                words[digit] = exp_chance(digit * 256**place * rate).top()
        rows[place] = words
    return rows


def _ratios(rate: Fraction, count: int) -> list[int]:
    """The first 128 bits of exp(-rate), exp(-16 rate), exp(-256 rate) and so on.

    Claim:      every one is exact.
    Because:    each is the one before to the power of sixteen, and a ball keeps what is exact inside, of which that
                loses four bits; a floor that is not certain is computed singly.
    Checked by: tests/laws/test_sampler_law.py
    """
    found = []
    with working(_POWER_BITS + 64 + 4 * count):
        power = (-ball(rate)).exp()
        for _ in range(count):
            found.append(certain_floor(power, _POWER_BITS))
            power = power**16
    return [
        exp_chance(16**place * rate).floor(_POWER_BITS) if floor is None else floor
        for place, floor in enumerate(found)
    ]


def _powers(ratio: int) -> list[int]:
    """The first sixteen powers of a chance, of 128 bits each, rounded down: each falls behind by two units a step."""
    powers = [1 << _POWER_BITS]
    for _ in range(15):
        powers.append(powers[-1] * ratio >> _POWER_BITS)
    return powers


def _steps_floor(decay: Fraction, steps: int, bits: int) -> int:
    """floor(2**bits * P(v >= steps)) where P(v) is proportional to exp(-decay v**2), v >= 0."""
    if steps == 0:
        return 1 << bits

    def chance() -> Ball:
        tails = _tails(decay, steps if decay > 1 else 64 * -(-steps // 64), precision())
        return tails[steps] / tails[0]

    return floor_of(chance, bits)


@lru_cache(maxsize=64)
def _tails(decay: Fraction, least: int, bits: int) -> tuple[Ball, ...]:
    """The sums of exp(-decay v**2) over v >= 0, v >= 1, …: what is left out lies inside the ball of each."""
    rate = ball(decay)
    terms = [ball(1)]
    while len(terms) < least + 2 or terms[-1] > ball(2) ** -bits:
        terms.append((-rate * len(terms) ** 2).exp())
    last = len(terms)
    rest = (-rate * last**2).exp() / (1 - (-rate * (2 * last + 1)).exp())
    sums = [terms[-1] + hull(ball(0), rest)]
    for term in reversed(terms[:-1]):
        sums.append(sums[-1] + term)
    return tuple(reversed(sums))


@overload
def discrete_gaussian(variance: Number, size: None = None) -> int: ...
@overload
def discrete_gaussian(variance: Number, size: int) -> Integers: ...
def discrete_gaussian(variance: Number, size: int | None = None) -> int | Integers:
    """An integer z with probability proportional to exp(-z**2 / (2 variance)); with `size`, an array of them.

    Claim:      a single draw makes a fixed number of proposals, each with the same work; how many of them are
                accepted, and so how long it takes, says nothing about the value.
    Because:    in rejection sampling the number of trials is independent of what is accepted.
    Checked by: tests/statistics/test_timing.py

    >>> discrete_gaussian(100, 5).dtype
    dtype('int64')
    """
    exact = at_least(variance, "variance")
    if not SMALLEST_VARIANCE <= exact <= WIDEST_VARIANCE:
        raise InvalidInput(
            "variance",
            variance,
            "give the variance of a standard deviation from 1/1000 to 2**1024, in steps of the grid",
        )
    table = gaussian_table(exact)
    if size is None:
        return _one(table)
    return _many(table, count_of(size, "size", most=LARGEST_SIZE))


def _one(table: GaussianTable) -> int:
    while True:
        proposed, accepted = _propose(table, _SINGLE)
        if accepted.any():
            return int(proposed[accepted.argmax()])


def _many(table: GaussianTable, wanted: int) -> Integers:
    kept = np.empty(wanted, np.int64 if _fits_words(table) else object)
    filled = 0
    while filled < wanted:
        proposed, accepted = _propose(table, min(_BLOCK, 2 * (wanted - filled) + _SINGLE))
        fit = proposed[accepted][: wanted - filled]
        if fit.dtype != kept.dtype and any(abs(number) >= 1 << 62 for number in fit):
            kept = kept.astype(object)  # for a number of more than 63 steps of the table
        kept[filled : filled + len(fit)] = fit
        filled += len(fit)
    return kept


def _fits_words(table: GaussianTable) -> bool:
    """Whether |z| fits 62 bits, of whatever v the table has."""
    return table.stride * (_MOST_STEPS + 1) < 1 << 62


def _propose(table: GaussianTable, count: int) -> tuple[Integers, NDArray[np.bool_]]:
    """`count` proposals, and which of them are accepted: in vectors, whatever their width.

    Claim:      m = y (y + 2 stride v) and |z| = stride v + y are exact, for a stride of any size.
    Because:    y is held in limbs of 24 bits, each a vector; products of limbs and their sums are below 2**63, and
                carries are taken away limb by limb.  Since the stride is a power of two above y, both sums only put
                bits beside each other.
    Checked by: tests/unit/exact/test_gaussian.py::test_proposals_of_any_width_are_those_of_pythons_integers
    """
    # of y, and one bit for the sign
    places, words = len(table.digit_tops), -(-(table.bits + 1) // 64)
    drawn = entropy.words((1 + words + places) * count).reshape(1 + words + places, count)
    steps, uniform, coins = _steps(table, drawn[0]), drawn[1 : 1 + words], drawn[1 + words :]
    if steps.max() > _MOST_STEPS:
        return _propose_singly(table, steps)
    negative = (uniform[0] >> np.uint64(63)).view(np.int64)
    if table.bits <= _NARROW:  # m fits 63 bits
        remainder, leading = (
            (uniform[0] & np.uint64(table.stride - 1)).view(np.int64),
            steps * table.stride,
        )
        digits = (remainder * (remainder + 2 * leading)).view(np.uint8).reshape(count, 8)
        magnitude: Integers = leading + remainder
    else:
        limbs = _limbs(uniform[::-1], table.bits)
        digits, magnitude = _digits_of_weight(table, limbs, steps), _magnitude(table, limbs, steps)
    accepted = _digits_pass(table, digits, coins)
    accepted &= np.asarray(magnitude >= negative, np.bool_)
    return (magnitude ^ -negative) + negative, accepted


def _limbs(words: Words, bits: int) -> list[NDArray[np.int64]]:
    """The lowest bits of numbers that are given in words, lowest first, as limbs."""
    found = []
    for start in range(0, bits, _LIMB):
        word, shift = divmod(start, 64)
        limb = words[word] >> np.uint64(shift)
        if shift + _LIMB > 64 and word + 1 < len(words):
            limb = limb | words[word + 1] << np.uint64(64 - shift)
        found.append((limb & np.uint64((1 << min(_LIMB, bits - start)) - 1)).view(np.int64))
    return found


def _digits_of_weight(
    table: GaussianTable, remainder: list[NDArray[np.int64]], steps: NDArray[np.int64]
) -> NDArray[np.uint8]:
    """The base-256 digits of m = y**2 + (y v << bits + 1), a row for each proposal."""
    count, places = len(steps), len(table.digit_tops)
    sums = [np.zeros(count, np.int64) for _ in range(-(-8 * places // _LIMB) + 2)]
    for low, one in enumerate(remainder):
        sums[2 * low] += one * one
        for high in range(low + 1, len(remainder)):
            sums[low + high] += 2 * one * remainder[high]
    above, shift = divmod(table.bits + 1, _LIMB)
    for place, limb in enumerate(remainder):
        moved = limb * steps << shift  # below 2**(24 + 6 + 23)
        sums[above + place] += moved & (1 << _LIMB) - 1
        sums[above + place + 1] += moved >> _LIMB
    digits = np.zeros((count, 3 * len(sums)), np.uint8)
    carry = np.zeros(count, np.int64)
    for place, found in enumerate(sums):
        total = found + carry
        carry = total >> _LIMB
        digits[:, 3 * place : 3 * place + 3] = total.view(np.uint8).reshape(count, 8)[:, :3]
    return digits


def _magnitude(
    table: GaussianTable, remainder: list[NDArray[np.int64]], steps: NDArray[np.int64]
) -> Integers:
    """|z| = stride v + y, in Python's integers where 62 bits are too few."""
    kind: Any = np.int64 if _fits_words(table) else object
    magnitude = steps.astype(kind) << table.bits
    for place, limb in enumerate(remainder):
        magnitude = magnitude | limb.astype(kind) << _LIMB * place
    return np.asarray(magnitude)


def _propose_singly(
    table: GaussianTable, steps: NDArray[np.int64]
) -> tuple[Integers, NDArray[np.bool_]]:
    """The same proposals in Python's integers, where a v is beyond the table's digits: once in 2**350."""
    proposed = np.zeros(len(steps), object)
    accepted = np.zeros(len(steps), np.bool_)
    for place, v in enumerate(steps.tolist()):
        uniform = random_bits(table.stride.bit_length())  # the stride's own bit is the sign
        negative, remainder = divmod(uniform, table.stride)
        weight = remainder * (remainder + 2 * table.stride * v)
        magnitude = table.stride * v + remainder
        proposed[place] = -magnitude if negative else magnitude
        if v > _MOST_STEPS:
            passes = settle(exp_chance(weight * table.rate), int(entropy.words(1)[0]))
        else:
            digits = np.frombuffer(weight.to_bytes(len(table.digit_tops), "little"), np.uint8)
            passes = bool(
                _digits_pass(
                    table, digits.reshape(1, -1), entropy.words(len(digits)).reshape(-1, 1)
                )[0]
            )
        accepted[place] = passes and not (negative and magnitude == 0)
    return proposed, accepted


def _steps(table: GaussianTable, drawn: Words) -> NDArray[np.int64]:
    """v for each proposal: how many of the table's chances a uniform number lies below."""
    above = table.step_tops.searchsorted(drawn, side="right")
    steps = len(table.step_tops) - above
    tied = table.step_tops[above - 1] == drawn
    if tied.any():
        for place in np.flatnonzero(tied):
            steps[place] = _settled_steps(table, int(drawn[place]))
    return steps


def _settled_steps(table: GaussianTable, word: int) -> int:
    """v for a uniform number that begins with `word`, revealed until it falls between two chances."""
    uniform, bits, steps = word, 64, 0
    while True:
        while uniform < (floor := table.step_chance(steps + 1).floor(bits)):
            steps += 1
        if uniform > floor:
            return steps
        uniform = uniform << 64 | int(entropy.words(1)[0])
        bits += 64


def _digits_pass(
    table: GaussianTable, digits: NDArray[np.uint8], drawn: Words
) -> NDArray[np.bool_]:
    """Whether every digit's coin lets the proposal pass; all are tossed, whatever the others say."""
    places = len(table.digit_tops)
    needed = table.digit_tops.take(digits[:, :places].T + np.arange(0, 256 * places, 256)[:, None])
    passes = drawn < needed
    tied = drawn == needed
    if tied.any():
        for place, index in np.argwhere(tied):
            chance = table.digit_chance(place, int(digits[index, place]))
            passes[place, index] = settle(chance, int(drawn[place, index]))
    passed: NDArray[np.bool_] = np.logical_and.reduce(passes, axis=0)
    return passed
