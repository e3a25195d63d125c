"""Sample-and-aggregate: one unit moves its own block, and a changed block costs what is claimed."""

from fractions import Fraction
from itertools import product

import pytest

from tacit.errors import InvalidInput
from tacit.exact import working
from tacit.mechanisms import BlockMedian
from tacit.privacy import Neighbours

RELATIONS = list(Neighbours)
MOVED = {Neighbours.ADD_OR_REMOVE: 1, Neighbours.REPLACE: 2}  # blocks that one unit is in


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_changed_block_costs_what_is_claimed(relation):
    """Of all results of five blocks in three cells, and any change of one block (of two, under replace)."""
    median = BlockMedian.of_epsilon(3, blocks=5, cells=3, neighbours=relation)
    claim = float(2 * MOVED[relation] / median.scale)
    assert 3 * claim == pytest.approx(3)
    with working(64):
        laws = {
            cells: [float(mass.log().mid()) for mass in median.distribution(cells).values()]
            for cells in product(range(3), repeat=5)
        }
    attained = 0.0
    for one, law in laws.items():
        for other, its in laws.items():
            if sum(a != b for a, b in zip(one, other, strict=True)) <= MOVED[relation]:
                moves = [a - b for a, b in zip(law, its, strict=True)]
                assert max(moves) - min(moves) <= claim + 1e-9
                attained = max(attained, max(moves) - min(moves))
    assert attained >= 0.9 * claim
    assert median.loss(relation).pure() == pytest.approx(3, rel=1e-9)
    assert median.loss(relation).neighbours is relation


@pytest.mark.parametrize("relation", RELATIONS)
def test_a_price_in_rho_is_kept(relation):
    median = BlockMedian.of_rho(Fraction(1, 50), blocks=400, cells=64, neighbours=relation)
    with working():
        rho = float(median.loss(relation).rho().mid())
    assert 0.9999 / 50 < rho <= 1 / 50


def test_ends_are_in_order_or_the_bounds():
    few = BlockMedian.of_epsilon(1, blocks=10, cells=50)
    assert few.release([20] * 10)[::2] == (0, 49)
    many = BlockMedian.of_epsilon(1, blocks=4000, cells=50)
    low, high = many.outer_ranks(0.95)
    assert 0.4 < low < Fraction(1, 2) < high < 0.6
    assert many.release([20] * 4000) == (20, 20, 20)
    for cells in ([20] * 9, [50] * 10, [-1] * 10, [0.5] * 10):
        with pytest.raises(InvalidInput):
            few.release(cells)
