"""How often intervals of local estimates cover the truth, computed from the exact law of what they are made of."""

from math import lgamma, log

import numpy as np
import pytest

from tacit.local import (
    CountMeanSketch,
    Frequencies,
    HadamardResponse,
    KaryResponse,
    LocalHashing,
    SubsetSelection,
    Unary,
)

PEOPLE = 2000
PROTOCOLS = {
    "k-ary": KaryResponse(8, epsilon=1),
    "unary": Unary(8, epsilon=1),
    "local hashing": LocalHashing(50, epsilon=2),
    "Hadamard": HadamardResponse(50, epsilon=0.5),
    "Hadamard, several bits": HadamardResponse(50, epsilon=3),
    "subset": SubsetSelection(20, epsilon=1),
    "sketch": CountMeanSketch(50, epsilon=2, width=7),
}


def binomial(count, chance):
    k = np.arange(count + 1)
    logs = np.array([lgamma(count + 1) - lgamma(i + 1) - lgamma(count - i + 1) for i in k])
    return np.exp(logs + k * log(chance) + (count - k) * log(1 - chance))


def coverage(protocol, held, confidence, simultaneous=False):
    """The probability that the interval of a value holds its count, by the law of its supports."""
    p, q = float(protocol.truth), float(protocol.stray)
    law = np.convolve(binomial(held, p), binomial(PEOPLE - held, q))
    likely = np.flatnonzero(law > 1e-12)
    # As many supports as there are values are judged at once: each value of a made-up collection is one of them.
    found = 0.0
    size = len(protocol.values)
    for start in range(0, len(likely), size):
        some = likely[start : start + size]
        supports = np.resize(some, size)
        ends = Frequencies(protocol, PEOPLE, tuple(supports.tolist())).intervals(
            confidence, simultaneous=simultaneous
        )
        covers = (ends[: len(some), 0] <= held) & (held <= ends[: len(some), 1])
        found += float(law[some][covers].sum())
    return found


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_intervals_cover_as_often_as_they_say(protocol):
    for held in (40, 200, 1000, 1800):
        assert 0.94 <= coverage(protocol, held, 0.95) <= 0.965
        assert 0.985 <= coverage(protocol, held, 0.99) <= 0.995


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_an_absent_value_is_covered_at_least_as_often(protocol):
    assert coverage(protocol, 0, 0.95) >= 0.94


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=PROTOCOLS)
def test_simultaneous_intervals_miss_one_value_as_rarely_as_bonferroni_asks(protocol):
    size = len(protocol.values)
    for held in (0, 200, 1000):
        missed = 1 - coverage(protocol, held, 0.95, simultaneous=True)
        assert missed <= 1.7 * 0.05 / size
