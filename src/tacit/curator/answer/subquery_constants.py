"""Constants that subqueries release for the parts that are released after them: from released numbers alone.

Checked by: tests/laws/test_row_subqueries.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tacit.curator.answer.combined_rows import ReleasedPart, view_parts
from tacit.curator.pricing.noise_of_measures import Terms
from tacit.plan import (
    Answers,
    CombinedPlan,
    Question,
    Scalar,
    SubqueryAnswer,
    View,
    exchange_leaves,
    fill_subqueries,
    fill_view,
    hold_value,
    leaves_of,
    serial_subquery,
    subqueries_in,
    subqueries_of_view,
)

__all__ = [
    "constants_of_rows",
    "describe_constants",
    "fill_part",
    "fill_plan",
    "fill_question",
    "made_up_constants",
    "name_subqueries",
]

Rows = tuple[tuple[Any, ...], ...]

_SURE = 0.95
_MOST_TOLD = 5


def fill_part(plan: CombinedPlan, terms: Terms, released: Mapping[int, ReleasedPart]) -> Terms:
    """The terms of a part in which the constants of its subqueries are filled in.

    Claim:      a constant is a function of what other parts released; the terms of the part stay as they were settled.
    Because:    nothing but released parts is passed in, and only the question of the terms is replaced.
    Checked by: tests/laws/test_row_subqueries.py::test_a_constant_is_a_function_of_what_was_released
    """
    question = fill_question(plan, terms.question, released)
    return terms if question is terms.question else replace(terms, question=question)


def fill_question(
    plan: CombinedPlan, question: Question, released: Mapping[int, ReleasedPart]
) -> Question:
    """A question in which the constants of its subqueries are filled in."""
    needed = subqueries_in(question)
    if not needed:
        return question
    known = _Views(plan, released)
    values = {at: known.value(plan.subqueries[at]) for at in sorted(needed)}
    return fill_subqueries(question, values)


def fill_plan(plan: CombinedPlan, released: Sequence[ReleasedPart]) -> CombinedPlan:
    """A plan in whose view the constants of its subqueries are filled in.

    Claim:      they are a function of what the parts released.
    Because:    nothing else is passed in.
    Checked by: tests/laws/test_row_subqueries.py::test_a_constant_is_a_function_of_what_was_released
    """
    return _Views(plan, dict(enumerate(released))).fill(plan)


def constants_of_rows(plan: CombinedPlan) -> frozenset[int]:
    """The constants that rows are compared with, also by way of others: these are released before the rows."""
    found = frozenset().union(*(subqueries_in(part.question) for part in plan.parts))
    for place in sorted(found, reverse=True):
        found |= subqueries_of_view(plan.subqueries[place].plan.view)
    return found


def made_up_constants(plan: CombinedPlan, question: Question) -> Iterator[Question]:
    """The question with constants that subqueries might release: both ends of their bounds, and NULL."""
    needed = subqueries_in(question)
    if not needed:
        yield question
        return
    for ends in ("low", "high", None):
        yield fill_subqueries(
            question,
            {
                at: None if ends is None else getattr(plan.subqueries[at].column, ends)
                for at in needed
            },
        )


def describe_constants(plan: CombinedPlan, released: Sequence[ReleasedPart]) -> tuple[str, ...]:
    """What an answer says of the constants that its rows were compared with."""
    if not plan.subqueries:
        return ()
    known = _Views(plan, dict(enumerate(released)))
    told: dict[str, list[str]] = {}
    of_rows = constants_of_rows(plan)
    first = {plan.subqueries[place].column.name for place in of_rows}
    for each in plan.subqueries:
        told.setdefault(each.column.name, []).append(_write_constant(known.value(each)))
    return tuple(
        f"{name} was released first, as {_list(values)}: intervals are for rows compared with that value"
        if name in first
        else f"{name} was released as {_list(values)}"
        for name, values in told.items()
    )


def _write_constant(value: Scalar | None) -> str:
    """A constant with all its digits: rows were compared with just this value.

    >>> _write_constant(Fraction(1234567)), _write_constant(Fraction(1234567.25)), _write_constant(None)
    ('1234567', '1234567.25', 'NULL')
    """
    if value is None:
        return "NULL"
    if not isinstance(value, Fraction):
        return str(value)
    return str(value.numerator) if value.denominator == 1 else repr(float(value))


def _list(values: Sequence[str]) -> str:
    known = [each for each in values if each != "NULL"] or ["NULL"]
    more = len(known) - _MOST_TOLD
    return ", ".join(known[:_MOST_TOLD]) + (f" and {more} more" if more > 0 else "")


def name_subqueries(plan: CombinedPlan, numbers: Mapping[int, int]) -> bytes:
    """What constants are made of, in bytes that two plans share exactly if they make the same of the same parts.

    `numbers` are those of the parts in the name, by their places in the plan.
    """
    named = [replace(each, answers=_renumber(each.answers, numbers)) for each in plan.subqueries]
    return "\n".join(map(serial_subquery, named)).encode()


def _renumber(answers: Answers, numbers: Mapping[int, int]) -> Answers:
    leaves = iter([replace(leaf, part=numbers[leaf.part]) for leaf in leaves_of(answers)])
    return exchange_leaves(answers, leaves.__next__)


class _Views:
    """The rows of subqueries, made of what was released; many constants are rows of one view."""

    def __init__(self, plan: CombinedPlan, released: Mapping[int, ReleasedPart]) -> None:
        self._plan, self._released = plan, released
        self._known: list[tuple[Answers, View, Rows]] = []

    def value(self, each: SubqueryAnswer) -> Scalar | None:
        """The constant of a subquery."""
        rows = self._rows(each)
        return hold_value(rows[each.row][0], each.column) if each.row < len(rows) else None

    def fill(self, plan: CombinedPlan) -> CombinedPlan:
        """A plan in whose view the constants are filled in."""
        needed = subqueries_of_view(plan.plan.view)
        if not needed:
            return plan
        values = {at: self.value(self._plan.subqueries[at]) for at in sorted(needed)}
        shown = replace(plan.plan, view=fill_view(plan.plan.view, values))
        return replace(plan, plan=shown)

    def _rows(self, each: SubqueryAnswer) -> Rows:
        for answers, view, rows in reversed(self._known):
            if view == each.plan.view and answers == each.answers:
                return rows
        needed = {leaf.part for leaf in leaves_of(each.answers)}
        assert needed <= set(self._released), "what a constant is made of was released"
        nothing = ReleasedPart(self._plan.parts[0].question, ())
        places = range(len(self._plan.parts))
        parts = [self._released[at] if at in needed else nothing for at in places]
        alone = CombinedPlan(self._plan.parts, each.answers, each.plan)
        rows = view_parts(self.fill(alone), parts, _SURE, raw=True).rows
        self._known.append((each.answers, each.plan.view, rows))
        return rows
