"""Questions that show only which groups come first, and no number: they can be answered by private selection."""

from __future__ import annotations

from dataclasses import replace

from tacit.frozen import frozen
from tacit.plan.model.expressions import Across, Expression, KeyOf, Literal, MeasureOf, operands
from tacit.plan.model.nodes import (
    Counted,
    Distinct,
    Plan,
    Question,
    Summed,
    Units,
    View,
    groups_of,
)
from tacit.plan.questions.impossible_groups import group_filter

__all__ = ["TopK", "show_chosen", "top_k_of"]


@frozen
class TopK:
    """Which groups of a question come first by its one measure: `k` of them, the greatest or the smallest.

    They are chosen from all that can have rows, which are so many `candidates`.
    """

    question: Question
    k: int
    smallest: bool
    candidates: int


def top_k_of(plan: Plan) -> TopK | None:
    """What a plan chooses, if all that it shows is which groups come first; None for every other plan.

    SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 3

    Claim:      the answer to such a plan is a function of the order of its first k groups.
    Because:    its columns are made of keys alone, no condition looks at a measure, and rows are in the order of the
                measure; further keys of ORDER BY would only tell apart groups whose measures are equal.
    Checked by: tests/unit/plan/rewrite/test_top_k.py
    """
    question, view = plan.question, plan.view
    if not view.limit or not view.order or view.having is not None or view.qualify is not None:
        return None
    if question.unknown or len(question.measures) != 1 or not _is_score(question):
        return None
    first, *others = view.order
    shown = [*(each.value for each in view.columns), *(each.value for each in others)]
    if first.value != MeasureOf(0) or not all(_is_of_keys(each) for each in shown):
        return None
    k = view.limit + view.offset
    candidates = groups_of(question)
    if k < candidates and (can_have_rows := group_filter(question)) is not None:
        candidates = sum(map(can_have_rows, question.groups))
    if k >= candidates:
        return None
    return TopK(question, k, not first.descending, candidates)


def show_chosen(plan: Plan) -> Plan:
    """The plan that shows the chosen groups, which are all its groups, in the order of the choice.

    Its keys are taken for unknown ones, of which the chosen groups are found; nothing is measured of them.
    """
    keys = tuple(replace(key, values=None) for key in plan.question.keys)
    question = Question(plan.question.rows, keys, ())
    columns, limit, offset = plan.view.columns, plan.view.limit, plan.view.offset
    return Plan(question, View(columns, limit=limit, offset=offset))


def _is_score(question: Question) -> bool:
    """Whether the measure itself is what groups are ordered by: counts, and sums that are not centred."""
    (measure,) = question.measures
    if isinstance(measure, Summed):
        return measure.centre == 0
    return isinstance(measure, Counted | Units | Distinct)


def _is_of_keys(expression: Expression) -> bool:
    """Whether an expression is made of keys and constants alone, and looks at no other group."""
    if isinstance(expression, KeyOf | Literal):
        return True
    parts = operands(expression)
    return not isinstance(expression, Across) and bool(parts) and all(map(_is_of_keys, parts))
