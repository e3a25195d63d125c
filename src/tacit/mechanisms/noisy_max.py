"""Report noisy max: noise on every score, and the place of the largest leaves, but not the score itself."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from itertools import accumulate, repeat
from math import ceil, prod
from operator import mul
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput, TooLarge
from tacit.exact import (
    Ball,
    Number,
    ball,
    discrete_laplace,
    geometric,
    hull,
    precision,
    uniform_choice,
    unit_rule,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import noisy, sensitivity_of
from tacit.mechanisms.permute_and_flip import flipped_chances, flipped_misses
from tacit.mechanisms.selection import Selection, set_parameters
from tacit.privacy import Loss, PureLoss, Sensitivity, fill

__all__ = ["NoisyMax"]

_MOST_WORK = 1 << 22
_BLOCK = 1 << 18


@frozen(init=False)
class NoisyMax(Selection):
    """The place of the largest score plus noise of this scale, Laplace or exponential; equal sums are decided by lot.

    With `release(scores, smallest=True)` it reports the noisy minimum.  With exponential noise it has exactly the law
    of permute-and-flip, and errs less than with Laplace noise.

    Claim:      if two scores move apart by at most d steps between neighbours, the choice is (d / scale)-DP: the scale
                is sensitivity / epsilon for monotone scores, by add-or-remove, and twice that for all others.
    Because:    given the lots and all other noise, candidate i wins if its own noise is at least a threshold, which
                moves by at most d; from one integer to the next the chance to reach it falls by at most e**(1 / scale).
    Checked by: tests/laws/test_selection.py

    >>> NoisyMax.calibrate(epsilon=1, sensitivity=1).scale
    Fraction(2, 1)
    >>> NoisyMax(scale=1, noise="exponential").release([0, 10**6, 3], smallest=True) == 1
    False
    """

    scale: Fraction
    grid: Fraction | None
    monotone: bool
    noise: Literal["laplace", "exponential"]

    def __init__(
        self,
        scale: Number,
        grid: Number | None = None,
        *,
        monotone: bool = False,
        noise: Literal["laplace", "exponential"] = "laplace",
    ) -> None:
        set_parameters(self, scale, grid, monotone)
        if noise not in {"laplace", "exponential"}:
            raise InvalidInput("noise", noise, 'give "laplace" or "exponential"')
        fill(self, noise=noise)

    def choose(self, steps: NDArray[Any], times: int) -> NDArray[np.int64]:
        """By fresh noise and a lot for every candidate.

        Claim:      with geometric noise and lots, the choice is that of continuous exponential noise.
        Because:    the whole part of an exponential number is geometric, and what follows the point is independent of
                    it: among equal whole sums each candidate is equally likely to be the largest.
        Checked by: tests/laws/test_selection.py
        """
        draw = discrete_laplace if self.noise == "laplace" else geometric
        rows = max(1, _BLOCK // len(steps))
        chosen = [np.empty(0, np.int64)]
        for start in range(0, times, rows):
            copies = np.broadcast_to(steps, (min(rows, times - start), len(steps)))
            sums = noisy(copies, None, lambda size: draw(self.steps_scale(), size))
            chosen.append(
                uniform_choice(np.asarray(sums == sums.max(axis=1, keepdims=True), dtype=np.bool_))
            )
        return np.concatenate(chosen)

    def chances(self, counts: Mapping[int, int]) -> dict[int, Ball]:
        """Exponential noise: those of permute-and-flip.  Laplace noise: a sum over all values of the noisy score."""
        if self.noise == "exponential":
            return flipped_chances(counts, self.steps_scale())
        return _laplace_chances(counts, self.steps_scale())

    def misses(self, candidates: int, distance: int) -> Ball:
        """Exponential noise: that of permute-and-flip.  Laplace noise: at most n - 1 times that of two candidates.

        Claim:      with r = exp(-1 / scale) two Laplace numbers differ by g or more, g at least 1, with probability
                    (1 - r) / (1 + r)**2 (g + (1 + r**2) / (1 - r**2) + r / (1 - r)) r**g.
        Because:    the difference is d with probability ((1 - r) / (1 + r))**2 (d + (1 + r**2) / (1 - r**2)) r**d,
                    summed from g on; one of n - 1 candidates reaches the best with at most n - 1 times that of one.
        Checked by: tests/laws/test_selection.py
        """
        rate = ball(1 / self.steps_scale())
        if self.noise == "exponential":
            return flipped_misses(candidates, (-rate * distance).exp())
        r, rest = (-rate).exp(), -(-rate).expm1()  # r and 1 - r
        level = distance + (1 + r * r) / (rest * (1 + r)) + r / rest
        return ((candidates - 1) * rest / (1 + r) ** 2 * level * (-rate * distance).exp()).min(
            ball(1)
        )

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one choice costs, if each score moves by at most this much between neighbours."""
        return PureLoss(
            self.relative_sensitivity(sensitivity), sensitivity_of(sensitivity).neighbours
        )


def _laplace_chances(counts: Mapping[int, int], scale: Fraction) -> dict[int, Ball]:
    """The chance of one candidate by its distance to the best, with Laplace noise and lots.

    Claim:      it is the sum over all v of P(v) times the integral over u, from 0 to 1, of the product of
                P(other < v) + u P(other = v) over all others.
    Because:    of those with the same sum v the one with the highest lot wins, and u is the chance that a lot is lower.
                Beyond the values that are summed, the chance is at most that of the candidate's own noise: a ball.
    Checked by: tests/laws/test_selection.py
    """
    candidates = sum(counts.values())
    if candidates == 1:
        return dict.fromkeys(counts, ball(1))
    # noise beyond it is rarer than 2**-precision
    reach = ceil(scale * precision() * Fraction(7, 10)) + 1
    # the least likely candidate is known as precisely as the best
    low, high = -2 * max(counts) - reach, reach
    if (high - low) * candidates * len(counts) > 2 * _MOST_WORK:
        raise TooLarge(
            f"the law of {candidates} candidates with Laplace noise of {float(scale):.0f} steps takes too long; "
            "ask for fewer candidates, for exponential noise, or for `error`, which holds for all scores"
        )
    tails = list(
        accumulate(
            repeat((-ball(1 / scale)).exp(), 1 - low),
            mul,
            initial=1 / (1 + (-ball(1 / scale)).exp()),
        )
    )
    peak = -(-ball(1 / scale)).expm1()
    chances = {
        distance: hull(ball(0), tails[high + 1 + distance] + tails[1 - low - distance])
        for distance in counts
    }
    rule = unit_rule(candidates - 1)
    for value in range(low, high + 1):
        noise = {distance: value + distance for distance in counts}
        here = {distance: peak * tails[abs(own)] for distance, own in noise.items()}
        under = {
            distance: tails[1 - own] if own <= 0 else 1 - tails[own]
            for distance, own in noise.items()
        }
        for place, weight in rule:
            kept = {distance: under[distance] + place * here[distance] for distance in counts}
            none = weight * prod(
                (kept[distance] ** count for distance, count in counts.items()), start=ball(1)
            )
            for distance in counts:
                chances[distance] += here[distance] * none / kept[distance]
    return chances
