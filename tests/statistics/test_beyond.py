"""Noise beyond global sensitivity, drawn many times, against its exact law; a wrong scale must be seen."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.exact import working
from tacit.mechanisms import GradualLaplace, StudentLaw, StudentNoise
from tests.statistics.chi_square import FALSE_ALARM, p_value

DRAWS = 8_000
REACH = 60


def counted(drawn):
    """How often each integer came, what lies beyond the reach at its ends."""
    return np.bincount(np.clip(drawn, -REACH, REACH) + REACH, minlength=2 * REACH + 1)


def student(spread):
    law = StudentLaw(spread)
    with working(64):
        inner = [float(law.mass(place).mid()) for place in range(-REACH + 1, REACH)]
    tail = (1 - sum(inner)) / 2
    return np.array([tail, *inner, tail])


@pytest.mark.parametrize("bound", [Fraction(1, 10), Fraction(3), Fraction(9)])
def test_student_noise_has_its_law(bound):
    """A sound sampler fails once in 10^9 runs; a scale that is off by a quarter is seen."""
    noise = StudentNoise.calibrate(1)
    drawn = counted(np.array([noise.draw(bound) for _ in range(DRAWS)]))
    spread = noise.law(bound).spread
    assert p_value(drawn, student(spread)) > FALSE_ALARM
    assert p_value(drawn, student(spread * Fraction(25, 16))) < FALSE_ALARM


@pytest.mark.parametrize("earlier", [0, 4, -15])
@pytest.mark.parametrize("step", [GradualLaplace(6, 2), GradualLaplace(20, 15)])
def test_refined_noise_has_its_law(step, earlier):
    """Given the earlier noise; and not the law of fresh noise."""
    drawn = counted(np.array([step.release(0, released=earlier) for _ in range(2_000)]))
    with working(64):
        inner = [float(step.probability(z, earlier).mid()) for z in range(-REACH + 1, REACH)]
        sides = [
            sum(float(step.probability(z, earlier).mid()) for z in places)
            for places in (range(-REACH - 600, -REACH + 1), range(REACH, REACH + 601))
        ]
    law = np.array([sides[0], *inner, sides[1]])
    assert p_value(drawn, law / law.sum()) > FALSE_ALARM
    other = np.array([sides[1], *inner[::-1], sides[0]])
    if earlier:  # a mistaken sign
        assert p_value(drawn, other / other.sum()) < FALSE_ALARM
