"""How likely attackers are to win: what a loss allows them, and the noise they meet."""

from __future__ import annotations

from fractions import Fraction
from math import erf, exp, expm1, sinh, sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.exact import words

__all__ = [
    "below_normal",
    "coins",
    "counted_masses",
    "laplace_masses",
    "most_guessed",
    "most_wins",
    "two_steps",
]

Floats = NDArray[np.float64]


def most_wins(epsilon: float | Fraction, delta: float | Fraction = 0) -> float:
    """The most often that anybody tells two equally likely worlds apart from a release that is (epsilon, delta)-DP.

    Claim:      no rule wins more often than (e^epsilon + delta) / (1 + e^epsilon).
    Because:    hits are at most e^epsilon false alarms + delta, and the same the other way round; the sum of hits and
                correct silences is largest where both are equalities.
    Checked by: tests/unit/audit/attacks/test_chances.py

    >>> round(most_wins(1), 4), most_wins(0)
    (0.7311, 0.5)
    """
    return min(1.0, (1 + float(delta) * exp(-float(epsilon))) / (1 + exp(-float(epsilon))))


def most_guessed(epsilon: float | Fraction, kinds: int) -> float:
    """The most often that anybody guesses which of so many equally likely secrets a pure release was made from.

    Claim:      no rule is right more often than e^epsilon / (e^epsilon + kinds - 1), if any two secrets are epsilon
                apart.
    Because:    given what is seen, every other secret is at least e^-epsilon times as likely as the guessed one.
    Checked by: tests/unit/audit/attacks/test_chances.py

    >>> most_guessed(0, 4), most_guessed(1, 2) == most_wins(1)
    (0.25, True)
    """
    return 1 / (1 + (kinds - 1) * exp(-float(epsilon)))


def two_steps(epsilon: float | Fraction, delta: float | Fraction) -> tuple[float, float]:
    """The (epsilon, delta) of replacing a unit, where one step of add-or-remove has the given ones.

    >>> two_steps(1, 0)
    (2.0, 0.0)
    """
    return 2 * float(epsilon), (1 + exp(float(epsilon))) * float(delta)


def laplace_masses(scale: float | Fraction, reach: int) -> Floats:
    """The probabilities of discrete Laplace noise from -reach to reach.

    >>> float(laplace_masses(1, 60).sum().round(12))
    1.0
    """
    ratio = exp(-1 / float(scale))
    return np.asarray(
        (1 - ratio) / (1 + ratio) * ratio ** np.abs(np.arange(-reach, reach + 1)), dtype=np.float64
    )


def counted_masses(scale: float | Fraction, reach: int) -> Floats:
    """The probabilities of the noise on a vault's counts, from -reach to reach: Laplace noise on a fine grid, rounded.

    >>> float(counted_masses(1, 60).sum().round(12))
    1.0
    """
    places = np.abs(np.arange(-reach, reach + 1)) / float(scale)
    masses = np.exp(-places) * sinh(1 / (2 * float(scale)))
    masses[reach] = -expm1(-1 / (2 * float(scale)))
    return np.asarray(masses, dtype=np.float64)


def below_normal(deviations: float) -> float:
    """The probability that a standard normal number is below so many deviations.

    >>> below_normal(0)
    0.5
    """
    return (1 + erf(deviations / sqrt(2))) / 2


def coins(count: int) -> NDArray[np.int64]:
    """So many fair coins, 0 or 1.

    >>> len(coins(100))
    100
    """
    return np.unpackbits(words(-(-count // 64)).view(np.uint8))[:count].astype(np.int64)
