"""Timing: how long a draw took says how large it came out, if the sampler loops."""

from __future__ import annotations

import gc
from collections.abc import Callable
from math import exp, log
from time import perf_counter_ns

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.report import AttackReport, Line, Rate, Subject
from tacit.exact import discrete_laplace, words

__all__ = ["looping_laplace", "perfect_clock", "slower_is_larger", "time_draws", "timing"]

Sampler = Callable[[], int]
Floats = NDArray[np.float64]

_SCALE = 1000
_PASSES = int(exp(-1) * 2**64)


def timing(pairs: int = 4000) -> AttackReport:
    """The report on guessing which of two noises is larger from which took longer to draw.

    The naive sampler tosses a coin again and again until it fails, as most published ones do. If a clock read
    its rounds perfectly the guess would be right 76.9 % of the time; how near a real one comes is up to the machine,
    so only that bound is stated. Tacit's sampler does work that does not depend on what it draws.

    >>> timing(pairs=50).chance
    0.5
    """
    loop, ours = (
        time_draws(lambda: looping_laplace(_SCALE), 2 * pairs),
        time_draws(lambda: discrete_laplace(_SCALE), 2 * pairs),
    )
    return AttackReport(
        "timing",
        "which of two draws is the larger noise?",
        Rate(*slower_is_larger(*loop)),
        Rate(*slower_is_larger(*ours), 0.5),
        allowed=0.5,
        chance=0.5,
        sentence=(
            "A loop that runs once for every scale that the noise spans tells an observer with a clock how much of a "
            "release is noise; a sampler whose work does not depend on what it draws tells nothing."
        ),
        lines=(_by_size("a loop of coins", "naive", *loop), _by_size("Tacit", "tacit", *ours)),
        across="size of the noise, in scales",
        up="median time of a draw, in microseconds",
    )


def perfect_clock() -> float:
    """The chance of a right guess on the loop, if its rounds could be counted; equal rounds leave a coin.

    >>> round(perfect_clock(), 3)
    0.769
    """
    return 1 - (1 - exp(-1)) / (1 + exp(-1)) / 2


def time_draws(sampler: Sampler, draws: int) -> tuple[Floats, Floats]:
    """The magnitudes of single draws, and how many nanoseconds each took."""
    magnitudes, nanoseconds = np.empty(draws), np.empty(draws)
    for _ in range(100):
        sampler()
    collecting = gc.isenabled()
    gc.disable()
    try:
        for place in range(draws):
            start = perf_counter_ns()
            drawn = sampler()
            nanoseconds[place] = perf_counter_ns() - start
            magnitudes[place] = abs(drawn)
    finally:
        if collecting:
            gc.enable()
    return magnitudes, nanoseconds


def slower_is_larger(magnitudes: Floats, nanoseconds: Floats) -> tuple[int, int]:
    """In how many pairs of following draws the larger took longer, and in how many both differed.

    Claim:      if the time of a draw does not depend on its size, the first is a fair coin's count of the second.
    Because:    draws are independent, so which of two is larger is a fair coin given both times; pauses of the machine
                fall on large and small noise alike.
    Checked by: tests/unit/audit/attacks/test_timing.py

    >>> slower_is_larger(np.array([1.0, 2.0, 5.0, 3.0]), np.array([10.0, 20.0, 10.0, 30.0]))
    (1, 2)
    """
    told = np.sign(magnitudes[::2] - magnitudes[1::2]) * np.sign(
        nanoseconds[::2] - nanoseconds[1::2]
    )
    return int((told > 0).sum()), int((told != 0).sum())


def _by_size(label: str, of: Subject, magnitudes: Floats, nanoseconds: Floats) -> Line:
    scales = np.minimum(magnitudes // _SCALE, 4)
    seen = [scale for scale in range(5) if (scales == scale).any()]
    medians = tuple(float(np.median(nanoseconds[scales == scale])) / 1000 for scale in seen)
    return Line(label, of, tuple(map(float, seen)), medians, measured=True)


def looping_laplace(scale: int) -> int:
    """Laplace noise by a loop: a remainder, and a coin of exp(-1) after the other until one fails.

    >>> isinstance(looping_laplace(10), int)
    True
    """
    sign, drawn = (int(word) for word in words(2))
    remainder = int(-log((drawn + 1) / 2.0**64) * scale) % scale
    rounds = 0
    while words(1)[0] < _PASSES:
        rounds += 1
    magnitude = remainder + scale * rounds
    return -magnitude if sign & 1 else magnitude
