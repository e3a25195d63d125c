"""Name and shame: each row is published with a small probability, and a small total variation does not forbid it.

Checked by: tests/unit/audit/attacks/test_chances.py
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from tacit.audit.attacks.chances import laplace_masses, most_guessed, two_steps
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import below, bernoulli
from tacit.mechanisms import Laplace

__all__ = ["guessed_from_counts", "histogram_guessed", "name_and_shame"]

_REACH = 200


def name_and_shame(
    games: int = 10_000, people: int = 100, kinds: int = 32, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on a mechanism that publishes every row with probability one over their number.

    It is (0, 1/n)-DP and within total variation 1/n, and names somebody in most of its releases. From Tacit's counts of
    the secrets an attacker who knows all other rows must guess.

    >>> name_and_shame(games=50).allowed < 0.1
    True
    """
    delta = Fraction(1, people)
    named = bernoulli(delta, games * people).reshape(games, people).any(axis=1)
    tacit = guessed_from_counts(games, kinds, epsilon)
    numbers = tuple(float(n) for n in range(2, 101, 7))
    return AttackReport(
        "name-and-shame",
        f"whose row is it, and which of {kinds} secrets does it hold?",
        Rate(float(named.sum()), games, 1 - float(1 - delta) ** people),
        tacit,
        allowed=most_guessed(two_steps(epsilon, 0)[0], kinds),
        chance=1 / kinds,
        sentence=(
            "A delta of one over the number of people allows a mechanism that publishes whole rows; total variation "
            "alone is useless below that and harmful above it. Choose delta far below one over the number of people."
        ),
        lines=(
            Line(
                "somebody is named", "naive", numbers, tuple(1 - (1 - 1 / n) ** n for n in numbers)
            ),
            Line("Tacit", "tacit", (float(people),), (tacit.share,), measured=True),
            Line(
                "most that two steps allow",
                "allowed",
                numbers,
                (most_guessed(two_steps(epsilon, 0)[0], kinds),) * len(numbers),
            ),
        ),
        across="people, with delta one over their number",
    )


def guessed_from_counts(games: int, kinds: int, epsilon: Fraction) -> Rate:
    """How often the largest of Tacit's noisy counts is the secret of the one person who is not known."""
    secret = below(kinds, games)
    counts = (np.arange(kinds) == secret[:, None]).astype(np.int64)
    noisy = Laplace(1 / epsilon).release(counts)
    best = noisy == noisy.max(axis=1, keepdims=True)
    score = float((best[np.arange(games), secret] / best.sum(axis=1)).sum())
    return Rate(score, games, histogram_guessed(kinds, epsilon))


def histogram_guessed(kinds: int, epsilon: float | Fraction) -> float:
    """The chance that the largest of so many noisy counts, all zero but one of one, is that one; ties are drawn.

    >>> round(histogram_guessed(1, 1), 9), 1 / 8 < histogram_guessed(8, 1) < most_guessed(2, 8)
    (1.0, True)
    """
    masses = laplace_masses(1 / epsilon, _REACH * int(1 / epsilon + 1))
    up_to = np.cumsum(masses)
    below_it = np.concatenate([[0.0], up_to[:-1]])
    # The best of all has value x with the chance up_to**kinds - below**kinds for equal laws; of those, our share.
    ours = np.concatenate([[0.0], masses[:-1]])
    ratio = np.divide(ours, masses, out=np.zeros_like(ours), where=masses > 0)
    return float((ratio * (up_to**kinds - below_it**kinds)).sum() / kinds)
