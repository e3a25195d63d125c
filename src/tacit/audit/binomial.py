"""Bounds on a probability from how often something happened: Clopper and Pearson's, certified."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from math import exp, inf, lgamma, log, log1p

from tacit.errors import InvalidInput
from tacit.exact import Ball, ball, count_of, upper, working

__all__ = ["share_at_least", "share_at_most", "tail_at_most"]

_TERMS = 32
_HALVINGS = 44
_RETREATS = 32


@lru_cache(maxsize=4096)
def share_at_least(hits: int, runs: int, failure: Fraction) -> Fraction:
    """A number that the probability of a hit is at least, but for a chance of `failure`.

    Claim:      whatever the probability p is, the number exceeds p with probability at most `failure`.
    Because:    it is zero, or so small that as many hits or more have a chance of at most `failure` under it, by a
                certified bound; a larger p makes so many hits likelier (Clopper and Pearson 1934).  Floats only
                propose where to look.
    Checked by: tests/unit/audit/test_binomial.py

    >>> float(share_at_least(365_000, 500_000, Fraction(1, 10**6)))
    0.727...
    """
    runs = count_of(runs, "runs", least=1)
    hits = count_of(hits, "hits", most=runs)
    if not 0 < failure < Fraction(1, 2):
        raise InvalidInput("failure", failure, "give a probability above 0 and below 1/2")
    if not hits:
        return Fraction(0)
    near = _propose_share(hits, runs, log(failure.numerator) - log(failure.denominator))
    for retreat in range(_RETREATS):
        share = Fraction(near) * (1 - Fraction(1 << retreat, 1 << _RETREATS))
        if upper(tail_at_most(hits, runs, share)) <= failure:
            return share
    return Fraction(0)


def share_at_most(hits: int, runs: int, failure: Fraction) -> Fraction:
    """A number that the probability of a hit is at most, but for a chance of `failure`.

    >>> float(share_at_most(0, 1000, Fraction(1, 10**6)))
    0.0137...
    """
    return 1 - share_at_least(
        count_of(runs, "runs", least=1) - count_of(hits, "hits", most=runs), runs, failure
    )


def tail_at_most(hits: int, runs: int, share: Fraction) -> Ball:
    """A bound on the chance of so many hits or more, each run being a hit with probability `share`, at most hits/runs.

    Claim:      the ball's upper end is at least that chance.
    Because:    the chances of hits, hits + 1, … fall by ever smaller factors; the first 32 are summed, and the
                rest is less than a geometric series.
    Checked by: tests/unit/audit/test_binomial.py

    >>> float(upper(tail_at_most(9, 10, Fraction(1, 2))) - Fraction(11, 1024)) < 1e-25
    True
    """
    with working(96):
        odds = ball(share / (1 - share))
        one = ball(1)
        ways = (
            (one * (runs + 1)).lgamma()
            - (one * (hits + 1)).lgamma()
            - (one * (runs - hits + 1)).lgamma()
        )
        first = (ways + hits * ball(share).log() + (runs - hits) * ball(1 - share).log()).exp()
        total, term, place = one, one, hits
        while place < runs and place - hits < _TERMS:
            term = term * odds * (runs - place) / (place + 1)
            place += 1
            total += term
        if place < runs:
            ratio = odds * (runs - place) / (place + 1)
            total += term * ratio / (1 - ratio)
        return first * total


def _propose_share(hits: int, runs: int, failure: float) -> float:
    """About the share under which so many hits or more have a chance whose logarithm is `failure`, in floats."""
    ways = lgamma(runs + 1) - lgamma(hits + 1) - lgamma(runs - hits + 1)
    steps = range(hits, min(runs, hits + _TERMS))

    def chance(share: float) -> float:
        odds, total, term = share / (1 - share), 1.0, 1.0
        for place in steps:
            term *= odds * (runs - place) / (place + 1)
            total += term
        if steps.stop < runs:
            ratio = odds * (runs - steps.stop) / (steps.stop + 1)
            total += term * ratio / (1 - ratio) if ratio < 1 else inf
        return ways + hits * log(share) + (runs - hits) * log1p(-share) + log(total)

    # The logarithm of the share is halved: shares may be as small as failure ** (1 / hits).
    low, high = log(hits / runs) + failure, log(hits / runs)
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (
            (middle, high) if exp(middle) < 1 and chance(exp(middle)) <= failure else (low, middle)
        )
    return exp(low)
