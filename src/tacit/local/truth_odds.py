"""The odds of the truth against a lie: two whole numbers, whose ratio is what a report costs."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from tacit.errors import InvalidInput
from tacit.exact import Number, at_most, ball, lower, working
from tacit.frozen import frozen

__all__ = ["Odds"]

LEAST, MOST = Fraction(1, 1024), 20
_PLACES = 32


@frozen
class Odds:
    """The truth weighs `truth`, each lie weighs `lie`.

    >>> Odds(3, 1).ratio
    Fraction(3, 1)
    """

    truth: int
    lie: int

    @classmethod
    def of(cls, epsilon: Number) -> Odds:
        """The odds nearest to e**epsilon to one that do not exceed them.

        Claim:      truth / lie <= e**epsilon, and it misses by less than one part in 2**32.
        Because:    the product of e**epsilon and 2**32 is enclosed and rounded down.
        Checked by: tests/unit/local/test_truth_odds.py::test_odds_never_exceed_the_price

        >>> Odds.of(1)
        Odds(truth=11674931554, lie=4294967296)
        """
        price = at_most(epsilon, "epsilon")
        if not LEAST <= price <= MOST:
            raise InvalidInput("epsilon", epsilon, f"give a price from {LEAST} to {MOST}")
        with working():
            grown = lower(ball(price).exp() * (1 << _PLACES))
        return cls(int(grown), 1 << _PLACES)

    @classmethod
    def telling(cls, truth: Number, values: int = 2) -> Odds:
        """The odds with which one of so many values is told truly with this probability.

        >>> Odds.telling(Fraction(3, 4))
        Odds(truth=3, lie=1)
        """
        exact = at_most(truth, "truth")
        if not Fraction(1, values) < exact < 1:
            raise InvalidInput("truth", truth, f"give a probability above 1/{values} and below 1")
        ratio = exact * (values - 1) / (1 - exact)
        return cls(ratio.numerator, ratio.denominator)

    @property
    def ratio(self) -> Fraction:
        """truth / lie."""
        return Fraction(self.truth, self.lie)

    def root(self) -> Odds:
        """Odds whose square does not exceed these: for a report that lies in two places.

        >>> Odds(9, 1).root().ratio
        Fraction(3, 1)
        """
        return Odds(isqrt((self.truth << 2 * _PLACES) // self.lie), 1 << _PLACES)
