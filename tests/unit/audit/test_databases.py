"""Databases of a small universe, their neighbours, and the distance between them."""

from itertools import combinations

import numpy as np
import pytest

from tacit.audit import databases, distance, neighbouring_pairs
from tacit.audit.databases import pairs_needed
from tacit.errors import InvalidData, InvalidInput, TooLarge
from tacit.privacy import Neighbours
from tests.together import together

ADD, REPLACE = Neighbours.ADD_OR_REMOVE, Neighbours.REPLACE
R = [[1, 2], [5, 6], [7, 8], [11, 5]]
S = [[1, 2], [5, 7], [7, 8], [5, 11]]
V = [[5, 6], [1, 2], [7, 8], [11, 5]]

every_world = pytest.mark.parametrize(
    ("universe", "size", "neighbours", "ordered"),
    [
        (u, n, by, o)
        for u in ("A", "AB", "ABC")
        for n in (0, 1, 2, 3)
        for by in Neighbours
        for o in (True, False)
    ],
)


@together
@every_world
def test_the_pairs_are_exactly_the_databases_at_distance_one(universe, size, neighbours, ordered):
    every = list(databases(universe, size, neighbours, ordered=ordered))
    near = {
        frozenset(p)
        for p in combinations(every, 2)
        if distance(*p, neighbours, ordered=ordered) == 1
    }
    pairs = list(neighbouring_pairs(universe, size, neighbours, ordered=ordered))
    assert {frozenset(pair) for pair in pairs} == near
    assert len(pairs) == len(near), "a pair came twice"


@together
@every_world
def test_the_number_of_pairs_is_known_beforehand(universe, size, neighbours, ordered):
    found = len(list(neighbouring_pairs(universe, size, neighbours, ordered=ordered)))
    if found:
        assert found <= pairs_needed(universe, size, neighbours, ordered=ordered)
    else:
        with pytest.raises(InvalidInput, match="no two databases are neighbours"):
            pairs_needed(universe, size, neighbours, ordered=ordered)


@pytest.mark.parametrize(
    ("neighbours", "ordered", "count"),
    [(REPLACE, True, 27), (REPLACE, False, 10), (ADD, True, 40), (ADD, False, 20)],
)
def test_there_are_as_many_databases_as_counting_says(neighbours, ordered, count):
    every = list(databases("ABC", 3, neighbours, ordered=ordered))
    assert len(every) == len(set(every)) == count


def test_order_matters_for_the_distance_between_matrices():
    assert distance(R, S, REPLACE) == 2
    assert distance(R, V, REPLACE) == 2
    assert distance(np.array(R), np.array(V), REPLACE) == 2


def test_without_order_the_same_rows_are_the_same_database():
    assert distance(R, V, REPLACE, ordered=False) == 0
    assert distance(R, V, ADD, ordered=False) == 0


def test_replacing_a_row_is_two_steps_of_adding_and_removing():
    for ordered in (True, False):
        assert distance("AAB", "AAC", REPLACE, ordered=ordered) == 1
        assert distance("AAB", "AAC", ADD, ordered=ordered) == 2


def test_databases_of_different_size_have_no_distance_under_replace():
    with pytest.raises(InvalidData, match="2 and 3 rows"):
        distance("AB", "ABC", REPLACE)


def test_an_enumeration_that_would_not_end_is_refused_with_its_size():
    with pytest.raises(
        TooLarge,
        match=r"10,000,000,000 databases and up to 450,000,000,000 pairs .* smaller universe",
    ):
        pairs_needed(range(10), 10, REPLACE)
    assert pairs_needed(range(10), 10, REPLACE, limit=10**12) == 450_000_000_000


@pytest.mark.parametrize("size", [-1, 1.0, True, "2", None])
def test_a_size_that_is_no_count_is_refused(size):
    with pytest.raises(InvalidInput, match="size"):
        list(databases("AB", size, REPLACE))


@pytest.mark.parametrize("universe", ["", "AA", (), ([1, 2], [3, 4]), ((1, [2]),)])
def test_a_universe_names_each_kind_of_row_once(universe):
    with pytest.raises(InvalidInput, match="universe"):
        list(databases(universe, 2, REPLACE))


@pytest.mark.parametrize("limit", [-1, 0.5, None, "many"])
def test_a_limit_is_a_count(limit):
    with pytest.raises(InvalidInput, match="limit"):
        pairs_needed("AB", 2, REPLACE, limit=limit)
