"""Which values of a column share a group: so many groups that a cell of a pair is near its noise,
and no more.

Checked by: tests/unit/synth/test_table_learning.py::test_null_never_shares_a_group_with_a_value
"""

from __future__ import annotations

import numpy as np

from tacit.synth.domain import Array, Attribute, Forbidden

__all__ = ["find_kinds", "group_values"]

_MOST_KINDS = 16


def find_kinds(column: int, attribute: Attribute, forbidden: tuple[Forbidden, ...]) -> Array:
    """The kind of each value: values of one kind are treated alike by the public rules, and are all
        NULL or none.

    Of rules that tell too many values apart, as "a <= b" does, none is looked at: rows that break
    one are drawn again.
    """
    is_null = (np.arange(attribute.size) == attribute.size - 1) & attribute.null
    kinds = is_null.astype(np.int64)
    for rule in forbidden:
        if column not in (rule.first, rule.second):
            continue
        cells = rule.cells if column == rule.first else rule.cells.T
        finer = np.unique(np.column_stack([kinds, cells]), axis=0, return_inverse=True)[1].reshape(
            -1
        )
        if finer.max() < _MOST_KINDS:
            kinds = finer
    return np.asarray(kinds)


def group_values(
    mass: Array, attribute: Attribute, least: float, floor: float, most: int, kinds: Array
) -> Array:
    """The group of each value, from what it weighs: neighbours join until they weigh `least`; of
    values without an order, those that weigh less than `floor` are pooled.  Values of different
    kinds never share a group.

    >>> ages = Attribute(5, ordered=True)
    >>> group_values(np.array([5.0, 1, 1, 1, 5]), ages, 3, 0, 9, np.zeros(5)).tolist()
    [0, 1, 1, 1, 2]
    """
    if not attribute.ordered:
        heaviest = np.sort(mass)[::-1][min(most, len(mass)) - 1]
        alone = mass >= max(floor, heaviest)
        return np.unique(
            np.where(alone, np.arange(len(mass)) + len(mass), kinds), return_inverse=True
        )[1]
    groups = np.zeros(attribute.size, np.int64)
    group, held = 0, 0.0
    for place, weight in enumerate(mass):
        if place and (held >= least or weight >= least or kinds[place] != kinds[place - 1]):
            group, held = group + 1, 0.0
        groups[place], held = group, held + weight
    return groups
