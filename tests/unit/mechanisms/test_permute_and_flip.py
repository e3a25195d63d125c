"""Permute-and-flip, by example; its laws are in tests/laws/test_selection.py."""

from fractions import Fraction
from math import exp

import pytest

from tacit.errors import TooLarge
from tacit.exact import ball, upper, working
from tacit.mechanisms import PermuteAndFlip
from tacit.mechanisms.permute_and_flip import flipped_misses
from tacit.privacy import PureLoss

F = Fraction


def test_its_loss_is_pure_and_no_more():
    assert PermuteAndFlip(4).loss(2) == PureLoss(1)
    assert PermuteAndFlip(4, monotone=True).loss(2) == PureLoss(F(1, 2))


def test_of_two_the_worse_one_wins_half_of_the_times_that_its_coin_comes_up():
    law = PermuteAndFlip(2).distribution([5, 8])
    assert float(upper(law[0])) == pytest.approx(exp(-1.5) / 2, rel=1e-15)
    assert float(upper(law[1])) == pytest.approx(1 - exp(-1.5) / 2, rel=1e-15)


def test_it_errs_less_than_the_exponential_mechanism():
    assert PermuteAndFlip(2).error(0.95, candidates=1000) == 18


def test_a_thousand_candidates_have_a_law_and_a_million_different_ones_do_not():
    law = PermuteAndFlip(2).distribution([2, 1, 1] + [0] * 997)
    assert len(law) == 1000
    with working():
        assert upper(abs(sum(law.values(), ball(0)) - 1)) < F(1, 2**90)
    with pytest.raises(TooLarge, match="; "):
        PermuteAndFlip(2).distribution(list(range(10**4)))


def test_a_chance_far_in_the_tail_keeps_its_first_digits():
    """The exact form cancels there; the first terms of its series bound it."""
    with working():
        tiny = (-ball(200)).exp()
        assert float(upper(flipped_misses(10, tiny) / tiny)) == pytest.approx(4.5, rel=1e-12)
        assert upper(flipped_misses(1, ball(F(1, 2)))) < F(1, 2**100)
