"""Heavy hitters: the most frequent of more values than anybody could list, by prefixes that grow."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from math import sqrt
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.local.client_coins import SECURE, Draws
from tacit.local.frequencies import quantile_of
from tacit.local.hashing import LinearHash, linear_hash
from tacit.local.local_hashing import best_places
from tacit.local.protocol import Integers, Report, loss_of
from tacit.local.truth_odds import Odds
from tacit.privacy import PureLoss, fill
from tacit.progress import show_progress

__all__ = ["HeavyHitters", "Hitter"]

MOST_BITS = 48
_FIRST = 22  # bits of the first prefix: all of them are judged at once, by one Fourier transform
_SPARE = 4  # times as many values as are wanted are ranked by all their prefixes
_NEXT = 13  # bits that are added to a prefix at once, at most

Digits = list[NDArray[np.uint16]]
Floats = NDArray[np.float64]


@frozen
class Hitter:
    """A value that was found, its estimated count, and an interval of it."""

    value: int
    count: float
    low: float
    high: float


@frozen(init=False)
class HeavyHitters:
    """Values are numbers of so many bits; each person reports one prefix, of a length drawn by chance.

    A report is a level, a seed, and the place of the prefix by local hashing.  The collector judges
    all short prefixes, then only those longer ones that begin like a frequent one (TreeHist: Bassily
    et al. 2017; PEM: Wang, Li, Jha 2018).

    Claim:      a report costs truth / lie of the response over the places.
    Because:    level and seed do not depend on the value, and given both the report is a response.
    Checked by: tests/unit/local/test_heavy_hitters.py::test_the_exact_law_costs_what_is_claimed

    >>> HeavyHitters(bits=32, epsilon=2).segments
    (22, 10)
    """

    bits: int
    odds: Odds
    segments: tuple[int, ...]
    families: tuple[LinearHash, ...]

    def __init__(self, bits: int, epsilon: Number, segments: tuple[int, ...] | None = None) -> None:
        count_of(bits, "bits", least=1, most=MOST_BITS)
        parts = _segments(bits) if segments is None else tuple(segments)
        if sum(parts) != bits or not all(1 <= part <= _FIRST for part in parts):
            raise InvalidInput(
                "segments", parts, f"give parts of 1 to {_FIRST} bits that sum to all bits"
            )
        odds = Odds.of(epsilon)
        places = best_places(float(odds.ratio))
        families = tuple(linear_hash(places, 1 << part) for part in parts)
        fill(self, bits=bits, odds=odds, segments=parts, families=families)
        LinearHash(
            places, sum(family.digits for family in families)
        )  # refuses seeds that do not fit

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return self.odds.ratio

    def loss(self, reports: int = 1) -> PureLoss:
        """What so many fresh reports cost their owner."""
        return loss_of(self.ratio, reports)

    @property
    def places(self) -> int:
        """The number of places of the hash."""
        return self.families[0].prime

    @property
    def truth(self) -> Fraction:
        """The probability that the place is that of the prefix."""
        return Fraction(self.odds.truth, self.odds.truth + self._lies)

    @property
    def _lies(self) -> int:
        return (self.places - 1) * self.odds.lie

    def encode(self, value: int) -> tuple[int, int, int]:
        """A report of this value, by secure coins: a level, a seed and a place."""
        return self.randomise(count_of(value, "a value", most=(1 << self.bits) - 1), SECURE)

    def randomise(self, value: int, draws: Draws) -> tuple[int, int, int]:
        """The same by these draws."""
        level = draws.below(len(self.segments))
        family = self._family(level)
        chosen = draws.below(family.seeds)
        place = family.hash(chosen, self._index(value, level))
        if not draws.coin(self.odds.truth, self._lies):
            place = (place + 1 + draws.below(self.places - 1)) % self.places
        return level, chosen, place

    def encode_all(self, values: Any) -> NDArray[Any]:
        """A report of each value: records of a level, a seed and a place."""
        array = np.asarray(values)
        fits = array.ndim == 1 and (array.dtype.kind in "iu" or not array.size)
        if not fits or (
            array.size and not (array.min() >= 0 and int(array.max()) < 1 << self.bits)
        ):
            raise InvalidData(
                f"values must be whole numbers below 2**{self.bits}; hash or number them"
            )
        return self.randomise_all(array.astype(np.int64), SECURE)

    def randomise_all(self, values: Integers, draws: Draws) -> NDArray[Any]:
        """The same for many."""
        reports = np.empty(len(values), _RECORD)
        reports["level"] = draws.numbers(len(self.segments), len(values))
        honest = draws.coins(self.odds.truth, self._lies, len(values))
        shift = np.where(honest, 0, 1 + draws.numbers(self.places - 1, len(values)))
        for level in range(len(self.segments)):
            own = np.flatnonzero(reports["level"] == level)
            family = self._family(level)
            chosen = draws.numbers(family.seeds, len(own))
            hashed = family.hash_all(chosen, self._indices(values[own], level))
            reports["seed"][own] = chosen
            reports["place"][own] = (hashed + shift[own]) % self.places
        return reports

    def read_reports(self, reports: Iterable[Report]) -> NDArray[Any]:
        """Triples of a level, a seed and a place, as records."""
        listed = []
        for report in reports:
            each = tuple(report) if isinstance(report, list | tuple) else ()
            if len(each) != 3 or not all(type(number) is int for number in each):
                raise InvalidData("a report must be a level, a seed and a place; encode it again")
            if (
                not all(0 <= number < 1 << 62 for number in each)
                or each[0] > 255
                or each[2] > 65535
            ):
                raise InvalidData("a report has a number out of range; encode it again")
            listed.append(each)
        return self.check_array(np.array(listed, dtype=_RECORD))

    def check_array(self, reports: NDArray[Any]) -> NDArray[Any]:
        """Records, refused if one is out of range."""
        if reports.dtype != _RECORD or reports.ndim != 1:
            raise InvalidData(
                "reports must be records of a level, a seed and a place; encode them again"
            )
        for level in range(len(self.segments)):
            own = reports["seed"][reports["level"] == level]
            if own.size and not (own.min() >= 0 and own.max() < self._family(level).seeds):
                raise InvalidData("a report has an invalid seed; encode it again")
        if reports.size and (
            reports["level"].max() >= len(self.segments) or reports["place"].max() >= self.places
        ):
            raise InvalidData("a report has an invalid level or place; encode it again")
        return reports

    def find(
        self, reports: Any, top: int = 20, kept: int = 256, confidence: Number = 0.95
    ) -> tuple[Hitter, ...]:
        """The values that seem most frequent, of those whose prefixes were among the `kept` best.

        They are ranked by the reports of whole values, and by those of the prefix before where the two
        agree.  A count is estimated from the reports of whole values alone; that a value was found says
        that its noise was rather upward, which the interval does not know.
        """
        known = isinstance(reports, np.ndarray)
        array = self.check_array(reports) if known else self.read_reports(reports)
        people = np.bincount(array["level"], minlength=len(self.segments)).tolist()
        if not all(people):
            raise InvalidData("there are too few reports to estimate from; collect more")
        last = len(self.segments) - 1
        found = self._first(array[array["level"] == 0], kept if last else top)
        for level in range(1, last + 1):
            own = array[array["level"] == level]
            found = self._longer(own, level, found, kept if level < last else _SPARE * top)
        best = found.best(found.scores, top)
        order = np.argsort(-best.excess)
        return self._hitters(
            best.prefixes[order], best.excess[order], people[last], len(array), confidence
        )

    def _hitters(
        self, values: Integers, excess: Floats, last: int, people: int, confidence: Number
    ) -> tuple[Hitter, ...]:
        p, q = float(self.truth), 1 / self.places
        counts = excess / (p - q) * (people / last)
        reach = quantile_of(confidence) * sqrt(last * q * (1 - q)) / (p - q) * (people / last)
        return tuple(
            Hitter(value, count, max(0.0, count - reach), min(float(people), count + reach))
            for value, count in zip(values.tolist(), counts.tolist(), strict=True)
        )

    def _first(self, reports: NDArray[Any], kept: int) -> _Prefixes:
        """The best of all first prefixes."""
        family, size = self.families[0], 1 << self.segments[0]
        folded = _fold(family, reports["seed"], reports["place"].astype(np.int64))
        supports = family.transform(folded, len(reports))[:size]
        excess = np.asarray(supports - len(reports) / self.places, dtype=np.float64)
        return _Prefixes(np.arange(size), excess, excess).best(excess, kept)

    def _longer(
        self, reports: NDArray[Any], level: int, shorter: _Prefixes, kept: int
    ) -> _Prefixes:
        """The best of all prefixes that are longer by one segment and begin with these."""
        family, size = self.families[level], 1 << self.segments[level]
        rest, digits = reports["seed"], []
        for _ in range(self._family(level - 1).digits):
            rest, digit = np.divmod(rest, self.places)
            digits.append(digit.astype(np.uint16))
        places = reports["place"].astype(np.uint16)
        parts = []
        # A prefix that several values share, or that is no hitter at all, has another count than the value.
        unlike = 3 * sqrt(2 * len(reports) * (1 - 1 / self.places) / self.places)
        pairs = list(zip(shorter.prefixes.tolist(), shorter.excess.tolist(), strict=True))
        for prefix, before in show_progress(pairs, len(pairs), "prefixes"):
            index = self._index(prefix << (self.bits - sum(self.segments[:level])), level - 1)
            left = self._subtract(places, digits, index)
            cells = np.bincount(rest * self.places + left, minlength=family.seeds * self.places)
            supports = family.count_supports(cells.reshape(family.seeds, self.places), size)
            excess = np.asarray(supports - len(reports) / self.places, dtype=np.float64)
            scores = np.where(np.abs(excess - before) < unlike, (excess + before) / 2, excess)
            longer = (prefix << self.segments[level]) + np.arange(size)
            parts.append(_Prefixes(longer, excess, scores).best(excess, kept))
        whole = _join(parts)
        return whole.best(whole.excess, kept)

    def _subtract(self, places: NDArray[np.uint16], digits: Digits, index: int) -> Integers:
        """The places less the hash of a prefix, by the digits of the seeds."""
        total = places.copy()
        for digit in digits:
            index, factor = divmod(index, self.places)
            if factor:
                total += digit * np.uint16(self.places - factor)
                total %= np.uint16(self.places)
        return total.astype(np.int64)

    def _family(self, level: int) -> LinearHash:
        """The hash functions of the prefixes of a level."""
        return LinearHash(self.places, sum(family.digits for family in self.families[: level + 1]))

    def _index(self, value: int, level: int) -> int:
        """A prefix as a vector: the digits of its segments, one after the other."""
        return int(self._indices(np.array([value], dtype=np.int64), level)[0])

    def _indices(self, values: Integers, level: int) -> Integers:
        total, place, left = np.zeros_like(values), 1, self.bits
        for part, family in zip(self.segments[: level + 1], self.families, strict=False):
            left -= part
            total += (values >> left & (1 << part) - 1) * place
            place *= family.seeds
        return total

    def distribution(self, value: int) -> dict[Report, Fraction]:
        """The probability of every report of a value; for small domains."""
        law: dict[Report, Fraction] = {}
        lie = Fraction(self.odds.lie, self.odds.truth + self._lies)
        for level in range(len(self.segments)):
            family, index = self._family(level), self._index(value, level)
            share = Fraction(1, len(self.segments) * family.seeds)
            for chosen in range(family.seeds):
                for place in range(self.places):
                    honest = family.hash(chosen, index) == place
                    law[level, chosen, place] = share * (self.truth if honest else lie)
        return law


_RECORD = np.dtype([("level", np.uint8), ("seed", np.int64), ("place", np.uint16)])


def _segments(bits: int) -> tuple[int, ...]:
    """A first part as long as can be judged at once, and the rest in equal parts."""
    first = min(bits, _FIRST)
    rest, parts = bits - first, -(-(bits - first) // _NEXT)
    return (first, *(rest // parts + (place < rest % parts) for place in range(parts)))


def _fold(family: LinearHash, seeds: Integers, places: Integers) -> NDArray[np.complex128]:
    """The spectrum of the reports, from them alone: a table of all seeds and places would be larger."""
    turns = np.exp(-2j * np.pi * np.arange(family.prime) / family.prime)
    folded = np.zeros(family.seeds, np.complex128)
    # The other half of the factors gives the conjugates, whose real parts are the same.
    for factor in range(1, family.prime // 2 + 1):
        where, turned = family.scale(seeds, factor), turns[factor * places % family.prime]
        folded.real += np.bincount(where, weights=turned.real, minlength=family.seeds)
        folded.imag += np.bincount(where, weights=turned.imag, minlength=family.seeds)
    return folded * (1 if family.prime == 2 else 2)


class _Prefixes(NamedTuple):
    """Prefixes, how far their supports exceed those of an absent one, and the figure that ranks them."""

    prefixes: Integers
    excess: Floats
    scores: Floats

    def best(self, by: Floats, kept: int) -> _Prefixes:
        """So many of them, by this figure."""
        if len(by) <= kept:
            return self
        chosen = np.argpartition(-by, kept)[:kept]
        return _Prefixes(self.prefixes[chosen], self.excess[chosen], self.scores[chosen])


def _join(parts: list[_Prefixes]) -> _Prefixes:
    return _Prefixes(
        np.concatenate([part.prefixes for part in parts]),
        np.concatenate([part.excess for part in parts]),
        np.concatenate([part.scores for part in parts]),
    )
