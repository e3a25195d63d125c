"""A statement that DuckDB holds prepared finds what it would find if it were read anew, whatever its numbers."""

from collections import Counter
from copy import copy
from datetime import date

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.duckdb.prepared_statements import PreparedStatements
from tacit.engines.sql.select_with_parameters import Select
from tacit.errors import EngineFailed, TooLarge
from tacit.plan import Column, Kind, Table, Weighing, Weights, read_sql
from tests.laws.plans import as_written, cases
from tests.laws.sampled import sampled

AGE = Column("age", Kind.INTEGER, low=0, high=120)
LARGE = Column("large", Kind.INTEGER)
COST = Column("cost", Kind.NUMBER, low=-10, high=500)
NOTE = Column("note", Kind.TEXT)
DAY = Column("day", Kind.DATE, low=date(2024, 1, 1), high=date(2025, 12, 31))
VISITS = Table("visits", (AGE, LARGE, COST, NOTE, DAY), unit="who", contributions=20)
MOST = 2**63 - 1
LOOSE, TIGHT = (
    Weights(norm, bound, bound**2, 10) for norm, bound in ((Weighing.L1, 99), (Weighing.L2, 2))
)
ROWS = [
    {
        "who": i % 7,
        "age": i * 3 % 121,
        "large": (MOST, -MOST - 1, i, -i)[i % 4],
        "cost": i * 7.5 % 510 - 10,
        "note": ("a", "CAST(3 AS BIGINT)", "it's CAST(3 AS BIGINT)", None, "b" * i)[i % 5],
        "day": date(2024, 1 + i % 12, 1 + i % 28),
    }
    for i in range(60)
]
SHAPES = [
    "SELECT COUNT(*) FROM visits WHERE age < {0}",
    "SELECT COUNT(*), SUM(age) FROM visits WHERE age BETWEEN {0} AND {1} OR large > {1}",
    "SELECT COUNT(*) FROM visits WHERE large IN ({0}, {1}, 5)",
    "SELECT SUM(CASE WHEN age > {0} THEN cost ELSE 0 END) FROM visits WHERE cost <= {1}",
    "SELECT COUNT(*) FROM visits WHERE note <> 'CAST(3 AS BIGINT)' AND age >= {0}",
    "SELECT COUNT(*) FROM visits WHERE note = 'it''s CAST(3 AS BIGINT)' OR LENGTH(note) > {0}",
    "SELECT COUNT(*) FROM visits WHERE SUBSTR(note, 1, 3) = 'bbb' AND age * 2 > {0}",
    "SELECT COUNT(DISTINCT who), AVG(cost) FROM visits WHERE ROUND(cost) > {0}",
    "SELECT COUNT(*) FROM visits WHERE EXTRACT(month FROM day) > {0}",
    "SELECT MEDIAN(age) FROM visits WHERE age <> {0}",
    "SELECT COUNT(*), SUM(cost) FROM visits WHERE cost * 0.5 < {0} + 0.25 OR cost > {1}e1",
    "SELECT AVG(cost) FROM visits WHERE cost < {0}.5 AND note <> '1.5e0' AND cost > -1{1}e-1",
    "SELECT AVG(s) FROM (SELECT who, SUM(age) AS s FROM visits WHERE age > {0} GROUP BY who)",
]
NUMBERS = [(3, 40), (17, 90), (0, 0), (119, 1)]
EXTREME = [(MOST, -MOST - 1), (-5, MOST)]  # where a number may stand alone


def answered(engine, text, weights):
    """The answer as lists, or what refused it from the plan alone."""
    try:
        return engine.evaluate(read_sql(text, {"visits": VISITS}).question, weights).tolist()
    except TooLarge as refusal:
        return str(refusal)


@pytest.mark.parametrize("weights", [LOOSE, TIGHT], ids=["loose", "tight"])
@pytest.mark.parametrize("shape", SHAPES)
def test_other_numbers_find_what_they_should(shape, weights):
    memory = Memory({VISITS: ROWS})
    with DuckDB({VISITS: ROWS}) as engine:
        few, seen = as_written(engine), set()
        for numbers in NUMBERS + EXTREME * ("." not in shape):
            found = answered(memory, shape.format(*numbers), weights)
            assert answered(few, shape.format(*numbers), weights) == found
            seen.add(str(found))
        assert None not in few._prepared._names.values()  # each came again, and was prepared
    assert len(seen) > 1


def check_repeated(data):
    """Ask every question three times: as it was read, while it is prepared, and as it is prepared."""
    case, seen = data.draw(cases(count=4)), Counter()
    memory = Memory({case.table: case.rows})
    with DuckDB({case.table: case.rows}, threads=1) as engine:
        few = as_written(engine)
        for question, weights in case.questions:
            try:
                found = memory.evaluate(question, weights).tolist()
            except TooLarge:
                continue
            for _ in range(3):
                few.dry_run(question, weights)
                assert few.evaluate(question, weights).tolist() == found
            seen["more" if np.any(found) else "zeros"] += 1
        seen["prepared"] += sum(name is not None for name in few._prepared._names.values())
    return seen


def test_what_is_asked_again_is_answered_alike():
    found = sampled(check_repeated, 20)
    assert found["more"] >= 30  # of 80
    assert found["prepared"] >= 50


@pytest.mark.parametrize("shape", SHAPES)
def test_questions_that_differ_in_numbers_have_one_text_and_their_own_numbers(shape):
    with DuckDB({VISITS: ROWS}) as engine:
        few, texts, given = as_written(engine), set(), []
        for numbers in NUMBERS:
            question = read_sql(shape.format(*numbers), {"visits": VISITS}).question
            written = few._statements(question, LOOSE)
            asked = [*written.cells.values()]
            asked += [written.measures.select] if written.measures else []
            texts.add(tuple(each.sql for each in asked))
            given.append([each.numbers for each in asked])
            for each in asked:
                places = range(len(each.numbers))
                assert all(f"$n{place} AS" in each.sql for place in places)
                assert each.sql.count("$n") >= len(places)
    assert len(texts) == 1
    assert len({str(each) for each in given}) == len(NUMBERS)


def test_two_statements_of_one_question_have_their_own_numbers():
    """Two histograms with one text are two if their numbers are."""
    case = "MEDIAN(CASE WHEN large > {0} THEN age ELSE 7 END)"
    text = f"SELECT {case} AS one, {case.replace('0', '1', 1)} AS two FROM visits"
    with DuckDB({VISITS: ROWS}) as engine:
        few, memory = as_written(engine), Memory({VISITS: ROWS})
        for numbers in ((1, 50), (50, 1), (3, 3)):
            asked = text.format(*numbers)
            assert answered(few, asked, LOOSE) == answered(memory, asked, LOOSE)


def test_a_text_that_ran_is_not_rehearsed_and_others_are():
    asked = [read_sql(SHAPES[0].format(n), {"visits": VISITS}).question for n in (3, 40, 5)]
    other = read_sql(SHAPES[2].format(1, 2), {"visits": VISITS}).question
    with DuckDB({VISITS: ROWS}) as engine:
        few, rehearsals = as_written(engine), []
        share = engine._connection.share
        few._connection = copy(engine._connection)
        few._connection.share = lambda shared: (
            rehearsals.append(shared is engine._rehearsal) or share(shared)
        )
        for question in asked:
            few.dry_run(question, LOOSE)
            few.evaluate(question, LOOSE)
        few.dry_run(other, LOOSE)
    assert rehearsals == [True, False, False, False, True]


def test_files_that_are_read_in_place_are_read_anew(tmp_path):
    """What is ready knows where in a file its columns were."""
    file = tmp_path / "visits.parquet"
    pq.write_table(pa.Table.from_pylist(ROWS), file)
    with DuckDB({VISITS: file}) as engine:
        few = as_written(engine)
        for text in (SHAPES[0].format(n) for n in (3, 40, 5)):
            assert answered(few, text, LOOSE) == answered(Memory({VISITS: ROWS}), text, LOOSE)
        assert not few._prepared._names


def test_a_failure_while_numbers_are_exchanged_says_nothing():
    asked = [read_sql(SHAPES[0].format(n), {"visits": VISITS}).question for n in (3, 40, 5)]
    with DuckDB({VISITS: ROWS}) as engine:
        few = as_written(engine)
        few.evaluate(asked[0], LOOSE)
        few.evaluate(asked[1], LOOSE)
        with engine._connection.cursor() as cursor:
            cursor.execute(f"DROP TABLE {engine._full[VISITS.name].name}")
        with pytest.raises(EngineFailed) as failure:
            few.evaluate(asked[2], LOOSE)
    assert failure.value.__context__ is None


def test_who_stops_a_question_while_it_is_prepared_stops_it():
    class Stopped:
        """A cursor that is interrupted while it prepares."""

        def execute(self, sql, parameters=None):
            if str(sql).startswith("PREPARE"):
                raise duckdb.InterruptException("INTERRUPT Error")
            return self

    prepared, sql = PreparedStatements(), "SELECT CAST($n0 AS BIGINT)"
    prepared.execute(Stopped(), Select(sql, (1,)), str)
    with pytest.raises(duckdb.InterruptException):
        prepared.execute(Stopped(), Select(sql, (2,)), str)
