"""How far the weights of unknown keys move between neighbours, and what a key weighs that one unit is alone with."""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from tacit.plan import Keeping, Owner, Question, Weighing, multiplicity, owner_of
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

__all__ = ["key_sensitivity", "keys_of", "weight_alone"]

BITS = 20
"""A key's weight is a whole number of 2**-BITS."""


def keys_of(question: Question, keys: int, norm: Weighing = Weighing.L2) -> Keeping:
    """How many keys a unit keeps, and in which parts they weigh; not yet by which secret.

    Where every row is a unit it has one key, in as many copies as the plan makes of it.
    """
    by_row = owner_of(question.rows) is Owner.ROW
    if by_row:
        return Keeping(multiplicity(question.rows), 0, b"", norm)
    return Keeping(keys, BITS, b"", norm)


def key_sensitivity(question: Question, keeping: Keeping, neighbours: Neighbours) -> Sensitivity:
    """How far the weights of all keys together move between neighbours.

    Claim:      by at most 2**BITS in L2 if a unit comes or goes, by sqrt 2 of that if one is replaced; where sums are
                bounded, by 2**BITS in L1, or twice that; copies of one row move them by as much as there are.  No more
                than `most` keys move, or twice as many.
    Because:    a unit that keeps k keys adds floor(2**BITS / sqrt k) to each of them, and nothing to others; of two
                units none adds less than zero, so that the squares of what they add bound that of the difference.  In
                sums, it adds floor(2**BITS / k) to each.
    Checked by: tests/laws/test_keys.py
    """
    bound = (
        Fraction(keeping.most)
        if owner_of(question.rows) is Owner.ROW
        else Fraction(1 << keeping.bits)
    )
    if keeping.norm is Weighing.L1:
        units = 2 if neighbours is Neighbours.REPLACE else 1
        return Sensitivity(units * bound, Norm.L1, neighbours, units * keeping.most)
    if neighbours is Neighbours.REPLACE:
        return Sensitivity(root_at_least(2 * bound**2), Norm.L2, neighbours, 2 * keeping.most)
    return Sensitivity(bound, Norm.L2, neighbours, keeping.most)


def weight_alone(question: Question, keeping: Keeping, grid: int, keys: int) -> int:
    """What each of so many keys that a unit is alone with weighs at most, in steps of the grid.

    Claim:      whatever rows a unit has, the keys that nobody else keeps are at most `most`, and none of k such keys
                weighs more than this.
    Because:    a unit that keeps k keys or more adds floor(2**bits / sqrt k) or less to each of them, and rounding to
                the grid keeps the order.  Copies of one row are no more keys than copies, and no key has more than all
                of them.
    Checked by: tests/laws/test_keys.py
    """
    weight = (
        keeping.most
        if owner_of(question.rows) is Owner.ROW
        else isqrt((1 << 2 * keeping.bits) // keys)
    )
    return (weight + grid // 2) // grid
