"""One of many candidates, chosen exactly by integer scores, with work that no score decides."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import entropy
from tacit.exact.certified import ball, floor_of
from tacit.exact.coins import Chance, exp_chance, settle
from tacit.exact.rational import LARGEST_SIZE, Number, at_least, count_of
from tacit.frozen import frozen

__all__ = [
    "Slots",
    "below_best",
    "exponential_choice",
    "exponential_slots",
    "flipped_choice",
    "uniform_choice",
    "weigh",
]

Integers = NDArray[Any]  # int64, or Python integers where one of them needs more than 64 bits
Words = NDArray[np.uint64]
Bools = NDArray[np.bool_]

SLACK = 64
"""A weight is less than this many units of 2**-63 above what is stored for it."""

PADDING = SLACK + 8
"""A slot is this much longer than what its candidate is sure to be owed."""

_WHOLE = 1 << 63
_POWER_BITS = 192
_PLACES = 8  # base-256 digits of a 64-bit distance
_MOST = 1 << 32
_BLOCK = 1 << 18
_HALF, _LOW, _ONE = np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)


def below_best(scores: Integers) -> Integers:
    """How far each score lies below the largest: 64 unsigned bits, or Python's integers if the scores were.

    >>> below_best(np.array([3, -(2**63), 5])).tolist()
    [2, 9223372036854775813, 0]
    """
    if (
        not isinstance(scores, np.ndarray)
        or scores.ndim != 1
        or scores.dtype not in (np.dtype(np.int64), object)
    ):
        raise InvalidData(
            "scores must be a one-dimensional array of int64 or of Python's integers; convert them first"
        )
    if not 1 <= scores.size <= _MOST:
        raise InvalidData(
            "there must be at least one candidate and at most 2**32; give a score for each"
        )
    best = scores.max()
    if scores.dtype == object:
        return np.asarray(best - scores, dtype=object)
    # wraps around to the right distance
    return np.asarray(best.astype(np.uint64) - scores.astype(np.uint64))


def weigh(distances: Integers, scale: Fraction) -> Words:
    """exp(-distance / scale) for each, in units of 2**-63, rounded down by less than `SLACK` units.

    Claim:      stored <= 2**63 exp(-distance / scale) < stored + SLACK, and 2**63 is stored for distance zero alone.
    Because:    exp(-distance / scale) is the product over the base-256 digits of the distance.  Each factor is stored
                less than two units too low, and each of the seven products loses less than six more.
    Checked by: tests/laws/test_choice_law.py

    >>> weigh(np.array([0, 1], np.uint64), Fraction(1)).tolist()[0] == 2**63
    True
    """
    if distances.dtype == object:
        known = {
            distance: exp_chance(distance / scale).floor(63) for distance in set(distances.tolist())
        }
        return np.array([known[distance] for distance in distances.tolist()], np.uint64)
    powers, digits = (
        _powers(scale),
        np.ascontiguousarray(distances, "<u8").view(np.uint8).reshape(-1, _PLACES),
    )
    product: Words = powers[0].take(digits[:, 0])
    for place in range(1, _PLACES):
        product = _times(product, powers[place].take(digits[:, place]))
    return product


@lru_cache(maxsize=256)
def _powers(scale: Fraction) -> Words:
    """exp(-digit 256**place / scale) in units of 2**-63: a row for each place, less than two units too low."""
    rows = []
    for place in range(_PLACES):
        ratio, power, row = exp_chance(256**place / scale).floor(_POWER_BITS), 1 << _POWER_BITS, []
        for _ in range(256):
            row.append(power >> _POWER_BITS - 63)
            power = power * ratio >> _POWER_BITS
        rows.append(row)
    return np.array(rows, np.uint64)


def _times(one: Words, other: Words | np.uint64) -> Words:
    """The product of two numbers below or at one, in units of 2**-63, less than six units too low.

    The upper halves of 64-bit products are put together from those of 32 bits, without their carries.
    """
    high, low = one >> _HALF, one & _LOW
    other_high, other_low = other >> _HALF, other & _LOW
    upper = high * other_high + (high * other_low >> _HALF) + (low * other_high >> _HALF)
    return np.asarray(upper << _ONE)


@frozen(eq=False)
class Slots:
    """The integers below 2**63 dealt out to candidates, so that a uniform one of them names a candidate.

    Claim:      taking the candidate whose slot holds a uniform integer, at place p of its slot, with chance
                owed - p (at least zero, at most one), and starting again otherwise, chooses each candidate with
                probability proportional to exp(score / scale), exactly.
    Because:    owed = reach exp(-distance / scale) is at most the length of the slot, so the chances of its places sum
                to owed.  Nearly all chances are one; the others are settled by as many bits as it takes.
                Starting again, and settling, is rarer than n 2**-55 for n candidates, whatever the scores.
    Checked by: tests/laws/test_choice_law.py
    """

    scale: Fraction
    distances: Integers
    reach: int
    lengths: Words
    ends: Words

    def chance_of(self, candidate: int, place: int) -> Chance:
        """The chance with which a place of a candidate's slot is his."""
        distance = int(self.distances[candidate])

        def floor(bits: int) -> int:
            exact = (
                floor_of(lambda: (-ball(distance / self.scale)).exp() * self.reach, bits)
                if distance
                else None
            )
            return min(
                max(0, (self.reach << bits if exact is None else exact) - (place << bits)),
                1 << bits,
            )

        return Chance(floor)

    def candidates_of(self, drawn: Words) -> NDArray[np.int64]:
        """The candidate that each word names, or -1 where it names none."""
        places = drawn >> _ONE
        found = self.ends.searchsorted(places, side="right")
        candidates = np.minimum(found, len(self.ends) - 1)
        lengths = self.lengths[candidates]
        offsets = places - (self.ends[candidates] - lengths)
        chosen = np.where(found < len(self.ends), candidates, -1).astype(np.int64)
        for doubtful in np.flatnonzero((chosen >= 0) & (offsets + np.uint64(PADDING) >= lengths)):
            chance = self.chance_of(int(chosen[doubtful]), int(offsets[doubtful]))
            if not settle(chance, int(entropy.words(1)[0])):
                chosen[doubtful] = -1
        return chosen


def exponential_slots(scores: Integers, scale: Fraction) -> Slots:
    """The slots of candidates with these scores.

    >>> exponential_slots(np.array([7]), Fraction(1)).ends.tolist() == [2**63]
    True
    """
    distances = below_best(scores)
    weights = weigh(distances, scale)
    # the halves' sums fit 64 bits
    total = (int((weights >> _HALF).sum()) << 32) + int((weights & _LOW).sum())
    reach = ((_WHOLE - PADDING * len(weights)) << 63) // total
    lengths = _times(weights, np.uint64(reach)) + np.uint64(PADDING)
    return Slots(scale, distances, reach, lengths, np.cumsum(lengths, dtype=np.uint64))


def exponential_choice(scores: Integers, scale: Number, times: int = 1) -> NDArray[np.int64]:
    """Places of candidates, each chosen with probability proportional to exp(score / scale), so many independent times.

    >>> exponential_choice(np.array([0, 10**6, 0]), scale=1).tolist()
    [1]
    """
    slots = exponential_slots(scores, _check_scale(scale))
    chosen = np.full(count_of(times, "times", most=LARGEST_SIZE), -1, np.int64)
    while (open_places := np.flatnonzero(chosen < 0)).size:
        chosen[open_places] = slots.candidates_of(entropy.words(open_places.size))
    return chosen


def flipped_choice(scores: Integers, scale: Number, times: int = 1) -> NDArray[np.int64]:
    """Places of candidates, each chosen by permute-and-flip, so many independent times.

    Claim:      the choice is that of asking candidates in random order and taking the first whose coin, of chance
                exp(-distance to the best / scale), comes up.
    Because:    the coins do not depend on the order, so all may be tossed beforehand; the first of a random order among
                those that came up is a uniform one of them.  The best candidate's coin always comes up.
    Checked by: tests/laws/test_choice_law.py

    >>> flipped_choice(np.array([0, 10**6, 0]), scale=1).tolist()
    [1]
    """
    exact, distances = _check_scale(scale), below_best(scores)
    weights, count = weigh(distances, exact), len(distances)
    chosen = []
    for rows in _blocks(count_of(times, "times", most=LARGEST_SIZE), count):
        drawn = entropy.words(rows * count).reshape(rows, count)
        chosen.append(uniform_choice(_heads(drawn, weights, distances, exact)))
    return np.concatenate(chosen) if chosen else np.empty(0, np.int64)


def _heads(drawn: Words, weights: Words, distances: Integers, scale: Fraction) -> Bools:
    """Whose coins come up: a uniform number lies below exp(-distance / scale), by its first 63 bits or by more."""
    tossed = drawn >> _ONE
    heads = np.asarray(tossed < weights)
    for row, place in np.argwhere(~heads & (tossed < weights + np.uint64(SLACK))):
        heads[row, place] = settle(
            exp_chance(int(distances[place]) / scale), int(drawn[row, place])
        )
    return heads


def uniform_choice(open_to: Bools) -> NDArray[np.int64]:
    """For each row, one of the places that are true, each alike; every row has one.

    Claim:      the choice is uniform, and a word is drawn for every place whether it is true or not.
    Because:    the largest of independent uniform numbers is equally likely to be any of them; a tie (probability about
                n 2**-64) is broken in the same way among those that tie.
    Checked by: tests/laws/test_choice_law.py

    >>> uniform_choice(np.array([[False, True, False]])).tolist()
    [1]
    """
    drawn = entropy.words(open_to.size).reshape(open_to.shape)
    ranks = np.where(open_to, drawn, np.uint64(0))
    first = open_to & (ranks == ranks.max(axis=1, keepdims=True))
    chosen: NDArray[np.int64] = first.argmax(axis=1)
    tied = np.flatnonzero(first.sum(axis=1) > 1)
    if tied.size:
        chosen[tied] = uniform_choice(first[tied])
    return chosen


def _blocks(times: int, count: int) -> list[int]:
    """How many choices are made at once, block by block."""
    most = max(1, _BLOCK // count)
    return [most] * (times // most) + ([times % most] if times % most else [])


def _check_scale(scale: Number) -> Fraction:
    exact = at_least(scale, "scale")
    if not Fraction(1, 1000) <= exact <= 1 << 1024:
        raise InvalidInput("scale", scale, "give a scale from 1/1000 to 2**1024 steps of the grid")
    return exact
