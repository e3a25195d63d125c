"""One random row: published as it is, and yet any two neighbours look almost alike.

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.audit.attacks.chances import most_guessed, two_steps
from tacit.audit.attacks.name_and_shame import guessed_from_counts
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import below

__all__ = ["random_row"]


def random_row(
    games: int = 10_000, people: int = 100, kinds: int = 32, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on a mechanism that publishes one row, drawn uniformly from all.

    Replacing a row moves it by total variation 1/n only, and every release reveals a row with certainty.

    >>> random_row(games=50).naive.share
    1.0
    """
    secrets = below(kinds, games * people).reshape(games, people)
    drawn = below(people, games)
    published = np.column_stack([drawn, secrets[np.arange(games), drawn]])  # who, and what
    right = secrets[np.arange(games), published[:, 0]] == published[:, 1]
    tacit = guessed_from_counts(games, kinds, epsilon)
    allowed = most_guessed(two_steps(epsilon, 0)[0], kinds)
    numbers = (2.0, 5.0, 10.0, 20.0, 50.0, 100.0)
    return AttackReport(
        "random-row",
        f"whose row is it, and which of {kinds} secrets does it hold?",
        Rate(float(right.sum()), games, 1.0),
        tacit,
        allowed=allowed,
        chance=1 / kinds,
        sentence=(
            f"Neighbours are within total variation 1/{people}, and somebody's row is in the newspaper every time: a "
            "small difference on average is no protection for the one it falls on."
        ),
        lines=(
            Line("a row is revealed", "naive", numbers, (1.0,) * len(numbers)),
            Line("total variation of neighbours", "other", numbers, tuple(1 / n for n in numbers)),
            Line("Tacit", "tacit", (float(people),), (tacit.share,), measured=True),
            Line("most that two steps allow", "allowed", numbers, (allowed,) * len(numbers)),
        ),
        across="people",
        logarithmic=True,
    )
