"""The net mechanism and multiplicative weights: exact laws on small universes, and errors beside their bounds."""

from fractions import Fraction
from itertools import combinations_with_replacement, product

import numpy as np
import pytest

from tacit.audit import verify
from tacit.errors import InvalidInput
from tacit.exact import upper
from tacit.mechanisms import MultiplicativeWeights, Net, NetMechanism, net_rows_bound
from tacit.privacy import Neighbours

F = Fraction
QUERIES = [(1, 0, 0), (0, 1, 1), (1, 0, 1)]
EPSILON = F(1)
both_relations = pytest.mark.parametrize("neighbours", list(Neighbours))


def counts_of(rows, universe=3):
    return tuple(rows.count(element) for element in range(universe))


def databases(n, universe=3):
    return [counts_of(rows, universe) for rows in combinations_with_replacement(range(universe), n)]


@both_relations
def test_the_net_mechanism_is_as_private_as_it_says(neighbours):
    """Every database of at most four rows and every neighbour: never more than the price, and half of it at least."""
    net = Net.find(QUERIES, n=4, alpha=F(1, 2))
    mechanism = NetMechanism.calibrate(net, EPSILON)
    report = verify(
        lambda rows: mechanism.distribution(counts_of(rows)), range(3), 4, neighbours, ordered=False
    )
    assert report.holds(EPSILON)
    assert not report.holds(EPSILON / 4)
    assert mechanism.loss(neighbours).pure() == EPSILON


@both_relations
def test_multiplicative_weights_are_as_private_as_they_say(neighbours):
    """Two rounds with their noisy answers, on every database of at most two rows and every neighbour."""
    weights = MultiplicativeWeights.calibrate(QUERIES, EPSILON, rounds=2, total=2)
    assert weights.epsilon == EPSILON
    report = verify(
        lambda rows: weights.distribution(counts_of(rows), margin=1),
        range(3),
        2,
        neighbours,
        ordered=False,
    )
    assert report.holds(EPSILON)
    assert not report.holds(EPSILON / 3)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_no_neighbour_moves_a_score_further_than_claimed(rows):
    net = Net(tuple(QUERIES), tuple(databases(rows)), rows, 4, F(1, 2))
    furthest = 0
    for n in range(6):
        for counts in databases(n):
            for element in range(3):
                more = tuple(count + (place == element) for place, count in enumerate(counts))
                moved = np.abs(net.scores(more) - net.scores(counts)).max()
                furthest = max(furthest, int(moved))
    assert furthest == rows


@pytest.mark.parametrize("alpha", [F(1, 3), F(1, 2), F(3, 4)])
def test_a_net_is_near_every_database(alpha):
    n, universe = 8, 4
    queries = [query for query in product((0, 1), repeat=universe) if any(query)]
    net = Net.find(queries, n, alpha)
    assert max(net.error(counts) for counts in databases(n, universe)) <= alpha / 2
    assert net.rows <= min(n, net_rows_bound(len(queries), alpha))
    fewer = Net(net.queries, tuple(databases(net.rows - 1, universe)), net.rows - 1, n, alpha)
    if net.rows > 1:
        assert max(fewer.error(counts) for counts in databases(n, universe)) > alpha / 2


@pytest.mark.parametrize("epsilon", [1, 4, 16])
def test_the_net_mechanism_is_as_useful_as_its_bound(epsilon):
    """The exact chance of an error beyond the bound is no more than beta, for every database."""
    beta, net = 0.05, Net.find(QUERIES, n=12, alpha=F(1, 2))
    mechanism = NetMechanism.calibrate(net, epsilon)
    bound = mechanism.usefulness(beta)
    for counts in databases(12):
        scores = net.scores(counts)
        chances = mechanism.choice.distribution(scores)
        beyond = [
            upper(chances[place])
            for place, score in enumerate(scores)
            if -score > bound * net.rows * 12
        ]
        assert sum(beyond) <= beta


def test_multiplicative_weights_come_near_with_more_rounds_and_no_noise():
    queries = [query for query in product((0, 1), repeat=4) if any(query)]
    counts = (30, 5, 0, 65)
    errors = []
    for rounds in (1, 4, 12):
        weights = MultiplicativeWeights.calibrate(queries, 10**3, rounds, 100)
        found = weights.release(counts)
        assert weights.model(found).sum() == pytest.approx(100)
        errors.append(weights.error(counts, found))
    assert errors[0] > errors[1] > errors[2]
    assert errors[2] < 0.12


@pytest.mark.parametrize(
    "wrong",
    [
        lambda: Net.find([], 3, F(1, 2)),
        lambda: Net.find([(1, 2)], 3, F(1, 2)),
        lambda: Net.find([(1, 0), (1,)], 3, F(1, 2)),
        lambda: Net.find(QUERIES, 3, 1),
        lambda: Net.find(QUERIES, 0, F(1, 2)),
        lambda: Net.find(QUERIES, 3, F(1, 2)).scores((1, 2)),
        lambda: Net.find(QUERIES, 3, F(1, 2)).scores((1, 2, -1)),
        lambda: Net.find([(1,) * 12], 40, F(1, 20)),
        lambda: MultiplicativeWeights.calibrate([(3,)], 1, 1, 1),
        lambda: MultiplicativeWeights.calibrate(QUERIES, 1, 0, 1),
        lambda: MultiplicativeWeights.calibrate(QUERIES, 1, 1, 3).release((1, 2)),
    ],
)
def test_what_makes_no_sense_is_refused(wrong):
    with pytest.raises(InvalidInput):
        wrong()
