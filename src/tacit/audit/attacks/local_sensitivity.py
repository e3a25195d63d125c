"""Noise fitted to the local sensitivity: its own scale tells what it should hide.

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins, most_wins
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import discrete_laplace
from tacit.mechanisms import SmoothQuantile, StudentNoise

__all__ = ["local_sensitivity"]

_HIGH = 100
_FEW, _MANY = (0, 0, 0, 0, _HIGH), (0, 0, 0, _HIGH, _HIGH)


def local_sensitivity(games: int = 5_000, epsilon: Fraction = Fraction(1)) -> AttackReport:
    """The report on telling whether one of five people is rich, from a released median, which is poor either way.

    With one rich person no single replacement moves the median, its local sensitivity is zero, and noise in proportion
    to it is none; with two, a third would move it all the way, and the noise is wide. Who sees noise knows.

    >>> local_sensitivity(games=10).question
    'is one of five rich, or are two, given a released median?'
    """
    rich = coins(games)
    wide = discrete_laplace(Fraction(_HIGH) / epsilon, games)
    naive = np.where(rich == 1, wide, 0)
    noise = StudentNoise.calibrate(epsilon)
    median = SmoothQuantile(Fraction(1, 2), 0, _HIGH, noise)
    laws = [_law(median, rows) for rows in (_FEW, _MANY)]
    seen = [median.release(rows, games) for rows in (_FEW, _MANY)]
    released = np.where(rich == 1, seen[1], seen[0])
    guessed = (laws[1] > laws[0])[released]
    quiet = float(np.tanh(float(epsilon) / (2 * _HIGH)))  # wide noise that is zero
    naive_right = int(((naive != 0) == (rich == 1)).sum())
    smooth_right = int((guessed == (rich == 1)).sum())
    expected = float(np.maximum(*laws).sum() / 2)
    limits = tuple(float(limit) for limit in np.geomspace(0.1, 5, 6))
    return AttackReport(
        "local-sensitivity",
        "is one of five rich, or are two, given a released median?",
        Rate(naive_right, games, 1 - quiet / 2),
        Rate(smooth_right, games, expected),
        allowed=most_wins(epsilon),
        chance=0.5,
        sentence=(
            "Noise in proportion to the local sensitivity is zero on one database and wide on its neighbour; a smooth "
            f"bound changes by at most e**{float(noise.beta):.3f} between neighbours, and so does the noise."
        ),
        lines=(
            Line(
                "fitted to the local sensitivity", "naive", limits, (1 - quiet / 2,) * len(limits)
            ),
            Line("smooth sensitivity", "tacit", limits, tuple(_smooth_wins(e) for e in limits)),
            Line(
                "most that epsilon allows", "allowed", limits, tuple(most_wins(e) for e in limits)
            ),
        ),
        across="claimed epsilon",
        logarithmic=True,
    )


def _law(median: SmoothQuantile, rows: tuple[int, ...]) -> NDArray[np.float64]:
    """The exact law of a released median, as doubles."""
    return np.array([float(mass.mid()) for mass in median.distribution(rows).values()])


def _smooth_wins(epsilon: float) -> float:
    """How often the best rule is right on medians with smooth noise."""
    median = SmoothQuantile(Fraction(1, 2), 0, _HIGH, StudentNoise.calibrate(epsilon))
    return float(np.maximum(_law(median, _FEW), _law(median, _MANY)).sum() / 2)
