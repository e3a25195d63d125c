"""Randomized response, by example."""

from fractions import Fraction
from math import log

import numpy as np
import pytest

from tacit.exact import working
from tacit.mechanisms import Estimate, RandomizedResponse
from tacit.privacy import FiniteLoss, Neighbours, PureLoss

F = Fraction


def test_the_named_forms_are_one_mechanism():
    two_coins = RandomizedResponse.two_coin()
    assert (two_coins.truth, two_coins.lie, two_coins.categories) == (F(3, 4), F(1, 4), 2)
    assert RandomizedResponse.half_plus(F(1, 4)) == RandomizedResponse.telling(F(3, 4)) == two_coins
    assert RandomizedResponse.telling(F(1, 2), categories=5).lie == F(1, 8)


def test_probabilities_are_read_as_no_more_truth_than_was_meant():
    assert RandomizedResponse.telling(0.9).truth == min(F(0.9), F(9, 10))
    assert RandomizedResponse.half_plus(0.1).truth == F(1, 2) + min(F(0.1), F(1, 10))


def test_the_shown_epsilon_is_never_below_the_exact_one():
    for truth in (F(3, 4), F(2, 3), F(10**9 - 1, 10**9), F(1, 2) + F(1, 2**60)):
        mechanism = RandomizedResponse.telling(truth)
        with working(400):
            exact = mechanism.loss().epsilon
        assert F(mechanism.epsilon) >= exact
        assert F(mechanism.epsilon) <= exact * (1 + F(1, 2**50))
    assert RandomizedResponse.two_coin().epsilon == pytest.approx(log(3), rel=1e-15)


@pytest.mark.parametrize("shape", [(), (0,), (4,), (0, 2), (2, 3)])
@pytest.mark.parametrize("kind", [bool, np.int8, np.uint64, np.int64])
def test_reports_keep_the_shape_of_the_answers(shape, kind):
    mechanism = RandomizedResponse(1, categories=3)
    reports = mechanism.release(np.ones(shape, dtype=kind))
    assert np.shape(reports) == shape
    assert np.asarray(reports).dtype == np.int64
    assert type(reports) is (int if shape == () else np.ndarray)


def test_every_report_is_an_answer():
    mechanism = RandomizedResponse(F(1, 100), categories=7)
    for answer in range(7):
        reports = mechanism.release(answer, times=400)
        assert reports.min() >= 0
        assert reports.max() <= 6
        assert len(set(reports.tolist())) == 7


def test_every_person_tosses_their_own_coins():
    reports = RandomizedResponse.telling(F(1, 2**31), categories=2**32).release(
        np.zeros(1000, np.int64)
    )
    assert len(set(reports.tolist())) > 990


def test_the_loss_of_two_and_of_more_answers():
    assert isinstance(RandomizedResponse(1).loss(), PureLoss)
    three = RandomizedResponse.telling(F(1, 2), categories=4).loss()
    assert three == FiniteLoss(
        [F(1, 2), F(1, 6), F(1, 3)], [F(1, 6), F(1, 2), F(1, 3)], Neighbours.REPLACE
    )
    assert three.ratio() == 3


def test_the_loss_of_very_many_answers_is_found_without_listing_them():
    loss = RandomizedResponse.telling(F(1, 2), categories=2**32).loss()
    assert loss.ratio() == 2**32 - 1


def test_the_law_of_a_report_sums_to_one():
    for mechanism in (
        RandomizedResponse(1, categories=5),
        RandomizedResponse.telling(0.9, categories=3),
    ):
        law = mechanism.distribution(2)
        assert sum(law.values()) == 1
        assert list(law) == list(range(mechanism.categories))
        assert law[2] == mechanism.truth
        assert mechanism.distribution(np.int64(2)) == law


def test_the_law_of_a_count_is_a_distribution():
    mechanism = RandomizedResponse.two_coin()
    for holders, others in ((0, 0), (3, 0), (0, 3), (np.int8(100), np.int8(100))):
        law = mechanism.reports_law(holders, others)
        assert sum(law.values()) == 1
        assert list(law) == list(range(int(holders) + int(others) + 1))


def test_estimates_add_up_to_the_people():
    estimates = RandomizedResponse(1, categories=3).estimate([[0, 1], [2, 2]])
    assert sum(estimate.count for estimate in estimates.values()) == 4
    assert all(estimate.people == 4 for estimate in estimates.values())


def test_an_estimate_has_a_share_and_a_deviation():
    estimate = Estimate(F(30), F(120), F(9))
    assert (estimate.share, estimate.deviation) == (F(1, 4), 3.0)
    assert str(estimate) == repr(estimate) == "Estimate(count=30, people=120, deviation=3)"
    (found, _) = RandomizedResponse(1).estimate([0, 1, 1]).values()
    assert "Fraction" not in repr(found)
