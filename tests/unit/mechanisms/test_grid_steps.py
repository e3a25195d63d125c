"""Numbers become whole steps exactly, and steps become numbers without wrapping around."""

from collections import OrderedDict
from fractions import Fraction
from math import floor, nextafter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.errors import InvalidData, InvalidInput
from tacit.mechanisms import Gaussian, Laplace
from tacit.mechanisms.grid_steps import (
    array_of,
    checked_grid,
    checked_scale,
    narrow_integers,
    noisy,
    rounded_steps,
    sensitivity_of,
    steps_moved,
)
from tacit.privacy import Neighbours, Sensitivity
from tests.together import together

F = Fraction
HUGE = 1.7976931348623157e308
DTYPES = [np.int8, np.int16, np.int32, np.int64, np.uint8, np.uint16, np.uint32, np.uint64]
grids = st.integers(-256, 256).map(lambda power: F(2) ** power)
halves = st.builds(
    lambda n, e: n * 2.0**e / 2, st.integers(-(2**20), 2**20), st.integers(-300, 300)
)
floats = st.one_of(st.floats(allow_nan=False, allow_infinity=False), halves)


def nearest(number, grid):
    """Halves upward, in rationals."""
    return floor(F(number) / grid + F(1, 2))


def constant(drawn):
    """Noise that is always the same."""

    def noise(size):
        kind = np.int64 if -(2**63) <= drawn < 2**63 else object
        return drawn if size is None else np.full(size, drawn, dtype=kind)

    return noise


# ------------------------------------------------------------------------------- rounding


@settings(max_examples=300)
@given(st.lists(floats, min_size=1, max_size=6), grids, st.data())
def test_floats_are_rounded_as_their_exact_values_are(numbers, grid, data):
    near = data.draw(st.lists(st.integers(-(2**40), 2**40), max_size=4))
    numbers = [*numbers, *(float(min(max(n * grid / 2, F(-HUGE)), F(HUGE))) for n in near)]
    numbers += [nextafter(number, 0.0) for number in numbers]
    wanted = [nearest(number, grid) for number in numbers]
    assert rounded_steps(np.array(numbers), grid).tolist() == wanted
    assert [rounded_steps(number, grid) for number in numbers] == wanted
    assert rounded_steps(numbers, grid).tolist() == wanted
    assert rounded_steps(np.array(numbers, dtype=object), grid).tolist() == wanted


@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_narrow_floats_are_rounded_as_their_exact_values_are(kind):
    numbers = np.array([0.1, -0.1, 0.25, 1.5, -2.5, 1000.5, 6e-8, -0.0], dtype=kind)
    for grid in (F(1, 8), F(1), F(4)):
        wanted = [nearest(float(number), grid) for number in numbers]
        assert rounded_steps(numbers, grid).tolist() == wanted
        assert [rounded_steps(number, grid) for number in numbers] == wanted


@settings(max_examples=200)
@given(st.lists(st.integers(-(2**66), 2**66), max_size=5), grids)
def test_integers_and_fractions_are_rounded_as_their_exact_values_are(numbers, grid):
    wanted = [nearest(number, grid) for number in numbers]
    assert rounded_steps(numbers, grid).tolist() == wanted
    assert [rounded_steps(number, grid) for number in numbers] == wanted
    thirds = [F(number, 3) for number in numbers]
    assert rounded_steps(thirds, grid).tolist() == [nearest(number, grid) for number in thirds]


@together
@pytest.mark.parametrize("kind", DTYPES)
@pytest.mark.parametrize("power", [-70, -62, -61, -3, -1, 0, 1, 3, 54, 55, 61, 62, 63, 100])
def test_arrays_of_every_integer_kind_are_rounded_on_every_grid(kind, power):
    limits = np.iinfo(kind)
    numbers = [
        limits.min,
        limits.max,
        limits.max // 2,
        0,
        1,
        5,
        6,
        7,
        limits.min // 2,
        limits.max - 1,
    ]
    grid = F(2) ** power
    assert rounded_steps(np.array(numbers, dtype=kind), grid).tolist() == [
        nearest(number, grid) for number in numbers
    ]
    assert rounded_steps(np.array(numbers, dtype=kind), None).tolist() == numbers


def test_a_list_is_not_turned_into_floats_that_lie_further_apart():
    """NumPy would: 2**63 + 1024 and 2**63 + 1025 become 2048 apart next to a negative number."""
    assert rounded_steps([-1, 2**63 + 1024], None).tolist() == [-1, 2**63 + 1024]
    assert rounded_steps([-1, 2**63 + 1025], F(1)).tolist() == [-1, 2**63 + 1025]
    assert rounded_steps([0.5, 2**53 + 1], F(1)).tolist() == [1, 2**53 + 1]
    assert array_of([1.5, 2.5]).dtype == np.float64
    assert array_of([[1, 2], [3, 4]]).dtype == np.int64


def test_long_doubles_are_refused_for_they_would_be_rounded_twice():
    if np.dtype(np.longdouble).itemsize > 8:
        with pytest.raises(InvalidData):
            rounded_steps(np.array([1.5], dtype=np.longdouble), F(1))


def test_rounding_is_halves_upward_and_commutes_with_whole_steps():
    assert [rounded_steps(half, F(1)) for half in (-2.5, -1.5, -0.5, 0.5, 1.5, 2.5)] == [
        -2,
        -1,
        0,
        1,
        2,
        3,
    ]


# ------------------------------------------------------------------------------- kinds and shapes


@together
@pytest.mark.parametrize("drawn", [0, 3, -3, 2**63 - 1, -(2**63), 2**64, -(2**90)])
@pytest.mark.parametrize("kind", DTYPES)
def test_sums_never_wrap_around(kind, drawn):
    limits = np.iinfo(kind)
    numbers = [limits.min, limits.max, 0, limits.max - 1, limits.min + 1]
    wanted = [number + drawn for number in numbers]
    released = noisy(np.array(numbers, dtype=kind), None, constant(drawn))
    assert released.tolist() == wanted
    assert released.dtype == (
        np.int64 if all(-(2**63) <= number < 2**63 for number in wanted) else object
    )
    for number in numbers:
        assert noisy(number, None, constant(drawn)) == number + drawn
        assert noisy(kind(number), None, constant(drawn)) == number + drawn
        assert noisy(int(number), None, constant(drawn), times=2).tolist() == [number + drawn] * 2
        assert noisy(np.array(number, dtype=kind), None, constant(drawn)).tolist() == number + drawn


def test_the_kind_of_array_is_a_function_of_what_is_in_it():
    """Which path computed the sum, the answer's or the noise's width, does not show."""
    wide = 2**63 + 5
    for answer, drawn in ((0, 5), (wide, 5 - wide), (np.uint64(wide), 5 - wide)):
        released = noisy(np.array([answer]), None, constant(drawn))
        assert (released.dtype, released.tolist()) == (np.int64, [5])
    for answer, drawn in ((2**63 - 1, 6), (wide, 0), (0, wide)):
        released = noisy(np.array([answer]), None, constant(drawn))
        assert (released.dtype, released.tolist()) == (object, [wide])


@together
@pytest.mark.parametrize("shape", [(), (0,), (5,), (0, 3), (2, 3), (2, 1, 2)])
@pytest.mark.parametrize("kind", [np.int8, np.int64, np.uint64, object])
@pytest.mark.parametrize("grid", [None, F(1, 4)], ids=str)
def test_an_array_keeps_its_shape(shape, kind, grid):
    for mechanism in (Laplace(1, grid=grid), Gaussian(1, grid=grid)):
        released = mechanism.release(np.ones(shape, dtype=kind))
        assert isinstance(released, np.ndarray)
        assert released.shape == shape
        assert released.dtype == (np.int64 if grid is None else np.float64)


def test_integers_stay_integers_and_reals_become_floats():
    for kind in (Laplace, Gaussian):
        assert type(kind(3).release(42)) is int
        assert type(kind(3).release(np.int8(42))) is int
        assert type(kind(3).release(10**30)) is int
        for number in (42, 0.3, F(1, 3), np.float32(0.5), np.int64(7)):
            assert type(kind(3, grid=F(1, 4)).release(number)) is float
        assert kind(3).release([1, 2, 3]).shape == kind(3).release((1, 2, 3)).shape == (3,)
        assert kind(3).release(7, times=4).shape == (4,)
        assert kind(3).release(7, times=0).shape == (0,)
        assert kind(3).release([]).dtype == np.int64


def test_a_table_keeps_its_names_and_their_order():
    table = OrderedDict(z=np.arange(4), a=7, m=[1, 2], **{"": np.zeros((2, 2), np.uint8)})
    for kind in (Laplace, Gaussian):
        released = kind(2).release(table)
        assert list(released) == ["z", "a", "m", ""]
        assert [np.shape(column) for column in released.values()] == [(4,), (), (2,), (2, 2)]
        assert type(released["a"]) is int
        assert kind(2).release({}) == {}


@pytest.mark.parametrize("grid", [F(1), F(1, 2**20), F(2**200)], ids=str)
def test_a_release_beyond_the_largest_float_is_that_float(grid):
    """Not an error, which would tell, nor infinity: a number that is cut off after the noise, as `clamped` does."""
    for drawn in (2**1200, -(2**1200)):
        limit = HUGE if drawn > 0 else -HUGE
        assert noisy(0.0, grid, constant(drawn)) == limit
        assert noisy(np.array([0.0, HUGE]), grid, constant(drawn)).tolist() == [limit, limit]
    assert noisy(F(10) ** 400, grid, constant(1)) == HUGE


def test_ten_million_cells_are_released_at_once():
    released = Laplace(1).release(np.zeros(10**7, np.int8))
    assert released.shape == (10**7,)
    assert released.dtype == np.int64
    on_grid = rounded_steps(np.full(10**7, 3, np.uint8), F(1, 4))
    assert int(on_grid.sum()) == 12 * 10**7


def test_narrowing_keeps_every_number():
    for numbers in ([], [1, -1], [2**63 - 1, -(2**63)], [2**63], [-(2**63) - 1, 0]):
        assert narrow_integers(np.array(numbers, dtype=object)).tolist() == numbers


# ------------------------------------------------------------------------------- parameters


@together
@pytest.mark.parametrize("power", range(-256, 257, 4))
def test_every_power_of_two_is_a_grid_whichever_way_it_is_written(power):
    """2.0**-24 prints as a little more than it is."""
    for grid in (F(2) ** power, 2.0**power):
        assert checked_grid(grid) == F(2) ** power


@pytest.mark.parametrize(
    "grid", [0, -1, 3, 0.1, F(1, 3), F(3, 4), 1.5, -0.5, 2.0**-257, F(2) ** 257, 5e-324, 1e308]
)
def test_nothing_else_is_a_grid(grid, nothing_drawn):
    with pytest.raises(InvalidInput, match="grid"):
        checked_grid(grid)


def test_noise_on_a_grid_ends_before_floats_do():
    assert checked_scale(2**960, "scale", F(1)) == 2**960
    assert checked_scale(2**1024, "scale", None) == 2**1024
    for scale, grid in (
        (2**960 + 1, F(1)),
        (2**1024 + 1, None),
        (F(999, 10**6), None),
        (F(1, 1001), F(1)),
    ):
        with pytest.raises(InvalidInput, match="scale"):
            checked_scale(scale, "scale", grid)


def test_a_number_as_sensitivity_is_one_answers():
    assert sensitivity_of(2, Neighbours.REPLACE) == Sensitivity(2, neighbours=Neighbours.REPLACE)
    assert sensitivity_of(Sensitivity(2), Neighbours.REPLACE) == Sensitivity(2)


@pytest.mark.parametrize("bound", [F(1, 2), 0.999, F(1, 10**9)])
def test_integers_that_cannot_move_are_refused(bound, nothing_drawn):
    for price in (
        lambda: Laplace(1).loss(bound),
        lambda: Gaussian(1).loss(bound),
        lambda: Laplace.calibrate(1, bound),
    ):
        with pytest.raises(InvalidInput, match="grid"):
            price()
    assert steps_moved(Sensitivity(bound), F(1)) == 1
