"""What an attacker believes after a release, with your row in it and with your row changed."""

from collections.abc import Callable, Mapping
from fractions import Fraction

from tacit.audit.databases import Database
from tacit.audit.distributions import Outcome, distribution_of
from tacit.audit.verify import Mechanism
from tacit.errors import InvalidDistribution

__all__ = ["posterior", "posterior_shift"]

Belief = Mapping[Database, Fraction]


def posterior(prior: Belief, mechanism: Mechanism, outcome: Outcome) -> dict[Database, Fraction]:
    """The attacker's belief about the database after seeing `outcome`, by Bayes' rule in rational arithmetic.

    >>> from tacit.audit import one_random_row
    >>> even = {("A", "B"): Fraction(1, 2), ("B", "B"): Fraction(1, 2)}
    >>> posterior(even, one_random_row, "B")[("B", "B")]
    Fraction(2, 3)
    """
    distribution_of(prior)
    weights = {database: belief * _chance(mechanism, database, outcome) for database, belief in prior.items()}
    total = sum(weights.values(), Fraction(0))
    if not total:
        raise InvalidDistribution(f"{outcome!r} cannot happen on any database the prior allows; give one that can")
    return {database: weight / total for database, weight in weights.items()}


def posterior_shift(
    prior: Belief, mechanism: Mechanism, outcome: Outcome, change: Callable[[Database], Database]
) -> Fraction:
    """The total variation between the beliefs after `outcome` came from the database, and from `change` of it.

    Claim:      if `change` leads to a neighbour, or to the same database, and the mechanism's smallest e^epsilon is
                r, the shift is at most (r - 1)/(r + 1) = tanh(epsilon/2), for every prior and outcome. Replacing a
                row is two steps of add-or-remove and shifts by at most tanh(epsilon) there.
    Because:    the two posteriors are the same prior weighted by likelihoods whose quotient lies between 1/r and r;
                the largest shift puts r on a set of posterior mass s and 1/r elsewhere, and s = 1/(r + 1) is worst.
    Checked by: tests/laws/test_exact_verifier.py
    """
    seen = posterior(prior, mechanism, outcome)
    elsewhere = posterior(prior, lambda database: mechanism(change(database)), outcome)
    return sum((abs(seen[database] - elsewhere[database]) for database in seen), Fraction(0)) / 2


def _chance(mechanism: Mechanism, database: Database, outcome: Outcome) -> Fraction:
    distribution = distribution_of(mechanism(database))
    mass = dict(distribution.listed).get(outcome)
    if distribution.unlisted or (mass is not None and not mass.exact):
        raise InvalidDistribution("beliefs are exact; give a mechanism with Fractions for all outcomes")
    return Fraction(0) if mass is None else mass.low
