"""Odds: rounded so that nothing costs more than was asked."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.exact import ball, working
from tacit.local import Odds

F = Fraction


@pytest.mark.parametrize("epsilon", [F(1, 1024), 0.1, 0.5, 1, F(7, 3), 4, 12.5, 20])
def test_odds_never_exceed_the_price(epsilon):
    odds = Odds.of(epsilon)
    with working(300):
        price = ball(min(F(epsilon), F(str(epsilon)))).exp()
        assert ball(odds.ratio) <= price
        assert ball(F(odds.truth + 1, odds.lie)) > price


def test_the_root_squared_never_exceeds_the_odds():
    for epsilon in (0.1, 1, 3, 20):
        odds = Odds.of(epsilon)
        root = odds.root()
        assert root.ratio**2 <= odds.ratio < (root.ratio + F(1, root.lie)) ** 2


@pytest.mark.parametrize("epsilon", [0, -1, F(1, 2000), 21, 1000, True, "1"])
def test_a_price_out_of_range_is_refused(epsilon):
    with pytest.raises(InvalidInput):
        Odds.of(epsilon)


@pytest.mark.parametrize("truth", [F(1, 3), 0, 1, 2])
def test_a_truth_that_is_no_better_than_a_guess_is_refused(truth):
    with pytest.raises(InvalidInput):
        Odds.telling(truth, values=3)
