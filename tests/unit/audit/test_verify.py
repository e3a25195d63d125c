"""Verifying a mechanism over all neighbours of a small universe."""

from fractions import Fraction

import pytest

from tacit.audit import Truncated, verify
from tacit.errors import InvalidDistribution, InvalidInput, NotPrivate, TooLarge, Undecided
from tacit.exact import exp
from tacit.privacy import Neighbours

F = Fraction
REPLACE, ADD = Neighbours.REPLACE, Neighbours.ADD_OR_REMOVE


def two_coins(rows):
    yes = F(3, 4) if rows[0] == "yes" else F(1, 4)
    return {"yes": yes, "no": 1 - yes}


def loud(rows):
    return {rows: 1}


def noisy_count(rows):
    """Counts "A" with two-sided geometric noise of ratio 1/2, everything outside 0..n folded onto the ends."""
    n, centre = 3, rows.count("A")
    chances = dict.fromkeys(range(n + 1), F(0))
    for z in range(n + 1):
        chances[z] = F(1, 3) * F(1, 2) ** abs(z - centre)
    chances[0] += F(1, 3) * F(1, 2) ** centre
    chances[n] += F(1, 3) * F(1, 2) ** (n - centre)
    return chances


def test_folding_the_two_sided_geometric_loses_nothing_and_is_exact():
    for neighbours in Neighbours:
        report = verify(noisy_count, "AB", 3, neighbours)
        assert report.ratio() == 2
        assert report.delta_at_ratio(1) == F(1, 3)


def test_balls_give_enclosures_that_hold_the_truth():
    def response(rows):
        truth = exp(1) / (1 + exp(1))
        return {rows[0]: truth, "AB".replace(rows[0], ""): 1 - truth}

    report = verify(response, "AB", 1, REPLACE)
    assert not report.exact
    assert 1 in report.epsilon()
    assert report.epsilon().width < F(1, 2**100)
    assert report.holds(F(1) + F(1, 2**100))
    assert not report.holds(F(1) - F(1, 2**100))
    with pytest.raises(Undecided):
        report.holds(1)
    finer = verify(response, "AB", 1, REPLACE, bits=200)
    assert finer.epsilon().width <= report.epsilon().width


def test_a_mechanism_that_shows_its_rows_is_caught():
    report = verify(loud, "AB", 2, REPLACE)
    assert report.total_variation() == 1
    assert report.worst().under_y == 0
    with pytest.raises(NotPrivate):
        report.epsilon()
    assert not report.holds(epsilon=50, delta=F(1, 2))
    assert "no finite epsilon" in str(report)


def test_a_mechanism_that_looks_at_order_is_caught_only_with_order():
    def first(rows):
        p = F(3, 4) if rows[:1] == ("A",) else F(1, 4)
        return {"A": p, "B": 1 - p}

    assert verify(first, "AB", 2, REPLACE).pairs == 4
    assert verify(first, "AB", 2, ADD).ratio() == 3
    assert verify(first, "AB", 2, REPLACE, ordered=False).databases == 3


def test_the_relation_matters():
    def size(rows):
        return {len(rows): 1}

    assert verify(size, "AB", 2, REPLACE).total_variation() == 0
    assert verify(size, "AB", 2, ADD).total_variation() == 1


def test_the_worst_pair_is_a_pair_of_neighbours_and_the_event_attains_delta():
    report = verify(noisy_count, "AB", 3, REPLACE)
    for witness, ratio in ((report.worst_at(0), F(1)), (report.worst_at_ratio(F(3, 2)), F(3, 2))):
        x, y = witness.pair
        under_x = sum(mass for outcome, mass in noisy_count(x).items() if outcome in witness.event)
        under_y = sum(mass for outcome, mass in noisy_count(y).items() if outcome in witness.event)
        assert (under_x, under_y) == (witness.under_x, witness.under_y)
        assert under_x - ratio * under_y == report.delta_at_ratio(ratio)


def test_a_mechanism_that_returns_nonsense_is_named_with_the_database():
    with pytest.raises(InvalidDistribution) as caught:
        verify(lambda rows: {"a": F(len(rows), 2)}, "AB", 3, REPLACE)
    assert any("('A', 'A', 'A')" in note for note in caught.value.__notes__)


def test_too_large_a_universe_is_refused_before_the_mechanism_runs():
    def never(rows):
        raise AssertionError

    with pytest.raises(TooLarge, match="databases"):
        verify(never, range(100), 10, REPLACE)
    with pytest.raises(InvalidInput, match="neighbours"):
        verify(never, "AB", 2, "replaced")
    with pytest.raises(InvalidInput, match="no two databases"):
        verify(never, "A", 5, REPLACE)


def test_a_truncated_support_encloses_delta_to_within_the_tail():
    def geometric(rows):
        centre = rows.count("A")
        listed = {z: F(1, 3) * F(1, 2) ** abs(z - centre) for z in range(-40, 44)}
        return Truncated(listed, tail=1 - sum(listed.values()))

    report = verify(geometric, "AB", 3, REPLACE)
    assert F(1, 3) in report.delta(0)
    assert report.delta(0).width < F(1, 2**38)
    assert report.attained.ratio() == 2
    with pytest.raises(NotPrivate):
        report.ratio()


def test_a_universe_may_come_as_anything_that_can_be_listed():
    assert verify(two_coins, iter(("yes", "no")), 1, REPLACE).ratio() == 3
    assert verify(two_coins, {"yes", "no"}, 1, REPLACE).ratio() == 3
