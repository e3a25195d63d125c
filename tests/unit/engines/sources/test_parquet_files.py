"""Several Parquet files are one table: both engines read the same rows, and names of folders are cells of text."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Linked, Memory, Step, stored_kinds, stored_types, table_name
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.rows import rows_of
from tacit.engines.sources.source_kinds import ParquetFiles, source_of
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table, Weighing, Weights, clamp_cell, constant, read_sql

COST = Column("cost", Kind.INTEGER, low=0, high=100)
YEAR = Column("year", Kind.INTEGER, low=0, high=9999)
WARD = Column("ward", Kind.TEXT)
TABLE = Table("visits", (COST, YEAR, WARD), unit="patient", contributions=9)
FOLDERS = {
    "year=2023/ward=A": (2023, "A"),
    "year=2024/ward=B b": (2024, "B b"),
    "year=2024/ward=B%20c%2Fd": (2024, "B c/d"),
    "year=002024/ward=x=y": (2024, "x=y"),
    "year=abc/ward=%zz": (None, "%zz"),
    "year=__HIVE_DEFAULT_PARTITION__/ward=": (None, None),
    "year= 7 /ward=__HIVE_DEFAULT_PARTITION__": (7, None),
    "year=7.0/ward=é": (7, "é"),
    "year=7.5/ward=NULL": (None, "NULL"),
    "year=99999999999999999999/ward=''; --": (9999, "''; --"),
}


def write(path, patients, **columns):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = pa.table({"patient": patients, "cost": list(range(len(patients))), **columns})
    pq.write_table(rows, path)


@pytest.fixture
def folder(tmp_path):
    for place, name in enumerate(FOLDERS):
        write(tmp_path / "visits" / name / "part-0.parquet", [place, place, 99])
    (tmp_path / "visits" / "_SUCCESS").write_text("")
    (tmp_path / "visits" / ".part.parquet.crc").write_text("")
    (tmp_path / "visits" / "_temporary").mkdir()
    (tmp_path / "visits" / "_temporary" / "half.parquet").write_text("no Parquet")
    return tmp_path / "visits"


def in_both(source, table):
    """The rows that both engines read, which must be the same."""
    memory = Counter(
        (str(row.unit), *(clamp_cell(row.cells[c.name], c) for c in table.columns))
        for row in rows_of(source, table)
    )
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source_of(source))
        read = relation.reader()
        cells = [
            f"epoch_us({read(column)})" if column.kind is Kind.TIMESTAMP else read(column)
            for column in table.columns
        ]
        listed = ", ".join(["CAST(unit AS VARCHAR)", *cells])
        found = connection.execute(f"SELECT {listed} FROM {relation.name}").fetchall()
    assert Counter(found) == memory
    return memory


def test_names_of_folders_are_cells_of_text_whatever_the_others_look_like(folder):
    found = in_both(folder, TABLE)
    assert found == Counter(
        (str(unit), cost, *cells)
        for place, cells in enumerate(FOLDERS.values())
        for cost, unit in enumerate([place, place, 99])
    )


@pytest.mark.parametrize("left_out", FOLDERS)
def test_without_a_folder_the_others_say_what_they_said(folder, tmp_path, left_out):
    whole = in_both(folder, TABLE)
    (folder / left_out / "part-0.parquet").unlink()
    rest = in_both(folder, TABLE)
    lost = whole - rest
    assert rest - whole == Counter()
    assert sum(lost.values()) == 3
    assert {row[2:] for row in lost} == {FOLDERS[left_out]}


def test_a_pattern_is_one_table_in_the_order_of_its_names(tmp_path):
    for year in (2023, 2024):
        write(tmp_path / f"visits-{year}.parquet", [year])
    write(tmp_path / "other.parquet", [1])
    source = source_of(tmp_path / "visits-*.parquet")
    assert isinstance(source, ParquetFiles)
    assert [path.name for path in source.paths] == ["visits-2023.parquet", "visits-2024.parquet"]
    assert source.partitions == ()
    found = in_both(tmp_path / "visits-*.parquet", Table("visits", (COST,), unit="patient"))
    assert found == Counter({("2023", 0): 1, ("2024", 0): 1})


def test_questions_are_answered_by_both_engines_alike(folder):
    text = "SELECT COUNT(*), SUM(cost) FROM visits WHERE year >= 2024 OR ward = 'A'"
    question = read_sql(text, {"visits": TABLE}).question
    weights = Weights(Weighing.L2, 2, 4, 10)
    with DuckDB({TABLE: folder}) as engine:
        engine.dry_run(question, weights)
        found = engine.evaluate(question, weights).tolist()
    assert found == Memory({TABLE: folder}).evaluate(question, weights).tolist()


def test_a_folder_may_name_the_unit(tmp_path):
    for patient in ("7", "007"):
        write(tmp_path / "t" / f"who={patient}" / "a.parquet", [1, 2])
    assert in_both(tmp_path / "t", Table("t", (COST,), unit="who")) == Counter(
        (who, cost) for who in ("7", "007") for cost in (0, 1)
    )


def test_links_lead_through_several_files(tmp_path):
    write(tmp_path / "visits" / "a.parquet", ["ann"], id=[1])
    write(tmp_path / "visits" / "b.parquet", ["bob"], id=[2])
    doses = [{"visit": 1, "cost": 5}, {"visit": 2, "cost": 6}, {"visit": 3, "cost": 7}]
    linked = Linked(doses, (Step("visit", tmp_path / "visits", "id"),), "patient")
    table = Table("doses", (COST,), unit="visit.patient")
    owned = {(row.unit, row.cells["cost"]) for row in rows_of(linked, table)}
    assert owned == {("ann", 5), ("bob", 6), (None, 7)}
    with DuckDB({table: linked}) as engine:
        question = read_sql("SELECT SUM(cost) FROM doses", {"doses": table}).question
        weights = Weights(Weighing.L1, 1, 1, 0)
        assert (
            engine.evaluate(question, weights).tolist()
            == Memory({table: linked}).evaluate(question, weights).tolist()
        )


def test_what_can_be_declared_is_told_from_names_and_types(folder):
    kinds = stored_kinds(folder)
    assert list(kinds) == ["patient", "cost", "year", "ward"]
    assert kinds["year"] == tuple(Kind)
    assert stored_types(folder) == {"patient": "BIGINT", "cost": "BIGINT"}


def test_files_of_one_table_store_its_columns_alike(tmp_path):
    write(tmp_path / "t" / "a.parquet", [1])
    write(tmp_path / "t" / "b.parquet", ["one"])
    with pytest.raises(InvalidData, match=r"do not all store column 'patient'.*b.parquet differs"):
        DuckDB({Table("t", (COST,), unit="patient"): tmp_path / "t"})
    pq.write_table(pa.table({"patient": [1]}), tmp_path / "t" / "b.parquet")
    with pytest.raises(InvalidData, match="do not all store column 'cost'"):
        DuckDB({Table("t", (COST,), unit="patient"): tmp_path / "t"})


@pytest.mark.parametrize(
    ("files", "given", "problem"),
    [
        (["t/a.parquet"], "u", "end in ''"),
        (["t/a.csv"], "t", "no Parquet file matches"),
        (["t/a.parquet"], "t/*.pq", "no Parquet file matches"),
        (["t/a.parquet", "t/a.csv"], "t/*", "also matches 'a.csv'"),
        (["t/k=1/a.parquet", "t/a.parquet"], "t", "do not all have the same keys"),
        (["t/k=1/a.parquet", "t/j=1/a.parquet"], "t", "do not all have the same keys"),
        (["t/cost=1/a.parquet"], "t", "so do the names of their folders"),
        (["t/k=[1]/a.parquet"], "t", "match many files"),
        (["t/a.parquet"], "no/*.parquet", "there is no folder"),
    ],
)
def test_what_several_files_cannot_be_is_refused_in_a_sentence(tmp_path, files, given, problem):
    for name in files:
        write(tmp_path / name, [1])
    with pytest.raises(InvalidData, match=problem) as raised:
        DuckDB({Table("t", (COST,), unit="patient"): tmp_path / given})
    assert "; " in str(raised.value)


def test_only_the_files_of_the_table_can_be_read(folder, tmp_path):
    import duckdb

    write(tmp_path / "secret.parquet", [1])
    with (
        DuckDB({TABLE: folder}) as engine,
        engine._connection.cursor() as cursor,
        pytest.raises(duckdb.Error),
    ):
        cursor.execute(f"FROM '{tmp_path / 'secret.parquet'}'").fetchall()


def test_a_file_below_a_folder_with_an_equals_sign_has_its_own_columns_alone(tmp_path):
    write(tmp_path / "year=2024" / "visits.parquet", [1])
    assert list(stored_kinds(tmp_path / "year=2024" / "visits.parquet")) == ["patient", "cost"]


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("a/visits.tsv.gz", "visits"),
        ("a/visits", "visits"),
        ("a/visits/*/*.parquet", "visits"),
        ("a/visits.2024.parquet", "visits"),
    ],
)
def test_tables_are_called_after_their_files(path, name):
    assert table_name(path) == name


WHEN = Column(
    "at", Kind.TIMESTAMP, low=datetime(1, 1, 1, tzinfo=UTC), high=datetime(9999, 12, 31, tzinfo=UTC)
)
NEAR = [0, 1, -1, 253402300799999, -62135596800000, 9223372036854775, -9223372036854775, None]
FAR = [(1 << 63) - 1, -(1 << 63), 9223372036854776, -9223372036854776]


def write_moments(path, numbers, zone, version="2.6"):
    path.parent.mkdir(parents=True, exist_ok=True)
    rows = {
        "at": pa.array(np.array(numbers, object), pa.int64()).cast(pa.timestamp("ms", zone)),
        "patient": [f"p{each}" for each in range(len(numbers))],
        "us": pa.array(range(len(numbers)), pa.timestamp("us")),
        "cost": list(range(len(numbers))),
    }
    pq.write_table(pa.table(rows), path, version=version, use_deprecated_int96_timestamps=False)
    return path


@pytest.mark.parametrize("version", ["1.0", "2.6"])
@pytest.mark.parametrize("zone", [None, "Europe/Paris"])
def test_a_far_moment_changes_no_other_cell(zone, version, tmp_path):
    """Both engines read the same with a moment that DuckDB cannot read and without it, of one file and of several."""
    table = Table("visits", (COST, WHEN, replace(WHEN, name="us")), unit="patient", contributions=9)
    near = in_both(write_moments(tmp_path / "near.parquet", NEAR, zone, version), table)
    far = in_both(write_moments(tmp_path / "far.parquet", [*NEAR, *FAR], zone, version), table)
    assert near == {row: times for row, times in far.items() if int(row[0][1:]) < len(NEAR)}
    ends = [WHEN.high, WHEN.low] * 2
    moments = {row[0]: row[2] for row in far}
    assert [moments[f"p{len(NEAR) + at}"] for at in range(len(FAR))] == [
        constant(end, Kind.TIMESTAMP) for end in ends
    ]
    write_moments(tmp_path / "both" / "part-0.parquet", NEAR, zone, version)
    write_moments(tmp_path / "both" / "part-1.parquet", [*NEAR, *FAR], zone, version)
    both = in_both(tmp_path / "both", table)
    assert both == Counter(near) + Counter(far)


@pytest.mark.parametrize("zone", [None, "UTC"])
def test_a_unit_that_is_a_far_moment_is_nobody(zone, tmp_path):
    """Its rows are left out, and those of others stay whose they are."""
    table = Table("visits", (COST,), unit="at", contributions=2)
    path = write_moments(tmp_path / "x.parquet", [*NEAR, *NEAR[:3], *FAR], zone)
    near = write_moments(tmp_path / "y.parquet", [*NEAR, *NEAR[:3]], zone)
    question = read_sql(
        "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits", {"visits": table}
    ).question
    weights = Weights(Weighing.L1, 1, 1, 10)
    with DuckDB({table: path}) as far, DuckDB({table: near}) as other:
        assert (
            far.evaluate(question, weights).tolist() == other.evaluate(question, weights).tolist()
        )
    wanted = Weights(Weighing.L1, 9, 9, 0)
    with DuckDB({table: path}) as far:
        assert far.evaluate(question, wanted)[0][0] == 10
