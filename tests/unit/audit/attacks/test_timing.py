"""Guessing by the clock: what counts as a right guess, and the loop that is guessed."""

import numpy as np

from tacit.audit.attacks.report import Rate
from tacit.audit.attacks.timing import looping_laplace, perfect_clock, slower_is_larger, time_draws
from tacit.exact import below


def test_a_clock_that_reads_the_size_is_always_right():
    sizes = below(1000, 2000).astype(float)
    right, tried = slower_is_larger(sizes, 5 * sizes + 1)
    assert right == tried > 900
    assert slower_is_larger(sizes, -sizes) == (0, tried)


def test_a_clock_that_reads_nothing_is_a_coin_and_ties_are_not_tried():
    """False alarm 1e-6."""
    sizes, times = below(1000, 20_000).astype(float), below(50, 20_000).astype(float)
    assert Rate(*slower_is_larger(sizes, times), expected=0.5).agrees(1e-6)
    assert slower_is_larger(sizes, np.zeros(20_000)) == (0, 0)


def test_the_loop_draws_laplace_noise():
    """P(|z| >= 10) = exp(-1) and half of all are negative; false alarm 1e-6 each."""
    drawn = np.array([looping_laplace(10) for _ in range(4000)])
    assert Rate(float((np.abs(drawn) >= 10).sum()), 4000, float(np.exp(-1))).agrees(1e-6)
    assert Rate(float((np.abs(drawn) >= 5).sum()), 4000, float(np.exp(-0.5))).agrees(1e-6)


def test_a_perfect_clock_counts_rounds():
    """False alarm 1e-6."""
    rounds = np.array([abs(looping_laplace(1000)) for _ in range(4000)], dtype=float)
    right = (rounds[::2] // 1000 - rounds[1::2] // 1000) * (rounds[::2] - rounds[1::2])
    ties = (rounds[::2] // 1000 == rounds[1::2] // 1000).sum()
    assert Rate(float((right > 0).sum() + ties / 2), 2000, perfect_clock()).agrees(1e-6)


def test_draws_are_timed_one_by_one():
    sizes, times = time_draws(lambda: -3, 10)
    assert sizes.tolist() == [3] * 10
    assert (times >= 0).all()
