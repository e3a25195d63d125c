"""Rows of a unit that are alike are told apart by nothing that others decide, such as how a sort leaves them."""

from typing import Any

import pyarrow as pa
import pytest

from tacit.curator import Limit, Shared
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.engines import DuckDB, Memory
from tacit.plan import Column, Kind, Table, canonical, read_sql

VISITS = Table(
    "visits", (Column("x", Kind.INTEGER, low=0, high=9),), unit="patient", contributions=22
)
AMOUNT = Limit(1).filter().amount(Limit(1).filter().price_of(1))
WINDOWS = {
    "numbers": (
        "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY x)",
        "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY x DESC)",
    ),
    "numbers of parts": (
        "ROW_NUMBER() OVER (PARTITION BY patient, CASE WHEN x < 2 THEN 0 ELSE 1 END)",
        "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY x DESC)",
    ),
    "a number and a neighbour": (
        "LAG(x) OVER (PARTITION BY patient ORDER BY x)",
        "ROW_NUMBER() OVER (PARTITION BY patient ORDER BY x DESC)",
    ),
}


def counted(engine: Any, kind: str, patients: int, strangers: int = 0) -> int:
    """How many rows two windows say the same of, where every patient has twenty rows that are alike."""
    one, two = WINDOWS[kind]
    text = f"SELECT COUNT(*) AS n FROM (SELECT {one} AS a, {two} AS b FROM visits) WHERE a = b"
    question = canonical(read_sql(text, {"visits": VISITS})).question
    terms = terms_of(question, Shared(VISITS, 22), Limit(1), AMOUNT)
    owned = [0, *[1] * 20, 2]
    who = [-1] * strangers + [patient for patient in range(patients) for _ in owned]
    table = pa.table({"patient": who, "x": [1] * strangers + owned * patients})
    held = engine({VISITS: table if engine is DuckDB else table.to_pylist()})
    found = int(held.evaluate(question, terms.weights)[0, 0])
    held.close()
    assert found % (1 << terms.weights.bits) == 0, "nobody has more rows than count in full"
    return found >> terms.weights.bits


@pytest.mark.parametrize("kind", WINDOWS)
def test_somebody_with_one_row_changes_the_answer_by_one_row(kind: str) -> None:
    """A sort of many units' rows leaves those that are alike in an order that depends on all of them."""
    alone = counted(DuckDB, kind, 1)
    assert counted(DuckDB, kind, 1500) == 1500 * alone
    assert 0 <= counted(DuckDB, kind, 1500, strangers=1) - 1500 * alone <= 1


@pytest.mark.parametrize("kind", WINDOWS)
def test_engines_tell_rows_apart_alike(kind: str) -> None:
    assert counted(DuckDB, kind, 40, strangers=1) == counted(Memory, kind, 40, strangers=1)
