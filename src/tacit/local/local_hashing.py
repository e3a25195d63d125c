"""Local hashing: a random hash of the value, told truly or not; short reports for long lists."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.hashing import LinearHash, is_prime, linear_hash
from tacit.local.odds_protocol import OddsProtocol
from tacit.local.protocol import Integers, Report, Values, read_values
from tacit.local.randomized_response import check_numbers
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["LocalHashing", "best_places"]

_CELLS = 1 << 24  # of a table of all reports that is worth its memory
_MOST_PLACES = 1024  # beyond an epsilon of 7 more places hardly help


@frozen(init=False)
class LocalHashing(OddsProtocol):
    """A seed drawn for this report, and the place of the value by it, randomised over the places.

    With a number of places near e**epsilon + 1 it is as exact as the optimised unary encoding, with a
    report of a few bytes (OLH: Wang, Blocki, Li, Jha 2017).  The places are a prime number, so that
    the hash is exactly fair.

    Claim:      a report costs truth / lie of the response over the places.
    Because:    the seed does not depend on the value, and given the seed the report is a response.
    Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less

    >>> LocalHashing(1000, epsilon=2).family
    LinearHash(prime=7, digits=4)
    """

    values: Values
    odds: Odds
    family: LinearHash

    def __init__(
        self, values: int | Sequence[Hashable], epsilon: Number, places: int | None = None
    ) -> None:
        read, odds = read_values(values), Odds.of(epsilon)
        wanted = best_places(float(odds.ratio)) if places is None else places
        fill(self, values=read, odds=odds, family=linear_hash(wanted, len(read)))

    @classmethod
    def with_odds(cls, values: int | Sequence[Hashable], odds: Odds, places: int) -> LocalHashing:
        """The protocol with these odds."""
        made, read = cls.__new__(cls), read_values(values)
        fill(made, values=read, odds=odds, family=linear_hash(places, len(read)))
        return made

    @property
    def stray(self) -> Fraction:
        """One over the number of places."""
        return Fraction(1, self.family.prime)

    @property
    def _lies(self) -> int:
        return (self.family.prime - 1) * self.odds.lie

    @property
    def report_bits(self) -> int:
        """Those of the seed and of the place."""
        return (self.family.seeds - 1).bit_length() + (self.family.prime - 1).bit_length()

    def randomise(self, index: int, draws: Draws) -> tuple[int, int]:
        """A seed, and a place."""
        seed = draws.below(self.family.seeds)
        place = self.family.hash(seed, index)
        if not draws.coin(self.odds.truth, self._lies):
            place = (place + 1 + draws.below(self.family.prime - 1)) % self.family.prime
        return seed, place

    def randomise_all(self, indices: Integers, draws: Draws) -> Integers:
        """Seed and place of each as one number: seed * prime + place."""
        prime, count = self.family.prime, len(indices)
        seeds = draws.numbers(self.family.seeds, count)
        places = self.family.hash_below(seeds, indices, len(self.values))
        honest = draws.coins(self.odds.truth, self._lies, count)
        shift = np.where(honest, 0, 1 + draws.numbers(prime - 1, count))
        places += shift
        places -= prime * (places >= prime)
        return seeds * prime + places

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Pairs of a seed and a place."""
        seeds, prime = self.family.seeds, self.family.prime
        listed = []
        for report in reports:
            pair = tuple(report) if isinstance(report, list | tuple) else ()
            fits = len(pair) == 2 and all(type(each) is int for each in pair)
            if not (fits and 0 <= pair[0] < seeds and 0 <= pair[1] < prime):
                text = f"a report must be a seed below {seeds} and a place below {prime}; encode it again"
                raise InvalidData(text)
            listed.append(pair[0] * prime + pair[1])
        return np.array(listed, dtype=np.int64)

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Numbers that hold a seed and a place."""
        return check_numbers(reports, self.family.seeds * self.family.prime)

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values that its seed sends to its place."""
        prime, seeds = self.family.prime, self.family.seeds
        if seeds * prime <= _CELLS:
            cells = np.bincount(reports, minlength=seeds * prime).reshape(seeds, prime)
            return self.family.count_supports(cells, len(self.values))
        return np.array([self.count_value(reports, index) for index in range(len(self.values))])

    def count_value(self, reports: Integers, index: int) -> int:
        """How many reports support one value."""
        seeds, places = np.divmod(reports, self.family.prime)
        hashed = self.family.hash_all(seeds, np.int64(index))  # type: ignore[arg-type]
        return int((hashed == places).sum())

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """Every seed with every place."""
        index, prime = self.index_of(value), self.family.prime
        lie = Fraction(self.odds.lie, self.odds.truth + self._lies)
        return {
            (seed, place): (self.truth if self.family.hash(seed, index) == place else lie)
            / self.family.seeds
            for seed in range(self.family.seeds)
            for place in range(prime)
        }

    def describe(self) -> dict[str, Any]:
        """The number of values, the odds and the family."""
        family = {"prime": self.family.prime, "seeds": self.family.seeds}
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "local-hashing", "values": len(self.values), **family, **odds}


def best_places(ratio: float) -> int:
    """The prime number of places with the least variance for a rare value, or the largest that is kept.

    >>> best_places(7.389)
    7
    """
    middle = min(int(ratio) + 1, _MOST_PLACES)
    below = next(each for each in range(max(middle, 2), 1, -1) if is_prime(each))
    above = next(each for each in range(middle + 1, 2 * middle + 2) if is_prime(each))
    return min((below, above), key=lambda g: (ratio - 1 + g) ** 2 / (g - 1))
