"""How far the scores of groups move between neighbours, when only their order is looked at."""

from __future__ import annotations

from tacit.plan import Counted, Distinct, Question, Summed, Units, Weights
from tacit.privacy import Neighbours, Norm, Sensitivity
from tacit.stability.question_sensitivity import sensitivity_of

__all__ = ["is_monotone", "score_sensitivity"]


def score_sensitivity(question: Question, weights: Weights, neighbours: Neighbours) -> Sensitivity:
    """How far the one measure of a question moves over its groups, each group being a candidate.

    Claim:      between neighbours no vector of scores moves further than this; the number of units in a group moves by
                at most 2**bits, however many groups a unit is in.
    Because:    what bounds all groups together bounds each; a unit is counted once in a group, and weighs 2**bits there
                at most: one that comes or goes moves a group by that, one that replaces another by no more.
    Checked by: tests/laws/test_top_k.py::test_scores_move_no_further_than_is_claimed
    """
    (moved,) = sensitivity_of(question, weights, neighbours)
    if isinstance(question.measures[0], Units) and weights.bits:
        each = Sensitivity(1 << weights.bits, Norm.LINF, neighbours, moved.dimension)
        return each if each.bound < moved.in_norm(Norm.LINF).bound else moved
    return moved


def is_monotone(question: Question, neighbours: Neighbours) -> bool:
    """Whether all scores move the same way when a unit comes or goes.

    Claim:      if so, no two scores move apart by more than the larger of their moves.
    Because:    a unit that comes adds to every group what its rows add there, and rows add nothing of the other sign.
    Checked by: tests/laws/test_top_k.py::test_monotone_scores_move_the_same_way
    """
    measure = question.measures[0]
    if neighbours is not Neighbours.ADD_OR_REMOVE:
        return False
    if isinstance(measure, Summed):
        return min(measure.low, 0) == 0 or max(measure.high, 0) == 0
    return isinstance(measure, Counted | Units | Distinct)
