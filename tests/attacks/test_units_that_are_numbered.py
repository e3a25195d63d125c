"""An ingested file numbers its units, and whoever leaves renumbers all after them: nothing may depend on that."""

from contextlib import closing
from pathlib import Path
from random import Random
from typing import Any
from unittest.mock import patch

import numpy as np
import pyarrow as pa
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table, Weighing, Weights, canonical, read_sql

VISITS = Table(
    "visits",
    (Column("visit", Kind.INTEGER), Column("drug", Kind.INTEGER)),
    unit="patient",
    contributions=1,
)
DOSES = Table("doses", (Column("drug", Kind.INTEGER),), unit="visit.patient", contributions=1)
PEOPLE = Table("people", (Column("age", Kind.INTEGER),), unit="patient", contributions=1)
WEIGHTS = Weights(Weighing.L2, 1, 1, 20)


def visits(*gone: int) -> list[dict[str, int]]:
    """Three thousand patients, each of whom has more drugs than count."""
    dice = Random(1)
    drawn = [(patient, drug) for patient in range(3000) for drug in dice.sample(range(4000), 20)]
    return [
        {"patient": p, "visit": i, "drug": drug}
        for i, (p, drug) in enumerate(drawn)
        if p not in gone
    ]


def ingested(rows: list[dict[str, int]], path: Path) -> Path:
    """The file, with the secret that it would have been written with before somebody left."""
    with patch(
        "tacit.engines.duckdb.ingest.words", lambda count: np.arange(count, dtype=np.uint64)
    ):
        return ingest(pa.Table.from_pylist(rows), VISITS, path)


def drugs(table: Table, source: Any, kind: Any = DuckDB) -> int:
    """How many different drugs there are, if everybody brings one of theirs."""
    text = f"SELECT COUNT(DISTINCT drug) AS n FROM {table.name}"
    with closing(kind({table: source})) as engine:
        found = int(
            engine.evaluate(canonical(read_sql(text, {table.name: table})).question, WEIGHTS)[0, 0]
        )
    return found >> WEIGHTS.bits


def test_who_leaves_an_ingested_table_takes_one_value(tmp_path: Path) -> None:
    whole, less = (ingested(visits(*gone), tmp_path / f"{len(gone)}.duckdb") for gone in ((), (0,)))
    assert abs(drugs(VISITS, whole) - drugs(VISITS, less)) <= 1


def test_who_leaves_a_table_that_an_ingested_one_is_linked_to_takes_one_value(
    tmp_path: Path,
) -> None:
    found = []
    for gone in ((), (0,)):
        path = ingested(visits(*gone), tmp_path / f"{len(gone)}.duckdb")
        doses = pa.Table.from_pylist(
            [{"visit": row["visit"], "drug": row["drug"]} for row in visits(*gone)]
        )
        found.append(drugs(DOSES, Linked(doses, (Step("visit", path, "visit"),), "patient")))
    assert abs(found[0] - found[1]) <= 1


def test_a_fraction_among_units_changes_nobody_else() -> None:
    """A list of integers and one fraction is a list of doubles: 7.0 brings what 7 brings."""
    known: list[dict[str, Any]] = [*visits(*range(1000, 3000))]
    more = [*known, {"patient": 0.5, "visit": 0, "drug": 1}]
    assert 0 <= drugs(VISITS, more) - drugs(VISITS, known) <= 1
    assert drugs(VISITS, more) == drugs(VISITS, more, Memory)
    doubles = pa.table({name: pa.array([float(row[name]) for row in more]) for name in more[0]})
    assert drugs(
        VISITS, doubles.cast(doubles.schema.set(2, pa.field("drug", pa.int64())))
    ) == drugs(VISITS, more)


def test_numbers_of_one_file_are_not_taken_for_names_of_another(tmp_path: Path) -> None:
    """Patient 0 of one table is not whoever happens to come first in an ingested one."""
    path = ingested(visits(0, 1), tmp_path / "visits.duckdb")
    doses = Linked([{"visit": 40, "drug": 1}], (Step("visit", path, "visit"),), "patient")
    text = 'SELECT COUNT(*) AS n FROM doses AS d JOIN people AS p ON d."visit.patient" = p.patient'
    question = canonical(read_sql(text, {"doses": DOSES, "people": PEOPLE})).question
    with (
        DuckDB({DOSES: doses, PEOPLE: [{"patient": 0, "age": 5}]}) as engine,
        pytest.raises(InvalidData, match="an ingested table has its own numbering of"),
    ):
        engine.dry_run(question, WEIGHTS)


def test_numbers_are_no_keys(tmp_path: Path) -> None:
    """A foreign key holds the patient's name, of which the ingested file has nothing but a number."""
    path = ingested(visits(0), tmp_path / "visits.duckdb")
    doses = Table("doses", (Column("drug", Kind.INTEGER),), unit="patient.visit", contributions=1)
    with pytest.raises(InvalidData, match="ingested as a unit"):
        DuckDB(
            {
                doses: Linked(
                    [{"patient": 0, "drug": 1}], (Step("patient", path, "patient"),), "visit"
                )
            }
        )
    other = Table("visits", (Column("drug", Kind.INTEGER),), unit="patient.age", contributions=1)
    people = [{"patient": 0, "age": 5}]
    with pytest.raises(InvalidData, match="ingested as a unit"):
        DuckDB({other: Linked(path, (Step("patient", people, "patient"),), "age")})
