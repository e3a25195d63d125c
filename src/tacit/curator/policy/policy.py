"""What the curator decides, as values: a limit, tables, and who may weigh how much in them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field, replace
from fractions import Fraction
from functools import lru_cache
from typing import Literal, get_args

from tacit.accounting import Charge, ConcentratedFilter, Filter, PureFilter
from tacit.errors import InvalidInput
from tacit.exact import Number, at_most, count_of
from tacit.frozen import frozen
from tacit.plan import Table, Weighing
from tacit.printing import html_lines
from tacit.privacy import Neighbours, fill, relation

__all__ = ["Limit", "Policy", "Replay", "Shared"]

_LARGEST = 10**6
_HALVINGS = 32  # of an epsilon, until its share of the limit is close enough

Replay = Literal["analyst", "everyone"]
"""To whom an earlier answer is given again for nothing: who paid for it, or everyone."""


@frozen(init=False)
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
        self,
        epsilon: Number,
        delta: Number = 0,
        neighbours: Neighbours | str = Neighbours.ADD_OR_REMOVE,
    ) -> None:
        budget, failure = at_most(epsilon, "epsilon"), at_most(delta, "delta")
        if budget <= 0:
            raise InvalidInput("epsilon", epsilon, "give a limit above zero, such as 1")
        if budget > _LARGEST:
            raise InvalidInput(
                "epsilon", epsilon, "such a large limit protects nobody; give one such as 3"
            )
        if not 0 <= failure < 1:
            raise InvalidInput("delta", delta, "give 0, or a small probability such as 1e-6")
        fill(self, epsilon=budget, delta=failure, neighbours=relation(neighbours))

    @property
    def weighing(self) -> Weighing:
        """The norm in which a unit's rows are held: the one that the noise hides."""
        return Weighing.L2 if self.delta else Weighing.L1

    def filter(self) -> Filter:
        """The rule that guards the ledger."""
        return _filter(self)

    def epsilon_within(self, share: float) -> Fraction | None:
        """An epsilon of two digits that costs at most this share of the limit; None where that is next to nothing.

        >>> Limit(2).epsilon_within(0.25), Limit(2).epsilon_within(0.0)
        (Fraction(1, 2), None)
        """
        rule = self.filter()
        rest = int(share * rule.limit.amount)
        return rule.epsilon_left(Charge(rule.limit.amount - rest), Charge())

    def part(self, share: Number) -> Limit:
        """The limit of somebody who may spend this share of it: shares of a whole add up to it, epsilons do not.

        Claim:      its ledger's units are at most this share of those of the whole.
        Because:    the epsilon is the largest of some that are tried for which that is so.
        Checked by: tests/unit/curator/policy/test_policy.py::test_shares_of_a_limit_add_up_to_it

        >>> float(Limit(3).part(0.5).epsilon), round(float(Limit(3, 1e-6).part(0.5).epsilon), 2)
        (1.5, 2.06)
        """
        wanted = at_most(share, "share")
        if not 0 < wanted <= 1:
            raise InvalidInput("share", share, "give a part of the limit, such as 1/3")
        if wanted == 1:
            return self
        most = self.filter().limit.amount * wanted
        low, high = Fraction(0), self.epsilon
        for _ in range(_HALVINGS):
            middle = (low + high) / 2
            fits = Limit(middle, self.delta, self.neighbours).filter().limit.amount <= most
            low, high = (middle, high) if fits else (low, middle)
        return Limit(low, self.delta, self.neighbours)


@lru_cache(maxsize=256)
def _filter(limit: Limit) -> Filter:
    if limit.delta:
        return ConcentratedFilter(limit.epsilon, limit.delta, limit.neighbours)
    return PureFilter(limit.epsilon, limit.neighbours)


@frozen(init=False)
class Shared:
    """A table that may be asked about, and the norm at which each unit's rows are held.

    A unit with at most `contributions` rows counts in full; None means that it is not decided yet, and to be found.  Of
    keys whose values are not public it keeps at most `keys`, as many as `contributions` if nothing is said.
    """

    table: Table
    contributions: int | None
    keys: int | None
    asked_table: Table = field(init=False, repr=False, compare=False)
    """The table as questions see it, with its contributions: they hold what a unit's rows add up to."""

    def __init__(self, table: Table, contributions: int | None, keys: int | None = None) -> None:
        rows = None if contributions is None else count_of(contributions, "contributions", least=1)
        most = rows if keys is None else count_of(keys, "keys", least=1)
        asked = replace(table, contributions=rows)
        fill(self, table=table, contributions=rows, keys=most, asked_table=asked)


@frozen(init=False)
class Policy:
    """A limit, the tables that it covers by name, and who may spend how much of it.

    `unit` is the entity that is protected, such as "patient"; every table belongs to it.  `analysts` have limits of
    their own within the limit.  `replay` says to whom an earlier answer is given again for nothing: to the analyst who
    paid for it, or to everyone.

    >>> from tacit.plan import Table
    >>> Policy(Limit(3), {"visits": Shared(Table("visits", (), unit="patient"), 5)}).unit
    'patient'
    """

    limit: Limit
    tables: Mapping[str, Shared]
    unit: str
    analysts: Mapping[str, Limit]
    replay: Replay

    def __init__(
        self,
        limit: Limit,
        tables: Mapping[str, Shared],
        unit: str | None = None,
        analysts: Mapping[str, Limit] | None = None,
        replay: Replay = "analyst",
    ) -> None:
        if replay not in get_args(Replay):
            raise InvalidInput("replay", replay, 'give "analyst" or "everyone"')
        for name in tables:
            if not name.isprintable():
                raise InvalidInput(
                    "the name of a table",
                    name,
                    "give a text without invisible characters: it is kept in the ledger",
                )
        units = {each.table.unit or "row" for each in tables.values() if not each.table.public}
        entity = unit if unit is not None else _one(units)
        _check_within(limit, analysts or {})
        fill(
            self,
            limit=limit,
            tables=dict(tables),
            unit=entity,
            analysts=dict(analysts or {}),
            replay=replay,
        )

    def __str__(self) -> str:
        """The policy in words: the limit, and every table with its columns."""
        from tacit.curator.policy.describe_policy import policy_words

        return policy_words(self)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_lines(str(self))


def _one(units: set[str]) -> str:
    """The entity of all tables, if their units have one name."""
    if len(units) != 1:
        raise InvalidInput(
            "unit", None, 'name who is protected in all tables, such as unit="patient"'
        )
    return next(iter(units))


def _check_within(limit: Limit, analysts: Mapping[str, Limit]) -> None:
    """Refuse an analyst's limit that is not a part of the whole.

    Claim:      what analysts pay adds up in the same currency, and none may spend more than everyone together.
    Because:    they have the limit's delta and neighbours, so that prices are the same, and no larger epsilon.
    Checked by: tests/unit/curator/policy/test_policy.py
    """
    for name, own in analysts.items():
        if (own.delta, own.neighbours) != (limit.delta, limit.neighbours):
            raise InvalidInput(
                f"the limit of {name!r}", own, "give it the delta and the neighbours of the vault"
            )
        if own.epsilon > limit.epsilon:
            raise InvalidInput(
                f"the limit of {name!r}",
                own.epsilon,
                f"give at most {limit.epsilon}, the vault's limit",
            )
