"""Sample-and-aggregate: the private median of what a function says of every block of units, with an interval."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, isqrt, sqrt
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import Ball, Number, count_of, normal_quantile, upper
from tacit.frozen import frozen
from tacit.mechanisms.parameters import confidence_of, price_of, scale_of
from tacit.mechanisms.quantile import Quantile
from tacit.privacy import BoundedRangeLoss, Composed, Loss, Neighbours, fill

__all__ = ["BlockMedian", "blocks_moved"]

_DRAWS = 3
_BITS = 60


@frozen(init=False)
class BlockMedian:
    """The median of one cell for each of `blocks` blocks, and cells at two outer ranks, which make an interval.

    Claim:      a release costs three times a bounded range of 2 k / scale, k being one under add-or-remove and two
                under replace, whatever the function is that made the cells.
    Because:    a unit is in one block, chosen without any other unit: if it comes or goes, one block has another cell
                and their number stays; if it is replaced, its successor may be in another block.  A block that has
                another cell moves a rank by one row; the rest is the exponential mechanism, three times.
    Checked by: tests/laws/test_sample_and_aggregate.py::test_a_changed_block_costs_what_is_claimed

    >>> median = BlockMedian.of_epsilon(1, blocks=300, cells=100)
    >>> median.scale
    Fraction(6, 1)
    >>> low, middle, high = median.release([50] * 300)
    >>> low <= middle <= high
    True
    """

    blocks: int
    cells: int
    scale: Fraction

    def __init__(self, blocks: int, cells: int, scale: Number) -> None:
        fill(
            self,
            blocks=count_of(blocks, "blocks", least=2, most=1 << 20),
            cells=count_of(cells, "cells", least=2, most=1 << 20),
            scale=scale_of(scale),
        )

    @classmethod
    def of_epsilon(
        cls,
        epsilon: Number,
        blocks: int,
        cells: int,
        neighbours: Neighbours = Neighbours.ADD_OR_REMOVE,
    ) -> BlockMedian:
        """The median with the least noise whose loss is at most epsilon."""
        return cls(blocks, cells, 2 * _DRAWS * blocks_moved(neighbours) / price_of(epsilon))

    @classmethod
    def of_rho(
        cls,
        rho: Number,
        blocks: int,
        cells: int,
        neighbours: Neighbours = Neighbours.ADD_OR_REMOVE,
    ) -> BlockMedian:
        """The median with the least noise whose loss is at most rho-zCDP: a bounded range r costs r**2 / 8."""
        squared = 8 * price_of(rho) / _DRAWS
        root = Fraction(isqrt(int(squared * (1 << 2 * _BITS))), 1 << _BITS)  # rounded down
        return cls(blocks, cells, 2 * blocks_moved(neighbours) / root)

    def release(self, cells: Any, confidence: Number = 0.95) -> tuple[int, int, int]:
        """The low end of an interval, the median, and the high end, as numbers of cells, in order.

        The interval holds the median of what blocks like these give; where there are too few blocks for an end, it is
        the first cell, or the last one.
        """
        counts = self._count(cells)
        low, high = self.outer_ranks(confidence)
        drawn = [
            Quantile(rank, self.scale).release(counts) if 0 < rank < 1 else edge
            for rank, edge in (
                (low, 0),
                (Fraction(1, 2), 0),
                (high, self.cells - 1),
            )
        ]
        return min(drawn[0], drawn[1]), drawn[1], max(drawn[1], drawn[2])

    def outer_ranks(self, confidence: Number) -> tuple[Fraction, Fraction]:
        """The ranks at which the ends of the interval are drawn; outside of 0 to 1 where blocks are too few.

        Claim:      the ends leave the median of the law of the blocks' results between them with this confidence.
        Because:    so many of the independent results lie below their law's median with a normal deviation of half
                    the root of their number, and a drawn cell is misranked by at most `Quantile.error`; each of the
                    four may fail with a quarter of what is left.
        Checked by: tests/laws/test_sample_and_aggregate.py::test_ends_are_in_order_or_the_bounds
        """
        failure = (1 - confidence_of(confidence)) / 4
        by_noise = Quantile(Fraction(1, 2), self.scale).error(1 - failure, self.cells)
        by_chance = float(upper(normal_quantile(1 - failure))) * sqrt(self.blocks) / 2
        off = Fraction(ceil(by_noise + by_chance), self.blocks)
        return Fraction(1, 2) - off, Fraction(1, 2) + off

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """What one release costs."""
        each = BoundedRangeLoss(2 * blocks_moved(neighbours) / self.scale, neighbours)
        return Composed.of((each, _DRAWS))

    def distribution(self, cells: Any) -> dict[int, Ball]:
        """The exact law of the median's cell."""
        return Quantile(Fraction(1, 2), self.scale).distribution(self._count(cells))

    def _count(self, cells: Any) -> NDArray[np.int64]:
        given = np.asarray(cells)
        if given.shape != (self.blocks,) or given.dtype.kind not in "iu":
            raise InvalidInput("cells", given.shape, "give the number of a cell for every block")
        if given.min() < 0 or given.max() >= self.cells:
            raise InvalidInput("cells", "outside", f"number cells from 0 to {self.cells - 1}")
        return np.bincount(given, minlength=self.cells)


def blocks_moved(neighbours: Neighbours) -> int:
    """How many blocks one unit can change: its own, and under replace that of its successor.

    >>> blocks_moved(Neighbours.ADD_OR_REMOVE), blocks_moved(Neighbours.REPLACE)
    (1, 2)
    """
    return neighbours.steps
