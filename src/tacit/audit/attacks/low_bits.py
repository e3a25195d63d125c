"""Low bits: floating-point Laplace noise carries the answer in its last digits (Mironov 2012).

Checked by: tests/attacks/test_lab_low_bits.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import most_wins
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import words
from tacit.mechanisms import Laplace

__all__ = ["float_laplace", "low_bits", "low_bits_right", "told_by_low_bits"]

Floats = NDArray[np.float64]
Sampler = Callable[[int, int], Floats]  # an answer and a number of samples

_WINDOW = 1 / 16
_GRID = Fraction(1, 1 << 20)


def low_bits(samples: int = 100_000) -> AttackReport:
    """The report on telling an answer of 0 from an answer of 1 by the last digits of noisy floats, at epsilon 1.

    Near zero, 1 + noise is a multiple of 2^-53 and 0 + noise hardly ever is. The attacker looks at releases
    between -1/16 and 0, learns on one half of the samples what their digits mean, and guesses on the other. There,
    location alone wins exactly as often as epsilon allows.

    >>> low_bits(samples=20_000).allowed == most_wins(1)
    True
    """
    laplace = Laplace.calibrate(epsilon=1, sensitivity=1, grid=_GRID)
    naive = told_by_low_bits(float_laplace, samples)
    tacit = told_by_low_bits(
        lambda answer, count: laplace.release(np.full(count, float(answer))), samples
    )
    windows = tuple(2.0**-k for k in range(2, 11))
    return AttackReport(
        "low-bits",
        "is the answer 0 or 1, given a release just below zero?",
        Rate(*naive, low_bits_right(_WINDOW)),
        Rate(*tacit, most_wins(1)),
        allowed=most_wins(1),
        chance=0.5,
        sentence=(
            "Which floats can come out at all depends on the answer, so a single release may give it away; Tacit "
            "adds whole numbers to whole numbers, and every release is a multiple of a public step."
        ),
        lines=(
            Line(
                "floating-point noise, in theory",
                "naive",
                windows,
                tuple(map(low_bits_right, windows)),
            ),
            Line(
                "floating-point noise",
                "naive",
                (_WINDOW,),
                (naive[0] / max(naive[1], 1),),
                measured=True,
            ),
            Line("Tacit", "tacit", (_WINDOW,), (tacit[0] / max(tacit[1], 1),), measured=True),
            Line("most that epsilon 1 allows", "allowed", windows, (most_wins(1),) * len(windows)),
        ),
        across="how near to zero the release is",
        logarithmic=True,
    )


def float_laplace(answer: int, count: int) -> Floats:
    """An answer plus Laplace noise of scale 1, as textbooks draw it: the logarithm of a uniform float.

    >>> len(float_laplace(0, 5))
    5
    """
    drawn = words(count)
    uniform = ((drawn >> np.uint64(11)) + np.uint64(1)) / 2.0**53
    return answer + np.where(drawn & np.uint64(1), 1.0, -1.0) * np.log(uniform)


def told_by_low_bits(sampler: Sampler, samples: int) -> tuple[int, int]:
    """How many guesses are right, and how many are made, of a rule learnt on other samples of the same sampler.

    Half of the samples are of an answer of 0 and half of 1. Half of each teaches whether releases just below zero that
    are multiples of 2^-53, and those that are not, come more often from 0 or from 1.
    """
    learnt, tested = (
        [_near(sampler(answer, samples // 4)) for answer in (0, 1)]
        for _ in ("to learn from", "to guess")
    )
    right = tried = 0
    for multiple in (False, True):
        votes = [int((_multiples(seen) == multiple).sum()) for seen in learnt]
        counts = [int((_multiples(seen) == multiple).sum()) for seen in tested]
        right, tried = right + counts[votes[1] > votes[0]], tried + sum(counts)
    return right, tried


def low_bits_right(window: float) -> float:
    """The chance that a guess on floating-point noise is right, if the digits that a float has to spare are fair coins.

    A float between 2^-k and 2^(1-k) is a multiple of 2^-52-k, and so by chance one of 2^-53 with probability 2^(1-k).
    """
    zero, luck, top = 0.0, 0.0, window
    for _ in range(60):
        inside = (exp(-top / 2) - exp(-top)) / 2  # the noise is between -top and -top/2
        zero, luck, top = zero + inside, luck + inside * top, top / 2
    return (zero - luck + zero / exp(1)) / (zero + zero / exp(1))


def _near(released: Floats) -> Floats:
    return released[(released > -_WINDOW) & (released <= 0)]


def _multiples(released: Floats) -> NDArray[np.bool_]:
    scaled = released * 2.0**53
    return np.asarray(scaled == np.rint(scaled))
