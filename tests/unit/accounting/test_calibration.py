"""The least noise, the most releases, the best split."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting import least_noise, most_releases, split_epsilon, split_rho, total
from tacit.errors import InvalidInput, NotPrivate
from tacit.privacy import (
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    ZeroConcentratedLoss,
)

F = Fraction


def gaussian(sigma):
    return GaussianLoss(1 / sigma**2)


NOISES = {
    "Gaussian": gaussian,
    "Laplace": lambda scale: LaplaceLoss(1 / scale),
    "discrete Gaussian": lambda sigma: DiscreteGaussianLoss(sigma**2, 1),
    "zCDP": lambda sigma: ZeroConcentratedLoss(1 / (2 * sigma**2)),
}


@pytest.mark.parametrize("name", NOISES)
@pytest.mark.parametrize(
    ("epsilon", "delta", "times"), [(1, F(1, 10**6), 1), (F(1, 2), F(1, 10**5), 20)]
)
def test_the_least_noise_keeps_the_limit_and_less_does_not(name, epsilon, delta, times):
    noise = NOISES[name]
    scale = least_noise(noise, epsilon, delta, times)
    assert total(noise(scale) * times).delta(epsilon) <= delta
    assert total(noise(scale * F(999, 1000)) * times).delta(epsilon) > delta


def test_the_least_laplace_noise_without_delta_is_sensitivity_over_epsilon():
    assert least_noise(NOISES["Laplace"], epsilon=F(1, 2), delta=0, times=3) == pytest.approx(
        6, rel=1e-9
    )
    assert least_noise(NOISES["Laplace"], epsilon=F(1, 2), delta=0, times=3) >= 6


def test_noise_that_cannot_do_is_refused():
    with pytest.raises(NotPrivate, match="no noise"):
        least_noise(gaussian, epsilon=1, delta=0)
    with pytest.raises(InvalidInput, match="fit the limit without noise"):
        least_noise(lambda scale: PureLoss(0), epsilon=1, delta=0)
    with pytest.raises(InvalidInput, match="limit"):
        least_noise(gaussian, epsilon=-1, delta=0.1)


@pytest.mark.parametrize(
    ("loss", "delta"),
    [(GaussianLoss(F(1, 100)), F(1, 10**6)), (LaplaceLoss(F(1, 20)), F(1, 10**4))],
)
def test_the_most_releases_fit_and_one_more_does_not(loss, delta):
    most = most_releases(loss, epsilon=2, delta=delta)
    assert total(loss * most).delta(2) <= delta < total(loss * (most + 1)).delta(2)


def test_the_most_releases_of_nothing_and_of_too_much():
    assert most_releases(PureLoss(2), epsilon=1, delta=0) == 0
    with pytest.raises(InvalidInput, match="costs nothing"):
        most_releases(PureLoss(0), epsilon=1, delta=0)


weights = st.lists(st.fractions(F(1, 50), F(50)), min_size=1, max_size=6)


@given(weights)
@settings(max_examples=60)
def test_a_split_sums_to_the_price_and_nearly_so(weights):
    for split, price in ((split_epsilon, F(3)), (split_rho, F(1, 6))):
        shares = split(price, weights)
        assert price * (1 - F(1, 10**15)) <= sum(shares) <= price
        assert all(share > 0 for share in shares)


@given(weights, st.integers(0, 5), st.integers(0, 5), st.fractions(F(1, 100), F(1, 2)))
@settings(max_examples=60)
def test_moving_a_share_elsewhere_makes_the_errors_larger(weights, i, j, part):
    cost = {
        split_epsilon: lambda w, s: float(w) / float(s),
        split_rho: lambda w, s: float(w) / float(s) ** 0.5,
    }
    for split, error in cost.items():
        shares = list(split(1, weights))
        best = sum(map(error, weights, shares))
        moved = shares[i % len(shares)] * part
        shares[i % len(shares)] -= moved
        shares[j % len(shares)] += moved
        assert sum(map(error, weights, shares)) >= best * (1 - 1e-12)


def test_a_split_of_nothing_is_refused():
    for bad in ([], [0], [1, -1]):
        with pytest.raises(InvalidInput):
            split_epsilon(1, bad)
    with pytest.raises(InvalidInput):
        split_rho(0, [1])
