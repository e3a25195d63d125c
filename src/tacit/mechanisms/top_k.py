"""The best few of many candidates, chosen one after the other."""

from __future__ import annotations

from math import perm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.exact import Ball, Number, at_most, ball, count_of
from tacit.frozen import frozen
from tacit.mechanisms.exponential import Exponential
from tacit.mechanisms.grid_steps import copies_of
from tacit.mechanisms.parameters import confidence_of, price_of
from tacit.mechanisms.scores import candidates_of, scores_of
from tacit.mechanisms.selection import Selection
from tacit.privacy import Loss, Sensitivity, fill

__all__ = ["NoisyTopK"]

_MOST_OUTCOMES = 100_000


@frozen(init=False)
class NoisyTopK:
    """The first k candidates in order: each chosen by `each` among those that are left.

    Claim:      the whole costs k times what one choice costs, with its rho and bounded ranges added up.
    Because:    who is left is a function of earlier choices: adaptive composition.
    Checked by: tests/laws/test_selection.py

    >>> NoisyTopK(2, Exponential(scale=1)).release([0, 10**6, 3, 10**4]).tolist()
    [1, 3]
    """

    k: int
    each: Selection

    def __init__(self, k: int, each: Selection) -> None:
        if Selection not in type(each).__mro__:
            raise InvalidInput(
                "each", each, "give a mechanism that chooses one, such as Exponential(scale=2)"
            )
        fill(self, k=count_of(k, "k", least=1, most=1 << 20), each=each)

    @classmethod
    def calibrate(
        cls,
        k: int,
        epsilon: Number,
        sensitivity: Sensitivity | Number,
        grid: Number | None = None,
        *,
        kind: type[Selection] = Exponential,
        **options: Any,
    ) -> NoisyTopK:
        """The mechanism with the least randomness whose pure loss is at most epsilon, an equal part for each choice.

        >>> NoisyTopK.calibrate(5, epsilon=1, sensitivity=1).each.scale
        Fraction(10, 1)
        """
        share = price_of(epsilon) / count_of(k, "k", least=1)
        return cls(k, kind.calibrate(share, sensitivity, grid, **options))

    @classmethod
    def calibrate_rho(
        cls,
        k: int,
        rho: Number,
        sensitivity: Sensitivity | Number,
        grid: Number | None = None,
        *,
        kind: type[Selection] = Exponential,
        **options: Any,
    ) -> NoisyTopK:
        """The mechanism with the least randomness that is rho-zCDP, an equal part for each choice.

        >>> float(NoisyTopK.calibrate_rho(4, rho=0.5, sensitivity=1).each.scale)
        2.0
        """
        share = at_most(rho, "rho") / count_of(k, "k", least=1)
        return cls(k, kind.calibrate_rho(share, sensitivity, grid, **options))

    def release(
        self, scores: Any, times: int | None = None, *, smallest: bool = False
    ) -> NDArray[np.int64]:
        """The places of the chosen candidates, best first; with `times`, a row for each of so many releases."""
        steps = self._enough(scores_of(scores, self.each.grid, smallest=smallest))
        if times is None:
            return self._peel(steps)
        rows = [self._peel(steps) for _ in range(copies_of(times))]
        return np.array(rows, np.int64).reshape(len(rows), self.k)

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs, if each score moves by at most this much between neighbours."""
        return self.each.loss(sensitivity) * self.k

    def error(self, confidence: Number, candidates: int) -> int | float:
        """How far every chosen score is from the best one left at most, all of them with at least this probability."""
        failure = (1 - confidence_of(confidence)) / self.k
        return self.each.error(1 - failure, candidates_of(candidates))

    def distribution(self, scores: Any, *, smallest: bool = False) -> dict[tuple[int, ...], Ball]:
        """The exact chance of every ordered choice."""
        steps = self._enough(scores_of(scores, self.each.grid, smallest=smallest))
        if perm(len(steps), self.k) > _MOST_OUTCOMES:
            raise TooLarge(
                f"there are more than {_MOST_OUTCOMES:,} choices; ask for fewer candidates or a smaller k"
            )
        return self._order_law(steps, list(range(len(steps))), self.k)

    def _peel(self, steps: NDArray[Any]) -> NDArray[np.int64]:
        left, chosen = np.arange(len(steps)), []
        for _ in range(self.k):
            place = int(self.each.choose(steps[left], 1)[0])
            chosen.append(left[place])
            left = np.delete(left, place)
        return np.array(chosen, np.int64)

    def _order_law(
        self, steps: NDArray[Any], left: list[int], more: int
    ) -> dict[tuple[int, ...], Ball]:
        if not more:
            return {(): ball(1)}
        found: dict[tuple[int, ...], Ball] = {}
        for place, chance in self.each.law(steps[left]).items():
            rest = left[:place] + left[place + 1 :]
            found |= {
                (left[place], *others): chance * more_chance
                for others, more_chance in self._order_law(steps, rest, more - 1).items()
            }
        return found

    def _enough(self, steps: NDArray[Any]) -> NDArray[Any]:
        if len(steps) < self.k:
            raise InvalidData("there are fewer candidates than are to be chosen; give a smaller k")
        return steps
