"""What becomes of the cells of a source, counted exactly for the curator."""

from datetime import date
from math import inf, nan
from pathlib import Path

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import InspectedColumn, Linked, Step, ingest, inspect_source
from tacit.plan import Column, Kind, Table

COLUMNS = (
    Column("age", Kind.INTEGER, 0, 120, nullable=False),
    Column("cost", Kind.NUMBER),
    Column("ward", Kind.TEXT, values=("A", "B")),
    Column("day", Kind.DATE, low=date(2020, 1, 1)),
)
TABLE = Table("t", COLUMNS, unit="who")
DAY = date(2024, 1, 1)
ROWS: list[dict[str, object]] = [
    {"who": 1, "age": 20, "cost": 1.5, "ward": "A", "day": DAY},
    {"who": 1, "age": 130, "cost": nan, "ward": "C", "day": date(2019, 1, 1)},
    {"who": 2, "age": None, "cost": inf, "ward": None, "day": None},
    {"who": None, "age": -1, "cost": 2.0, "ward": "B", "day": DAY},
]
WANTED = (
    InspectedColumn("age", 1, 0, 2, 0),
    InspectedColumn("cost", 1, 1, 0, 0),
    InspectedColumn("ward", 1, 0, 0, 1),
    InspectedColumn("day", 1, 0, 1, 0),
)


def frame() -> pa.Table:
    cost = pa.array([row["cost"] for row in ROWS], pa.float64(), from_pandas=False)
    table = pa.Table.from_pylist(ROWS)
    return table.set_column(table.column_names.index("cost"), "cost", cost)


@pytest.mark.parametrize("kind", ["list", "pandas", "arrow", "parquet", "csv"])
def test_every_cell_is_counted_once(kind: str, tmp_path: Path) -> None:
    source: object = ROWS
    match kind:
        case "pandas":
            source = pd.DataFrame(ROWS)
        case "arrow":
            source = frame()
        case "parquet":
            pq.write_table(frame(), tmp_path / "t.parquet")
            source = tmp_path / "t.parquet"
        case "csv":
            pd.DataFrame(ROWS).to_csv(tmp_path / "t.csv", index=False)
            source = tmp_path / "t.csv"
    found = inspect_source(TABLE, source, contributions=1)
    assert (found.rows, found.unreadable, found.without_unit, found.incomplete) == (4, 0, 1, 1)
    assert (found.units, found.heavy_units, found.shared_keys) == (2, 1, 0)
    assert found.columns == WANTED


def test_an_ingested_file_is_counted_too(tmp_path: Path) -> None:
    found = inspect_source(TABLE, ingest(frame(), TABLE, tmp_path / "t.duckdb"))
    assert (found.rows, found.units, found.heavy_units) == (3, 2, None)


def test_what_is_not_read_is_not_taken_for_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_bytes(
        b"who,age,cost,ward,day\n1,x,1.5,A,1/1/2024\n2,20.5,n/a,A,2024-01-01\n3,,, ,\n4,1\n5,1,1,J\xf6rg,\n"
    )
    found = inspect_source(TABLE, path)
    assert (found.rows, found.unreadable) == (3, 2)
    assert [(column.missing, column.unread) for column in found.columns] == [
        (1, 2),
        (1, 1),
        (0, 0),
        (1, 1),
    ]


def test_objects_of_another_kind_are_not_read() -> None:
    rows = [
        {"who": 1, "age": cell, "cost": None, "ward": None, "day": None}
        for cell in ("20", 20.5, True, pd.NA, nan)
    ]
    for source in (rows, pd.DataFrame(rows, dtype=object)):
        age = inspect_source(TABLE, source).columns[0]
        assert (age.missing, age.unread) == (2, 3)


def test_keys_that_lead_to_several_units_are_counted() -> None:
    doses = Table("doses", (), unit="visit.patient")
    visits = [{"id": 1, "patient": "ann"}, {"id": 1, "patient": "bob"}, {"id": 2, "patient": "ann"}]
    source = Linked([{"visit": 1}, {"visit": 2}], (Step("visit", visits, "id"),), "patient")
    assert inspect_source(doses, source).shared_keys == 1
    assert (
        inspect_source(
            doses, Linked([{"visit": 1}], (Step("visit", visits[1:], "id"),), "patient")
        ).shared_keys
        == 0
    )
