"""Gaussian, by example; its laws are in tests/laws."""

from fractions import Fraction

import pytest

from tacit.mechanisms import Gaussian, analytic_gaussian_sigma, classical_gaussian_sigma
from tacit.privacy import DiscreteGaussianLoss, Sensitivity

F = Fraction


def test_the_loss_of_one_number():
    assert Gaussian(F(7, 2)).loss(3) == DiscreteGaussianLoss(F(49, 4), 3)
    assert Gaussian(F(7, 2), grid=F(1, 2)).loss(3) == DiscreteGaussianLoss(49, 6)


@pytest.mark.parametrize(("delta", "sensitivity"), [(1e-6, 1), (1e-5, 7), (0.2, F(1, 3))])
def test_the_discrete_sigma_lies_near_the_analytic_one_where_it_is_wide(delta, sensitivity):
    exact = Gaussian.calibrate(F(1, 20), delta, sensitivity, grid=F(1, 64)).sigma
    assert abs(exact / analytic_gaussian_sigma(F(1, 20), delta, sensitivity) - 1) < F(1, 20)


@pytest.mark.parametrize("epsilon", [F(1, 100), F(1, 2), F(99, 100)])
@pytest.mark.parametrize("delta", [1e-9, 1e-3])
def test_the_classical_sigma_is_never_smaller_than_the_analytic_one(epsilon, delta):
    assert classical_gaussian_sigma(epsilon, delta, 3) > analytic_gaussian_sigma(epsilon, delta, 3)


def test_a_vector_is_priced_by_its_length_and_not_by_its_sum():
    one, many = (
        Gaussian.calibrate(1, 1e-6, Sensitivity.root(m, dimension=m)).sigma for m in (2, 200)
    )
    assert abs(many / one - 10) < F(1, 2**30)


def test_errors_of_integers_are_integers_and_of_reals_floats():
    assert type(Gaussian(1).error(0.95)) is int
    assert type(Gaussian(1, grid=1).error(0.95)) is float


def test_very_wide_noise_is_drawn_in_whole_integers():
    released = Gaussian(2**100).release(0, times=20)
    assert released.dtype == object
    assert max(abs(number) for number in released) > 2**95
