"""Answers from a survey whose reports were randomised by their owners: nothing is left to protect or to pay for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from tacit.curator.answer.intervals import Noisy
from tacit.curator.answer.release import Price, Release
from tacit.curator.answer.view_rows import view_answer
from tacit.errors import InvalidPlan
from tacit.mechanisms import Gaussian
from tacit.plan import (
    NO_PARAMETERS,
    Column,
    CombinedPlan,
    Counted,
    Field,
    Frame,
    Kind,
    Parameters,
    Plan,
    Scan,
    Table,
    prove,
    read_asked,
    tables_of,
)

__all__ = [
    "ANSWER",
    "SurveyTable",
    "answer_survey",
    "declare_survey",
    "frame_of_survey",
    "read_survey",
]

ANSWER = "answer"
"""The column of a survey's table."""

_LEAST = Fraction(1, 100)


@runtime_checkable
class SurveyTable(Protocol):
    """A question of a collected survey: its possible answers, and how often each was given, estimated."""

    @property
    def name(self) -> str:
        """What the table is called."""

    @property
    def values(self) -> tuple[str, ...]:
        """The possible answers."""

    @property
    def promise(self) -> Mapping[str, Any]:
        """What was promised to who answered, for the receipt."""

    def estimates(self) -> Sequence[tuple[Fraction, Fraction]]:
        """For each answer the estimated count and its variance."""


def declare_survey(survey: SurveyTable) -> Table:
    """The schema of a survey's table: one column, whose values are public."""
    column = Column(ANSWER, Kind.TEXT, values=tuple(survey.values), nullable=False)
    return Table(survey.name, (column,))


def read_survey(
    text: str,
    tables: Mapping[str, Table],
    surveys: Mapping[str, SurveyTable],
    *,
    finding: bool,
    bound: Parameters = NO_PARAMETERS,
) -> tuple[Plan, SurveyTable] | None:
    """The plan of a question about a survey, and the survey; None if it is about tables only."""
    declared = {name: declare_survey(survey) for name, survey in surveys.items()}
    plan, _ = read_asked(text, {**tables, **declared}, finding=finding, bound=bound)
    if isinstance(plan, CombinedPlan):
        asked = {table.name for part in plan.parts for table in tables_of(part.question.rows)}
        if not asked & set(surveys):
            return None
        raise InvalidPlan(
            "an answer about a survey cannot be combined with another one",
            "ask about the survey alone, GROUP BY its answers",
        )
    named = [table.name for table in tables_of(plan.question.rows)]
    if not set(named) & set(surveys):
        return None
    if len(named) > 1:
        raise InvalidPlan(
            "a survey cannot be asked about together with another table",
            "its reports belong to no unit of another table: ask about each separately",
        )
    return plan, surveys[named[0]]


def frame_of_survey(survey: SurveyTable) -> Frame:
    """A survey to ask about with Python expressions; the chain ends in `.ask()`, which is free."""

    def ask(plan: Plan, *, confidence: float = 0.95, raw: bool = False) -> Release:
        return answer_survey(plan, survey, confidence, raw=raw)

    return Frame(declare_survey(survey), asker=ask)


def answer_survey(
    plan: Plan, survey: SurveyTable, confidence: float, *, raw: bool = False
) -> Release:
    """The debiased count of every answer, with its interval, as the question wants it shown.

    Claim:      it costs nothing and needs no charge.
    Because:    it is a function of the plan and of reports that were randomised before they were sent,
                at the loss that the receipt states: post-processing.
    Checked by: tests/unit/curator/answer/test_answers_from_collected_survey.py::test_surveys_cost_nothing
    """
    plan = prove(plan)
    question = plan.question
    grouped = [key.value.column.name for key in question.keys if isinstance(key.value, Field)]
    counted = question.measures and all(measure == Counted() for measure in question.measures)
    if not (isinstance(question.rows, Scan) and grouped == [ANSWER] and counted):
        raise InvalidPlan(
            f"the survey {survey.name!r} contains only how often each answer was given",
            f"count its rows GROUP BY {ANSWER}, without a WHERE, and select groups with HAVING",
        )
    known = dict(zip(survey.values, survey.estimates(), strict=True))
    noisy = [
        tuple(_noisy(*known[str(keys[0])]) for _ in question.measures) for keys in question.groups
    ]
    seen = view_answer(plan, noisy, confidence, raw=raw)
    receipt = {
        "format": "tacit survey receipt 1",
        "table": survey.name,
        "model": "local",
        "promise": dict(survey.promise),
        "charge": "nothing",
    }
    note = f"every answer was randomised by the person who gave it, at epsilon {float(survey.promise['epsilon']):.4g}"
    return Release(
        seen.columns,
        seen.rows,
        seen.measured,
        confidence,
        Price(0.0, 0.0),
        receipt,
        notes=(*seen.notes, note),
    )


def _noisy(count: Fraction, variance: Fraction) -> Noisy:
    """An estimate as a released integer: its error is a sum over many people, and so all but normal."""
    deviation = Fraction(float(variance) ** 0.5)
    return Noisy(round(count), Gaussian(max(deviation, _LEAST)), Fraction(1))
