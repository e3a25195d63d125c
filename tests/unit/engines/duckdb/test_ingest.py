"""Ingested files give the same answers, and know nobody's name."""

from collections import Counter
from dataclasses import replace
from uuid import uuid4

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.errors import InvalidData, TooLarge
from tacit.plan import Column, Distinct, Kind, Scan, Table
from tests.laws.plans import cases
from tests.laws.sampled import few, sampled
from tests.unit.engines.tables import EVERYTHING, LOOSE, ROWS, VISITS


def check_ingested(data, folder):
    """Compare an ingested table with the oracle; how many answers were zeros, and how many were more."""
    case, seen = data.draw(cases(count=4, depth=1)), Counter()
    memory, path = Memory({case.table: case.rows}), folder / f"{uuid4()}.duckdb"
    with DuckDB({case.table: ingest(case.rows, case.table, path)}, threads=1) as engine:
        for asked, weights in case.questions:
            # Which different values of a unit count is chosen by its name, which is another one here.
            measures = tuple(
                measure for measure in asked.measures if not isinstance(measure, Distinct)
            )
            question = replace(asked, measures=measures)
            try:
                expected = memory.evaluate(question, weights).tolist()
            except TooLarge:
                continue
            assert engine.evaluate(question, weights).tolist() == expected
            seen[weights.norm.value if np.any(expected) else "zeros"] += 1
    return seen


@pytest.mark.drawn
def test_an_ingested_table_answers_alike(tmp_path):
    found = sampled(lambda data: check_ingested(data, tmp_path), few(25, 400))
    assert min(found["L1"], found["L2"]) >= found.total() / 8


def test_bounds_may_be_declared_anew(tmp_path):
    path = ingest(ROWS, VISITS, tmp_path / "visits.duckdb")
    other = replace(
        VISITS,
        columns=tuple(replace(c, high=1) if c.kind is Kind.NUMBER else c for c in VISITS.columns),
    )
    question = replace(EVERYTHING, rows=Scan(other))
    with DuckDB({other: path}) as engine:
        assert (
            engine.evaluate(question, LOOSE).tolist()
            == Memory({other: ROWS}).evaluate(question, LOOSE).tolist()
        )


def test_the_names_of_units_are_not_kept(tmp_path):
    rows = [{**row, "who": f"canary-{i:08}"} for i, row in enumerate(ROWS * 9)]
    frame = tmp_path / "visits.parquet"
    pq.write_table(pa.Table.from_pylist(rows), frame)
    path = ingest(frame, VISITS, tmp_path / "visits.duckdb")
    assert b"canary-0000" in frame.read_bytes()
    assert b"canary-0000" not in path.read_bytes()
    assert sorted(file.name for file in tmp_path.iterdir()) == ["visits.duckdb", "visits.parquet"]


def test_an_ingested_file_keeps_to_its_unit(tmp_path):
    path = ingest(ROWS, VISITS, tmp_path / "visits.duckdb")
    with pytest.raises(InvalidData, match="ingested with unit 'who'"):
        DuckDB({replace(VISITS, unit="ward"): path})
    with pytest.raises(InvalidData, match="no column 'height'"):
        DuckDB({replace(VISITS, columns=(Column("height", Kind.NUMBER),)): path})
    with pytest.raises(InvalidData, match="declared as text but stored as BIGINT"):
        DuckDB({replace(VISITS, columns=(Column("age", Kind.TEXT),)): path})


@pytest.mark.parametrize(
    ("name", "table", "told"),
    [
        ("visits.parquet", VISITS, "ends in '.duckdb'"),
        ("there.duckdb", VISITS, "already"),
        ("visits.duckdb", Table("visits", (Column("tacit unit", Kind.TEXT),)), "rename it"),
        ("visits.duckdb", replace(VISITS, unit="whom"), "did you mean 'who'"),
    ],
)
def test_what_cannot_be_ingested_is_refused_with_a_remedy(name, table, told, tmp_path):
    (tmp_path / "there.duckdb").touch()
    with pytest.raises(InvalidData, match=told):
        ingest(ROWS, table, tmp_path / name)
    assert not (tmp_path / "visits.duckdb").exists()
