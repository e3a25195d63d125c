"""Qrlew: SQL rewritten into private SQL, which DuckDB then runs on the file itself."""

import json
import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pyqrlew  # type: ignore[import-not-found]
from cases import BOUND, DELTA, MANY, MOST, WARDS, coded, visits
from sqlalchemy import create_engine  # type: ignore[import-not-found]
from timing import best, emit, serve

SQL = {
    "count": "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward",
    "sum and mean": "SELECT ward, SUM(cost) AS total, AVG(cost) AS mean FROM visits GROUP BY ward",
}


def questions() -> None:
    """Seconds of each question: the rewriting and the run."""
    declared = dataset()
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(f"CREATE VIEW visits AS SELECT person, ward, cost FROM '{visits(MANY)}'")
        for what, sql in SQL.items():
            emit(
                "Qrlew",
                what,
                seconds=best(
                    lambda sql=sql: connection.execute(private(declared, sql)).fetchall(), least=2
                ),
            )


def keys() -> None:
    """Seconds of a count by keys whose values are not told."""
    declared = dataset(told=False)
    with duckdb.connect() as connection:
        connection.execute("SET enable_progress_bar = false")
        connection.execute(
            f"CREATE VIEW visits AS SELECT person, code AS ward, 1.0 AS cost FROM '{coded(MANY)}'"
        )
        emit(
            "Qrlew",
            "count",
            seconds=best(
                lambda: connection.execute(private(declared, SQL["count"])).fetchall(), least=2
            ),
        )


def dataset(*, told: bool = True) -> Any:
    """The table as Qrlew knows it: read from a small database of the same shape, then told its size and ranges."""
    with TemporaryDirectory() as folder:
        file = Path(folder) / "shape.db"
        with sqlite3.connect(file) as shape:
            shape.execute("CREATE TABLE visits (person BIGINT, ward TEXT, cost FLOAT)")
            shape.executemany(
                "INSERT INTO visits VALUES (?, ?, ?)",
                [(i, ward, 1.0) for i, ward in enumerate(WARDS)],
            )
        engine = create_engine(f"sqlite:///{file}")
        read = pyqrlew.Dataset.from_database(
            name="v", engine=engine, schema_name=None, ranges=False, possible_values_threshold=None
        )
    size = read.size.replace(f'"size": "{len(WARDS)}"', f'"size": "{MANY}"')
    sized = pyqrlew.Dataset.from_str(_described(read), read.schema, size).visits.cost.with_range(
        0.0, float(MOST)
    )
    return sized.visits.ward.with_possible_values(WARDS) if told else sized


def _described(read: Any) -> str:
    spec = {"transformed": {"transform": "x", "arguments": [], "named_arguments": {}}}
    kind = "sarus_data_spec/sarus_data_spec.Dataset"
    uuid = json.loads(read.schema)["dataset"]
    return json.dumps(
        {"@type": kind, "uuid": uuid, "name": "v", "spec": spec, "properties": {}, "doc": ""}
    )


def private(declared: Any, sql: str) -> str:
    """The rewritten text."""
    rewritten = declared.relation(sql).rewrite_with_differential_privacy(
        dataset=declared,
        privacy_unit=[("visits", [], "person")],
        epsilon_delta={"epsilon": 1.0, "delta": DELTA},
        max_multiplicity=float(BOUND),
        max_multiplicity_share=1.0,
        max_privacy_unit_groups=BOUND,
    )
    return str(rewritten.relation().to_query(pyqrlew.Dialect.PostgreSql))


if __name__ == "__main__":
    serve(questions=questions, keys=keys)
