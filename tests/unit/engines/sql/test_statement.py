"""The one statement of a question: exact roots, and who needs a weight."""

from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement
from math import isqrt

import duckdb
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.engine import MOST_BITS
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.statement import _weight_in_l2, statement
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


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect() as opened:
        yield opened


@pytest.mark.parametrize("bits", [0, 1, 8, 20, 26, 27, 31, MOST_BITS])
@pytest.mark.parametrize("most", [1, 2, 9, 100, 12345, 10**9])
def test_roots_are_exact(connection, bits, most):
    """At every quotient that is a square, one below or one above, and at the ends."""
    squares = {most, most + 1, 2 * most, 3 * most + 1, most**2 + 1, 1 << 40, 1 << 80}
    for root in (1, 2, 3, (1 << bits) // 3 + 1, (1 << bits) - 1, 1 << bits):
        if root:
            quotient = (most << 2 * bits) // root**2
            squares |= {x for x in (quotient - 1, quotient, quotient + 1) if x > 0}
    listed = ", ".join(f"({i}, {x}::HUGEINT)" for i, x in enumerate(sorted(squares)))
    sql = _weight_in_l2(f"SELECT u, x FROM (VALUES {listed}) v(u, x)", most, bits)
    found = connection.execute(f"SELECT d FROM ({sql}) ORDER BY u").fetchall()
    expected = [min(1 << bits, isqrt((most << 2 * bits) // x)) for x in sorted(squares)]
    assert [(1 << bits) + d for (d,) in found] == expected


@pytest.mark.parametrize("bits", [27, 29, 31, 33])
def test_roots_are_exact_just_below_a_square(connection, bits):
    """Where the double nearest to the quotient is the square itself."""
    largest = 1 << min(bits, 62 - bits)  # beyond, the plan is refused
    for root in (largest - 1, largest - 12345, 94_906_267, 3 * largest // 4):
        sql = _weight_in_l2(f"SELECT 0 AS u, {4**bits}::HUGEINT AS x", root**2 - 1, bits)
        assert connection.execute(f"SELECT d FROM ({sql})").fetchall() == [
            (root - 1 - (1 << bits),)
        ]


def test_units_at_the_edge_of_the_bound_are_weighed():
    """Many rows in one group and one in each of the others: the largest sum of squares that there can be."""
    wards = tuple(f"w{i}" for i in range(6))
    rows = [
        {"who": 100 * most + groups, "ward": ward}
        for most in range(1, 8)
        for groups in range(1, 7)
        for i, ward in enumerate(wards[:groups])
        for _ in range(1 if i else most)
    ]
    table = replace(VISITS, columns=(WARD,))
    question = Question(Scan(table), (Key(Field(WARD), wards),), (Counted(),))
    memory = Memory({table: rows})
    with DuckDB({table: rows}) as engine:
        for bound in range(1, 9):
            weights = Weights(Weighing.L2, bound, 1, 20)
            assert (
                engine.evaluate(question, weights).tolist()
                == memory.evaluate(question, weights).tolist()
            )


def test_the_most_that_rows_in_groups_can_square_to():
    for k in range(1, 5):
        for vector in combinations_with_replacement(range(1, 7), k):
            n = sum(vector)
            for seen in range(1, k + 1):  # a mask may see two groups as one
                assert sum(x * x for x in vector) <= (n - seen + 1) ** 2 + seen - 1


def test_nothing_depends_on_the_order_of_rows():
    written = statement(
        EVERYTHING,
        LOOSE,
        Relation("t", {"ward": ("c0", "VARCHAR"), "cost": ("c1", "DOUBLE")}, ("u", "BIGINT")),
    ).sql
    for word in ("row_number", "first(", "limit", "random", "list(", "avg(", "any_value"):
        assert word not in written.lower()


def test_without_units_nothing_is_joined():
    by_row = replace(VISITS, unit=None)
    relation = Relation("t", {"ward": ("c0", "VARCHAR"), "cost": ("c1", "DOUBLE")}, None)
    written = statement(replace(EVERYTHING, rows=Scan(by_row)), LOOSE, relation).sql
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
    written = statement(question, LOOSE, Relation("t", columns, None)).sql
    assert written.count("sum(") == 1
    assert written.count("count(") == 2
