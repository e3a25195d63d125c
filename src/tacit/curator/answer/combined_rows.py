"""The rows that several answers make together: joined on their keys or stacked, from what was released alone.

Checked by: tests/laws/test_combined.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, assert_never

from tacit.curator.answer.intervals import Drawn, Noisy
from tacit.curator.answer.view_rows import Viewed, value_of_keys, view_answer
from tacit.frozen import frozen
from tacit.plan import (
    AnswerOf,
    Answers,
    CombinedPlan,
    CombinedQuestion,
    Expression,
    JoinedAnswers,
    Key,
    Question,
    StackedAnswers,
    combine_questions,
    group_filter,
    leaves_of,
)

__all__ = ["ReleasedPart", "Row", "combine_rows", "view_parts"]

Numbers = tuple[Noisy | Drawn | None, ...]


@frozen
class Row:
    """The keys of a row, and what was released of it; what another answer has and this row has not is None."""

    keys: tuple[Any, ...]
    numbers: Numbers


@frozen
class ReleasedPart:
    """A question with the keys that were found of it, and what was released of each of its groups.

    Of one that is made up several groups have the same keys, so that their joins would have more rows than any answer:
    as many as it takes to try everything are enough.
    """

    question: Question
    groups: tuple[Numbers, ...]
    is_made_up: bool = False


def view_parts(
    plan: CombinedPlan, parts: Sequence[ReleasedPart], confidence: float, *, raw: bool = False
) -> Viewed:
    """The view of what several parts released, as it was asked for."""
    rows = combine_rows(plan.answers, parts)
    found = tuple(row.keys for row in rows)
    shown = replace(plan.plan, question=replace(plan.plan.question, found=found))
    numbers = [row.numbers for row in rows]
    return view_answer(shown, numbers, confidence, raw=raw, linked=_is_linked(plan))


def _is_linked(plan: CombinedPlan) -> bool:
    """Whether one number may stand in several columns, since a part is read more than once."""
    named = [leaf.part for leaf in leaves_of(plan.answers)]
    return len(set(named)) < len(named)


def combine_rows(answers: Answers, parts: Sequence[ReleasedPart]) -> list[Row]:
    """The rows of answers.

    Claim:      they are a function of what the parts released and of the plan; a released number is passed on as it is.
    Because:    nothing else is passed in, and only keys are compared.
    Checked by: tests/laws/test_combined.py::test_an_answer_is_a_function_of_what_its_parts_released
    """
    match answers:
        case AnswerOf(part, keys, measures):
            found = parts[part]
            can_have_rows = group_filter(found.question)
            rows = [
                Row(tuple(values[at] for at in keys), tuple(numbers[at] for at in measures))
                for values, numbers in zip(found.question.groups, found.groups, strict=True)
                if can_have_rows is None or can_have_rows(values)
            ]
            return _sort_by_keys(rows, [found.question.keys[at] for at in keys])
        case JoinedAnswers():
            return _join(answers, parts)
        case StackedAnswers(branches):
            return _stack([combine_rows(branch, parts) for branch in branches], answers, parts)
        case _:
            assert_never(answers)


def _sort_by_keys(rows: list[Row], keys: Sequence[Key]) -> list[Row]:
    """Rows by their keys from left to right, each in the order of its public values, if all have them."""
    if any(key.values is None for key in keys):
        return rows
    ranks = [{value: rank for rank, value in enumerate(key.public_values)} for key in keys]
    return sorted(
        rows,
        key=lambda row: [rank[value] for rank, value in zip(ranks, row.keys, strict=True)],
    )


def _join(joined: JoinedAnswers, parts: Sequence[ReleasedPart]) -> list[Row]:
    left, right = combine_rows(joined.left, parts), combine_rows(joined.right, parts)
    one, two = _widths(joined.left, parts), _widths(joined.right, parts)
    meet: dict[tuple[Any, ...], list[int]] = {}
    for place, row in enumerate(right):
        values = _values([value for _, value in joined.on], two, row)
        if None not in values:
            meet.setdefault(values, []).append(place)
    found: list[Row] = []
    met: set[int] = set()
    most = _MOST_MADE_UP if any(part.is_made_up for part in parts) else None
    for row in left:
        if most is not None and len(found) >= most:
            found = found[:most] + [_side_by_side(row, _nothing(two))] * joined.keep_left
            break
        places = meet.get(_values([value for value, _ in joined.on], one, row), [])
        met.update(places)
        found += [_side_by_side(row, right[place]) for place in places]
        if not places and joined.keep_left:
            found.append(_side_by_side(row, _nothing(two)))
    if joined.keep_right:
        found += [
            _side_by_side(_nothing(one), row) for place, row in enumerate(right) if place not in met
        ][:most]
    return found


_MOST_MADE_UP = 64
"""How many rows of a join are tried before anything is paid: every sign of one number beside every sign of another."""


def _stack(
    branches: Sequence[Sequence[Row]], stacked: StackedAnswers, parts: Sequence[ReleasedPart]
) -> list[Row]:
    widths = [_widths(branch, parts) for branch in stacked.branches]
    found: list[Row] = []
    for number, rows in enumerate(branches):
        before, after = map(_all_nothing, (widths[:number], widths[number + 1 :]))
        for row in rows:
            whole = _side_by_side(_side_by_side(before, row), after)
            found.append(Row((number, *whole.keys), whole.numbers))
    return found


def _widths(answers: Answers, parts: Sequence[ReleasedPart]) -> CombinedQuestion:
    """What the rows of answers look like."""
    return combine_questions(answers, [part.question for part in parts])


def _values(
    expressions: Sequence[Expression], question: CombinedQuestion, row: Row
) -> tuple[Any, ...]:
    return tuple(value_of_keys(each, question, row.keys) for each in expressions)


def _side_by_side(one: Row, two: Row) -> Row:
    return Row((*one.keys, *two.keys), (*one.numbers, *two.numbers))


def _nothing(question: CombinedQuestion) -> Row:
    return Row((None,) * len(question.keys), (None,) * len(question.measures))


def _all_nothing(questions: Sequence[CombinedQuestion]) -> Row:
    found = Row((), ())
    for question in questions:
        found = _side_by_side(found, _nothing(question))
    return found
