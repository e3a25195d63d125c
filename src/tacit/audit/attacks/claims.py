"""Attackers who speak only where a class of a k-anonymous table seems to leave one answer.

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np

from tacit.audit.attacks.chances import most_wins, two_steps
from tacit.audit.attacks.report import AttackReport, Line, Rate

__all__ = ["of_claims"]


def of_claims(
    name: str,
    question: str,
    naive: tuple[int, int],
    tacit: tuple[int, int],
    epsilon: Fraction,
    right: Callable[[float | Fraction], float],
    *,
    sentence: str,
) -> AttackReport:
    """The report on claims about a k-anonymous table and about Tacit's counts: how many are right, how many are made.

    `right` is the chance that a claim about Tacit's counts is right, at an epsilon, in theory.
    """
    limits = tuple(float(limit) for limit in np.geomspace(0.1, 10, 25))
    return AttackReport(
        name,
        question,
        Rate(*naive, 1.0),
        Rate(*tacit, right(epsilon)),
        allowed=most_wins(*two_steps(epsilon, 0)),
        chance=0.5,
        sentence=sentence,
        lines=(
            Line("k-anonymous table", "naive", limits, (1.0,) * len(limits)),
            Line("Tacit, in theory", "tacit", limits, tuple(map(right, limits))),
            Line(
                "Tacit", "tacit", (float(epsilon),), (tacit[0] / max(tacit[1], 1),), measured=True
            ),
            Line(
                "most that two steps allow",
                "allowed",
                limits,
                tuple(most_wins(2 * limit) for limit in limits),
            ),
        ),
        across="limit, epsilon",
        logarithmic=True,
    )
