"""Keys whose values are not public: with which noise and beyond which threshold one is shown."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from itertools import accumulate
from math import ceil, prod
from statistics import NormalDist
from typing import Any

import numpy as np

from tacit.curator.pricing.answer_size import MOST_BYTES, bytes_of_key
from tacit.engines import Gathered
from tacit.exact import Number, words
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, threshold
from tacit.plan import Keeping, KeyValue, Question, groups_of
from tacit.privacy import Sensitivity, root_at_least
from tacit.stability import weight_alone

__all__ = ["SHARE", "Finder", "Hiding"]

_Named = tuple[tuple[KeyValue, ...], int]
"""The values of a key that passes, and its place."""

SHARE = Fraction(1, 5)
"""What unknown keys take of a price; the rest is for what is measured of the groups."""


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
    ) -> "Finder":
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

    def secret(self) -> Keeping:
        """By which hash units keep keys this time: drawn afresh, from nothing that is stored or asked."""
        return Keeping(self.keeping.most, self.keeping.bits, words(4).tobytes())

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

    def find(self, gathered: Gathered) -> tuple[tuple[int, ...], tuple[tuple[KeyValue, ...], ...]]:
        """The places and the values of the keys that pass, sorted by value: their order tells nothing else.

        Claim:      which keys are let go is a function of those that pass, whose values take at most `room` bytes.
        Because:    of those that pass the shortest are taken, as long as there is room; weights are not looked at.
        Checked by: tests/unit/curator/pricing/test_answer_size.py::test_long_keys_are_let_go_as_far_as_there_is_room
        """
        places = self.passing(gathered.weights)
        named = self._that_fit(list(zip(gathered.keys(places), places, strict=True)))
        pairs = sorted(named, key=lambda pair: [_sort_key(value) for value in pair[0]])
        return tuple(place for _, place in pairs), tuple(values for values, _ in pairs)

    def _that_fit(self, named: list["_Named"]) -> list["_Named"]:
        """The shortest of some keys, as many as there is room for."""
        lengths = [bytes_of_key(values) for values, _ in named]
        if sum(lengths) <= self.room:
            return named
        order = sorted(range(len(named)), key=lambda at: (lengths[at], repr(named[at][0])))
        total = accumulate(lengths[at] for at in order)
        return [named[at] for at, taken in zip(order, total, strict=True) if taken <= self.room]

    @property
    def hiding(self) -> "Hiding":
        """What is said of all this: in units, from the plan alone."""
        worth = Fraction(self.grid, 1 << self.keeping.bits)
        return Hiding(self.keeping.most, self.start * worth, self.noise.sigma * worth, self.delta)


def _sort_key(value: KeyValue) -> tuple[bool, Any]:
    """What values of a key are sorted by: NULL comes last."""
    return value is None, 0 if value is None else value


@frozen
class Hiding:
    """Which groups of unknown keys may be hidden: known before any is looked for.

    A unit counts for one in the group of its key or, if it has k keys, for 1 / sqrt k in each; of more than `keys` it
    keeps so many.  A group is shown if that, with noise of `sigma`, reaches the threshold.
    """

    keys: int
    threshold: Fraction
    sigma: Fraction
    delta: Fraction

    def to_fields(self) -> dict[str, str]:
        """What is stored with an answer."""
        return {
            field: str(getattr(self, field)) for field in ("keys", "threshold", "sigma", "delta")
        }

    @classmethod
    def from_fields(cls, written: Mapping[str, str]) -> "Hiding":
        """What was stored."""
        parts = (Fraction(written[field]) for field in ("threshold", "sigma", "delta"))
        return cls(int(written["keys"]), *parts)

    def units_shown(self, confidence: Number) -> int:
        """The number of units of which a group is shown at this confidence, if none of them has more than `keys` keys.

        >>> Hiding(4, Fraction(20), Fraction(5), Fraction(1, 10**8)).units_shown(0.95)
        57
        """
        reach = Fraction(NormalDist().inv_cdf(float(confidence))) * self.sigma
        return max(
            1, ceil(root_at_least(Fraction(self.keys)) * (self.threshold + max(Fraction(0), reach)))
        )
