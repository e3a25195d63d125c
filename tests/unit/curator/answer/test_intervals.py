"""Intervals against brute force: quantiles by summing laws, Fieller's ends by trying every ratio."""

from fractions import Fraction
from itertools import product
from math import exp, log, sqrt

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tacit.curator.answer.intervals import (
    Drawn,
    Interval,
    Noisy,
    _gaussian_reach,
    _laplace_reach,
    ratio_interval,
)
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Column, Field, Kind, Powers, Ranked, rank_measure
from tests.together import together

F = Fraction
KINDS = [Gaussian, Laplace]
both_kinds = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def law(kind, spread, reach=None):
    """The outcomes of discrete noise and their probabilities."""
    far = reach or int(45 * spread) + 30
    outcomes = np.arange(-far, far + 1)
    weights = (
        np.exp(-((outcomes / spread) ** 2) / 2)
        if kind is Gaussian
        else np.exp(-np.abs(outcomes) / spread)
    )
    return outcomes, weights / weights.sum()


# ---------------------------------------------------------------- one number


@together
@both_kinds
@pytest.mark.parametrize("spread", [F(1, 2), 1, 3, 40])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.95, 0.999])
def test_an_interval_holds_the_exact_number_as_often_as_it_says_and_is_the_shortest_that_does(
    kind, spread, confidence
):
    found = Noisy(1000, kind(spread), F(1)).interval(confidence)
    reach = found.high - 1000
    assert (found.value, found.low) == (1000, 1000 - reach)
    outcomes, chances = law(kind, float(spread))
    assert chances[np.abs(outcomes) <= reach].sum() >= confidence
    assert reach == 0 or chances[np.abs(outcomes) <= reach - 1].sum() < confidence


@both_kinds
def test_an_interval_is_in_the_natural_unit(kind):
    found = Noisy(-300, kind(8), F(1, 4))
    plain = Noisy(-300, kind(8), F(1)).interval(0.9)
    assert found.value == -75
    assert found.interval(0.9) == Interval(-75.0, plain.low / 4, plain.high / 4)
    assert found.spread == 2


@both_kinds
@pytest.mark.parametrize("confidence", [0, 1, -1, 2, float("nan"), "0.9", True, None])
def test_a_confidence_is_a_number_between_none_and_all(kind, confidence):
    with pytest.raises(ValueError, match="confidence"):
        Noisy(1, kind(8), F(1)).interval(confidence)


# ---------------------------------------------------------------- how far a sum of noise goes


@settings(max_examples=60)
@given(
    first=st.floats(0.01, 100),
    second=st.floats(0, 100),
    confidence=st.sampled_from([0.5, 0.8, 0.95, 0.999, 1 - 1e-9]),
)
def test_a_sum_of_two_laplace_numbers_goes_as_far_as_its_tail_says(first, second, confidence):
    reach = _laplace_reach(first, second, confidence)

    def outside(t):  # the integral of one tail over the other's density, by hand
        a, b = max(first, second), min(first, second)
        if b < a * 1e-9:
            return exp(-t / a)
        if abs(a - b) < 1e-5 * a:
            return (1 + t / (a + b)) * exp(-2 * t / (a + b))
        return (a * a * exp(-t / a) - b * b * exp(-t / b)) / (a * a - b * b)

    assert outside(reach) <= (1 - confidence) * (1 + 1e-6)
    assert outside(reach * (1 - 1e-4)) > (1 - confidence) * (1 - 1e-9)


@pytest.mark.parametrize("confidence", [0.5, 0.95, 0.9999])
def test_a_sum_of_two_equal_laplace_numbers_is_no_exception(confidence):
    reach = _laplace_reach(3, 3, confidence)
    assert (1 + reach / 6) * exp(-reach / 3) == pytest.approx(1 - confidence, rel=1e-3)
    assert (1 + reach / 6) * exp(-reach / 3) <= 1 - confidence
    for other in (3 * (1 - 1e-12), 3 * (1 + 1e-12), 3 * (1 - 1e-7), 3 * (1 + 1e-7)):
        assert _laplace_reach(3, other, confidence) == pytest.approx(reach, rel=1e-5)


@pytest.mark.parametrize("tiny", [0.0, 5e-324, 1e-300, 1e-20])
@pytest.mark.parametrize("large", [1e-280, 1.0, 1e280])
def test_noise_that_is_next_to_nothing_adds_nothing(tiny, large):
    assert _laplace_reach(large, tiny * large, 0.95) == pytest.approx(-large * log(0.05), rel=1e-4)
    assert _laplace_reach(tiny * large, large, 0.95) == _laplace_reach(large, tiny * large, 0.95)


@settings(max_examples=30)
@given(first=st.floats(0.1, 10), second=st.floats(0, 10), more=st.floats(0.01, 10))
def test_more_noise_goes_further(first, second, more):
    for reach in (_laplace_reach, _gaussian_reach):
        assert reach(first, second + more, 0.95) > reach(first, second, 0.95) * (1 - 1e-5)
        assert reach(first, second, 0.96) > reach(first, second, 0.95)


def test_gaussian_numbers_add_in_squares():
    assert _gaussian_reach(3, 4, 0.95) == pytest.approx(5 * 1.959963985)


@together
@both_kinds
@pytest.mark.parametrize(
    "spreads", [(0.3, 0.3), (0.5, 0.5), (1, 1), (2, 2), (10, 10), (20, 1), (1, 20)]
)
@pytest.mark.parametrize("ratio", [0.0, 0.1, 0.25, 0.5, 0.9, 1.0, 1.5, 3.0, 7.3])
def test_discrete_noise_goes_at_most_half_a_step_further_for_each_number(kind, spreads, ratio):
    first, second = spreads
    reach = _gaussian_reach if kind is Gaussian else _laplace_reach
    (one, chances), (other, others) = law(kind, first), law(kind, second)
    apart = np.abs(one[:, None] - ratio * other[None, :])
    joint = chances[:, None] * others[None, :]
    for confidence in (0.5, 0.9, 0.95, 0.99):
        far = reach(first, ratio * second, confidence) + (1 + ratio) / 2
        assert joint[apart <= far + 1e-9].sum() >= confidence


# ---------------------------------------------------------------- ratios


def accepted(total, count, confidence, ratios):
    """Which ratios the released numbers do not refute, one by one."""
    reach = _gaussian_reach if isinstance(total.mechanism, Gaussian) else _laplace_reach
    top, bottom = float(total.value), float(count.value)
    return [
        abs(top - ratio * bottom)
        <= reach(total.spread, abs(ratio) * count.spread, confidence)
        + (float(total.worth) + abs(ratio) * float(count.worth)) / 2
        for ratio in ratios
    ]


@both_kinds
@settings(max_examples=40)
@given(
    top=st.integers(-3000, 3000),
    bottom=st.integers(20, 3000),
    spreads=st.tuples(st.sampled_from([1, 5, 40]), st.sampled_from([1, 5, 40])),
    confidence=st.sampled_from([0.5, 0.95, 0.99]),
    worth=st.sampled_from([F(1), F(1, 4), F(8)]),
)
def test_a_ratio_has_the_interval_of_all_ratios_that_are_not_refuted(
    kind, top, bottom, spreads, confidence, worth
):
    low, high = -20.0, 35.0
    total, count = Noisy(top, kind(spreads[0]), worth), Noisy(bottom, kind(spreads[1]), F(1))
    ratios = np.linspace(low, high, 221)
    kept = ratios[accepted(total, count, confidence, ratios)]
    found = ratio_interval(total, count, confidence, low, high)
    assert low <= found.low <= found.value <= found.high <= high
    assert found.value == pytest.approx(min(max(float(total.value / count.value), low), high))
    surely_some = bottom > spreads[1] * 12 + 1
    assume(surely_some)
    if len(kept):
        step = ratios[1] - ratios[0]
        assert kept[0] - step <= found.low <= kept[0]
        assert kept[-1] <= found.high <= kept[-1] + step


@both_kinds
@pytest.mark.parametrize("bottom", [-1000, -1, 0, 1, 15])
def test_where_there_may_be_nobody_every_ratio_is_possible(kind, bottom):
    found = ratio_interval(
        Noisy(500, kind(10), F(1)), Noisy(bottom, kind(10), F(1)), 0.95, -4.0, 7.0
    )
    assert (found.low, found.high) == (-4, 7)
    assert -4 <= found.value <= 7


@both_kinds
def test_a_ratio_that_cannot_be_is_moved_to_the_end_and_its_interval_is_the_whole_range(kind):
    found = ratio_interval(
        Noisy(10**6, kind(10), F(1)), Noisy(1000, kind(10), F(1)), 0.95, -4.0, 7.0
    )
    assert found == Interval(7.0, -4.0, 7.0)


@both_kinds
def test_with_many_units_the_interval_of_a_ratio_shrinks_to_it(kind):
    wide, narrow = (
        ratio_interval(
            Noisy(3 * size, kind(10), F(1)), Noisy(size, kind(10), F(1)), 0.95, -50.0, 50.0
        )
        for size in (10**3, 10**5)
    )
    assert narrow.high - narrow.low < (wide.high - wide.low) / 50
    assert narrow.low < 3 < narrow.high


@both_kinds
def test_more_confidence_is_a_wider_interval(kind):
    total, count = Noisy(300, kind(10), F(1)), Noisy(400, kind(10), F(1))
    ends = [
        ratio_interval(total, count, confidence, -50.0, 50.0) for confidence in (0.5, 0.9, 0.99)
    ]
    assert (
        ends[2].low < ends[1].low < ends[0].low < 0.75 < ends[0].high < ends[1].high < ends[2].high
    )


def test_a_ratio_of_gaussian_numbers_has_fiellers_interval():
    total, count = Noisy(3000, Gaussian(40), F(1)), Noisy(1000, Gaussian(30), F(1))
    found = ratio_interval(total, count, 0.95, -1e3, 1e3)
    z = 1.959963985
    a, b, c = (
        1000**2 - (z * 30) ** 2,
        -2 * 3000 * 1000,
        3000**2 - (z * 40) ** 2,
    )  # (T - tN)**2 <= z**2 (s**2 + t**2 r**2)
    root = sqrt(b * b - 4 * a * c)
    assert found.low == pytest.approx((-b - root) / (2 * a), abs=0.01)
    assert found.high == pytest.approx((-b + root) / (2 * a), abs=0.01)


AGE = Field(Column("age", Kind.INTEGER, low=0, high=120))


@pytest.mark.parametrize(
    ("confidence", "ends"), [(0.9, (30, 50)), (0.975, (30, 50)), (0.98, (0, 120))]
)
def test_two_quantiles_at_95_percent_keep_the_cells_of_their_intervals_and_three_do_not(
    confidence, ends
):
    found = Drawn((30, 41, 50)).interval(rank_measure(AGE, Fraction(1, 2)), confidence)
    assert (found.value, found.low, found.high) == (41, *ends)


@pytest.mark.parametrize(("rank", "ends"), [(0, (0, 20)), (1, (20, 120))])
def test_an_extreme_lies_between_its_cell_and_the_end_of_the_range_up_to_99_percent(rank, ends):
    for confidence in (0.5, 0.98, 0.99):
        found = Drawn((20,)).interval(rank_measure(AGE, Fraction(rank)), confidence)
        assert (found.low, found.high) == ends
    surer = Drawn((20,)).interval(rank_measure(AGE, Fraction(rank)), 0.995)
    assert (surer.low, surer.high) == (0, 120)


def test_a_cell_outside_the_grid_is_the_end_of_the_range():
    found = Drawn((-1, 41, 121)).interval(rank_measure(AGE, Fraction(1, 2)), 0.95)
    assert (found.low, found.high) == (0, 120)


def test_a_cell_where_no_value_can_be_is_drawn_to_the_end_of_the_range():
    """It may be: cells are those of the column, and an expression of it may reach fewer of them."""
    cost = Field(Column("cost", Kind.NUMBER, F(1, 10), F(1, 5)))
    for rank in (F(0), F(1, 2), F(1)):
        measure = Ranked(cost, Powers(-1, 1), rank)
        for cells in product(range(-1, measure.grid.count + 1), repeat=1 if rank in (0, 1) else 3):
            found = Drawn(cells).interval(measure, 0.95)
            assert found.low <= found.value <= found.high
