"""Published figures of accounting, each with its source."""

from fractions import Fraction
from math import exp, log

import pytest

from tacit.accounting import least_noise, total
from tacit.accounting.conversion import epsilon_at
from tacit.exact import ball, upper, working
from tacit.privacy import (
    ApproximateLoss,
    DiscreteGaussianLoss,
    GaussianLoss,
    LaplaceLoss,
    Loss,
    PureLoss,
    ZeroConcentratedLoss,
)

F = Fraction

# Google's differential-privacy library, python/dp_accounting (Apache-2.0), tests as of 2025.
DP_ACCOUNTING = "github.com/google/differential-privacy, python/dp_accounting/dp_accounting/"
# The code that Balle and Wang published with "Improving the Gaussian Mechanism for Differential Privacy" (ICML 2018),
# as run in the documentation of diPLSlib, `calibrateAnalyticGaussianMechanism`.
BALLE_WANG = "Balle and Wang 2018, calibrateAnalyticGaussianMechanism"

ANALYTIC_GAUSSIAN = [
    # epsilon and delta of all releases, how many, their sensitivity, sigma, source
    (1, 1e-5, 1, 1, 3.730631634944469, BALLE_WANG),
    (
        1,
        0.78760074,
        1,
        1,
        1 / 3,
        DP_ACCOUNTING + "pld/accountant_test.py, test_get_smallest_gaussian_noise",
    ),
    (
        1,
        0.78760074,
        25,
        6,
        10,
        DP_ACCOUNTING + "pld/accountant_test.py, test_get_smallest_gaussian_noise",
    ),
]


@pytest.mark.parametrize(
    ("epsilon", "delta", "times", "sensitivity", "sigma", "source"), ANALYTIC_GAUSSIAN
)
def test_the_analytic_gaussian(epsilon, delta, times, sensitivity, sigma, source):
    found = least_noise(
        lambda scale: GaussianLoss((sensitivity / scale) ** 2), epsilon, delta, times
    )
    assert float(found) == pytest.approx(sigma, rel=1e-7), source


OPTIMAL_COMPOSITION = [
    # epsilon and delta of a release, how many, the delta of all, and the smallest (k - 2i) epsilon that Theorem 3.3 of
    # Kairouz, Oh and Viswanath 2015 gives; DP_ACCOUNTING + "pld/accountant_test.py, test_advanced_composition"
    (F(1), F(0), 30, F(0), 30),
    (F(1), F(1, 1000), 30, F(6, 100), 22),
    (F(1), F(1, 1000), 30, F(1, 10), 20),
]


@pytest.mark.parametrize(("epsilon", "delta", "times", "goal", "published"), OPTIMAL_COMPOSITION)
def test_the_optimal_composition_of_kairouz_oh_and_viswanath(
    epsilon, delta, times, goal, published
):
    """Theirs is the best of the epsilons (k - 2i) epsilon; between them delta is convex, and ours may stop there."""
    one = total(ApproximateLoss(epsilon, delta) * times)
    assert one.delta(published) <= goal
    assert published == 30 or one.delta(published - 2) > goal
    assert published - 2 < one.epsilon(goal) <= published


def test_the_epsilon_for_which_fifty_releases_cost_five():
    """DP_ACCOUNTING + "pld/accountant_test.py, test_get_smallest_epsilon_from_advanced_composition": 0.25."""
    assert total(PureLoss(F(1, 4)) * 50).delta(5) <= 0.01
    # the next epsilon of which 5 is a multiple (50 - 2i)
    assert total(PureLoss(F(5, 18)) * 50).delta(5) > 0.01


@pytest.mark.parametrize(
    ("epsilon", "delta", "times"), [(F(7, 10), F(1, 100), 5), (F(1, 10), F(0), 12)]
)
def test_the_theorem_of_kairouz_oh_and_viswanath_as_printed(epsilon, delta, times):
    """Theorem 3.3: delta_i = sum over l < i of C(k, l) (e^((k-l)eps) - e^((k-2i+l)eps)) / (1 + e^eps)^k."""
    one = total(ApproximateLoss(epsilon, delta) * times)
    e = float(epsilon)
    for i in range(times // 2 + 1):
        chosen, printed = 1.0, 0.0
        for l in range(i):
            printed += (
                chosen
                * (exp((times - l) * e) - exp((times - 2 * i + l) * e))
                / (1 + exp(e)) ** times
            )
            chosen *= (times - l) / (l + 1)
        expected = 1 - (1 - float(delta)) ** times * (1 - printed)
        assert one.delta((times - 2 * i) * epsilon) == pytest.approx(expected, rel=1e-9, abs=1e-15)


CONVERSIONS = [
    # rho, delta, epsilon: "noise multiplier is chosen to obtain exactly (1, 1e-6)-DP" through Renyi divergences, which
    # is 4.530877117; DP_ACCOUNTING + "rdp/rdp_privacy_accountant_test.py, test_compute_epsilon_delta_gaussian"
    (1 / (2 * F(4530877117, 10**9) ** 2), F(1, 10**6), 1.0),
]


@pytest.mark.parametrize(("rho", "delta", "epsilon"), CONVERSIONS)
def test_the_conversion_from_zcdp(rho, delta, epsilon):
    assert total(ZeroConcentratedLoss(rho)).epsilon(delta) == pytest.approx(epsilon, rel=1e-8)
    assert total(ZeroConcentratedLoss(rho)).delta(epsilon) == pytest.approx(float(delta), rel=1e-7)


def test_the_conversion_from_one_renyi_divergence():
    """1.1 at order 32 and delta 1e-5, "computed by hand": rdp_privacy_accountant_test.py, ...delta_pure_dp."""
    with working():
        assert float(upper(epsilon_at(ball(F(11, 10)), F(32), F(1, 10**5)))) == pytest.approx(
            1.32783806176, abs=1e-11
        )


SAMPLED_GAUSSIAN = [
    # (order, divergence of 50 steps at noise multiplier 2.5 and sampling probability 0.01), to 1e-4
    # DP_ACCOUNTING + "rdp/rdp_privacy_accountant_test.py, test_compute_rdp_poisson_sampled_gaussian"
    (F(3, 2), 6.70579741e-04),
    (F(5, 2), 1.08548710e-03),
    (F(5), 2.18075656e-03),
    (F(50), 2.38460375e-02),
    (F(100), 1.67416308e02),
]


@pytest.mark.parametrize(("order", "divergence"), SAMPLED_GAUSSIAN)
def test_the_renyi_curve_of_the_sampled_gaussian(order, divergence):
    """The published figures of fractional orders are bounds, up to 4 % above the integral; ours is the integral."""
    found = total(GaussianLoss(F(4, 25)).subsample(F(1, 100)) * 50).renyi(order)
    assert found <= divergence * (1 + 1e-4)
    assert found == pytest.approx(divergence, rel=1e-4 if order.denominator == 1 else 0.04)


def test_one_step_of_the_sampled_gaussian_by_privacy_loss_distributions():
    """(1, 1e-5), one step, probability 0.01: pld/accountant_test.py, test_get_smallest_subsampled_gaussian_noise."""
    sigma = least_noise(
        lambda scale: GaussianLoss(1 / scale**2).subsample(F(1, 100)), 1, F(1, 10**5)
    )
    assert float(sigma) == pytest.approx(0.67379294682, rel=1e-7)


SAMPLED_DELTAS = [
    # sigma, probability, steps, epsilon, and delta by Fourier transforms, nearly exact: Koskela, Jälkö, Honkela 2019;
    # github.com/DPBayes/PLD-Accountant, tests/test_compute_delta.py, test_get_delta_R_regression_valid_params
    (2, F(1, 100), 10**4, 1, 0.010224911126651472),
    (2, F(1, 100), 10**5, 1, 0.39205728853284305),
    (2, F(1, 100), 10**4, F(4, 5), 0.022850339595771204),
    (1, F(1, 100), 10**4, 1, 0.2391763947364977),
    (2, F(1, 50), 10**4, 1, 0.14991732969314892),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "epsilon", "delta"), SAMPLED_DELTAS)
def test_samples_agree_with_what_fourier_transforms_give(sigma, rate, steps, epsilon, delta):
    """Theirs are not rounded to a side: dp-accounting's bound of the fourth is 0.2391455."""
    found = total(GaussianLoss(F(1, sigma**2)).subsample(rate) * steps).delta(epsilon)
    assert found == pytest.approx(delta, rel=2e-4)


@pytest.mark.parametrize(("scale", "times"), [(F(136, 10), 20), (F(710, 10), 500)])
def test_laplace_noise_by_privacy_loss_distributions(scale, times):
    """13.6 and 71.0, to 0.1, at (1, 1e-4): pld/accountant_test.py, test_get_smallest_laplace_noise."""
    least = least_noise(lambda scale: LaplaceLoss(1 / scale), 1, F(1, 10**4), times)
    assert scale - F(1, 10) <= least <= scale * F(11, 10)


def test_randomized_response_of_warner():
    """P(yes | yes) = 3/4 and P(yes | no) = 1/4 have epsilon ln 3 (Dwork and Roth 2014, section 3.2)."""
    with working():
        epsilon = upper(ball(3).log())
    assert total(PureLoss(epsilon)).epsilon(0) == pytest.approx(log(3), rel=1e-15)


TRAINING = [
    # noise, probability, steps, delta, and the epsilon that was published, by moments and so too large
    (
        F(112, 100),
        F(256, 60000),
        60 * 234,
        1e-5,
        2.92,
        "tensorflow/privacy, tutorials/README.md, MNIST",
    ),
    (
        F(6, 10),
        F(256, 60000),
        30 * 234,
        1e-5,
        9.74,
        "tensorflow/privacy, tutorials/README.md, MNIST",
    ),
    (
        F(12, 10),
        F(256, 60000),
        10 * 234,
        1e-5,
        1.20,
        "tensorflow/privacy, tutorials/README.md, MNIST",
    ),
    (F(4), F(1, 100), 10**4, 1e-5, 1.26, "Abadi et al. 2016, section 5.1, E = 100"),
    (F(4), F(1, 100), 4 * 10**4, 1e-5, 2.55, "Abadi et al. 2016, section 5.1, E = 400"),
    (
        F(13, 10),
        F(256, 60000),
        20 * 234,
        1e-5,
        1.34,
        "Bu, Dong, Long, Su 2020 (PMC7695347), figure 4, MNIST, moments accountant",
    ),
    (
        F(7, 10),
        F(256, 60000),
        70 * 234,
        1e-5,
        8.68,
        "Bu, Dong, Long, Su 2020 (PMC7695347), figure 4, MNIST, moments accountant",
    ),
    (
        F(15, 10),
        F(4, 100),
        2250,
        1e-5,
        7.32911117143,
        "pytorch/opacus, opacus/tests/accountants_test.py, test_rdp_accountant",
    ),
]


@pytest.mark.parametrize(("sigma", "rate", "steps", "delta", "published", "source"), TRAINING)
def test_training_costs_less_than_moments_said(sigma, rate, steps, delta, published, source):
    one = total(GaussianLoss(1 / sigma**2).subsample(rate) * steps)
    assert 0.6 * published < one.epsilon(delta) < published + 0.005, source


@pytest.mark.parametrize(("epochs", "published"), [(100, 1.26), (400, 2.55)])
def test_the_moments_accountant_as_printed(epochs, published):
    """Abadi et al. 2016 (arXiv 1607.00133), section 5.1: rate 0.01, sigma 4, delta 1e-5, in epochs of 100 steps.

    Theorem 2: epsilon is the least of (T alpha(l) + ln(1/delta)) / l, l up to 32.  The printed 1.26 is that to its last
    digit; it gives 2.576 where 2.55 is printed.  By strong composition the paper has 9.34 and 24.22.
    """
    one = total(GaussianLoss(F(1, 16)).subsample(F(1, 100)) * (100 * epochs))
    found = min(one.renyi(moment + 1) + log(1e5) / moment for moment in range(1, 33))
    assert found == pytest.approx(published, abs=0.005 if epochs == 100 else 0.03)
    assert one.epsilon(1e-5) < found


def test_the_renyi_curve_and_its_conversion_as_opacus_has_them():
    """7.32911117143, of its orders at 3.9: pytorch/opacus, opacus/tests/accountants_test.py, test_rdp_accountant."""
    divergence = total(sampled(F(15, 10), F(4, 100)) * 2250).renyi(F(39, 10))
    epsilon = divergence + log(2.9 / 3.9) + (log(1e5) - log(3.9)) / 2.9
    assert epsilon == pytest.approx(7.32911117143, abs=1e-9)


def test_the_total_lies_where_opacus_puts_it():
    """6.777395712150674 is its upper end, at an error of 0.01 on either side, of 2,249 steps.

    pytorch/opacus, opacus/tests/accountants_test.py, test_prv_accountant: the method of Gopi, Lee and Wutschitz (2021).
    """
    found = total(sampled(F(15, 10), F(4, 100)) * 2249).epsilon(1e-5)
    assert 6.777395712150674 - 0.02 < found < 6.777395712150674


# Computed with dp-accounting 0.6.0, `pld.PLDAccountant`, and with prv-accountant 0.2.0 at an error of 0.01 (its
# lower and upper end), both at delta 1e-6: Doroshenko et al. 2022; Gopi, Lee and Wutschitz 2021.
COMPOSED = [
    (LaplaceLoss(F(1, 100)) * 1000, 1.3629246349, (1.3564, 1.3766)),
    (LaplaceLoss(F(1, 100)) * 10**5, 19.3816795121, (19.3679, 19.3893)),
    (GaussianLoss(F(1, 2500)) * 1000, 2.9216005907, (2.9114, 2.9318)),
    (GaussianLoss(1).subsample(F(1, 100)) * 10**4, 6.9074194926, (6.8970, 6.9177)),
]


@pytest.mark.parametrize(("losses", "theirs", "ends"), COMPOSED, ids=[0, 1, 2, 3])
def test_totals_agree_with_other_privacy_loss_distributions(losses, theirs, ends):
    found = total(losses).epsilon(1e-6)
    assert found == pytest.approx(theirs, rel=2e-5)
    assert ends[0] < found < ends[1]


def sampled(sigma: Fraction, rate: Fraction) -> Loss:
    return GaussianLoss(1 / sigma**2).subsample(rate)


# The settings that prv-accountant documents (README.md: heterogeneous composition, DP-SGD; tests: 4,900 steps), and the
# ends that its version 0.2.0 gives for them at an error of 0.005.
DOCUMENTED = [
    (
        sampled(F(8, 10), F(1, 200)) * 100
        + GaussianLoss(F(1, 64)) * 200
        + LaplaceLoss(F(1, 10)) * 100,
        1e-6,
        (11.144776337, 11.154859634),
    ),
    (sampled(F(8, 10), F(1, 200)) * 1000, 1e-6, (1.999088022, 2.009125460)),
    (sampled(F(9, 10), F(256, 100000)) * 4900, 1e-5, (1.134922364, 1.144924049)),
]


# Gopi, Lee and Wutschitz (2021, arXiv 2106.02848) draw curves and print no table of epsilons: the settings of their
# figures 1 (probability 0.001) and 3 (0.01), with the ends and the estimate of prv-accountant 0.2.0, their programme,
# at an error of 0.01 and a delta_error of a thousandth of delta, as in the paper.
DRAWN = [
    (F(1, 1000), 1000, (0.693598488, 0.703714628, 0.713830894)),
    (F(1, 100), 100, (2.515735716, 2.525956457, 2.536177398)),
    (F(1, 100), 1000, (4.255989540, 4.266231711, 4.276474120)),
]


@pytest.mark.parametrize(("rate", "steps", "theirs"), DRAWN)
def test_totals_lie_on_the_curves_of_privacy_random_variables(rate, steps, theirs):
    low, estimate, high = theirs
    found = total(sampled(F(8, 10), rate) * steps).epsilon(1e-7)
    assert low < found < high
    assert found == pytest.approx(estimate, rel=5e-5)


@pytest.mark.parametrize(("losses", "delta", "ends"), DOCUMENTED, ids=["mixed", "DP-SGD", "4,900"])
def test_totals_lie_where_privacy_random_variables_put_them(losses, delta, ends):
    """Theirs is enclosed to 0.01; ours, an upper end too, lies within 0.1 % of the middle."""
    found = total(losses).epsilon(delta)
    assert ends[0] < found < ends[1]
    assert found == pytest.approx(sum(ends) / 2, rel=1e-3)


def test_a_thousand_discrete_gaussians_cost_what_their_law_says():
    """As those of continuous noise do, nearly; rho alone says 3.131."""
    one = total(DiscreteGaussianLoss(2500, 1) * 1000)
    low, high = one.epsilon_interval(1e-6)
    assert one.epsilon(1e-6) == high
    assert 2.9216 < low <= high < 2.9217
