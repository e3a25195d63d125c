"""An index drawn by its weight: what is refused, what the extremes do, how exact the floats are."""

from fractions import Fraction
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidInput
from tacit.exact import (
    SLACK,
    ball,
    entropy,
    exp_weights,
    upper,
    weighted_index,
    weighted_law,
    weighted_rows,
    working,
)

F = Fraction


@given(st.integers(0, 10**6), st.sampled_from([F(1), F(1, 7), F(1000, 3), F(10**5)]))
def test_floats_are_within_their_slack(gap, scale):
    (weight,) = exp_weights(np.array([gap]), scale)
    with working():
        exact = upper((-ball(gap / scale)).exp())
    if exact > F(1, 10**300):
        assert abs(F(float(weight)) / exact - 1) < F(SLACK) / 2
    else:
        assert weight <= 2e-300


@pytest.mark.parametrize("kind", [list, np.array])
def test_scores_may_lie_as_far_apart_as_integers_go(kind):
    assert weighted_index(kind([-(2**62), 2**62, 0]), 1) == 1
    assert weighted_index([-(2**200), 2**200], F(1, 1000)) == 1
    assert weighted_index(np.array([-(2**63), 2**63 - 1]), 1) == 1


def test_what_has_no_width_is_never_drawn_however_good_its_score():
    assert {weighted_index([10**9, 0, 1], 1, [0, 1, 1]) for _ in range(50)} <= {1, 2}
    with working():
        assert weighted_law([10**9, 0, 0], 1, [0, 1, 3])[2] == ball(F(3, 4))


def test_widths_multiply():
    drawn = [weighted_index([0, 0], 1, [2**61, 1]) for _ in range(50)]
    assert drawn == [0] * 50


@pytest.mark.parametrize("scores", [[], [0.5], [True], [[1, 2]], ["a"], [None]])
def test_scores_of_another_kind_are_refused(scores):
    with pytest.raises(InvalidInput):
        weighted_index(scores, 1)


@pytest.mark.parametrize("scale", [0, -1, float("nan"), True, "1"])
def test_scales_that_make_no_sense_are_refused(scale):
    with pytest.raises(InvalidInput):
        weighted_index([1, 2], scale)


@pytest.mark.parametrize("widths", [[1], [0, 0], [-1, 2], [1.5, 1]])
def test_widths_of_another_kind_are_refused(widths):
    with pytest.raises(InvalidInput):
        weighted_index([1, 2], 1, widths)


@given(
    st.lists(st.lists(st.integers(-40, 0), min_size=4, max_size=4), min_size=1, max_size=6),
    st.data(),
)
def test_rows_are_drawn_as_each_would_be_alone(scores, data):
    """With the same words, also those next to an edge, where floats cannot decide."""
    widths = data.draw(st.sampled_from([[1, 1, 1, 1], [0, 1, 1, 7], [4, 1, 1, 0]]))
    near = st.sampled_from([0, 1, (1 << 64) - 1, 1 << 63, (1 << 62) - 1])
    words = [data.draw(st.one_of(st.integers(0, (1 << 64) - 1), near)) for _ in scores]

    def after(given):
        """The given words first; whatever is asked for afterwards is zero."""
        left = list(given)
        return lambda count: np.array(
            [left.pop(0) if left else 0 for _ in range(count)], dtype=np.uint64
        )

    alone = []
    for row, word in zip(scores, words, strict=True):
        with patch.object(entropy, "words", after([word])):
            alone.append(weighted_index(row, Fraction(7, 2), widths))
    with patch.object(entropy, "words", after(words)):
        assert weighted_rows(np.array(scores), Fraction(7, 2), widths) == alone


def test_rows_of_pythons_integers_are_drawn_like_rows_of_words_and_in_one_go(monkeypatch):
    dice = np.random.default_rng(8)
    scores = dice.integers(-(2**61), 2**61, (300, 40))
    drawn = entropy.words(300)
    asked = []
    monkeypatch.setattr(entropy, "words", lambda count: (asked.append(count), drawn[:count])[1])
    widths = [1, 0, 5, *[2] * 37]
    found = weighted_rows(scores, 2**60, widths)
    assert asked == [300]
    assert weighted_rows(scores.astype(object), 2**60, widths) == found
    assert weighted_rows(scores.astype(object) << 40, 2**100, widths) == found
    assert asked == [300, 300, 300]


def test_weights_of_pythons_integers_are_within_the_slack():
    for gap, scale in [
        (2**70, 2**69),
        (2**800 + 1, 2**799),
        (3 * 2**64 + 1, Fraction(2**65, 3)),
        (10**40, 10**38),
    ]:
        (weight,) = exp_weights(np.array([gap], dtype=object), Fraction(scale))
        with working(128):
            exact = float(upper((-ball(Fraction(gap) / scale)).exp()))
        assert weight == pytest.approx(exact, rel=2.0**-42)
