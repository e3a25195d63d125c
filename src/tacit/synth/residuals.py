"""All small marginals of a table at once, with the least total variance, and consistent with each
other.

Every marginal is a sum of residuals: what a combination of columns tells beyond its parts.  Each
residual is measured once, and every marginal above it is made of it (Xiao, He, Zhang and Kifer
2023, ResidualPlanner).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations, product
from math import prod
from typing import TypeAlias

import numpy as np

from tacit.frozen import frozen
from tacit.synth.domain import Array
from tacit.synth.noise_sums import gaussian_reach, laplace_reach

__all__ = [
    "Columns",
    "NoiseOfCells",
    "Residuals",
    "cell_variance",
    "plan_residuals",
    "rebuild_marginal",
    "subsets",
]

Columns: TypeAlias = tuple[int, ...]

_PARTS = 1 << 40


@frozen
class Residuals:
    """A request for noisy residuals of some tables: counts, contrasted along every axis.

    Along an axis of n values, a count becomes n times itself less the sum of all: whole numbers
    stay whole.
    """

    columns: tuple[Columns, ...]
    share: Fraction
    parts: tuple[int, ...]


def subsets(columns: Columns) -> Iterator[Columns]:
    """Every combination of some columns, none and all among them.

    >>> list(subsets((0, 2)))
    [(), (0,), (2,), (0, 2)]
    """
    return (found for size in range(len(columns) + 1) for found in combinations(columns, size))


def plan_residuals(
    sizes: Sequence[int], workload: Mapping[Columns, float], *, pure: bool
) -> dict[Columns, int]:
    """In which parts residuals share a price, for the least weighed sum of all cells' variances.

    Claim:      no other parts give a smaller sum.
    Because:    the sum of v / part, for given v > 0, is least where parts are as the root of v
                (Cauchy); where a part buys a scale instead of a variance, the sum of v / part**2 is
                least at the cubic root.
    Checked by: tests/unit/synth/test_residuals.py::test_no_other_parts_are_better
    """
    needed: dict[Columns, float] = {}
    for marginal, weight in workload.items():
        cells = weight * prod(sizes[place] for place in marginal)
        for residual in subsets(marginal):
            needed[residual] = needed.get(residual, 0.0) + cells * _share_of_variance(
                marginal, residual, sizes
            )
    root = 1 / 3 if pure else 1 / 2
    worth = {
        each: (value * _moved_squared(each, sizes, pure=pure)) ** root
        for each, value in needed.items()
    }
    whole = sum(worth.values())
    return {each: max(1, round(_PARTS * value / whole)) for each, value in worth.items()}


def rebuild_marginal(
    marginal: Columns, sizes: Sequence[int], residuals: Mapping[Columns, Array]
) -> Array:
    """The counts of a marginal, from the residuals below it: each is spread evenly over the axes
    that it lacks.

    Marginals that are rebuilt from the same residuals agree wherever they overlap.
    """
    counts = np.zeros([sizes[place] for place in marginal])
    for residual in subsets(marginal):
        shape = [sizes[place] if place in residual else 1 for place in marginal]
        missing = prod(sizes[place] for place in marginal if place not in residual)
        scale = prod(sizes[place] for place in residual)
        counts += (_centre(residuals[residual]) / (scale * missing)).reshape(shape)
    return counts


def cell_variance(
    marginal: Columns, sizes: Sequence[int], variances: Mapping[Columns, float]
) -> float:
    """The variance of each cell of a rebuilt marginal, from those of the noise in the residuals'
    whole numbers."""
    scaled = {
        each: variances[each] / prod(sizes[place] for place in each) ** 2
        for each in subsets(marginal)
    }
    return sum(value * _share_of_variance(marginal, each, sizes) for each, value in scaled.items())


@frozen(eq=False)
class NoiseOfCells:
    """The noise of rebuilt marginals' cells, from the variances of the noise in the residuals' whole
    numbers.

    `steps` is the least standard deviation of those, in steps of the whole numbers.
    """

    sizes: Sequence[int]
    variances: Mapping[Columns, float]
    steps: float
    pure: bool

    def reach(self, marginal: Columns, confidence: float) -> float:
        """The ± of each cell of a marginal."""
        if not self.pure:
            deviation = cell_variance(marginal, self.sizes, self.variances) ** 0.5
            return float(gaussian_reach(np.array([deviation]), confidence, self.steps)[0])
        scales, counts = zip(*self._summands(marginal), strict=True)
        return float(
            laplace_reach(np.array([scales]), np.array([counts]), confidence, self.steps)[0]
        )

    def _summands(self, marginal: Columns) -> Iterator[tuple[float, int]]:
        """Every scale of Laplace noise that a cell is a sum of, and how many summands have it: along
        an axis of n values, a cell of a residual has its own noise less the mean of all n."""
        for residual in subsets(marginal):
            sizes = [self.sizes[place] for place in residual]
            missing = prod(self.sizes[place] for place in marginal if place not in residual)
            scale = (self.variances[residual] / 2) ** 0.5 / (prod(sizes) * missing)
            for along in product(*([(1 - 1 / n, 1), (1 / n, n - 1)] for n in sizes)):
                yield scale * prod(part for part, _ in along), prod(many for _, many in along)


def _centre(table: Array) -> Array:
    """A table less the means along every axis: noise that no residual has is left out."""
    found = table.astype(float)
    for axis in range(found.ndim):
        found -= found.mean(axis=axis, keepdims=True)
    return found


def _share_of_variance(marginal: Columns, residual: Columns, sizes: Sequence[int]) -> float:
    """How much a cell of a marginal has of the variance of a residual's noise."""
    return prod((sizes[i] - 1) / sizes[i] if i in residual else sizes[i] ** -2.0 for i in marginal)


def _moved_squared(residual: Columns, sizes: Sequence[int], *, pure: bool) -> float:
    """The square of how far one row moves a residual, divided by its scale: in the norm that the
    noise hides."""
    if pure:
        return prod(4 * ((sizes[place] - 1) / sizes[place]) ** 2 for place in residual)
    return prod((sizes[place] - 1) / sizes[place] for place in residual)
