"""Randomized response: the truth, or another value as a coin says.

Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_most
from tacit.frozen import frozen
from tacit.local.client_coins import Draws
from tacit.local.odds_protocol import OddsProtocol
from tacit.local.protocol import Integers, Report, Values, read_values
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["KaryResponse", "check_numbers", "read_numbers"]


@frozen(init=False)
class KaryResponse(OddsProtocol):
    """The truth with odds truth : lie against each other value (Warner 1965; k-ary: Kairouz 2014).

    >>> KaryResponse.two_coin().truth
    Fraction(3, 4)
    >>> KaryResponse(["never", "once", "often"], epsilon=1).collect([0, 0, 2]).people
    3
    """

    values: Values
    odds: Odds

    def __init__(self, values: int | Sequence[Hashable], epsilon: Number) -> None:
        fill(self, values=read_values(values), odds=Odds.of(epsilon))

    @classmethod
    def with_odds(cls, values: int | Sequence[Hashable], odds: Odds) -> KaryResponse:
        """The response that tells the truth with these odds.

        >>> KaryResponse.with_odds(3, Odds(2, 1)).truth
        Fraction(1, 2)
        """
        made = cls.__new__(cls)
        fill(made, values=read_values(values), odds=odds)
        return made

    @classmethod
    def warner(cls, epsilon: Number, values: int | Sequence[Hashable] = 2) -> KaryResponse:
        """Two values; the truth with probability e**epsilon / (1 + e**epsilon)."""
        return cls(_two(values), epsilon)

    @classmethod
    def two_coin(cls, values: int | Sequence[Hashable] = 2) -> KaryResponse:
        """Heads: the truth.  Tails: whatever a second coin says.  Its epsilon is ln 3."""
        return cls.with_odds(_two(values), Odds(3, 1))

    @classmethod
    def half_plus(cls, gamma: Number, values: int | Sequence[Hashable] = 2) -> KaryResponse:
        """Two values; the truth with probability 1/2 + gamma.

        >>> KaryResponse.half_plus(Fraction(1, 4)) == KaryResponse.two_coin()
        True
        """
        exact = at_most(gamma, "gamma")
        if not 0 < exact < Fraction(1, 2):
            raise InvalidInput("gamma", gamma, "give a number above 0 and below 1/2")
        return cls.with_odds(_two(values), Odds.telling(Fraction(1, 2) + exact))

    @property
    def stray(self) -> Fraction:
        """The probability of each other value."""
        return Fraction(self.odds.lie, self.odds.truth + self._lies)

    @property
    def _lies(self) -> int:
        return (len(self.values) - 1) * self.odds.lie

    @property
    def report_bits(self) -> int:
        """Those of one number."""
        return (len(self.values) - 1).bit_length()

    def randomise(self, index: int, draws: Draws) -> int:
        """The index itself, or one of the others, each alike."""
        if draws.coin(self.odds.truth, self._lies):
            return index
        return (index + 1 + draws.below(len(self.values) - 1)) % len(self.values)

    def randomise_all(self, indices: Integers, draws: Draws) -> Integers:
        """The same for many."""
        honest = draws.coins(self.odds.truth, self._lies, len(indices))
        others = indices + 1 + draws.numbers(len(self.values) - 1, len(indices))
        return np.where(honest, indices, others % len(self.values))

    def read_reports(self, reports: Iterable[Report]) -> Integers:
        """Whole numbers below the number of values."""
        return read_numbers(reports, len(self.values))

    def check_array(self, reports: NDArray[Any]) -> Integers:
        """Whole numbers below the number of values."""
        return check_numbers(reports, len(self.values))

    def count_supports(self, reports: NDArray[Any]) -> Integers:
        """A report supports the value that it names."""
        return np.bincount(reports, minlength=len(self.values)).astype(np.int64)

    def distribution(self, value: Hashable) -> dict[Report, Fraction]:
        """The truth, and every lie."""
        index = self.index_of(value)
        return {
            each: self.truth if each == index else self.stray for each in range(len(self.values))
        }

    def describe(self) -> dict[str, Any]:
        """The number of values and the odds."""
        odds = {"truth": str(self.odds.truth), "lie": str(self.odds.lie)}
        return {"protocol": "kary", "values": len(self.values), **odds}


def read_numbers(reports: Iterable[Report], bound: int) -> Integers:
    """Reports that are whole numbers from 0 to bound - 1."""
    listed = list(reports)
    if not all(type(each) is int and 0 <= each < bound for each in listed):
        raise InvalidData(f"a report must be a whole number from 0 to {bound - 1}; encode it again")
    return np.array(listed, dtype=np.int64)


def check_numbers(reports: NDArray[Any], bound: int) -> Integers:
    """An array of whole numbers from 0 to bound - 1."""
    fits = reports.ndim == 1 and (reports.dtype.kind in "iu" or not reports.size)
    if not fits or (reports.size and not (reports.min() >= 0 and reports.max() < bound)):
        raise InvalidData(f"reports must be whole numbers from 0 to {bound - 1}; encode them again")
    return reports.astype(np.int64, copy=False)


def _two(values: int | Sequence[Hashable]) -> Values:
    read = read_values(values)
    if len(read) != 2:
        raise InvalidInput(
            "values", read, "give two of them; KaryResponse(values, epsilon) takes more"
        )
    return read
