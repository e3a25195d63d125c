"""A rank in every group of a histogram: cells near a quantile and on both sides of it, or one near the extreme."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import (
    Ball,
    Number,
    at_least,
    ball,
    count_of,
    log,
    upper,
    weighted_law,
    weighted_rows,
    working,
)
from tacit.frozen import frozen
from tacit.mechanisms.parameters import confidence_of, price_of, scale_of
from tacit.privacy import (
    BoundedRangeLoss,
    Loss,
    Norm,
    PureLoss,
    Sensitivity,
    ZeroConcentratedLoss,
    fill,
    root_at_least,
)

__all__ = ["RankedCells"]

Integers = NDArray[Any]

APART = Fraction(7, 2)
"""How many scales the outer ranks lie from a quantile's own: each is missed once in 2 e**3.5 = 66 draws, if as many
cells are as wrong on one side of it as are as wrong on the other."""

GUARD = 39
"""How much more than the cells that would be wrong the end of the range weighs in a small group: an outer cell is wrong
once in GUARD + 1 draws at most, whatever the rows."""

SMALL = 3
"""How many scales of weight beyond a quantile are few: cells with no more than that beyond them are guarded against."""

_AT_ONCE = 1 << 18  # weights that are looked at together
# the least value lies above the released cell, or the greatest below it, once in so many draws at most
_MISSES = 100


@frozen
class Aim:
    """A rank to draw a cell at: so much weight beyond `share` of all; `below` and `above` are how many cells wide the
    stretches are that lie outside the grid.

    With a `guard`, every cell that would be wrong has a counterpart so many cells wide, and whoever draws that draws
    what lies outside the grid: see `guards`.
    """

    share: Fraction
    beyond: int = 0
    below: int = 0
    above: int = 0
    guard: int = 0
    few: int = 0

    def rank_errors(self, weights: Integers) -> Integers:
        """By how much each cell is misranked, the one below all of them first and the one above all of them last.

        In parts of a weight of one: the share's denominator.  Groups are rows, if there are several.
        """
        return self.errors_of(_weights_below(weights, (self,)))

    def errors_of(self, below: Integers) -> Integers:
        """The same, of the weights below each cell and, last, of all cells, in parts."""
        parts, total = self.share.denominator, below[..., -1:]
        target = total // parts * self.share.numerator + self.beyond * parts
        cells = below.shape[-1] - 1
        width = 2 + cells + (cells if self.guard else 0)
        found = np.empty((*below.shape[:-1], width), below.dtype)
        from_target = below - target
        # Nothing limits the two that lie outside the grid.
        found[..., :1], found[..., cells + 1 : cells + 2] = target, total - target
        inside = found[..., 1 : cells + 1]
        np.maximum(from_target[..., :-1], -from_target[..., 1:], out=inside)
        np.maximum(found[..., : cells + 2], 0, out=found[..., : cells + 2])
        if self.guard:
            found[..., cells + 2 :] = self.guards(below)
        return found

    def guards(self, below: Integers) -> Integers:
        """By how much the counterpart of each cell is misranked, given the weights below each, and of all, in parts.

        Claim:      of an aim below a rank, the cells above the value of that rank beyond which lies weight of at most
                    `few`, the empty ones beyond all rows among them, are drawn once in guard + 1 draws at most; if
                    there is no more weight than that on their side of the rank, so are all cells that are wrong.  Of an
                    aim above a rank likewise.  Misrankings of counterparts move between neighbours no further than
                    those of cells.
        Because:    a cell that is wrong is misranked by how far the aim lies from the rank and the cell from the rank,
                    and so is its counterpart, which weighs `guard` times as much and is right.  Cells with more weight
                    beyond them have counterparts that are misranked by all the weight on their side, but for `few`:
                    in a large group those are hardly ever drawn.  The weight up to a cell less share times the whole
                    moves as `misranked_by` says, the weight on one side of the rank by less, and so does the larger.
        Checked by: tests/laws/test_ranks.py
        """
        parts, total = self.share.denominator, below[..., -1:]
        middle = total // parts * self.share.numerator
        lower = self.beyond < 0
        away = np.abs((below[..., :-1] if lower else below[..., 1:]) - middle)
        side = total - middle if lower else middle
        return np.asarray(abs(self.beyond) * parts + np.maximum(away, side - self.few * parts))

    def widths(self, cells: int) -> Integers:
        """How many cells wide each is that `rank_errors` speaks of."""
        guards = cells if self.guard else 0
        return np.repeat([self.below, 1, self.above, self.guard], [1, cells, 1, guards])

    def cell(self, place: int, cells: int) -> int:
        """Which cell is at a place of `rank_errors`: -1 lies below the grid, `cells` above it."""
        if place < cells + 2:
            return place - 1
        return -1 if self.beyond < 0 else cells


@frozen(init=False)
class RankedCells:
    """For every group, a cell drawn at each of some ranks, with probability proportional to exp(-misranked / scale).

    A quantile is drawn at its own rank and, for its interval, `APART` scales of weight below and above it, guarded
    against stretches without rows: what would be drawn there by chance is the end of the range.  The least
    value is drawn where so much weight lies below that hardly a cell below all values is drawn, and the greatest
    likewise; so is a quantile that is wanted alone, as a bound, from whichever side it is nearer to.  An interval's
    ends, and the extremes, may lie outside the grid: in a group of little weight they do.

    Claim:      if between neighbours the misranking of a cell moves by at most m_g in group g, all draws together are
                pure with epsilon = 2 d sum(m_g) / scale, and zCDP with rho = d sum(m_g**2) / (2 scale**2), where d is
                the number of draws in a group.
    Because:    a draw is the exponential mechanism, of bounded range 2 m_g / scale, thus of rho that squared over 8
                (Dong, Durfee, Rogers 2020).  Draws are independent given the histogram, and losses add.  Which ranks
                are drawn at, and how wide the cells outside the grid are, depends on public numbers.
    Checked by: tests/laws/test_ranks.py

    >>> median = RankedCells(Fraction(1, 2), scale=3, cells=5)
    >>> [(low, middle, high)] = median.release(np.array([[0, 400, 30, 0, 400]]))
    >>> -1 <= low <= 5 and middle in range(5)
    True
    """

    rank: Fraction
    scale: Fraction
    cells: int
    ends: bool

    def __init__(self, rank: Number, scale: Number, cells: int, *, ends: bool = True) -> None:
        share = at_least(rank, "rank")
        if not 0 <= share <= 1:
            raise InvalidInput("rank", rank, "give a rank from 0, the least, to 1, the greatest")
        fill(
            self,
            rank=share,
            scale=scale_of(scale),
            cells=count_of(cells, "cells", least=2),
            ends=ends,
        )

    @classmethod
    def of_epsilon(
        cls,
        epsilon: Number,
        sensitivity: Sensitivity,
        rank: Fraction,
        cells: int,
        *,
        ends: bool = True,
    ) -> RankedCells:
        """The mechanism with the least noise whose pure loss is at most epsilon."""
        draws = draws_of(rank, ends=ends)
        return cls(
            rank,
            2 * draws * sensitivity.in_norm(Norm.L1).bound / price_of(epsilon),
            cells,
            ends=ends,
        )

    @classmethod
    def of_rho(
        cls, rho: Number, sensitivity: Sensitivity, rank: Fraction, cells: int, *, ends: bool = True
    ) -> RankedCells:
        """The mechanism with the least noise whose zCDP loss is at most rho."""
        squared = (
            sensitivity.in_norm(Norm.L2).bound ** 2
            * draws_of(rank, ends=ends)
            / (2 * price_of(rho))
        )
        return cls(rank, root_at_least(squared), cells, ends=ends)

    @property
    def draws(self) -> int:
        """How many cells are drawn in a group."""
        return draws_of(self.rank, ends=self.ends)

    @property
    def aims(self) -> tuple[Aim, ...]:
        """The ranks at which cells are drawn."""
        if self.rank in (0, 1):
            inward = self.inward if self.rank == 0 else -self.inward
            wide = {"above": self.cells} if self.rank == 0 else {"below": self.cells}
            return (Aim(self.rank, inward, **wide),)
        middle = Aim(self.rank)
        if not self.ends:
            side = (self.rank < Fraction(1, 2)) - (self.rank > Fraction(1, 2))
            return (Aim(self.rank, side * self.inward),)
        apart, few = ceil(APART * self.scale), ceil(SMALL * self.scale)
        lower = Aim(self.rank, -apart, below=self.cells, guard=GUARD, few=few)
        return lower, middle, Aim(self.rank, apart, above=self.cells, guard=GUARD, few=few)

    @property
    def inward(self) -> int:
        """How much weight an extreme is drawn away from it.

        Claim:      with probability of at least 99 % not all values lie on one side of the drawn cell: the least value
                    is not above it, nor the greatest below it.
        Because:    at least one cell is misranked by nothing, and cells without a value beyond them by all of this:
                    together they have the odds cells exp(-this / scale) at most, which is one in 100.
        Checked by: tests/laws/test_ranks.py
        """
        with working():
            return ceil(self.scale * upper(log(_MISSES * self.cells)))

    def release(self, weights: Any) -> list[tuple[int, ...]]:
        """The drawn cells of every group, whose weights are a row each; -1 lies below the grid, `cells` above it."""
        rows, at_once = _rows(weights, self.cells), max(1, _AT_ONCE // self.cells)
        found: list[tuple[int, ...]] = []
        for start in range(0, len(rows), at_once):
            below = _weights_below(rows[start : start + at_once], self.aims)
            found += zip(*(self._draw(below, aim) for aim in self.aims), strict=True)
        return found

    def _draw(self, below: Integers, aim: Aim) -> list[int]:
        scale = self.scale * aim.share.denominator
        places = weighted_rows(-aim.errors_of(below), scale, aim.widths(self.cells))
        return [aim.cell(place, self.cells) for place in places]

    def distribution(self, weights: Any, draw: int = 0) -> dict[int, Ball]:
        """The exact probability of every cell at one of the ranks, for the weights of one group."""
        aim = self.aims[draw]
        (row,) = _rows([weights], self.cells)
        law = weighted_law(
            -aim.rank_errors(row), self.scale * aim.share.denominator, aim.widths(self.cells)
        )
        found = dict.fromkeys(range(-1, self.cells + 1), ball(0))
        for place, chance in enumerate(law):
            found[aim.cell(place, self.cells)] += chance
        return found

    def loss(self, sensitivity: Sensitivity) -> Loss:
        """What a release costs, if misrankings move by at most this much between neighbours, over all groups."""
        if sensitivity.dimension == 1:
            each = BoundedRangeLoss(2 * sensitivity.bound / self.scale, sensitivity.neighbours)
            return each * self.draws
        if sensitivity.norm is Norm.L1:
            return PureLoss(2 * self.draws * sensitivity.bound / self.scale, sensitivity.neighbours)
        return ZeroConcentratedLoss(
            self.draws * sensitivity.bound**2 / (2 * self.scale**2), 0, sensitivity.neighbours
        )

    def error(self, confidence: Number) -> Fraction:
        """By how much weight the cell is misranked at most with this probability, whatever the data."""
        wanted = confidence_of(confidence)
        with working():
            odds = upper(log(max(Fraction(2), (self.cells - 1) * wanted / (1 - wanted))))
        return self.scale * odds + (0 if self.draws == 3 else self.inward)


def _weights_below(weights: Integers, aims: Sequence[Aim]) -> Integers:
    """The weight below each cell and, last, of all cells, in parts of a weight of one: the denominator of the share.

    They are wide enough for what is computed of them at these aims, which have one share.
    """
    parts = aims[0].share.denominator
    farthest = max(abs(aim.beyond) + aim.few for aim in aims)
    largest = (int(np.max(weights.sum(axis=-1))) + farthest + 1) * parts
    kind = np.int64 if 2 * largest < 1 << 62 else object
    below = np.zeros((*weights.shape[:-1], weights.shape[-1] + 1), kind)
    below[..., 1:] = np.cumsum(weights, axis=-1)
    below *= parts
    return below


def draws_of(rank: Fraction, *, ends: bool) -> int:
    """How many cells are drawn in a group: of a quantile three, if its interval is wanted."""
    return 3 if ends and rank not in (0, 1) else 1


def _rows(weights: Any, cells: int) -> Integers:
    array = np.asarray(weights)
    if (
        array.ndim != 2
        or array.shape[1] != cells
        or (array.dtype.kind not in "iu" and array.dtype != object)
    ):
        raise InvalidData(f"give a row of {cells} integer weights for every group")
    return array
