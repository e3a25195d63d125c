"""The Bayesian adversary: points at a kind of person and scores one over how many there are."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import exp

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.exact import words
from tacit.mechanisms import Laplace

__all__ = ["bayesian_adversary", "best_score"]

Prior = Sequence[float]  # the chance of 0, 1 and 2 people of a kind

_VAGUE: Prior = (0.96, 0.03, 0.01)
_KNOWING: Prior = (0.05, 0.9, 0.05)
_SCORES = (0.0, 1.0, 0.5)


def bayesian_adversary(
    games: int = 10_000, kinds: int = 100, epsilon: Fraction = Fraction(1, 2)
) -> AttackReport:
    """The report on isolating a person: of many kinds of people, name one of which there is exactly one.

    A release was once called safe if the adversary's expected score stays below some figure. The same release of Tacit
    stays far below it for one prior and far above it for another, and so does no release at all: the figure is a
    fact about the prior.

    >>> bayesian_adversary(games=1000).naive.share > 0.8
    True
    """
    vague, knowing = _counts(_VAGUE, games, kinds), _counts(_KNOWING, games, kinds)
    naive = (vague == 1).any(axis=1) + 0.5 * (~(vague == 1).any(axis=1) & (vague == 2).any(axis=1))
    without = 1 - _VAGUE[1]
    expected = 1 - without**kinds + 0.5 * (without**kinds - _VAGUE[0] ** kinds)
    blind = _VAGUE[1] + _VAGUE[2] / 2
    shares = tuple(float(share) for share in np.linspace(0.01, 0.99, 50))
    return AttackReport(
        "bayesian-adversary",
        "which kind of person is there exactly one of?",
        Rate(float(naive.sum()), games, expected),
        Rate(_score(vague, _VAGUE, epsilon), games, best_score(_VAGUE, epsilon)),
        allowed=best_score(_VAGUE, epsilon),
        chance=blind,
        sentence=(
            "Exact counts single people out. Under Tacit's the score depends on what the adversary believed before: "
            "one who is nearly sure without any release stays so, and no bound on the score alone can tell."
        ),
        also=(
            (
                "Tacit's release, a knowing prior",
                Rate(_score(knowing, _KNOWING, epsilon), games, best_score(_KNOWING, epsilon)),
            ),
            (
                "no release, a knowing prior",
                Rate(
                    float(np.choose(knowing[:, 0], _SCORES).sum()),
                    games,
                    _KNOWING[1] + _KNOWING[2] / 2,
                ),
            ),
        ),
        lines=(
            Line("exact counts", "naive", shares, (1.0,) * len(shares)),
            Line(
                "Tacit",
                "tacit",
                shares,
                tuple(best_score((1 - share, share, 0), epsilon) for share in shares),
            ),
            Line("no release at all", "other", shares, shares),
        ),
        across="prior chance that there is exactly one",
    )


def best_score(prior: Prior, epsilon: float | Fraction) -> float:
    """The most that the adversary can expect to score on one kind of person after any release that is epsilon-DP.

    Claim:      no release of loss epsilon a person raises the expected score above this.
    Because:    what is seen is at most e^epsilon times as likely under one person more or less. The score grows as
                nobody becomes less likely, so one person is e^epsilon times as likely; it is monotone in the
                likelihood of two, so that is at one of its two ends. Laplace noise that shows a one, or more, reaches
                both.
    Checked by: tests/unit/audit/attacks/test_bayesian_adversary.py

    >>> best_score((0.5, 0.5, 0.0), 0)
    0.5
    """
    return max(_posterior_score(prior, epsilon, seen) for seen in (1, 2))


def _score(counts: NDArray[np.int64], prior: Prior, epsilon: Fraction) -> float:
    """The adversary's score: the kind whose noisy count gives the best posterior expectation, game by game."""
    noisy = Laplace(1 / epsilon).release(counts)
    seen = np.clip(noisy, -1, 3)  # beyond these, the posterior is the same
    expected = [_posterior_score(prior, epsilon, place) for place in range(-1, 4)]
    chosen = np.array(expected)[seen + 1].argmax(axis=1)
    return float(np.choose(counts[np.arange(len(counts)), chosen], _SCORES).sum())


def _posterior_score(prior: Prior, epsilon: float | Fraction, seen: int) -> float:
    """What a kind is expected to score if its noisy count is this; all from two on say the same."""
    weights = [
        share * exp(-float(epsilon) * abs(seen - count)) for count, share in enumerate(prior)
    ]
    return sum(score * weight for score, weight in zip(_SCORES, weights, strict=True)) / sum(
        weights
    )


def _counts(prior: Prior, games: int, kinds: int) -> NDArray[np.int64]:
    """How many people there are of each kind, drawn from the prior."""
    uniform = (words(games * kinds) >> np.uint64(11)) / 2.0**53
    return np.searchsorted(np.cumsum(prior[:2]), uniform, side="right").reshape(games, kinds)
