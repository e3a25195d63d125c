"""Bisection finds the edge of a promise, from either side."""

from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.exact import lower, upper, working
from tacit.mechanisms import Gaussian, LaplaceLaw, analytic_gaussian_sigma
from tacit.mechanisms.bisection import SMALLEST, narrowest, widest
from tacit.mechanisms.noise_law import stays
from tacit.privacy import GaussianLoss

F = Fraction
PART = F(1, 2**39)


@pytest.mark.parametrize("edge", [F(1, 999), F(1, 3), F(1), F(7), F(10**30)], ids=str)
@pytest.mark.parametrize("start", [F(1, 10**6), F(1), F(10**9)], ids=str)
def test_the_narrowest_is_the_edge_wherever_the_search_begins(edge, start):
    found = narrowest(lambda scale: scale >= edge, start)
    assert edge <= found <= edge * (1 + PART)


@pytest.mark.parametrize("start", [F(1, 10**6), F(1), F(10**9)], ids=str)
def test_nothing_narrower_than_the_narrowest_noise_is_tried(start):
    tried = []

    def keeps(scale):
        tried.append(scale)
        return True

    assert narrowest(keeps, start) == SMALLEST == min(tried)


def test_other_ends_of_the_search_may_be_given():
    assert narrowest(lambda scale: True, F(1), least=F(1, 2**64)) == F(1, 2**64)
    found = narrowest(lambda scale: scale >= F(1, 10**9), F(1), least=F(1, 2**64))
    assert F(1, 10**9) <= found <= F(1, 10**9) * (1 + PART)


@pytest.mark.parametrize("distance", [0, 1, 5, 10**6])
def test_the_widest_scale_stays_within_and_a_wider_one_does_not(distance):
    found = widest(LaplaceLaw, distance, F(19, 20), 3)
    assert stays(LaplaceLaw(found), distance, F(19, 20), 3)
    assert not stays(LaplaceLaw(found * (1 + PART)), distance, F(19, 20), 3)


def test_an_error_that_no_noise_keeps_is_refused():
    for distance in (-1, -(10**9), 1 << 3000):
        with pytest.raises(InvalidInput, match="error"):
            widest(LaplaceLaw, distance, F(19, 20), 1)


@pytest.mark.parametrize("unit", [F(1, 10**9), F(1, 1000), F(1), F(10**9)], ids=str)
def test_the_analytic_sigma_scales_with_the_sensitivity(unit):
    """Also where it is far below the narrowest noise that can be drawn, as for shares of many people."""
    for epsilon, delta in ((F(1, 1000), F(2, 5)), (F(1), F(1, 10**6)), (F(20), F(1, 2))):
        sigma = analytic_gaussian_sigma(epsilon, delta, unit)
        assert abs(sigma / unit / analytic_gaussian_sigma(epsilon, delta, 1) - 1) < PART
        with working():
            assert upper(GaussianLoss((unit / sigma) ** 2).delta(epsilon)) <= delta
            assert lower(GaussianLoss((unit / sigma / (1 - PART)) ** 2).delta(epsilon)) > delta


def test_a_price_that_the_narrowest_noise_keeps_gives_the_narrowest_noise():
    assert Gaussian.calibrate(10**7, 0.1, 1).sigma == SMALLEST
    assert Gaussian.calibrate(10**7, 0.1, F(1, 4), grid=F(1, 4)).sigma == SMALLEST / 4
