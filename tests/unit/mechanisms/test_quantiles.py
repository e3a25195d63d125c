"""Grids, weights, and quantiles on them: extremes and refusals."""

from fractions import Fraction
from math import isnan
from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.mechanisms import (
    Cells,
    ClippingBounds,
    Contributions,
    HistogramQuantiles,
    InterquartileRange,
    JointQuantiles,
    PowersOfTwo,
    Quantile,
    RecursiveQuantiles,
    people_for_quantile,
    quantiles_for,
)
from tacit.privacy import Neighbours, Sensitivity

F = Fraction
TENTHS = [F(k, 10) for k in range(1, 10)]
SHARP = F(1, 1000)  # so little noise that the answer is the exact one
KINDS = {
    "joint": JointQuantiles(TENTHS, SHARP),
    "joint in parts": JointQuantiles(TENTHS, SHARP, parts=8),
    "recursive": RecursiveQuantiles(TENTHS, SHARP),
    "histogram": HistogramQuantiles(TENTHS, (4, 5), 20, SHARP),
}
every_kind = pytest.mark.parametrize("mechanism", KINDS.values(), ids=KINDS)


@given(
    st.lists(
        st.floats(-50, 150) | st.sampled_from([float("nan"), float("inf"), -float("inf"), -0.0]),
        max_size=9,
    )
)
def test_a_row_lands_in_one_cell_whatever_it_holds_and_a_nan_in_none(rows):
    held = Cells(0, 100).weigh(rows)
    assert held.sum() == sum(not isnan(row) for row in rows)
    assert PowersOfTwo(-3, 3).weigh(rows).sum() == held.sum()


def test_values_go_to_the_nearest_cell_and_beyond_the_ends_to_the_outermost():
    grid = Cells(F(-1), 1, F(1, 2))
    assert grid.places([-9, -0.8, 0.24, 0.26, 9]).tolist() == [0, 0, 2, 3, 4]
    assert [grid.value(place) for place in (0, 3)] == [-1, F(1, 2)]


@given(st.floats(allow_nan=False))
def test_a_power_of_two_holds_its_value_between_its_ends(value):
    grid = PowersOfTwo(-1022, 1023)
    (place,) = grid.places([value])
    low, high = sorted((grid.inner(place), grid.outer(place)))
    assert low <= min(max(value, -(2**1023)), 2**1023) <= high


def test_weights_count_as_so_many_rows():
    grid = Cells(0, 3)
    assert grid.weigh([1, 1, 3, float("nan")], [5, 1, 2, 9]).tolist() == [0, 6, 0, 2]
    assert grid.runs([1, 1, 3], [5, 1, 2])[0].tolist() == [0, 6, 0, 2]
    with pytest.raises(InvalidData):
        grid.weigh([1, 2], [1])
    with pytest.raises(InvalidData):
        grid.weigh([1, 2], [1, -1])


@every_kind
def test_without_noise_the_quantiles_are_the_exact_ones(mechanism):
    released = mechanism.release([1000] * 20)
    assert all(
        place - wanted in {0, 1} for place, wanted in zip(released, range(1, 19, 2), strict=True)
    )


@every_kind
def test_quantiles_come_in_order_for_any_weights(mechanism):
    for weights in ([0] * 20, [0] * 19 + [10**6], [10**6] + [0] * 19, [2**48] * 20):
        released = mechanism.release(weights)
        assert released == sorted(released)
        assert 0 <= released[0] <= released[-1] < 20


def test_a_grid_of_a_trillion_cells_is_answered_by_its_runs():
    grid = Cells(0, 10**12)
    held, widths = grid.runs(np.arange(1, 1000) * 10**9)
    places = RecursiveQuantiles(TENTHS, SHARP).release(held, widths)
    assert [round(place / 10**11) for place in places] == list(range(1, 10))
    assert 490 <= Quantile(F(1, 2), SHARP).release(held, widths) / 10**9 <= 510


def test_runs_that_hold_something_are_one_cell_wide():
    for mechanism in (Quantile(F(1, 2), 1), RecursiveQuantiles(TENTHS, 1)):
        with pytest.raises((InvalidData, InvalidInput)):
            mechanism.release([1, 2], [2, 1])
        with pytest.raises((InvalidData, InvalidInput)):
            mechanism.release([1, 2], [1])


def test_where_floats_cannot_tell_balls_do():
    with patch("tacit.exact.weighted._SURE", 1e300):
        assert JointQuantiles([F(1, 3), F(2, 3)], F(1, 10**6)).release([9, 9, 9]) == [0, 1]
    huge = JointQuantiles([F(1, 3), F(2, 3)], F(1, 10**6)).release([10**9, 10**9, 10**9])
    assert huge == [0, 1]


@pytest.mark.parametrize(
    "counts", [[1], [[1, 2]], [0.5, 1.5], [-1, 2], [2**53, 1], ["a", "b"], [True, False]]
)
def test_what_is_no_histogram_is_refused_before_anything_is_drawn(counts, nothing_drawn):
    for mechanism in (
        Quantile(F(1, 2), 1),
        JointQuantiles([F(1, 2)], 1),
        RecursiveQuantiles([F(1, 2)], 1),
    ):
        with pytest.raises(InvalidData):
            mechanism.release(counts)


@pytest.mark.parametrize("rank", [0, 1, -0.5, 1.5, float("nan"), True, "0.5", None])
def test_ranks_lie_strictly_between_zero_and_one(rank):
    with pytest.raises(InvalidInput):
        Quantile(rank, 1)


@pytest.mark.parametrize("ranks", [[], [0.5, 0.5], [0.7, 0.2], [0.1, 1]])
def test_several_ranks_rise(ranks):
    with pytest.raises(InvalidInput):
        JointQuantiles(ranks, 1)


@pytest.mark.parametrize("scale", [0, -1, float("inf"), True, "1"])
def test_scales_that_make_no_sense_are_refused(scale):
    for kind in (JointQuantiles, RecursiveQuantiles):
        with pytest.raises(InvalidInput):
            kind([F(1, 2)], scale)
    with pytest.raises(InvalidInput):
        Quantile(F(1, 2), scale)


def test_grids_that_make_no_sense_are_refused():
    for low, high, step in ((0, 0, 1), (1, 0, 1), (0, 1, 0), (0, 1, 2)):
        with pytest.raises(InvalidInput):
            Cells(low, high, step)
    with pytest.raises(InvalidInput):
        Cells(0, 2**40).weigh([1])
    with pytest.raises(InvalidInput):
        PowersOfTwo(3, 3)
    with pytest.raises(InvalidInput):
        HistogramQuantiles([0.5], (2, 2), 5, 1)
    with pytest.raises(InvalidInput):
        JointQuantiles([0.5], 1).release([1] * 5000)
    with pytest.raises(InvalidData):
        HistogramQuantiles([0.5], (2, 2), 4, 1).release([1, 2])


def test_laws_are_listed_for_few_tuples_only():
    for kind in (JointQuantiles, RecursiveQuantiles):
        with pytest.raises(TooLarge):
            kind(TENTHS, 1).distribution([1] * 100)


def test_accuracy_first_and_people_needed_agree_with_the_error():
    mechanism = Quantile.within(error=10, confidence=0.95, cells=101, rank=F(1, 2))
    assert 9.999 < mechanism.error(0.95, cells=101) <= 10.0
    people = people_for_quantile(alpha=0.01, epsilon=1, confidence=0.95, cells=101)
    error = Quantile.calibrate(1, 1, F(1, 2)).error(0.95, cells=101)
    assert people - 1 < error / 0.01 <= people + 1


def test_the_choice_depends_on_what_is_public():
    replaced = Sensitivity(1, neighbours=Neighbours.REPLACE)
    many = [F(k, 30) for k in range(1, 30)]
    assert isinstance(quantiles_for(1, 1, 101, many), HistogramQuantiles)
    assert isinstance(quantiles_for(1, 1, 3000, many), RecursiveQuantiles)
    assert isinstance(quantiles_for(1, replaced, 3000, many), JointQuantiles)
    assert isinstance(quantiles_for(1, 1, 101, [0.25, 0.75]), JointQuantiles)


def test_the_interquartile_range_is_that_of_the_exact_quartiles_without_noise():
    assert (
        InterquartileRange(Quantile(0.25, SHARP), Quantile(0.75, SHARP)).release([100] * 21) == 10
    )


def test_bounds_hold_the_share_without_noise_and_leave_room_at_zero():
    grid = PowersOfTwo(-10, 20)
    bounds = ClippingBounds(grid, Quantile(F(1, 40), SHARP), Quantile(F(39, 40), SHARP))
    assert bounds.release(np.arange(1, 1001)) == (16, 1024)
    assert bounds.release(-np.arange(1, 1001)) == (-1024, -16)
    assert bounds.release(np.arange(-1000, 1001)) == (-1024, 1024)
    assert bounds.release([0.0] * 100) == (0, F(1, 1024))


def test_contributions_cover_the_share_of_units_without_noise():
    assert (
        Contributions(Cells(1, 50), Quantile(F(9, 10), SHARP)).release(
            [1] * 85 + [7] * 10 + [10**6] * 5
        )
        == 7
    )
    with pytest.raises(InvalidInput):
        Contributions.calibrate(1, 0.9, 50, sensitivity=2)
