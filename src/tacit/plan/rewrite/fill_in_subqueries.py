"""Subqueries whose answers are constants of other parts: one plan of all of them, and how constants are filled in.

Checked by: tests/unit/plan/rewrite/test_fill_in_subqueries.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from datetime import date, datetime
from fractions import Fraction
from math import isfinite
from typing import Any

from tacit.plan.model.combined_answers import (
    AnswerOf,
    Answers,
    CombinedPlan,
    SubqueryAnswer,
    combine_questions,
    leaves_of,
    subqueries_in,
    subqueries_of_view,
)
from tacit.plan.model.expressions import Literal, SubqueryValue
from tacit.plan.model.nodes import Key, Measure, Plan, Question, Rows, View
from tacit.plan.model.schema import Column, Kind, Scalar, Table
from tacit.plan.rewrite.canonical import canonical
from tacit.plan.rewrite.combine_answers import exchange_leaves, show_all

__all__ = ["fill_subqueries", "fill_view", "hold_value", "join_subqueries"]

_Subject = tuple[Rows, tuple[Key, ...], int]


def join_subqueries(
    plan: CombinedPlan, subqueries: Sequence[tuple[CombinedPlan, Column, int]]
) -> CombinedPlan:
    """One plan of a statement and of the subqueries that its rows are compared with; equal parts are one.

    Claim:      the plan has the same meaning, and what is measured of the same groups by several is measured once.
    Because:    parts are one where rows and keys are equal, and leaves are renumbered with them; views stay.
    Checked by: tests/unit/plan/rewrite/test_fill_in_subqueries.py
    """
    stages: list[int] = []
    for each, _, _ in subqueries:  # which names only those before it
        others = [stages[place] for place in subqueries_of_view(each.plan.view)]
        stages.append(max([*(_stage(part.question, stages) for part in each.parts), *others]))
    measured: dict[_Subject, dict[Measure, None]] = {}
    alone: dict[_Subject, tuple[Measure, ...]] = {}
    for each in [plan, *(each for each, _, _ in subqueries)]:
        for leaf in leaves_of(each.answers):
            question = each.parts[leaf.part].question
            subject = _subject(question, stages)
            used = [question.measures[place] for place in leaf.measures]
            measured.setdefault(subject, {}).update(dict.fromkeys(used))
            alone.setdefault(
                subject, question.measures
            )  # which groups there are takes a measure, if it is alone
    settled = {
        subject: show_all(
            canonical(show_all(Question(*subject[:2], tuple(measures) or alone[subject]))).question
        )
        for subject, measures in measured.items()
    }
    numbers = {subject: number for number, subject in enumerate(settled)}
    parts = tuple(settled.values())
    questions = [part.question for part in parts]

    def renumber(each: CombinedPlan) -> tuple[Answers, Plan]:
        leaves = iter(
            [_leaf(each, leaf, stages, numbers, questions) for leaf in leaves_of(each.answers)]
        )
        answers = exchange_leaves(each.answers, leaves.__next__)
        return answers, Plan(combine_questions(answers, questions), each.plan.view)

    made = [SubqueryAnswer(*renumber(each), column, row=row) for each, column, row in subqueries]
    return CombinedPlan(parts, *renumber(plan), tuple(made))


def _subject(question: Question, stages: Sequence[int]) -> _Subject:
    """What is measured together: the same groups, after the same number of subqueries were answered."""
    return question.rows, question.keys, _stage(question, stages)


def _stage(question: Question, stages: Sequence[int]) -> int:
    """How many subqueries must be answered one after the other before a question can be."""
    return max((1 + stages[place] for place in subqueries_in(question)), default=0)


def _leaf(
    plan: CombinedPlan,
    leaf: AnswerOf,
    stages: Sequence[int],
    numbers: Mapping[_Subject, int],
    questions: Sequence[Question],
) -> AnswerOf:
    """The same groups and measures of a part among those of all plans."""
    asked = plan.parts[leaf.part].question
    number = numbers[_subject(asked, stages)]
    places = [questions[number].measures.index(asked.measures[at]) for at in leaf.measures]
    return AnswerOf(number, leaf.keys, tuple(places))


def fill_subqueries(question: Question, values: Mapping[int, Scalar | None]) -> Question:
    """A question whose subqueries were answered: each is the constant that was released.

    Claim:      what is proved of the question with subqueries in it holds for this one.
    Because:    the proof knows of a subquery its kind and its bounds, and that it may be NULL, before and after it is
                filled in; `hold_value` holds the constant between those bounds, and nothing else changes.
    Checked by: tests/unit/plan/rewrite/test_fill_in_subqueries.py
    """
    filled = _fill(question, values)
    assert isinstance(filled, Question), "a question stays one"
    return filled


def fill_view(view: View, values: Mapping[int, Scalar | None]) -> View:
    """A view whose subqueries were answered: each is the constant that was released."""
    filled = _fill(view, values)
    assert isinstance(filled, View), "a view stays one"
    return filled


def _fill(node: Any, values: Mapping[int, Scalar | None]) -> Any:
    if isinstance(node, SubqueryValue):
        return replace(node, value=Literal(values[node.place], node.column.kind))
    if isinstance(node, tuple):
        parts = tuple(_fill(part, values) for part in node)
        return node if all(one is two for one, two in zip(node, parts, strict=True)) else parts
    if not is_dataclass(node) or isinstance(node, type | Table):
        return node
    changed = {
        each.name: new
        for each in fields(node)
        if (new := _fill(old := getattr(node, each.name), values)) is not old
    }
    return replace(node, **changed) if changed else node


def hold_value(value: Any, column: Column) -> Scalar | None:
    """A released value as a constant: of the column's kind, and held between its bounds.

    >>> hold_value(7.5, Column("mean", Kind.NUMBER, Fraction(0), Fraction(5)))
    Fraction(5, 1)
    """
    if value is None or (isinstance(value, float) and not isfinite(value)):
        return None
    found: Scalar
    match column.kind:
        case Kind.INTEGER:
            found = round(Fraction(value))
        case Kind.NUMBER:
            found = Fraction(value)
        case Kind.TIMESTAMP:
            found = value if isinstance(value, datetime) else datetime.fromisoformat(str(value))
        case Kind.DATE:
            found = value if isinstance(value, date) else date.fromisoformat(str(value))
        case _:
            return value  # type: ignore[no-any-return]
    for end, beyond in ((column.low, -1), (column.high, 1)):
        if end is not None and (found > end) - (found < end) == beyond:  # type: ignore[operator]
            found = end
    return found
