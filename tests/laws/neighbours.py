"""Pools of neighbouring tables: few tables, of which many pairs are neighbours."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Any

import pytest
from hypothesis import HealthCheck

from tacit.privacy import Neighbours

SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.filter_too_much]
UNITS = 3  # that come and go in a pool where units are added and removed
VARIANTS = 8  # of the one unit that is replaced in a pool
PAIRS = {
    Neighbours.ADD_OR_REMOVE: UNITS * 2 ** (UNITS - 1),
    Neighbours.REPLACE: VARIANTS * (VARIANTS - 1) // 2,
}
every_relation = pytest.mark.parametrize(
    "relation", list(Neighbours), ids=[each.value for each in Neighbours]
)


@dataclass(frozen=True)
class Pool:
    """Tables, and which of them are neighbours."""

    tables: list[Any]
    pairs: list[tuple[int, int]]


def pool_of(
    relation: Neighbours, parts: Sequence[Any], joined: Callable[[Sequence[Any]], Any]
) -> Pool:
    """What `joined` makes of some parts, each of which is all that one unit owns.

    Units are added and removed: tables with every set of them, which are neighbours if one unit makes the difference.
    A unit is replaced: one table with each part, any two of which are neighbours.
    """
    if relation is Neighbours.REPLACE:
        return Pool([joined([part]) for part in parts], list(combinations(range(len(parts)), 2)))
    sets = list(product([False, True], repeat=len(parts)))
    tables = [
        joined([part for part, present in zip(parts, chosen, strict=True) if present])
        for chosen in sets
    ]
    apart = [
        (one, one | 1 << bit)
        for one in range(len(sets))
        for bit in range(len(parts))
        if not one >> bit & 1
    ]
    return Pool(tables, apart)
