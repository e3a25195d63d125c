"""Textbook bounds and the exact counts they stand for."""

from fractions import Fraction

import pytest

from tacit.mechanisms import (
    Gaussian,
    Laplace,
    RandomizedResponse,
    crossover,
    error_of_mean,
    error_of_response,
    gaussian_bound,
    laplace_bound,
    people_for_mean,
    people_for_response,
)
from tacit.privacy import Norm, Sensitivity
from tests.together import together

F = Fraction


@together
@pytest.mark.parametrize("epsilon", [0.01, F(1, 2), 1, 5])
@pytest.mark.parametrize("alpha", [0.3, F(1, 100), 1e-4])
@pytest.mark.parametrize("confidence", [F(1, 2), F(3, 4), 0.99])
def test_so_many_people_suffice_and_one_fewer_does_not(epsilon, alpha, confidence):
    """Up to the rounding of the floats that are shown."""
    wanted, shown = min(F(alpha), F(str(alpha))), 1 + F(1, 2**50)
    n = people_for_mean(alpha, epsilon, confidence)
    assert F(error_of_mean(n, epsilon, confidence)) <= wanted * shown
    assert n == 1 or F(error_of_mean(n - 1, epsilon, confidence)) > wanted
    m = people_for_response(alpha, epsilon, confidence)
    assert F(error_of_response(m, epsilon, confidence)) <= wanted * shown
    assert m == 1 or F(error_of_response(m - 1, epsilon, confidence)) > wanted


def test_the_promised_error_of_a_share_is_kept_by_its_exact_law():
    """Chebyshev's inequality: for every true count, the estimated share is that close often enough."""
    response, alpha = RandomizedResponse(3), F(1, 10)
    people = people_for_response(alpha, 3, F(3, 4))
    apart = response.truth - response.lie
    for holders in range(people + 1):
        kept = F(0)
        for seen, chance in response.reports_law(holders, people - holders).items():
            kept += chance * (
                abs((seen - people * response.lie) / apart - holders) <= alpha * people
            )
        assert kept >= F(3, 4)


@pytest.mark.parametrize("beta", [F(1, 4), F(1, 100), 1e-9])
@pytest.mark.parametrize("answers", [1, 100])
def test_the_bounds_lie_above_the_exact_errors_but_for_a_step(beta, answers):
    """The bounds are for continuous noise: rounded up to a whole step they hold for ours."""
    exact = Laplace.calibrate(F(1, 4), 1).error(1 - F(beta), answers)
    assert exact <= laplace_bound(1, F(1, 4), beta, answers) + 1
    several = Sensitivity.root(answers, dimension=answers)
    exact = Gaussian.calibrate(F(1, 4), 1e-6, several).error(1 - F(beta), answers)
    assert exact <= gaussian_bound(several, F(1, 4), 1e-6, beta, answers) + 1


def test_the_bound_for_continuous_noise_is_not_one_for_discrete_noise():
    """Within 2.999 an integer is within 2, and that is kept less often."""
    beta = F(1, 20)  # a little more than e**-3
    assert laplace_bound(1, 1, beta) < 3
    assert Laplace(1).error(1 - beta) == 3


def test_bounds_take_their_own_norm_of_the_sensitivity():
    assert laplace_bound(Sensitivity(1, Norm.LINF, dimension=4), 1, 0.1) == laplace_bound(4, 1, 0.1)
    wide, narrow = (Sensitivity(b, n, dimension=4) for b, n in ((1, Norm.LINF), (2, Norm.L2)))
    assert gaussian_bound(wide, 0.5, 1e-6, 0.1) == gaussian_bound(narrow, 0.5, 1e-6, 0.1)
    assert laplace_bound(narrow, 1, 0.1) == laplace_bound(4, 1, 0.1)


@pytest.mark.parametrize(
    ("epsilon", "delta", "beta"), [(0.5, 1e-6, 0.05), (0.1, 1e-9, 0.01), (0.9, 0.01, 0.5)]
)
def test_the_crossover_is_where_the_bounds_cross(epsilon, delta, beta):
    def gap(m):
        gaussian = gaussian_bound(Sensitivity.root(m, dimension=m), epsilon, delta, beta, m)
        return gaussian - laplace_bound(Sensitivity(m, dimension=m), epsilon, beta, m)

    at = crossover(epsilon, delta, beta)
    assert gap(at) < 0
    assert all(gap(m) >= 0 for m in range(1, at))
