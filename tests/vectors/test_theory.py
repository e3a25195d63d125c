"""The numbers of the theory of single mechanisms, through the public calls.

Sources: Warner 1965; Dwork and Roth 2014, sections 3.2, 3.3 and appendix A; Balle and Wang 2018; Canonne, Kamath and
Steinke 2020. Where lecture notes print another number, the test says which.
"""

from fractions import Fraction
from itertools import product
from math import ceil, exp, log, sqrt

import pytest

from tacit.audit import sensitivity_by_search
from tacit.errors import InvalidInput
from tacit.exact import ball, lower, upper, working
from tacit.exact import log as certified_log
from tacit.mechanisms import (
    Gaussian,
    GaussianLaw,
    Laplace,
    LaplaceLaw,
    RandomizedResponse,
    analytic_gaussian_sigma,
    classical_gaussian_sigma,
    crossover,
    error_of_mean,
    error_of_response,
    gaussian_bound,
    laplace_bound,
    people_for_mean,
    people_for_response,
)
from tacit.privacy import DiscreteGaussianLoss, GaussianLoss, Neighbours, Norm, Sensitivity

F = Fraction
TINY = F(1, 2**100)


@pytest.fixture(autouse=True)
def enough_digits():
    """All balls of a test carry 192 bits."""
    with working(192):
        yield


def encloses(claimed, exact):
    """Whether both are the same number, as far as their balls tell, and the balls are narrow."""
    return upper(abs(claimed - exact)) < TINY


# ------------------------------------------------------------------------------- randomized response


def test_two_coins_tell_the_truth_three_times_in_four():
    two_coins = RandomizedResponse.two_coin()
    assert two_coins.distribution(1) == {0: F(1, 4), 1: F(3, 4)}
    assert two_coins.distribution(0) == {0: F(3, 4), 1: F(1, 4)}


def test_two_coins_cost_the_logarithm_of_three():
    assert RandomizedResponse.two_coin().epsilon == pytest.approx(log(3), rel=1e-15)
    assert encloses(ball(RandomizedResponse.two_coin().loss().epsilon), certified_log(3, 192))
    assert round(RandomizedResponse.two_coin().epsilon, 4) == 1.0986


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1), F(5)], ids=str)
def test_the_truth_is_told_with_probability_e_to_epsilon_over_one_more(epsilon):
    grown = ball(epsilon).exp()
    assert encloses(ball(RandomizedResponse(epsilon).truth), grown / (1 + grown))
    kary = RandomizedResponse(epsilon, categories=7)
    assert encloses(ball(kary.truth), grown / (grown + 6))


@pytest.mark.parametrize("gamma", [F(1, 100), F(1, 10), F(1, 4), F(49, 100)], ids=str)
def test_one_half_and_gamma_costs_the_logarithm_of_the_odds(gamma):
    response = RandomizedResponse.half_plus(gamma)
    assert response.truth / response.lie == (1 + 2 * gamma) / (1 - 2 * gamma)
    assert encloses(
        ball(response.loss().epsilon), certified_log((1 + 2 * gamma) / (1 - 2 * gamma), 192)
    )


@pytest.mark.parametrize("cheaters", range(7))
def test_the_number_of_yes_is_the_sum_of_two_binomials(cheaters):
    """Among m cheaters and n - m others: by tossing all coins of all six people in every way."""
    response, people = RandomizedResponse.two_coin(), 6
    answers = [1] * cheaters + [0] * (people - cheaters)
    law = dict.fromkeys(range(people + 1), F(0))
    for reports in product((0, 1), repeat=people):
        chance = F(1)
        for answer, report in zip(answers, reports, strict=True):
            chance *= response.distribution(answer)[report]
        law[sum(reports)] += chance
    assert response.reports_law(cheaters, people - cheaters) == law
    assert sum(k * chance for k, chance in law.items()) == F(3, 4) * cheaters + F(1, 4) * (
        people - cheaters
    )


@pytest.mark.parametrize("epsilon", [F(1, 2), F(2)], ids=str)
def test_debiasing_one_report_is_unbiased_with_variance_e_to_epsilon_over_its_excess_squared(
    epsilon,
):
    """Z = ((e**epsilon + 1) Y - 1) / (e**epsilon - 1); the plain mean of the reports is biased."""
    response, grown = RandomizedResponse(epsilon), ball(epsilon).exp()
    assert encloses(ball(response.variance), grown / (grown - 1) ** 2)
    for answer in (0, 1):
        law = response.distribution(answer)
        debiased = {report: response.estimate([report])[1].count for report in law}
        for report, value in debiased.items():
            assert encloses(ball(value), ((grown + 1) * report - 1) / (grown - 1))
        mean = sum(chance * debiased[report] for report, chance in law.items())
        assert mean == answer
        assert (
            sum(chance * (debiased[report] - mean) ** 2 for report, chance in law.items())
            == response.variance
        )
        assert sum(chance * report for report, chance in law.items()) != answer, "biased"


def test_the_estimate_of_a_crowd_is_unbiased():
    response = RandomizedResponse.two_coin()
    for yes, no in ((0, 4), (3, 2), (5, 0)):
        law = response.reports_law(yes, no)
        counts = {
            seen: response.estimate([1] * seen + [0] * (yes + no - seen))[1].count for seen in law
        }
        assert sum(chance * counts[seen] for seen, chance in law.items()) == yes
        spread = sum(chance * (counts[seen] - yes) ** 2 for seen, chance in law.items())
        assert spread == (yes + no) * F(3, 4) == (yes + no) * F(3) / (3 - 1) ** 2


# ------------------------------------------------------------------------------- Laplace


@pytest.mark.parametrize("scale", [F(1), F(10, 3), F(1000)], ids=str)
def test_the_variance_is_twice_the_square_of_the_scale_but_for_a_sixth(scale):
    """Continuous: 2 b**2. Ours, on the integers: 2 b**2 - 1/6 and less than 1 / (40 b**2) more. It is not b."""
    law = Laplace(scale).law
    if scale < 100:
        reach = int(140 * scale)
        assert encloses(
            law.variance(), sum((z * z * law.mass(z) for z in range(-reach, reach + 1)), ball(0))
        )
    apart = law.variance() - ball(2 * scale**2 - F(1, 6))
    assert lower(apart) > 0
    assert upper(apart) < 1 / (40 * scale**2)


def test_the_scale_is_sensitivity_over_epsilon():
    assert Laplace.calibrate(F(1, 4), 3).scale == 12
    assert Laplace.calibrate(F(1, 4), Sensitivity(3, dimension=9)).scale == 12


@pytest.mark.parametrize("t", [1, 2, 5, 20])
def test_the_tail_falls_as_e_to_the_minus_t(t):
    """P(|Z| >= t b) = e**-t continuously; on the integers 2 / (1 + r) times that, r = e**(-1/b)."""
    scale = 1000
    exact = 2 * LaplaceLaw(F(scale)).tail(t * scale)
    continuous = (-ball(t)).exp()
    assert encloses(exact / continuous, 2 / (1 + (-ball(F(1, scale))).exp()))
    assert 1 < lower(exact / continuous) < F(10006, 10000)
    assert laplace_bound(1, 1, exp(-t)) == pytest.approx(t, rel=1e-12)


def test_the_error_is_sensitivity_over_epsilon_times_the_logarithm():
    assert laplace_bound(2, F(1, 2), 0.05) == pytest.approx(4 * log(20), rel=1e-14)
    assert laplace_bound(2, F(1, 2), 0.05, answers=30) == pytest.approx(4 * log(600), rel=1e-14)


def test_ten_thousand_first_names_are_all_within_27_63():
    """A histogram moves by 2 when one row is replaced: 2 ln(10**6). Ours is discrete, and its exact error is 28."""
    names = Sensitivity(2, neighbours=Neighbours.REPLACE, dimension=10_000)
    assert round(laplace_bound(names, epsilon=1, beta=0.01, answers=10_000), 2) == 27.63
    assert laplace_bound(names, epsilon=1, beta=0.01, answers=10_000) == pytest.approx(
        2 * log(10**6), rel=1e-14
    )
    assert Laplace.calibrate(1, names).error(0.99, answers=10_000) == 28


def test_the_mean_of_n_bounded_values_moves_by_one_over_n():
    """Replace-one, by trying every neighbour; and the error that follows is ln(1/beta) / (n epsilon)."""
    found = sensitivity_by_search(
        lambda rows: F(sum(rows), 3) if len(rows) == 3 else F(0), (0, 1), 3, Neighbours.REPLACE
    )
    assert found.sensitivity.bound == F(1, 3)
    assert error_of_mean(1000, 0.1, F(3, 4)) == pytest.approx(log(4) / 100, rel=1e-14)
    assert error_of_mean(1000, 0.1, 0.95) == pytest.approx(
        laplace_bound(F(1, 1000), 0.1, 0.05), rel=1e-12
    )


@pytest.mark.parametrize(("m", "n"), [(1, 10), (20, 1000), (500, 10**6)])
def test_m_counting_queries_have_error_m_over_n_epsilon_times_the_logarithm(m, n):
    """Printed as n / (m epsilon) in some notes, which would fall as more is asked."""
    shares = Sensitivity(F(m, n), neighbours=Neighbours.REPLACE, dimension=m)
    found = laplace_bound(shares, epsilon=0.5, beta=0.05, answers=m)
    assert found == pytest.approx(m / (n * 0.5) * log(m / 0.05), rel=1e-12)


@pytest.mark.parametrize("epsilon", [F(1, 100), F(1, 10), F(1)], ids=str)
@pytest.mark.parametrize("alpha", [F(1, 10), F(1, 1000)], ids=str)
def test_a_curator_needs_two_over_epsilon_alpha_people_and_a_crowd_alone_the_square(epsilon, alpha):
    """At three quarters' confidence: ln 4 = 1.39 < 2 with a curator; 4 / (epsilon alpha)**2 without."""
    curator, alone = (
        people_for_mean(alpha, epsilon, F(3, 4)),
        people_for_response(alpha, epsilon, F(3, 4)),
    )
    assert curator == ceil(log(4) / (epsilon * alpha)) <= 2 / (epsilon * alpha)
    grown = exp(epsilon)
    assert alone == pytest.approx(4 * grown / (grown - 1) ** 2 / alpha**2, rel=1e-3, abs=1)
    assert F(35, 10) <= alone * (epsilon * alpha) ** 2 <= 4 + (epsilon * alpha) ** 2
    assert (
        error_of_mean(curator, epsilon, F(3, 4))
        <= alpha
        < error_of_mean(curator - 1, epsilon, F(3, 4))
    )
    assert (
        error_of_response(alone, epsilon, F(3, 4))
        <= alpha
        < error_of_response(alone - 1, epsilon, F(3, 4))
    )


def test_half_the_error_takes_twice_the_people_with_a_curator_and_four_times_without():
    with_curator = [people_for_mean(F(1, k), F(1, 10), F(3, 4)) for k in (100, 200)]
    alone = [people_for_response(F(1, k), F(1, 10), F(3, 4)) for k in (100, 200)]
    assert with_curator[1] / with_curator[0] == pytest.approx(2, rel=1e-2)
    assert alone[1] / alone[0] == pytest.approx(4, rel=1e-6)
    assert (with_curator[0], alone[0]) == (1387, 3996669)


# ------------------------------------------------------------------------------- Gaussian


@pytest.mark.parametrize("m", [1, 2, 3])
def test_m_counts_move_by_the_root_of_m_in_length_and_by_m_in_sum(m):
    """One row may be counted by all m questions: by trying every neighbour. Shares of n rows: divided by n."""

    def counts(rows):
        return tuple(sum(row >> bit & 1 for row in rows) for bit in range(m))

    for norm, bound in (
        (Norm.L2, Sensitivity.root(m, dimension=m).bound),
        (Norm.L1, F(m)),
        (Norm.LINF, F(1)),
    ):
        found = sensitivity_by_search(
            counts, tuple(range(2**m)), 2, Neighbours.ADD_OR_REMOVE, norm=norm
        ).sensitivity
        assert abs(found.bound - bound) < F(1, 2**100)
        assert found.dimension == m
    n = 1000
    shares = Sensitivity.root(F(m, n**2), dimension=m)
    assert float(shares.bound) == pytest.approx(sqrt(m) / n, rel=1e-15)
    squared = shares.bound**2
    assert F(m, n**2) <= squared < F(m, n**2) * (1 + F(1, 2**100))


@pytest.mark.parametrize("epsilon", [F(1, 10), F(1, 2), F(99, 100)], ids=str)
@pytest.mark.parametrize("delta", [1e-5, 1e-9])
def test_the_classical_sigma(epsilon, delta):
    sigma = classical_gaussian_sigma(epsilon, delta, 3)
    assert float(sigma) == pytest.approx(
        sqrt(2 * log(1.25 / delta)) * 3 / float(epsilon), rel=1e-14
    )
    assert upper(GaussianLoss((3 / sigma) ** 2).delta(epsilon)) <= F(delta), (
        "it holds for continuous noise"
    )


@pytest.mark.parametrize("epsilon", [1, 1.0, 2, 10])
def test_the_classical_sigma_refuses_epsilon_from_one_on(epsilon):
    with pytest.raises(InvalidInput, match=r"Gaussian\.calibrate"):
        classical_gaussian_sigma(epsilon, 1e-5, 1)


def test_from_some_epsilon_on_the_classical_formula_would_indeed_be_wrong():
    epsilon, delta = F(10), 1e-5
    sigma = F(sqrt(2 * log(1.25 / delta))) / epsilon
    assert lower(GaussianLoss(1 / sigma**2).delta(epsilon)) > 1.2 * delta


# Sensitivity, epsilon, delta, sigma: as in the tests of Google's dp_accounting (privacy_loss_mechanism_test.py), to as
# many digits, and the value of Balle and Wang's own program at (1, 1e-5).
PUBLISHED = [
    (1, 1, 0.12693674, 1.0, 1e-6),
    (2, 1, 0.12693674, 2.0, 1e-6),
    (3, 1, 0.78760074, 1.0, 1e-6),
    (6, 1, 0.78760074, 2.0, 1e-6),
    (1, 2, 0.02092364, 1.0, 1e-6),
    (5, 2, 0.02092364, 5.0, 1e-6),
    (1, 16, 1e-5, 0.344, 1e-3),
    (2, 16, 1e-5, 0.688, 1e-3),
    (1, 1, 1e-5, 3.730631634816, 1e-11),
]


@pytest.mark.parametrize(("sensitivity", "epsilon", "delta", "sigma", "digits"), PUBLISHED)
def test_the_analytic_sigma_is_the_published_one(sensitivity, epsilon, delta, sigma, digits):
    assert float(analytic_gaussian_sigma(epsilon, delta, sensitivity)) == pytest.approx(
        sigma, rel=digits
    )


def times_too_large(epsilon, delta):
    """The discrete delta over the claimed one, when sigma is taken from the continuous formula."""
    sigma = analytic_gaussian_sigma(epsilon, delta, 1)
    return float(upper(Gaussian(sigma).loss(1).delta(F(epsilon)))) / delta


def test_with_the_continuous_sigma_discrete_delta_is_a_tenth_too_large_and_three_times():
    assert times_too_large(2, 1e-5) == pytest.approx(1.103, abs=1e-3)
    assert times_too_large(8, 1e-6) == pytest.approx(3.014, abs=1e-3)


@pytest.mark.parametrize(("epsilon", "delta"), [(2, 1e-5), (8, 1e-6), (1, 1e-6)])
def test_calibrated_on_its_own_law_discrete_delta_is_what_was_asked_for(epsilon, delta):
    mechanism = Gaussian.calibrate(epsilon, delta, 1)
    reached = upper(mechanism.loss(1).delta(F(epsilon)))
    assert F(999999, 1000000) * F(delta) <= reached <= F(delta)
    reach = int(14 * mechanism.sigma) + 8
    p, q = (mechanism.distribution(x).clamp_law(-reach, reach) for x in (0, 1))
    summed = sum(((p[z] - ball(epsilon).exp() * q[z]).max(ball(0)) for z in p), ball(0))
    assert abs(upper(summed) - reached) < TINY


def test_at_sigma_one_and_a_half_the_discrete_delta_is_56_percent_above_the_formula():
    epsilon = F(73, 20)
    formula, exact = (
        GaussianLoss(F(4, 9)).delta(epsilon),
        DiscreteGaussianLoss(F(9, 4), 1).delta(epsilon),
    )
    assert float(upper(exact / formula)) == pytest.approx(1.56, abs=2e-3)


def convolved(one, other):
    """The law of a sum of two independent numbers."""
    law = {}
    for (a, p), (b, q) in product(one.items(), other.items()):
        law[a + b] = law.get(a + b, ball(0)) + p * q
    return law


@pytest.mark.parametrize(("one", "other"), [(9, 16), (F(9, 2), F(9, 2))])
def test_the_variances_of_a_sum_of_gaussians_add(one, other):
    """By exact convolution: the sum is discrete Gaussian again but for one part in e**(2 pi**2 s t / (s + t))."""
    laws = [GaussianLaw(F(parameter)) for parameter in (one, other)]
    reach = 70
    single = [{z: law.mass(z) for z in range(-reach, reach + 1)} for law in laws]
    total = convolved(*single)
    added = GaussianLaw(F(one) + F(other))
    variance = sum((z * z * mass for z, mass in total.items()), ball(0))
    separate = [sum((z * z * mass for z, mass in law.items()), ball(0)) for law in single]
    assert encloses(variance, separate[0] + separate[1])
    allowed = (-2 * ball(9) * ball(F(one) * F(other) / (F(one) + F(other)))).exp()  # pi**2 > 9
    for z in range(-30, 31):
        assert upper(abs(total[z] / added.mass(z) - 1)) < 8 * upper(allowed)


def test_two_releases_of_one_answer_average_to_half_the_variance():
    """The mean of two draws of variance s has variance s / 2: as much as one of sigma / sqrt 2, at twice rho."""
    loss, wide = Gaussian(10).loss(1), Gaussian(F(10**6, 141421)).loss(1)
    assert float(upper((loss * 2).rho())) == pytest.approx(float(upper(wide.rho())), rel=1e-5)


def test_the_error_of_m_counts_with_gaussian_noise():
    m, epsilon, delta, beta = 100, 0.5, 1e-6, 0.01
    counts = Sensitivity.root(m, dimension=m)
    found = gaussian_bound(counts, epsilon, delta, beta, answers=m)
    assert found == pytest.approx(
        2 * sqrt(m) / epsilon * sqrt(log(1.25 / delta) * log(m / beta)), rel=1e-12
    )
    assert round(found, 1) == 454.8
    sigma = classical_gaussian_sigma(epsilon, delta, counts)
    outside = 1 - (1 - (ball(F(found) / sigma) / ball(2).sqrt()).erfc()) ** m
    assert upper(outside) <= F(beta), "continuous noise stays within it"


def test_gaussian_noise_wins_from_eleven_counts_on_by_the_bounds_and_from_six_by_the_exact_errors():
    epsilon, delta, beta = 0.5, 1e-6, 0.05

    def errors(m):
        laplace = Laplace.calibrate(epsilon, Sensitivity(m, dimension=m))
        gaussian = Gaussian.calibrate(epsilon, delta, Sensitivity.root(m, dimension=m))
        return laplace.error(1 - F(beta), m), gaussian.error(1 - F(beta), m)

    assert crossover(epsilon, delta, beta) == 11
    assert errors(1) == (6, 16)
    assert next(m for m in range(1, 30) if errors(m)[1] < errors(m)[0]) == 6
    assert errors(24) == (295, 131)


# ------------------------------------------------------------------------------- accuracy first


def test_the_error_you_can_live_with_gives_the_smallest_price():
    """State the error, get the budget; state the budget, get the error; and they agree."""
    mechanism = Laplace.within(error=50, confidence=0.95)
    price = mechanism.loss(1).epsilon
    assert mechanism.error(0.95) == 50
    assert Laplace.calibrate(price, 1) == mechanism
    assert Laplace.calibrate(price * F(99, 100), 1).error(0.95) > 50
    assert float(price) == pytest.approx(log(20) / 50.5, rel=1e-2)


def test_the_growth_at_one_percent():
    """e**0.01 = 1.01005: the ratio that a counting query of scale 100 allows."""
    p, q = (Laplace(100).distribution(x).clamp_law(0, 1) for x in (0, 1))
    assert encloses(p[0] / q[0], ball(F(1, 100)).exp())
    assert round(float(upper(p[0] / q[0])), 5) == 1.01005
    assert Laplace(100).loss(1).epsilon == F(1, 100)
