"""Outcomes in cells."""

import numpy as np
import pytest

from tacit.audit.outcome_bins import NamedCells, NumberCells, ScoreCells, views_of
from tacit.audit.runs import tidy


def only(one, other):
    (view,) = views_of([tidy(one)], [tidy(other)])
    return view


def inside(view, *places):
    return np.isin(np.arange(view.count), places)


def test_few_numbers_have_a_cell_each_and_many_share():
    few = only([1, 2, 2], [5])
    assert few.places(np.array([0, 1, 2, 3, 5, 9])).tolist() == [0, 1, 2, 2, 3, 3]
    many = only(list(range(10_000)), [])
    assert 100 < many.count < 140
    sizes = np.bincount(many.places(np.arange(10_000)))
    assert sizes.max() < 200


def test_what_was_never_expected_has_a_cell_of_its_own():
    numbers = only([1, 2], [3])
    assert numbers.places([2, "error", None]).tolist() == [2, numbers.count - 1, numbers.count - 1]
    names = only(["a", "b"], ["a"])
    assert names.places(["b", "c", "a"]).tolist() == [1, 2, 0]
    rows = views_of([np.array([[1, 2]])], [np.array([[2, 3]])])[1]
    assert rows.places([(1, 2), "error", (1, 2, 3)]).tolist()[1:] == [rows.count - 1] * 2


def test_not_a_number_is_told_from_infinity():
    floats = only([0.0, -0.0, float("inf"), float("nan")], [1.0])
    places = floats.places(np.array([float("inf"), float("nan"), -0.0, 0.0]))
    assert places[0] != places[1]
    assert places[2] == places[3]
    many = only([*np.linspace(0, 1, 5000), float("nan")], [])
    assert many.places(np.array([float("nan")]))[0] != many.places(np.array([2.0]))[0]


def test_long_integers_are_kept_exactly():
    long = only([2**80, 2**80 + 1], [0])
    assert len(set(long.places(np.array([0, 2**80, 2**80 + 1], dtype=object)).tolist())) == 3


def test_rows_are_looked_at_whole_and_by_a_score():
    whole, score = views_of([np.array([[0, 0], [0, 1]])], [np.array([[1, 1], [0, 1]])])
    assert isinstance(whole, NamedCells)
    assert isinstance(score, ScoreCells)
    assert score.places(np.array([[0, 0]]))[0] > score.places(np.array([[1, 1]]))[0]


@pytest.mark.parametrize(
    ("places", "words"),
    [
        ((0,), "-1 or less"),
        ((1,), "0"),
        ((1, 2), "0 to 4"),
        ((3,), "5 or more"),
        ((0, 3), "-1 or less, 5 or more"),
    ],
)
def test_ranges_are_said_in_words(places, words):
    view = NumberCells(np.array([0, 1, 5]))
    assert view.words(inside(view, *places)) == words


def test_other_words():
    view = NumberCells(np.array([0.5, 1.5]))
    assert view.words(inside(view, 0)) == "below 0.5"
    assert view.words(inside(view, 1)) == "0.5 to 1.5"
    assert view.words(inside(view, 0, 1, 2, 3)) == "any number"
    assert view.words(inside(view, 3)) == "no number"
    assert view.words(inside(view)) == "nothing"
    names = NamedCells(tuple("abcdefgh"))
    assert names.words(inside(names, *range(9))) == "'a', 'b', 'c', 'd', 'e', 'f', 3 more"
