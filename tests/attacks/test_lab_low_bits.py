"""In 10^5 samples the last digits of floating-point noise tell 0 from 1; Tacit's tell nothing."""

from fractions import Fraction
from math import e

import numpy as np
import pytest

from tacit.audit.attacks.low_bits import _multiples, float_laplace, told_by_low_bits
from tacit.audit.attacks.report import Rate
from tacit.mechanisms import Laplace

SAMPLES = 100_000
ALLOWED = e / (1 + e)


def test_floating_point_noise_is_told_far_beyond_what_its_epsilon_allows():
    """About 1,000 guesses of 97 %, where 73.1 % is allowed; a sound sampler is accused with probability below 1e-6."""
    assert Rate(*told_by_low_bits(float_laplace, SAMPLES)).exceeds(ALLOWED, 1e-6)


@pytest.mark.parametrize(
    "grid", [Fraction(1, 1 << 10), Fraction(1, 1 << 40)], ids=["coarse grid", "fine grid"]
)
def test_nothing_is_found_in_ours(grid):
    """The guesses win as often as location alone, false alarm 1e-6; and every release is a multiple of the grid."""
    laplace = Laplace.calibrate(epsilon=1, sensitivity=1, grid=grid)

    def sampler(answer, count):
        return laplace.release(np.full(count, float(answer)))

    rate = Rate(*told_by_low_bits(sampler, SAMPLES), expected=ALLOWED)
    assert rate.tries > 800
    assert rate.agrees(1e-6)
    for answer in (0, 1):
        steps = sampler(answer, 1000) / float(grid)
        assert (steps == np.rint(steps)).all()
        assert _multiples(sampler(answer, 1000)).all()


def test_a_grid_that_is_finer_under_one_answer_is_found():
    """Steps of 2^-57 under an answer of 0 and of 2^-53 under 1, as floats have it, without any float noise."""

    def uneven(answer, count):
        laplace = Laplace.calibrate(
            epsilon=1, sensitivity=1, grid=Fraction(1, 1 << (53 if answer else 57))
        )
        return laplace.release(np.full(count, float(answer)))

    assert Rate(*told_by_low_bits(uneven, SAMPLES // 2)).exceeds(ALLOWED, 1e-6)
