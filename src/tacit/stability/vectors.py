"""How far sums of clipped vectors move between neighbours."""

from tacit.errors import InvalidPlan
from tacit.plan import Owner, Rows, Weighing, Weights, held_rows, multiplicity, owner_of
from tacit.privacy import Neighbours, Norm, Sensitivity

__all__ = ["sensitivity_of_sum", "weights_for_vectors"]

BITS = 10
"""Bits of a unit's weight: a unit of more than 2**10 times the rows that count in full weighs nothing."""


def weights_for_vectors(rows: Rows, contributions: int | None) -> Weights:
    """The weights that hold the sum of every unit's rows at `contributions`.

    A unit with at most that many rows counts in full.
    """
    match owner_of(rows):
        case Owner.ROW:
            copies = multiplicity(rows)
            return Weights(Weighing.L1, bound=copies, units_squared=copies**2, bits=0)
        case Owner.NOBODY:
            raise InvalidPlan(
                "this question uses public tables only",
                "read them directly: they are not protected",
            )
        case Owner.UNIT:
            bound = held_rows(rows, contributions)
            return Weights(Weighing.L1, bound, units_squared=bound**2, bits=BITS)


def sensitivity_of_sum(
    longest: int, numbers: int, weights: Weights, neighbours: Neighbours, norm: Norm
) -> Sensitivity:
    """How far a sum over rows of vectors moves, none of which is longer than `longest`.

    Claim:      by 2**bits * bound * longest under add-or-remove, and twice as far under replace.
    Because:    a unit's rows weigh W each with W n <= 2**bits * bound, so by the triangle inequality
                what it adds is no longer than that; replacing it takes one such vector away and adds another.
    Checked by: tests/laws/test_vectors.py::test_no_unit_moves_a_sum_further_than_claimed
    """
    alone = (weights.bound << weights.bits) * longest
    apart = 2 if neighbours is Neighbours.REPLACE else 1
    return Sensitivity(alone * apart, norm, neighbours, max(1, numbers))
