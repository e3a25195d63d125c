"""A small linear programme, solved exactly: the simplex method in rational arithmetic."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from tacit.errors import InvalidData
from tacit.frozen import frozen

__all__ = ["Corner", "corner", "least"]

Rows = list[list[Fraction]]


@frozen
class Corner:
    """A corner of {x >= 0 : equations hold}: the equations solved for the variables of its basis."""

    rows: tuple[tuple[Fraction, ...], ...]  # coefficients, then the right side
    basis: tuple[int, ...]


def corner(equations: Sequence[Sequence[int]], right: Sequence[int]) -> Corner:
    """A corner of the solutions that are nowhere negative.

    Claim:      if one exists it is found, and else the equations are refused.
    Because:    phase one minimises the sum of one artificial variable an equation, which is zero at a solution and only
                there; Bland's rule never cycles.
    Checked by: tests/unit/audit/attacks/test_simplex.py

    >>> corner([[1, 1]], [3]).rows
    ((Fraction(1, 1), Fraction(1, 1), Fraction(3, 1)),)
    """
    variables, count = len(equations[0]), len(equations)
    rows = []
    for place, (equation, value) in enumerate(zip(equations, right, strict=True)):
        sign = -1 if value < 0 else 1
        artificial = [Fraction(int(place == other)) for other in range(count)]
        rows.append(
            [*(Fraction(sign * one) for one in equation), *artificial, Fraction(sign * value)]
        )
    basis = list(range(variables, variables + count))
    costs = [Fraction(0)] * variables + [Fraction(1)] * count
    if _minimise(rows, basis, costs):
        raise InvalidData(
            "these totals contradict each other: no table has them all; give totals of one table"
        )
    for place in range(
        count
    ):  # artificial variables that stayed, at zero, leave; where they cannot, the row says nothing
        if basis[place] >= variables:
            entering = next((j for j in range(variables) if rows[place][j]), None)
            if entering is not None:
                _pivot(rows, basis, place, entering)
    kept = [place for place in range(count) if basis[place] < variables]
    return Corner(
        tuple((*rows[place][:variables], rows[place][-1]) for place in kept),
        tuple(basis[place] for place in kept),
    )


def least(start: Corner, costs: Sequence[int]) -> Fraction:
    """The least total cost of a solution that is nowhere negative; the set of them must be bounded.

    >>> least(corner([[1, 1]], [3]), [2, 1]), -least(corner([[1, 1]], [3]), [-2, -1])
    (Fraction(3, 1), Fraction(6, 1))
    """
    rows, basis = [list(row) for row in start.rows], list(start.basis)
    return _minimise(rows, basis, [Fraction(cost) for cost in costs])


def _minimise(rows: Rows, basis: list[int], costs: list[Fraction]) -> Fraction:
    """The least cost; the rows and the basis are moved to a corner that has it."""
    while True:
        entering = next(
            (j for j in range(len(costs)) if _reduced_cost(rows, basis, costs, j) < 0), None
        )
        if entering is None:
            return sum(
                (costs[one] * row[-1] for one, row in zip(basis, rows, strict=True)), Fraction(0)
            )
        steps = [
            (row[-1] / row[entering], basis[i], i)
            for i, row in enumerate(rows)
            if row[entering] > 0
        ]
        if not steps:
            raise InvalidData(
                "the cost has no least value: a total over every variable is missing; give one"
            )
        _pivot(rows, basis, min(steps)[2], entering)


def _reduced_cost(rows: Rows, basis: list[int], costs: list[Fraction], j: int) -> Fraction:
    """How much the cost changes with one unit of this variable; zero for those of the basis."""
    return costs[j] - sum(
        (costs[one] * row[j] for one, row in zip(basis, rows, strict=True) if row[j]), Fraction(0)
    )


def _pivot(rows: Rows, basis: list[int], leaving: int, entering: int) -> None:
    divisor = rows[leaving][entering]
    rows[leaving] = [value / divisor for value in rows[leaving]]
    for i, row in enumerate(rows):
        factor = row[entering]
        if i != leaving and factor:
            rows[i] = [
                value - factor * other for value, other in zip(row, rows[leaving], strict=True)
            ]
    basis[leaving] = entering
