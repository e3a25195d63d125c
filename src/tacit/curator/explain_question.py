"""What an answer would contain and cost, for a question as text or as a frame: free, and no data are read.

Checked by: tests/unit/curator/test_protect.py, tests/attacks/test_free_reads.py
"""

from __future__ import annotations

from dataclasses import replace

from tacit.curator.answer.explanation import Explanation, explain_choice, explain_plan
from tacit.curator.ask_text import Params
from tacit.curator.budget import with_earlier_charge, with_own_limit
from tacit.curator.explain_free_answer import explain_free
from tacit.curator.free_answers import FreeAnswer, find_free, read_text
from tacit.curator.priced_question import Asked, price_plan
from tacit.curator.question_context import Access
from tacit.curator.replay_stored_answer import Known, find_known
from tacit.exact import Number
from tacit.plan import CombinedPlan, Frame, Plan, freeze_parameters, spelling_remarks

__all__ = ["explain_question"]


def explain_question(
    access: Access,
    question: str | Frame,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    params: Params,
) -> Explanation:
    """What an answer would contain and cost; this is free, and no data are read."""
    told = _explain_question(
        access, question, epsilon=epsilon, within=within, confidence=confidence, params=params
    )
    remarks = spelling_remarks(question) if isinstance(question, str) else ()
    return replace(told, remarks=(*told.remarks, *remarks)) if remarks else told


def _explain_question(
    access: Access,
    question: str | Frame,
    *,
    epsilon: Number | None,
    within: Number | None,
    confidence: float,
    params: Params,
) -> Explanation:
    tables = access.read_tables()
    plan: Plan | CombinedPlan | FreeAnswer
    if isinstance(question, str):
        bound = freeze_parameters(params)
        plan, epsilon = read_text(access, question, tables, epsilon, within, bound)
    else:
        plan = question.plan()
        plan = find_free(access, plan, tables) or plan
    if isinstance(plan, FreeAnswer):
        return explain_free(access, plan, confidence)
    if isinstance(plan, CombinedPlan):
        from tacit.curator.ask_combined import explain_parts, price_parts

        parts = price_parts(
            access, plan, epsilon=epsilon, within=within, confidence=confidence, tables=tables
        )
        return explain_parts(access, parts)
    asked = price_plan(
        access, plan, epsilon=epsilon, within=within, confidence=confidence, tables=tables
    )
    return _explain_asked(access, asked)


def _explain_asked(access: Access, asked: Asked) -> Explanation:
    """What a priced question would cost now: nothing, if it was answered or paid for before."""
    told = explain_plan(
        asked.plan,
        asked.terms,
        asked.shared,
        access.policy.limit,
        access.ledger.total_spent(),
        asked.confidence,
        access.policy.unit,
        asked.left_out,
    )
    told = with_own_limit(access, told, asked.charge)
    known = find_known(access.ledger, asked)
    if known is not None:
        return _with_stored_answer(told, known, asked.confidence)
    if asked.selection is not None:
        return _with_chosen_groups(access, told, asked)
    return with_earlier_charge(access, told, asked.name.key, asked.charge)


def _with_stored_answer(told: Explanation, known: Known, confidence: float) -> Explanation:
    """An explanation of what is known already: free, and with the errors of the answer that is stored."""
    expected = tuple(
        replace(each, noise="noise of the stored answer", reach=float(error))
        for each, error in zip(told.expected, known.errors(confidence), strict=True)
    )
    return replace(told, free=True, expected=expected, means=(), remarks=())


def _with_chosen_groups(access: Access, told: Explanation, asked: Asked) -> Explanation:
    """An explanation of a question that shows only which groups come first."""
    from tacit.curator.ask_first_groups import find_choice, selection_key

    assert asked.selection is not None, "the caller saw that groups are chosen"
    chosen = find_choice(access, asked)
    told = replace(explain_choice(told, asked.selection), free=chosen is not None)
    charge = access.rule.price(asked.selection.loss)
    return with_earlier_charge(access, told, selection_key(access, asked), charge)
