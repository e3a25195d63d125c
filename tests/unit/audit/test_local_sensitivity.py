"""Local sensitivity by enumeration, and the smallest smooth function above it."""

from fractions import Fraction
from math import exp

import pytest

from tacit.audit import local_sensitivities, neighbouring_pairs, sensitivity_by_search
from tacit.errors import TooLarge
from tacit.privacy import Neighbours


def middle(rows):
    return sorted(rows)[len(rows) // 2] if rows else 0


@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_largest_local_sensitivity_is_the_global_one(relation):
    found = local_sensitivities(middle, range(4), 4, relation)
    known = sensitivity_by_search(middle, range(4), 4, relation, ordered=False)
    assert found.globally == known.bound
    assert found.at(known.pair[0]) == found.at(known.pair[1]) == known.bound


def test_a_database_moves_as_far_as_its_furthest_neighbour():
    found = local_sensitivities(middle, range(11), 3, Neighbours.REPLACE)
    assert found.at((0, 0, 0)) == 0
    assert found.at((0, 0, 10)) == 10
    assert found.at((10, 4, 5)) == 5


@pytest.mark.parametrize("relation", list(Neighbours))
def test_the_smooth_bound_is_smooth_and_the_least(relation):
    beta = Fraction(1, 2)
    found = local_sensitivities(middle, range(4), 3, relation)
    bounds = {rows: float(bound.mid()) for rows, bound in found.smooth(beta).items()}
    for one, other in neighbouring_pairs(range(4), 3, relation, ordered=False):
        assert exp(-0.5) - 1e-9 <= bounds[one] / bounds[other] <= exp(0.5) + 1e-9
    for rows, bound in bounds.items():
        assert bound >= found.at(rows) - 1e-12
    # each is attained by the local sensitivity of some database, so that none could be smaller
    assert any(bound == pytest.approx(float(found.at(rows))) for rows, bound in bounds.items())
    assert min(bounds.values()) > 0


def test_what_would_take_too_long_is_refused():
    with pytest.raises(TooLarge):
        local_sensitivities(middle, range(1000), 5, Neighbours.REPLACE)
