from fractions import Fraction

import numpy as np
import pytest

from tacit.accounting.connect_the_dots import connect_dots, is_on_grid
from tacit.privacy import (
    Atoms,
    BoundedRangeLoss,
    DiscreteGaussianLoss,
    DiscreteLaplaceLoss,
    FiniteLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    Subsampled,
    loss_distribution,
)

F = Fraction
THIRDS = FiniteLoss((F(1, 2), F(1, 3), F(1, 6)), (F(1, 6), F(1, 3), F(1, 2)))
LOSSES = [
    PureLoss(F(3, 7)),
    LaplaceLoss(1),
    GaussianLoss(1),
    BoundedRangeLoss(2),
    DiscreteLaplaceLoss(3, 4),
    DiscreteGaussianLoss(4, 1),
    THIRDS,
    Subsampled(GaussianLoss(1), F(1, 10)),
    Subsampled(LaplaceLoss(2), F(1, 10)),
]
every_loss = pytest.mark.parametrize("loss", LOSSES, ids=lambda loss: type(loss).__name__)


def exact_delta(law, epsilon):
    """E[max(0, 1 - e**(epsilon - L))] of a law, in floats."""
    if isinstance(law, Atoms):
        return float((law.masses * np.maximum(0, -np.expm1(epsilon - law.losses))).sum())
    p, q, _ = law.tails(np.array([epsilon]))
    return float(p[0] - np.exp(epsilon) * q[0])


def grid_delta(dots, step, epsilon):
    losses = dots.origin + step * np.arange(len(dots.masses))
    return float((dots.masses * np.maximum(0, -np.expm1(epsilon - losses))).sum())


@every_loss
def test_shared_losses_keep_the_mean_of_one_and_of_the_likelihood_ratio(loss):
    law, step = loss_distribution(loss), 0.0371
    dots = connect_dots(law, step, 1e-14)
    losses = dots.origin + step * np.arange(len(dots.masses))
    assert dots.is_spread
    assert dots.masses.sum() == pytest.approx(1, abs=1e-10)
    least = 1.0 if not isinstance(law, Atoms) else float((law.masses * np.exp(-law.losses)).sum())
    assert (dots.masses * np.exp(-losses)).sum() == pytest.approx(least, abs=1e-9)


@every_loss
def test_on_the_grid_delta_is_that_of_the_law_at_every_point_and_its_chord_between(loss):
    law, step = loss_distribution(loss), 0.0371
    dots = connect_dots(law, step, 1e-14)
    points = dots.origin + step * np.arange(len(dots.masses))
    for left, right in zip(points[::7], points[1::7], strict=False):
        assert grid_delta(dots, step, left) == pytest.approx(exact_delta(law, left), abs=1e-12)
        for share in (0.2, 0.5, 0.9):
            between = np.log((1 - share) * np.exp(left) + share * np.exp(right))
            chord = (1 - share) * exact_delta(law, left) + share * exact_delta(law, right)
            assert grid_delta(dots, step, between) == pytest.approx(chord, abs=1e-12)
            assert grid_delta(dots, step, between) >= exact_delta(law, between) - 1e-12


@every_loss
@pytest.mark.parametrize("mass", [1e-2, 1e-6])
def test_what_lies_beyond_the_grid_is_told_and_what_lies_below_is_raised(loss, mass):
    law, step = loss_distribution(loss), 0.0371
    for lowest in (-np.inf, -0.2):
        dots = connect_dots(law, step, mass, lowest)
        assert 0 <= dots.beyond <= 1.5 * mass
        assert dots.masses.sum() + dots.beyond == pytest.approx(1, abs=1e-10)
        for epsilon in np.linspace(-0.5, 2.5, 13):
            assert (
                grid_delta(dots, step, epsilon) + dots.beyond >= exact_delta(law, epsilon) - 1e-12
            )
            wrong = dots.slack.sum() + dots.beyond + 0.0371
            assert grid_delta(dots, step, epsilon) <= exact_delta(law, epsilon) + wrong


def test_losses_on_the_grid_stay_where_they_are():
    law = loss_distribution(DiscreteLaplaceLoss(F(3), 4))
    dots = connect_dots(law, F(1, 3), 0.0)
    assert not dots.is_spread
    assert dots.origin == pytest.approx(-4 / 3)
    assert dots.masses[::2] == pytest.approx(law.masses)
    assert not dots.masses[1::2].any()
    assert len(dots.masses) == 9


def test_a_law_is_on_the_grid_only_if_its_losses_are_whole_steps_apart():
    law = loss_distribution(DiscreteLaplaceLoss(F(3), 4))
    assert law.step == F(2, 3)
    assert is_on_grid(law, F(2, 3))
    assert is_on_grid(law, F(1, 9))
    assert not is_on_grid(law, F(4, 3))
    assert not is_on_grid(law, F(1, 2))
    assert not is_on_grid(law, 2 / 3)
    assert not is_on_grid(loss_distribution(LaplaceLoss(1)), F(1))


@pytest.mark.parametrize("scale", [3, 10**4])
def test_the_errors_of_masses_are_told(scale):
    """A curve's masses are differences of tails; what these are wrong by is more than what is lost
    in them.
    """
    law = loss_distribution(GaussianLoss(F(1, scale)))
    dots = connect_dots(law, 1e-4, 1e-12)
    assert (dots.slack[:-1] >= 2.0**-52 * 1e-3 * dots.masses[:-1]).all()
    assert dots.slack.sum() < 1e-8
