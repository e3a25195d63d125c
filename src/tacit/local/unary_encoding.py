"""Unary encodings: one bit for every value, each randomised by a coin of its own."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from tacit.exact import Number
from tacit.frozen import frozen
from tacit.local.bits_protocol import BitsProtocol
from tacit.local.client_coins import Draws
from tacit.local.packed_bits import Octets, hex_of
from tacit.local.protocol import Integers, Values, read_values
from tacit.local.truth_odds import Odds
from tacit.privacy import fill

__all__ = ["Coin", "Unary", "randomise_rows"]

_AT_ONCE = 1 << 20  # coins of a piece: they stay in the cache


@frozen
class Coin:
    """A coin that shows yes to no.

    >>> Coin(1, 3).chance
    Fraction(1, 4)
    """

    yes: int
    no: int

    @property
    def chance(self) -> Fraction:
        """The probability of yes."""
        return Fraction(self.yes, self.yes + self.no)


@frozen(init=False)
class Unary(BitsProtocol):
    """The bit of the held value is set with one probability, every other bit with a smaller one.

    `Unary(values, epsilon)` is the optimised encoding (OUE: Wang, Blocki, Li, Jha 2017): the held bit
    by a fair coin, the others with 1 / (e**epsilon + 1).  `Unary.symmetric` sets bits truly with
    e**(epsilon/2) / (1 + e**(epsilon/2)), as basic RAPPOR does.

    Claim:      a report costs ln(p (1 - q) / ((1 - p) q)).
    Because:    two values differ in two bits; the ratio is largest where one is set and one is not.
    Checked by: tests/laws/test_local.py::test_the_exact_law_costs_what_is_claimed_and_no_less

    >>> Unary(4, epsilon=1).truth
    Fraction(1, 2)
    """

    values: Values
    held: Coin
    other: Coin

    def __init__(self, values: int | Sequence[Hashable], epsilon: Number) -> None:
        odds = Odds.of(epsilon)
        fill(self, values=read_values(values), held=Coin(1, 1), other=Coin(odds.lie, odds.truth))

    @classmethod
    def with_coins(cls, values: int | Sequence[Hashable], held: Coin, other: Coin) -> Unary:
        """The encoding that sets the held bit by one coin and every other bit by another."""
        made = cls.__new__(cls)
        fill(made, values=read_values(values), held=held, other=other)
        return made

    @classmethod
    def symmetric(cls, values: int | Sequence[Hashable], epsilon: Number) -> Unary:
        """Every bit is told truly with the same probability.

        >>> unary = Unary.symmetric(4, epsilon=1)
        >>> unary.truth + unary.stray
        Fraction(1, 1)
        """
        root = Odds.of(epsilon).root()
        return cls.with_coins(values, Coin(root.truth, root.lie), Coin(root.lie, root.truth))

    @property
    def ratio(self) -> Fraction:
        """p (1 - q) / ((1 - p) q)."""
        return Fraction(self.held.yes * self.other.no, self.held.no * self.other.yes)

    @property
    def truth(self) -> Fraction:
        """The probability that the held bit is set."""
        return self.held.chance

    @property
    def stray(self) -> Fraction:
        """The probability that another bit is set."""
        return self.other.chance

    @property
    def report_bits(self) -> int:
        """One for every value."""
        return len(self.values)

    def randomise(self, index: int, draws: Draws) -> str:
        """All bits in hexadecimal, each drawn from first to last."""
        coins = (self.held if place == index else self.other for place in range(len(self.values)))
        return hex_of([draws.coin(coin.yes, coin.no) for coin in coins])

    def randomise_all(self, indices: Integers, draws: Draws) -> Octets:
        """Rows of packed bits."""
        return randomise_rows(indices, len(self.values), self.held, self.other, draws)

    def describe(self) -> dict[str, Any]:
        """The number of values and the two coins."""
        coins = {name: [str(coin.yes), str(coin.no)] for name, coin in self._coins()}
        return {"protocol": "unary", "values": len(self.values), **coins}

    def _coins(self) -> tuple[tuple[str, Coin], ...]:
        return ("held", self.held), ("other", self.other)


def randomise_rows(indices: Integers, width: int, held: Coin, other: Coin, draws: Draws) -> Octets:
    """A row of packed bits for each index: its own bit by one coin, the others by another.

    >>> randomise_rows(np.array([0, 2]), 3, Coin(1, 0), Coin(0, 1), Draws())
    array([[128],
           [ 32]], dtype=uint8)
    """
    rows = np.empty((len(indices), -(-width // 8)), np.uint8)
    piece = max(1, _AT_ONCE // width)
    for start in range(0, len(indices), piece):
        some = indices[start : start + piece]
        bits = draws.coins(other.yes, other.no, len(some) * width).reshape(len(some), width)
        bits[np.arange(len(some)), some] = draws.coins(held.yes, held.no, len(some))
        rows[start : start + piece] = np.packbits(bits, axis=1)
    return rows
