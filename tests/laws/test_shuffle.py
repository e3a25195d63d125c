"""Shuffled reports, against the exact law of small crowds and against the sum that the bound encloses."""

from collections import Counter
from fractions import Fraction
from itertools import product
from math import comb

import pytest

from tacit.audit import compare
from tacit.exact import ball, lower, upper, working
from tacit.local import HadamardResponse, KaryResponse, LocalHashing, Odds, SubsetSelection, Unary
from tacit.privacy import Neighbours, PureLoss, Shuffled, shuffled_epsilon
from tacit.privacy.shuffle import certified_delta

F = Fraction

SMALL = {
    "binary": (KaryResponse.with_odds(2, Odds(3, 1)), 5, True),
    "three values": (KaryResponse.with_odds(3, Odds(4, 1)), 4, True),
    "five values": (KaryResponse.with_odds(5, Odds(2, 1)), 3, True),
    "Hadamard": (HadamardResponse.with_odds(3, Odds(3, 1)), 3, False),
    "unary": (Unary(3, epsilon=1), 3, False),
    "hashing": (LocalHashing.with_odds(3, Odds(3, 1), 2), 3, False),
    "subset": (SubsetSelection.with_odds(4, Odds(5, 1), 2), 3, False),
}


def shuffled_law(protocol, values):
    """The exact law of the multiset of reports."""
    law = {(): F(1)}
    for value in values:
        grown = Counter()
        for before, chance in law.items():
            for report, mass in protocol.distribution(value).items():
                grown[tuple(sorted((*before, report), key=repr))] += chance * mass
        law = dict(grown)
    return law


@pytest.mark.parametrize(("protocol", "people", "response"), SMALL.values(), ids=SMALL)
def test_no_small_crowd_exceeds_the_bound(protocol, people, response):
    local = protocol.loss().epsilon
    loss = Shuffled(local, people, response=response)
    crowds = {
        tuple(sorted(others)) for others in product(range(len(protocol.values)), repeat=people - 1)
    }
    for others in list(crowds)[:8]:
        one, other = (
            shuffled_law(protocol, [protocol.values[each] for each in (held, *others)])
            for held in (0, 1)
        )
        exact = compare(one, other)
        for share in (F(0), F(1, 5), F(1, 2), F(4, 5)):
            with working():
                claimed = upper(loss.delta(local * share))
            assert exact.delta(local * share).low <= claimed


def exact_sum(local, people, epsilon, response):
    """The sum that the bound encloses, term by term: every number of clones, every threshold."""
    with working(256):
        odds, growth = ball(local).exp(), ball(epsilon).exp()
        rate = 2 / (odds + 1) if response else 1 / odds
        total = ball(0)
        for c in range(people):
            mass = comb(people - 1, c) * rate**c * (1 - rate) ** (people - 1 - c)
            best = ball(0)
            for t in range(c + 2):
                excess = ball(0)
                for a in range(t, c + 2):
                    low, high = (F(comb(c, k), 2**c) if 0 <= k <= c else F(0) for k in (a - 1, a))
                    p = (odds * ball(low) + ball(high)) / (odds + 1)
                    q = (ball(low) + odds * ball(high)) / (odds + 1)
                    excess += p - growth * q
                best = best.max(excess)
            total += mass * best
        return total


@pytest.mark.parametrize("response", [False, True])
@pytest.mark.parametrize("people", [1, 2, 7, 30])
def test_the_bound_is_that_of_the_exact_sum(people, response):
    for local, share in product((F(1, 2), F(2)), (F(0), F(1, 3), F(9, 10))):
        exact = exact_sum(local, people, local * share, response)
        with working():
            found = certified_delta(Shuffled(local, people, response=response), local * share, 8)
            assert upper(found) >= lower(exact)
            assert upper(found) <= upper(exact) * (1 + F(1, 10**6)) + F(1, 10**30)


@pytest.mark.parametrize("response", [False, True])
def test_blocks_widen_the_bound_a_little_and_never_narrow_it(response):
    loss = Shuffled(1, 400, response=response)
    for epsilon in (F(1, 10), F(1, 4)):
        with working():
            each = upper(certified_delta(loss, epsilon, 400))
            blocks = upper(certified_delta(loss, epsilon, 24))
        assert each <= blocks <= each * F(3, 2)


@pytest.mark.parametrize(
    ("local", "people"), [(F(1), 10_000), (F(4), 100_000), (F(1, 2), 10**6), (F(2), 50)]
)
def test_the_epsilon_is_certified_and_near_the_smallest(local, people):
    loss, delta = Shuffled(local, people), F(1, 10**6)
    found = F(shuffled_epsilon(local, people, delta))
    with working():
        assert upper(loss.delta(found)) <= delta
        assert found == local or upper(loss.delta(found * F(98, 100))) > delta


def test_shuffling_never_costs_more_than_the_report_alone():
    loss = Shuffled(1, 3)
    assert loss.neighbours is Neighbours.REPLACE
    with working():
        assert upper(loss.delta(F(1))) == 0
        assert upper(loss.delta(F(1, 2))) <= upper(PureLoss(1).delta(F(1, 2)))
    assert loss.pure() == 1
