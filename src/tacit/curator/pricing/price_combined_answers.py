"""On what terms several questions are answered at one price: how it is divided among them, from the plan alone.

Checked by: tests/laws/test_combined.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from math import ceil, floor

from tacit.accounting import Charge
from tacit.curator.policy.policy import Limit, Shared
from tacit.curator.pricing.answer_size import MOST_BYTES, size_of
from tacit.curator.pricing.noise_of_measures import Terms, amount_within, terms_of
from tacit.errors import InvalidInput
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.plan import Question, groups_of
from tacit.privacy import Loss, PureLoss, ZeroConcentratedLoss

__all__ = ["CombinedTerms", "combined_terms", "least_amount", "shares_of"]

_HEADER = 1 << 13
_MANY_GROUPS = 64
"""Beyond so many groups, more of them take no larger share; of unknown keys, so many are reckoned with."""


@frozen
class CombinedTerms:
    """The terms of every part, and which share of the price each has."""

    parts: tuple[Terms, ...]
    shares: tuple[Fraction, ...]

    @property
    def loss(self) -> Loss:
        """What is paid for all parts together.

        Claim:      everything that is released for the parts together costs no more than this.
        Because:    each part costs at most its own loss, whatever was released before it, and losses add up.
        Checked by: tests/laws/test_combined.py::test_the_price_covers_all_parts
        """
        losses = [each.loss for each in self.parts]
        amount = sum((each.amount for each in self.parts), Fraction(0))
        neighbours = self.parts[0].sensitivities[0].neighbours
        if not self.parts[0].concentrated:
            return PureLoss(amount, neighbours)
        delta = sum(
            (loss.failure for loss in losses if isinstance(loss, ZeroConcentratedLoss)), Fraction(0)
        )
        return ZeroConcentratedLoss(amount, delta, neighbours)


def shares_of(questions: Sequence[Question], *, concentrated: bool) -> tuple[Fraction, ...]:
    """Which part of a price each of several questions has; together they are the whole.

    Every measure of a question with g groups weighs g**(2/3), where rho is divided, and g**(1/2), where epsilon is:
    then the sum of all relative errors is least if rows are spread evenly, since a group is a g-th of all rows and
    noise falls with the root of rho, or with epsilon.

    >>> from tacit.plan import Column, Counted, Field, Key, Kind, Scan, Table
    >>> ward = Column("ward", Kind.TEXT, values=tuple("ABCDEFGH"))
    >>> rows = Scan(Table("visits", (ward,)))
    >>> total, by_ward = (Question(rows, keys, (Counted(),)) for keys in ((), (Key(Field(ward), ward.values),)))
    >>> [str(each) for each in shares_of([total, by_ward], concentrated=True)]
    ['1/5', '4/5']
    """
    power = Fraction(2, 3) if concentrated else Fraction(1, 2)
    weights = [
        len(question.measures) * round(1024 * _groups(question) ** float(power))
        for question in questions
    ]
    return tuple(Fraction(weight, sum(weights)) for weight in weights)


def _groups(question: Question) -> int:
    """How many groups are reckoned with."""
    return _MANY_GROUPS if question.unknown else min(_MANY_GROUPS, groups_of(question))


def combined_terms(
    questions: Sequence[Question], shared: Sequence[Shared], limit: Limit, charge: Charge
) -> CombinedTerms:
    """The terms of several questions at one price, a charge in whole units.

    Claim:      the amounts of all parts add up to that of the charge, and the terms are a function of the questions,
                the policy and the charge.
    Because:    shares add up to one, and nothing else is passed in.
    Checked by: tests/laws/test_combined.py::test_the_price_covers_all_parts
    """
    amount = limit.filter().amount(charge)
    shares = shares_of(questions, concentrated=bool(limit.delta))
    parts = tuple(
        terms_of(question, each, limit, amount * share)
        for question, each, share in zip(questions, shared, shares, strict=True)
    )
    return CombinedTerms(_fit_keys(parts), shares)


def _fit_keys(parts: tuple[Terms, ...]) -> tuple[Terms, ...]:
    """The terms with so few unknown keys let go that all answers together fit into one entry of the ledger."""
    known = sum(size_of(each).bytes for each in parts if each.finder is None)
    unknown = sum(1 for each in parts if each.finder is not None)
    room = Fraction(max(0, MOST_BYTES - known - len(parts) * _HEADER), max(1, unknown) * MOST_BYTES)
    return tuple(
        each
        if each.finder is None or len(parts) == 1
        else replace(each, finder=replace(each.finder, most=max(1, floor(each.finder.most * room))))
        for each in parts
    )


def least_amount(
    questions: Sequence[Question],
    shared: Sequence[Shared],
    limit: Limit,
    places: Sequence[tuple[int, ...]],
    error: Number,
    confidence: float,
) -> Charge:
    """The smallest charge at which the named measures of all questions stay within `error` at this confidence."""
    if not any(places):
        raise InvalidInput(
            "within",
            error,
            "only counts and sums have an error that is known in advance; give epsilon instead",
        )
    shares = shares_of(questions, concentrated=bool(limit.delta))
    needed = [
        amount_within(question, each, limit, named, error, confidence) / share
        for question, each, named, share in zip(questions, shared, places, shares, strict=True)
        if named
    ]
    return Charge(ceil(max(needed) / limit.filter().amount(Charge(1))))
