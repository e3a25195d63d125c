"""Of which class a question is: what it takes to evaluate it, told by its plan alone."""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.plan import CombinedPlan, Distinct, Plan, Ranked, tables_of

__all__ = ["KINDS", "PlanClass", "plan_class"]

KINDS = ("sums", "distinct", "ranks", "keys")
"""Kinds of questions, from the quickest to the slowest: sums and counts, distinct values, quantiles, unknown keys."""


@frozen
class PlanClass:
    """A kind of question, the tables that it reads, and of how many parts it consists; `joined` are those of its parts
    that read several tables together.
    """

    kind: str
    tables: tuple[str, ...]
    parts: int = 1
    joined: tuple[tuple[str, ...], ...] = ()


def plan_class(plan: Plan | CombinedPlan) -> PlanClass:
    """The class of a plan.

    Claim:      it depends on the question and on nothing else.
    Because:    the plan is all that is passed in.
    Checked by: tests/unit/curator/test_duration_class_of_plan.py
    """
    parts = plan.parts if isinstance(plan, CombinedPlan) else (plan,)
    kinds = [_kind(part) for part in parts]
    read = [
        tuple(dict.fromkeys(table.name for table in tables_of(part.question.rows)))
        for part in parts
    ]
    tables = dict.fromkeys(name for names in read for name in names)
    joined = dict.fromkeys(names for names in read if len(names) > 1)
    return PlanClass(max(kinds, key=KINDS.index), tuple(tables), len(parts), tuple(joined))


def _kind(plan: Plan) -> str:
    question = plan.question
    if question.unknown:
        return "keys"
    if any(isinstance(measure, Ranked) for measure in question.measures):
        return "ranks"
    if any(isinstance(measure, Distinct) for measure in question.measures):
        return "distinct"
    return "sums"
