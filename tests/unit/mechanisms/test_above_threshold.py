"""Above threshold: sessions, refusals, calibration."""

import copy
import pickle
from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import Exhausted, InvalidData, InvalidInput, TooLarge
from tacit.mechanisms import AboveThreshold
from tacit.privacy import Neighbours, Sensitivity

F = Fraction
FAR = 10**9


def test_a_session_ends_after_the_answers_that_were_paid_for():
    session = AboveThreshold.calibrate(1, 1, count=2).begin(0)
    assert [session.ask(value) for value in (-FAR, FAR, -FAR, FAR)] == [False, True, False, True]
    assert session.left == 0
    with pytest.raises(Exhausted):
        session.ask(-FAR)


def test_noes_are_free():
    session = AboveThreshold.calibrate(1, 1).begin(0)
    assert not any(session.ask(-FAR) for _ in range(1000))
    assert session.left == 1


def test_numbers_come_with_noise_of_their_own(monkeypatch):
    drawn = iter([100, 7, 1000])  # the threshold's, the compared value's, the told number's
    monkeypatch.setattr(
        "tacit.mechanisms.above_threshold.discrete_laplace", lambda scale: next(drawn)
    )
    session = AboveThreshold(1, 2, answer_scale=3).begin(0)
    assert session.ask(500) == 1500


def test_each_kind_of_noise_has_its_scale_and_the_threshold_is_drawn_once(monkeypatch):
    scales = []
    monkeypatch.setattr(
        "tacit.mechanisms.above_threshold.discrete_laplace", lambda scale: scales.append(scale) or 0
    )
    session = AboveThreshold(1, 2, answer_scale=3, count=2).begin(0)
    session.ask(-5)
    session.ask(5)
    session.ask(5)
    assert scales == [1, 2, 3, 2, 3, 2, 3]


def test_a_value_on_the_noisy_threshold_is_above(monkeypatch):
    monkeypatch.setattr("tacit.mechanisms.above_threshold.discrete_laplace", lambda scale: 0)
    assert AboveThreshold(1, 1).begin(5).ask(5) is True
    assert AboveThreshold(1, 1).begin(5).ask(4) is False
    assert AboveThreshold(1, 1, answer_scale=1).begin(0).ask(0) == 0


def test_a_session_can_be_neither_copied_nor_stored():
    session = AboveThreshold(1, 1).begin(0)
    for duplicate in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(InvalidData):
            duplicate(session)


@pytest.mark.parametrize("value", [True, 0.5, "1", None, np.bool_(True), np.float64(1)])
def test_what_is_no_integer_is_refused_before_anything_is_drawn(value, nothing_drawn):
    mechanism = AboveThreshold(1, 1)
    with pytest.raises(InvalidData):
        mechanism.begin(value)


def test_a_refused_value_costs_nothing():
    session = AboveThreshold(1, 1).begin(0)
    with pytest.raises(InvalidData):
        session.ask(0.5)
    assert session.ask(FAR) is True


@pytest.mark.parametrize("count", [0, -1, True, 1.5])
def test_counts_that_make_no_sense_are_refused(count):
    with pytest.raises(InvalidInput):
        AboveThreshold.calibrate(1, 1, count)


def test_monotone_is_for_add_or_remove_only():
    moved = Sensitivity(1, neighbours=Neighbours.REPLACE)
    with pytest.raises(InvalidInput):
        AboveThreshold.calibrate(1, moved, monotone=True)
    with pytest.raises(InvalidInput):
        AboveThreshold(1, 1, monotone=True).loss(moved)


@pytest.mark.parametrize("numeric", [False, True])
@pytest.mark.parametrize("monotone", [False, True])
@pytest.mark.parametrize("count", [1, 4, 100])
def test_the_whole_price_is_spent_and_no_more(count, monotone, numeric):
    mechanism = AboveThreshold.calibrate(0.3, 2, count, numeric=numeric, monotone=monotone)
    assert mechanism.loss(2).epsilon == min(F(0.3), F("0.3"))
    assert (mechanism.answer_scale is not None) == numeric


def test_the_published_split_is_the_best_of_many():
    """Lyu, Su and Li (2017): the threshold's share to the values' is as 1 to (2c)**(2/3)."""
    for count in (1, 4, 10):
        best = AboveThreshold.calibrate(1, 1, count).error(0.95, answers=50)
        tried = [
            AboveThreshold(1 / share, 2 * count / (1 - share), count=count).error(0.95, answers=50)
            for share in (F(k, 20) for k in range(1, 20))
        ]
        assert best <= 1.1 * min(tried)


def test_accuracy_first_is_the_cheapest_that_will_do():
    mechanism = AboveThreshold.within(error=50, confidence=0.95, answers=100, count=3)
    assert mechanism.error(0.95, answers=100) <= 50
    cheaper = AboveThreshold.calibrate(mechanism.loss(1).epsilon * F(95, 100), 1, 3)
    assert cheaper.error(0.95, answers=100) > 50


def test_laws_are_listed_for_few_values_only():
    with pytest.raises(TooLarge):
        AboveThreshold(1, 1).distribution([0] * 13, 0)
    with pytest.raises(InvalidInput):
        AboveThreshold(1, 1, answer_scale=1).distribution([0], 0)
