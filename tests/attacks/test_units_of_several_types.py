"""One person is one unit, whatever type each table stores the name as: 7, 7.0 and "7" never count twice."""

from datetime import date, datetime
from decimal import Decimal
from fractions import Fraction
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from tacit.curator import Limit, Shared
from tacit.curator.pricing.noise_of_measures import terms_of
from tacit.engines import DuckDB, Memory
from tacit.engines.sql.read_stored_columns import read_unit
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table, canonical, read_sql

COST = (Column("cost", Kind.INTEGER, low=0, high=9),)
VISITS, STAYS = (Table(name, COST, unit="patient", contributions=1) for name in ("visits", "stays"))
STACKED = "(SELECT patient, cost FROM visits UNION ALL SELECT patient, cost FROM stays)"
QUESTION = canonical(
    read_sql(
        f"SELECT COUNT(*) AS n, COUNT(DISTINCT patient) AS k FROM {STACKED}",
        {"visits": VISITS, "stays": STAYS},
    )
).question
TERMS = terms_of(QUESTION, Shared(VISITS, 1), Limit(1), Fraction(1))


def column(kind: Any, *patients: int) -> Any:
    spelled: Any = int
    if kind == pa.string():
        spelled = str
    elif pa.types.is_decimal(kind):
        spelled = Decimal
    elif pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        made = datetime if pa.types.is_timestamp(kind) else date
        spelled = lambda day: made(2020, 1, day)  # noqa: E731
    units = [spelled(patient) for patient in patients]
    return pa.table(
        {"patient": pa.array(units, kind), "cost": pa.array([1] * len(units), pa.int64())}
    )


def moved(engine: Any, visits: Any, stays: Any) -> list[int]:
    """How far each measure moves if patient 7, who has five rows in both tables, leaves."""
    worlds = [
        {VISITS: column(visits, *seven, 8), STAYS: column(stays, *seven, 9)}
        for seven in ([7] * 5, list[int]())
    ]
    answers = []
    for world in worlds:
        held = engine(world)
        answers.append(held.evaluate(QUESTION, TERMS.weights)[0].tolist())
        held.close()
    return [abs(one - other) for one, other in zip(*answers, strict=True)]


ALIKE = [
    (pa.int32(), pa.int64()),
    (pa.uint64(), pa.int64()),
    (pa.string(), pa.int64()),
    (pa.float64(), pa.float64()),
]
UNLIKE = [
    (pa.float64(), pa.int64()),  # how pandas stores integers some of which are missing
    (pa.float64(), pa.string()),
    (pa.float32(), pa.float64()),
    (pa.decimal128(10, 2), pa.int64()),
    (pa.decimal128(10, 2), pa.decimal128(10, 3)),
    (pa.date32(), pa.timestamp("us")),
    (pa.timestamp("us"), pa.timestamp("us", "UTC")),
]


@pytest.mark.parametrize("engine", [Memory, DuckDB])
@pytest.mark.parametrize("types", ALIKE, ids=str)
def test_a_unit_of_two_tables_moves_no_more_than_one_unit_may(
    engine: Any, types: tuple[Any, Any]
) -> None:
    pairs = zip(moved(engine, *types), TERMS.sensitivities, strict=True)
    assert all(0 < distance <= claim.bound for distance, claim in pairs)


@pytest.mark.parametrize("types", UNLIKE, ids=str)
def test_types_in_which_one_unit_has_two_texts_are_refused_by_type(types: tuple[Any, Any]) -> None:
    refused = pytest.raises(InvalidData, match="store them all as integers or all as texts")
    with DuckDB({VISITS: column(types[0]), STAYS: column(types[1])}) as engine, refused:
        engine.dry_run(QUESTION, TERMS.weights)


@pytest.mark.parametrize("types", UNLIKE[:2] + UNLIKE[3:4], ids=str)
def test_memory_knows_a_number_by_its_value(types: tuple[Any, Any]) -> None:
    pairs = zip(moved(Memory, *types), TERMS.sensitivities, strict=True)
    assert all(0 < distance <= claim.bound for distance, claim in pairs)


def test_a_unit_whose_number_is_zero_has_no_sign() -> None:
    # which of its values a unit brings
    text = "SELECT cost, COUNT(DISTINCT cost) AS n FROM visits GROUP BY cost"
    question = canonical(read_sql(text, {"visits": VISITS})).question
    weights = terms_of(question, Shared(VISITS, 1), Limit(1), Fraction(1)).weights
    brought = []
    for zero in (0.0, -0.0):
        rows = [{"patient": zero, "cost": cost} for cost in range(9)] + [
            {"patient": 10.5, "cost": 9}
        ]
        for engine in (Memory, DuckDB):
            held = engine({VISITS: rows})
            brought.append(held.evaluate(question, weights).tolist())
            held.close()
    assert all(each == brought[0] for each in brought)
    unit = read_unit("x", "DOUBLE")
    with duckdb.connect() as connection:
        found = connection.execute(
            f"SELECT CAST({unit} AS VARCHAR) FROM (VALUES (0e0), (-0e0)) AS v(x)"
        ).fetchall()
    assert found == [("0.0",), ("0.0",)]


def test_a_list_without_rows_is_of_no_type() -> None:
    """Whether anybody is in a table is private: nothing is refused for it."""
    for rows in ([], [{"patient": 10.5, "cost": 1}]):
        with DuckDB({VISITS: [{"patient": 7.5, "cost": 1}], STAYS: rows}) as engine:
            engine.dry_run(QUESTION, TERMS.weights)


@pytest.mark.parametrize("extra", [7.5, Decimal("7.5"), 2**70])
@pytest.mark.parametrize("engine", [DuckDB, Memory])
def test_one_unit_that_is_no_integer_decides_nothing_about_the_others(engine, extra):
    """Whether tables may be combined is said for free: it may not depend on who is in them."""
    rows = [{"patient": n, "cost": 1} for n in range(5)]
    for more in ([], [{"patient": extra, "cost": 1}]):
        held = engine({VISITS: rows + more, STAYS: rows})
        held.dry_run(QUESTION, TERMS.weights)
        assert (
            held.evaluate(QUESTION, TERMS.weights)[0].tolist()[1]
            == (5 + len(more)) << TERMS.weights.bits
        )
        held.close()
