"""How far sums of noise reach: exact laws where there are some, drawn ones elsewhere."""

import numpy as np
import pytest

from tacit.synth.noise_sums import gaussian_reach, laplace_reach
from tacit.synth.pseudo_random import uniforms

LEVELS = (0.5, 0.8, 0.95, 0.99, 0.999)


def one(scale, reach):
    return np.exp(-reach / scale)


def two(scale, reach):
    return (1 + reach / (2 * scale)) * np.exp(-reach / scale)


@pytest.mark.parametrize("confidence", LEVELS)
@pytest.mark.parametrize(("count", "tail"), [(1, one), (2, two)])
def test_laws_that_are_known_are_met_from_above(count, tail, confidence):
    (reach,) = laplace_reach(np.array([[3.0]]), np.array([[count]]), confidence)
    assert tail(3.0, reach) <= 1 - confidence
    assert tail(3.0, reach / 1.06) > 1 - confidence


@pytest.mark.parametrize("confidence", LEVELS)
def test_many_alike_reach_as_far_as_a_normal_variable(confidence):
    (many,) = laplace_reach(np.array([[1.0]]), np.array([[5_000.0]]), confidence)
    (normal,) = gaussian_reach(np.array([10_000**0.5]), confidence)
    assert normal <= many <= 1.03 * normal


def test_no_sum_reaches_further_than_is_said():
    """Pseudo-random sums that are always the same: 200,000 of each kind, wrong by 5 of their own
    deviations at most."""
    scales = np.array([[5.0, 1, 1, 1], [2, 2, 1, 0.1], [1, 0.01, 0.01, 0.01], [3, 2, 1, 0]])
    draws = 200_000
    signs = np.where(uniforms(4 * draws, 1) < 0.5, -1.0, 1.0).reshape(4, draws)
    laplace = -np.log(uniforms(4 * draws, 2)).reshape(4, draws) * signs
    for confidence in (0.8, 0.95, 0.99):
        reach = laplace_reach(scales, np.ones((4, 4)), confidence)
        inside = np.array(
            [(np.abs(row @ laplace) <= far).mean() for row, far in zip(scales, reach, strict=True)]
        )
        chance = 5 * (confidence * (1 - confidence) / draws) ** 0.5
        assert (inside >= confidence - chance).all()
        assert (inside <= confidence + 0.02).all()


@pytest.mark.parametrize("sigma", [0.3, 0.35, 0.4, 0.45, 0.7, 0.9, 1.0, 1.3, 2.0, 4.0, 7.3, 30.0])
def test_discrete_gaussian_noise_of_any_width_stays_inside(sigma):
    places = np.arange(-400, 401)
    law = np.exp(-(places**2) / (2 * sigma**2))
    for confidence in LEVELS:
        (reach,) = gaussian_reach(np.array([sigma]), confidence, steps=sigma)
        assert law[np.abs(places) <= reach].sum() / law.sum() >= confidence


@pytest.mark.parametrize("scale", [0.2, 0.5, 1.0, 3.0, 4.0, 9.7, 50.0])
def test_discrete_laplace_noise_of_any_width_stays_inside(scale):
    places = np.arange(-3_000, 3_001)
    law = np.exp(-np.abs(places) / scale)
    for confidence in LEVELS:
        (reach,) = laplace_reach(np.array([[scale]]), np.ones((1, 1)), confidence, steps=scale)
        assert law[np.abs(places) <= reach].sum() / law.sum() >= confidence


def test_nothing_reaches_nowhere():
    assert laplace_reach(np.zeros((2, 3)), np.ones(3), 0.95).tolist() == [0.0, 0.0]
