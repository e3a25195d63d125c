"""Exact choices, by example; their laws are in tests/laws/test_choice_law.py."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import below_best, exponential_choice, flipped_choice, uniform_choice
from tests.unit.exact.wrong import NO_NUMBERS

CHOICES = pytest.mark.parametrize("choice", [exponential_choice, flipped_choice])


def test_distances_never_wrap_around():
    assert below_best(np.array([2**63 - 1, -(2**63)])).tolist() == [0, 2**64 - 1]
    assert below_best(np.array([0, 2**80], dtype=object)).tolist() == [2**80, 0]
    assert below_best(np.array([-(2**63)])).tolist() == [0]


@CHOICES
def test_shapes(choice):
    assert choice(np.array([1, 2, 3]), 1).shape == (1,)
    assert choice(np.array([1, 2, 3]), 1, times=0).shape == (0,)
    assert choice(np.array([1, 2, 3]), 1, times=1000).dtype == np.int64
    assert set(choice(np.array([0, 0, 0]), Fraction(1, 2), times=1000).tolist()) == {0, 1, 2}
    assert choice(np.zeros(300_000, np.int64), 1, times=2).shape == (2,)


@CHOICES
def test_scores_of_any_width_are_chosen_among(choice):
    assert set(choice(np.array([2**90, 0, 2**90 - 1], dtype=object), 2, times=200).tolist()) == {
        0,
        2,
    }
    assert set(choice(np.array([2**62, -(2**62), 2**62]), 2**80, times=200).tolist()) == {0, 1, 2}
    assert set(choice(np.array([2**70, 2**70], dtype=object), 2**900, times=200).tolist()) == {0, 1}


@CHOICES
@pytest.mark.usefixtures("nothing_drawn")
def test_what_is_no_array_of_integers_is_refused(choice):
    for wrong in (
        [1, 2],
        np.array([1.0]),
        np.array([[1]]),
        np.array([], np.int64),
        np.array(1),
        np.array([True]),
    ):
        with pytest.raises(InvalidData, match="; "):
            choice(wrong, 1)


@CHOICES
@pytest.mark.usefixtures("nothing_drawn")
def test_what_is_no_scale_is_refused(choice):
    for wrong in [*NO_NUMBERS.values(), 0, -1, Fraction(1, 1001), 2**1024 + 1]:
        with pytest.raises(InvalidInput):
            choice(np.array([1, 2]), wrong)
    for wrong in (-1, 1.5, True, 2**62):
        with pytest.raises(InvalidInput):
            choice(np.array([1, 2]), 1, times=wrong)


def test_each_row_has_its_own_choice():
    rows = np.eye(6, dtype=np.bool_)
    assert uniform_choice(rows).tolist() == [0, 1, 2, 3, 4, 5]
