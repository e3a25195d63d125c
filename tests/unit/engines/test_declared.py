"""What is declared about a column is enforced where rows are read, and never believed."""

from fractions import Fraction
from math import inf, nan

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.plan import (
    Column,
    Counted,
    Field,
    IsNull,
    Keeping,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Units,
    Weighing,
    Weights,
    Where,
    read_sql,
)

AGE = Column("age", Kind.NUMBER, 0, 120, nullable=False)
NAME = Column("name", Kind.TEXT)
PEOPLE = Table("people", (AGE, NAME), unit="p", contributions=10)
ROWS = [
    {"p": n, "age": age, "name": "ab"[n % 2]}
    for n, age in enumerate([20.0, None, nan, 30.0, -inf, 500.0])
]
LOOSE = Weights(Weighing.L2, 10, 10, 0)
SUM = Summed(Field(AGE), Fraction(1), 0, 120)
QUESTIONS = {
    "rows": Question(Scan(PEOPLE), (), (Counted(), SUM, Units())),
    "without its column": Question(Scan(PEOPLE), (), (Counted(Field(NAME)),)),
    "where it is NULL": Question(Where(Scan(PEOPLE), IsNull(Field(AGE))), (), (Counted(),)),
}
NESTED = [
    "SELECT COUNT(*) AS n FROM (SELECT p, COUNT(*) AS m FROM people GROUP BY p) AS q WHERE m > 0",
    "SELECT COUNT(*) AS n FROM people AS a JOIN people AS b USING (p)",
    "SELECT COUNT(*) AS n FROM (SELECT COALESCE(age, 1000) AS x, name FROM people) AS q WHERE x > 120",
]


@pytest.fixture(params=["list", "pandas", "arrow", "parquet", "ingested"])
def people(request, tmp_path):
    frame = pa.table(
        {
            "p": pa.array([row["p"] for row in ROWS]),
            "age": pa.array([row["age"] for row in ROWS], pa.float64(), from_pandas=False),
            "name": pa.array([row["name"] for row in ROWS]),
        }
    )
    match request.param:
        case "list":
            return ROWS
        case "pandas":
            return pd.DataFrame(ROWS)
        case "arrow":
            return frame
        case "parquet":
            pq.write_table(frame, tmp_path / "people.parquet")
            return tmp_path / "people.parquet"
        case _:
            return ingest(frame, PEOPLE, tmp_path / "people.duckdb")


@pytest.mark.parametrize("name", QUESTIONS)
def test_a_row_without_a_value_that_must_be_there_is_left_out(people, name):
    question = QUESTIONS[name]
    wanted = {
        "rows": [[4, 20 + 30 + 0 + 120, 4]],
        "without its column": [[4]],
        "where it is NULL": [[0]],
    }[name]
    with DuckDB({PEOPLE: people}) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == wanted
    assert Memory({PEOPLE: ROWS}).evaluate(question, LOOSE).tolist() == wanted


@pytest.mark.parametrize("text", NESTED)
def test_it_is_left_out_of_every_nest(people, text):
    question = read_sql(text, {"people": PEOPLE}).question
    wanted = [[0 if "COALESCE" in text else 4]]
    with DuckDB({PEOPLE: people}) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == wanted
    assert Memory({PEOPLE: ROWS}).evaluate(question, LOOSE).tolist() == wanted


def test_it_brings_no_unknown_key(people):
    plan = read_sql(
        "SELECT name, COUNT(*) AS n FROM people GROUP BY name", {"people": PEOPLE}, finding=True
    )
    keeping = Keeping(1, 0, b"secret")
    with DuckDB({PEOPLE: people}) as engine, engine.gather(plan.question, keeping) as found:
        assert sorted(found.weights.tolist()) == [2, 2]
    with Memory({PEOPLE: ROWS}).gather(plan.question, keeping) as found:
        assert sorted(found.weights.tolist()) == [2, 2]


def test_a_question_that_promises_more_than_its_table_is_held_to_it():
    """Whoever builds a plan may say that a column is never NULL: then its rows without one are not there."""
    free = Table("people", (Column("age", Kind.NUMBER, 0, 120), NAME), unit="p")
    question = Question(Scan(free), (), (Counted(), Counted(Field(AGE))))
    with DuckDB({free: ROWS}) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == [[4, 4]]
    assert Memory({free: ROWS}).evaluate(question, LOOSE).tolist() == [[4, 4]]


def test_a_cell_of_another_kind_is_nothing_and_its_row_is_left_out():
    whole = Table("people", (Column("age", Kind.INTEGER, 0, 120, nullable=False),))
    rows = [{"age": cell} for cell in (20, "20", 20.5, None, True, 30.0)]
    question = Question(Scan(whole), (), (Counted(),))
    with DuckDB({whole: rows}) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == [[2]]
    assert Memory({whole: rows}).evaluate(question, LOOSE).tolist() == [[2]]
