"""Propose-test-release: the distance is one-Lipschitz, and the release with its refusal costs what is claimed."""

from fractions import Fraction
from math import exp

import pytest

from tacit.audit import databases, local_sensitivities, neighbouring_pairs
from tacit.errors import InvalidInput
from tacit.exact import lower, upper, working
from tacit.mechanisms import ProposeTestRelease, changes_until_wider
from tacit.privacy import Neighbours
from tests.laws.test_smooth_sensitivity import quantile

HALF = Fraction(1, 2)
UNIVERSE, LOW, HIGH, SIZE = (0, 2, 100), 0, 100, 6
RELATIONS = list(Neighbours)


@pytest.mark.parametrize("width", [0, 1, Fraction(3, 2), 98])
@pytest.mark.parametrize("relation", RELATIONS)
def test_the_distance_moves_by_one_and_is_zero_where_it_must_be(relation, width):
    known = local_sensitivities(lambda rows: quantile(rows, HALF), UNIVERSE, SIZE, relation)
    far = {
        rows: changes_until_wider(rows, HALF, LOW, HIGH, width)
        for rows in databases(UNIVERSE, SIZE, relation, ordered=False)
    }
    for one, other in neighbouring_pairs(UNIVERSE, SIZE, relation, ordered=False):
        assert abs(far[one] - far[other]) <= 1
    for rows, distance in far.items():
        if known.at(rows) > width:
            assert distance == 0
    assert max(far.values()) > 0


def test_a_width_that_nothing_exceeds_is_never_reached():
    assert changes_until_wider([1, 2], HALF, 0, 100, 100) == changes_until_wider([], HALF, 0, 9, 9)


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_release_or_refusal_never_costs_more_than_it_claims(relation):
    """On every pair of neighbours of a small universe; and the worst of them attains what is claimed."""
    tester = ProposeTestRelease.calibrate(proposal=2, epsilon=2, delta=0.05)
    loss = tester.loss(relation)
    assert (loss.epsilon, loss.neighbours) == (2, relation)
    assert 0.01 < float(loss.failure) <= 0.05
    laws = {}
    for rows in databases(UNIVERSE, SIZE, relation, ordered=False):
        distance = changes_until_wider(rows, HALF, LOW, HIGH, tester.proposal)
        law = tester.distribution(quantile(rows, HALF), distance, LOW - 5, HIGH + 5).values()
        laws[rows] = [[float(end(mass)) for mass in law] for end in (upper, lower)]
    attained = 0.0
    for pair in neighbouring_pairs(UNIVERSE, SIZE, relation, ordered=False):
        for one, other in (pair, pair[::-1]):
            excess = sum(
                max(0.0, p - exp(2) * q) for p, q in zip(laws[one][0], laws[other][1], strict=True)
            )
            assert excess <= float(loss.failure) + 1e-12
            attained = max(attained, excess)
    assert attained >= 0.9 * float(loss.failure)


def test_the_test_costs_even_if_it_refuses():
    """A refusal is a release: its chances differ between neighbours, by as much as the test's own price."""
    tester = ProposeTestRelease.calibrate(proposal=2, epsilon=2, delta=1e-6)
    far = tester.threshold + 3
    with working():
        refused = [1 - tester.chance_to_answer(distance) for distance in (far, far + 1)]
        assert 0.9 < float((refused[0] / refused[1]).log().mid()) <= 1
    assert float(tester.loss().epsilon) == 2


def test_the_test_itself_is_noisy():
    tester = ProposeTestRelease(proposal=1, test_scale=1000, noise_scale=1, threshold=0)
    refused = sum(tester.release(7, distance=1) is None for _ in range(60))
    assert 0 < refused < 60  # both but with a chance of 2**-58


def test_what_is_released_is_the_value_with_noise_or_nothing():
    tester = ProposeTestRelease(proposal=1, test_scale=1, noise_scale=Fraction(1, 8), threshold=40)
    assert [tester.release(7, distance=0) for _ in range(20)] == [None] * 20
    released = [tester.release(7, distance=100) for _ in range(20)]
    assert None not in released
    assert sum(each == 7 for each in released) > 10
    for wrong in ({"proposal": 0}, {"share": 1}, {"delta": 0}):
        with pytest.raises(InvalidInput):
            ProposeTestRelease.calibrate(**{"proposal": 1, "epsilon": 1, "delta": 0.1} | wrong)
