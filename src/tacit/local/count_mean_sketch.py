"""The count-mean sketch: a hashed value in unary, for domains too long for a bit each.

Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.bits_protocol import bit_distribution
from tacit.local.client_coins import Draws
from tacit.local.hashing import LinearHash, linear_hash
from tacit.local.packed_bits import check_rows, read_rows
from tacit.local.protocol import FrequencyProtocol, Integers, Report, Values, read_values
from tacit.local.unary_encoding import Coin, Unary, randomise_rows
from tacit.privacy import fill

__all__ = ["CountMeanSketch"]


@frozen(init=False)
class CountMeanSketch(FrequencyProtocol):
    """A seed, and a bit for each of `width` places, the value's own place set more often.

    As in Apple's sketch (2017), but with every function of a family that is exactly fair, so that
    counts are unbiased without any assumption about the hash.

    >>> CountMeanSketch(1000, epsilon=2, width=31).family
    LinearHash(prime=31, digits=3)
    """

    values: Values
    held: Coin
    other: Coin
    family: LinearHash

    def __init__(
        self,
        values: int | Sequence[Hashable],
        epsilon: Number,
        width: int,
        *,
        symmetric: bool = True,
    ) -> None:
        read = read_values(values)
        coins = Unary.symmetric(2, epsilon) if symmetric else Unary(2, epsilon)
        fill(
            self,
            values=read,
            held=coins.held,
            other=coins.other,
            family=linear_hash(width, len(read)),
        )

    @classmethod
    def with_coins(
        cls, values: int | Sequence[Hashable], held: Coin, other: Coin, width: int
    ) -> CountMeanSketch:
        """The sketch with these two coins."""
        made, read = cls.__new__(cls), read_values(values)
        fill(made, values=read, held=held, other=other, family=linear_hash(width, len(read)))
        return made

    @property
    def ratio(self) -> Fraction:
        """That of the unary encoding: p (1 - q) / ((1 - p) q)."""
        return Fraction(self.held.yes * self.other.no, self.held.no * self.other.yes)

    @property
    def truth(self) -> Fraction:
        """The probability that the bit at the value's place is set."""
        return self.held.chance

    @property
    def stray(self) -> Fraction:
        """The same of another value, which has the same place with probability 1 / width."""
        meet = Fraction(1, self.family.prime)
        return meet * self.held.chance + (1 - meet) * self.other.chance

    @property
    def report_bits(self) -> int:
        """Those of the seed, and one for each place."""
        return (self.family.seeds - 1).bit_length() + self.family.prime

    def randomise(self, index: int, draws: Draws) -> tuple[int, str]:
        """A seed, and the bits in hexadecimal."""
        seed = draws.below(self.family.seeds)
        unary = Unary.with_coins(self.family.prime, self.held, self.other)
        return seed, unary.randomise(self.family.hash(seed, index), draws)

    def randomise_all(self, indices: Integers, draws: Draws) -> NDArray[Any]:
        """Records with a seed and packed bits."""
        reports = np.empty(len(indices), self._record)
        reports["seed"] = draws.numbers(self.family.seeds, len(indices))
        places = self.family.hash_below(reports["seed"], indices, len(self.values))
        reports["bits"] = randomise_rows(places, self.family.prime, self.held, self.other, draws)
        return reports

    @property
    def _record(self) -> np.dtype[Any]:
        return np.dtype([("seed", np.int64), ("bits", np.uint8, (-(-self.family.prime // 8),))])

    def read_reports(self, reports: Iterable[Report]) -> NDArray[Any]:
        """Pairs of a seed and a hexadecimal text."""
        seeds, texts = [], []
        for report in reports:
            pair = tuple(report) if isinstance(report, list | tuple) else ()
            if len(pair) != 2 or type(pair[0]) is not int or not 0 <= pair[0] < self.family.seeds:
                text = f"a report must be a seed below {self.family.seeds} and its bits; encode it again"
                raise InvalidData(text)
            seeds.append(pair[0])
            texts.append(pair[1])
        made = np.empty(len(seeds), self._record)
        made["seed"] = seeds
        made["bits"] = read_rows(texts, self.family.prime)
        return made

    def check_array(self, reports: NDArray[Any]) -> NDArray[Any]:
        """Records with a seed and packed bits."""
        if reports.dtype != self._record or reports.ndim != 1:
            raise InvalidData(
                "reports must be records of a seed and packed bits; encode them again"
            )
        check_rows(reports["bits"], self.family.prime)
        seeds = reports["seed"]
        if seeds.size and not (seeds.min() >= 0 and seeds.max() < self.family.seeds):
            raise InvalidData("a report has an invalid seed; encode it again")
        return reports

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the values whose place is set."""
        seeds, prime = self.family.seeds, self.family.prime
        bits = np.unpackbits(reports["bits"], axis=1)[:, :prime]
        # A report is as many reports of local hashing as it has bits set.
        report, place = np.nonzero(bits)
        cells = np.bincount(reports["seed"][report] * prime + place, minlength=seeds * prime)
        return self.family.count_supports(cells.reshape(seeds, prime), len(self.values))

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """Every seed with all rows of bits."""
        index, family = self.index_of(value), self.family
        return {
            (seed, bits): chance / family.seeds
            for seed in range(family.seeds)
            for bits, chance in bit_distribution(
                family.hash(seed, index), family.prime, self.held.chance, self.other.chance
            ).items()
        }

    def describe(self) -> dict[str, Any]:
        """The number of values, the coins and the family."""
        family = {"prime": self.family.prime, "seeds": self.family.seeds}
        coins = [[str(coin.yes), str(coin.no)] for coin in (self.held, self.other)]
        named = {"held": coins[0], "other": coins[1]}
        return {"protocol": "count-mean-sketch", "values": len(self.values), **family, **named}
