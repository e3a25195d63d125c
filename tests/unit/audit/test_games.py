"""What an attacker believes after a release."""

from fractions import Fraction

import pytest

from tacit.audit import one_random_row, posterior, posterior_shift
from tacit.errors import InvalidDistribution
from tacit.exact import exp

F = Fraction
EVEN = {("yes",): F(1, 2), ("no",): F(1, 2)}


def two_coins(rows):
    yes = F(3, 4) if rows[0] == "yes" else F(1, 4)
    return {"yes": yes, "no": 1 - yes}


def test_the_belief_follows_bayes_rule():
    assert posterior(EVEN, two_coins, "yes") == {("yes",): F(3, 4), ("no",): F(1, 4)}
    skewed = {("yes",): F(1, 10), ("no",): F(9, 10)}
    assert posterior(skewed, two_coins, "yes")[("yes",)] == F(3, 12)


def test_the_largest_shift_of_a_belief_is_attained():
    """With e^epsilon = 3 no belief shifts by more than (3 - 1)/(3 + 1); a prior of one half comes to one quarter."""
    assert posterior_shift(EVEN, two_coins, "yes", lambda rows: ("no",)) == F(1, 4) <= F(1, 2)

    def both_ways(rows):
        return ("no",) if rows == ("yes",) else ("yes",)

    assert posterior_shift(EVEN, two_coins, "yes", both_ways) == F(1, 2)


def test_a_row_that_is_shown_leaves_no_doubt():
    prior = {("Ann", "Bob"): F(1, 2), ("Ann", "Cy"): F(1, 2)}
    assert posterior(prior, one_random_row, "Bob") == {("Ann", "Bob"): 1, ("Ann", "Cy"): 0}


def test_a_release_that_cannot_happen_teaches_nothing_and_is_refused():
    with pytest.raises(InvalidDistribution, match="cannot happen"):
        posterior(EVEN, two_coins, "perhaps")


def test_beliefs_are_distributions_and_exact():
    with pytest.raises(InvalidDistribution, match="sum to"):
        posterior({("yes",): F(1, 2)}, two_coins, "yes")
    with pytest.raises(InvalidDistribution, match="Fractions"):
        posterior(EVEN, lambda rows: {"yes": exp(-1), "no": 1 - exp(-1)}, "yes")
