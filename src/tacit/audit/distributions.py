"""What a finite mechanism returns: a probability for every outcome, read exactly and validated."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from fractions import Fraction
from numbers import Rational
from typing import cast

from tacit.audit.enclosure import Enclosure
from tacit.errors import InvalidDistribution
from tacit.exact import Ball, lower, upper
from tacit.frozen import frozen

__all__ = ["Distribution", "Outcome", "Probability", "Truncated", "distribution_of", "truncate"]

Outcome = Hashable
Probability = int | Fraction | Ball

NOTHING = Enclosure(Fraction(0), Fraction(0))


@frozen
class Truncated:
    """Some outcomes with their probabilities, and a bound on the mass of all that are not listed.

    An infinite support is given this way: list the outcomes that matter and bound the rest.

    >>> halves = Truncated({k: Fraction(1, 2 ** (k + 1)) for k in range(20)}, tail=Fraction(1, 2**20))
    >>> distribution_of(halves).unlisted
    Fraction(1, 1048576)
    """

    listed: Mapping[Outcome, Probability]
    tail: Probability


def truncate(probability: Callable[[int], Probability], low: int, high: int) -> Truncated:
    """The outcomes from `low` to `high` of a distribution over the integers, and what is left as the tail.

    Claim:      `tail` is at least the mass of all other integers.
    Because:    all masses sum to one, and each listed one is at least its low end.
    Checked by: tests/unit/audit/test_distributions.py

    >>> truncate(lambda k: Fraction(1, 2 ** (k + 1)) if k >= 0 else Fraction(0), 0, 19).tail
    Fraction(1, 1048576)
    """
    listed: dict[Outcome, Probability] = {
        outcome: probability(outcome) for outcome in range(low, high + 1)
    }
    return Truncated(
        listed, max(Fraction(0), 1 - sum(_probability(*mass).low for mass in listed.items()))
    )


@frozen
class Distribution:
    """Outcomes with enclosed, positive probabilities, and the most that all unlisted outcomes can weigh together."""

    listed: tuple[tuple[Outcome, Enclosure], ...]
    unlisted: Fraction

    @property
    def exact(self) -> bool:
        """Whether every probability is rational and every outcome is listed."""
        return not self.unlisted and all(mass.exact for _, mass in self.listed)

    @property
    def key(self) -> Hashable:
        """A value that equal distributions share, whatever the order of their outcomes."""
        return frozenset(self.listed), self.unlisted


def distribution_of(returned: object) -> Distribution:
    """The distribution that a mechanism returned, once it is known to be one.

    Claim:      every accepted value encloses a probability distribution, and a rational one is exactly one.
    Because:    every probability can be non-negative, and the listed low ends sum to at most one while the
                listed high ends and the tail sum to at least one; for rationals without a tail the two sums
                are the same number, which is therefore one.
    Checked by: tests/unit/audit/test_distributions.py

    >>> distribution_of({"yes": Fraction(3, 4), "no": Fraction(1, 4)}).unlisted
    Fraction(0, 1)
    """
    whole = (
        returned
        if isinstance(returned, Truncated)
        else Truncated(cast("Mapping[Outcome, Probability]", returned), 0)
    )
    if not isinstance(whole.listed, Mapping):
        raise InvalidDistribution(
            f"the mechanism returned a {type(returned).__name__}; return a dict from each outcome to its probability"
        )
    listed = {outcome: _probability(outcome, given) for outcome, given in whole.listed.items()}
    unlisted = _probability("the tail", whole.tail).high
    _sums_to_one(listed, unlisted)
    return Distribution(
        tuple((outcome, p) for outcome, p in listed.items() if p.high > 0), unlisted
    )


def _probability(outcome: Outcome, given: object) -> Enclosure:
    if isinstance(given, Ball):
        if not given.is_finite():
            raise InvalidDistribution(
                f"the probability of {outcome!r} is {given}; compute it with more bits"
            )
        low, high = lower(given), upper(given)
    elif isinstance(given, Rational) and not isinstance(given, bool):
        low = high = Fraction(int(given.numerator), int(given.denominator))
    else:
        raise InvalidDistribution(
            f"the probability of {outcome!r} is a {type(given).__name__}; "
            "return a Fraction, or a Ball where the probability is irrational"
        )
    if high < 0:
        raise InvalidDistribution(
            f"the probability of {outcome!r} is negative; probabilities are at least 0"
        )
    return Enclosure(max(low, Fraction(0)), high)


def _sums_to_one(listed: Mapping[Outcome, Enclosure], unlisted: Fraction) -> None:
    least = sum((p.low for p in listed.values()), Fraction(0))
    most = sum((p.high for p in listed.values()), unlisted)
    if least <= 1 <= most:
        return
    total = f"exactly {least}" if least == most else f"between {float(least)!r} and {float(most)!r}"
    raise InvalidDistribution(
        f"the probabilities sum to {total}, not to 1; list every outcome, "
        "or return Truncated(listed, tail) with a bound on the mass of the rest"
    )
