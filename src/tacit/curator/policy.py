"""What the curator decides, as values: a limit, tables, and who may weigh how much in them."""

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tacit.accounting import ConcentratedFilter, Filter, PureFilter
from tacit.errors import InvalidInput
from tacit.exact import Number, at_most, count_of
from tacit.plan import Table, Weighing
from tacit.privacy import Neighbours, fill

__all__ = ["Limit", "Policy", "Shared"]


@dataclass(frozen=True, slots=True, init=False)
class Limit:
    """The most that all answers together may tell: epsilon and delta, between neighbours of a relation.

    With delta 0 every answer has Laplace noise and prices add up; with a small delta it has Gaussian noise, and many
    small prices add up to less.

    >>> Limit(epsilon=3, delta=1e-6).weighing
    <Weighing.L2: 'L2'>
    """

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours

    def __init__(
        self, epsilon: Number, delta: Number = 0, neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE
    ) -> None:
        budget, failure = at_most(epsilon, "epsilon"), at_most(delta, "delta")
        if budget <= 0:
            raise InvalidInput("epsilon", epsilon, "give a limit above zero, such as 1")
        if not 0 <= failure < 1:
            raise InvalidInput("delta", delta, "give 0, or a small probability such as 1e-6")
        fill(self, epsilon=budget, delta=failure, neighbours=_relation(neighbours))

    @property
    def weighing(self) -> Weighing:
        """The norm in which a unit's rows are held: the one that the noise hides."""
        return Weighing.L2 if self.delta else Weighing.L1

    def filter(self) -> Filter:
        """The rule that guards the ledger."""
        if self.delta:
            return ConcentratedFilter(self.epsilon, self.delta, self.neighbours)
        return PureFilter(self.epsilon, self.neighbours)


@dataclass(frozen=True, slots=True, init=False)
class Shared:
    """A table that may be asked about, and the norm at which each unit's rows are held.

    A unit with at most `contributions` rows counts in full.
    """

    table: Table
    contributions: int

    def __init__(self, table: Table, contributions: int) -> None:
        fill(self, table=table, contributions=count_of(contributions, "contributions", least=1))


@dataclass(frozen=True, slots=True)
class Policy:
    """A limit and the tables it covers, by name."""

    limit: Limit
    tables: Mapping[str, Shared]


def _relation(neighbours: Neighbours | str) -> Neighbours:
    try:
        return Neighbours(neighbours)
    except ValueError:
        raise InvalidInput("neighbours", neighbours, 'give "add-or-remove" or "replace"') from None
