"""A plan without the measures that nobody looks at.

Checked by: tests/laws/test_after.py
"""

from __future__ import annotations

from dataclasses import replace

from tacit.plan.model.expressions import Expression, MeanOf, MeasureOf, MomentOf, operands, rebuilt
from tacit.plan.model.nodes import Ordering, Plan, Shown, View

__all__ = ["drop_unused_measures"]


def drop_unused_measures(plan: Plan) -> Plan:
    """The plan without measures that no part of the view uses: what was asked for inside and left out outside."""
    view, measures = plan.view, plan.question.measures
    ends = [each for each in (view.having, view.qualify) if each is not None]
    roots = [*(each.value for each in view.columns), *(each.value for each in view.order), *ends]
    used = sorted(set().union(*map(_places, roots))) or [0]
    if not measures or len(used) == len(measures):
        return plan
    places = {place: new for new, place in enumerate(used)}

    def move(part: Expression) -> Expression:
        match part:
            case MeasureOf(place):
                return MeasureOf(places[place])
            case MeanOf(total, count):
                return MeanOf(places[total], places[count])
            case MomentOf(moment, of):
                return MomentOf(moment, tuple(places[place] for place in of))
            case _:
                return rebuilt(part, move)

    def maybe(part: Expression | None) -> Expression | None:
        return None if part is None else move(part)

    shown = tuple(Shown(each.name, move(each.value)) for each in view.columns)
    order = tuple(Ordering(move(each.value), each.descending) for each in view.order)
    question = replace(plan.question, measures=tuple(measures[place] for place in used))
    return Plan(
        question,
        View(shown, maybe(view.having), order, view.limit, view.offset, maybe(view.qualify)),
    )


def _places(expression: Expression) -> set[int]:
    """The measures that an expression is computed from."""
    match expression:
        case MeasureOf(place):
            return {place}
        case MeanOf(total, count):
            return {total, count}
        case MomentOf(_, of):
            return set(of)
        case _:
            return set().union(*map(_places, operands(expression)))
