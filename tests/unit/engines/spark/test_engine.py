"""Tables that stay on a Spark cluster: nothing said, no row in one place, what a question began with."""

import os
import re
from base64 import b64encode
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from threading import Thread
from time import monotonic, sleep
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from tacit.engines import Gathered, Memory, Spark, SparkTable
from tacit.engines.spark.session import Sessions
from tacit.engines.sql.statement import histogram, statement
from tacit.errors import EngineFailed, InvalidData
from tacit.plan import (
    Column,
    Keeping,
    Kind,
    Ranked,
    Table,
    Weighing,
    Weights,
    read_sql,
)
from tests import spark
from tests.unit.engines.postgres.test_engine import (
    CANARY,
    COUNTS,
    ROWS,
    UNKNOWN,
    VISITS,
    WEIGHTS,
    asked,
    check_foreign_keys,
    check_stopped,
)


def poisoned() -> SparkTable:
    """A view that fails on the first row that somebody reads, and quotes a cell."""
    source = spark.store({VISITS: ROWS})[VISITS]
    name = f"poisoned_{source.parts[-1]}"
    spark.execute(
        f"CREATE VIEW {name} AS SELECT patient, ward, CAST(concat('{CANARY}', cost) AS BIGINT) AS cost, "
        f"CAST(CAST(concat('{CANARY}', note) AS BIGINT) AS STRING) AS note FROM {source.parts[-1]}"
    )
    return SparkTable(source.address, ("default", name))


def test_a_dry_run_reads_no_row():
    with Spark({VISITS: poisoned()}) as engine:
        engine.dry_run(COUNTS, WEIGHTS)
        engine.dry_run(UNKNOWN, WEIGHTS)
        with pytest.raises(EngineFailed):
            engine.evaluate(COUNTS, WEIGHTS)


def test_a_failure_after_the_charge_says_nothing(capfd):
    with Spark({VISITS: poisoned()}) as engine:
        for fail in (
            lambda: engine.evaluate(COUNTS, WEIGHTS),
            lambda: engine.gather(UNKNOWN, Keeping(1, 0, b"")).__enter__(),
        ):
            with pytest.raises(EngineFailed) as raised:
                fail()
            error = raised.value
            assert str(error) == str(EngineFailed())
            assert error.__cause__ is None
            assert error.__context__ is None
    assert CANARY not in "".join(capfd.readouterr())


def test_bytes_that_are_no_text_are_no_key():
    source = spark.store({VISITS: ROWS})[VISITS]
    name = f"odd_{source.parts[-1]}"
    spark.execute(
        f"CREATE VIEW {name} AS SELECT patient, ward, cost, note FROM {source.parts[-1]} "
        f"UNION ALL SELECT patient, ward, cost, CAST(X'ff' AS STRING) FROM {source.parts[-1]}"
    )
    found = []
    for table in (source, SparkTable(source.address, ("default", name))):
        with (
            Spark({VISITS: table}) as engine,
            engine.gather(UNKNOWN, Keeping(5, 0, b"one", Weighing.L1)) as gathered,
        ):
            found.append((gathered.weights.tolist(), gathered.keys(range(len(gathered.weights)))))
    assert found[0] == found[1]
    assert found[0][1]


def test_no_cell_is_in_what_the_cluster_writes_down():
    """The log of events holds statements, plans and counts of rows; of the secret by which keys are hashed, nothing."""
    secret, cell = bytes(range(32)), "canary-8e2a"
    rows = [{**row, "note": cell, "patient": f"{cell}-unit"} for row in ROWS]
    with (
        Spark(spark.store({VISITS: rows})) as engine,
        engine.gather(UNKNOWN, Keeping(5, 0, secret)) as gathered,
    ):
        assert gathered.keys([0]) == [(cell,)]
    written = spark.running().events()
    assert "key_hash" in written
    assert cell not in written
    assert "tacit_secret" in written
    for shown in (
        secret.hex(),
        secret.hex().encode().hex(),
        b64encode(secret.hex().encode()).decode(),
    ):
        assert shown[8:24] not in written


def test_every_question_sees_the_files_that_it_began_with():
    source = spark.store({VISITS: ROWS})[VISITS]
    folder = Path(spark.running().folder, "stored", source.parts[-1])

    def counted(gathered: Gathered) -> Any:
        places = range(len(gathered.weights))
        question = replace(UNKNOWN, found=tuple(gathered.keys(places)))
        return gathered.evaluate(places, question, WEIGHTS).tolist()

    files = SparkTable(source.address, (str(folder),), "parquet")
    with Spark({VISITS: files}) as engine:
        with engine.gather(UNKNOWN, Keeping(5, 0, b"")) as gathered:
            before = counted(gathered)
            more = [{"patient": "eve", "ward": "A", "cost": 5, "note": "a"}]
            parquet.write_table(pa.Table.from_pylist(more), folder / "more.parquet")
            assert counted(gathered) == before
        with engine.gather(UNKNOWN, Keeping(5, 0, b"")) as gathered:
            assert counted(gathered) != before


def test_no_statement_brings_all_rows_to_one_place():
    """Rows are exchanged by their unit or group; what meets in one partition is sums."""
    sums = (
        "MEDIAN(cost) AS m, SUM(cost) AS s, COUNT(DISTINCT patient) AS p, COUNT(DISTINCT note) AS d"
    )
    nested = "SELECT COUNT(*) AS n FROM (SELECT patient, SUM(cost) AS c FROM visits GROUP BY patient) AS q WHERE c > 3"
    with Spark(spark.store({VISITS: ROWS})) as engine, engine._sessions.session() as session:
        engine._create_views(session, ["visits"], rehearsing=False)
        session.spark.conf.set("spark.sql.shuffle.partitions", "4")
        grouped = f"SELECT ward, {sums} FROM visits GROUP BY ward"
        for text in (f"SELECT {sums} FROM visits WHERE cost > 0", grouped, nested):
            question = asked(text)
            rowset = engine._rowset(question)
            statements = [statement(question, WEIGHTS, rowset).select.sql] + [
                histogram(question, measure, WEIGHTS, rowset).sql
                for measure in question.measures
                if isinstance(measure, Ranked)
            ]
            for sql in statements:
                plan = spark.explained(session, sql)
                assert "Exchange hashpartitioning" in plan
                assert not re.findall(r"Exchange SinglePartition", plan)
                assert "PythonUDF" not in plan


def test_a_question_that_runs_can_be_stopped():
    source = spark.store({VISITS: ROWS})[VISITS]
    name = f"slow_{source.parts[-1]}"
    sleeping = "reflect('java.lang.Thread', 'sleep', CAST(5000 + cost AS BIGINT))"
    spark.execute(
        f"CREATE VIEW {name} AS SELECT * FROM {source.parts[-1]} WHERE {sleeping} IS NULL"
    )
    with Spark({VISITS: SparkTable(source.address, ("default", name))}) as engine:
        check_stopped(engine, asked("SELECT COUNT(*) AS n FROM visits"), 0.5)


def test_units_are_found_along_foreign_keys():
    check_foreign_keys(Spark, spark.store, Kind.TEXT, ("1", "1", "1", "1", "2", None, "9"))


def test_every_type_is_read_as_what_it_is():
    """All types of numbers and texts; days and moments beyond the calendar; doubles that are declared as integers."""
    name = f"types_{spark.store({VISITS: []})[VISITS].parts[-1]}"
    spark.execute(
        f"CREATE VIEW {name} AS SELECT * FROM VALUES "
        "(7Y, CAST(1.25 AS DECIMAL(9,2)), CAST(12 AS DECIMAL(12,0)), CAST('x' AS VARCHAR(9)), "
        "0.5F, TIMESTAMP_LTZ'2024-01-01 01:00:00+02:00', TRUE, 9.0D, DATE'2024-01-31'), "
        "(NULL, NULL, NULL, NULL, CAST('NaN' AS FLOAT), NULL, NULL, 1e300D, date_from_unix_date(99999999)), "
        "(NULL, NULL, NULL, NULL, CAST('Infinity' AS FLOAT), NULL, NULL, 0.5D, date_from_unix_date(-99999999)) "
        "AS t(a, b, d, e, j, k, l, w, z)"
    )
    columns = (
        *(Column(each, Kind.INTEGER, 0, 100) for each in "adw"),
        *(Column(each, Kind.NUMBER, 0, 100) for each in "bj"),
        Column("e", Kind.TEXT),
        Column("k", Kind.TIMESTAMP),
        Column("l", Kind.BOOLEAN),
        Column("z", Kind.TIMESTAMP),
    )
    table = Table("t", columns)
    sums = ", ".join(f"SUM({each}) AS {each}" for each in "adwbj")
    texts = "e = 'x' AND EXTRACT(day FROM k) = 31 AND EXTRACT(day FROM z) = 31 AND l"
    text = f"SELECT {sums}, COUNT(z) AS y, SUM(CASE WHEN {texts} THEN 1 ELSE 0 END) AS m FROM t"
    first = {"a": 7, "b": 1.25, "d": 12, "e": "x", "j": 0.5, "l": True, "w": 9}
    moments = {"k": datetime(2023, 12, 31, 23), "z": datetime(2024, 1, 31)}  # noqa: DTZ001
    none = dict.fromkeys("abdejklwz")
    rows = [
        first | moments,
        none | {"j": float("nan"), "w": 2**63 - 1},
        none | {"j": float("inf")},
    ]
    question, weights = read_sql(text, {"t": table}).question, Weights(Weighing.L1, 1, 1, 0)
    with Spark({table: SparkTable(spark.running().address, (name,))}) as engine:
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory({table: rows}).evaluate(question, weights).tolist()
    assert found[0][-2:] == [1, 1]


def test_what_cannot_be_read_is_refused():
    address = spark.running().address
    doubles = Table("t", (Column("x", Kind.NUMBER, 0, 1),), unit="x")
    source = spark.store({Table("t", doubles.columns): []})
    with pytest.raises(InvalidData, match="an integer, a text, a uuid or a date"):
        Spark({doubles: next(iter(source.values()))})
    for there, said in (
        (SparkTable(address, ("nowhere",)), "has no such table"),
        (SparkTable(address, ("/nowhere",), "parquet"), "has no such folder"),
        (SparkTable(address, ("/nowhere",), "delta"), "lacks this format"),
    ):
        with pytest.raises(InvalidData, match=said):
            Spark({VISITS: there})
    codes = Table("codes", (Column("code", Kind.TEXT),), public=True, unique=("code",))
    with pytest.raises(InvalidData, match="code"):
        Spark(spark.store({codes: [{"code": "a"}, {"code": "a"}]}))


def test_closed_engines_fail():
    engine = Spark(spark.store({VISITS: ROWS}))
    engine.close()
    with pytest.raises(EngineFailed):
        engine.evaluate(COUNTS, WEIGHTS)


@pytest.mark.soak
def test_a_lost_executor_changes_nothing():
    """What it had done is done again by another, and the integers are the same."""
    settings = {
        **spark.SETTINGS,
        "spark.eventLog.enabled": "false",
        "spark.executor.memory": "512m",
    }
    slow = "coalesce(reflect('java.lang.Thread', 'sleep', CAST(cost + 1500 AS BIGINT)), 'x') > ''"
    with spark.another(settings, "local-cluster[2,1,1024]") as cluster:
        folder = Path(cluster.folder, "visits")
        folder.mkdir()
        rows = pa.Table.from_pylist(ROWS)
        for number in range(len(ROWS)):
            parquet.write_table(rows.slice(number, 1), folder / f"part-{number}.parquet")
        with Sessions(cluster.address, 300).session() as session:
            session.fetch(f"CREATE VIEW slow AS SELECT * FROM parquet.`{folder}` WHERE {slow}")
        with Spark({VISITS: SparkTable(cluster.address, ("default", "slow"))}) as engine:
            found: list[object] = []
            thread = Thread(target=lambda: found.append(engine.evaluate(COUNTS, WEIGHTS).tolist()))
            thread.start()
            end = monotonic() + 120
            while len(lost := cluster.executors()) < 2 and monotonic() < end:
                sleep(0.2)
            sleep(2)
            assert not found
            os.kill(lost[0], 9)
            thread.join(300)
            assert lost[0] not in cluster.executors()
    assert found == [Memory({VISITS: ROWS}).evaluate(COUNTS, WEIGHTS).tolist()]


@pytest.mark.soak
def test_a_server_that_dies_ends_the_question_and_says_nothing():
    with spark.another() as cluster:
        folder = Path(cluster.folder, "visits")
        folder.mkdir()
        parquet.write_table(pa.Table.from_pylist(ROWS), folder / "part.parquet")
        with Spark({VISITS: SparkTable(cluster.address, (str(folder),), "parquet")}) as engine:
            expected = Memory({VISITS: ROWS}).evaluate(COUNTS, WEIGHTS).tolist()
            assert engine.evaluate(COUNTS, WEIGHTS).tolist() == expected
            found: list[BaseException] = []

            def ask() -> None:
                with suppress(AssertionError):
                    try:
                        for _ in range(50):
                            engine.evaluate(COUNTS, WEIGHTS)
                    except EngineFailed as failure:
                        found.append(failure)

            thread = Thread(target=ask)
            thread.start()
            sleep(1)
            cluster.crash()
            thread.join(120)
            assert isinstance(found[0], EngineFailed)
            assert found[0].__context__ is None
            with pytest.raises(InvalidData, match="does not answer"):
                engine.dry_run(COUNTS, WEIGHTS)
