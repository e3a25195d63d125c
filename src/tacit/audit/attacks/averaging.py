"""Averaging: the same question again and again, until the noise is gone.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins, laplace_masses, most_wins
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.errors import LimitExceeded
from tacit.mechanisms import Laplace

__all__ = ["averaging", "mean_wins", "stored_wins"]

_OTHERS = 4  # people of each cell whom the attacker knows to be there
_SPELLINGS = (
    "SELECT cell, COUNT(*) AS n FROM data GROUP BY cell",
    "select d.cell, count(*) as people from data as d group by d.cell order by people desc",
    "SELECT cell, COUNT(*) AS again FROM data WHERE 1 = 1 GROUP BY cell",
)


def averaging(
    games: int = 1000, times: int = 200, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on asking one count many times and taking the mean, to learn whether somebody is in the table.

    The naive service draws fresh noise for every asking and keeps no ledger. Tacit's vault has a limit of one such
    answer: asked again, it gives the stored one, and a spelling that it takes for a new question is refused.

    >>> averaging(games=20, times=50).question
    'is this person in the table?'
    """
    present = coins(games)
    asked = sorted({1, 2, 5, 10, 20, 50, 100, times})
    noise = Laplace(1 / epsilon).release(np.zeros((times, games), np.int64))
    sums = np.cumsum(noise + present, axis=0)
    naive = {k: int(((2 * sums[k - 1] > k) == present).sum()) for k in asked if k <= times}
    answers = _answers(present, epsilon)
    tacit = Rate(
        float(((2 * answers.mean(axis=0) > 1) == present).sum()), games, stored_wins(epsilon)
    )
    counts = tuple(map(float, naive))
    return AttackReport(
        "averaging",
        "is this person in the table?",
        Rate(naive[times], games, mean_wins(times, epsilon)),
        tacit,
        allowed=most_wins(epsilon),
        chance=0.5,
        sentence=(
            f"The mean of {times} noisy answers at epsilon {float(epsilon):g} each has hardly any noise left; Tacit "
            "repeats the stored answer, and its ledger bounds all answers together."
        ),
        lines=(
            Line(
                "fresh noise each time",
                "naive",
                counts,
                tuple(won / games for won in naive.values()),
                measured=True,
            ),
            Line("in theory", "naive", counts, tuple(mean_wins(int(k), epsilon) for k in counts)),
            Line("Tacit", "tacit", counts, (tacit.share,) * len(counts), measured=True),
            Line(
                "most that epsilon allows", "allowed", counts, (most_wins(epsilon),) * len(counts)
            ),
        ),
        across="times asked",
        logarithmic=True,
    )


def mean_wins(times: int, epsilon: Fraction) -> float:
    """The chance that the mean of so many noisy answers is on the right side of one half.

    >>> round(mean_wins(1, Fraction(1)), 4) == round(most_wins(1), 4)
    True
    """
    reach = 40 * int(1 / epsilon + 1)
    size = 2 * times * reach + 1
    spectrum = np.fft.rfft(laplace_masses(1 / epsilon, reach), size)
    sums = np.fft.irfft(spectrum**times, size)  # the law of the sum, from -times * reach on
    below = np.cumsum(sums)
    half, zero = times / 2, times * reach
    at_most = below[zero + int(np.floor(half))]  # absent: no more than half
    # present: the noise is above minus one half; the law is symmetric
    less = below[zero + int(np.ceil(half)) - 1]
    return float((at_most + less) / 2)


def stored_wins(epsilon: float | Fraction) -> float:
    """The chance that one count of a vault is on the right side of one half.

    Its noise is drawn on a fine grid and the count rounded afterwards, which tells a little less than whole noise.

    >>> 0.5 < stored_wins(0.5) < most_wins(0.5)
    True
    """
    return 1 - exp(-float(epsilon) / 2) / 2


def _answers(present: NDArray[np.int64], epsilon: Fraction) -> NDArray[np.float64]:
    """What the vault says about each cell, beyond the known people, every time it is asked."""
    from tacit.curator import protect  # here, so that the audit alone needs no engine

    cells = range(len(present))
    rows = [
        {"person": f"{cell}/{k}", "cell": cell}
        for cell in cells
        for k in range(_OTHERS + int(present[cell]))
    ]
    vault = protect(
        rows, unit="person", contributions=1, columns={"cell": list(cells)}, epsilon=epsilon
    )
    said = []
    for text in _SPELLINGS:
        # a spelling that is not recognised is a new question, and the limit is spent
        with suppress(LimitExceeded):
            said.append(vault.sql(text, epsilon=epsilon))
    counts = [
        dict(zip(answer.column("cell"), answer.column(answer.measured[0]), strict=True))
        for answer in said
    ]
    return np.array([[one[cell] - _OTHERS for cell in cells] for one in counts], dtype=np.float64)
