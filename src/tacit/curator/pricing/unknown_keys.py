"""Keys whose values are not public: who may show one, with which noise and beyond which threshold."""

from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from math import ceil, isqrt, prod
from statistics import NormalDist
from typing import Any

import numpy as np

from tacit.engines import Gathered
from tacit.exact import Number, words
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, threshold
from tacit.plan import Keeping, KeyValue, Owner, Question, groups_of, multiplicity, owner_of
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

__all__ = ["BITS", "SHARE", "Finder", "Hiding", "weight_alone", "key_sensitivity", "keys_of"]

SHARE = Fraction(1, 5)
"""What unknown keys take of a price; the rest is for what is measured of the groups."""

BITS = 20
"""A key's weight is a whole number of 2**-BITS."""


def keys_of(question: Question, keys: int) -> Keeping:
    """How many keys a unit keeps, and in which parts they weigh; not yet by which secret.

    Where every row is a unit it has one key, in as many copies as the plan makes of it.
    """
    by_row = owner_of(question.rows) is Owner.ROW
    return Keeping(multiplicity(question.rows), 0, b"") if by_row else Keeping(keys, BITS, b"")


def key_sensitivity(question: Question, keeping: Keeping, neighbours: Neighbours) -> Sensitivity:
    """How far the weights of all keys together move between neighbours.

    Claim:      by at most 2**BITS in L2 if a unit comes or goes, by sqrt 2 of that if one is replaced; copies of one
                row move them by as much as there are.  No more than `most` keys move, or twice as many.
    Because:    a unit that keeps k keys adds floor(2**BITS / sqrt k) to each of them, and nothing to others; of two
                units none adds less than zero, so that the squares of what they add bound that of the difference.
    Checked by: tests/laws/test_keys.py
    """
    bound = (
        Fraction(keeping.most)
        if owner_of(question.rows) is Owner.ROW
        else Fraction(1 << keeping.bits)
    )
    if neighbours is Neighbours.REPLACE:
        return Sensitivity(root_at_least(2 * bound**2), Norm.L2, neighbours, 2 * keeping.most)
    return Sensitivity(bound, Norm.L2, neighbours, keeping.most)


def weight_alone(question: Question, keeping: Keeping, grid: int, keys: int) -> int:
    """What each of so many keys that a unit is alone with weighs at most, in steps of the grid.

    Claim:      whatever rows a unit has, the keys that nobody else keeps are at most `most`, and none of k such keys
                weighs more than this.
    Because:    a unit that keeps k keys or more adds floor(2**bits / sqrt k) or less to each of them, and rounding to
                the grid keeps the order.  Copies of one row are no more keys than copies, and no key has more than all
                of them.
    Checked by: tests/laws/test_keys.py
    """
    weight = (
        keeping.most
        if owner_of(question.rows) is Owner.ROW
        else isqrt((1 << 2 * keeping.bits) // keys)
    )
    return (weight + grid // 2) // grid


@frozen
class Finder:
    """On what terms unknown keys are found; computed without data.

    `noise` is that of every key's weight, in steps of the grid, and `start` the threshold in the same steps; `most` is
    how many keys are found at most.
    """

    keeping: Keeping
    sensitivity: Sensitivity
    noise: Gaussian
    grid: int
    delta: Fraction
    start: int
    most: int

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
        """The places and the values of the keys that pass, sorted by value: their order tells nothing else."""
        places = self.passing(gathered.weights)
        named = zip(gathered.keys(places), places, strict=True)
        pairs = sorted(named, key=lambda pair: [_sort_key(value) for value in pair[0]])
        return tuple(place for _, place in pairs), tuple(values for values, _ in pairs)

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
