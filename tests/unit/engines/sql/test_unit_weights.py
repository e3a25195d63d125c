"""Weights of units as SQL: exact roots, and who needs a weight."""

from dataclasses import replace
from itertools import combinations_with_replacement
from math import isqrt

import duckdb
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.engine import MOST_BITS
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.unit_weights import _change_in_l2, _weight_in_l2
from tacit.plan import Counted, Field, Key, Question, Scan, Weighing, Weights
from tests.unit.engines.tables import VISITS, WARD


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
    sql = _change_in_l2(
        f"SELECT unit, square FROM (VALUES {listed}) v(unit, square)", most, bits, DUCKDB
    )
    found = connection.execute(f"SELECT weight_change FROM ({sql}) ORDER BY unit").fetchall()
    expected = [min(1 << bits, isqrt((most << 2 * bits) // x)) for x in sorted(squares)]
    assert [(1 << bits) + d for (d,) in found] == expected


@pytest.mark.parametrize("bits", [27, 29, 31, 33])
def test_roots_are_exact_just_below_a_square(connection, bits):
    """Where the double nearest to the quotient is the square itself."""
    largest = 1 << min(bits, 62 - bits)  # beyond, the plan is refused
    for root in (largest - 1, largest - 12345, 94_906_267, 3 * largest // 4):
        sql = _change_in_l2(
            f"SELECT 0 AS unit, {4**bits}::HUGEINT AS square", root**2 - 1, bits, DUCKDB
        )
        assert connection.execute(f"SELECT weight_change FROM ({sql})").fetchall() == [
            (root - 1 - (1 << bits),)
        ]


@pytest.mark.parametrize(
    ("most", "bits"), [(1, 25), (3, 25), (15, 24), (100, 20), (63**2, 20), (5000**2, 1), (2**51, 0)]
)
def test_roots_in_doubles_are_exact(connection, most, bits):
    """At every quotient that is a square, one below or one above, at the ends, and beyond what doubles add up."""
    whole, full = most << 2 * bits, 1 << bits
    squares = {
        most,
        most + 1,
        2 * most,
        whole - 1,
        whole,
        whole + 1,
        1 << 53,
        (1 << 53) + 2,
        1 << 80,
    }
    for root in (1, 2, 3, full // 3 + 1, full // 2 + 1, full - 1, full):
        for near in (root**2 - 1, root**2, root**2 + 1):
            if near:
                squares |= {max(1, whole // near + step) for step in (-1, 0, 1)}
    listed = sorted(squares)
    values = ", ".join(f"({i}, {float(x)!r}::DOUBLE)" for i, x in enumerate(listed))
    weight = _weight_in_l2("square", most, bits, DUCKDB)
    found = connection.execute(
        f"SELECT {weight} FROM (VALUES {values}) v(unit, square) ORDER BY unit"
    ).fetchall()
    assert [w for (w,) in found] == [min(full, isqrt(whole // x)) for x in listed]


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
