"""Several answers as one plan: what nobody looks at is not asked, and what is asked twice is asked once."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import assert_never

from tacit.plan.model.combined_answers import (
    AnswerOf,
    Answers,
    CombinedPlan,
    JoinedAnswers,
    StackedAnswers,
    combine_questions,
    leaves_of,
)
from tacit.plan.model.expressions import (
    Expression,
    KeyOf,
    MeanOf,
    MeasureOf,
    MomentOf,
    operands,
    rebuilt,
)
from tacit.plan.model.nodes import (
    Counted,
    Key,
    Measure,
    Ordering,
    Plan,
    Question,
    Rows,
    Shown,
    View,
)
from tacit.plan.rewrite.canonical import canonical

__all__ = ["exchange_leaves", "measures_of", "merge_parts", "move_places", "show_all"]

_Subject = tuple[Rows, tuple[Key, ...]]


def move_places(
    expression: Expression, keys: Callable[[int], int], measures: Callable[[int], int]
) -> Expression:
    """An expression over a release, with other places of keys and measures.

    >>> move_places(MeanOf(0, 1), lambda place: place, lambda place: place + 2)
    MeanOf(sum_place=2, count_place=3)
    """

    def move(part: Expression) -> Expression:
        match part:
            case KeyOf(place):
                return KeyOf(keys(place))
            case MeasureOf(place):
                return MeasureOf(measures(place))
            case MeanOf(total, count):
                return MeanOf(measures(total), measures(count))
            case MomentOf(moment, places):
                return MomentOf(moment, tuple(map(measures, places)))
            case _:
                return rebuilt(part, move)

    return move(expression)


def measures_of(expression: Expression) -> set[int]:
    """The places of measures that an expression is computed from."""
    match expression:
        case MeasureOf(place):
            return {place}
        case MeanOf(total, count):
            return {total, count}
        case MomentOf(_, places):
            return set(places)
        case _:
            return set().union(*map(measures_of, operands(expression)))


def show_all(question: Question) -> Plan:
    """A plan that shows every key and every measure of a question as it is."""
    keys = [Shown(f"key {place}", KeyOf(place)) for place in range(len(question.keys))]
    measures = [
        Shown(f"measure {place}", MeasureOf(place)) for place in range(len(question.measures))
    ]
    return Plan(question, View((*keys, *measures)))


def merge_parts(answers: Answers, questions: Sequence[Question], view: View) -> CombinedPlan:
    """The plan of several answers: each part measures what the view uses, and parts about the same groups are one.

    `answers` names the questions by their places.

    Claim:      the plan has the same meaning, and nothing is measured that the view does not use, but for one count
                where a part is there for its keys.
    Because:    questions in their canonical form are one where their rows and keys are equal; measures are renumbered
                in the view and in the answers alike, and `canonical` says where it has put them.
    Checked by: tests/unit/plan/rewrite/test_combine_answers.py
    """
    used = set().union(*map(measures_of, _roots(view)))
    parts: dict[_Subject, dict[Measure, None]] = {}
    found: list[tuple[_Subject, list[int], list[Measure]]] = []
    new_places: dict[int, int] = {}
    start = 0
    for leaf in leaves_of(answers):
        asked = questions[leaf.part]
        kept = [i for i in range(len(leaf.measures)) if start + i in used]
        new_places |= {start + i: len(new_places) + at for at, i in enumerate(kept)}
        start += len(leaf.measures)
        measures = tuple(asked.measures[leaf.measures[i]] for i in kept)
        counted = measures or (asked.measures[:1] if asked.unknown else (Counted(),))
        plain = canonical(show_all(Question(asked.rows, asked.keys, counted)))
        places = _places(plain, len(asked.keys))
        subject = plain.question.rows, plain.question.keys
        wanted = [plain.question.measures[at] for at in places[1][: len(measures)]]
        needed = parts.setdefault(subject, {})
        needed |= dict.fromkeys(wanted or plain.question.measures)
        found.append((subject, [places[0][place] for place in leaf.keys], wanted))
    settled = {
        subject: canonical(show_all(Question(*subject, tuple(measures))))
        for subject, measures in parts.items()
    }
    numbered = {subject: number for number, subject in enumerate(settled)}
    leaves = iter(
        AnswerOf(
            numbered[subject],
            tuple(keys),
            tuple(settled[subject].question.measures.index(measure) for measure in measures),
        )
        for subject, keys, measures in found
    )
    plans = tuple(show_all(plan.question) for plan in settled.values())
    new = exchange_leaves(answers, leaves.__next__)
    question = combine_questions(new, [plan.question for plan in plans])
    return CombinedPlan(plans, new, Plan(question, _moved_view(view, new_places)))


def _places(plain: Plan, keys: int) -> tuple[list[int], list[int]]:
    """Where the keys and the measures of a plan that shows all of them have gone."""
    shown = [column.value for column in plain.view.columns]
    return (
        [value.place for value in shown[:keys] if isinstance(value, KeyOf)],
        [value.place for value in shown[keys:] if isinstance(value, MeasureOf)],
    )


def _roots(view: View) -> list[Expression]:
    ends = [each for each in (view.having, view.qualify) if each is not None]
    return [*(each.value for each in view.columns), *(each.value for each in view.order), *ends]


def exchange_leaves(answers: Answers, leaf: Callable[[], AnswerOf]) -> Answers:
    """The same answers with other leaves, taken from left to right."""
    match answers:
        case AnswerOf():
            return leaf()
        case JoinedAnswers(left, right, on, keep_left, keep_right):
            return JoinedAnswers(
                exchange_leaves(left, leaf), exchange_leaves(right, leaf), on, keep_left, keep_right
            )
        case StackedAnswers(branches):
            return StackedAnswers(tuple(exchange_leaves(branch, leaf) for branch in branches))
        case _:
            assert_never(answers)


def _moved_view(view: View, measures: Mapping[int, int]) -> View:
    def move(part: Expression) -> Expression:
        return move_places(part, lambda place: place, measures.__getitem__)

    def maybe(part: Expression | None) -> Expression | None:
        return None if part is None else move(part)

    return View(
        tuple(Shown(each.name, move(each.value)) for each in view.columns),
        maybe(view.having),
        tuple(Ordering(move(each.value), each.descending) for each in view.order),
        view.limit,
        view.offset,
        maybe(view.qualify),
    )
