"""Several quantiles one inside the other: the middle one first, then those of either side among the rows there."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput, TooLarge
from tacit.exact import (
    Ball,
    Number,
    ball,
    below,
    count_of,
    float_at_least,
    log,
    upper,
    weighted_index,
    weighted_law,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import sensitivity_of
from tacit.mechanisms.joint_quantiles import ranks_of
from tacit.mechanisms.parameters import confidence_of, price_of, scale_of
from tacit.mechanisms.quantile import rank_errors
from tacit.mechanisms.value_grid import weights_of
from tacit.privacy import BoundedRangeLoss, Loss, Neighbours, Sensitivity, fill

__all__ = ["RecursiveQuantiles"]

Integers = NDArray[Any]
_OUTCOMES_AT_MOST = 1 << 17


@frozen(init=False)
class RecursiveQuantiles:
    """The middle quantile by the exponential mechanism, then each half of the others among the rows on its side.

    The quantile of rank q among the rows that are looked at is drawn with probability proportional to
    exp(-misranked / (scale max(q, 1 - q))).  Every cell is drawn as `parts` cells, with its weight spread evenly over
    them, so that a cell that holds much is shared between the two sides of a quantile in it.

    Claim:      if one unit weighs at most C, each of the bit_length(m) levels is of bounded range 2 C / scale under
                add-or-remove and 4 C / scale under replace.
    Because:    given the cells drawn before, the segments of a level are disjoint, so the weights that a unit has in
                them sum to at most C, and each costs in proportion to the weight it has there (`Quantile`);
                the weights of a unit that is replaced sum to at most 2 C, before and after.  Ranges of independent
                draws add.  (Kaplan, Schnapp, Stemmer 2022.)
    Checked by: tests/laws/test_quantiles.py

    >>> nine = RecursiveQuantiles.calibrate(epsilon=1, sensitivity=1, ranks=[Fraction(k, 10) for k in range(1, 10)])
    >>> nine.levels, nine.scale
    (4, Fraction(8, 1))
    >>> len(nine.release([3] * 50))
    9
    """

    ranks: tuple[Fraction, ...]
    scale: Fraction
    parts: int

    def __init__(self, ranks: Any, scale: Number, parts: int = 16) -> None:
        fill(
            self,
            ranks=ranks_of(ranks),
            scale=scale_of(scale),
            parts=count_of(parts, "parts", least=1, most=1 << 10),
        )

    @classmethod
    def calibrate(
        cls, epsilon: Number, sensitivity: Sensitivity | Number, ranks: Any, parts: int = 16
    ) -> RecursiveQuantiles:
        """The mechanism with the least noise whose loss is at most epsilon; `sensitivity` is what one unit weighs."""
        wanted, unit = ranks_of(ranks), sensitivity_of(sensitivity)
        return cls(wanted, _range(unit, wanted) / price_of(epsilon), parts)

    @property
    def levels(self) -> int:
        """How often the ranks are halved until each is chosen."""
        return len(self.ranks).bit_length()

    def release(self, counts: Any, widths: Any = None) -> list[int]:
        """Cells near the quantiles, in order; with `widths`, of runs of cells, as for `Quantile.release`."""
        weights = weights_of(counts)
        wide = (
            [1] * len(weights)
            if widths is None
            else [count_of(width, "a width", least=1) for width in widths]
        )
        if len(wide) != len(weights) or any(
            w > 1 and c for w, c in zip(wide, weights.tolist(), strict=True)
        ):
            raise InvalidInput(
                "widths",
                "of another kind",
                "give one for each run; only empty runs are wider than one",
            )
        chosen = [0] * len(self.ranks)
        waiting = [(*_split_runs(weights, wide, self.parts), 0, 0, len(self.ranks))]
        while waiting:
            held, long, start, first, last = waiting.pop()
            middle = (first + last) // 2
            scores, scale = self._score_cells(held, first, middle, last)
            run = weighted_index(scores, scale, None if max(long) == 1 else long)
            # how many cells of the run lie on the left, the chosen one among them
            inside = below(long[run]) + 1
            end = start + sum(long[:run]) + inside
            chosen[middle] = (end - 1) // self.parts
            if middle > first:
                waiting.append((held[: run + 1], [*long[:run], inside], start, first, middle))
            if middle + 1 < last:
                waiting.append((*_rest(held, long, run, inside, end, middle + 1, last),))
        return chosen

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs if one unit weighs at most this much in all."""
        unit = sensitivity_of(sensitivity)
        level = BoundedRangeLoss(
            _range(unit, self.ranks) / self.levels / self.scale, unit.neighbours
        )
        return level if self.levels == 1 else level * self.levels

    def error(self, confidence: Number, cells: int) -> float:
        """By how many rows every quantile is misranked at most, where no single cell is heavy; the theorem.

        Claim:      with at least this probability, all are misranked by at most this and, at each level, the weight of
                    one part of the cell that was chosen there.
        Because:    each of the m draws is misranked within its segment by at most scale (ln cells + ln(m / beta))
                    max(q, 1 - q), except with probability beta / m; the ends of a segment are misranked by what was
                    lost before, and its quantiles by at most the worse of the two.
        Checked by: tests/laws/test_quantiles.py

        >>> round(RecursiveQuantiles([Fraction(1, 2)], scale=2, parts=1).error(0.95, cells=101), 2)
        7.61
        """
        many, wanted = count_of(cells, "cells", least=2) * self.parts, confidence_of(confidence)
        with working():
            lost = upper(log(many * len(self.ranks) / (1 - wanted)))
        return float_at_least(self.scale * lost * self._steepest(0, len(self.ranks)))

    def distribution(self, counts: Any) -> dict[tuple[int, ...], Ball]:
        """The exact probability of every tuple of cells, where they are few."""
        weights = weights_of(counts)
        if (len(weights) * self.parts) ** len(self.ranks) > _OUTCOMES_AT_MOST:
            raise TooLarge(
                "so many tuples of cells cannot be listed; take fewer cells, parts or ranks"
            )
        law: dict[tuple[int, ...], Ball] = {}
        for each, chance in self._law(
            np.repeat(weights, self.parts), 0, 0, len(self.ranks)
        ).items():
            outcome = tuple(place // self.parts for place in each)
            law[outcome] = law.get(outcome, ball(0)) + chance
        return law

    def _law(
        self, held: Integers, start: int, first: int, last: int
    ) -> dict[tuple[int, ...], Ball]:
        if first == last:
            return {(): ball(1)}
        middle = (first + last) // 2
        law: dict[tuple[int, ...], Ball] = {}
        for run, chance in enumerate(weighted_law(*self._score_cells(held, first, middle, last))):
            left = self._law(held[: run + 1], start, first, middle)
            right = self._law(*_right(held, run, start), middle + 1, last)
            for one, p in left.items():
                for other, q in right.items():
                    law[*one, start + run, *other] = chance * p * q
        return law

    def _score_cells(
        self, held: Integers, first: int, middle: int, last: int
    ) -> tuple[Integers, Fraction]:
        rank = self._inner(first, middle, last)
        return -rank_errors(held, rank), self.scale * self.parts * max(
            rank, 1 - rank
        ) * rank.denominator

    def _inner(self, first: int, middle: int, last: int) -> Fraction:
        """The rank of the middle one among the rows between the quantiles next to first and last."""
        low, high = Fraction(0) if first == 0 else self.ranks[first - 1], Fraction(1)
        high = self.ranks[last] if last < len(self.ranks) else high
        return (self.ranks[middle] - low) / (high - low)

    def _steepest(self, first: int, last: int) -> Fraction:
        """The largest sum of max(q, 1 - q) on the way to any quantile."""
        if first == last:
            return Fraction(0)
        middle = (first + last) // 2
        rank = self._inner(first, middle, last)
        return max(rank, 1 - rank) + max(
            self._steepest(first, middle), self._steepest(middle + 1, last)
        )


def _split_runs(weights: Integers, wide: list[int], parts: int) -> tuple[Integers, list[int]]:
    """The runs with every cell cut into parts of equal weight; an empty run stays one run."""
    copies = np.where(weights > 0, parts, 1)
    longer = [
        width if weight else width * parts
        for width, weight in zip(wide, weights.tolist(), strict=True)
    ]
    return np.repeat(weights, copies), np.repeat(np.array(longer, dtype=object), copies).tolist()


def _right(held: Integers, run: int, start: int) -> tuple[Integers, int]:
    """The cells after the chosen one; after the last cell comes nothing but an empty copy of it."""
    if run + 1 < len(held):
        return held[run + 1 :], start + run + 1
    return np.zeros(1, np.int64), start + run


def _rest(
    held: Integers, long: list[int], run: int, inside: int, end: int, first: int, last: int
) -> tuple[Integers, list[int], int, int, int]:
    """The same for runs, of which the chosen one may be cut."""
    left = long[run] - inside
    if left:
        return held[run:], [left, *long[run + 1 :]], end, first, last
    if run + 1 < len(held):
        return held[run + 1 :], long[run + 1 :], end, first, last
    return np.zeros(1, np.int64), [1], end - 1, first, last


def _range(unit: Sensitivity, ranks: tuple[Fraction, ...]) -> Fraction:
    """The bounded range of all levels together at scale one."""
    each = 4 if unit.neighbours is Neighbours.REPLACE else 2
    return each * unit.bound * len(ranks).bit_length()
