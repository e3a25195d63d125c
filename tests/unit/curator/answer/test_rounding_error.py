"""The rounding of doubles is part of the intervals of what they add up to."""

from fractions import Fraction

import pytest

from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.rounding_error import count_of_rows, grid_rounding, sure_of_noise
from tacit.curator.answer.view_rows import view_answer
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Counted, Plan, Summed
from tests.unit.curator.asked import plan_of

F = Fraction
MANY = 10**9
NOISE = Laplace(1)


def released(plan: Plan, value: float, rows: int = MANY) -> list[list[Noisy]]:
    """What three groups of so many rows with one value release, if all noise happens to be zero."""

    def draw(measure: object) -> Noisy:
        if not isinstance(measure, Summed):
            return Noisy(rows, NOISE, F(1))
        steps = round(F(value) / measure.step) - measure.centre
        return Noisy(rows * steps, NOISE, measure.step)

    # every group has draws of its own: the sum of one that is there twice has other ends
    return [[draw(measure) for measure in plan.question.measures] for _ in plan.question.groups]


def between(step: Fraction, sign: int) -> float:
    """A number that rounding moves by nearly half a step."""
    return float(1000 * step / 10 // step * step + sign * step * F(49, 100))


def step_of(text: str) -> Fraction:
    return next(
        measure.step for measure in plan_of(text).question.measures if isinstance(measure, Summed)
    )


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("count", ["COUNT(*)", "COUNT(cost)"])
def test_the_sum_of_values_that_are_all_rounded_the_same_way_lies_within_its_interval(
    sign, raw, count
):
    text = f"SELECT ward, SUM(cost) AS s, {count} AS n FROM visits GROUP BY ward"
    plan, value = plan_of(text), between(step_of(text), sign)
    seen = view_answer(plan, released(plan, value), 0.95, raw=raw)
    for row in seen.rows:
        found = dict(zip(seen.columns, row, strict=True))
        assert found["s_low"] <= MANY * value <= found["s_high"]
        # which noise alone would not explain
        assert not found["s"] - 1 <= MANY * value <= found["s"] + 1
    assert not seen.notes


@pytest.mark.parametrize("sign", [1, -1])
def test_a_mean_moves_by_half_a_step_at_most(sign):
    text = "SELECT AVG(cost) AS m FROM visits"
    plan, value = plan_of(text), between(step_of(text), sign)
    ((_, low, high),) = view_answer(plan, released(plan, value), 0.95).rows
    assert low <= value <= high
    assert high - low <= 1.1 * step_of(text)


@pytest.mark.parametrize("sign", [1, -1])
def test_windows_over_sums_allow_for_the_rounding_of_every_group(sign):
    text = "SELECT ward, SUM(SUM(cost)) OVER (ORDER BY ward) AS t, COUNT(*) AS n FROM visits GROUP BY ward"
    plan, value = plan_of(text), between(step_of(text), sign)
    for place, row in enumerate(view_answer(plan, released(plan, value), 0.95).rows, 1):
        assert row[2] <= place * MANY * value <= row[3]


def test_where_nobody_counts_the_rows_the_caption_says_how_values_are_rounded():
    text = "SELECT SUM(cost) AS s FROM visits"
    plan = plan_of(text)
    seen = view_answer(plan, released(plan, 3.0), 0.95)
    assert seen.notes == (
        f"intervals of s are for values rounded to steps of {float(step_of(text)):.3g}",
    )
    reach = NOISE.error(0.95) * step_of(text)
    assert seen.rows[0][2] - seen.rows[0][1] == pytest.approx(float(2 * reach))


def test_integers_are_not_rounded():
    text = "SELECT SUM(age) AS s, COUNT(*) AS n FROM visits"
    plan = plan_of(text)
    (place,) = [
        at for at, measure in enumerate(plan.question.measures) if isinstance(measure, Summed)
    ]
    assert grid_rounding(plan.question, released(plan, 40)[0], place, 0.95) == 0
    assert view_answer(plan, released(plan, 40), 0.95).notes == ()


def test_a_count_of_other_rows_bounds_nothing():
    plan = plan_of("SELECT SUM(cost) AS s, COUNT(label) AS n FROM visits")
    (place,) = [
        at for at, measure in enumerate(plan.question.measures) if isinstance(measure, Summed)
    ]
    assert any(isinstance(measure, Counted) for measure in plan.question.measures)
    assert count_of_rows(plan.question, place) is None


def test_noise_and_rows_share_the_chance_to_be_wrong():
    assert (1 - sure_of_noise(0.95)) + 0.05 / 64 == pytest.approx(0.05)


def test_integers_that_are_rounded_before_wide_noise_may_be_half_a_step_off():
    narrow, wide = Gaussian(2**19), Gaussian(2**21)
    for noise, more in ((narrow, 0), (wide, 1)):
        found = Noisy(0, noise, F(1)).interval(0.95)
        assert found.high == -found.low == noise.error(0.95) + more
