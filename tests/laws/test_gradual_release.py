"""Noise that is refined: both releases together cost what the finer one costs, exactly."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidInput
from tacit.exact import working
from tacit.mechanisms import GradualLaplace
from tacit.mechanisms.noise_law import LaplaceLaw
from tacit.privacy import Neighbours, Norm, Sensitivity

STEPS = [GradualLaplace(6, 2), GradualLaplace(Fraction(3, 2), Fraction(1, 2)), GradualLaplace(5, 4)]
REACH = range(-14, 15)


@pytest.mark.parametrize("step", STEPS)
def test_both_releases_cost_what_the_finer_one_costs(step):
    """The ratio of the joint laws of neighbours never exceeds 1 / after, attains it, and the first is as it was."""
    coarse = LaplaceLaw(step.before)
    with working():
        joint = {
            (first, second): coarse.mass(first) * step.probability(second, first)
            for first in range(-15, 16)
            for second in range(-15, 16)
        }
        largest = 0.0
        for first in REACH:
            for second in REACH:
                ratio = joint[first, second] / joint[first - 1, second - 1]
                loss = abs(float(ratio.log().mid()))
                assert loss <= float(1 / step.after) + 1e-12
                largest = max(largest, loss)
    assert largest >= 0.999 * float(1 / step.after)
    assert step.loss(1).pure() == 1 / step.after - 1 / step.before


@pytest.mark.parametrize("step", STEPS)
def test_the_refined_noise_is_laplace(step):
    fine, coarse = LaplaceLaw(step.after), LaplaceLaw(step.before)
    with working():
        for noise in range(-3, 4):
            found = sum(
                float((coarse.mass(first) * step.probability(noise, first)).mid())
                for first in range(-160, 161)
            )
            assert found == pytest.approx(float(fine.mass(noise).mid()), rel=1e-9)


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("earlier", [0, 1, 7])
def test_pieces_have_the_weights_of_the_law(step, earlier):
    with working():
        keep = step.chance_to_keep(earlier)
        pieces = step.piece_weights(earlier)
        whole = sum(pieces)
        for piece, places in zip(
            pieces, (range(-400, 0), range(earlier + 1), range(earlier + 1, 400)), strict=True
        ):
            law = sum((step.probability(place, earlier) for place in places), 0 * keep)
            mixed = (1 - keep) * piece / whole + (keep if earlier in places else 0)
            assert float(mixed.mid()) == pytest.approx(float(law.mid()), rel=1e-9)


def test_a_refinement_remembers_the_first_release():
    """Fresh noise would hardly ever repeat the earlier one; refined by a hair, it nearly always does."""
    step = GradualLaplace(before=1000, after=Fraction(9999, 10))
    same = sum(step.release(40, released=940) == 940 for _ in range(60))
    assert same >= 50
    many = step.release(np.full(60, 40), released=np.full(60, -860))
    assert (many == -860).sum() >= 50


def test_pieces_are_drawn_inside_their_ends():
    step = GradualLaplace(before=50, after=2)
    drawn = [step.release(0, released=30) for _ in range(300)]
    assert min(drawn) < 0 < max(drawn) <= 30 + 40
    assert all(step.release(0, released=-3) <= 45 for _ in range(50))


def test_the_difference_is_stated_for_the_relation_and_the_sum_of_moves():
    moved = Sensitivity(3, Norm.L1, Neighbours.REPLACE, dimension=2)
    loss = GradualLaplace(10, 5).loss(moved)
    assert (loss.pure(), loss.neighbours) == (Fraction(3, 10), Neighbours.REPLACE)
    for after in (10, 11, 0):
        with pytest.raises(InvalidInput):
            GradualLaplace(10, after)
