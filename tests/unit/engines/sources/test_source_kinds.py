"""Where rows come from."""

import csv
from dataclasses import replace
from datetime import date

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv as pacsv
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory
from tacit.engines.sources.rows import arrays_of, rows_of
from tacit.engines.sources.source_kinds import (
    Frame,
    Listed,
    Pandas,
    Parquet,
    Separated,
    Stored,
    source_of,
)
from tacit.errors import InvalidData
from tacit.plan import (
    Column,
    Counted,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
    Weights,
)
from tests.unit.engines.tables import EVERYTHING, LOOSE, ROWS, VISITS

TIGHT = Weights(Weighing.L2, 1, 1, 20)


def written(path, frame):
    if path.suffix == ".parquet":
        pq.write_table(frame, path)
    else:
        pacsv.write_csv(frame, path)
    return path


@pytest.fixture(
    params=[
        "list",
        "pandas",
        "pandas objects",
        "polars",
        "lazy polars",
        "arrow",
        "parquet",
        "csv",
        "path as text",
    ]
)
def source(request, tmp_path):
    frame = pa.Table.from_pylist(ROWS)
    match request.param:
        case "list":
            return ROWS
        case "pandas":
            return (
                frame.to_pandas(date_as_object=False)
                .astype({"day": "datetime64[s]"})
                .drop(columns="day")
            )
        case "pandas objects":
            return pd.DataFrame(ROWS, dtype=object)
        case "polars":
            return pl.DataFrame(ROWS)
        case "lazy polars":
            return pl.LazyFrame(ROWS)
        case "arrow":
            return frame
        case "parquet":
            return written(tmp_path / "visits.parquet", frame)
        case "csv":
            return written(tmp_path / "visits.csv", frame)
        case _:
            return str(written(tmp_path / "visits.parquet", frame))


@pytest.mark.parametrize("kind", [Memory, DuckDB])
def test_every_source_gives_the_same_answer(kind, source):
    # pandas has no dates of its own
    columns = [column for column in VISITS.columns if column.name != "day"]
    table = replace(VISITS, columns=tuple(columns))
    question = replace(EVERYTHING, rows=Scan(table))
    engine = kind({table: source})
    expected = Memory({table: ROWS})
    for weights in (LOOSE, TIGHT):
        assert (
            engine.evaluate(question, weights).tolist()
            == expected.evaluate(question, weights).tolist()
        )
    for column in columns:
        several = tuple(
            dict.fromkeys(row[column.name] for row in ROWS if row[column.name] is not None)
        )
        if column.kind is not Kind.NUMBER:
            counts = Question(Scan(table), (Key(Field(column), several),), (Counted(), Units()))
            assert (
                engine.evaluate(counts, TIGHT).tolist() == expected.evaluate(counts, TIGHT).tolist()
            )
    engine.close()


def test_sources_are_told_apart(tmp_path):
    for name, kind in {
        "a.parquet": Parquet,
        "a.CSV": Separated,
        "a.tsv": Separated,
        "a.duckdb": Stored,
    }.items():
        (tmp_path / name).touch()
        assert isinstance(source_of(tmp_path / name), kind)
    assert isinstance(source_of(pl.DataFrame({"a": [1]})), Frame)
    assert isinstance(source_of(pd.DataFrame({"a": [1]})), Pandas)
    assert isinstance(source_of(pd.DataFrame({"a": [1, "x"]}, dtype=object)), Pandas)
    assert isinstance(source_of([]), Listed)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ("visit.parquet", "did you mean 'visits.parquet'"),
        ("elsewhere/visits.parquet", "there is no file"),
        ("visits.xlsx", "cannot be read; give a path to a Parquet"),
        ("vizi*s.parquet", "no Parquet file matches"),
        ("[1].parquet", "which match many files; rename it"),
        (7, "rows cannot come from a int"),
        ([1, 2], "rows cannot come from a list"),
        (np.zeros(3), "rows cannot come from a ndarray"),
    ],
)
def test_what_is_no_source_is_refused_with_a_remedy(given, told, tmp_path):
    for name in ("visits.parquet", "[1].parquet"):
        (tmp_path / name).touch()
    with pytest.raises(InvalidData, match=told.replace("[", r"\[")):
        source_of(tmp_path / given if isinstance(given, str) else given)


@pytest.mark.parametrize("kind", [Memory, DuckDB])
@pytest.mark.parametrize(
    ("name", "told"),
    [("wards", "did you mean 'ward'"), ("WARD", "'ward'"), ("height", "declare only")],
)
def test_a_missing_column_is_named_with_the_closest_one(kind, name, told, tmp_path):
    table = Table("visits", (Column(name, Kind.TEXT),))
    frame = pa.Table.from_pylist(ROWS)
    for source in (
        ROWS,
        frame,
        written(tmp_path / "v.parquet", frame),
        written(tmp_path / "v.csv", frame),
    ):
        with pytest.raises(InvalidData, match=f"no column {name!r}.*{told}"):
            kind({table: source})


@pytest.mark.parametrize("kind", [Memory, DuckDB])
def test_a_missing_unit_is_a_missing_column(kind):
    with pytest.raises(InvalidData, match="no column 'patient'"):
        kind({replace(VISITS, unit="patient"): ROWS})


@pytest.mark.parametrize(
    ("name", "declared", "stored", "remedy"),
    [
        ("age", Kind.TEXT, "BIGINT", "declare it as integer or number"),
        ("cost", Kind.TEXT, "DOUBLE", "declare it as integer or number"),
        ("ward", Kind.NUMBER, "VARCHAR", "declare it as text"),
        ("day", Kind.TEXT, "DATE", "declare it as date or timestamp"),
        ("seen", Kind.DATE, "TIMESTAMP", "declare it as timestamp"),
        ("well", Kind.INTEGER, "BOOLEAN", "declare it as boolean"),
        ("odd", Kind.TEXT, "BLOB", "convert it, or remove it"),
    ],
)
def test_a_column_of_another_type_is_refused_by_its_type_alone(name, declared, stored, remedy):
    frame = pa.Table.from_pylist([{**row, "odd": b"x"} for row in ROWS])
    for rows in (frame, frame.slice(0, 0)):
        with pytest.raises(
            InvalidData, match=f"declared as {declared.value} but stored as {stored}.*{remedy}"
        ):
            DuckDB({Table("visits", (Column(name, declared),)): rows})


def test_units_of_a_type_that_has_no_equality_are_refused():
    with pytest.raises(InvalidData, match="a unit must be a text, an integer,"):
        DuckDB({Table("visits", (), unit="odd"): pa.table({"odd": [b"x"]})})


def test_a_broken_file_is_refused_without_its_contents(tmp_path):
    for name in ("broken.parquet", "broken.csv", "broken.duckdb"):
        (tmp_path / name).write_bytes(b"canary \xff\xfe \x00" * 9)
        with pytest.raises(InvalidData) as raised:
            DuckDB({VISITS: tmp_path / name})
        assert "canary" not in str(raised.value)
        assert raised.value.__context__ is None


def test_a_table_without_columns_can_be_counted(tmp_path):
    table = Table("visits", ())
    question = Question(Scan(table), (), (Counted(),))
    for source in (
        pa.Table.from_pylist(ROWS),
        written(tmp_path / "v.parquet", pa.Table.from_pylist(ROWS)),
    ):
        assert DuckDB({table: source}).evaluate(question, LOOSE).tolist() == [[7]]


@pytest.mark.parametrize(
    "units",
    [
        [1, 2, 1, None],
        [1 << 63, (1 << 63) + 1, 1 << 63, None],
        ["a", "a ", "a", None],
        [1.5, 2.5, 1.5, float("nan")],
        [1.5, float("inf"), float("inf"), 1.5],
        [0.0, -0.0, 1.0, 1.0],
        [True, False, True, None],
        [date(2025, 1, 1), date(2025, 1, 2), date(2025, 1, 1), None],
        [None, None, None, None],
    ],
)
def test_units_are_told_apart_exactly(units):
    table = Table("visits", (), unit="who")
    question = Question(Scan(table), (), (Counted(), Units()))
    rows = [{"who": unit} for unit in units]
    weights = Weights(Weighing.L1, 1, 1, 8)
    expected = Memory({table: rows}).evaluate(question, weights).tolist()
    assert DuckDB({table: rows}).evaluate(question, weights).tolist() == expected
    read = {unit for unit in units if unit == unit and unit not in {None, float("inf")}}  # noqa: PLR0124
    assert expected[0][1] == 256 * len(read)


def test_units_of_several_kinds_are_refused():
    with pytest.raises(InvalidData, match="several types"):
        arrays_of(Listed([{"who": "a"}, {"who": 1}]), Table("visits", (), unit="who"))
    with pytest.raises(InvalidData, match="several types"):
        arrays_of(Listed([{"who": 2**53 + 1}, {"who": 0.5}]), Table("visits", (), unit="who"))


def test_a_row_may_lack_a_cell():
    table = Table("visits", (Column("a", Kind.INTEGER), Column("b", Kind.INTEGER)))
    assert [dict(row.cells) for row in rows_of([{"a": 1}, {"b": 2}], table)] == [
        {"a": 1, "b": None},
        {"a": None, "b": 2},
    ]
    assert DuckDB({table: [{"a": 1}, {"b": 2}]}).evaluate(
        Question(Scan(table), (), (Counted(Field(table.columns[0])),)), LOOSE
    ).tolist() == [[1]]


def test_text_files_are_read_as_declared(tmp_path):
    path = tmp_path / "odd.csv"
    with path.open("w", newline="") as file:
        csv.writer(file).writerows(
            [
                ["n", "x", "t", "b"],
                ["1", "1e2", 'say "hi", twice\nor so', "true"],
                ["1.5", "inf", "", "no"],
                ["", "", "é", "FALSE"],
            ]
        )
    kinds = {"n": Kind.INTEGER, "x": Kind.NUMBER, "t": Kind.TEXT, "b": Kind.BOOLEAN}
    table = Table("odd", tuple(Column(name, kind) for name, kind in kinds.items()))
    counts = Question(Scan(table), (), tuple(Counted(Field(column)) for column in table.columns))
    texts = Question(
        Scan(table), (Key(Field(table.columns[2]), ('say "hi", twice\nor so', "é")),), (Counted(),)
    )
    for question in (counts, texts):
        found = Memory({table: path}).evaluate(question, LOOSE).tolist()
        assert DuckDB({table: path}).evaluate(question, LOOSE).tolist() == found
    assert found == [[1], [1]]


def test_the_memory_engine_reads_no_database_files(tmp_path):
    (tmp_path / "a.duckdb").touch()
    with pytest.raises(InvalidData, match="give it a frame or a list"):
        Memory({VISITS: tmp_path / "a.duckdb"})


def test_a_frame_that_changes_later_does_not_change_the_answers():
    frame = pd.DataFrame({"age": [1, 2, 3]})
    table = Table("visits", (Column("age", Kind.INTEGER, 0, 9),))
    question = Question(Scan(table), (Key(Field(table.columns[0]), (1, 2, 3)),), (Counted(),))
    engine = DuckDB({table: frame})
    frame.loc[:, "age"] = 1
    assert engine.evaluate(question, LOOSE).tolist() == [[1], [1], [1]]


def test_a_stream_is_read_once_and_refused_afterwards():
    table = Table("visits", (), unit=None)
    stream = pa.RecordBatchReader.from_batches(
        pa.schema([("a", pa.int64())]), [pa.record_batch({"a": [1, 2]})]
    )
    assert DuckDB({table: stream}).evaluate(
        Question(Scan(table), (), (Counted(),)), LOOSE
    ).tolist() == [[2]]
    for kind in (DuckDB, Memory):
        with pytest.raises(InvalidData, match="read only once"):
            kind({table: stream})


@pytest.mark.parametrize(
    "rows",
    [iter([{"a": 1}]), ({"a": n} for n in range(3)), map(dict, [{"a": 1}])],
    ids=["list", "generator", "map"],
)
def test_an_iterator_is_refused_with_a_remedy(rows):
    with pytest.raises(InvalidData, match=r"list\(\.\.\.\)"):
        source_of(rows)


def test_a_missing_file_is_also_an_error_of_the_system(tmp_path):
    with pytest.raises(FileNotFoundError, match="there is no file"):
        source_of(tmp_path / "gone.csv")
