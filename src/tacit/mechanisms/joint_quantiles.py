"""Several quantiles chosen at once: the exponential mechanism on all increasing tuples of cells."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, pairwise
from math import comb, lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput, TooLarge
from tacit.exact import (
    SLACK,
    Ball,
    Number,
    ball,
    count_of,
    drawn_index,
    exp_weights,
    float_at_least,
    log,
    upper,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.parameters import confidence_of, price_of, scale_of
from tacit.mechanisms.quantile import rank_of
from tacit.mechanisms.value_grid import weights_of
from tacit.privacy import BoundedRangeLoss, Loss, Neighbours, Sensitivity, fill

__all__ = ["JointQuantiles", "ranks_of"]

Integers = NDArray[Any]
Floats = NDArray[np.float64]

CELLS_AT_MOST = 1 << 12
_OUTCOMES_AT_MOST = 1 << 17


@frozen(init=False)
class JointQuantiles:
    """Cells o_1 <= … <= o_m with probability proportional to exp(-apart / scale).

    The cells cut the rows into m + 1 parts; `apart` is the sum over the parts of how far their weights are from those
    that the ranks ask for.  A cell that holds much may be cut through: with `parts`, each is drawn as so many cells,
    with its weight spread evenly over them.

    Claim:      if one unit weighs at most C, a release is of bounded range 4 C (1 - p) / scale under add-or-remove, p
                being the smallest share of a part, and 4 C / scale under replace.
    Because:    a unit in part j that comes or goes moves that part's excess by C (1 - p_j) and the others' by
                C p_i each: 2 C (1 - p_j) in sum.  One that is replaced moves them by at most 2 C.  The rest is the
                exponential mechanism; its tuples are drawn from the last one back (Gillenwater, Joseph, Kulesza 2021).
                Spreading a weight evenly is linear: a unit weighs no more afterwards.
    Checked by: tests/laws/test_quantiles.py

    >>> thirds = JointQuantiles.calibrate(epsilon=1, sensitivity=1, ranks=[Fraction(1, 3), Fraction(2, 3)])
    >>> thirds.scale
    Fraction(8, 3)
    >>> low, high = thirds.release([100, 0, 0, 100, 0, 0, 100])
    >>> low <= high
    True
    """

    ranks: tuple[Fraction, ...]
    scale: Fraction
    parts: int

    def __init__(self, ranks: Any, scale: Number, parts: int = 1) -> None:
        fill(
            self,
            ranks=ranks_of(ranks),
            scale=scale_of(scale),
            parts=count_of(parts, "parts", least=1, most=1 << 10),
        )

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, ranks: Any, parts: int = 1
    ) -> JointQuantiles:
        """The mechanism with the least noise whose loss is at most epsilon; `sensitivity` is what one unit weighs."""
        wanted, unit = ranks_of(ranks), sensitivity_of(sensitivity)
        return cls(
            wanted,
            2 * unit.bound * _rank_movement(wanted, unit.neighbours) / price_of(epsilon),
            parts,
        )

    def release(self, counts: Any) -> list[int]:
        """Cells near the quantiles, in order.

        Claim:      the tuple has exactly the stated probability.
        Because:    the weight of all tuples that end in a cell is a sum over the cell before; the last cell is drawn
                    by it, then the one before given the last, and so on, each by `drawn_index`.  Every weight is a
                    sum of products of positive floats, so its relative error is at most that of m exponentials and m
                    sums; where a float cannot tell, the same sums are made of balls.
        Checked by: tests/laws/test_quantiles.py
        """
        chain = _Chain(self, np.repeat(weights_of(counts), self.parts))
        return [place // self.parts for place in chain.draw()]

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""
        unit = sensitivity_of(sensitivity)
        return BoundedRangeLoss(
            2 * unit.bound * _rank_movement(self.ranks, unit.neighbours) / self.scale,
            unit.neighbours,
        )

    def error(self, confidence: Number, cells: int) -> float:
        """By how many rows every quantile is misranked at most, beyond what the best cells leave; the theorem.

        Claim:      with at least this probability, all are misranked by at most this and half of `apart` of the best
                    tuple, which is small unless single cells are heavy.
        Because:    a tuple that is further apart than the best by a has at most exp(-a / scale) of its weight, and
                    there are comb(cells + m - 1, m) tuples; the excess of the first parts together is at most half
                    of the sum of all excesses, which cancel.
        Checked by: tests/laws/test_quantiles.py

        >>> round(JointQuantiles([Fraction(1, 2)], scale=2).error(0.95, cells=101), 2)
        7.61
        """
        many, wanted = count_of(cells, "cells", least=2) * self.parts, confidence_of(confidence)
        tuples = comb(many + len(self.ranks) - 1, len(self.ranks))
        with working():
            return float_at_least(self.scale / 2 * upper(log(tuples / (1 - wanted))))

    def distribution(self, counts: Any) -> dict[tuple[int, ...], Ball]:
        """The exact probability of every tuple of cells, where they are few."""
        weights = np.repeat(weights_of(counts), self.parts)
        if comb(len(weights) + len(self.ranks) - 1, len(self.ranks)) > _OUTCOMES_AT_MOST:
            raise TooLarge("so many tuples of cells cannot be listed; take fewer cells or ranks")
        gap, divisor = _excess(weights, self.ranks)
        tuples = list(combinations_with_replacement(range(len(weights)), len(self.ranks)))
        unit = self.scale * self.parts * divisor
        chances = []
        for each in tuples:
            apart = sum(
                gap(j, a, b) for j, (a, b) in enumerate(pairwise((-1, *each, len(weights) - 1)))
            )
            chances.append((-ball(apart / unit)).exp())
        total = sum(chances, ball(0))
        law: dict[tuple[int, ...], Ball] = {}
        for each, chance in zip(tuples, chances, strict=True):
            outcome = tuple(place // self.parts for place in each)
            law[outcome] = law.get(outcome, ball(0)) + chance / total
        return law


class _Chain:
    """The weights of all tuples, summed cell by cell."""

    def __init__(self, mechanism: JointQuantiles, weights: Integers) -> None:
        if len(weights) > CELLS_AT_MOST:
            raise InvalidInput(
                "the cells",
                len(weights),
                f"give at most {CELLS_AT_MOST}, parts counted, or use RecursiveQuantiles",
            )
        self.ranks = mechanism.ranks
        self.parts = lcm(*(rank.denominator for rank in self.ranks))
        self.scale = mechanism.scale * mechanism.parts * self.parts
        total = int(weights.sum())
        kind = np.int64 if 2 * (len(self.ranks) + 2) * total * self.parts < 1 << 62 else object
        self.upto = np.cumsum(weights).astype(kind) * self.parts
        bounds = [Fraction(0), *self.ranks, Fraction(1)]
        self.wanted = [int((b - a) * self.parts) * total for a, b in pairwise(bounds)]
        # An exponential for each part, and a sum over the cells for each but one.
        self.slack = (len(self.ranks) + 1) * (2 * SLACK + len(weights) * 2.0**-51)
        self.least = [np.abs(self.upto - self.wanted[0])]
        self.held = [np.ones(len(weights))]
        for wanted in self.wanted[1:-1]:
            self._grow(wanted)

    def _grow(self, wanted: int) -> None:
        """One cell more: the least excess of all beginnings that end in each cell, and their weight relative to it.

        The least excesses are exact integers, so that no weight is lost to underflow however heavy the rows are.
        """
        excess = self.least[-1][:, None] + np.abs(self.upto[None, :] - self.upto[:, None] - wanted)
        forward = np.triu(np.ones(excess.shape, np.bool_))
        least = np.where(forward, excess, excess.max()).min(axis=0)
        weights = exp_weights(np.where(forward, excess - least, 0), self.scale) * forward
        held = self.held[-1] @ weights
        self.least.append(least)
        self.held.append(held / held.max())

    def draw(self) -> list[int]:
        """A tuple of cells, from the last one back."""
        chosen: list[int] = []
        for j in range(len(self.ranks) - 1, -1, -1):
            after = chosen[0] if chosen else None
            chosen.insert(
                0, drawn_index(self.weights(j, after), self.slack, partial(self._exact, j, after))
            )
        return chosen

    def weights(self, j: int, after: int | None) -> Floats:
        """The weights of all beginnings that end in each cell at place j, given the cell that follows, in floats."""
        last = len(self.upto) - 1 if after is None else after
        excess = self.least[j] + np.abs(self.upto[last] - self.upto - self.wanted[j + 1])
        gaps = (excess - excess[: last + 1].min())[: last + 1]
        return np.append(
            self.held[j][: last + 1] * exp_weights(gaps, self.scale),
            np.zeros(len(self.upto) - last - 1),
        )

    def _exact(self, j: int, after: int | None) -> list[Ball]:
        """The weights of all beginnings that end in each cell at place j, given the cell that follows, as balls."""
        known: dict[int, Ball] = {}

        def weight(gap: Any) -> Ball:
            apart = abs(int(gap))
            if apart not in known:
                known[apart] = (-ball(apart / self.scale)).exp()
            return known[apart]

        upto = [int(sums) for sums in self.upto]
        reached = [weight(sums - self.wanted[0]) for sums in upto]
        for wanted in self.wanted[1 : j + 1]:
            reached = [
                sum(
                    (reached[k] * weight(upto[i] - upto[k] - wanted) for k in range(i + 1)), ball(0)
                )
                for i in range(len(upto))
            ]
        if after is None:
            return [
                mass * weight(upto[-1] - sums - self.wanted[-1])
                for mass, sums in zip(reached, upto, strict=True)
            ]
        return [
            mass * weight(upto[after] - upto[k] - self.wanted[j + 1]) if k <= after else ball(0)
            for k, mass in enumerate(reached)
        ]


def ranks_of(ranks: Any) -> tuple[Fraction, ...]:
    """Ranks strictly between 0 and 1, each larger than the one before.

    >>> ranks_of([0.25, 0.5])
    (Fraction(1, 4), Fraction(1, 2))
    """
    exact = tuple(rank_of(rank) for rank in ranks)
    if not exact or any(a >= b for a, b in pairwise(exact)) or len(exact) > 1 << 12:
        raise InvalidInput(
            "ranks", ranks, "give from 1 to 4096 ranks, each larger than the one before"
        )
    if lcm(*(rank.denominator for rank in exact)) > 1 << 64:
        raise InvalidInput(
            "ranks", ranks, "give ranks with a common denominator, such as [Fraction(k, 30), …]"
        )
    return exact


def _rank_movement(ranks: tuple[Fraction, ...], neighbours: Neighbours) -> Fraction:
    """How far a unit of weight one moves the sum of all excesses."""
    smallest = min(b - a for a, b in pairwise((Fraction(0), *ranks, Fraction(1))))
    return Fraction(2) if neighbours is Neighbours.REPLACE else 2 * (1 - smallest)


def _excess(weights: Integers, ranks: tuple[Fraction, ...]) -> tuple[Any, int]:
    """How far the part from one cell (excluded) to another is from what is asked, in parts of a row; and the parts."""
    parts = lcm(*(rank.denominator for rank in ranks))
    upto = [0, *np.cumsum(weights).tolist()]
    shares = [int((b - a) * parts) for a, b in pairwise((Fraction(0), *ranks, Fraction(1)))]

    def gap(j: int, after: int, last: int) -> Fraction:
        return Fraction(abs(parts * (upto[last + 1] - upto[after + 1]) - shares[j] * upto[-1]))

    return gap, parts
