"""Clamping and rounding a release cost nothing; drawing again until it looks right does."""

import ast
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import tacit.mechanisms
from tacit.exact import ball, lower, upper, working
from tacit.mechanisms import Gaussian, Laplace, clamp, round_to
from tests.laws.every_mechanism import (
    EPSILONS,
    TINY,
    constant_noise,
    every_noise,
    excess,
    largest_loss,
)
from tests.together import together

F = Fraction
HUGE = 1.7976931348623157e308

integers = st.one_of(
    st.integers(-50, 50),
    st.integers(-(2**70), 2**70),
    st.sampled_from([2**63 - 1, -(2**63), 2**62]),
)
floats = st.one_of(
    st.floats(allow_nan=False, allow_infinity=False),
    st.integers(-40, 40).map(lambda number: number / 4),
    st.sampled_from([HUGE, -HUGE, 0.49999999999999994, -0.49999999999999994, 5e-324, 2.0**53 - 1]),
)
released_numbers = st.one_of(integers, floats)


@pytest.fixture(autouse=True)
def enough_digits():
    """All balls of a test carry 192 bits."""
    with working(192):
        yield


# ------------------------------------------------------------------------------- the trap


def drawn_again(mechanism, exact, far):
    """The law of drawing anew until the answer is not negative: noise, given that it was not; nothing beyond `far`."""
    released = mechanism.distribution(exact)
    accepted = mechanism.law.tail(-exact)
    return {outcome: released.probability(outcome) / accepted for outcome in range(far)}


@pytest.mark.parametrize("scale", [F(1, 2), F(1), F(10)], ids=str)
def test_drawing_again_until_non_negative_breaks_the_promise(scale):
    """The number of tries is hidden, but not that a small answer needs more of them."""
    mechanism = Laplace(scale)
    epsilon = mechanism.loss(1).epsilon
    p, q = (drawn_again(mechanism, exact, 40) for exact in (0, 1))
    assert max(lower((p[outcome] / q[outcome]).log()) for outcome in p) > epsilon
    assert lower(excess(p, q, epsilon)) > F(1, 200), "and not by a little"


def test_drawing_again_costs_exactly_the_ratio_of_the_chances_to_be_accepted():
    mechanism = Laplace(1)
    p, q = (drawn_again(mechanism, exact, 5) for exact in (0, 1))
    worst = (p[0] / q[0]).log()
    extra = (mechanism.law.tail(-1) / mechanism.law.tail(0)).log()
    assert abs(upper(worst - extra) - 1) < TINY
    assert F(1209, 1000) < lower(worst) < upper(worst) < F(1210, 1000), (
        "21 % more than was promised"
    )


@every_noise
def test_clamping_never_costs_anything(case):
    """The law clamped at zero, between every two answers: no event tells more than it did before."""
    for distance in case.distances:
        loss = case.mechanism.loss(case.sensitivity(distance))
        for p, q, _ in case.pairs(distance):
            low, high = ({max(0, outcome): ball(0) for outcome in p} for _ in range(2))
            for law, folded in ((p, low), (q, high)):
                for outcome, mass in law.items():
                    folded[max(0, outcome)] += mass
            for epsilon in EPSILONS:
                assert upper(excess(low, high, epsilon)) <= upper(loss.delta(epsilon)) + TINY


@pytest.mark.parametrize("scale", [F(1, 2), F(1), F(10)], ids=str)
def test_clamping_at_zero_keeps_epsilon_where_drawing_again_broke_it(scale):
    mechanism = Laplace(scale)
    p, q = (mechanism.distribution(exact).clamp_law(0, 60) for exact in (0, 1))
    assert largest_loss(p, q) <= mechanism.loss(1).epsilon + TINY
    assert largest_loss(q, p) <= mechanism.loss(1).epsilon + TINY


@together
@every_noise
@pytest.mark.parametrize("drawn", [-(10**9), -1, 0, 10**9])
def test_a_release_draws_once_whatever_comes_out(case, drawn):
    with constant_noise(drawn) as asked:
        case.mechanism.release(0)
        assert asked == [None]
        case.mechanism.release(np.zeros(7, np.int64))
        assert asked == [None, 7]
        case.mechanism.release({"a": 1, "b": np.zeros(3, np.int64)})
        assert asked == [None, 7, None, 3]


DRAWING = {
    "noise",
    "noisy",
    "release",
    "words",
    "bernoulli",
    "below",
    "discrete_laplace",
    "discrete_gaussian",
}
DRAWING |= {"_add_noise", "_reports"}


# Loops whose every turn answers something new, whatever was drawn before.
ONE_DRAW_A_TURN = {
    "above_threshold.py": "a turn for each value that is asked about",
    "recursive_quantiles.py": "a turn for each rank",
}


ROOT = Path(__file__).resolve().parents[2]

# Loops that draw from an exact law by proposing and rejecting: what is rejected follows from the proposal and from
# public numbers or earlier noise, never from whether the result would look well; their laws are rebuilt exactly.
REJECTION_SAMPLERS = {
    "random_trials.py": "tests/laws/test_tune.py",
    "gradual_laplace.py": "tests/laws/test_gradual_release.py",
    "code_threshold.py": "tests/laws/test_key_codes.py",
    "smooth_noise.py": "tests/laws/test_smooth_sensitivity.py",
}


def loops_that_draw(source):
    """The lines of `while` loops in which something is drawn."""
    for loop in (node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.While)):
        names = {
            n.func.id if isinstance(n.func, ast.Name) else getattr(n.func, "attr", "")
            for n in calls(loop)
        }
        if names & DRAWING:
            yield loop.lineno


def calls(node):
    return [inner for inner in ast.walk(node) if isinstance(inner, ast.Call)]


def test_no_mechanism_loops_until_it_likes_what_it_drew():
    folder = Path(tacit.mechanisms.__file__).parent
    found = {
        path.name: list(loops_that_draw(path.read_text(encoding="utf-8")))
        for path in folder.glob("*.py")
    }
    assert len(found) > 8
    assert {name: len(lines) for name, lines in found.items() if lines} == dict.fromkeys(
        [*ONE_DRAW_A_TURN, *REJECTION_SAMPLERS], 1
    )
    assert all((ROOT / test).is_file() for test in REJECTION_SAMPLERS.values())


@pytest.mark.parametrize(
    "draws", ["noisy(value, noise)", "self.release(value)", "value + discrete_laplace(scale)"]
)
def test_a_loop_that_draws_is_caught(draws):
    assert list(
        loops_that_draw(
            f"def f(self):\n    x = -1\n    while x < 0:\n        x = {draws}\n    return x"
        )
    )


# ------------------------------------------------------------------------------- clamping


@given(released_numbers, st.integers(-20, 20), st.integers(0, 20))
def test_a_clamped_number_is_the_nearest_one_in_range(released, low, width):
    high = low + width
    inside = clamp(released, low, high)
    assert low <= inside <= high
    assert abs(F(inside) - F(released)) == max(low - F(released), F(released) - high, F(0))
    assert clamp(inside, low, high) == inside
    assert clamp(released, low=low) == max(released, low)
    assert clamp(released, high=high) == min(released, high)
    assert clamp(released) == released


@given(st.lists(released_numbers, max_size=6), st.integers(-20, 20), st.integers(0, 20))
def test_an_array_and_a_table_are_clamped_number_by_number(released, low, width):
    high = low + width
    wanted = [clamp(number, low, high) for number in released]
    kinds = [np.array(released, dtype=object)]
    if all(isinstance(number, float) for number in released):
        kinds.append(np.array(released, dtype=np.float64))
    elif all(isinstance(number, int) and -(2**63) <= number < 2**63 for number in released):
        kinds.append(np.array(released, dtype=np.int64))
    for array in kinds:
        before = array.copy()
        assert clamp(array, low, high).tolist() == wanted
        assert array.tolist() == before.tolist(), "the release itself is left alone"
        assert clamp(array.reshape(-1, 1), low, high).shape == (len(released), 1)
    table = clamp(dict(enumerate(released)), low, high)
    assert list(table.items()) == list(enumerate(wanted))


def test_clamping_keeps_integers_integers():
    assert clamp(np.array([-5, 2**62 + 1]), low=0).tolist() == [0, 2**62 + 1]
    assert clamp(np.array([-5, 3]), low=0).dtype == np.int64
    assert clamp(np.array([-5.5, 3]), 0, 2).dtype == np.float64
    assert clamp(np.array([1, 2]), -(2**70), 2**70).tolist() == [1, 2]
    assert clamp(np.array([1, 2]), low=2**70).tolist() == [2**70, 2**70]


# ------------------------------------------------------------------------------- rounding


@settings(max_examples=200)
@given(released_numbers, st.one_of(st.integers(1, 12), st.integers(1, 2**53)))
@example(0.49999999999999994, 1)
@example(-0.5, 1)
@example(2.5, 5)
@example(HUGE, 7)
@example(2**62, 10)
def test_a_number_is_rounded_to_the_nearest_multiple_halves_upward(released, to):
    wanted = ((2 * F(released) + to) // (2 * to)) * to
    near = round_to(released, to)
    assert type(near) is type(released)
    assert F(near) == (F(float(wanted)) if isinstance(released, float) else wanted)
    assert np.isfinite(float(near))


@settings(max_examples=200)
@given(st.lists(integers, max_size=5), st.integers(1, 2**53))
@example([2**62, -(2**62), 2**63 - 1, -(2**63)], 10)
def test_an_array_of_integers_is_rounded_number_by_number_and_never_wraps(released, to):
    wanted = [round_to(number, to) for number in released]
    kinds = (
        [object]
        if any(not -(2**63) <= number < 2**63 for number in released)
        else [object, np.int64]
    )
    for kind in kinds:
        assert round_to(np.array(released, dtype=kind), to).tolist() == wanted


@given(st.lists(floats, max_size=5), st.integers(1, 2**53))
def test_an_array_of_floats_is_rounded_number_by_number(released, to):
    near = round_to(np.array(released, dtype=np.float64), to)
    assert near.dtype == np.float64
    assert near.tolist() == [round_to(number, to) for number in released]
    assert round_to({"a": near}, to)["a"].tolist() == [
        round_to(number, to) for number in near.tolist()
    ]


def test_what_is_done_after_the_noise_is_done_to_what_leaves():
    for mechanism in (Laplace(5), Gaussian(5)):
        released = mechanism.release({"a": np.arange(50), "b": 7})
        assert clamp(released, low=0)["a"].tolist() == [
            max(0, number) for number in released["a"].tolist()
        ]
        assert round_to(released, to=10)["b"] == round_to(released["b"], to=10)
