"""What rows add up to, at the ends of every type in which it is added up."""

from fractions import Fraction

import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.sums_of_terms import steps
from tacit.plan import Column, Field, Kind, Question, Scan, Summed, Table, Weighing, Weights

NARROW = 1 << 31
WORTH = Column("worth", Kind.NUMBER, low=-(1 << 40), high=1 << 40)
TABLE = Table("rows", (WORTH,), unit="who")
ENDS = [
    (-NARROW, NARROW - 1, 0),
    (-NARROW - 1, 5, 0),
    (-5, NARROW, 0),
    (-5, NARROW - 1, -1),
    (-NARROW, 5, 1),
    (0, NARROW - 1, NARROW - 1),
    (NARROW, NARROW + 9, NARROW + 3),
    (-(1 << 40), 1 << 40, 0),
]


def summed(low: int, high: int, centre: int) -> Question:
    return Question(Scan(TABLE), (), (Summed(Field(WORTH), Fraction(1), low, high, centre),))


@pytest.mark.parametrize("bits", [0, 20, 21])
@pytest.mark.parametrize("norm", Weighing)
@pytest.mark.parametrize("ends", ENDS, ids=str)
def test_sums_are_exact_at_the_ends_of_their_types(ends, norm, bits):
    low, high, _ = ends
    numbers = [
        low - 1,
        low,
        high,
        high + 1,
        low + 0.5,
        high - 0.5,
        0,
        None,
        float("inf"),
        float("nan"),
    ]
    rows = [
        {"who": who, "worth": None if each is None else float(each)}
        for each in numbers
        for who in (1, 2)
    ]
    rows += [{"who": 3, "worth": float(low)}, {"who": 4, "worth": float(high)}]
    question, weights = summed(*ends), Weights(norm, 3, 9, bits)
    with DuckDB({TABLE: rows}) as engine:
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory({TABLE: rows}).evaluate(question, weights).tolist()


@pytest.mark.parametrize(
    ("ends", "narrow"), [*zip(ENDS, [True] + [False] * 4 + [True, False, False], strict=True)]
)
def test_steps_are_narrow_where_all_of_them_fit(ends, narrow):
    (measure,) = summed(*ends).measures
    assert isinstance(measure, Summed)
    assert ("AS INTEGER" in steps(measure, "x", DUCKDB)) is narrow
