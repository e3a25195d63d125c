"""Cell bounds: what the totals of a table say about its cells."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from itertools import chain, combinations, product
from math import exp

import numpy as np
from numpy.typing import NDArray

from tacit.audit.attacks.report import AttackReport, Line, Rate
from tacit.audit.attacks.simplex import corner, least
from tacit.errors import InvalidInput
from tacit.exact import below
from tacit.mechanisms import Laplace

__all__ = ["cell_bounds", "frechet_bounds", "linear_bounds", "margins_of"]

Axes = tuple[int, ...]
Margins = Mapping[Axes, NDArray[np.int64]]
Bounds = dict[tuple[int, ...], tuple[int, int]]

_PAIRS: tuple[Axes, ...] = ((0, 1), (0, 2), (1, 2))


def margins_of(table: NDArray[np.int64], kept: Sequence[Axes]) -> dict[Axes, NDArray[np.int64]]:
    """The totals of a table over all axes but the kept ones.

    >>> {axes: totals.tolist() for axes, totals in margins_of(np.array([[1, 2], [3, 4]]), [(0,), (1,)]).items()}
    {(0,): [3, 7], (1,): [4, 6]}
    """
    return {
        axes: table.sum(axis=tuple(a for a in range(table.ndim) if a not in axes)) for axes in kept
    }


def frechet_bounds(shape: tuple[int, ...], margins: Margins) -> Bounds:
    """The least and the most that each cell can hold, by adding and subtracting totals.

    Claim:      every non-negative table with these margins lies within the bounds, and in two ways they are sharp.
    Because:    a cell is at most every total it is part of; and people of two groups who are all part of a third number
                at least the first and the second less the third. (Frechet 1940; Dobra and Fienberg 2000.)
    Checked by: tests/unit/audit/attacks/test_cell_bounds.py

    >>> bounds = frechet_bounds((2, 2), {(0,): np.array([12, 18]), (1,): np.array([14, 16])})
    >>> [bounds[cell] for cell in product((0, 1), repeat=2)]
    [(0, 12), (0, 12), (2, 14), (4, 16)]
    """
    given = _check_margins(shape, margins)
    return {cell: _frechet(cell, given) for cell in product(*map(range, shape))}


def linear_bounds(
    shape: tuple[int, ...], margins: Margins, only: Collection[tuple[int, ...]] | None = None
) -> Bounds:
    """The least and the most that each cell, or each of `only`, can hold, by linear programming.

    Claim:      every table of people with these margins lies within the bounds, they are never looser than Frechet's,
                and before they are rounded to whole numbers no tighter ones hold for tables of real numbers.
    Because:    both ends are optima of the linear programme over such tables, computed in rationals; a whole number
                between two rationals is between the first rounded up and the second rounded down.
    Checked by: tests/unit/audit/attacks/test_cell_bounds.py

    >>> linear_bounds((2, 2), {(0,): np.array([12, 18]), (1,): np.array([14, 16])})[1, 1]
    (4, 16)
    """
    given = _check_margins(shape, margins)
    cells = list(product(*map(range, shape)))
    equations, right = [], []
    for axes, totals in given.items():
        for place in product(*(range(shape[a]) for a in axes)):
            equations.append(
                [int(all(cell[a] == i for a, i in zip(axes, place, strict=True))) for cell in cells]
            )
            right.append(int(totals[place]))
    start = corner(equations, right)
    bounds = {}
    for number, cell in enumerate(cells):
        if only is not None and cell not in only:
            continue
        costs = [int(number == other) for other in range(len(cells))]
        low, high = least(start, costs), -least(start, [-cost for cost in costs])
        bounds[cell] = (-((-low) // 1), high // 1)
    return bounds


def cell_bounds(tables: int = 400, epsilon: Fraction = Fraction(1, 10)) -> AttackReport:
    """The report on reading a cell of a 2 x 2 x 2 table off its totals over any two attributes.

    Every cell holds 0, 1 or 2 people, all equally likely. The naive service publishes the twelve exact totals, and
    the attack succeeds where they leave the cell one value. Tacit publishes the same totals with noise: a person is
    in three of them. The attack there is least squares, rounded.

    >>> cell_bounds(tables=10).chance == 1 / 3
    True
    """
    drawn = below(3, 8 * tables).reshape(tables, 2, 2, 2)
    pinned = sum(_is_pinned(table) for table in drawn)
    tacit = int((_estimates(drawn, epsilon) == drawn[:, 0, 0, 0]).sum())
    allowed = 1 / (1 + exp(-epsilon) + exp(-2 * epsilon))
    limits = tuple(float(limit) for limit in np.geomspace(0.1, 10, 25))
    expected = (1 - (2 / 3) ** 4) ** 2
    return AttackReport(
        "cell-bounds",
        "how many people are in this cell?",
        # Tables with the same totals differ by adding a number to four cells and subtracting it from the other four:
        # the cell is pinned if each four hold a zero.
        Rate(pinned, tables, expected),
        Rate(tacit, tables),
        allowed=allowed,
        chance=1 / 3,
        sentence=(
            "No total is about fewer than two cells, and yet together they fix most cells of small tables; noise on "
            "the totals leaves every cell in doubt."
        ),
        lines=(
            Line("pinned by exact totals, in theory", "naive", limits, (expected,) * len(limits)),
            Line("Tacit", "tacit", (float(epsilon),), (tacit / tables,), measured=True),
            Line(
                "most that epsilon allows",
                "allowed",
                limits,
                tuple(1 / (1 + exp(-e) + exp(-2 * e)) for e in limits),
            ),
        ),
        across="limit, epsilon",
        logarithmic=True,
    )


def _is_pinned(table: NDArray[np.int64]) -> bool:
    ((low, high),) = linear_bounds((2, 2, 2), margins_of(table, _PAIRS), only=[(0, 0, 0)]).values()
    return low == high


def _estimates(drawn: NDArray[np.int64], epsilon: Fraction) -> NDArray[np.int64]:
    """The first cell of each table, from noisy totals, by least squares."""
    exact = np.stack(
        [np.concatenate([m.ravel() for m in margins_of(table, _PAIRS).values()]) for table in drawn]
    )
    each = np.eye(8, dtype=np.int64).reshape(8, 2, 2, 2)
    design = np.stack(
        [np.concatenate([m.ravel() for m in margins_of(one, _PAIRS).values()]) for one in each],
        axis=1,
    )
    noisy = Laplace(len(_PAIRS) / epsilon).release(exact)
    solved = 1 + (noisy - design.sum(axis=1)) @ np.linalg.pinv(design)[0]
    return np.asarray(np.clip(np.rint(solved), 0, 2), dtype=np.int64)


def _check_margins(shape: tuple[int, ...], margins: Margins) -> dict[Axes, NDArray[np.int64]]:
    given = {tuple(axes): np.asarray(totals) for axes, totals in margins.items()}
    for axes, totals in given.items():
        if list(axes) != sorted(set(axes)) or not all(0 <= a < len(shape) for a in axes):
            raise InvalidInput(
                "margins", axes, "name each kept axis once, in order, such as (0, 2)"
            )
        if totals.shape != tuple(shape[a] for a in axes):
            raise InvalidInput(
                "margins",
                totals.shape,
                f"the totals over {axes} need one number for each of their cells",
            )
        if totals.dtype.kind not in "iu" or (totals < 0).any():
            raise InvalidInput(
                "margins", axes, "totals of people are whole numbers and not negative"
            )
    if len({int(totals.sum()) for totals in given.values()}) != 1:
        raise InvalidInput(
            "margins",
            list(given),
            "all sets of totals must be given and sum to the same number of people",
        )
    return given


def _frechet(cell: tuple[int, ...], given: Mapping[Axes, NDArray[np.int64]]) -> tuple[int, int]:
    """Bounds for every group that the cell's values name on some axes; the cell is the group that names all."""
    every = [frozenset(c) for n in range(len(cell) + 1) for c in combinations(range(len(cell)), n)]
    low, high = {}, {}
    for group in every:
        inside = [axes for axes in given if group <= set(axes)]
        known = {_total(cell, group, axes, given[axes]) for axes in inside}
        around = [_total(cell, group & set(axes), axes, given[axes]) for axes in given]
        high[group] = min(chain(known, around))
        low[group] = max(known, default=0)
    for _ in cell:  # each round may use what the one before found
        for one, other in combinations(every, 2):
            both = one | other
            low[both] = max(low[both], low[one] + low[other] - high[one & other])
    return low[every[-1]], high[every[-1]]


def _total(
    cell: tuple[int, ...], group: frozenset[int], axes: Axes, totals: NDArray[np.int64]
) -> int:
    """How many people have the cell's values on the axes of the group, from totals that keep more axes."""
    return int(totals[tuple(cell[a] if a in group else slice(None) for a in axes)].sum())
