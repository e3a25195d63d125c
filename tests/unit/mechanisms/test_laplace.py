"""Laplace, by example; its laws are in tests/laws."""

from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.mechanisms import Laplace
from tacit.privacy import DiscreteLaplaceLoss, Norm, PureLoss, Sensitivity

F = Fraction


def test_a_scale_is_read_as_no_less_noise_than_was_meant():
    assert Laplace(0.1).scale == F(0.1) > F(1, 10)
    assert Laplace(0.3).scale == F(3, 10) > F(0.3)
    assert Laplace(Decimal("0.1")).scale == F(1, 10)


@pytest.mark.parametrize(
    ("epsilon", "sensitivity", "grid", "scale"),
    [
        (1, 1, None, F(1)),
        (F(1, 2), 3, None, F(6)),
        (2, F(7, 2), None, F(3, 2)),
        (1, Sensitivity(4, dimension=4), None, F(4)),
        (1, Sensitivity(2, Norm.L2, dimension=4), None, F(4)),
        (1, Sensitivity(2, Norm.LINF, dimension=4), None, F(8)),
        (1, F(1, 3), F(1, 8), F(3, 8)),
        (1, 3, 4, F(4)),
    ],
)
def test_the_scale_is_how_far_the_answer_moves_over_epsilon(epsilon, sensitivity, grid, scale):
    assert Laplace.calibrate(epsilon, sensitivity, grid=grid).scale == scale


def test_the_loss_of_one_number_and_of_several():
    assert Laplace(F(7, 2)).loss(3) == DiscreteLaplaceLoss(F(7, 2), 3)
    assert Laplace(F(7, 2)).loss(Sensitivity(3, dimension=2)) == PureLoss(F(6, 7))


def test_errors_of_integers_are_integers_and_of_reals_floats():
    assert type(Laplace(1).error(0.95)) is int
    assert type(Laplace(1, grid=1).error(0.95)) is float


def test_very_wide_noise_is_drawn_in_whole_integers():
    released = Laplace(2**200).release(0, times=20)
    assert released.dtype == object
    assert max(abs(number) for number in released) > 2**190
    assert type(Laplace(2**200).release(2**300)) is int
