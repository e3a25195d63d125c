"""How far an answer can move."""

import dataclasses
import pickle
from decimal import Decimal
from fractions import Fraction

import pytest

from tacit.errors import InvalidInput
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

F = Fraction


def test_a_bound_given_as_a_float_is_read_as_the_larger():
    assert Sensitivity(0.1).bound == F(0.1) > F(1, 10)
    assert Sensitivity(0.3).bound == F(3, 10) > F(0.3)
    assert Sensitivity(Decimal("0.1")).bound == F(1, 10)


def test_a_root_that_is_rational_is_exact():
    assert root_at_least(F(9, 4)) == F(3, 2)
    assert root_at_least(F(0)) == 0
    assert root_at_least(F(10**400)) == 10**200
    assert Sensitivity.root(4, dimension=3) == Sensitivity(2, Norm.L2, dimension=3)


def test_counts_moved_by_one_each_move_by_the_root_of_their_number():
    moved = Sensitivity.root(10, Neighbours.REPLACE, dimension=10)
    assert moved.norm is Norm.L2
    assert moved.neighbours is Neighbours.REPLACE
    assert 10 < moved.bound**2 < 10 + F(1, 2**120)


def test_another_norm_keeps_the_relation_and_the_dimension():
    moved = Sensitivity(3, Norm.LINF, Neighbours.REPLACE, 4)
    assert moved.in_norm(Norm.L1) == Sensitivity(12, Norm.L1, Neighbours.REPLACE, 4)
    assert moved.in_norm(Norm.L2) == Sensitivity(6, Norm.L2, Neighbours.REPLACE, 4)
    assert moved.in_norm(Norm.LINF) == moved


@pytest.mark.parametrize("norm", list(Norm))
def test_one_number_moves_the_same_in_every_norm(norm):
    assert all(Sensitivity(F(7, 3), other).in_norm(norm).bound == F(7, 3) for other in Norm)


BAD_NUMBERS = [
    0,
    -1,
    0.0,
    -0.0,
    -1e-300,
    float("nan"),
    float("inf"),
    -float("inf"),
    True,
    False,
    "1",
    None,
    1j,
    [1],
]
BAD_NUMBERS += [Decimal("NaN"), Decimal("Infinity"), Decimal("1e999999"), 10**3000, F(1, 10**3000)]


@pytest.mark.parametrize(
    "bound",
    BAD_NUMBERS,
    ids=lambda bad: repr(bad)[:20] if type(bad) is not int else bad.bit_length(),
)
def test_a_bound_is_a_positive_number(bound):
    with pytest.raises(
        InvalidInput, match=r"^sensitivity (cannot be .*|is missing); give "
    ) as refusal:
        Sensitivity(bound)
    assert len(str(refusal.value)) < 250
    with pytest.raises(
        InvalidInput, match=r"^the square of a sensitivity (cannot be .*|is missing); give "
    ):
        Sensitivity.root(bound)


@pytest.mark.parametrize("norm", ["L1", "L2", None, 1, True, Norm])
def test_a_norm_is_one_of_three(norm):
    for ask in (lambda: Sensitivity(1, norm), lambda: Sensitivity(1).in_norm(norm)):
        with pytest.raises(InvalidInput, match=r"^norm (cannot be .*|is missing); give Norm"):
            ask()


@pytest.mark.parametrize("neighbours", ["Replace", None, 1, True])
def test_a_relation_is_one_of_two(neighbours):
    with pytest.raises(
        InvalidInput, match=r'^neighbours (cannot be .*|is missing); give "add-or-remove"'
    ):
        Sensitivity(1, Norm.L1, neighbours)


@pytest.mark.parametrize("dimension", [0, -1, 1.0, True, "2", None, 2**62, float("nan")])
def test_a_dimension_is_a_whole_number_above_zero(dimension):
    with pytest.raises(
        InvalidInput, match=r"^dimension (cannot be .*|is missing); give a whole number"
    ):
        Sensitivity(1, dimension=dimension)


def test_a_sensitivity_is_a_frozen_value():
    moved = Sensitivity(F(1, 3), Norm.L2, Neighbours.REPLACE, 5)
    with pytest.raises(dataclasses.FrozenInstanceError):
        moved.bound = F(1, 4)
    assert pickle.loads(pickle.dumps(moved)) == moved
    assert hash(moved) == hash(Sensitivity(F(1, 3), Norm.L2, Neighbours.REPLACE, 5))
    assert moved != Sensitivity(F(1, 3), Norm.L2, Neighbours.REPLACE, 4)
