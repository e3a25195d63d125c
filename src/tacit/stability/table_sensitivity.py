"""How far many contingency tables move at once: one weight per unit holds all of them."""

from __future__ import annotations

from fractions import Fraction
from math import prod

from tacit.errors import InvalidPlan
from tacit.plan import Owner, Rows, Weighing, Weights, held_rows, multiplicity, owner_of
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

__all__ = [
    "sensitivity_of_distances",
    "sensitivity_of_residual",
    "sensitivity_of_table",
    "weights_for_tables",
]

BITS = 20


def weights_for_tables(rows: Rows, contributions: int | None, bits: int = BITS) -> Weights:
    """The weights of so many bits that hold the sum of every unit's rows at `contributions`, in all tables at once.

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
            return Weights(Weighing.L1, bound, units_squared=bound**2, bits=bits)


def sensitivity_of_table(
    cells: int, weights: Weights, neighbours: Neighbours, norm: Norm
) -> Sensitivity:
    """How far a table of counts moves between neighbours.

    Claim:      by 2**bits * bound under add-or-remove, in either norm; under replace, as far if
                there is one cell, and if there are several, 2 times as far in L1 and sqrt 2 in L2.
    Because:    a unit's rows weigh W each with W n <= 2**bits * bound, and every row is in one cell
                at most: what it adds has no negative entry and a sum of at most that.  Replacing it
                moves the table by a - b, of which |a - b|**2 <= |a|**2 + |b|**2 in L2.
    Checked by: tests/laws/test_tables.py::test_no_unit_moves_a_table_further_than_claimed
    """
    return Sensitivity(
        _most_weight(weights) * _replacing_factor(cells, neighbours, norm),
        norm,
        neighbours,
        max(1, cells),
    )


def sensitivity_of_distances(
    tables: int, weights: Weights, neighbours: Neighbours, norm: Norm
) -> Sensitivity:
    """How far the distances of so many tables from public ones move between neighbours, together.

    Claim:      each moves by at most 2**bits * bound, twice that under replace; all of them by
                sqrt(tables) times as much in L2, and tables times in L1.
    Because:    by the triangle inequality the distance moves by no more than the table does in L1.
    Checked by: tests/laws/test_tables.py::test_no_unit_moves_distances_further_than_claimed
    """
    each = _most_weight(weights) * (2 if neighbours is Neighbours.REPLACE else 1)
    together = Fraction(tables) if norm is Norm.L1 else root_at_least(Fraction(tables))
    return Sensitivity(each * together, norm, neighbours, tables)


def sensitivity_of_residual(
    sizes: tuple[int, ...], weights: Weights, neighbours: Neighbours, norm: Norm
) -> Sensitivity:
    """How far a table's residual moves: counts contrasted along every axis of n values by n x -
    sum.

    Claim:      with b = 2**bits * bound, in L2 by b sqrt(prod n (n - 1)), in L1 by b prod 2 (n -
                1); under replace by sqrt(2 (1 + 1 / (m - 1))) times as far in L2, m being the least
                n, and by 2 times in L1.
    Because:    a row becomes the product of n e - 1 over the axes, whose squares sum to n (n - 1)
                and absolute values to 2 (n - 1); a unit is a sum of rows that weigh at most b.
                Replacing moves furthest at the ends: from one row to another.  Two rows' products
                are n (n - 1) on an axis where they agree and -n where they do not: least, relative
                to the squares, where they differ on the one axis with fewest values.
    Checked by: tests/laws/test_tables.py::test_no_unit_moves_a_residual_further_than_claimed
    """
    cells, held = prod(sizes), _most_weight(weights)
    if 1 in sizes:
        return Sensitivity(Fraction(1), norm, neighbours, cells)
    if norm is Norm.L1:
        far = Fraction(prod(2 * (n - 1) for n in sizes))
        return Sensitivity(
            held * far * _replacing_factor(cells, neighbours, norm), norm, neighbours, cells
        )
    square = Fraction(prod(n * (n - 1) for n in sizes))
    if neighbours is Neighbours.REPLACE and sizes:
        square *= 2 * (1 + Fraction(1, min(sizes) - 1))
    return Sensitivity(held * root_at_least(square), norm, neighbours, cells)


def _most_weight(weights: Weights) -> Fraction:
    """The most that a unit's rows weigh together."""
    return Fraction(weights.bound << weights.bits)


def _replacing_factor(cells: int, neighbours: Neighbours, norm: Norm) -> Fraction:
    """By what factor replacing a unit moves a table further than adding one."""
    if neighbours is Neighbours.ADD_OR_REMOVE or cells <= 1:
        return Fraction(1)
    return Fraction(2) if norm is Norm.L1 else root_at_least(Fraction(2))
