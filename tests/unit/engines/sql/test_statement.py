"""The one statement of a question: what it reads, and that it agrees with the memory engine."""

from dataclasses import replace
from fractions import Fraction

import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset
from tacit.engines.sql.statement import statement
from tacit.plan import (
    Arithmetic,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Summed,
    Weighing,
    Weights,
)
from tests.unit.engines.tables import AGE, COST, EVERYTHING, LOOSE, ROWS, VISITS, WARD


def test_nothing_depends_on_the_order_of_rows():
    written = statement(
        EVERYTHING,
        LOOSE,
        Rowset(
            Relation("t", {"ward": ("c0", "VARCHAR"), "cost": ("c1", "DOUBLE")}, ("u", "BIGINT"))
        ),
    ).select.sql
    for word in ("row_number", "first(", "limit", "random", "list(", "avg(", "any_value"):
        assert word not in written.lower()


def test_without_units_nothing_is_joined():
    by_row = replace(VISITS, unit=None)
    relation = Relation("t", {"ward": ("c0", "VARCHAR"), "cost": ("c1", "DOUBLE")}, None)
    written = statement(replace(EVERYTHING, rows=Scan(by_row)), LOOSE, Rowset(relation)).select.sql
    assert "JOIN" not in written
    assert written.count("GROUP BY") == 1


def agree(question, weights, rows=ROWS, table=VISITS):
    with DuckDB({table: rows}, threads=1) as engine:
        assert (
            engine.evaluate(question, weights).tolist()
            == Memory({table: rows}).evaluate(question, weights).tolist()
        )


def test_a_sum_is_clamped_even_if_its_expression_leaves_its_bounds():
    twice = Arithmetic("*", Field(COST), Field(COST))
    narrow = Summed(twice, Fraction(1, 2), 3, 11, 5)
    ages = Summed(Arithmetic("+", Field(AGE), Field(AGE)), Fraction(1), 61, 64)
    coarse = Summed(Field(AGE), Fraction(16), 0, 3)
    agree(Question(Scan(VISITS), (), (narrow, ages, coarse)), LOOSE)


@pytest.mark.parametrize("norm", Weighing)
def test_products_of_more_than_64_bits_are_exact(norm):
    wide = replace(AGE, low=-(1 << 60), high=1 << 60)
    table = replace(VISITS, columns=(WARD, wide))
    rows = [{"who": 1, "ward": "A", "age": (1 << 60) - i} for i in range(9)]
    measures = (Summed(Field(wide), Fraction(1), -(1 << 60), 1 << 60, -(1 << 60)), Counted())
    question = Question(Scan(table), (Key(Field(WARD), ("A", "B")),), measures)
    agree(question, Weights(norm, 2, 4, 24), rows, table)


def test_keys_of_every_kind_have_their_places():
    for column in VISITS.columns:
        values = [row[column.name] for row in ROWS if row[column.name] is not None]
        declared = tuple(
            Fraction(v) if column.kind is Kind.NUMBER else v for v in dict.fromkeys(values)
        )
        for keys in (declared, declared[::-1]):
            agree(Question(Scan(VISITS), (Key(Field(column), keys),), (Counted(),)), LOOSE)


def test_keys_that_are_the_same_double_are_one():
    close = (Fraction(1, 4), Fraction(1, 4) + Fraction(1, 1 << 80), Fraction(2))
    question = Question(Scan(VISITS), (Key(Field(COST), close),), (Counted(),))
    agree(question, LOOSE)
    assert Memory({VISITS: ROWS}).evaluate(question, LOOSE).tolist() == [[1], [0], [1]]


@pytest.mark.parametrize("norm", Weighing)
def test_sums_with_other_centres_share_their_work(norm):
    sums = [Summed(Field(COST), Fraction(1, 4), 0, 40, centre) for centre in (20, 0, 7)]
    question = Question(Scan(VISITS), (), (*sums, Counted(Field(COST)), Counted(), sums[0]))
    for bound in (1, 100):
        agree(question, Weights(norm, bound, 1, 10))
    columns = {column.name: (f"c{j}", "DOUBLE") for j, column in enumerate(VISITS.columns)}
    written = statement(question, LOOSE, Rowset(Relation("t", columns, None))).select.sql
    assert written.count("sum(") == 1
    assert written.count("count(") == 2
