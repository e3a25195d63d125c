"""How far sums of clipped vectors move between neighbours."""

from __future__ import annotations

from tacit.plan import Rows, Weights
from tacit.privacy import Neighbours, Norm, Sensitivity
from tacit.stability.table_sensitivity import weights_for_tables

__all__ = ["sensitivity_of_sum", "weights_for_vectors"]

BITS = 10
"""Bits of a unit's weight: a unit of more than 2**10 times the rows that count in full weighs nothing."""


def weights_for_vectors(rows: Rows, contributions: int | None) -> Weights:
    """The weights that hold the sum of every unit's rows at `contributions`.

    A unit with at most that many rows counts in full.
    """
    return weights_for_tables(rows, contributions, BITS)


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
