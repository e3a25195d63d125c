"""Scores of candidates: how they are read, and how far two of them move apart between neighbours."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, count_of, float_at_least, log, upper, working
from tacit.mechanisms.grid_steps import narrow_integers, rounded_steps, sensitivity_of, steps_moved
from tacit.mechanisms.parameters import failure_of, price_of
from tacit.privacy import Neighbours, Norm, Sensitivity

__all__ = ["candidates_of", "scores_of", "selection_bound", "steps_apart"]


def scores_of(scores: Any, grid: Fraction | None, *, smallest: bool = False) -> NDArray[Any]:
    """The scores in whole steps of the grid, one for each candidate; turned round if the smallest is wanted.

    >>> scores_of([3, 1], None, smallest=True).tolist()
    [-4, -2]
    """
    steps = rounded_steps(scores, grid)
    if not isinstance(steps, np.ndarray) or steps.ndim != 1 or not steps.size:
        raise InvalidData(
            "scores are a list or a one-dimensional array; give one score for each candidate"
        )
    whole = narrow_integers(steps)
    # -1 - score: only differences matter, and -2**63 has no opposite
    return ~whole if smallest else whole


def candidates_of(candidates: int) -> int:
    """How many candidates there are, refused if there is none.

    >>> candidates_of(1000)
    1000
    """
    return count_of(candidates, "candidates", least=1, most=1 << 32)


def steps_apart(sensitivity: Sensitivity | Number, grid: Fraction | None, *, monotone: bool) -> int:
    """How many steps two scores move apart, at most, between neighbours; a bare number is what each score moves.

    Claim:      if each score moves by at most d steps, two move apart by at most 2d, and by at most d if all move the
                same way; if their moves are bounded together, by at most the L1 norm of any two.
    Because:    |a - b| <= |a| + |b|, and |a - b| <= max(|a|, |b|) for a, b of one sign.  Rounding is monotone, so
                it turns no move round.  Adding a unit to counts only raises them; replacing one takes from
                one count what it gives to another, so that monotone scores exist by add-or-remove alone.
    Checked by: tests/laws/test_selection.py

    >>> steps_apart(1, None, monotone=False), steps_apart(1, None, monotone=True)
    (2, 1)
    >>> steps_apart(Sensitivity(1, Norm.L1, dimension=1000), None, monotone=False)
    1
    """
    moved = sensitivity_of(sensitivity)
    each = steps_moved(
        Sensitivity(moved.in_norm(Norm.LINF).bound, neighbours=moved.neighbours), grid
    )
    if monotone:
        if moved.neighbours is Neighbours.REPLACE:
            raise InvalidInput(
                "monotone",
                True,
                "replacing a unit raises one score and lowers another; leave monotone out",
            )
        return each
    if moved.dimension == 1 or moved.norm is Norm.LINF:
        return 2 * each
    return min(
        2 * each,
        steps_moved(Sensitivity(moved.bound, moved.norm, moved.neighbours, dimension=2), grid),
    )


def selection_bound(
    sensitivity: Sensitivity | Number,
    epsilon: Number,
    beta: Number,
    candidates: int,
    *,
    monotone: bool = False,
) -> float:
    """(2 sensitivity / epsilon) ln(candidates / beta): the chosen score is less than this below the best, but for beta.

    The textbook's bound for the exponential mechanism; without the 2 for monotone scores.  `Exponential.error` is the
    smallest that holds for all scores.

    >>> round(selection_bound(1, epsilon=1, beta=0.05, candidates=1000), 2)
    19.81
    """
    moved = sensitivity_of(sensitivity)
    sides = steps_apart(Sensitivity(1, neighbours=moved.neighbours), None, monotone=monotone)
    with working():
        rare = upper(log(candidates_of(candidates) / failure_of(beta, "beta")))
    return float_at_least(sides * moved.in_norm(Norm.LINF).bound * rare / price_of(epsilon))
