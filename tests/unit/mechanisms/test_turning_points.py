"""Sigmas at which narrow discrete Gaussian noise keeps delta: they do, and none is passed over."""

from fractions import Fraction

import pytest

from tacit.exact import lower, upper, working
from tacit.mechanisms.turning_points import turning_sigmas
from tacit.privacy import DiscreteGaussianLoss

F = Fraction


def delta_at(sigma, epsilon, distance):
    with working():
        return DiscreteGaussianLoss(sigma**2, distance).delta(epsilon)


@pytest.mark.parametrize(
    ("epsilon", "delta", "distance"), [(F(8), F(1, 10**6), 1), (F(5), F(1, 1000), 2)]
)
def test_delta_is_kept_where_it_is_said_to_be_and_nowhere_below(epsilon, delta, distance):
    found = turning_sigmas(epsilon, delta, distance, F(2))
    assert found == sorted(found)
    for sigma in found[:5]:
        assert lower(delta_at(sigma, epsilon, distance)) <= delta * (1 + F(1, 10**6))
    below = [found[0] * F(k, 50) for k in range(15, 50)]
    assert all(upper(delta_at(sigma, epsilon, distance)) > delta for sigma in below)


def test_where_noise_is_wide_nothing_is_looked_for():
    assert turning_sigmas(F(1, 5), F(1, 10**6), 1, F(100)) == []
