"""Gauss and Legendre's rule: exact for polynomials of the degree that was asked for."""

from fractions import Fraction

import pytest

from tacit.exact import ball, lower, unit_rule, upper, working


@pytest.mark.parametrize("degree", [0, 1, 2, 3, 8, 25, 100])
@pytest.mark.parametrize("bits", [64, 200])
def test_powers_are_integrated_exactly(degree, bits):
    with working(bits):
        for power in {0, degree // 2, degree}:
            found = sum((weight * place**power for place, weight in unit_rule(degree)), ball(0))
            assert lower(found) <= Fraction(1, power + 1) <= upper(found)
            assert upper(found) - lower(found) < Fraction(1, 2 ** (bits - 20))


def test_one_place_more_than_half_the_degree_is_enough():
    assert [len(unit_rule(degree)) for degree in range(6)] == [1, 1, 2, 2, 3, 3]
    assert all(0 < place < 1 and weight > 0 for place, weight in unit_rule(9))
