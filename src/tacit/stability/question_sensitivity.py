"""How far the answer to a question moves between neighbours: the unit-vector rule."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from tacit.errors import InvalidPlan
from tacit.plan import (
    Counted,
    Distinct,
    Measure,
    Owner,
    Question,
    Ranked,
    Summed,
    Units,
    Weighing,
    Weights,
    groups_of,
    held_rows,
    multiplicity,
    owner_of,
)
from tacit.privacy import Neighbours, Norm, Sensitivity, root_at_least

__all__ = ["misranked_by", "sensitivity_of", "weights_for"]

# A weight is a whole number of 2**-BITS.  Rounding it down loses at most that share of a heavy unit's rows.
BITS = 20


def weights_for(question: Question, contributions: int | None, norm: Weighing) -> Weights:
    """The weights that hold every unit's rows at `contributions`, and its presence in groups at no more than that.

    Tables that declare contributions of their own are held at those; rows that are joined, at their product, or along a
    declared foreign key at those of the table that refers.  Where every row is a unit there is nothing to hold: one row
    becomes so many rows as the plan makes of it.
    """
    match owner_of(question.rows):
        case Owner.ROW:
            copies = multiplicity(question.rows)
            return Weights(norm, bound=copies, units_squared=copies**2, bits=0)
        case Owner.NOBODY:
            raise InvalidPlan(
                "this question uses public tables only",
                "read them directly: they are not protected",
            )
        case Owner.UNIT:
            bound, groups = held_rows(question.rows, contributions), groups_of(question)
    present = groups if norm is Weighing.L2 else groups**2
    return Weights(norm, bound, units_squared=min(bound**2, present), bits=BITS)


def sensitivity_of(
    question: Question, weights: Weights, neighbours: Neighbours
) -> tuple[Sensitivity, ...]:
    """For each measure, how far its numbers over all groups move between neighbours, as the engine returns them.

    Claim:      adding or removing one unit moves measure j by at most 2**bits * bound * b_j in the weights' norm, where
                b_j is the most that one row adds; `Units` moves by at most 2**bits * sqrt(units_squared).  Of `Ranked`
                it is the misranking of any one cell in each group that moves by at most so much: see `misranked_by`.
    Because:    a unit's rows weigh W each and add at most b_j, so group g moves by at most W n_g b_j, and |W n| is at
                most 2**bits * bound.  Other units' rows and weights do not depend on this one: see `Rows`.  Where every
                row is a unit, `bound` is at least the number of rows that it becomes, each of which weighs 2**bits.
                For `Distinct` a unit brings at most `bound` pairs of a group and a value; each adds one where no other
                unit brings it, so that what it adds has no negative entry and a sum of at most `bound`, in either norm.
    Checked by: tests/laws/test_stability.py and tests/laws/test_rows.py
    """
    if owner_of(question.rows) is Owner.ROW and weights.bound < multiplicity(question.rows):
        raise AssertionError("a row becomes more rows than its weights allow for")
    norm = Norm.L2 if weights.norm is Weighing.L2 else Norm.L1
    groups = groups_of(question)
    once = owner_of(question.rows) is Owner.UNIT or weights.bound == 1
    bounds = [
        _bound_of_unit(measure, weights, groups, norm, neighbours, once=once)
        for measure in question.measures
    ]
    return tuple(Sensitivity(bound, norm, neighbours, groups) for bound in bounds)


def _bound_of_unit(
    measure: Measure,
    weights: Weights,
    groups: int,
    norm: Norm,
    neighbours: Neighbours,
    *,
    once: bool,
) -> Fraction:
    if isinstance(measure, Ranked):
        return (
            (1 << weights.bits)
            * weights.bound
            * misranked_by(measure.rank, groups, norm, neighbours)
        )
    bound = _unit_norm(measure, weights) * _replacement_factor(measure, groups, norm, neighbours)
    if not isinstance(measure, Units) or not once:
        return bound
    # Whoever comes and goes, no unit counts for more than one in any group.
    return min(
        bound,
        (1 << weights.bits)
        * (root_at_least(Fraction(groups)) if norm is Norm.L2 else Fraction(groups)),
    )


def misranked_by(rank: Fraction, groups: int, norm: Norm, neighbours: Neighbours) -> Fraction:
    """How far the misrankings of cells move in the norm over groups, if a unit's weights there have at most norm one.

    Claim:      with r = max(rank, 1 - rank): r under add-or-remove; under replace 1 in one group, and in several
                sqrt(2 (rank**2 + (1 - rank)**2)) in L2 and 2 r in L1.
    Because:    a cell with weight B below it and U up to it is misranked by the largest of 0, B - t and t - U, where t
                is rank times the whole weight and a public number.  A unit of weight a that comes or goes moves B and U
                by 0 to a and t by rank a, the same way: each difference by at most r a.  One that weighs a before and b
                after moves them by at most r M + (1 - r) m, M and m being the larger and the smaller of a and b: the
                weight below moves furthest from t if one of them lies below the cell and the other above.  In one
                group that is at most 1.  In L1, M + m sums to at most 2, so this to at most 2 r.  In L2, by Cauchy's
                inequality its square is at most (r**2 + (1 - r)**2) (M**2 + m**2), and the last sums to at most 2.
    Checked by: tests/laws/test_ranks.py
    """
    steep = max(rank, 1 - rank)
    if neighbours is Neighbours.ADD_OR_REMOVE:
        return steep
    if groups == 1:
        return Fraction(1)
    return 2 * steep if norm is Norm.L1 else root_at_least(2 * (steep**2 + (1 - steep) ** 2))


def _unit_norm(measure: Counted | Summed | Units | Distinct, weights: Weights) -> Fraction:
    """The most that one unit adds, in norm."""
    whole = Fraction(1 << weights.bits)
    match measure:
        case Counted() | Distinct():
            return whole * weights.bound
        case Summed():
            return whole * weights.bound * max(measure.reach, 1)
        case Units():
            return whole * root_at_least(Fraction(weights.units_squared))
        case _:
            assert_never(measure)


def _replacement_factor(
    measure: Counted | Summed | Units | Distinct, groups: int, norm: Norm, neighbours: Neighbours
) -> Fraction:
    """By what factor replacing a unit moves further than adding one.

    Claim:      1 under add-or-remove; under replace, where a row adds from -q to p with q <= p: for one number
                (p + q) / p; for several 2 in L1 and sqrt(2 (p**2 + q**2)) / p in L2, which is sqrt 2 without negative
                entries and 2 where both signs reach equally far.
    Because:    the answer moves by a - b, where a and b are what the old and the new unit add.  One number lies between
                the least and the most that a unit can add.  In L1, the triangle inequality.  In L2, the moves upward
                x = a+ + b- and downward y = b+ + a- have no negative entry, so |x - y|**2 <= |x|**2 + |y|**2.  Where a+
                and a- hold shares s**2 + t**2 <= 1 of the old unit's norm and b+ and b- shares u**2 + v**2 <= 1 of the
                new one's, |x| <= p s + q v and |y| <= p u + q t; by Cauchy's inequality |x|**2 + |y|**2 is at most
                (p**2 + q**2) (s**2 + v**2 + u**2 + t**2).
    Checked by: tests/laws/test_stability.py
    """
    least, most = _row_range(measure)
    reach = max(most, -least)
    if neighbours is Neighbours.ADD_OR_REMOVE or not reach:
        return Fraction(1)
    if groups == 1:
        return Fraction(most - least, reach)
    if norm is Norm.L1:
        return Fraction(2)
    return root_at_least(Fraction(2 * (most**2 + least**2), reach**2))


def _row_range(measure: Counted | Summed | Units | Distinct) -> tuple[int, int]:
    """The least and the most that one row adds; a row that adds nothing adds zero."""
    match measure:
        case Summed():
            return min(measure.low - measure.centre, 0), max(measure.high - measure.centre, 0)
        case Counted() | Units() | Distinct():
            return 0, 1
        case _:
            assert_never(measure)
