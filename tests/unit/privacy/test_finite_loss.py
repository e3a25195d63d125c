"""The loss of a release with finitely many outcomes."""

from fractions import Fraction
from math import inf, isclose, log

import pytest

from tacit.errors import InvalidDistribution, InvalidInput
from tacit.exact import upper, working
from tacit.privacy import ApproximateLoss, FiniteLoss, Neighbours, PureLoss

F = Fraction

TWO_COINS = FiniteLoss([F(3, 4), F(1, 4)], [F(1, 4), F(3, 4)])


@pytest.fixture(autouse=True)
def _certified():
    with working(128):
        yield


def test_the_ratio_of_two_coins_is_three():
    assert TWO_COINS.ratio() == 3
    assert isclose(float(upper(TWO_COINS.renyi(inf))), log(3), rel_tol=1e-15)


def test_an_outcome_that_only_one_side_can_show_has_no_ratio():
    assert FiniteLoss([F(1, 2), F(1, 2)], [F(1), F(0)]).ratio() == inf
    assert FiniteLoss([F(1), F(0)], [F(1, 2), F(1, 2)]).ratio() == inf


def test_an_outcome_that_neither_side_can_show_does_not_count():
    assert FiniteLoss([F(1, 2), F(1, 2), F(0)], [F(1, 2), F(1, 2), F(0)]).ratio() == 1
    assert upper(FiniteLoss([F(1), F(0)], [F(1), F(0)]).delta(F(0))) == 0


def test_figures_are_those_of_the_worse_direction():
    p, q = [F(1, 2), F(1, 2)], [F(9, 10), F(1, 10)]
    forth, back = FiniteLoss(p, q), FiniteLoss(q, p)
    for epsilon in (F(0), F(1, 2), F(1), F(3, 2)):
        assert forth.delta(epsilon).overlaps(back.delta(epsilon))
    assert forth.renyi(F(2)).overlaps(back.renyi(F(2)))
    assert isclose(float(upper(forth.renyi(F(2)))), log(0.25 / 0.9 + 0.25 / 0.1), rel_tol=1e-14)
    assert isclose(float(upper(forth.delta(F(1)))), 0.5 - 0.1 * 2.718281828459045, rel_tol=1e-14)


def test_a_group_is_priced_by_the_pure_epsilon_or_by_the_total_variation():
    grouped = TWO_COINS.group(2)
    assert isinstance(grouped, PureLoss)
    assert abs(grouped.epsilon - F(2 * log(3))) < F(1, 10**14)
    assert upper(TWO_COINS.renyi(inf)) * 2 <= grouped.epsilon
    shown = FiniteLoss([F(9, 10), F(1, 10)], [F(1), F(0)]).group(3)
    assert isinstance(shown, ApproximateLoss)
    assert shown.epsilon == 0
    assert 0 <= shown.failure - F(3, 10) < F(1, 2**100)
    assert FiniteLoss([F(1), F(0)], [F(0), F(1)]).group(5) == ApproximateLoss(0, 1)


def test_a_group_keeps_its_relation():
    for q in ([F(1, 4), F(3, 4)], [F(1), F(0)]):
        assert (
            FiniteLoss([F(1, 2), F(1, 2)], q, Neighbours.REPLACE).group(2).neighbours
            is Neighbours.REPLACE
        )


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([], []),
        ([F(1, 2), F(1, 3)], [F(1, 2), F(1, 2)]),
        ([F(1, 2), F(1, 2)], [F(1, 2), F(1, 3)]),
        ([F(3, 2), F(-1, 2)], [F(1, 2), F(1, 2)]),
        ([F(1)], [F(1, 2), F(1, 2)]),
        ([0.1, 0.9], [0.5, 0.5]),  # neither reading of these floats sums to one
        ([1, 1], [1, 0]),
    ],
)
def test_what_is_no_pair_of_distributions_is_refused(p, q):
    with pytest.raises(InvalidDistribution, match="; give"):
        FiniteLoss(p, q)


@pytest.mark.parametrize(
    "p", [None, 1, 0.5, True, [None], ["1"], [float("nan")], [float("inf")], [True], "1", [[1]]]
)
def test_what_is_no_list_of_numbers_is_refused(p):
    for given in ((p, [1]), ([1], p)):
        with pytest.raises(InvalidInput, match=r" (cannot be .*|is missing); (give|list) "):
            FiniteLoss(*given)


def test_probabilities_are_taken_from_any_iterable():
    assert FiniteLoss((0.75, 0.25), iter([F(1, 4), F(3, 4)])) == TWO_COINS
