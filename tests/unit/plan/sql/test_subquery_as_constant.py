"""Subqueries that rows are compared with, as SQL is read."""

from datetime import date

import pytest

from tacit.errors import InvalidPlan
from tacit.plan import Column, Kind, Table, read_asked, read_sql, subqueries_in
from tacit.plan.sql.subquery_as_constant import MOST_LISTED
from tests.unit.plan.cases import TABLES


def read(text):
    return read_asked(text, TABLES)[0]


@pytest.mark.parametrize(
    ("scalar", "kind", "low", "high"),
    [
        ("SELECT AVG(age) FROM visits", Kind.NUMBER, 0, 120),
        ("SELECT MEDIAN(age) FROM visits", Kind.INTEGER, 0, 120),
        ("SELECT AVG(age) * 2 FROM visits", Kind.NUMBER, 0, 240),
        ("SELECT COUNT(*) FROM visits", Kind.NUMBER, -(10**15), 10**15),
        ("SELECT SUM(age) FROM visits", Kind.NUMBER, -(10**15), 10**15),
    ],
)
def test_a_constant_has_the_bounds_of_what_it_is_made_of(scalar, kind, low, high):
    plan = read(f"SELECT COUNT(*) AS n FROM visits WHERE age > ({scalar})")
    column = plan.subqueries[0].column
    assert column.kind is kind
    assert (column.low, column.high) == (low, high)
    assert column.name == f"({scalar})"


def test_a_day_has_the_bounds_of_its_grid():
    first, last = date(2025, 1, 1), date(2025, 12, 31)
    tables = {"stays": Table("stays", (Column("day", Kind.DATE, first, last),))}
    text = "SELECT COUNT(*) AS n FROM stays WHERE day > (SELECT MEDIAN(day) FROM stays)"
    column = read_asked(text, tables)[0].subqueries[0].column
    assert (column.kind, column.low, column.high) == (Kind.DATE, first, last)


def test_a_subquery_that_is_read_twice_is_one():
    plan = read(
        "SELECT age > (SELECT AVG(age) FROM visits) AS old, COUNT(*) AS n FROM visits GROUP BY 1"
    )
    assert len(plan.subqueries) == 1
    assert len(plan.parts) == 2


def test_a_subquery_beside_groups_is_no_constant():
    plan = read("SELECT COUNT(*) / (SELECT COUNT(*) FROM visits WHERE age > 9) AS q FROM visits")
    assert not plan.subqueries
    assert not any(subqueries_in(part.question) for part in plan.parts)


def test_only_so_many_values_are_compared():
    text = "SELECT COUNT(*) AS n FROM visits WHERE age IN (SELECT age FROM visits GROUP BY age {})"
    with pytest.raises(InvalidPlan, match=f"more than {MOST_LISTED} values"):
        read(text.format(""))
    plan = read(text.format("ORDER BY COUNT(*) DESC LIMIT 4"))
    assert [each.row for each in plan.subqueries] == [0, 1, 2, 3]


def test_a_plan_alone_has_no_subqueries():
    with pytest.raises(InvalidPlan, match="more than one plan"):
        read_sql(
            "SELECT COUNT(*) AS n FROM visits WHERE age > (SELECT AVG(age) FROM visits)", TABLES
        )


@pytest.mark.parametrize("inside", ["age * {}", "age + {}", "CASE WHEN age > 9 THEN {} END"])
@pytest.mark.parametrize("aggregate", ["SUM", "AVG", "STDDEV"])
def test_what_has_no_bounds_is_not_summed(aggregate, inside):
    """A count or a sum is held within 10**15: noise for sums of that hides whatever they are."""
    text = f"SELECT {aggregate}({inside}) AS s FROM visits"
    for scalar in ("COUNT(*)", "SUM(age)"):
        with pytest.raises(InvalidPlan, match="no declared bounds"):
            read(text.format(f"(SELECT {scalar} FROM visits)"))
    assert read(text.format("(SELECT AVG(age) FROM visits)")).subqueries


def test_what_is_only_compared_with_a_count_is_summed():
    text = "SELECT SUM(CASE WHEN age > (SELECT COUNT(*) FROM visits) THEN age END) AS s FROM visits"
    assert len(read(text).subqueries) == 1
