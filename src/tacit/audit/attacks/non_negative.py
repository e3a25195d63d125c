"""Resampling until the answer is not negative: a count that looks better and is no longer private.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins, most_wins
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.mechanisms import Laplace

__all__ = ["non_negative", "resampled_zero_right"]


def non_negative(games: int = 60_000, epsilon: Fraction = Fraction(1)) -> AttackReport:
    """The report on telling a count of 0 from a count of 1 by a released zero, if noise is drawn until it fits.

    With no count at all, half of the noise would be negative and is drawn again, which makes a zero likelier than
    epsilon allows. Tacit releases first and clamps afterwards, which is free.

    >>> non_negative(games=100).question
    'is the count 0 or 1, given a released zero?'
    """
    counts = coins(games)
    laplace = Laplace(1 / epsilon)
    naive = _resample(laplace, counts)
    clamped = np.maximum(laplace.release(counts), 0)
    rates = [
        (int((counts[seen == 0] == 0).sum()), int((seen == 0).sum())) for seen in (naive, clamped)
    ]
    limits = tuple(float(limit) for limit in np.geomspace(0.05, 5, 25))
    return AttackReport(
        "non-negative",
        "is the count 0 or 1, given a released zero?",
        Rate(*rates[0], resampled_zero_right(epsilon)),
        Rate(*rates[1], most_wins(epsilon)),
        allowed=most_wins(epsilon),
        chance=0.5,
        sentence=(
            f"Noise that is drawn until the answer is not negative claims epsilon {float(epsilon):g} and costs "
            f"{float(epsilon) + np.log1p(exp(-epsilon) - exp(-2 * epsilon)):.3f}; a clamp after the noise "
            "costs nothing."
        ),
        lines=(
            Line(
                "resampled, in theory",
                "naive",
                limits,
                tuple(resampled_zero_right(limit) for limit in limits),
            ),
            Line(
                "resampled",
                "naive",
                (float(epsilon),),
                (rates[0][0] / max(rates[0][1], 1),),
                measured=True,
            ),
            Line(
                "Tacit",
                "tacit",
                (float(epsilon),),
                (rates[1][0] / max(rates[1][1], 1),),
                measured=True,
            ),
            Line(
                "most that epsilon allows",
                "allowed",
                limits,
                tuple(most_wins(limit) for limit in limits),
            ),
        ),
        across="claimed epsilon",
        logarithmic=True,
    )


def resampled_zero_right(epsilon: float | Fraction) -> float:
    """The chance that a zero comes from a count of 0, if noise is drawn until the sum is not negative.

    A zero is e^epsilon times as likely under 0 before anything is thrown away, and 1 + r - r^2 times more often kept,
    with r = e^-epsilon: noise is at least 0 with probability 1/(1 + r), at least -1 with (1 + r - r^2)/(1 + r).

    >>> resampled_zero_right(1) > most_wins(1)
    True
    """
    ratio = exp(-float(epsilon))
    odds = (1 + ratio - ratio**2) / ratio
    return odds / (1 + odds)


def _resample(laplace: Laplace, counts: NDArray[np.int64]) -> NDArray[np.int64]:
    noisy = np.full(len(counts), -1, np.int64)
    while (left := noisy < 0).any():
        noisy[left] = laplace.release(counts[left])
    return noisy
