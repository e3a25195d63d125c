"""Heavy hitters on small domains, exactly, and on a large one."""

from fractions import Fraction

import numpy as np
import pytest

from tacit.audit import verify
from tacit.errors import InvalidData, InvalidInput
from tacit.local import HeavyHitters
from tacit.privacy import Neighbours
from tests.laws.every_protocol import crossed_law, enumerated_law

F = Fraction

SMALL = {
    "two levels": HeavyHitters(3, epsilon=1, segments=(2, 1)),
    "three levels": HeavyHitters(3, epsilon=F(1, 10), segments=(1, 1, 1)),
    "one level": HeavyHitters(2, epsilon=2),
}
every = pytest.mark.parametrize("hitters", SMALL.values(), ids=SMALL)


@every
def test_the_exact_law_costs_what_is_claimed(hitters):
    values = range(1 << hitters.bits)
    report = verify(lambda rows: hitters.distribution(rows[0]), values, 1, Neighbours.REPLACE)
    assert report.ratio() == hitters.ratio
    assert hitters.loss().epsilon == pytest.approx(np.log(float(hitters.ratio)))


@every
def test_a_report_has_the_exact_law(hitters):
    for value in range(1 << hitters.bits):
        assert enumerated_law(lambda draws, value=value: hitters.randomise(value, draws)) == (
            hitters.distribution(value)
        )


def test_many_at_once_have_the_same_law():
    """Levels are drawn for all and seeds for those of a level, so a level is judged at a time."""
    hitters = SMALL["one level"]
    for value in range(4):
        law = crossed_law(
            hitters.randomise_all, value, lambda made: [tuple(map(int, each)) for each in made]
        )
        assert law == hitters.distribution(value)


@every
def test_the_counts_of_all_values_are_those_of_the_reports(hitters):
    reports = hitters.encode_all(np.arange(400) % (1 << hitters.bits))
    size = 1 << hitters.bits
    found = hitters.find(reports, top=size, kept=size)
    last = len(hitters.segments) - 1
    own = reports[reports["level"] == last]
    family = hitters._family(last)
    for hitter in found:
        index = hitters._index(hitter.value, last)
        supports = sum(family.hash(int(each["seed"]), index) == each["place"] for each in own)
        p, q = float(hitters.truth), 1 / hitters.places
        expected = (supports - len(own) * q) / (p - q) * len(reports) / len(own)
        assert hitter.count == pytest.approx(expected)
    assert sorted(hitter.value for hitter in found) == list(range(size))
    listed = [tuple(map(int, each)) for each in reports]
    assert hitters.find(listed, top=size, kept=size) == found


def test_frequent_values_of_a_large_domain_are_found():
    """Ten values of a tenth each lie ten deviations above the noise: missing one has odds below 10^-9."""
    names = np.arange(1, 11) * 98_765_432_1 % 2**24
    hitters = HeavyHitters(24, epsilon=2, segments=(16, 8))
    found = hitters.find(hitters.encode_all(np.repeat(names, 3000)), top=10, kept=32)
    assert {hitter.value for hitter in found} == set(names.tolist())
    for hitter in found:
        assert abs(hitter.count - 3000) < 8 * (hitter.high - hitter.low) / 4


@pytest.mark.parametrize(
    "report", [None, 5, [], [0, 0], [3, 0, 0], [0, -1, 0], [0, 10**9, 0], [0, 0, 9], [0, 2**70, 0]]
)
def test_a_report_that_is_none_is_refused(report):
    with pytest.raises(InvalidData):
        SMALL["two levels"].find([report])


@pytest.mark.parametrize("values", [[-1], [8], [0.5], ["a"], [[1]]])
def test_a_value_that_is_none_is_refused(values):
    with pytest.raises(InvalidData):
        SMALL["two levels"].encode_all(values)


@pytest.mark.parametrize(
    "wrong",
    [{"bits": 0}, {"bits": 49}, {"bits": 8, "segments": (4, 3)}, {"bits": 30, "segments": (30,)}],
)
def test_a_domain_that_cannot_be_judged_is_refused(wrong):
    with pytest.raises(InvalidInput):
        HeavyHitters(epsilon=1, **wrong)


def test_too_few_reports_are_refused():
    with pytest.raises(InvalidData):
        SMALL["two levels"].find([(0, 0, 0)])
