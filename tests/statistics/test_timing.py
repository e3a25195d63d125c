"""How long a single draw takes says nothing about how large it came out.

Spearman's rank correlation of nanoseconds with |noise|. Ranks do not mind a busy machine: pauses fall on large and
small draws alike, so under the null hypothesis the p-value is uniform whatever the machine does. A sampler passes if
p > 1e-4 in one of two independent tries: the false-alarm rate is 1e-8. A leak that reaches a correlation of 0.055 at
20,000 draws (0.025 at 100,000, in `make soak`) is missed by a try with a probability below 1e-4. Welch's test of two
groups, which others use, passes leaky samplers.
"""

import gc
import math
import time
from collections.abc import Callable

import numpy as np
import pytest

from tacit.exact import discrete_gaussian, discrete_laplace, words

GATE = 1e-4
TRIES = 2
DRAWS = 20_000
LONG = 100_000

Sampler = Callable[[], int]


def timed(sampler: Sampler, count: int) -> tuple[np.ndarray, np.ndarray]:
    """The magnitudes of single draws and how long each took."""
    magnitudes, nanoseconds = np.empty(count), np.empty(count)
    clock = time.perf_counter_ns
    for _ in range(200):
        sampler()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for place in range(count):
            start = clock()
            drawn = sampler()
            nanoseconds[place] = clock() - start
            magnitudes[place] = abs(drawn)
    finally:
        if collecting:
            gc.enable()
    return magnitudes, nanoseconds


def ranks(values: np.ndarray) -> np.ndarray:
    """From 1 on; equal values share the mean of their ranks."""
    _, which, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = counts.cumsum()
    return (last - (counts - 1) / 2)[which]


def correlation(one: np.ndarray, other: np.ndarray) -> float:
    """Spearman's rank correlation."""
    return float(np.corrcoef(ranks(one), ranks(other))[0, 1])


def p_value(rank_correlation: float, count: int) -> float:
    """Two-sided; sqrt(n - 1) rho is standard normal to a thousandth at these counts."""
    return math.erfc(abs(rank_correlation) * math.sqrt((count - 1) / 2))


def leaks(sampler: Sampler, count: int) -> list[bool]:
    """Whether time and magnitude go together, by try; a first try without a leak settles it."""
    found = []
    for _ in range(TRIES):
        found.append(p_value(correlation(*timed(sampler, count)), count) <= GATE)
        if not found[-1]:
            break
    return found


PASSES_EXP_OF_MINUS_ONE = int(math.exp(-1) * 2**64)


def looping_laplace(scale: int) -> int:
    """As in Canonne, Kamath and Steinke: a coin of exp(-1) after the other until one fails. The loop tells the size."""
    while True:
        drawn, sign = (int(word) for word in words(2))
        remainder = drawn % scale
        if words(1)[0] >= math.exp(-remainder / scale) * 2**64:
            continue
        rounds = 0
        while words(1)[0] < PASSES_EXP_OF_MINUS_ONE:
            rounds += 1
        magnitude = remainder + scale * rounds
        if magnitude or sign & 1:
            return -magnitude if sign & 1 else magnitude


def padded_loop(scale: int) -> int:
    """The sound sampler, and a loop of a few hundred nanoseconds for every scale that the noise spans."""
    drawn = discrete_laplace(scale)
    for _ in range(20 * (abs(drawn) // scale)):
        drawn ^= 0
    return drawn


SOUND = {
    "discrete_laplace-1000": lambda: discrete_laplace(1000),
    "discrete_laplace-1": lambda: discrete_laplace(1),
    "discrete_gaussian-1000000": lambda: discrete_gaussian(10**12),
}
LEAKY = {
    "a loop of coins": lambda: looping_laplace(1000),
    "a little work for every scale": lambda: padded_loop(1000),
}


@pytest.mark.parametrize("name", ["discrete_laplace-1000", "discrete_gaussian-1000000"])
def test_time_and_noise_are_not_correlated(name):
    assert not all(leaks(SOUND[name], DRAWS))


@pytest.mark.parametrize("name", LEAKY)
def test_a_sampler_with_a_loop_fails_the_same_gate(name):
    assert leaks(LEAKY[name], DRAWS) == [True] * TRIES


@pytest.mark.soak
@pytest.mark.parametrize("name", SOUND)
def test_time_and_noise_are_not_correlated_in_a_long_run(name):
    assert not all(leaks(SOUND[name], LONG))


def test_equal_values_share_their_rank():
    assert ranks(np.array([30, 10, 10, 20])).tolist() == [4, 1.5, 1.5, 3]
    assert correlation(np.arange(10), np.arange(10) ** 3) == pytest.approx(1)
    assert correlation(np.arange(10), -np.arange(10)) == pytest.approx(-1)


def test_the_gate_is_where_it_should_be():
    """A correlation of 0.0275 at 20,000 draws has p = 1e-4."""
    assert p_value(0.0275, DRAWS) == pytest.approx(GATE, rel=0.02)
    assert p_value(0.0, DRAWS) == 1
