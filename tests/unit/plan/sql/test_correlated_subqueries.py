"""Correlated subqueries, as SQL is read: of the row's own unit a join, of its own group constants."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Case,
    CombinedPlan,
    Joined,
    held_rows,
    prove,
    prove_combined,
    read_asked,
    walk_expression,
)
from tacit.plan.model.walk_expressions import list_expressions
from tests.laws.clinic import TABLES


def read(where, shown="COUNT(*) AS n"):
    return read_asked(f"SELECT {shown} FROM visits v WHERE {where}", TABLES)[0]


def joins_in(rows):
    found = [rows] if isinstance(rows, Joined) else []
    inside = [getattr(rows, name, None) for name in ("rows", "left")]
    return found + [each for part in inside if part is not None for each in joins_in(part)]


@pytest.mark.parametrize(
    ("where", "keys"),
    [
        ("cost > (SELECT AVG(w.cost) FROM visits w WHERE w.patient = v.patient)", 0),
        ("cost > (SELECT AVG(w.cost) FROM visits w WHERE v.patient = w.patient AND w.urgent)", 0),
        (
            "cost > (SELECT AVG(w.cost) AS m FROM visits w WHERE w.patient = v.patient AND w.ward = v.ward)",
            1,
        ),
        (
            "(SELECT COUNT(*) FROM doses d WHERE d.person = v.patient AND d.visit = v.visit) > 2",
            1,
        ),
    ],
)
def test_the_rows_of_a_unit_are_joined_on_it(where, keys):
    plan = read(where)
    assert not isinstance(plan, CombinedPlan)
    (join,) = joins_in(prove(plan).question.rows)
    assert join.outer
    assert len(join.on) == keys


def test_rows_of_units_that_are_not_those_of_the_row_are_no_join():
    """Where no unit is compared, the rows are those of a group, which is released first."""
    plan = read("cost > (SELECT AVG(p.age) FROM patients p WHERE p.ward = v.ward)")
    assert isinstance(plan, CombinedPlan)
    with pytest.raises(InvalidPlan, match="values of 'visit' are private"):
        read("cost > (SELECT AVG(w.cost) FROM visits w WHERE w.visit = v.patient)")


def test_a_subquery_that_is_read_twice_is_joined_once():
    text = (
        "SELECT (SELECT COUNT(*) FROM doses d WHERE d.person = v.patient AND d.mg > 9) > 2 AS many, COUNT(*) AS n "
        "FROM visits v GROUP BY many"
    )
    plan = prove(read_asked(text, TABLES)[0])
    assert len(joins_in(plan.question.rows)) == 1


def test_the_groups_of_a_tie_are_released_first():
    plan = prove_combined(
        read(
            "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.ward = v.ward AND w.urgent = v.urgent)"
        )
    )
    assert len(plan.parts) == 2
    assert len(plan.subqueries) == 8 * 3
    names = [each.column.name for each in plan.subqueries]
    assert any(name.startswith("(SELECT AVG(w.cost)") for name in names)


@pytest.mark.parametrize(
    ("shown", "nothing"),
    [("COUNT(*)", 0), ("COUNT(w.cost)", 0), ("AVG(w.cost)", None), ("SUM(w.cost)", None)],
)
def test_of_a_group_that_nobody_declared_a_count_is_zero(shown, nothing):
    plan = prove_combined(read(f"(SELECT {shown} FROM visits w WHERE w.ward = v.ward) > 1"))
    cases = [
        each
        for part in plan.parts
        for expression in list_expressions(part.question)
        for each in walk_expression(expression)
        if isinstance(each, Case)
    ]
    assert {each.otherwise.value for each in cases} == {nothing}


@pytest.mark.parametrize(
    "where",
    [
        "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.ward = v.ward AND w.cost < v.cost)",
        "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.ward = v.ward OR w.urgent)",
        "cost > (SELECT AVG(w.cost + v.cost) FROM visits w WHERE w.ward = v.ward)",
        "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.ward = v.ward GROUP BY w.urgent)",
        "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.ward = v.ward HAVING COUNT(*) > 3)",
        "cost > (SELECT w.cost FROM visits w WHERE w.patient = v.patient ORDER BY w.visit LIMIT 1)",
        "cost > (SELECT AVG(n) FROM (SELECT w.day, COUNT(*) AS n FROM visits w WHERE w.ward = v.ward GROUP BY 1) t)",
    ],
)
def test_other_ties_are_refused(where):
    with pytest.raises(InvalidPlan, match="correlated subquery"):
        read(where)


@pytest.mark.parametrize(
    ("where", "most"),
    [
        ("EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.visit = v.visit)", 40),
        (
            "NOT EXISTS (SELECT * FROM visits w WHERE w.patient = v.patient AND w.ward = v.ward AND urgent)",
            40,
        ),
        (
            "cost > (SELECT AVG(w.cost) FROM visits w WHERE w.patient = v.patient AND w.ward = v.ward)",
            40,
        ),
        ("EXISTS (SELECT 1 FROM stations s WHERE s.ward = v.ward AND s.floor > 2)", 40),
        ("EXISTS (SELECT 1 FROM rooms r WHERE r.ward = v.ward AND r.beds = v.stay)", 40),
    ],
)
def test_a_row_meets_one_at_most_and_counts_once(where, most):
    assert held_rows(prove(read(where)).question.rows) == most


def test_exists_that_is_tied_by_the_unit_alone_keeps_units():
    where = "EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.mg > 3)"
    assert not joins_in(read(where).question.rows)


def test_a_trip_that_is_its_own_unit_is_looked_up_in_a_public_table():
    there = "EXISTS (SELECT 1 FROM rooms r WHERE r.ward = t.ward AND r.beds > 3)"
    for where in (there, f"NOT {there}"):
        assert prove(read_asked(f"SELECT COUNT(*) AS n FROM trips t WHERE {where}", TABLES)[0])


@pytest.mark.parametrize(
    "where",
    [
        "EXISTS (SELECT 1 FROM doses d WHERE d.person = v.patient AND d.visit < v.visit)",
        "EXISTS (SELECT 1 FROM doses d WHERE d.visit = v.visit)",
        "EXISTS (SELECT 1 FROM stations s WHERE s.floor > 2)",
        "EXISTS (SELECT 1 FROM stations s WHERE s.floor > v.stay)",
    ],
)
def test_exists_that_is_tied_otherwise_is_refused(where):
    with pytest.raises(InvalidPlan):
        read(where)
