from fractions import Fraction
from math import erfc, expm1, inf, log1p
from random import Random

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.exact import ROUNDING, ball, gaussian_mass, gaussian_tail, working
from tacit.privacy import (
    ApproximateLoss,
    Atoms,
    BoundedRangeLoss,
    Direction,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    Subsampled,
    ZeroConcentratedLoss,
    has_loss_distribution,
    loss_distribution,
)
from tacit.privacy.loss_law import LIBRARY

F = Fraction
REMOVE, ADD = Direction
CROOKED = FiniteLoss((F(1, 2), F(1, 3), F(1, 6)), (F(7, 8), F(1, 12), F(1, 24)))


def delta_of(law, epsilon):
    if isinstance(law, Atoms):
        return float((law.masses * np.maximum(0, -np.expm1(epsilon - law.losses))).sum())
    p, q, _ = law.tails(np.array([float(epsilon)]))
    return float(p[0] - np.exp(epsilon) * q[0])


def test_the_unit_of_rounding_is_that_of_floats():
    assert np.finfo(np.float64).eps / 2 == ROUNDING


def test_library_functions_err_by_no_more_than_is_assumed():
    """exp and its kin, of the C library and of NumPy, beside 200 bits at 2,000 places."""
    random = Random(1)
    functions = [
        (lambda x: float(np.exp(np.array([x, -x]))[0]), lambda b: b.exp(), (-700, 700)),
        (lambda x: float(np.expm1(np.array([x, x]))[0]), lambda b: b.expm1(), (-40, 40)),
        (lambda x: float(np.expm1(np.array([x, x]))[0]), lambda b: b.expm1(), (-1e-3, 1e-3)),
        (expm1, lambda b: b.expm1(), (-5, 5)),
        (lambda x: float(np.log1p(np.array([x, x]))[0]), lambda b: b.log1p(), (-0.999, 100)),
        (log1p, lambda b: b.log1p(), (-0.9, 1)),
        (lambda x: float(np.log(np.array([x, x]))[0]), lambda b: b.log(), (1e-300, 0.9)),
        (erfc, lambda b: b.erfc(), (-6, 26)),
    ]
    worst = 0.0
    for ours, exact, (low, high) in functions:
        for _ in range(250):
            place = random.uniform(low, high)
            with working(200):
                true = exact(ball(F(place)))
                worst = max(worst, float(abs(ball(F(ours(place))) / true - 1)))
    assert worst <= LIBRARY
    assert worst >= ROUNDING / 2  # or nothing was measured


@pytest.mark.parametrize(
    "loss", [ZeroConcentratedLoss(1), PureLoss(1) * 2, ApproximateLoss(1, F(1, 10))], ids=repr
)
def test_a_loss_without_a_law_is_refused(loss):
    assert not has_loss_distribution(loss)
    with pytest.raises(InvalidInput, match="no privacy-loss distribution"):
        loss_distribution(loss)
    assert not has_loss_distribution(
        FiniteLoss((F(1, 2), F(1, 2), F(0)), (F(1, 2), F(1, 4), F(1, 4)))
    )


@pytest.mark.parametrize(
    "loss",
    [
        PureLoss(1),
        LaplaceLoss(F(3, 2)),
        GaussianLoss(2),
        BoundedRangeLoss(F(5, 2)),
        DiscreteLaplaceLoss(F(7, 3), 5),
        DiscreteGaussianLoss(F(9, 4), 2),
        CROOKED,
        FiniteLoss((F(3, 4), F(1, 4)), (F(1, 4), F(3, 4))),
    ],
    ids=lambda loss: type(loss).__name__,
)
def test_the_delta_of_the_law_is_that_of_the_loss(loss):
    law = loss_distribution(loss)
    for epsilon in (F(0), F(1, 10), F(1, 2), F(1), F(2)):
        with working(128):
            exact = float(loss.delta(epsilon))
        assert delta_of(law, float(epsilon)) == pytest.approx(exact, rel=1e-9, abs=1e-15)
        # The law is its own mirror image: below zero delta says the same once more.
        assert 1 - delta_of(law, -float(epsilon)) == pytest.approx(
            np.exp(-float(epsilon)) * (1 - exact), abs=1e-12
        )


def test_a_crooked_pair_is_bounded_in_both_directions_at_once():
    """One release may show p where the unit is, another where it is not: all ways to mix them are
    covered.
    """
    law = loss_distribution(CROOKED)
    for epsilon in np.linspace(-3, 3, 61):
        forth, back = (
            sum(max(0.0, float(a) - np.exp(epsilon) * float(b)) for a, b in zip(p, q, strict=True))
            for p, q in ((CROOKED.p, CROOKED.q), (CROOKED.q, CROOKED.p))
        )
        assert delta_of(law, epsilon) == pytest.approx(max(forth, back), abs=1e-13)
    assert law.masses.sum() == pytest.approx(1)


@pytest.mark.parametrize(
    "base", [LaplaceLoss(1), GaussianLoss(1), DiscreteLaplaceLoss(2, 3)], ids=repr
)
def test_a_sample_has_another_law_in_each_direction(base):
    """Of M = (1 - q) Q + q P against Q and of Q against M, from the base's delta at other
    places.
    """
    rate, law = 0.2, loss_distribution(base)
    removed, added = (
        loss_distribution(Subsampled(base, F(1, 5)), direction) for direction in Direction
    )
    for epsilon in (-0.2, -0.1, 0.0, 0.05, 0.1, 0.2):
        inner = np.log1p(np.expm1(epsilon) / rate) if np.expm1(epsilon) > -rate else -inf
        forth = 1 - np.exp(epsilon) if inner == -inf else rate * delta_of(law, inner)
        assert delta_of(removed, epsilon) == pytest.approx(forth, abs=1e-12)
        back = np.exp(epsilon) * delta_of(removed, -epsilon) + 1 - np.exp(epsilon)
        assert delta_of(added, epsilon) == pytest.approx(back, abs=1e-12)
    assert delta_of(removed, 0.1) > delta_of(added, 0.1)


def test_all_or_none_in_the_sample():
    assert loss_distribution(Subsampled(LaplaceLoss(1), 0)).losses.tolist() == [0.0]
    assert loss_distribution(Subsampled(LaplaceLoss(1), 1)).span(0.0) == (-1.0, 1.0)


def test_the_masses_of_discrete_noise_are_within_their_errors():
    law = loss_distribution(DiscreteGaussianLoss(F(50), 3))
    with working(200):
        for index in range(0, len(law.masses), 17):
            z = index - len(law.masses) // 2
            exact = (-ball(F(z * z, 100))).exp() / (2 * gaussian_mass(F(50), 0) - 1)
            if exact > ball(F(1, 10**290)):
                assert abs(ball(F(float(law.masses[index]))) / exact - 1) <= ball(
                    F(float(law.errors[index]))
                )


@pytest.mark.parametrize("loss", [LaplaceLoss(2), GaussianLoss(1), BoundedRangeLoss(3)], ids=repr)
def test_the_tails_of_a_curve_are_within_their_errors(loss):
    law = loss_distribution(loss)
    low, high = law.span(1e-20)
    points = np.linspace(low, high, 41)[1:-1]
    p, q, errors = law.tails(points)
    with working(200):
        for place, forth, back, error in zip(points, p, q, errors, strict=True):
            exact = curve_tails(loss, ball(F(float(place))))
            for ours, true in zip((forth, back), exact, strict=True):
                assert abs(ball(F(float(ours))) / true - 1) <= ball(F(float(error)))


def curve_tails(loss, l):
    match loss:
        case LaplaceLoss(epsilon):
            return 1 - ((l - ball(epsilon)) / 2).exp() / 2, (-(l + ball(epsilon)) / 2).exp() / 2
        case GaussianLoss(squared):
            mu, root = ball(squared).sqrt(), ball(2).sqrt()
            return ((l / mu - mu / 2) / root).erfc() / 2, ((l / mu + mu / 2) / root).erfc() / 2
        case BoundedRangeLoss(epsilon):
            a, y = (-ball(epsilon) / 2).exp(), (l / 2).exp()
            return (1 - a * y) / (1 - a * a), a * (1 / y - a) / (1 - a * a)


def test_a_span_leaves_out_no_more_than_it_may():
    for loss in (PureLoss(1), DiscreteGaussianLoss(4, 1), GaussianLoss(1), LaplaceLoss(1)):
        law = loss_distribution(loss)
        for mass in (1e-3, 1e-9):
            low, high = law.span(mass)
            if isinstance(law, Atoms):
                assert law.masses[law.losses > high].sum() <= mass
                assert law.masses[law.losses < low].sum() <= mass
            else:
                p, _, _ = law.tails(
                    np.array([low - 1e-9, high])
                )  # at the end of a span may lie what is possible
                assert 1 - p[0] <= mass + 1e-15
                assert p[1] <= mass


@pytest.mark.parametrize(("sigma", "distance"), [(2100, 1), (3000, 700), (10**6, 12345)])
def test_wide_discrete_noise_has_the_tails_of_its_own_law(sigma, distance):
    loss = DiscreteGaussianLoss(sigma**2, distance)
    law = loss_distribution(loss)
    low, high = law.span(1e-25)
    points = np.linspace(low, high, 23)[1:-1]
    p, q, errors = law.tails(points)
    with working(200):
        for place, forth, back, error in zip(points, p, q, errors, strict=True):
            first = int(np.floor(place * sigma**2 / distance - distance / 2)) + 1
            for ours, start in ((forth, first), (back, first + distance)):
                true = gaussian_tail(F(sigma**2), start)
                assert abs(ball(F(float(ours))) / true - 1) <= ball(F(float(error)))
    assert has_loss_distribution(loss)
