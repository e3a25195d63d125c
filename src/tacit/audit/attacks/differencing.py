"""Differencing: how many there are, minus how many there are without one person.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import coins, counted_masses, most_wins
from tacit.audit.attacks.report import AttackReport, Line, Rate

__all__ = ["difference_wins", "differencing"]

_OTHERS = 12
_ALL = "SELECT cell, COUNT(*) AS n FROM data GROUP BY cell"
_WITHOUT = "SELECT cell, COUNT(*) AS n FROM data WHERE born <> 1931 GROUP BY cell"


def differencing(games: int = 1000, epsilon: Fraction = Fraction(1)) -> AttackReport:
    """The report on subtracting two counts over many people, to learn whether one is in the table.

    The naive service answers exactly and refuses sets of fewer than ten people, which stops neither question. Tacit
    answers both at half the limit each.

    >>> differencing(games=20).naive.share
    1.0
    """
    present = coins(games)
    naive = (_OTHERS + present) - np.full(games, _OTHERS)
    first, second = _answers(present, epsilon)
    tacit = Rate(
        float((((first - second) > 0.5) == present).sum()), games, difference_wins(epsilon)
    )
    limits = tuple(float(limit) for limit in np.geomspace(0.1, 10, 25))
    return AttackReport(
        "differencing",
        "is this person in the table?",
        Rate(float(((naive > 0) == present).sum()), games, 1.0),
        tacit,
        allowed=most_wins(epsilon),
        chance=0.5,
        sentence=(
            "Two exact counts over many people differ by exactly one person; with noise on both, the difference says "
            "no more than the two prices together allow."
        ),
        lines=(
            Line("exact counts", "naive", limits, (1.0,) * len(limits)),
            Line(
                "Tacit, in theory",
                "tacit",
                limits,
                tuple(difference_wins(limit) for limit in limits),
            ),
            Line("Tacit", "tacit", (float(epsilon),), (tacit.share,), measured=True),
            Line(
                "most that epsilon allows",
                "allowed",
                limits,
                tuple(most_wins(limit) for limit in limits),
            ),
        ),
        across="limit, epsilon",
        logarithmic=True,
    )


def difference_wins(epsilon: float | Fraction) -> float:
    """The chance that the difference of two noisy counts, each at half of epsilon, is on the right side of one half.

    >>> 0.5 < difference_wins(1) < most_wins(1)
    True
    """
    masses = counted_masses(2 / epsilon, 60 * int(2 / epsilon + 1))
    # the difference of two draws is zero with the sum of squares
    return float((1 + (masses**2).sum()) / 2)


def _answers(present: NDArray[np.int64], epsilon: Fraction) -> list[NDArray[np.float64]]:
    from tacit.curator import protect  # here, so that the audit alone needs no engine

    cells = range(len(present))
    rows = [
        {"person": f"{cell}/{k}", "cell": cell, "born": 1931 if k == _OTHERS else 1950 + k}
        for cell in cells
        for k in range(_OTHERS + int(present[cell]))
    ]
    columns = {"cell": list(cells), "born": (1900, 2030)}
    vault = protect(rows, unit="person", contributions=1, columns=columns, epsilon=epsilon)
    said = [vault.sql(text, epsilon=epsilon / 2) for text in (_ALL, _WITHOUT)]
    counts = [dict(zip(answer.column("cell"), answer.column("n"), strict=True)) for answer in said]
    return [np.array([one[cell] for cell in cells], dtype=np.float64) for one in counts]
