"""Plans in words and as trees."""

from fractions import Fraction

import pytest

from tacit.plan import (
    Arithmetic,
    Both,
    Compared,
    Either,
    KeyOf,
    Kind,
    Literal,
    Negated,
    Not,
    OneOf,
    as_tree,
    phrase,
    read_sql,
)
from tests.unit.plan.cases import NOON, TABLES, decimal, field, integer

AGE, COST = field("age"), field("cost")
OLD, DEAR = Compared(">", AGE, integer(65)), Compared(">", COST, decimal("0.5"))


@pytest.mark.parametrize(
    ("expression", "text"),
    [
        (Arithmetic("*", Arithmetic("+", AGE, COST), AGE), "(age + cost) * age"),
        (Arithmetic("+", Arithmetic("*", AGE, COST), AGE), "age * cost + age"),
        (Arithmetic("-", AGE, Arithmetic("-", AGE, COST)), "age - (age - cost)"),
        (Arithmetic("/", AGE, Arithmetic("*", AGE, COST)), "age / (age * cost)"),
        (Negated(Arithmetic("+", AGE, COST)), "-(age + cost)"),
        (Negated(Negated(AGE)), "-(-age)"),
        (Arithmetic("-", AGE, integer(-3)), "age - -3"),
        (Both(Either(OLD, DEAR), Not(OLD)), "(age > 65 OR cost > 0.5) AND NOT age > 65"),
        (Not(Both(OLD, DEAR)), "NOT (age > 65 AND cost > 0.5)"),
        (Either(Both(OLD, DEAR), OLD), "age > 65 AND cost > 0.5 OR age > 65"),
        (Compared("=", OLD, DEAR), "(age > 65) = (cost > 0.5)"),
        (
            OneOf(AGE, tuple(integer(i) for i in range(15))),
            "age IN (0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 and 3 more)",
        ),
        (Literal("it's " + "x" * 50, Kind.TEXT), "'it''s " + "x" * 32 + "...'"),
        (Literal(None, Kind.TEXT), "NULL"),
        (Literal(NOON, Kind.TIMESTAMP), "'2025-01-31 12:00:00'"),
        (Literal(Fraction(10) ** 300, Kind.NUMBER), "1" + "0" * 36 + "..."),
        (KeyOf(0), "a released value"),
    ],
)
def test_an_expression_is_written_with_the_parentheses_it_needs(expression, text):
    assert phrase(expression) == text


def test_a_tree_shows_everything_that_is_paid_for():
    plan = read_sql(
        "SELECT ward, AVG(cost) AS m, COUNT(DISTINCT patient) AS u FROM visits WHERE age > 3 GROUP BY ward "
        "HAVING u > 5 ORDER BY m DESC LIMIT 2",
        TABLES,
    )
    assert as_tree(plan).splitlines() == [
        "view",
        "  ward = ward",
        "  m = the mean of cost",
        "  u = the number of units (patient)",
        "  having the number of units (patient) > 5",
        "  order by the mean of cost descending",
        "  limit 2 offset 0",
        "question",
        "  key ward ('A', 'B', 'C')",
        "  measure the sum of cost in steps of 1/256 from 0 to 1280000 less 640000",
        "  measure the number of rows in which cost is not NULL",
        "  measure the number of units (patient)",
        "  where age > 3",
        "    scan visits, unit patient",
    ]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ("STDDEV(cost)", "the sample standard deviation of cost"),
        ("STDDEV_POP(cost)", "the population standard deviation of cost"),
        ("VAR_SAMP(cost)", "the sample variance of cost"),
        ("2 * STDDEV(cost)", "2 * the sample standard deviation of cost"),
        ("SQRT(COUNT(*))", "SQRT(the number of rows)"),
    ],
)
def test_the_root_of_a_variance_has_its_own_name(call, words):
    plan = read_sql(f"SELECT {call} AS x FROM visits", TABLES)
    assert phrase(plan.view.columns[0].value, plan.question) == words
