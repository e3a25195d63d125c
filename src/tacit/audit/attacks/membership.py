"""Membership inference: whether somebody was in a study, from nothing but its averages (Homer et al. 2008).

Checked by: tests/attacks/test_lab_rates.py
"""

from __future__ import annotations

from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.chances import below_normal, coins, most_wins
from tacit.audit.attacks.noise_of_a_vault import DELTA, noise_for
from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import words

__all__ = ["membership", "score_wins"]


def membership(
    games: int = 1000, others: int = 49, statistics: int = 1000, epsilon: Fraction = Fraction(1)
) -> AttackReport:
    """The report on telling from many released totals whether one person, whose record is known, is among the counted.

    Everybody has as many attributes as there are statistics, each +1 or -1 like a fair coin. The attacker multiplies
    the totals with the person's own record: a member pulls every total towards itself.

    >>> membership(games=50, statistics=400).chance
    0.5
    """
    member = coins(games)
    record = 2 * coins(games * statistics).reshape(games, statistics) - 1
    totals = (
        _totals(others, games * statistics).reshape(games, statistics) + member[:, None] * record
    )
    gaussian = noise_for(statistics, epsilon)
    noisy = gaussian.release(totals)

    def won(released: NDArray[np.int64]) -> float:
        return float((((released * record).sum(axis=1) > statistics / 2) == member).sum())

    tacit = Rate(won(noisy), games, score_wins(statistics, others, float(gaussian.sigma)))
    released = tuple(float(d) for d in np.geomspace(10, 10 * statistics, 25).round())
    return AttackReport(
        "membership",
        "was this person in the study?",
        Rate(won(totals), games, score_wins(statistics, others, 0)),
        tacit,
        allowed=most_wins(epsilon, DELTA),
        chance=0.5,
        sentence=(
            f"{statistics:,} exact totals over {others + 1} people give members away, though each is harmless; under "
            "one limit, more statistics mean more noise on each."
        ),
        lines=(
            Line(
                "exact totals, in theory",
                "naive",
                released,
                tuple(score_wins(int(d), others, 0) for d in released),
            ),
            Line(
                "Tacit, in theory",
                "tacit",
                released,
                tuple(
                    score_wins(int(d), others, float(noise_for(int(d), epsilon).sigma))
                    for d in released
                ),
            ),
            Line("Tacit", "tacit", (float(statistics),), (tacit.share,), measured=True),
            Line(
                "most that the limit allows",
                "allowed",
                released,
                (most_wins(epsilon, DELTA),) * len(released),
            ),
        ),
        across="released statistics",
        logarithmic=True,
    )


def score_wins(statistics: int, others: int, sigma: float) -> float:
    """The chance that the score is on the right side, by the normal law, which is right to a thousandth here.

    A member's score is the number of statistics plus as many fair signs as the others have attributes, plus noise; an
    outsider's is the same without the first.
    """
    return below_normal(sqrt(statistics) / 2 / sqrt(others + sigma**2))


def _totals(people: int, count: int) -> NDArray[np.int64]:
    """Independent sums of so many fair signs: twice the ones among as many random bits, less their number."""
    whole, rest = divmod(people, 64)
    ones = np.zeros(count, np.int64)
    for bits in [64] * whole + ([rest] if rest else []):
        ones += np.bitwise_count(words(count) >> np.uint64(64 - bits)).astype(np.int64)
    return 2 * ones - people
