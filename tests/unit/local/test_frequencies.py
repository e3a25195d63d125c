"""Estimates of counts: intervals, projection, tables."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidInput
from tacit.local import Frequencies, HadamardResponse, KaryResponse, Unary, project

F = Fraction


@given(
    st.lists(st.floats(-50, 50), min_size=1, max_size=8),
    st.lists(st.floats(0, 1), min_size=8, max_size=8),
)
def test_the_projection_is_the_nearest_point_of_the_simplex(numbers, other):
    found = project(numbers, 10.0)
    assert found.min() >= 0
    assert found.sum() == pytest.approx(10)
    rival = np.array(other[: len(numbers)]) + 1e-9
    rival = rival / rival.sum() * 10
    distance, others = (np.square(each - numbers).sum() for each in (found, rival))
    assert distance <= others + 1e-6


def test_a_consistent_table_sums_to_the_people():
    found = Frequencies(KaryResponse(4, 1), 100, (70, 20, 9, 1))
    assert found.counts.sum() == pytest.approx(100)
    assert found.counts.min() < 0
    assert found.consistent().min() == 0
    assert found.consistent().sum() == pytest.approx(100)


def test_exact_and_float_counts_agree():
    found = Frequencies(KaryResponse(["a", "b", "c"], 1), 1000, (400, 350, 250))
    assert [float(found.count(value)) for value in "abc"] == pytest.approx(found.counts.tolist())
    assert found.interval("a")[0] < found.count("a") < found.interval("a")[1]
    assert found.shares.sum() == pytest.approx(1)


def test_intervals_stay_within_the_people_and_widen_with_confidence():
    found = Frequencies(Unary(4, F(1, 10)), 50, (0, 10, 25, 50))
    narrow, wide = found.intervals(0.5), found.intervals(0.999)
    assert (wide >= 0).all()
    assert (wide <= 50).all()
    assert (wide[:, 0] <= narrow[:, 0]).all()
    assert (wide[:, 1] >= narrow[:, 1]).all()
    together = found.intervals(0.9, simultaneous=True)
    assert (together == found.intervals(F(39, 40))).all()


@pytest.mark.parametrize("confidence", [0, 1, 1.5, -0.1])
def test_a_confidence_that_is_none_is_refused(confidence):
    with pytest.raises(InvalidInput):
        Frequencies(KaryResponse(2, 1), 10, (5, 5)).intervals(confidence)


def test_collections_of_two_protocols_do_not_add():
    with pytest.raises(InvalidInput):
        Frequencies(KaryResponse(2, 1), 10, (5, 5)) + Frequencies(KaryResponse(2, 2), 10, (5, 5))


def test_a_printed_table_is_harmless_and_short():
    found = Frequencies(KaryResponse(["a\x1b[2J", *map(str, range(60))], 1), 100, (100, *[0] * 60))
    assert "\x1b" not in str(found)
    assert "and 21 more" in str(found)


def test_an_estimate_beyond_its_interval_is_shown_as_its_end_and_that_is_said():
    found = KaryResponse(["a", "b", "c"], 1).collect([0] * 90 + [1] * 10)
    (_, count, low, high) = found.table()[2]
    assert count < low == 0
    shown = found.show().splitlines()
    assert shown[3] == f"  c: 0 (0 to {high:,.0f})"
    assert shown[-1].startswith("  (an estimate below 0 is shown as 0")
    assert "shown as" not in KaryResponse(["a", "b"], 1).collect([0] * 50 + [1] * 50).show()


def test_bars_are_drawn(tmp_path):
    Frequencies(KaryResponse(["$a$", "b"], 1), 100, (60, 40)).plot(
        tmp_path / "bars.png", "A question"
    )
    assert (tmp_path / "bars.png").read_bytes().startswith(b"\x89PNG")


def test_shrunk_counts_are_consistent_and_nearer_where_noise_is_large():
    """Forty values of equal frequency: single estimates are mostly noise, and the true counts lie near their mean."""
    protocol = KaryResponse(40, 0.5)
    held = np.arange(20_000) % 40
    truth = np.bincount(held)
    found = protocol.collect(protocol.encode_all(held))
    shrunk = found.shrunk()
    assert shrunk.min() >= 0
    assert shrunk.sum() == pytest.approx(20_000)
    errors = [np.square(each - truth).mean() for each in (shrunk, found.consistent(), found.counts)]
    assert (
        errors[0] < errors[1] / 2 < errors[2] / 2
    )  # by a factor of about ten: fails less than once in a million
    sure = KaryResponse(4, 8)
    told = sure.collect(sure.encode_all(np.repeat(np.arange(4), [9_000, 500, 400, 100])))
    assert np.allclose(told.shrunk(), told.consistent(), atol=20)


@pytest.mark.parametrize(("lead", "noisy"), [(65, True), (200, False)])
def test_counts_are_moved_by_how_much_of_them_is_noise(lead, noisy):
    """By all of it where it is more than half, and by twice its square where it is less."""
    protocol = HadamardResponse(16, 1, bits=1)
    supports = [5_144 + lead * (place % 3 - 1) for place in range(16)]
    found = Frequencies(protocol, 10_000, tuple(supports))
    apart = found.counts - 10_000 / 16
    share = 13 * np.square(found.deviations).mean() / np.square(apart).sum()
    assert bool(share > 0.5) is noisy
    kept = 1 - min(share, 1) if noisy else 1 - 2 * share**2
    assert np.allclose(found.shrunk(), project(10_000 / 16 + kept * apart, 10_000))
