"""Totals: what may be given, what is shown, what is said."""

from fractions import Fraction
from math import inf

import pytest

from tacit.accounting import Total, total
from tacit.errors import InvalidInput, NotPrivate
from tacit.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    ZeroConcentratedLoss,
)

F = Fraction


@pytest.mark.parametrize("bad", [1, 0.5, None, "loss", [1], ["a"]])
def test_only_losses_are_added(bad):
    with pytest.raises(InvalidInput):
        total(bad)


@pytest.mark.parametrize("bad", [-0.1, 1.1, True, "x", float("nan")])
def test_bad_deltas_and_alphas_are_refused(bad):
    one = total(PureLoss(1))
    for call in (one.epsilon, one.tradeoff, one.compare, one.explain):
        with pytest.raises(InvalidInput):
            call(bad)


@pytest.mark.parametrize("bad", [-0.1, True, "x", float("nan"), inf])
def test_bad_epsilons_are_refused(bad):
    with pytest.raises(InvalidInput):
        total(PureLoss(1)).delta(bad)


@pytest.mark.parametrize("bad", [1, 0.5, 0, -2, True, "x"])
def test_bad_orders_powers_and_points_are_refused(bad):
    one = total(PureLoss(1))
    with pytest.raises(InvalidInput):
        one.renyi(bad)
    with pytest.raises(InvalidInput):
        one.mgf(-abs(bad) if isinstance(bad, int | float) and not isinstance(bad, bool) else bad)
    with pytest.raises(InvalidInput):
        one.loss_moment(0.5 if bad == 1 else bad)


def test_floats_are_read_on_the_safe_side():
    one = total(GaussianLoss(1))
    assert one.epsilon(0.1) >= one.epsilon(F(1, 10))
    assert one.delta(0.3) >= one.delta(F(3, 10))
    assert one.tradeoff(0.1) <= one.tradeoff(F(1, 10))
    assert one.renyi(2.1) >= one.renyi(F(21, 10))
    # The float 0.3 is less than 3/10, and 0.1 is more than 1/10: nobody is promised the difference.
    with pytest.raises(NotPrivate):
        total(ApproximateLoss(1, F(3, 10))).epsilon(0.3)
    assert total(ApproximateLoss(1, F(1, 10))).epsilon(0.1) == 1
    assert total(LaplaceLoss(F(3, 10))).delta(0.3) > 0


def test_the_tightest_bound_is_named():
    assert total(LaplaceLoss(1)).by == "own law"
    assert total(GaussianLoss(1) * 9).by == "Gaussian DP"
    assert total(DiscreteGaussianLoss(100, 1) * 9).by == "loss distribution"
    assert total(ZeroConcentratedLoss(F(1, 200)) * 9).by == "zCDP"
    assert total(PureLoss(F(1, 10)) * 100).by == "optimal"
    assert total(PureLoss(1) * 5).epsilon(0).by == "basic"
    mixed = total(GaussianLoss(F(1, 100)) * 20 + LaplaceLoss(F(1, 10)) * 20)
    assert mixed.by == "loss distribution"
    assert total(ZeroConcentratedLoss(F(1, 2 * 10**6)) + PureLoss(F(1, 2))).by == "Renyi"
    small = total(GaussianLoss(F(1, 10**6)) + PureLoss(F(1, 2)))
    assert small.epsilon(1e-12).by == "basic"
    assert small.by == "loss distribution at delta 1e-3, 1e-6, 1e-9; basic at delta 1e-12"


def test_discrete_gaussians_are_not_added_as_mu():
    """Their sum is no discrete Gaussian: at (2, 1e-5) the continuous formula claims a tenth too little."""
    assert total(DiscreteGaussianLoss(4, 1) * 2).mu is None
    assert total(DiscreteGaussianLoss(4, 1) * 2).rho == 0.25
    assert total(GaussianLoss(1) + DiscreteGaussianLoss(1, 1)).mu is None
    assert total(GaussianLoss(1) + PureLoss(1)).mu is None
    assert total(GaussianLoss(1) * 4 + GaussianLoss(5)).mu == 3


def test_compare_lists_every_bound_that_speaks_and_the_tightest_is_among_them():
    one = total(PureLoss(F(1, 10)) * 100)
    said = one.compare(1e-6)
    assert set(said) == {
        "optimal",
        "loss distribution",
        "zCDP",
        "basic",
        "Renyi",
        "advanced",
    }
    assert said["basic"] == 10
    assert said["advanced"] == pytest.approx(6.3082, abs=1e-3)
    assert said["optimal"] == one.epsilon(1e-6)
    assert min(said.values()) > said["optimal"] * (1 - 1e-9)
    assert all(figure.by == name for name, figure in said.items())
    assert total(ApproximateLoss(1, F(1, 10))).compare(0.01) == {}


def test_a_gaussian_has_no_epsilon_without_delta():
    with pytest.raises(NotPrivate, match="larger"):
        total(GaussianLoss(1)).epsilon(0)
    assert total(GaussianLoss(1)).renyi(inf) is None
    assert total(GaussianLoss(0)).epsilon(0) == 0


def test_what_can_fail_has_no_rho_and_no_renyi_divergence():
    one = total(ZeroConcentratedLoss(1, F(1, 100)))
    assert one.rho is None
    assert one.renyi(2) is None
    assert one.failure == pytest.approx(0.01)
    assert one.delta(100) == pytest.approx(0.01)


def test_certain_failure_is_said():
    assert total(ApproximateLoss(0, 1)).delta(5) == 1
    assert total(ApproximateLoss(0, 1)).epsilon(1) == 0


def test_the_roles_of_delta_are_told_apart():
    assert "guarantee is pure" in total(PureLoss(1)).explain(0)
    assert "Gaussian" in total(GaussianLoss(1)).explain(1e-6)
    assert "may reveal everything" in total(ApproximateLoss(1, F(1, 10**7))).explain(1e-6)
    composed = total(PureLoss(F(1, 10)) * 100).explain(1e-6)
    assert "tighter composition than addition, which gives 10" in composed
    both = total(ApproximateLoss(F(1, 10), F(1, 10**9)) * 100).explain(1e-6)
    assert "may reveal everything" in both
    assert "addition" in both
    assert "no epsilon at delta 0" in total(GaussianLoss(1)).explain(0)


def test_a_hundred_thousand_copies_are_counted_not_compared():
    loss = GaussianLoss(F(1, 10**4))
    assert total([loss] * 10**5) == total(loss * 10**5)
    assert total([loss] * 10**5).mu == pytest.approx(10**0.5 * 1)


def test_a_total_is_a_frozen_value():
    one = total(PureLoss(1))
    assert isinstance(one, Total)
    assert hash(one) == hash(total([PureLoss(1)]))
    with pytest.raises(AttributeError):
        one.losses = None


def test_extreme_losses_have_figures():
    tiny = total(GaussianLoss(F(1, 10**24)) * 10)
    assert tiny.epsilon(1e-6) < 1e-5
    assert 0 < tiny.delta(0) < 1e-11
    huge = total(GaussianLoss(10**6))
    assert huge.epsilon(1e-6) == pytest.approx(504750, rel=1e-3)
    assert huge.delta(1) == 1
    assert total(LaplaceLoss(F(1, 10**15))).delta(0) == pytest.approx(5e-16)
    assert total(PureLoss(F(1, 10**9)) * 10**6).epsilon(1e-9) < 1e-3
