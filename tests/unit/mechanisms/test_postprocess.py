"""Clamping and rounding, by example; tests/laws/test_after.py has their laws."""

from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from tacit.mechanisms import clamp, round_to


@pytest.mark.parametrize(
    ("released", "low", "high", "inside"),
    [
        (-3, 0, None, 0),
        (3, 0, None, 3),
        (3, None, 2, 2),
        (3, 3, 3, 3),
        (-0.5, 0, 1, 0),
        (7, None, None, 7),
    ],
)
def test_numbers_are_clamped(released, low, high, inside):
    assert clamp(released, low, high) == inside


def test_limits_may_be_any_numbers():
    assert clamp(np.array([-1, 5]), Fraction(1, 2), Decimal("2.5")).tolist() == [
        Fraction(1, 2),
        Decimal("2.5"),
    ]
    assert clamp(np.array([-1, 5]), 0.5, 2.5).tolist() == [0.5, 2.5]


@pytest.mark.parametrize(
    ("released", "to", "near"),
    [
        (1234, 100, 1200),
        (1250, 100, 1300),
        (-1250, 100, -1200),
        (-1251, 100, -1300),
        (49, 100, 0),
        (7, 1, 7),
    ],
)
def test_numbers_are_rounded_halves_upward(released, to, near):
    assert round_to(released, to) == round_to(float(released), to) == near
    assert (
        round_to(np.array([released]), to).tolist()
        == round_to(np.array([float(released)]), to).tolist()
        == [near]
    )
