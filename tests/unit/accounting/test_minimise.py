"""Searches: where a valley is lowest, and where a falling curve passes a target."""

from fractions import Fraction
from math import cosh, inf

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.accounting.minimise import crossing, lowest
from tacit.exact import ball, upper, working


@given(st.floats(-50, 50), st.floats(-5, 5), st.floats(0.1, 3))
def test_a_valley_is_found_from_anywhere(bottom, start, step):
    assert lowest(lambda x: cosh(min(abs(x - bottom), 700)), start, step) == pytest.approx(
        bottom, abs=1e-3
    )


def test_a_corner_is_found_as_finely_as_asked():
    assert lowest(lambda x: abs(x - 0.1234567), 2.0, tolerance=1e-12) == pytest.approx(
        0.1234567, abs=1e-10
    )


def test_a_slope_without_end_is_left_somewhere():
    assert lowest(lambda x: 0.0 if x > 100 else -x, 0.0) > 5
    assert lowest(lambda x: inf if x < 0 else x, 3.0) < 1e-3


PROFILES = {
    "smooth": lambda e: (-(ball(e) ** 2)).exp(),
    "pure": lambda e: (1 - (ball(e) - 2).exp()).max(ball(0)),
    "stairs": lambda e: ball(Fraction(1, 2 ** (1 + int(4 * e)))),
    "sudden": lambda e: ball(1 if e < 3 else 0),
}


@pytest.mark.parametrize("name", PROFILES)
@given(st.integers(1, 12), st.floats(1e-3, 100))
@settings(max_examples=30)
def test_a_crossing_is_certified_and_close(name, digits, guess):
    target = Fraction(1, 10**digits)
    with working():
        profile = PROFILES[name]
        found = crossing(profile, target, guess)
        assert upper(profile(found)) <= target
        assert found == 0 or upper(profile(found * (1 - Fraction(1, 10**9)))) > target


def test_a_profile_that_never_falls_has_no_crossing():
    with working():
        assert crossing(lambda e: ball(1), Fraction(1, 2), 1.0) is None


def test_a_profile_that_starts_low_crosses_at_zero():
    with working():
        assert crossing(lambda e: ball(0), Fraction(1, 2), 1.0) == 0
