"""Joins on a declared foreign key alone: rows of different units never meet, whatever is declared of keys."""

from contextlib import nullcontext

import pytest

from tacit.engines import DuckDB, Memory, Postgres, Spark
from tacit.plan import Column, Kind, Table, Weighing, canonical, read_sql
from tacit.privacy import Neighbours
from tacit.stability import sensitivity_of, weights_for
from tests import database, spark
from tests.laws.test_rows_moved import length_squared

STAYS = Table(
    "stays",
    (Column("id", Kind.INTEGER), Column("ward", Kind.TEXT, values=("A", "B"))),
    unit="patient",
    contributions=3,
)
LABS = Table(
    "labs",
    (Column("stay", Kind.INTEGER), Column("value", Kind.INTEGER, 0, 9)),
    unit="patient",
    contributions=4,
    references=(("stay", "stays", "id"),),
)
TABLES = {table.name: table for table in (STAYS, LABS)}
# What is declared does not hold: a key is there twice, and labs of one patient refer to stays of another.
ROWS = {
    STAYS: [
        {"patient": 1, "id": 10, "ward": "A"},
        {"patient": 1, "id": 10, "ward": "B"},
        {"patient": 2, "id": 20, "ward": "A"},
        {"patient": 3, "id": 10, "ward": "B"},
    ],
    LABS: [
        {"patient": 1, "stay": 10, "value": 5},
        {"patient": 2, "stay": 10, "value": 9},
        {"patient": 2, "stay": 20, "value": 1},
        {"patient": 3, "stay": 20, "value": 2},
        {"patient": 4, "stay": 10, "value": 3},
        {"patient": 2, "stay": None, "value": 4},
    ],
}
# a unit whose labs refer to everybody's stays, and whose stays are everybody's
HEAVY = {
    STAYS: [{"patient": 9, "id": n % 3 * 10, "ward": "AB"[n % 2]} for n in range(40)],
    LABS: [{"patient": 9, "stay": n % 3 * 10, "value": 9} for n in range(40)],
}
ASKED = [
    "SELECT COUNT(*) AS n, SUM(value) AS s FROM labs JOIN stays ON stay = id",
    "SELECT COUNT(*) AS n, COUNT(ward) AS k FROM labs LEFT JOIN stays ON stay = id",
    "SELECT COUNT(*) AS n, COUNT(value) AS k FROM stays LEFT JOIN labs ON stay = id",
    "SELECT ward, COUNT(*) AS n FROM stays s JOIN labs l ON l.stay = s.id GROUP BY ward",
    "SELECT COUNT(*) AS n FROM labs l JOIN labs m ON l.stay = m.stay",
]


def in_memory(tables):
    return nullcontext(Memory(tables))


def in_postgres(tables):
    return Postgres(database.store(tables))


def on_spark(tables):
    """Units that are not declared are stored as texts there."""
    texts = {
        table: [{**row, "patient": str(row["patient"])} for row in rows]
        for table, rows in tables.items()
    }
    return Spark(spark.store(texts))


ENGINES = [in_memory, DuckDB, in_postgres, pytest.param(on_spark, marks=pytest.mark.soak)]


@pytest.mark.parametrize("open_engine", ENGINES)
def test_no_row_meets_one_of_another_unit(open_engine):
    answers = []
    with database.knows_password(), open_engine(ROWS) as engine:
        for text in ASKED:
            question = canonical(read_sql(text, TABLES)).question
            weights = weights_for(question, None, Weighing.L1)
            found = engine.evaluate(question, weights)
            answers.append([[int(value) >> weights.bits for value in row] for row in found])
    # measures in their canonical order
    assert answers == [[[3, 11]], [[3, 7]], [[3, 4]], [[2], [1]], [[5]]]


@pytest.mark.parametrize("norm", list(Weighing))
@pytest.mark.parametrize("text", ASKED)
def test_a_unit_moves_no_answer_farther_than_claimed_where_declared_keys_are_false(text, norm):
    question = canonical(read_sql(text, TABLES)).question
    more = {table: [*rows, *HEAVY[table]] for table, rows in ROWS.items()}
    weights = weights_for(question, None, norm)
    claims = sensitivity_of(question, weights, Neighbours.ADD_OR_REMOVE)
    one, other = (Memory(each).evaluate(question, weights) for each in (ROWS, more))
    duck = DuckDB(more, threads=1).evaluate(question, weights)
    assert duck.tolist() == other.tolist()
    for place, claim in enumerate(claims):
        moved = length_squared(one[:, place], other[:, place], norm)
        assert 0 < moved <= claim.bound**2
