"""Bounds of cells: what is refused, what is pinned."""

from itertools import product

import numpy as np
import pytest

from tacit.audit.attacks.cell_bounds import _is_pinned, frechet_bounds, linear_bounds, margins_of
from tacit.errors import InvalidInput
from tacit.exact import below


def test_margins_are_sums_over_the_other_axes():
    table = np.arange(8).reshape(2, 2, 2)
    margins = margins_of(table, [(0,), (1, 2)])
    assert margins[0,].tolist() == [6, 22]
    assert margins[1, 2].tolist() == [[4, 6], [8, 10]]


def test_bounds_are_those_of_all_tables_with_the_same_totals():
    """Every table of 2 x 2 x 2 with these totals is listed; the bounds are the least and the most of each cell."""
    pairs = [(0, 1), (0, 2), (1, 2)]
    table = np.array([1, 0, 2, 1, 0, 1, 1, 2]).reshape(2, 2, 2)
    margins = margins_of(table, pairs)
    alike = [
        found
        for cells in product(range(5), repeat=4)
        for found in [_completed(cells, margins)]
        if found is not None and (found >= 0).all()
    ]
    bounds = linear_bounds((2, 2, 2), margins)
    for cell in product((0, 1), repeat=3):
        values = [int(found[cell]) for found in alike]
        assert bounds[cell] == (min(values), max(values))


def _completed(cells, margins):
    """The only table with these first four cells and these totals, if there is one."""
    first = np.array(cells).reshape(2, 2)
    table = np.stack([first, margins[1, 2] - first])
    same = all(
        (margins_of(table, [axes])[axes] == totals).all() for axes, totals in margins.items()
    )
    return table if same else None


def test_a_cell_is_pinned_where_both_fours_hold_a_zero():
    signs = np.array([(-1) ** sum(cell) for cell in product((0, 1), repeat=3)])
    for cells in below(3, 8 * 40).reshape(40, 8):
        expected = bool((cells[signs > 0] == 0).any() and (cells[signs < 0] == 0).any())
        assert _is_pinned(cells.reshape(2, 2, 2)) == expected


def test_one_way_totals_of_three():
    margins = {(0,): np.array([9, 1]), (1,): np.array([9, 1]), (2,): np.array([9, 1])}
    assert frechet_bounds((2, 2, 2), margins)[0, 0, 0] == (7, 9)
    assert linear_bounds((2, 2, 2), margins)[0, 0, 0] == (7, 9)


def test_only_the_cells_that_are_asked_for():
    margins = {(0,): np.array([12, 18]), (1,): np.array([14, 16])}
    assert linear_bounds((2, 2), margins, only=[(1, 0)]) == {(1, 0): (2, 14)}


@pytest.mark.parametrize(
    "margins",
    [
        {},
        {(1, 0): np.array([[1, 1], [1, 1]])},
        {(0, 0): np.array([[1, 1], [1, 1]])},
        {(2,): np.array([1, 1])},
        {(0,): np.array([1, 1, 1])},
        {(0,): np.array([1.5, 1.5])},
        {(0,): np.array([3, -1]), (1,): np.array([1, 1])},
        {(0,): np.array([1, 1]), (1,): np.array([1, 2])},
    ],
)
@pytest.mark.parametrize("bounds", [frechet_bounds, linear_bounds])
def test_totals_that_are_none_are_refused(bounds, margins):
    with pytest.raises(InvalidInput, match="margins"):
        bounds((2, 2), margins)
