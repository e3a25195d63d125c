"""Protocols, by example: what they accept, what they refuse, what they estimate."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.errors import InvalidData, InvalidInput
from tacit.local import (
    CountMeanSketch,
    HadamardResponse,
    Hybrid,
    KaryResponse,
    LocalHashing,
    Piecewise,
    SubsetSelection,
    Unary,
)
from tacit.local.hadamard import walsh
from tests.laws.every_protocol import FREQUENCIES, MEANS, every_frequency, every_mean, names_of

F = Fraction


def test_the_named_forms_of_two_values():
    assert KaryResponse.two_coin().truth == F(3, 4)
    assert KaryResponse.two_coin().epsilon == pytest.approx(np.log(3), rel=1e-15)
    assert KaryResponse.half_plus(F(1, 7)).ratio == (1 + F(2, 7)) / (1 - F(2, 7))
    assert KaryResponse.warner(1).variance() == pytest.approx(np.e / (np.e - 1) ** 2)


def test_the_variances_of_the_literature():
    e = np.e
    assert float(Unary(9, 1).variance()) == pytest.approx(4 * e / (e - 1) ** 2)
    assert float(Unary.symmetric(9, 1).variance()) == pytest.approx(
        np.sqrt(e) / (np.sqrt(e) - 1) ** 2
    )
    assert float(HadamardResponse(9, 1, bits=1).variance()) == pytest.approx(
        ((e + 1) / (e - 1)) ** 2
    )
    assert float(KaryResponse(16, 1).variance()) == pytest.approx((14 + e) / (e - 1) ** 2)
    g = LocalHashing(9, 1).family.prime
    assert float(LocalHashing(9, 1).variance()) == pytest.approx(
        (e - 1 + g) ** 2 / ((e - 1) ** 2 * (g - 1))
    )
    assert float(SubsetSelection(1024, 1).variance()) == pytest.approx(3.67, abs=0.01)


@every_frequency
def test_a_list_and_an_array_of_the_same_reports_say_the_same(protocol):
    array = protocol.encode_all([protocol.values[i % len(protocol.values)] for i in range(200)])
    listed = names_of(protocol, array)
    assert protocol.collect(listed) == protocol.collect(array)
    some, rest = protocol.collect(array[:70]), protocol.collect(array[70:])
    assert some + rest == protocol.collect(array)


BAD: list[object] = [
    None,
    True,
    -1,
    10**9,
    10**30,
    1.0,
    "",
    "zz",
    "0",
    "00" * 50,
    [],
    [0],
    [0, 0, 0],
    [-1, 0],
    ["0", 0],
    {},
]


@every_frequency
def test_a_report_that_is_none_is_refused(protocol):
    for report in BAD:
        with pytest.raises(InvalidData):
            protocol.collect([report])


@every_mean
def test_a_report_of_a_number_that_is_none_is_refused(protocol):
    for report in BAD:
        with pytest.raises(InvalidData):
            protocol.collect([report])


@every_frequency
def test_an_array_of_another_kind_is_refused(protocol):
    for array in (
        np.array([0.5]),
        np.array([[-1]]),
        np.array([10**12]),
        np.full((2, 50), 255, np.uint8),
    ):
        with pytest.raises(InvalidData):
            protocol.collect(array)


def test_bits_beyond_the_last_value_are_refused():
    with pytest.raises(InvalidData, match="beyond"):
        Unary(3, epsilon=1).collect(["ff"])
    with pytest.raises(InvalidData, match="3 values"):
        SubsetSelection(8, epsilon=F(1, 2)).collect(["ff"])


@every_frequency
def test_a_value_that_is_none_is_refused_without_being_told(protocol):
    for value in ("a secret", -1, 99, 0.5, None):
        with pytest.raises(InvalidData) as refusal:
            protocol.encode(value)
        assert "secret" not in str(refusal.value)
    with pytest.raises(InvalidData):
        protocol.encode_all(["a secret"])


def test_no_reports_are_no_estimate():
    for protocol in (*FREQUENCIES.values(), *MEANS.values()):
        with pytest.raises(InvalidData):
            protocol.collect([])


def test_values_must_be_two_and_different():
    for values in (0, 1, [], ["a"], ["a", "a"], "ab", None, True):
        with pytest.raises(InvalidInput):
            KaryResponse(values, epsilon=1)


def test_the_walsh_transform_is_its_matrix():
    size = 16
    matrix = np.array([[(-1) ** (i & j).bit_count() for j in range(size)] for i in range(size)])
    numbers = np.arange(size) ** 2 - 7
    assert walsh(numbers).tolist() == (matrix @ numbers).tolist()


def test_estimates_are_near_the_truth():
    """Six deviations: fails once in 10^8 for each value."""
    held = np.repeat(np.arange(5), [10_000, 5_000, 3_000, 2_000, 0])
    protocols = [
        KaryResponse(5, 2),
        Unary(5, 2),
        Unary.symmetric(5, 2),
        LocalHashing(5, 2),
        HadamardResponse(5, 2),
        SubsetSelection(5, 2),
        CountMeanSketch(5, 2, width=5),
    ]
    for protocol in protocols:
        found = protocol.collect(protocol.encode_all(held))
        truth = np.bincount(held, minlength=5)
        assert (np.abs(found.counts - truth) < 6 * found.deviations).all()


def test_means_are_near_the_truth():
    """Six deviations: fails once in 10^8."""
    numbers = np.linspace(10, 60, 20_000)
    for protocol in (Hybrid(0, 100, 2), Hybrid(0, 100, F(1, 2)), Piecewise(0, 100, 1)):
        found = protocol.collect(protocol.encode_all(numbers))
        assert abs(found.value - 35) < 6 * found.deviation + 0.01
        low, high = found.interval()
        assert 0 <= low < found.value < high <= 100


def test_the_variance_of_means_is_near_that_of_the_continuous_mechanisms():
    """Per person on [-1, 1] (Wang et al. 2019): Duchi's largest, piecewise at zero and at one."""
    e = np.exp(1)
    root = np.sqrt(e)
    piecewise = Piecewise(-1, 1, 1)
    expected = [
        1 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2),
        (root + 3) / (3 * (root - 1) ** 2),
    ]
    found = [float(piecewise.variance(step)) for step in (piecewise.steps, piecewise.steps // 2)]
    assert found == pytest.approx(expected, rel=0.01)
    assert float(MEANS["Duchi, one step"].variance(0)) < ((np.sqrt(e) + 1) / (np.sqrt(e) - 1)) ** 2


def test_a_number_outside_its_range_counts_as_the_end():
    protocol = Hybrid(0, 100, 1)
    assert [protocol.step_of(number) for number in (-5, 0, 100, 1e9)] == [0, 0, 65536, 65536]
    assert protocol.step_of(F(50)) == 32768
    with pytest.raises(InvalidData):
        protocol.encode_all([float("nan")])
