"""Keys whose values are not public: with which noise and beyond which threshold one is shown."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, log, prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np

from tacit.curator.pricing.answer_size import MOST_BYTES, bytes_of_key
from tacit.curator.pricing.key_codes import LETTER_BITS, code_of, key_of
from tacit.engines import Gathered
from tacit.exact import Number, words
from tacit.frozen import frozen
from tacit.mechanisms import Code, CodeThreshold, Gaussian, Laplace, threshold
from tacit.plan import Keeping, KeyValue, Kind, Question, groups_of, type_of
from tacit.privacy import Loss, Sensitivity, ZeroConcentratedLoss, root_at_least
from tacit.stability import weight_alone

__all__ = ["PURE_SHARE", "SHARE", "CodeFinder", "Finder", "Hiding"]

Named = tuple[tuple[KeyValue, ...], int | None]
"""The values of a key that passes, and its place; None, if no row has it."""

SHARE = Fraction(1, 5)
"""What unknown keys take of a price in rho; the rest is for what is measured of the groups."""

PURE_SHARE = Fraction(1, 2)
"""What they take of a price in epsilon, where thresholds are far above the noise of what is measured."""


@frozen
class Finder:
    """On what terms unknown keys are found; computed without data.

    `noise` is that of every key's weight, in steps of the grid, and `start` the threshold in the same steps; `most` is
    how many keys are found at most, and `room` how many bytes their values may take together.
    """

    keeping: Keeping
    sensitivity: Sensitivity
    noise: Gaussian
    grid: int
    delta: Fraction
    start: int
    most: int
    room: int = MOST_BYTES

    @classmethod
    def fit(
        cls,
        question: Question,
        keeping: Keeping,
        fit: tuple[Sensitivity, Gaussian, int],
        delta: Fraction,
    ) -> Finder:
        """The terms with noise that is fitted to a part of the price, and the threshold that delta pays for.

        Claim:      finding keys is delta-approximate zCDP, at the rho of the noise.
        Because:    let a unit come.  The keys that it is alone with pass with probability at most delta, all together;
                    that none does is the event on which we condition.  Then what passes is a function of noisy weights
                    of keys that both neighbours have, which move as `key_sensitivity` says.  If a unit is replaced, the
                    keys that only the old one has and those that only the new one has are two such events, one for each
                    neighbour (Bun and Steinke 2016, definition 8.1).
        Checked by: tests/laws/test_keys.py
        """
        moved, noise, grid = fit
        start = threshold(
            noise.law, partial(weight_alone, question, keeping, grid), keeping.most, delta
        )
        public = prod(len(key.public_values) for key in question.public)
        return cls(keeping, moved, noise, grid, delta, start, groups_of(question) // public)

    @property
    def most_letters(self) -> int | None:
        """How many letters a key has that is shown, at most; None, if any number."""
        return None

    def losses(self) -> list[Loss]:
        """What finding keys costs: the noise of their weights, and the chance that a key of one unit passes."""
        alone = ZeroConcentratedLoss(0, self.delta, self.sensitivity.neighbours)
        return [self.noise.loss(self.sensitivity), alone]

    def secret(self) -> Keeping:
        """By which hash units keep keys this time: drawn afresh, from nothing that is stored or asked."""
        return _with_secret(self.keeping)

    def passing(self, weights: Any) -> list[int]:
        """The places of the keys that pass, of those with these weights.

        Claim:      it is a function of the weights plus noise, fresh for every one of them.
        Because:    the weights are used nowhere else.
        Checked by: tests/laws/test_keys.py
        """
        if not len(weights):
            return []
        steps = (np.asarray(weights, np.int64) + self.grid // 2) // self.grid
        noisy = np.asarray(self.noise.release(steps))
        places = np.flatnonzero(noisy >= self.start)
        if len(places) > self.most:
            places = places[np.argsort(-noisy[places].astype(np.int64), kind="stable")[: self.most]]
        return [int(place) for place in places]

    def find(self, gathered: Gathered) -> Found:
        """The places and the values of the keys that pass, sorted by value: their order tells nothing else.

        Claim:      which keys are let go is a function of those that pass, whose values take at most `room` bytes.
        Because:    of those that pass the shortest are taken, as long as there is room; weights are not looked at.
        Checked by: tests/unit/curator/pricing/test_answer_size.py::test_long_keys_are_let_go_as_far_as_there_is_room
        """
        places = self.passing(gathered.weights)
        named: list[Named] = list(zip(gathered.keys(places), places, strict=True))
        return _sorted_by_value(_take_shortest(named, self.room))

    @property
    def hiding(self) -> Hiding:
        """What is said of all this: in units, from the plan alone."""
        worth = Fraction(self.grid, 1 << self.keeping.bits)
        return Hiding(self.keeping.most, self.start * worth, self.noise.sigma * worth, self.delta)


@frozen
class CodeFinder:
    """On what terms unknown keys are found without a delta; computed without data.

    `threshold` says from which noisy weight on a key is shown, by the bits of its code, `kinds` what values it has, and
    `nulls` which of them may be NULL.
    """

    keeping: Keeping
    sensitivity: Sensitivity
    noise: Laplace
    threshold: CodeThreshold
    kinds: tuple[Kind, ...]
    nulls: tuple[bool, ...]
    most: int
    room: int = MOST_BYTES

    delta = Fraction(0)

    @classmethod
    def fit(
        cls, question: Question, keeping: Keeping, moved: Sensitivity, noise: Laplace
    ) -> CodeFinder:
        """The terms with noise that is fitted to a part of the price.

        Claim:      finding keys costs the epsilon of the noise, and no delta.
        Because:    all codes of at most LONGEST bits could be keys, whoever has them; what passes is a function of the
                    noisy weights of all of them (`CodeThreshold`), which move as `key_sensitivity` says.
        Checked by: tests/laws/test_key_codes.py
        """
        public = prod(len(key.public_values) for key in question.public)
        kinds = tuple(type_of(key.value).kind for key in question.unknown)
        nulls = tuple(key.null for key in question.unknown)
        threshold = CodeThreshold(noise.law, RARE, LONGEST)
        return cls(keeping, moved, noise, threshold, kinds, nulls, groups_of(question) // public)

    @property
    def most_letters(self) -> int | None:
        """How many letters or digits a key has that is shown, at most; None, if no key is a text."""
        return self.threshold.longest // LETTER_BITS if Kind.TEXT in self.kinds else None

    def losses(self) -> list[Loss]:
        """What finding keys costs: the noise of the weights of all codes."""
        return [self.noise.loss(self.sensitivity)]

    def secret(self) -> Keeping:
        """By which hash units keep keys this time: drawn afresh, from nothing that is stored or asked."""
        return _with_secret(self.keeping)

    def find(self, gathered: Gathered) -> Found:
        """The places and the values of the keys that pass, sorted by value; those that no row has, without a place.

        Claim:      which keys are let go is a function of noisy weights of all codes.
        Because:    a key that weighs something has noise of its own; one that weighs nothing passes if it is drawn
                    among phantoms, which are drawn as if no key weighed anything; the first of all that pass are taken
                    by their codes, as long as there is room.
        Checked by: tests/laws/test_key_codes.py::test_what_is_found_has_the_law_of_all_codes
        """
        weights = np.asarray(gathered.weights, np.int64)
        noisy = np.asarray(self.noise.release(weights)) if len(weights) else weights
        near = [int(place) for place in np.flatnonzero(noisy >= self.threshold.start(0))]
        coded = [
            (code_of(values, self.kinds), values, place)
            for values, place in zip(gathered.keys(near), near, strict=True)
        ]
        passing: list[tuple[Code, tuple[KeyValue, ...], int | None]] = [
            (code, values, place)
            for code, values, place in coded
            if self.threshold.shows(code[0], int(noisy[place]))
        ]
        if phantoms := self.threshold.draw_phantoms():
            every = gathered.keys(range(len(weights)))
            phantoms -= {code_of(values, self.kinds) for values in every}
            decoded = ((code, self._read_code(code)) for code in phantoms)
            passing += [(code, values, None) for code, values in decoded if values is not None]
        first = sorted(passing, key=lambda each: each[0])[: self.most]
        named: list[Named] = [(values, place) for _, values, place in first]
        return _sorted_by_value(_take_shortest(named, self.room))

    def _read_code(self, code: Code) -> tuple[KeyValue, ...] | None:
        """The key that a row may have which has a code; None if none has: where NULL is no group, it is no key.

        Claim:      a key that is shown by noise alone could be found in a row.
        Because:    every key of a row has a code, which is read back; NULL is read where a row of it has a group.
        Checked by: tests/laws/test_key_codes.py::test_engines_measure_keys_that_nobody_keeps_alike
        """
        values = key_of(code, self.kinds)
        if values is None:
            return None
        pairs = zip(values, self.nulls, strict=True)
        return values if all(null or value is not None for value, null in pairs) else None

    @property
    def hiding(self) -> Hiding:
        """What is said of all this: in units, from the plan alone."""
        worth = Fraction(1, 1 << self.keeping.bits)
        start, far = self.threshold.start(0), self.threshold.start(LONGEST)
        return Hiding(
            self.keeping.most,
            start * worth,
            root_at_least(2 * (self.noise.scale * worth) ** 2),
            Fraction(0),
            Fraction(far - start, LONGEST) * worth,
        )


RARE = 26
"""Of all keys of one length that nobody has, fewer than 2**-RARE are shown: of all lengths, once in 100,000 answers."""

LONGEST = 600
"""The most bits of a key that is found without a delta: a hundred letters."""

Found = tuple[tuple[int | None, ...], tuple[tuple[KeyValue, ...], ...]]
"""The places of keys that pass, None for one that no row has, and their values."""


def _with_secret(keeping: Keeping) -> Keeping:
    return replace(keeping, secret=words(4).tobytes())


def _take_shortest(named: list[Named], room: int) -> list[Named]:
    """The shortest of some keys, as many as there is room for."""
    lengths = [bytes_of_key(values) for values, _ in named]
    if sum(lengths) <= room:
        return named
    order = sorted(range(len(named)), key=lambda at: (lengths[at], repr(named[at][0])))
    total = accumulate(lengths[at] for at in order)
    return [named[at] for at, taken in zip(order, total, strict=True) if taken <= room]


def _sorted_by_value(named: list[Named]) -> Found:
    pairs = sorted(named, key=lambda pair: [_sort_key(value) for value in pair[0]])
    return tuple(place for _, place in pairs), tuple(values for values, _ in pairs)


def _sort_key(value: KeyValue) -> tuple[bool, Any]:
    """What values of a key are sorted by: NULL comes last."""
    return value is None, 0 if value is None else value


_LETTERS = 8
"""Of a key of how many letters it is said how many units show it."""


@frozen
class Hiding:
    """Which groups of unknown keys may be hidden: known before any is looked for.

    A unit counts for one in the group of its key or, if it has k keys, for 1 / sqrt k in each; of more than `keys` it
    keeps so many.  A group is shown if that, with noise of `sigma`, reaches the threshold.  Without a delta it counts
    for 1 / k in each, and the threshold grows by `per_bit` with every bit of the key: six for a letter.
    """

    keys: int
    threshold: Fraction
    sigma: Fraction
    delta: Fraction
    per_bit: Fraction = Fraction(0)

    def to_fields(self) -> dict[str, str]:
        """What is stored with an answer."""
        names = ("keys", "threshold", "sigma", "delta", *(["per_bit"] if self.per_bit else []))
        return {field: str(getattr(self, field)) for field in names}

    @classmethod
    def from_fields(cls, written: Mapping[str, str]) -> Hiding:
        """What was stored."""
        names = ("threshold", "sigma", "delta", "per_bit")
        parts = (Fraction(written.get(field, "0")) for field in names)
        return cls(int(written["keys"]), *parts)

    def units_shown(self, confidence: Number) -> int:
        """The number of units of which a group is shown at this confidence, if none of them has more than `keys` keys.

        Without a delta, it is that of a key of eight letters.

        >>> Hiding(4, Fraction(20), Fraction(5), Fraction(1, 10**8)).units_shown(0.95)
        57
        """
        if self.per_bit:
            # the tail of Laplace noise, whose scale is sigma / sqrt 2
            reach = self.sigma * Fraction(log(1 / (2 * (1 - float(confidence)))) / sqrt(2))
            start = self.threshold + _LETTERS * LETTER_BITS * self.per_bit
            return max(1, ceil(self.keys * (start + max(Fraction(0), reach))))
        reach = Fraction(NormalDist().inv_cdf(float(confidence))) * self.sigma
        return max(
            1, ceil(root_at_least(Fraction(self.keys)) * (self.threshold + max(Fraction(0), reach)))
        )

    @property
    def of_keys(self) -> str:
        """Of which keys that number is, as a phrase in a sentence."""
        return f" with a key of {_LETTERS} letters" if self.per_bit else ""
