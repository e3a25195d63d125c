"""Permute-and-flip: candidates are asked in random order, and the first whose coin comes up is chosen."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import TooLarge
from tacit.exact import Ball, Number, ball, flipped_choice, unit_rule, upper
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.selection import Selection, set_parameters
from tacit.privacy import Loss, PureLoss, Sensitivity

__all__ = ["PermuteAndFlip", "flipped_chances", "flipped_misses"]

_MOST_WORK = 1 << 22


@frozen(init=False)
class PermuteAndFlip(Selection):
    """The first in random order whose coin comes up; a coin's chance is exp(-distance to the best / scale).

    Never a worse choice, on average, than the exponential mechanism of the same scale (McKenna and Sheldon 2020).

    Claim:      if two scores move apart by at most d steps between neighbours, the choice is (d / scale)-DP; its
                loss may span more than that, so its rho is that of any pure loss, up to four times the exponential's.
    Because:    it has the law of the largest score plus exponential noise (`NoisyMax`): given all other noise,
                candidate i wins if its own exceeds a threshold that moves by at most d, and exp(-t / scale) falls by
                at most e**(d / scale).
    Checked by: tests/laws/test_selection.py

    >>> PermuteAndFlip.calibrate(epsilon=1, sensitivity=1)
    PermuteAndFlip(scale=Fraction(2, 1), grid=None, monotone=False)
    >>> PermuteAndFlip(scale=1).release([0, 10**6, 3])
    1
    """

    scale: Fraction
    grid: Fraction | None
    monotone: bool

    def __init__(
        self, scale: Number, grid: Number | None = None, *, monotone: bool = False
    ) -> None:
        set_parameters(self, scale, grid, monotone)

    def choose(self, steps: NDArray[Any], times: int) -> NDArray[np.int64]:
        """By a coin and a rank for every candidate, tossed and drawn for all."""
        return flipped_choice(steps, self.steps_scale(), times)

    def chances(self, counts: Mapping[int, int]) -> dict[int, Ball]:
        """By the integral of `flipped_chances`."""
        return flipped_chances(counts, self.steps_scale())

    def misses(self, candidates: int, distance: int) -> Ball:
        """That of one best candidate and all others at the distance."""
        return flipped_misses(candidates, (-ball(distance / self.steps_scale())).exp())

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one choice costs, if each score moves by at most this much between neighbours."""
        return PureLoss(
            self.relative_sensitivity(sensitivity), sensitivity_of(sensitivity).neighbours
        )


def flipped_chances(counts: Mapping[int, int], scale: Fraction) -> dict[int, Ball]:
    """The chance of one candidate by its distance to the best.

    Claim:      with p_i = exp(-distance / scale) it is p_i times the integral over u, from 0 to 1, of the product of
                1 - u p_j over all others.
    Because:    let candidates be asked at uniform times: one asked at u is chosen if its own coin comes up and none
                of those asked before, u p_j being the chance that j is asked before and comes up.  The integrand
                is a polynomial, integrated exactly.
    Checked by: tests/laws/test_selection.py

    >>> from tacit.exact import working
    >>> with working():
    ...     float(upper(flipped_chances({0: 2}, Fraction(1))[0]))
    0.5
    """
    candidates = sum(counts.values())
    if candidates * len(counts) > 2 * _MOST_WORK:
        raise TooLarge(
            f"the law of {candidates} candidates with {len(counts)} different scores takes too long; "
            "ask for fewer candidates, or for `error`, which holds for all scores"
        )
    coins = {distance: (-ball(distance / scale)).exp() for distance in counts}
    chances = dict.fromkeys(counts, ball(0))
    for place, weight in unit_rule(candidates - 1):
        kept = {distance: 1 - place * coin for distance, coin in coins.items()}
        none = weight * prod(
            (kept[distance] ** count for distance, count in counts.items()), start=ball(1)
        )
        for distance, coin in coins.items():
            chances[distance] += coin * none / kept[distance]
    return chances


def flipped_misses(candidates: int, coin: Ball) -> Ball:
    """1 - (1 - (1 - x)**n) / (n x): the chance that one best candidate loses to n - 1 whose coins have chance x.

    Claim:      no scores of n candidates have a larger chance of a choice at least that far below the best.
    Because:    coins below x can be raised, and candidates that are closer moved there: each makes it likelier that the
                chosen one of those that came up is a bad one.  Its first term, (n - 1) x / 2, bounds it.
    Checked by: tests/laws/test_selection.py

    >>> float(upper(flipped_misses(2, ball(Fraction(1, 2)))))
    0.25
    """
    exact = 1 + (candidates * (-coin).log1p()).expm1() / (candidates * coin)
    bound = (candidates - 1) * coin / 2
    return min(exact, bound, key=upper) if exact.is_finite() else bound
