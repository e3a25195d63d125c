"""What guards a ledger: limits in whole units that adaptive and concurrent analysts cannot exceed."""

from __future__ import annotations

from abc import abstractmethod
from fractions import Fraction
from functools import lru_cache
from math import ceil, floor
from typing import Protocol

from tacit.accounting.conversion import concentrated_epsilon, rho_within
from tacit.errors import InvalidInput, NotChargeable
from tacit.exact import Number, at_most, ball, float_at_least, lower, upper, working
from tacit.frozen import frozen
from tacit.privacy import Loss, Neighbours, fill, is_loss

__all__ = ["Charge", "ConcentratedFilter", "Filter", "PureFilter"]

EPSILON_UNIT = Fraction(1, 1 << 40)
"""A pure ledger counts epsilon in these."""

RHO_UNIT = Fraction(1, 1 << 60)
"""A concentrated ledger counts rho in these."""

DELTA_UNIT = Fraction(1, 1 << 100)
"""Every ledger counts failures in these."""

MOST_EPSILON = 10**6
"""The largest epsilon that is converted to rho."""


@frozen
class Charge:
    """What is paid, in whole units: an amount of the ledger's currency, and a probability of failure.

    >>> Charge(3) + Charge(4, failure=1)
    Charge(amount=7, failure=1)
    """

    amount: int = 0
    failure: int = 0

    def __post_init__(self) -> None:
        for name, number in (("amount", self.amount), ("failure", self.failure)):
            if type(number) is not int or number < 0:
                raise InvalidInput(name, number, "give a whole number of units, at least zero")

    def __add__(self, other: Charge) -> Charge:
        return Charge(self.amount + other.amount, self.failure + other.failure)

    def fits(self, limit: Charge) -> bool:
        """Whether neither number exceeds the limit's.

        >>> Charge(3, 1).fits(Charge(3, 0))
        False
        """
        return self.amount <= limit.amount and self.failure <= limit.failure


_SMALLEST_PART = 10_000
"""What is left of a limit is spoken of if it is more than this part of it."""


class Filter(Protocol):
    """A limit as a frozen value: it prices losses and says whether a charge still fits; it remembers nothing.

    Charges add up, so what was spent is one `Charge`.  Only sums of numbers that are valid for adaptively chosen losses
    are used (docs/decisions/0004-filters.md): no optimal composition, no privacy-loss distribution.
    """

    @property
    @abstractmethod
    def limit(self) -> Charge:
        """The most that may be spent, in whole units."""

    @abstractmethod
    def price(self, loss: Loss) -> Charge:
        """What a loss costs, rounded up; refused if the loss is of a kind that this filter cannot sum."""

    @abstractmethod
    def price_of(self, epsilon: Number) -> Charge:
        """The price of a release that alone may cost this epsilon, rounded down: noise is fitted to it."""

    @abstractmethod
    def amount(self, charge: Charge) -> Fraction:
        """The epsilon or rho that a charge stands for."""

    @abstractmethod
    def epsilon_of(self, charge: Charge) -> Fraction:
        """The epsilon of a release that costs this much, alone: the way back from `price_of`, rounded up."""

    def admits(self, spent: Charge, charge: Charge) -> bool:
        """Whether a charge still fits beside what was spent.

        Claim:      while only admitted charges are made, everything released keeps the limit.
        Because:    docs/decisions/0004-filters.md
        Checked by: tests/unit/accounting/test_privacy_filters.py
        """
        return (spent + charge).fits(self.limit)

    def share(self, charge: Charge) -> Fraction:
        """The part of the limit that a charge is: the larger of its two parts."""
        parts = ((charge.amount, self.limit.amount), (charge.failure, self.limit.failure))
        return max(Fraction(paid, most) if most else Fraction(bool(paid)) for paid, most in parts)

    def epsilon_left(self, spent: Charge, refused: Charge) -> Fraction | None:
        """An epsilon of two digits whose price fits beside what was spent, in place of a charge that does not.

        None where next to nothing is left, or where the failures of the charge are what does not fit.

        >>> vault = PureFilter(3)
        >>> vault.epsilon_left(vault.price_of(2.7654), vault.price_of(1))
        Fraction(23, 100)
        """
        rest = self.limit.amount - spent.amount
        too_little = rest * _SMALLEST_PART < self.limit.amount
        if too_little or spent.failure + refused.failure > self.limit.failure:
            return None
        most = self.epsilon_of(Charge(rest))
        digit = Fraction(10) ** (_exponent_of(most) - 1)
        for number in range(int(most / digit), 0, -1):
            if self.admits(Charge(spent.amount), self.price_of(number * digit)):
                return number * digit
        return None


def _exponent_of(number: Fraction) -> int:
    """The place of the first digit of a positive number: 0 for ones, -1 for tenths."""
    exponent = len(str(number.numerator)) - len(str(number.denominator))
    return exponent if number >= Fraction(10) ** exponent else exponent - 1


@frozen(init=False)
class PureFilter(Filter):
    """A limit on the sum of pure epsilons, in units of 2**-40; nothing may fail.

    Claim:      whatever is admitted is epsilon-DP together, for analysts who choose each loss after earlier answers.
    Because:    pure epsilons add along every path of answers (Rogers, Roth, Ullman, Vadhan 2016), concurrently too
                (Vadhan, Wang 2021).
    Checked by: tests/unit/accounting/test_privacy_filters.py

    >>> vault = PureFilter(epsilon=3)
    >>> vault.limit.amount // vault.price_of(epsilon=0.3).amount
    10
    """

    epsilon: Fraction
    neighbours: Neighbours
    limit: Charge

    def __init__(self, epsilon: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> None:
        budget = _positive(at_most(epsilon, "epsilon"), "epsilon", epsilon)
        fill(
            self,
            epsilon=budget,
            neighbours=neighbours,
            limit=_worth(Charge(floor(budget / EPSILON_UNIT)), epsilon),
        )

    def price(self, loss: Loss) -> Charge:
        """The pure epsilon, rounded up."""
        failure, rest = _check_loss(loss, self.neighbours).split_failure()
        epsilon = rest.pure()
        if failure or epsilon is None:
            remedy = "this ledger sums pure epsilons; use Laplace noise, or a limit with a delta"
            raise NotChargeable(type(loss).__name__, remedy)
        return Charge(ceil(epsilon / EPSILON_UNIT))

    def price_of(self, epsilon: Number) -> Charge:
        """epsilon itself, rounded down."""
        return Charge(
            floor(_positive(at_most(epsilon, "epsilon"), "epsilon", epsilon) / EPSILON_UNIT)
        )

    def amount(self, charge: Charge) -> Fraction:
        """The epsilon that a charge stands for."""
        return charge.amount * EPSILON_UNIT

    def epsilon_of(self, charge: Charge) -> Fraction:
        """The epsilon that a charge stands for."""
        return self.amount(charge)


@frozen(init=False)
class ConcentratedFilter(Filter):
    """A limit (epsilon, delta), kept as a sum of rho that converts to it at delta/2, and a reserve of delta/2.

    The reserve pays for failures: thresholds of unknown keys, and every other delta.

    Claim:      whatever is admitted is (epsilon, delta)-DP together, for analysts who choose each loss after earlier
                answers: it is delta/2-approximate R-zCDP, and R converts to (epsilon, delta/2).
    Because:    rho and failures add along every path of answers (Whitehouse, Ramdas, Rogers, Wu 2023);
                docs/decisions/0004-filters.md.
    Checked by: tests/unit/accounting/test_privacy_filters.py

    >>> vault = ConcentratedFilter(epsilon=3, delta=1e-6)
    >>> vault.price_of(epsilon=3) == Charge(vault.limit.amount)
    True
    >>> vault.limit.amount // vault.price_of(epsilon=0.3).amount
    74
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours
    limit: Charge

    def __init__(
        self, epsilon: Number, delta: Number, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE
    ) -> None:
        budget = _positive(at_most(epsilon, "epsilon"), "epsilon", epsilon)
        failure = _positive(at_most(delta, "delta"), "delta", delta)
        if failure >= 1:
            raise InvalidInput("delta", delta, "give a probability below one, 1e-6 for example")
        fill(self, epsilon=budget, delta=failure, neighbours=neighbours)
        # R and the reserve, both rounded down: R is the price of a release that spends it all.
        reserve = floor(failure / 2 / DELTA_UNIT)
        fill(self, limit=_worth(Charge(self.price_of(budget).amount, reserve), epsilon))

    def price(self, loss: Loss) -> Charge:
        """The rho and the failure, both rounded up.

        Claim:      the loss is failure-approximate rho-zCDP.
        Because:    only the loss's own rho and failure are read, never a delta at an epsilon, which does not add.
        Checked by: tests/unit/accounting/test_privacy_filters.py
        """
        failure, rest = _check_loss(loss, self.neighbours).split_failure()
        with working():
            rho = rest.rho()
            if rho is None:
                raise NotChargeable(
                    type(loss).__name__,
                    "this ledger sums rho; use noise that states one, such as the Gaussian",
                )
            return Charge(max(0, ceil(upper(rho) / RHO_UNIT)), ceil(failure / DELTA_UNIT))

    def price_of(self, epsilon: Number) -> Charge:
        """The largest rho that alone is (epsilon, delta/2)-DP."""
        budget = _positive(at_most(epsilon, "epsilon"), "epsilon", epsilon)
        if budget > MOST_EPSILON:
            raise InvalidInput(
                "epsilon", epsilon, f"give at most {MOST_EPSILON}: beyond that nothing is hidden"
            )
        with working():
            return Charge(max(0, floor(lower(rho_within(budget, self.delta / 2)) / RHO_UNIT)))

    def with_keys(self, charge: Charge) -> Charge:
        """The charge together with a failure for unknown keys: the same part of the reserve as of rho, rounded down.

        >>> vault = ConcentratedFilter(epsilon=3, delta=1e-6)
        >>> vault.with_keys(vault.price_of(epsilon=3)) == vault.limit
        True
        """
        limit = self.limit
        return Charge(charge.amount, charge.failure + limit.failure * charge.amount // limit.amount)

    def amount(self, charge: Charge) -> Fraction:
        """The rho that a charge stands for."""
        return charge.amount * RHO_UNIT

    def failure(self, charge: Charge) -> Fraction:
        """The probability of failure that a charge stands for.

        >>> ConcentratedFilter(epsilon=3, delta=1e-6).failure(Charge(0, 1)) == DELTA_UNIT
        True
        """
        return charge.failure * DELTA_UNIT

    def epsilon_of(self, charge: Charge) -> Fraction:
        """The smallest epsilon that this rho alone gives at delta/2, rounded up."""
        if not charge.amount:
            return Fraction(0)
        return _epsilon_of(self.amount(charge), self.delta / 2)


@lru_cache(maxsize=1024)
def _epsilon_of(rho: Fraction, delta: Fraction) -> Fraction:
    """Remembered: every answer shows its epsilon, and most questions of a vault cost the same."""
    with working():
        return Fraction(float_at_least(concentrated_epsilon(ball(rho), delta)))


def _check_loss(loss: Loss, neighbours: Neighbours) -> Loss:
    if not is_loss(loss):
        raise InvalidInput(
            "a loss", loss, "charge what a mechanism states, such as mechanism.loss(sensitivity)"
        )
    if loss.neighbours is not neighbours:
        raise NotChargeable(
            type(loss).__name__,
            f"it is stated for neighbours by {loss.neighbours.value}, and this ledger is kept for {neighbours.value}",
        )
    return loss


def _worth(limit: Charge, epsilon: object) -> Charge:
    """The limit, if it is at least one unit."""
    if not limit.amount:
        raise InvalidInput(
            "epsilon",
            epsilon,
            "so small a limit is less than one unit of the ledger; give a larger one",
        )
    return limit


def _positive(exact: Fraction, name: str, given: object) -> Fraction:
    if exact <= 0:
        raise InvalidInput(name, given, "give a number above zero")
    return exact
