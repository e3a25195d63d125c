"""The gate for answers that are combined: whoever made the plan, it reads nothing that its parts do not release."""

from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    AnswerOf,
    Compared,
    Counted,
    Field,
    KeyOf,
    Kind,
    Literal,
    MeasureOf,
    Plan,
    Shown,
    StackedAnswers,
    View,
    Where,
    prove_combined,
    read_asked,
)
from tests.unit.plan.cases import TABLES

BY_WARD = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"
PLAN: Any = read_asked(
    f"SELECT a.ward, a.n, b.n AS m FROM ({BY_WARD}) a JOIN (SELECT ward, SUM(age) AS n FROM visits "
    "WHERE age > 3 GROUP BY ward) b USING (ward)",
    TABLES,
)[0]


def shown(value):
    return replace(PLAN, plan=Plan(PLAN.plan.question, View((Shown("x", value),))))


def with_part(question):
    part = PLAN.parts[0]
    return replace(PLAN, parts=(replace(part, question=question), *PLAN.parts[1:]))


AGE = next(column for column in TABLES["visits"].columns if column.name == "age")
FIRST = PLAN.parts[0].question
NOTHING: Any = None
UNSOUND = {
    "a plan of one question": PLAN.parts[0],
    "no parts": replace(PLAN, parts=()),
    "a field of a row": shown(Field(AGE)),
    "a measure that is not there": shown(MeasureOf(2)),
    "a key that is not there": shown(KeyOf(2)),
    "a part that is not there": replace(PLAN, answers=AnswerOf(7, (), (0,))),
    "a measure that its part has not": replace(PLAN, answers=AnswerOf(0, (), (1,))),
    "a key that its part has not": replace(PLAN, answers=AnswerOf(0, (3,), (0,))),
    "a join on numbers": replace(
        PLAN, answers=replace(PLAN.answers, on=((MeasureOf(0), MeasureOf(0)),))
    ),
    "a join on rows": replace(PLAN, answers=replace(PLAN.answers, on=((Field(AGE), KeyOf(0)),))),
    "another view of the rows": replace(
        PLAN, plan=replace(PLAN.plan, question=replace(PLAN.plan.question, missing=frozenset({0})))
    ),
    "a question for the rows": replace(PLAN, plan=replace(PLAN.plan, question=FIRST)),
    "keys that were found before": with_part(replace(FIRST, found=(("A",),))),
    "a part that is not in its canonical form": with_part(
        replace(
            FIRST,
            rows=Where(FIRST.rows, Compared("<", Literal(3, Kind.INTEGER), Field(AGE))),
        )
    ),
    "a part without measures": with_part(replace(FIRST, measures=())),
    "answers of another kind": replace(PLAN, answers=StackedAnswers((NOTHING,))),
}


@pytest.mark.parametrize("what", UNSOUND)
def test_what_no_door_makes_is_refused(what):
    with pytest.raises(InvalidPlan):
        prove_combined(UNSOUND[what])


def test_what_a_door_makes_is_proved():
    assert prove_combined(PLAN) is PLAN
    assert Counted() in FIRST.measures


def test_more_answers_than_one_statement_may_combine_are_refused():
    many = " UNION ALL ".join(
        f"SELECT COUNT(*) AS n FROM visits WHERE age > {i}" for i in range(65)
    )
    with pytest.raises(InvalidPlan, match="this combines more than 64 answers"):
        prove_combined(read_asked(many, TABLES)[0])
