"""What a limit allows: how accurate answers of equal price are, with delta = 0 and with a small one, without data.

Checked by: tests/unit/curator/test_starter_policy.py
"""

from __future__ import annotations

from fractions import Fraction

from tacit.accounting import Charge
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.curator.write_toml import as_printed, write_number
from tacit.errors import InvalidInput
from tacit.exact import Number, count_of
from tacit.frozen import frozen
from tacit.plan import Counted, Question, Scan, Table
from tacit.privacy import Neighbours

__all__ = ["Comparison", "SMALL_DELTA", "compare_limits"]

SMALL_DELTA = Fraction(1, 10**6)
"""The delta that is proposed where one pays: a chance of one in a million."""

_CONFIDENCE = 0.95
_MOST_ANSWERS = 10**6


@frozen
class Comparison:
    """The ± of each of some answers of equal price, for every row that a unit may have, without a delta and with one.

    From `turning` answers on, a delta gives less noise.
    """

    epsilon: Fraction
    answers: int
    pure: float
    concentrated: float
    small: Fraction
    turning: int

    @property
    def delta(self) -> Fraction:
        """The delta that gives these answers less noise: 0, or the small one."""
        return Fraction(0) if self.answers < self.turning else self.small

    def __str__(self) -> str:
        return self.words()

    def words(self, contributions: int | None = None) -> str:
        """The comparison in words, for units of which so many rows count in full; if that is open, for one row.

        >>> compare_limits(3, 100).words(contributions=5).partition("with delta = 0")[0]
        'With epsilon = 3 and 100 answers of equal price, each count is within ±499 '
        """
        small = write_number(self.small)
        rows = 1 if contributions is None else contributions
        reached = (
            "if a unit has one row; with contributions = k it is k times that"
            if contributions is None
            else f"with contributions = {contributions}"
        )
        return (
            f"With epsilon = {write_number(self.epsilon)} and {self.answers} answers of equal "
            f"price, each count is within ±{rows * self.pure:.3g} with delta = 0 (pure differential "
            f"privacy) and within ±{rows * self.concentrated:.3g} with delta = {small} (zCDP), 95 "
            f"times in 100, {reached}. "
            f"Below {self.turning} answers delta = 0 gives less noise, from {self.turning} on "
            f"delta = {small} does."
        )


def compare_limits(
    epsilon: Number,
    answers: int,
    *,
    delta: Number = SMALL_DELTA,
    neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
) -> Comparison:
    """How accurate so many answers can be, with delta = 0 and with a small one; computed from the ledger's own rules.

    >>> compare_limits(3, 4).delta, compare_limits(3, 100).delta
    (Fraction(0, 1), Fraction(1, 1000000))
    """
    many = count_of(answers, "answers", least=1, most=_MOST_ANSWERS)
    pure, concentrated = (
        Limit(as_printed(epsilon), 0, neighbours),
        Limit(as_printed(epsilon), as_printed(delta), neighbours),
    )
    if not concentrated.delta:
        raise InvalidInput(
            "delta", delta, "compare with a small probability above zero, such as 1e-6"
        )
    # the first number of answers at which a delta pays lies above low, and at high or below
    low, high = 0, 1
    while high < _MOST_ANSWERS and _reach(pure, high) <= _reach(concentrated, high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (
            (middle, high)
            if _reach(pure, middle) <= _reach(concentrated, middle)
            else (low, middle)
        )
    return Comparison(
        pure.epsilon,
        many,
        float(_reach(pure, many)),
        float(_reach(concentrated, many)),
        concentrated.delta,
        high,
    )


def _reach(limit: Limit, answers: int) -> Fraction:
    """The ± of a count when so many answers share a limit equally and a unit has one row."""
    rule, table = limit.filter(), Table("rows", (), unit="unit")
    price = rule.amount(Charge(rule.limit.amount // answers))
    return terms_of(Question(Scan(table), (), (Counted(),)), Shared(table, 1), limit, price).reach(
        0, _CONFIDENCE
    )
