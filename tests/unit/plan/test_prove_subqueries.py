"""The gate for subqueries that rows are compared with: constants are what other parts release, within their bounds."""

from dataclasses import replace
from typing import Any

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    AnswerOf,
    Kind,
    Literal,
    Plan,
    SubqueryValue,
    check_plan,
    combine_questions,
    prove,
    prove_combined,
    read_asked,
    subqueries_in,
)
from tests.unit.plan.cases import TABLES

PLAN: Any = read_asked(
    "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age) FROM visits)", TABLES
)[0]
WAITING = next(at for at, part in enumerate(PLAN.parts) if subqueries_in(part.question))
(SUBQUERY,) = PLAN.subqueries


def with_subquery(**changed):
    return replace(PLAN, subqueries=(replace(SUBQUERY, **changed),))


def with_constant(constant, **changed):
    """The plan in which rows are compared with another constant, all else as sound as before."""
    part = PLAN.parts[WAITING]
    rows = replace(
        part.question.rows, condition=replace(part.question.rows.condition, right=constant)
    )
    moved = replace(part, question=replace(part.question, rows=rows))
    parts = tuple(moved if at == WAITING else each for at, each in enumerate(PLAN.parts))
    questions = [each.question for each in parts]
    whole = Plan(combine_questions(PLAN.answers, questions), PLAN.plan.view)
    inner = Plan(combine_questions(SUBQUERY.answers, questions), SUBQUERY.plan.view)
    subquery = replace(SUBQUERY, plan=inner, **changed)
    return replace(PLAN, parts=parts, plan=whole, subqueries=(subquery,))


def test_the_constant_is_what_is_exchanged():
    assert PLAN.parts[WAITING].question.rows.condition.right == SubqueryValue(0, SUBQUERY.column)
    assert prove_combined(with_constant(SubqueryValue(0, SUBQUERY.column)))


def test_a_sound_plan_passes():
    assert prove_combined(PLAN) == PLAN


def test_a_part_alone_may_not_wait_for_anything():
    with pytest.raises(InvalidPlan):
        prove(PLAN.parts[WAITING])
    with pytest.raises(InvalidPlan):
        check_plan(PLAN.parts[WAITING])


def test_a_constant_of_nobody_is_refused():
    with pytest.raises(InvalidPlan):
        prove_combined(replace(PLAN, subqueries=()))


def test_a_constant_that_was_filled_in_by_hand_is_refused():
    filled = SubqueryValue(0, SUBQUERY.column, Literal(10**9, Kind.NUMBER))
    with pytest.raises(InvalidPlan):
        prove_combined(with_constant(filled))


@pytest.mark.parametrize(
    "column",
    [
        replace(SUBQUERY.column, low=None),
        replace(SUBQUERY.column, high=None),
        replace(SUBQUERY.column, nullable=False),
        replace(SUBQUERY.column, kind=Kind.TEXT),
        replace(SUBQUERY.column, low=5, high=1),
    ],
)
def test_a_constant_claims_what_its_subquery_is(column):
    with pytest.raises(InvalidPlan):
        prove_combined(with_constant(SubqueryValue(0, column), column=column))


def test_a_subquery_may_not_wait_for_itself():
    own = AnswerOf(WAITING, (), (0,))
    question = PLAN.plan.question
    with pytest.raises(InvalidPlan):
        prove_combined(with_subquery(answers=own, plan=Plan(question, PLAN.plan.view)))


def test_a_subquery_reads_what_parts_release_alone():
    for answers in (AnswerOf(7, (), (0,)), AnswerOf(1 - WAITING, (), (9,))):
        with pytest.raises(InvalidPlan):
            prove_combined(with_subquery(answers=answers))
    with pytest.raises(InvalidPlan):
        prove_combined(with_subquery(row=-1))


def test_bounds_that_a_part_claims_are_those_of_the_subquery():
    narrow = SubqueryValue(0, replace(SUBQUERY.column, low=1, high=2))
    with pytest.raises(InvalidPlan):
        prove_combined(with_constant(narrow))


def test_no_more_than_some_constants_are_compared_with():
    with pytest.raises(InvalidPlan, match="more than 200"):
        prove_combined(replace(PLAN, subqueries=PLAN.subqueries * 201))


OF_GROUPS: Any = read_asked(
    "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING COUNT(*) > (SELECT AVG(n) FROM (SELECT sex, COUNT(*) "
    "AS n FROM visits GROUP BY sex) t)",
    TABLES,
)[0]


def test_a_view_may_compare_with_the_constants_of_its_statement_alone():
    assert prove_combined(OF_GROUPS) == OF_GROUPS
    condition = OF_GROUPS.plan.view.having
    known = OF_GROUPS.subqueries[0].column
    for other in (
        SubqueryValue(1, known),
        SubqueryValue(0, replace(known, high=5)),
        SubqueryValue(0, known, Literal(3, Kind.NUMBER)),
    ):
        view = replace(OF_GROUPS.plan.view, having=replace(condition, right=other))
        with pytest.raises(InvalidPlan):
            prove_combined(replace(OF_GROUPS, plan=replace(OF_GROUPS.plan, view=view)))
    with pytest.raises(InvalidPlan):
        prove(Plan(OF_GROUPS.parts[0].question, OF_GROUPS.plan.view))


def test_a_constant_may_not_be_made_of_itself():
    (each,) = OF_GROUPS.subqueries
    shown = replace(each.plan.view.columns[0], value=SubqueryValue(0, each.column))
    own = replace(each, plan=replace(each.plan, view=replace(each.plan.view, columns=(shown,))))
    with pytest.raises(InvalidPlan):
        prove_combined(replace(OF_GROUPS, subqueries=(own,)))
