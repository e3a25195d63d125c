"""Outer joins of private tables: which side is there can be asked, and FULL JOIN keeps the units of both."""

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import (
    Column,
    Joined,
    Kept,
    Kind,
    Owner,
    Stacked,
    Table,
    owner_of,
    prove,
    read_sql,
    walk_rows,
)
from tacit.plan.questions.row_columns import columns_of
from tests.laws.clinic import TABLES


def rows_of(text):
    plan = read_sql(text, TABLES, finding=True)
    prove(plan)
    return plan.question.rows


def test_a_full_join_is_a_left_join_above_the_units_that_the_left_has_not():
    rows = rows_of("SELECT COUNT(*) FROM patients p FULL JOIN visits v ON p.id = v.patient")
    assert isinstance(rows, Stacked)
    both, alone = rows.parts
    assert isinstance(both, Joined)
    assert both.outer
    assert not both.on
    assert owner_of(rows) is Owner.UNIT
    (kept,) = [part for part in walk_rows(alone) if isinstance(part, Kept)]
    assert not kept.present


def test_a_left_join_has_a_flag_only_where_its_unit_is_looked_for():
    plain = "SELECT COUNT(*) FROM patients p LEFT JOIN visits v ON p.id = v.patient"
    flagged = rows_of(f"{plain} WHERE v.patient IS NULL")
    assert "v.patient" in repr(flagged)
    assert "v.patient" not in repr(rows_of(plain))
    shared = "SELECT COUNT(DISTINCT patient) FROM visits v LEFT JOIN visits w USING (patient)"
    assert "value=True" in repr(flagged)
    assert "value=True" not in repr(rows_of(shared))


@pytest.mark.parametrize(
    "column", ["p.id", "p.id + 1", "MAX(p.id)", "SUM(p.id)", "COUNT(DISTINCT p.id + 1)"]
)
def test_the_unit_of_a_side_is_not_used_otherwise(column):
    text = f"SELECT {column} FROM visits v LEFT JOIN patients p ON p.id = v.patient"
    with pytest.raises(InvalidPlan):
        read_sql(text, TABLES, finding=True)


def test_no_unit_is_a_key():
    for key in ("p.id", "COALESCE(p.id, v.patient)", "v.patient IS NULL OR p.id = 3"):
        text = (
            f"SELECT COUNT(*) FROM patients p FULL JOIN visits v ON p.id = v.patient GROUP BY {key}"
        )
        with pytest.raises(InvalidPlan):
            read_sql(text, TABLES, finding=True)


@pytest.mark.parametrize("on", ["ON p.id = v.patient", "ON v.patient = p.id"])
def test_a_side_that_may_be_missing_is_counted_by_its_flag(on):
    counts = "COUNT(*) AS n, COUNT(p.id) AS patients, COUNT(v.patient) AS visits"
    plan = read_sql(f"SELECT {counts} FROM patients p FULL JOIN visits v {on}", TABLES)
    assert len(set(plan.question.measures)) == 3


def test_a_unit_that_may_be_missing_is_the_same_without_its_table():
    joined = "FROM patients p FULL JOIN visits v ON p.id = v.patient"
    asked = [read_sql(f"SELECT COUNT({name}) {joined}", TABLES) for name in ("p.id", "id", "*")]
    assert asked[0].question == asked[1].question != asked[2].question


@pytest.mark.parametrize("value", ["ABS(stay)", "stay + 1", "CASE WHEN stay > 3 THEN 1 ELSE 2 END"])
def test_calculated_columns_may_be_beside_all_units(value):
    """What is calculated has bounds that are fractions; a whole number that is missing is NULL, not one of them."""
    side = f"(SELECT patient, {value} AS x, cost / 4 AS c FROM visits) v"
    found = columns_of(
        rows_of(f"SELECT COUNT(x) FROM {side} FULL JOIN patients p ON p.id = v.patient")
    )
    assert {column.kind for column in found if column.name == "x"} == {Kind.INTEGER}


def test_a_full_join_keeps_declared_values():
    students = Table(
        "students",
        (Column("semesters", Kind.INTEGER, 2, 8, values=(2, 4, 6, 8)),),
        unit="who",
        contributions=1,
    )
    ratings = Table(
        "ratings",
        (Column("stars", Kind.INTEGER, 1, 5, values=(1, 5)),),
        unit="who",
        contributions=9,
    )
    tables = {"students": students, "ratings": ratings}
    both = "FROM students s FULL JOIN ratings r ON s.who = r.who"
    for column, values in (("semesters", (2, 4, 6, 8)), ("stars", (1, 5))):
        plan = prove(read_sql(f"SELECT {column}, COUNT(*) AS n {both} GROUP BY {column}", tables))
        assert plan.question.keys[0].public_values == values
