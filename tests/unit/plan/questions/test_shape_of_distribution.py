"""Skewness and kurtosis, against DuckDB's, of what is measured without noise; and what they are made of."""

from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest

from tacit.curator import Noisy
from tacit.curator.answer.view_rows import view_answer
from tacit.engines import Memory
from tacit.errors import InvalidPlan
from tacit.mechanisms import Gaussian
from tacit.plan import (
    Column,
    Counted,
    Kind,
    Summed,
    Table,
    Weighing,
    Weights,
    canonical,
    read_sql,
)
from tests.unit.plan.cases import TABLES

COLUMNS = (
    Column("x", Kind.NUMBER, 0, 16),
    Column("k", Kind.INTEGER, 0, 10),
    Column("big", Kind.BOOLEAN),
)
ROWS = Table("rows", COLUMNS)
VALUES = [0.0, 0.5, 1.0, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5, 7.0, 9.5, 10.0]
GIVEN = [{"x": x, "k": n * n % 11 % 7, "big": x > 1} for n, x in enumerate(VALUES)]


def answered(text):
    """The columns of the only row of an answer whose noise is next to none, each with its interval."""
    plan = canonical(read_sql(text, {"rows": ROWS}))
    found = Memory({ROWS: GIVEN}).evaluate(plan.question, Weights(Weighing.L2, 10**6, 10**6, 0))
    law = Gaussian(Fraction(1, 1000))
    released = [
        Noisy(number, law, getattr(measure, "step", Fraction(1)))
        for number, measure in zip(found[0].tolist(), plan.question.measures, strict=True)
    ]
    (row,) = view_answer(plan, [released], 0.95, raw=False).rows
    return row


@pytest.mark.parametrize("value", ["x", "k", "CASE WHEN big THEN x END", "x - 3"])
def test_the_shape_is_that_of_duckdb(value):
    with duckdb.connect() as connection:
        connection.register("rows", pa.Table.from_pylist(GIVEN))
        text = f"SELECT SKEWNESS({value}) AS s, KURTOSIS({value}) AS k FROM rows"
        exact = connection.execute(text).fetchone()
    skewed, low, high, curved, least, most = answered(text)
    assert (skewed, curved) == pytest.approx(exact, abs=1e-3)
    assert low - 1e-3 <= exact[0] <= high + 1e-3
    assert least - 1e-3 <= exact[1] <= most + 1e-3


def test_a_geometric_mean_is_that_of_duckdb():
    text = "SELECT GEOMEAN(x) AS g FROM rows WHERE x >= 0.5"
    with duckdb.connect() as connection:
        connection.register("rows", pa.Table.from_pylist(GIVEN))
        exact = connection.execute(text).fetchone()
    assert answered(text)[0] == pytest.approx(exact[0], abs=1e-3)


def test_it_is_made_of_one_count_and_a_sum_for_each_power():
    """Sums of numbers between -1 and 1, whatever the bounds: a kurtosis needs no fourth powers of thousands."""
    for text, powers in (("SKEWNESS(age)", 3), ("KURTOSIS(age)", 4), ("SKEWNESS(stay)", 3)):
        measures = read_sql(f"SELECT {text} AS s FROM visits", TABLES).question.measures
        assert sum(isinstance(each, Counted) for each in measures) == 1
        sums = [each for each in measures if isinstance(each, Summed)]
        assert len(sums) == powers
        assert all(each.reach * each.step <= 1 + each.step for each in sums)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("SELECT SKEWNESS(weight) AS s FROM visits", "no declared bounds"),
        ("SELECT SKEWNESS(name) AS s FROM visits", "need a number"),
        ("SELECT GEOMEAN(age, 2) AS g FROM visits", "takes one value"),
        (
            "SELECT AVG(s) AS m FROM (SELECT patient, SKEWNESS(age) AS s FROM visits GROUP BY patient)",
            "for the rows of one unit",
        ),
    ],
)
def test_what_has_no_bound_is_refused(text, reason):
    with pytest.raises(InvalidPlan, match=reason):
        read_sql(text, TABLES)
