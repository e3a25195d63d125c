"""What totals say about cells: the linear programme agrees with Frechet in two ways, and is never looser beyond."""

from itertools import chain, combinations, product

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tacit.audit.attacks import frechet_bounds, linear_bounds, margins_of

CELLS = list(product((0, 1), repeat=2))


def tables(*shapes):
    return st.sampled_from(shapes).flatmap(
        lambda shape: st.lists(
            st.integers(0, 6), min_size=int(np.prod(shape)), max_size=int(np.prod(shape))
        ).map(lambda numbers: np.array(numbers).reshape(shape))
    )


def margin_sets(ways):
    every = list(chain.from_iterable(combinations(range(ways), n) for n in range(1, ways)))
    return st.lists(st.sampled_from(every), min_size=1, max_size=len(every), unique=True)


def test_the_worked_example():
    margins = {(0,): np.array([12, 18]), (1,): np.array([14, 16])}
    known = [(0, 12), (0, 12), (2, 14), (4, 16)]
    for bounds in (frechet_bounds((2, 2), margins), linear_bounds((2, 2), margins)):
        assert [bounds[cell] for cell in CELLS] == known


@settings(max_examples=40)
@given(table=tables((2, 2), (2, 3), (3, 3), (4, 2)))
def test_in_two_ways_both_agree(table):
    margins = margins_of(table, [(0,), (1,)])
    assert linear_bounds(table.shape, margins) == frechet_bounds(table.shape, margins)


@settings(max_examples=40)
@given(table=tables((2, 2, 2), (2, 3, 2)), kept=margin_sets(3))
def test_in_three_ways_the_programme_is_never_looser_and_both_hold_the_table(table, kept):
    margins = margins_of(table, kept)
    linear, frechet = linear_bounds(table.shape, margins), frechet_bounds(table.shape, margins)
    for cell in product(*map(range, table.shape)):
        assert (
            frechet[cell][0]
            <= linear[cell][0]
            <= table[cell]
            <= linear[cell][1]
            <= frechet[cell][1]
        )


def test_in_three_ways_the_programme_is_sometimes_tighter():
    """A zero elsewhere pins a cell of which Frechet's totals leave two values."""
    table = np.array([[[0, 1], [2, 1]], [[2, 1], [1, 0]]])
    margins = margins_of(table, [(0, 1), (0, 2), (1, 2)])
    linear, frechet = linear_bounds(table.shape, margins), frechet_bounds(table.shape, margins)
    assert any(linear[cell] != frechet[cell] for cell in linear)
