from fractions import Fraction
from math import exp, log, sqrt

import numpy as np
import pytest

from tacit.accounting.connect_the_dots import Dots, connect_dots
from tacit.accounting.convolution_errors import (
    bound_aliasing,
    bound_chernoff,
    bound_masses,
    bound_spread,
    bound_tail,
    bound_transform,
)
from tacit.accounting.numerical_bound import compose
from tacit.accounting.saddle_point import saddle_for
from tacit.accounting.tilted_convolution import _fast_length, _power, _transform, convolve
from tacit.accounting.tilted_law import reach_of as _reach_of
from tacit.accounting.tilted_law import spread_of as _spread_of
from tacit.accounting.tilted_law import tilt_law as _tilt
from tacit.exact import ball, working
from tacit.privacy import (
    DiscreteLaplaceLoss,
    GaussianLoss,
    LaplaceLoss,
    PureLoss,
    loss_distribution,
)

F = Fraction


def dots_of(masses, origin=0.0):
    masses = np.array(masses, dtype=float)
    return Dots(origin, masses, masses * 2.0**-50, 0.0, 0.0, is_spread=False)


def parts_of(*counted, per_step=0.1):
    return [_tilt(dots_of(masses), times, per_step) for masses, times in counted]


def exact_convolution(parts):
    """The same in rationals, from the lowest index on."""
    total = [F(1)]
    for part in parts:
        for _ in range(part.times):
            grown = [F(0)] * (len(total) + len(part.tilted) - 1)
            for i, a in enumerate(total):
                for j, b in enumerate(part.tilted.tolist()):
                    grown[i + j] += a * F(b)
            total = grown
    return total


SMALL = [
    [([0.5, 0.5], 1)],
    [([0.25, 0.5, 0.25], 3)],
    [([0.1, 0.2, 0.3, 0.4], 2), ([0.9, 0.1], 4)],
    [([0.7, 0.0, 0.0, 0.3], 3), ([1e-9, 1.0], 2), ([0.2, 0.3, 0.5], 1)],
    [([0.99, 0.01], 40)],
]


@pytest.mark.parametrize("counted", SMALL, ids=str)
def test_the_transform_agrees_with_convolution_in_rationals(counted):
    parts = parts_of(*counted)
    exact = exact_convolution(parts)
    lowest, highest = _reach_of(parts)
    assert highest - lowest + 1 == len(exact)
    length = _fast_length(len(exact))
    found = _transform(parts, length, lowest)
    wrong = sqrt(
        sum(
            float((F(a) - b) ** 2)
            for a, b in zip(found.tolist(), exact + [F(0)] * length, strict=False)
        )
    )
    # The bound is on error times weights; with one weight alone it is that on the error.
    assert wrong <= bound_transform(parts, length, tilt=50.0, step=1.0)


@pytest.mark.parametrize("counted", SMALL, ids=str)
def test_what_is_outside_the_window_wraps_around_and_no_more_of_it_than_is_bounded(counted):
    parts = parts_of(*counted)
    exact = exact_convolution(parts)
    lowest, _ = _reach_of(parts)
    mean = sum(part.times * _spread_of(part)[0] for part in parts)
    deviation = sqrt(sum(part.times * _spread_of(part)[1] for part in parts)) + 1e-9
    for length in (2, 4, 6, 10):
        for first in (lowest, lowest + 1, round(mean) - length // 2):
            found = _transform(parts, length, first)
            inside = range(first, first + length)
            for place, index in enumerate(inside):
                wrapped = sum(
                    float(mass)
                    for j, mass in enumerate(exact)
                    if (j + lowest - index) % length == 0
                )
                assert found[place] == pytest.approx(wrapped, abs=1e-14)
            outside = sum(float(mass) for j, mass in enumerate(exact) if j + lowest not in inside)
            assert (
                bound_aliasing(parts, mean, deviation, (first - 1.0, float(first + length)))
                >= outside - 1e-14
            )


@pytest.mark.parametrize("counted", SMALL, ids=str)
def test_no_tail_is_heavier_than_its_bound(counted):
    parts = parts_of(*counted)
    exact = exact_convolution(parts)
    lowest, highest = _reach_of(parts)
    mean = sum(part.times * _spread_of(part)[0] for part in parts)
    deviation = sqrt(sum(part.times * _spread_of(part)[1] for part in parts)) + 1e-9
    for edge in range(lowest - 1, highest + 2):
        below = sum(float(mass) for j, mass in enumerate(exact) if j + lowest <= edge)
        above = sum(float(mass) for j, mass in enumerate(exact) if j + lowest >= edge)
        assert below - 1e-14 <= bound_tail(parts, mean, deviation, float(edge), side=-1) <= 1
        assert above - 1e-14 <= bound_tail(parts, mean, deviation, float(edge), side=1) <= 1
    assert bound_tail(parts, mean, deviation, float(highest + 1), side=1) == 0


def test_a_million_powers_err_by_less_than_is_bounded():
    """Two values, convolved 2**20 times: the middle of the law is a binomial probability, known to
    200 bits.
    """
    parts, times, length = parts_of(([0.75, 0.25], 1 << 20), per_step=0.01), 1 << 20, 1 << 14
    mean = times * _spread_of(parts[0])[0]
    first = round(mean) - length // 2
    found = _transform(parts, length, first)
    bound = bound_transform(parts, length, tilt=50.0, step=1.0)
    other = 1 if parts[0].centre == 0 else 0
    with working(200):
        rare, usual = (ball(F(float(parts[0].tilted[k]))) for k in (other, 1 - other))
        for index in range(round(mean) - 2000, round(mean) + 2000, 250):
            k = abs(index)
            choose = ball(times + 1).lgamma() - ball(k + 1).lgamma() - ball(times - k + 1).lgamma()
            exact = float((choose + k * rare.log() + (times - k) * usual.log()).exp())
            assert abs(found[index - first] - exact) <= bound
    assert 1e-11 < bound < 1e-6


def test_rounding_is_bounded_for_each_release():
    once, often = (bound_transform(parts_of(([0.5, 0.5], k)), 1 << 10, 1.0, 1.0) for k in (1, 1000))
    assert often > 100 * once
    once, often = (bound_masses(parts_of(([0.5, 0.5], k))) for k in (1, 1000))
    assert often == pytest.approx(1000 * once, rel=1e-6)


def test_wrong_masses_change_delta_by_no_more_than_is_bounded():
    right, wrong = np.array([0.3, 0.3, 0.4]), np.array([0.3, 0.3001, 0.4002])
    for tilt, epsilon in ((0.5, 1.0), (2.0, 4.0)):
        exact = convolve([(Dots(-1.0, right, np.zeros(3), 0.0, 0.0, False), 6)], F(1), tilt, 0.0)
        shifted = convolve(
            [(Dots(-1.0, wrong, np.array([0, 1e-4, 2e-4]), 0.0, 0.0, False), 6)], F(1), tilt, 0.0
        )
        assert exact is not None
        assert shifted is not None
        assert (
            shifted.lower(epsilon)
            <= exact.lower(epsilon)
            <= exact.upper(epsilon)
            <= shifted.upper(epsilon)
        )


def test_errors_of_sharing_are_no_likelier_than_their_bound():
    """The worst sharing, in halves, many times; both ways to leave the interval, exactly
    enumerated.
    """
    step, times = 0.01, 400
    share = (1 - exp(-step / 2)) / (1 - exp(-step))
    count = np.arange(times + 1)
    logs = np.array([sum(log((times - i) / (i + 1)) for i in range(k)) for k in count])
    masses = np.exp(logs + count * log(share) + (times - count) * log(1 - share))
    moves = count * step - times * step / 2
    assert (masses * np.exp(-moves)).sum() == pytest.approx(1)
    spread = times * step**2 / 4
    for tilt in (0.5, 3.0, 20.0):
        for reach in (3.0 * sqrt(spread), 5.0 * sqrt(spread), 7.0 * sqrt(spread)):
            # The loss itself is constant here: S = e, and S + move is what the grid sees.
            upwards = masses[moves > reach].sum()
            weights = masses * np.exp(-moves)
            downwards = weights[moves < -reach].sum() / (2 * np.sinh(reach)) * exp(-tilt * 0)
            assert upwards + downwards <= bound_spread(spread, tilt, reach) * exp(tilt * reach) * (
                1 + 1e-9
            )
            assert upwards <= bound_spread(spread, tilt, reach)


@pytest.fixture(scope="module")
def sums():
    laws = [(loss_distribution(LaplaceLoss(F(1, 10))), 50)]
    found = compose(laws, saddle_for(laws, delta=1e-6))
    assert found is not None
    return found


@pytest.mark.parametrize(
    "error", ["rounding", "transform", "right_tail", "aliasing", "beyond", "place"]
)
def test_every_error_widens_the_end_that_it_bears_on(sums, error):
    epsilon = 3.0
    wider = replace_field(sums, error, getattr(sums, error) + 1e-3)
    scale = sums._scale(epsilon)
    if error == "beyond":
        assert wider.upper(epsilon) == pytest.approx(sums.upper(epsilon) + 1e-3)
        return
    if error != "aliasing":
        least = 0.0 if error == "place" else 0.9e-3 * scale
        assert wider._upper_on_grid(epsilon) > sums._upper_on_grid(epsilon) + least
    if error != "right_tail":
        least = 0.0 if error == "place" else 0.9e-3 * scale
        assert wider._lower_on_grid(epsilon) < sums._lower_on_grid(epsilon) - least


def replace_field(frozen, name, value):
    fields = {each: getattr(frozen, each) for each in type(frozen).__dataclass_fields__}
    return type(frozen)(**{**fields, name: value})


def test_sharing_widens_the_lower_end(sums):
    assert sums.spread == pytest.approx(50 * sums.step**2 / 4)
    exactly = replace_field(sums, "spread", 0.0)
    assert sums.lower(3.0) < exactly.lower(3.0) <= exactly.upper(3.0)
    assert sums.upper(3.0) == exactly.upper(3.0)


def test_the_epsilon_that_is_found_was_seen_to_hold(sums):
    for delta in (1e-4, 1e-6, 1e-8):
        epsilon = sums.epsilon_at(delta)
        assert epsilon is not None
        assert sums.upper(epsilon) <= delta < sums.upper(epsilon * (1 - 1e-9))


def test_what_lies_beyond_the_grid_is_added_to_the_upper_end():
    law = loss_distribution(GaussianLoss(1))
    for mass in (1e-2, 1e-4):
        dots = connect_dots(law, 0.01, mass)
        found = convolve([(dots, 5)], 0.01, 1.0, 0.0)
        assert found is not None
        assert found.beyond >= 5 * dots.beyond > 0
        with working(100):
            exact = GaussianLoss(5).delta(F(4))
        assert found.upper(4.0) >= float(exact)


@pytest.mark.parametrize(
    "loss", [PureLoss(F(1, 5)), DiscreteLaplaceLoss(5, 3), LaplaceLoss(F(1, 2))], ids=repr
)
def test_the_quick_bound_is_above_the_convolution(loss):
    laws = [(loss_distribution(loss), 40)]
    for epsilon in (1.0, 2.0, 3.0):
        saddle = saddle_for(laws, epsilon=epsilon)
        found = compose(laws, saddle)
        assert found is not None
        dots = [(connect_dots(law, found.step, 1e-12), times) for law, times in laws]
        quick = bound_chernoff(dots, found.step, saddle.tilt, epsilon)
        assert found.lower(epsilon) <= quick <= 100 * found.upper(epsilon)


def test_powers_are_products():
    values = np.array([0.5 + 0.5j, 0.9j, -0.3])
    for times in (1, 2, 3, 7, 8, 1000):
        assert _power(values, times) == pytest.approx(values**times)


def test_lengths_are_even_and_short():
    for least in (2, 3, 17, 1000, 4097, 99_999):
        length = _fast_length(least)
        assert least <= length <= 1.15 * least + 8
        assert length % 2 == 0
        for prime in (2, 3, 5):
            while length % prime == 0:
                length //= prime
        assert length == 1
