"""What a mechanism returns is a distribution, or is refused."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.audit import Truncated, truncate
from tacit.audit.distributions import distribution_of
from tacit.errors import InvalidDistribution
from tacit.exact import ball, exp, working

HALF, F3 = Fraction(1, 2), Fraction(1, 3)


def test_fractions_that_sum_to_one_are_taken_as_they_are():
    read = distribution_of({"a": HALF, "b": HALF, "never": 0})
    assert [outcome for outcome, _ in read.listed] == ["a", "b"]
    assert all(mass.exact for _, mass in read.listed)


def test_a_numpy_integer_is_an_integer():
    assert distribution_of({"a": np.int64(1)}).listed[0][1].low == 1


@pytest.mark.parametrize(
    ("returned", "reason"),
    [
        ({"a": HALF}, "sum to exactly 1/2"),
        ({"a": HALF, "b": Fraction(2, 3)}, "sum to exactly 7/6"),
        ({"a": Fraction(3, 2), "b": -HALF}, "negative"),
        ({"a": 0.5, "b": 0.5}, "is a float"),
        ({"a": True}, "is a bool"),
        ({"a": "1"}, "is a str"),
        ({}, "sum to exactly 0"),
        ([HALF, HALF], "returned a list"),
        (None, "returned a NoneType"),
        (Truncated({"a": HALF}, tail=Fraction(1, 3)), "between"),
        (Truncated({"a": Fraction(3, 2)}, tail=0), "sum to exactly 3/2"),
        (Truncated({"a": 1}, tail=-HALF), "negative"),
    ],
)
def test_what_is_not_a_distribution_is_refused(returned, reason):
    with pytest.raises(InvalidDistribution, match=reason):
        distribution_of(returned)


def test_off_by_a_trillionth_is_refused():
    with pytest.raises(InvalidDistribution):
        distribution_of({"a": HALF, "b": HALF - Fraction(1, 10**12)})


def test_balls_need_only_enclose_a_distribution():
    with working(128):
        p = exp(1) / (1 + exp(1))
    read = distribution_of({"truth": p, "lie": 1 - p})
    assert all(0 < mass.width < Fraction(1, 2**50) for _, mass in read.listed)
    with pytest.raises(InvalidDistribution, match="between"):
        distribution_of({"truth": p, "lie": p})


def test_a_ball_that_touches_zero_from_below_starts_at_zero():
    tiny = ball(Fraction(1, 3)) - ball(Fraction(1, 3))
    read = dict(distribution_of({"a": 1, "b": tiny}).listed)
    assert read["b"].low == 0 < read["b"].high


def test_a_ball_without_ends_is_refused():
    with pytest.raises(InvalidDistribution, match="more bits"):
        distribution_of({"a": ball(1) / (ball(Fraction(1, 3)) - ball(Fraction(1, 3)))})


def test_the_order_of_outcomes_does_not_make_another_distribution():
    one, other = {"a": HALF, "b": HALF}, {"b": HALF, "a": HALF}
    assert distribution_of(one).key == distribution_of(other).key
    assert distribution_of(one).key != distribution_of({"a": HALF, "c": HALF}).key


def test_what_is_cut_off_is_bounded_by_what_is_left_to_one():
    def chance(k):
        with working(30):
            return ball(F3) * ball(HALF) ** abs(k)

    exact = 2 * F3 * HALF**10
    cut = truncate(chance, -10, 10)
    assert exact <= cut.tail <= exact + Fraction(1, 2**20)
    assert len(cut.listed) == 21
    assert distribution_of(cut).unlisted == cut.tail


def test_a_distribution_listed_whole_leaves_no_tail():
    assert truncate(lambda k: HALF, 0, 1).tail == 0
