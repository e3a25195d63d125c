"""Rounding to a grid never moves an answer further than the loss is charged for."""

from fractions import Fraction
from itertools import product
from math import nextafter, sqrt

import numpy as np
import pytest
from hypothesis import event, example, given, settings, target
from hypothesis import strategies as st

from tacit.mechanisms import Gaussian, Laplace
from tacit.mechanisms.grid_steps import rounded_steps, steps_moved, steps_moved_squared
from tacit.privacy import Norm, Sensitivity, root_at_least
from tests.laws.every_mechanism import constant_noise
from tests.together import together

F = Fraction
HUGE, LEAST = 1.7976931348623157e308, 5e-324  # the largest float, and the smallest above zero

dimensions = st.integers(1, 6)
norms = st.sampled_from(list(Norm))
grids = st.one_of(st.integers(-12, 12), st.sampled_from([-256, -100, 100, 256])).map(
    lambda power: F(2) ** power
)
# In steps: where halves are, next to them on either side, and nowhere in particular.
near_halves = st.builds(
    lambda whole, half, nudge: whole + F(half, 2) + nudge,
    st.integers(-4, 4),
    st.integers(0, 1),
    st.sampled_from([F(0), F(1, 10**30), F(-1, 10**30), F(1, 7), F(-1, 7)]),
)
# Coordinates that barely move, and one that moves far, make the worst sums.
barely = st.sampled_from([F(0), F(1, 10**29), F(-1, 10**29), F(1, 10**6)])
moves = st.one_of(barely, near_halves)


def length(moved, norm):
    """The length of a move, rounded up."""
    sizes = [abs(part) for part in moved]
    return {
        Norm.L1: sum(sizes, F(0)),
        Norm.L2: root_at_least(sum((size**2 for size in sizes), F(0))),
        Norm.LINF: max(sizes),
    }[norm]


def vectors(elements, size):
    return st.lists(elements, min_size=size, max_size=size)


@settings(max_examples=300)
@given(st.data(), dimensions, norms, grids)
def test_rounded_numbers_move_no_further_than_is_charged(data, dimension, norm, grid):
    exact = [place * grid for place in data.draw(vectors(near_halves, dimension))]
    move = [part * grid for part in data.draw(vectors(moves, dimension))]
    bound = length(move, norm)
    if not bound:
        return
    sensitivity = Sensitivity(bound, norm, dimension=dimension)
    here, there = (
        rounded_steps(list(place), grid)
        for place in (exact, [a + b for a, b in zip(exact, move, strict=True)])
    )
    moved = [abs(int(a) - int(b)) for a, b in zip(here, there, strict=True)]
    charged, charged_squared = (
        steps_moved(sensitivity, grid),
        steps_moved_squared(sensitivity, grid),
    )
    target(float(sum(moved) - charged), label="steps beyond the charge, in sum")
    target(
        float(sum(part**2 for part in moved)) - charged_squared,
        label="steps beyond the charge, squared",
    )
    assert sum(moved) <= charged
    assert sum(part**2 for part in moved) <= charged_squared
    event(f"in sum, attained: {sum(moved) == charged}")


@together
@pytest.mark.parametrize("dimension", range(1, 7))
@pytest.mark.parametrize("whole", [0, 1, 5])
@pytest.mark.parametrize("sign", [1, -1])
def test_the_charge_in_sum_is_attained(dimension, whole, sign):
    """All coordinates but one barely cross a half; the last moves as far as is left."""
    grid, tiny = F(1, 4), F(1, 10**9)
    start = [(F(1, 2) - (tiny if sign > 0 else 0)) * grid] * dimension
    move = [sign * tiny * grid] * (dimension - 1) + [sign * (whole + tiny) * grid]
    here, there = (
        rounded_steps(place, grid)
        for place in (start, [a + b for a, b in zip(start, move, strict=True)])
    )
    sensitivity = Sensitivity(length(move, Norm.L1), dimension=dimension)
    assert int(np.abs(here - there).sum()) == steps_moved(sensitivity, grid) == whole + dimension


@pytest.mark.parametrize("dimension", range(1, 7))
def test_the_charge_in_length_is_attained_by_a_move_that_is_almost_none(dimension):
    grid, tiny = F(2), F(1, 10**12)
    here, there = (
        rounded_steps([place * grid] * dimension, grid) for place in (F(1, 2) - tiny, F(1, 2))
    )
    sensitivity = Sensitivity(
        length([tiny * grid] * dimension, Norm.L2), Norm.L2, dimension=dimension
    )
    assert int(((here - there) ** 2).sum()) == steps_moved_squared(sensitivity, grid) == dimension


EXTREMES = [
    0.0,
    -0.0,
    LEAST,
    -LEAST,
    2.2250738585072014e-308,
    0.5,
    -0.5,
    1.5,
    2.5,
    nextafter(0.5, 0),
    nextafter(0.5, 1),
]
EXTREMES += [
    -1.5,
    nextafter(-0.5, 0),
    nextafter(-0.5, -1),
    2.0**52 + 0.5,
    2.0**53 - 1,
    -(2.0**53),
    2.0**62,
    -(2.0**63),
]
EXTREMES += [2.0**63, 1e19, 1e300, HUGE, -HUGE]
floats = st.one_of(
    st.sampled_from(EXTREMES),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(-1e6, 1e6).map(lambda number: round(2 * number) / 2),
)


@settings(max_examples=150)
@given(st.data(), dimensions, norms, grids)
def test_rounded_floats_move_no_further_than_is_charged(data, dimension, norm, grid):
    """The move is the exact difference of two rows of floats, as large or as small as floats are."""
    here = np.array(data.draw(vectors(floats, dimension)))
    there = np.array(
        [
            data.draw(st.one_of(st.just(number), floats, near_floats(number)))
            for number in here.tolist()
        ]
    )
    move = [F(b) - F(a) for a, b in zip(here.tolist(), there.tolist(), strict=True)]
    bound = length(move, norm)
    if not bound:
        return
    sensitivity = Sensitivity(bound, norm, dimension=dimension)
    moved = [
        int(a) - int(b)
        for a, b in zip(rounded_steps(here, grid), rounded_steps(there, grid), strict=True)
    ]
    assert sum(abs(part) for part in moved) <= steps_moved(sensitivity, grid)
    assert sum(part**2 for part in moved) <= steps_moved_squared(sensitivity, grid)


def near_floats(number):
    """The neighbours of a float."""
    return st.sampled_from(
        [max(-HUGE, nextafter(number, -HUGE)), min(HUGE, nextafter(number, HUGE))]
    )


@pytest.mark.parametrize("norm", list(Norm))
@pytest.mark.parametrize("bound", [F(1), F(3, 2), F(2), F(5, 2), F(3)], ids=str)
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_integers_move_no_further_than_is_charged(dimension, bound, norm):
    """Every integer move in the ball; the charge in sum is attained by one of them."""
    sensitivity = Sensitivity(bound, norm, dimension=dimension)
    inside = [
        move
        for move in product(range(-4, 5), repeat=dimension)
        if length(map(F, move), norm) <= bound
    ]
    sums = max(sum(abs(part) for part in move) for move in inside)
    squares = max(sum(part**2 for part in move) for move in inside)
    assert sums <= steps_moved(sensitivity, None)
    assert squares <= steps_moved_squared(sensitivity, None)
    if norm is not Norm.LINF or bound.denominator == 1:
        assert sums == steps_moved(sensitivity, None)


@settings(max_examples=200)
@given(st.integers(1, 10**6), st.integers(1, 6))
@example(3, 3)
@example(999_999, 6)
def test_a_root_that_a_float_rounded_down_loses_no_step(squared, dimension):
    """math.sqrt(3)**2 is less than 3, but whoever writes it means 3."""
    assert (
        steps_moved_squared(Sensitivity(sqrt(squared), Norm.L2, dimension=dimension + 1), None)
        >= squared
    )


@settings(max_examples=200)
@given(st.integers(1, 10**6), st.floats(1e-3, 1e3))
@example(8, 1 / (0.1 + 0.7))
def test_an_integer_that_a_float_product_rounded_down_loses_no_step(whole, part):
    assert steps_moved(Sensitivity(whole / part * part), None) >= whole


def test_a_bound_that_is_clearly_no_integer_is_rounded_down():
    assert steps_moved(Sensitivity(F(2999, 1000)), None) == 2
    assert steps_moved_squared(Sensitivity(F(17320, 10000), Norm.L2, dimension=3), None) == 2


# ------------------------------------------------------------------------------- with the noise held constant


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@settings(max_examples=100)
@given(
    data=st.data(), dimension=dimensions, power=st.integers(-20, 20), drawn=st.integers(-1000, 1000)
)
def test_what_leaves_differs_by_no_more_than_is_charged_and_lies_on_the_grid(
    kind, data, dimension, power, drawn
):
    grid = F(2) ** power
    mechanism = kind(1000 * grid, grid=grid)
    here = np.array([float(place * grid) for place in data.draw(vectors(near_halves, dimension))])
    there = here + np.array([float(part * grid) for part in data.draw(vectors(moves, dimension))])
    bound = length(
        [F(b) - F(a) for a, b in zip(here.tolist(), there.tolist(), strict=True)], Norm.L1
    )
    with constant_noise(drawn):
        one, other = mechanism.release(here), mechanism.release(there)
    assert one.dtype == other.dtype == np.float64
    assert one.shape == other.shape == (dimension,)
    steps = [F(a) / grid for released in (one, other) for a in released.tolist()]
    assert all(step.denominator == 1 for step in steps), "a multiple of the grid, and nothing finer"
    if bound:
        moved = sum(abs(a - b) for a, b in zip(steps[:dimension], steps[dimension:], strict=True))
        assert moved <= steps_moved(Sensitivity(bound, dimension=dimension), grid)
    else:
        assert one.tolist() == other.tolist()


@pytest.mark.parametrize("kind", [Laplace, Gaussian])
@pytest.mark.parametrize("grid", [F(1, 2**40), F(1, 4), F(1), F(2**40)], ids=str)
def test_released_reals_are_multiples_of_the_grid(kind, grid):
    mechanism = kind(100 * grid, grid=grid)
    values = np.array([0.1, -0.1, 1 / 3, 12345.678, -1e-300, 2.0**40 + 0.7])
    table = mechanism.release({"array": values, "number": 0.1})
    leaves = [*mechanism.release(values).tolist(), *table["array"].tolist(), table["number"]]
    leaves += mechanism.release(0.1, times=50).tolist()
    assert all((F(number) / grid).denominator == 1 for number in leaves)
