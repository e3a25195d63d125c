"""Which event is chosen to tell two databases apart."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.audit.events import best_event, by_epsilon, by_mu
from tacit.audit.outcome_bins import NamedCells, NumberCells

F = Fraction
FAILURE = F(1, 10**6)
NUMBERS = NumberCells(np.array([0, 1, 2]))


def chosen(cells, mine, theirs, aim, favours=0):
    return best_event([(cells, np.array(mine), np.array(theirs))], favours, aim, FAILURE)


def test_the_likeliest_ratio_enters_first():
    score, event = chosen(
        NamedCells(("a", "b")), [8000, 2000, 0], [4000, 6000, 0], by_epsilon(F(0))
    )
    assert event.inside.tolist() == [True, False, False]
    assert 0.5 < score < np.log(2)
    _, event = chosen(
        NamedCells(("a", "b")), [8000, 2000, 0], [4000, 6000, 0], by_epsilon(F(0)), favours=1
    )
    assert event.inside.tolist() == [False, True, False]


def test_a_rare_but_telling_outcome_is_left_out_if_delta_covers_it():
    counts = [5000, 4900, 100], [2500, 7500, 0]
    _, event = chosen(NamedCells(("a", "b")), *counts, by_epsilon(F(0)))
    assert event.inside.tolist() == [False, False, True]
    _, event = chosen(NamedCells(("a", "b")), *counts, by_epsilon(F(1, 10)))
    assert event.inside.tolist() == [True, False, True]


def test_a_simple_range_is_preferred_to_a_ragged_one():
    _, event = chosen(NUMBERS, [0, 100, 5000, 4900, 0], [0, 7500, 1250, 1250, 0], by_epsilon(F(0)))
    assert event.inside.tolist()[1:4] == [False, True, True]


def test_mu_is_shown_best_by_an_event_in_the_middle():
    """Two normal laws one deviation apart, cut at -1, 1/2 and 2: every cut shows mu = 1, the middle one best."""
    counts = [1587, 5328, 2858, 227, 0], [227, 2858, 5328, 1587, 0]
    _, event = chosen(NUMBERS, *counts, by_mu())
    assert event.inside.tolist()[:4] == [True, True, False, False]
    _, event = chosen(NUMBERS, *counts, by_epsilon(F(0)))
    assert event.inside.tolist()[:4] == [True, False, False, False]


def test_the_event_says_what_it_is():
    _, event = chosen(NUMBERS, [0, 0, 10, 90, 0], [0, 90, 10, 0, 0], by_epsilon(F(0)))
    assert str(event) == "2 or more"


@pytest.mark.parametrize("favours", [0, 1])
def test_equal_counts_show_nothing(favours):
    score, _ = chosen(
        NUMBERS, [0, 100, 100, 100, 0], [0, 100, 100, 100, 0], by_epsilon(F(0)), favours
    )
    assert score <= 0
