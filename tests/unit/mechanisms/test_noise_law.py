"""The laws of noise: masses, tails and variances agree with their definitions, and quantiles with the tails."""

from fractions import Fraction
from itertools import pairwise

import pytest

from tacit.exact import ball, lower, upper, working
from tacit.mechanisms import Gaussian, GaussianLaw, Laplace, LaplaceLaw, Released
from tacit.mechanisms.noise_law import quantile, stays
from tests.together import together

F = Fraction
TINY = F(1, 2**100)
LAWS = [
    LaplaceLaw(F(1, 3)),
    LaplaceLaw(F(1)),
    LaplaceLaw(F(20)),
    GaussianLaw(F(1, 9)),
    GaussianLaw(F(1)),
]
# from 1024 on tails are integrals with corrections
LAWS += [GaussianLaw(F(50)), GaussianLaw(F(1030))]
every_law = pytest.mark.parametrize("law", LAWS, ids=repr)


@pytest.fixture(autouse=True)
def enough_digits():
    with working(192):
        yield


def weight(law, place):
    """What the docstring says the mass is proportional to."""
    if isinstance(law, LaplaceLaw):
        return (-ball(abs(place) / law.scale)).exp()
    return (-ball(place**2 / (2 * law.parameter))).exp()


def reach(law):
    """Beyond it lies less than 2**-110."""
    return (
        int(110 * law.scale) + 2
        if isinstance(law, LaplaceLaw)
        else int(14 * float(law.parameter) ** 0.5) + 2
    )


def near(one, other):
    return abs(upper(one) - upper(other)) < TINY


@every_law
def test_masses_are_proportional_to_their_weights_and_sum_to_one(law):
    total = sum((weight(law, place) for place in range(-reach(law), reach(law) + 1)), ball(0))
    for place in (0, 1, -1, 2, 7, -30):
        assert near(law.mass(place), weight(law, place) / total)
        assert near(law.mass(place), law.mass(-place))


@every_law
def test_a_tail_is_the_sum_of_its_masses(law):
    for start in (-5, -1, 0, 1, 2, 9):
        assert near(
            law.tail(start),
            sum((law.mass(place) for place in range(start, reach(law) + 10)), ball(0)),
        )


@every_law
def test_the_variance_is_the_expected_square_or_a_bound_of_it(law):
    square = sum(
        (place**2 * law.mass(place) for place in range(-reach(law), reach(law) + 1)), ball(0)
    )
    assert lower(square) <= upper(law.variance()) + TINY
    if isinstance(law, LaplaceLaw):
        assert near(square, law.variance())
    elif law.parameter >= 1:
        assert upper(law.variance() - square) < F(1, 10**6) * law.parameter


@together
@every_law
@pytest.mark.parametrize("centre", [-3, 0, 4, 40])
def test_a_folded_law_sums_to_one_and_keeps_what_is_inside(law, centre):
    released = Released(centre, law)
    folded = released.clamp_law(-2, 6)
    assert sorted(folded) == list(range(-2, 7))
    assert near(sum(folded.values(), ball(0)), ball(1))
    assert all(near(folded[outcome], law.mass(outcome - centre)) for outcome in range(-1, 6))
    assert near(folded[-2], law.tail(centre + 2))
    assert near(folded[6], law.tail(6 - centre))


@pytest.mark.parametrize("law", [LaplaceLaw(F(1)), GaussianLaw(F(4))], ids=repr)
def test_the_ends_of_a_folded_law_are_sharp_even_if_they_are_tiny(law):
    """Their ratios are what an audit looks at: a ball around zero would say nothing."""
    for end in Released(0, law).clamp_law(-60, 60).values():
        assert lower(end) > 0
        assert upper(end) - lower(end) < upper(end) * F(1, 2**80)


@every_law
def test_a_quantile_is_where_staying_begins(law):
    for confidence in (
        F(1, 2**1100),
        F(1, 100),
        F(1, 2),
        F(19, 20),
        F(10**6 - 1, 10**6),
        1 - F(1, 2**1100),
    ):
        for answers in (1, 3, 10**9):
            distance = quantile(law, confidence, answers)
            assert stays(law, distance, confidence, answers)
            assert distance == 0 or not stays(law, distance - 1, confidence, answers)


@pytest.mark.parametrize(
    "law", [LaplaceLaw(F(2) ** 900), LaplaceLaw(F(1, 1000)), GaussianLaw(F(2) ** 1900)], ids=repr
)
def test_a_quantile_is_found_however_wide_or_narrow_the_noise_is(law):
    for confidence in (F(1, 1000), F(19, 20), 1 - F(1, 2**300)):
        distance = quantile(law, confidence)
        assert stays(law, distance, confidence)
        assert distance == 0 or not stays(law, distance - 1, confidence)


@every_law
def test_quantiles_grow_with_the_confidence_and_with_the_answers(law):
    by_confidence = [quantile(law, F(k, 100)) for k in range(1, 100, 7)]
    by_answers = [quantile(law, F(9, 10), 10**k) for k in range(8)]
    assert all(a <= b for series in (by_confidence, by_answers) for a, b in pairwise(series))


def test_a_confidence_exactly_at_a_step_is_met_there():
    """P(z = 0) of Laplace noise is tanh(1/2): a little less is kept by nothing at all, a little more by one step."""
    exact = LaplaceLaw(F(1)).mass(0)
    assert quantile(LaplaceLaw(F(1)), lower(exact) - TINY) == 0
    assert quantile(LaplaceLaw(F(1)), upper(exact) + TINY) == 1


def test_the_law_of_a_release_is_that_of_the_rounded_answer():
    assert Laplace(1).distribution(7) == Released(7, LaplaceLaw(F(1)))
    assert Gaussian(3, grid=F(1, 4)).distribution(0.3) == Released(1, GaussianLaw(F(144)))
    assert (
        Laplace(3, grid=2).distribution(F(7))
        == Laplace(3, grid=2).distribution(8.0)
        == Released(4, LaplaceLaw(F(3, 2)))
    )
