"""What a release costs: the protocol of all losses, and the plain multiset that adding them makes."""

from __future__ import annotations

from abc import abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable
from fractions import Fraction
from math import inf
from typing import Protocol, TypeGuard, runtime_checkable

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, ball, count_of, upper, working
from tacit.frozen import frozen
from tacit.privacy.protection import Neighbours, relation

__all__ = ["Composed", "Loss", "Order", "check_epsilon", "check_order", "is_loss"]

Order = Fraction | float
"""A Renyi order above one, as a Fraction; `math.inf` is the order of pure epsilon."""


@runtime_checkable
class Loss(Protocol):
    """What one release costs between neighbours of a named relation.

    Each figure is a ball whose upper end is true of every pair of neighbours, or None where this loss has no such
    bound of its own.  How losses add up, and what follows from them, is accounting's business: `+` and `*` only
    collect them.
    """

    @property
    @abstractmethod
    def neighbours(self) -> Neighbours:
        """The relation for which the figures hold."""

    @abstractmethod
    def delta(self, epsilon: Fraction) -> Ball | None:
        """The smallest delta at this epsilon >= 0, or an upper bound of it."""

    @abstractmethod
    def renyi(self, order: Order) -> Ball | None:
        """The Renyi divergence of this order > 1, or an upper bound; of order infinity, the pure epsilon."""

    @abstractmethod
    def rho(self) -> Ball | None:
        """A rho for which the release is rho-zCDP: every Renyi divergence is at most rho times its order."""

    @abstractmethod
    def group(self, size: int) -> Loss:
        """What the same release costs a group of this many units."""

    def pure(self) -> Fraction | None:
        """The epsilon at delta zero, rounded up by a hair where it is irrational; None where there is none."""
        with working():
            epsilon = self.renyi(inf)
            return None if epsilon is None else max(Fraction(0), upper(epsilon))

    @property
    def is_mirrored(self) -> bool:
        """Whether the divergences bound those of one pair that dominates all others and is its own mirror image.

        Symmetric noise on a number that moves is so: seen in a mirror, the neighbours have changed places.
        """
        return False

    def split_failure(self) -> tuple[Fraction, Loss]:
        """The probability with which the release may tell all, and what it costs otherwise.

        Claim:      delta at e is at most f + (1 - f) times the other loss's delta at e, alone and among other releases.
        Because:    the release is dominated by one that tells all with probability f (Kairouz, Oh, Viswanath 2015 for
                    approximate losses; Bun and Steinke 2016, section 8, for approximate zCDP).
        Checked by: tests/laws/test_accounting.py
        """
        return Fraction(0), self

    def moments(self, count: int) -> tuple[Ball, ...] | None:
        """Bounds of the moments 0 to `count` of the privacy loss in either direction, or None where it has no law."""
        return None

    def subsample(self, rate: Number) -> Loss:
        """What the release costs if it sees each unit only with this probability, drawn for it alone (Poisson).

        >>> from tacit.privacy import GaussianLoss
        >>> GaussianLoss(squared=1).subsample(0.25).rate
        Fraction(1, 4)
        """
        from tacit.privacy.subsampled import Subsampled

        return Subsampled(self, rate)

    def __add__(self, other: Loss) -> Composed:
        return Composed.of((self, 1), (other, 1))

    def __mul__(self, times: int) -> Composed:
        return Composed.of((self, times))

    def __rmul__(self, times: int) -> Composed:
        return self * times


@frozen
class Composed(Loss):
    """Several losses, each with how often it occurs; nothing is summed until accounting is asked.

    >>> from tacit.privacy import PureLoss
    >>> PureLoss(1) + PureLoss(1) == PureLoss(1) * 2
    True
    """

    parts: tuple[tuple[Loss, int], ...]
    neighbours: Neighbours = Neighbours.ADD_OR_REMOVE

    def __post_init__(self) -> None:
        object.__setattr__(self, "neighbours", relation(self.neighbours))
        for part, times in self.parts:
            count_of(times, "how often a loss is repeated", least=1)
            if part.neighbours is not self.neighbours:
                raise InvalidInput(
                    "neighbours",
                    self.neighbours,
                    "state the relation that every part is stated for",
                )

    @classmethod
    def of(cls, *counted: tuple[Loss, int]) -> Composed:
        """The multiset of these losses; those that are already composed are opened.

        >>> Composed.of().parts
        ()
        """
        counts: Counter[Loss] = Counter()
        relations = set()
        for loss, times in counted:
            if not is_loss(loss):
                raise InvalidInput(
                    "a loss", loss, "add losses only, such as mechanism.loss(sensitivity)"
                )
            relations.add(loss.neighbours)
            often = count_of(times, "how often a loss is repeated")
            for part, inner in loss.parts if isinstance(loss, Composed) else ((loss, 1),):
                counts[part] += inner * often
        if len(relations) > 1:
            raise InvalidInput(
                "neighbours",
                "of two kinds",
                "state every loss for the same relation before adding them",
            )
        parts = [(part, times) for part, times in counts.items() if times]
        if len(parts) > 1:
            parts.sort(key=lambda counted: repr(counted[0]))
        return cls(tuple(parts), *relations)

    def delta(self, epsilon: Fraction) -> Ball | None:
        """None: what several releases cost together is for accounting to say."""
        check_epsilon(epsilon)
        return None

    def renyi(self, order: Order) -> Ball | None:
        """The sum of the parts' divergences: they add under adaptive composition."""
        check_order(order)
        return self._sum_parts(lambda part: part.renyi(order))

    def pure(self) -> Fraction | None:
        """The sum of the parts' epsilons."""
        total = Fraction(0)
        for part, times in self.parts:
            epsilon = part.pure()
            if epsilon is None:
                return None
            total += epsilon * times
        return total

    def rho(self) -> Ball | None:
        """The sum of the parts' rho."""
        return self._sum_parts(lambda part: part.rho())

    def group(self, size: int) -> Composed:
        """Each part's loss for the group."""
        count = count_of(size, "the size of a group", least=1)
        return Composed.of((self, 0), *((part.group(count), times) for part, times in self.parts))

    @property
    def is_mirrored(self) -> bool:
        """Whether all parts are: the product of mirrored pairs is mirrored, and dominates adaptive choices too."""
        return all(part.is_mirrored for part, _ in self.parts)

    def split_failure(self) -> tuple[Fraction, Composed]:
        """One minus the probability that no part tells all, rounded up, and the parts otherwise."""
        halves = [(part.split_failure(), times) for part, times in self.parts]
        if not any(failure for (failure, _), _ in halves):
            return Fraction(0), self
        rest = Composed.of((self, 0), *((other, times) for (_, other), times in halves))
        return _any_of([(failure, times) for (failure, _), times in halves if failure]), rest

    def _sum_parts(self, figure: Callable[[Loss], Ball | None]) -> Ball | None:
        return _sum((figure(part), times) for part, times in self.parts)


def check_epsilon(epsilon: Fraction) -> None:
    """Refuse an epsilon at which no delta is stated: figures are computed from exact numbers.

    >>> check_epsilon(Fraction(1, 2))
    """
    if type(epsilon) not in {Fraction, int} or epsilon < 0:
        raise InvalidInput("epsilon", epsilon, "give a Fraction of at least zero")


def check_order(order: Order) -> None:
    """Refuse an order at which there is no Renyi divergence.

    >>> check_order(Fraction(2))
    """
    if type(order) not in {Fraction, int, float} or not order > 1:
        raise InvalidInput("order", order, "give a Fraction above one, or math.inf")


def is_loss(value: object) -> TypeGuard[Loss]:
    """Whether a value is a loss; much quicker than asking the protocol, where the value's class names it.

    >>> is_loss(1)
    False
    """
    return Loss in type(value).__mro__ or isinstance(value, Loss)


def _any_of(chances: list[tuple[Fraction, int]]) -> Fraction:
    """The probability that something happens of what independently happens with these, so often; rounded up."""
    if not chances:
        return Fraction(0)
    if any(chance == 1 for chance, _ in chances):
        return Fraction(1)
    added = sum(chance * times for chance, times in chances)
    with working():
        none = sum((ball(-chance).log1p() * times for chance, times in chances), ball(0))
        return min(Fraction(added), upper(-none.expm1()), Fraction(1))


def _sum(figures: Iterable[tuple[Ball | None, int]]) -> Ball | None:
    total = ball(0)
    for figure, times in figures:
        if figure is None:
            return None
        total = total + figure * times
    return total
