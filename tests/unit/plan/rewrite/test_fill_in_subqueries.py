"""Plans with subqueries that rows are compared with: what is measured once, and how constants are filled in."""

from datetime import date, datetime
from fractions import Fraction

import pytest

from tacit.plan import (
    Column,
    Kind,
    Literal,
    SubqueryValue,
    fill_subqueries,
    hold_value,
    order_parts,
    read_asked,
    serial_subquery,
    subqueries_in,
    type_of,
    walk_expression,
)
from tacit.plan.model.walk_expressions import list_expressions
from tests.unit.plan.cases import TABLES

TEXT = "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age) FROM visits)"


def read(text):
    return read_asked(text, TABLES)[0]


def values_in(question):
    return [
        part
        for expression in list_expressions(question)
        for part in walk_expression(expression)
        if isinstance(part, SubqueryValue)
    ]


def test_what_is_measured_of_the_same_groups_is_measured_once():
    plan = read(
        "SELECT COUNT(*) AS n, (SELECT COUNT(age) FROM visits) AS m FROM visits WHERE age > "
        "(SELECT AVG(age) FROM visits) AND age < (SELECT AVG(age) + STDDEV(age) FROM visits)"
    )
    assert len(plan.parts) == 2
    (first,) = [part for part in plan.parts if not subqueries_in(part.question)]
    assert len(first.question.measures) == 3, "a count, a sum and a sum of squares serve all three"


def test_what_is_compared_is_not_measured_with_what_it_is_compared_with():
    plan = read(
        "SELECT SUM(CASE WHEN age > (SELECT AVG(age) FROM visits) THEN 1 END) AS n FROM visits"
    )
    assert [bool(subqueries_in(plan.parts[at].question)) for at in order_parts(plan)] == [
        False,
        True,
    ]


def test_parts_come_after_those_that_they_wait_for():
    plan = read(
        TEXT.replace("FROM visits)", "FROM visits WHERE age > (SELECT AVG(age) FROM visits))")
    )
    waiting = [
        len(plan.subqueries[max(found)].plan.view.columns)
        for part in plan.parts
        if (found := subqueries_in(part.question))
    ]
    assert len(plan.parts) == 3
    assert len(waiting) == 2
    order = order_parts(plan)
    (last,) = [at for at, part in enumerate(plan.parts) if 1 in subqueries_in(part.question)]
    assert order[-1] == last


def test_a_constant_is_filled_in_and_nothing_else_changes():
    plan = read(TEXT)
    (question,) = [part.question for part in plan.parts if subqueries_in(part.question)]
    filled = fill_subqueries(question, {0: Fraction(40)})
    (before,), (after,) = values_in(question), values_in(filled)
    assert after.value == Literal(Fraction(40), Kind.NUMBER)
    assert (after.place, after.column) == (before.place, before.column)
    assert type_of(after) == type_of(before), "what was proved of it holds"
    assert (filled.keys, filled.measures) == (question.keys, question.measures)


@pytest.mark.parametrize(
    ("value", "column", "held"),
    [
        (None, Column("x", Kind.NUMBER, Fraction(0), Fraction(5)), None),
        (-1.5, Column("x", Kind.NUMBER, Fraction(0), Fraction(5)), 0),
        (5.5, Column("x", Kind.NUMBER, Fraction(0), Fraction(5)), 5),
        (2.5, Column("x", Kind.NUMBER, Fraction(0), Fraction(5)), Fraction(5, 2)),
        (float("nan"), Column("x", Kind.NUMBER, Fraction(0), Fraction(5)), None),
        (9, Column("x", Kind.INTEGER, 0, 7), 7),
        (-9, Column("x", Kind.INTEGER, 0, 7), 0),
        ("A", Column("x", Kind.TEXT), "A"),
        (date(2025, 1, 2), Column("x", Kind.DATE), date(2025, 1, 2)),
        ("2025-01-02", Column("x", Kind.DATE), date(2025, 1, 2)),
        ("2025-01-02T03:00:00", Column("x", Kind.TIMESTAMP), datetime(2025, 1, 2, 3)),  # noqa: DTZ001 -- UTC, by agreement
    ],
)
def test_a_released_value_is_held_between_the_bounds_of_its_column(value, column, held):
    assert hold_value(value, column) == held


def test_subqueries_are_named_by_all_that_decides_their_constant():
    texts = [
        "SELECT AVG(age) FROM visits",
        "SELECT 2 * AVG(age) FROM visits",
        "SELECT AVG(age) FROM visits HAVING COUNT(age) > 3",
        "SELECT SUM(age) FROM visits",
        "SELECT age FROM visits GROUP BY age ORDER BY AVG(age) LIMIT 1",
        "SELECT age FROM visits GROUP BY age ORDER BY AVG(age) DESC LIMIT 1",
        "SELECT age FROM visits GROUP BY age ORDER BY AVG(age) LIMIT 1 OFFSET 1",
    ]
    names = [
        serial_subquery(read(TEXT.replace("SELECT AVG(age) FROM visits", text)).subqueries[0])
        for text in texts
    ]
    assert len(set(names)) == len(names)
    again = read(TEXT.replace("AVG(age) FROM", "AVG(age) AS m FROM"))
    assert serial_subquery(again.subqueries[0]) == names[0], "names of columns decide nothing"
