"""What the rows and the presences of a unit weigh, in whole numbers."""

from __future__ import annotations

from collections.abc import Iterable
from math import isqrt

from tacit.plan import Weighing, Weights

__all__ = ["presence_weight", "weight"]


def weight(counts: Iterable[int], weights: Weights) -> int:
    """What each row of a unit weighs whose numbers of rows in the groups are `counts`.

    Claim:      the weight is the largest W <= 2**bits with W**2 sum(n**2) <= 4**bits bound**2, or in the norm L1 with
                W sum(n) <= 2**bits bound.
    Because:    W**2 <= x holds for a rational x exactly if W <= isqrt(floor(x)).
    Checked by: tests/laws/test_engines.py::test_no_unit_weighs_more_than_the_bound

    >>> weight([3, 4], Weights(Weighing.L2, 4, 4, 10))
    819
    """
    vector = list(counts)
    match weights.norm:
        case Weighing.L1:
            most = (weights.bound << weights.bits) // sum(vector)
        case Weighing.L2:
            most = isqrt((weights.bound**2 << 2 * weights.bits) // sum(n * n for n in vector))
    return min(most, 1 << weights.bits)


def presence_weight(groups: int, weights: Weights) -> int:
    """What a unit weighs in each of the groups in which it has a row, for `Units`."""
    match weights.norm:
        case Weighing.L1:
            most = (isqrt(weights.units_squared) << weights.bits) // groups
        case Weighing.L2:
            most = isqrt((weights.units_squared << 2 * weights.bits) // groups)
    return min(most, 1 << weights.bits)
