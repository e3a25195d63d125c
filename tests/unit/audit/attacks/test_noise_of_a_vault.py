"""Vectors under one limit: their loss fits into an empty vault, and nearly fills it."""

from fractions import Fraction

import pytest

from tacit.accounting import ConcentratedFilter
from tacit.audit.attacks.noise_of_a_vault import DELTA, noise_for
from tacit.privacy import Norm, Sensitivity, root_at_least


@pytest.mark.parametrize("answers", [1, 4, 2000])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), Fraction(1), Fraction(30)])
def test_the_whole_limit_is_spent_and_no_more(answers, epsilon):
    vault = ConcentratedFilter(epsilon, DELTA)
    moved = Sensitivity(root_at_least(Fraction(answers)), Norm.L2, dimension=answers)
    price = vault.price(noise_for(answers, epsilon).loss(moved))
    assert price.amount <= vault.limit.amount
    assert price.amount >= 0.999 * vault.limit.amount
