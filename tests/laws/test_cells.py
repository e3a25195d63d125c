"""What a cell means depends on the cell and the policy: not on other rows, file statistics, optimisers or writers."""

import struct
from contextlib import closing
from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from itertools import cycle, islice
from math import inf, nan
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory, ingest
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.engine import FEW
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.rows import rows_of
from tacit.engines.sources.source_kinds import Stored, source_of
from tacit.engines.sources.text_cells import Dialect
from tacit.engines.sql.expressions import type_name
from tacit.engines.sql.read_stored_columns import read_cell
from tacit.plan import (
    Column,
    Compared,
    Counted,
    Expression,
    Field,
    IsNull,
    Key,
    Kind,
    Literal,
    Measure,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
    Where,
    clamp_cell,
    sum_measure,
)
from tests.scratch import scratch

MINUS_NAN = struct.unpack("<d", struct.pack("<Q", 0xFFF8000000000001))[0]
FLOATS = [
    nan,
    MINUS_NAN,
    inf,
    -inf,
    -0.0,
    0.0,
    5e-324,
    -5e-324,
    1.7976931348623157e308,
    1.5,
    18.0,
    -1e300,
    None,
    2.0**53,
]
TEXTS = [
    "",
    "A",
    "a",
    None,
    "\N{GRINNING FACE}",
    "é",
    "e\u0301",
    "NaN",
    "\uffff",
    "x" * 5000,
    "1",
    "NULL",
    "'",
    " A",
]
DAYS = [
    date(1, 1, 1),
    date(9999, 12, 31),
    date(1970, 1, 1),
    None,
    date(2025, 6, 1),
    date(1969, 12, 31),
]
# seconds
FAR = [
    -62_135_596_800,
    253_402_300_799,
    0,
    None,
    1_750_000_000,
    -1,
    253_402_300_800,
    -62_135_596_801,
]


def whole(bits: int, *, signed: bool) -> list[int | None]:
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return [low, high, 0, 1, None, 7, high - 1, low + 1]


def decimals(width: int, scale: int) -> list[Decimal | None]:
    top = Decimal((0, (9,) * width, -scale))
    return [
        top,
        top.copy_negate(),
        Decimal(0),
        None,
        Decimal("1.5").quantize(Decimal((0, (1,), -scale))),
    ]


def moments(unit: str) -> list[int | None]:
    per = {"s": 1, "ms": 1000, "us": 10**6, "ns": 10**9}[unit]
    inside = [1_750_000_000, 0, None, -1, 4_000_000_000, -9_000_000_000] if unit == "ns" else FAR
    return [None if each is None else each * per + (per > 1) for each in inside]


STORED: dict[str, tuple[pa.DataType, list[Any]]] = {
    "f64": (pa.float64(), FLOATS),
    "f32": (
        pa.float32(),
        [
            None if x is None else float(np.float32(x))
            for x in FLOATS
            if x is None or not abs(x) > 1e38 or abs(x) == inf
        ],
    ),
    "f16": (
        pa.float16(),
        [
            None if x is None else np.float16(x)
            for x in (nan, inf, -inf, -0.0, 6e-8, 65504, 1.5, None)
        ],
    ),
    **{f"i{b}": (getattr(pa, f"int{b}")(), whole(b, signed=True)) for b in (8, 16, 32, 64)},
    **{f"u{b}": (getattr(pa, f"uint{b}")(), whole(b, signed=False)) for b in (8, 16, 32, 64)},
    **{
        f"d{w}_{s}": (pa.decimal128(w, s), decimals(w, s))
        for w, s in ((4, 2), (9, 2), (18, 3), (38, 10))
    },
    "bool": (pa.bool_(), [True, False, None]),
    "text": (pa.string(), TEXTS),
    "large": (pa.large_string(), TEXTS),
    "coded": (pa.dictionary(pa.int32(), pa.string()), TEXTS),
    "day": (pa.date32(), DAYS),
    **{f"t_{unit}": (pa.timestamp(unit), moments(unit)) for unit in ("s", "ms", "us", "ns")},
    **{
        f"z_{unit}": (pa.timestamp(unit, "Europe/Paris"), moments(unit))
        for unit in ("s", "ms", "us", "ns")
    },
    "none": (pa.null(), [None]),
}
KINDS = {
    "f": [Kind.NUMBER, Kind.INTEGER],
    "i": [Kind.INTEGER, Kind.NUMBER],
    "u": [Kind.INTEGER, Kind.NUMBER],
    "d": [Kind.NUMBER],
    "b": [Kind.BOOLEAN],
    "t": [Kind.TEXT],
    "l": [Kind.TEXT],
    "c": [Kind.TEXT],
    "z": [Kind.TIMESTAMP],
    "n": list(Kind),
}
BOUNDS: dict[Kind, list[tuple[Any, Any]]] = {
    Kind.INTEGER: [(None, None), (0, 5), (-3, None)],
    Kind.NUMBER: [(None, None), (-1, 2), (None, 2), (Fraction(-1, 2), None)],
    Kind.DATE: [(None, None), (date(2024, 1, 1), date(2025, 6, 1))],
    Kind.TIMESTAMP: [
        (None, None),
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)),
    ],
}
ROWS = 14


def kinds_for(name: str) -> list[Kind]:
    if name == "day":
        return [Kind.DATE, Kind.TIMESTAMP]
    return [Kind.TIMESTAMP] if name.startswith("t_") else KINDS[name[0]]


def poison(names: list[str]) -> pa.Table:
    """All poison of the columns, one below the other; `i` numbers the rows."""
    columns = {name: list(islice(cycle(STORED[name][1]), ROWS)) for name in names}
    arrays = {name: array(name, cells) for name, cells in columns.items()}
    return pa.table({"i": pa.array(range(ROWS), pa.int64()), **arrays})


def array(name: str, cells: list[Any]) -> pa.Array:
    kind = STORED[name][0]
    if pa.types.is_dictionary(kind):
        return pa.array(cells, pa.string()).dictionary_encode()
    if pa.types.is_timestamp(kind):
        return pa.array(cells, pa.int64()).cast(kind)
    if pa.types.is_floating(kind):  # bits as they are: no NaN becomes NULL
        raw = np.array([0 if cell is None else cell for cell in cells], kind.to_pandas_dtype())
        return pa.Array.from_buffers(
            kind,
            len(cells),
            [pa.array([c is not None for c in cells]).buffers()[1], pa.py_buffer(raw)],
        )
    return pa.array(cells, kind)


FILLERS = {"calm": 9, "wild": 1, "nothing": None}


def filled(names: list[str], filler: str, rows: int) -> pa.Table:
    """The poison and other rows, all alike, whose number is -1."""
    cells = {}
    for name in names:
        values = STORED[name][1]
        present = [cell for cell in values if cell is not None and cell == cell]  # noqa: PLR0124
        one = None if filler == "nothing" or not present else present[-1 if filler == "calm" else 0]
        cells[name] = array(name, [one]).take(pa.array(np.zeros(rows, np.int64)))
    first = poison(names)
    rest = pa.table({"i": pa.array(np.full(rows, -1)), **cells})
    return pa.concat_tables([first, rest.cast(first.schema)]).unify_dictionaries()


WRITERS = {
    "pyarrow": lambda table, path: pq.write_table(table, path, row_group_size=1 << 14),
    "pyarrow without statistics": lambda table, path: pq.write_table(
        table, path, write_statistics=False
    ),
    "pyarrow in small groups": lambda table, path: pq.write_table(
        table, path, row_group_size=5, use_dictionary=False
    ),
    "polars": lambda table, path: pl.DataFrame(table).write_parquet(
        path, row_group_size=1 << 12, statistics="full"
    ),
    "duckdb": lambda table, path: duckdb.from_arrow(table).write_parquet(str(path)),
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(path),
}
LACKING = {
    "polars": {"f16", "none"} | {f"{z}_s" for z in "tz"},  # which polars does not have
    "duckdb": {"f16", "none", "coded"},
    "pandas": {"none", "coded"},
}
FRAMES = {
    "arrow": lambda table, _: table,
    "arrow in chunks": lambda table, _: pa.Table.from_batches(table.to_batches(max_chunksize=4)),
    "arrow stream": lambda table, _: pa.RecordBatchReader.from_batches(
        table.schema, table.to_batches()
    ),
    "polars": lambda table, _: pl.from_arrow(table),
    "pandas": lambda table, _: table.to_pandas(),
    "pandas of Arrow": lambda table, _: table.to_pandas(types_mapper=pd.ArrowDtype),
    "list": lambda table, _: [
        dict(zip(table.column_names, row, strict=True))
        for row in zip(*(column.to_pylist() for column in table.columns), strict=True)
    ],
}
LACKING_FRAMES = {
    "polars": LACKING["polars"],
    "pandas": {"none", *(f"{a}_{unit}" for a in "tz" for unit in ("s", "ms", "us"))},
    "pandas of Arrow": {"none", "coded"},
    "list": {f"{a}_{unit}" for a in "tz" for unit in ("s", "ms", "us", "ns")},
}


def columns_asked(names: list[str]) -> list[tuple[str, Kind]]:
    return [(name, kind) for name in names for kind in kinds_for(name)]


def tables_for(names: list[str]) -> list[Table]:
    """Tables that declare every column as every kind that it may have: the first kinds, then the second, …"""
    by_kind = [
        [Column(name, kinds_for(name)[n]) for name in names if n < len(kinds_for(name))]
        for n in range(6)
    ]
    return [Table("t", (Column("i", Kind.INTEGER), *columns)) for columns in by_kind if columns]


def plain_cells(rows: list[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return sorted(tuple(map(bits, row)) for row in rows)


def bits(value: Any) -> Any:
    """A value such that what is equal is the same: a double by its bits."""
    if isinstance(value, float):
        return "double", struct.pack(">d", value).hex()
    return type(value).__name__, str(value)


def expected_cells(source: object, table: Table, variants: list[Column]) -> list[tuple[Any, ...]]:
    """What the memory engine reads, row by row."""
    rows = [row.cells for row in rows_of(source, table)]
    return plain_cells(
        [(row["i"], *(clamp_cell(row[column.name], column) for column in variants)) for row in rows]
    )


def found_cells(cursor: Any, relation: Any, variants: list[Column]) -> list[tuple[Any, ...]]:
    """What DuckDB reads, row by row; dates and moments as integers."""
    cells = [
        as_value(read_cell(relation.columns[c.name][0], relation.columns[c.name][1], c), c.kind)
        for c in variants
    ]
    number = relation.columns["i"][0]
    found = cursor.execute(
        f"SELECT {', '.join([number, *cells])} FROM {relation.name} WHERE {number} >= 0"
    )
    return plain_cells(found.fetchall())


def as_value(cell: str, kind: Kind) -> str:
    match kind:
        case Kind.DATE:
            return f"({cell} - DATE '1970-01-01')"
        case Kind.TIMESTAMP:
            return f"epoch_us({cell})"
        case _:
            return cell


def variants_of(table: Table) -> list[Column]:
    return [
        Column(column.name, column.kind, low, high)
        for column in table.columns[1:]
        for low, high in BOUNDS.get(column.kind, [(None, None)])
    ]


def check_cells(source: Any, small: Any, names: list[str]) -> int:
    """How many cells were looked at, all of which mean in DuckDB what they mean in memory."""
    seen = 0
    for table in tables_for(names):
        variants = variants_of(table)
        wanted = expected_cells(small() if callable(small) else small, table, variants)
        with scratch() as connection:
            relation = load_table(
                connection, 0, table, source_of(source() if callable(source) else source)
            )
            unoptimised = connection.cursor()
            unoptimised.execute("PRAGMA disable_optimizer")
            for cursor in (connection.cursor(), unoptimised):
                found = found_cells(cursor, relation, variants)
                assert found == wanted, first_difference(found, wanted, variants)
                seen += len(found) * len(variants)
    return seen


def first_difference(found: Any, wanted: Any, variants: list[Column]) -> str:
    for one, two in zip(found, wanted, strict=True):
        for column, left, right in zip(variants, one[1:], two[1:], strict=True):
            if left != right:
                return f"row {one[0]}, {column}: DuckDB {left}, memory {right}"
    return "other rows"


WITHOUT = "pyarrow without statistics"


@pytest.mark.parametrize(
    "writer", [pytest.param(each, marks=[pytest.mark.soak] * (each == WITHOUT)) for each in WRITERS]
)
def test_a_cell_means_the_same_in_both_engines(writer: str, tmp_path: Path) -> None:
    """Files of every writer, alone and with other rows, whatever those hold."""
    names = [name for name in STORED if name not in LACKING.get(writer, ())]
    small = tmp_path / "small.parquet"
    WRITERS[writer](poison(names), small)
    seen = check_cells(small, small, names)
    for filler in FILLERS:
        WRITERS[writer](filled(names, filler, 300), tmp_path / "t.parquet")
        seen += check_cells(tmp_path / "t.parquet", small, names)
    assert seen >= 4 * 2 * ROWS * 50


@pytest.mark.parametrize("frame", FRAMES)
def test_a_cell_of_a_frame_means_the_same_in_both_engines(frame: str, tmp_path: Path) -> None:
    names = [name for name in STORED if name not in LACKING_FRAMES.get(frame, ())]
    made = FRAMES[frame]
    seen = check_cells(
        lambda: made(poison(names), tmp_path), lambda: made(poison(names), tmp_path), names
    )
    seen += check_cells(
        lambda: made(filled(names, "calm", 50), tmp_path),
        lambda: made(poison(names), tmp_path),
        names,
    )
    assert seen >= 2 * 2 * ROWS * 30


def test_a_cell_of_a_database_means_the_same_in_both_engines(tmp_path: Path) -> None:
    """A table of DuckDB, and one that was ingested."""
    names = [name for name in STORED if name not in LACKING["duckdb"]]
    with duckdb.connect(str(tmp_path / "t.duckdb")) as connection:
        connection.register("given", filled(names, "calm", 300))
        connection.execute("CREATE TABLE t AS SELECT * FROM given").fetchall()
    seen = check_cells(Stored(tmp_path / "t.duckdb", "t"), poison(names), names)
    for n, table in enumerate(tables_for(names)):
        ingest(filled(names, "wild", 300), table, tmp_path / f"{n}.duckdb")
        with scratch() as connection:
            relation = load_table(connection, 0, table, source_of(tmp_path / f"{n}.duckdb"))
            variants = variants_of(table)
            found = found_cells(connection, relation, variants)
            assert found == expected_cells(poison(names), table, variants)
            seen += len(found) * len(variants)
    assert seen >= 3 * ROWS * 50


HALF_TYPED = [
    1,
    2**70,
    -(2**70),
    "x",
    "1",
    "",
    None,
    nan,
    2.5,
    18.0,
    inf,
    True,
    Decimal("3.0"),
    Decimal("0.1"),
    Decimal("NaN"),
    b"x",
]
HALF_TYPED += [date(2025, 1, 2), datetime(2025, 1, 2, 3, tzinfo=UTC), pd.NA, pd.NaT, 1e300]
HALF_TYPED += [
    np.int8(3),
    np.uint64(2**64 - 1),
    np.float32(1.5),
    np.bool_(True),
    pd.Timestamp("2025-01-02 03:04"),
    "\ud800",
    [1],
    {},
]


def test_a_python_object_means_the_same_in_both_engines() -> None:
    """In a list and in a column of mere objects: each by itself, whatever stands beside it."""
    table = Table("t", (Column("i", Kind.INTEGER), *(Column(kind.value, kind) for kind in Kind)))
    rows = [{"i": i, **{kind.value: cell for kind in Kind}} for i, cell in enumerate(HALF_TYPED)]
    objects = pd.DataFrame(
        {name: pd.Series([row[name] for row in rows], dtype=object) for name in rows[0]}
    )
    variants, seen = variants_of(table), 0
    wanted = expected_cells(rows, table, variants)
    for source in (
        rows,
        objects,
        [*rows, *({**row, "i": -1} for row in rows)],
        *([row] for row in rows),
    ):
        with scratch() as connection:
            found = found_cells(
                connection, load_table(connection, 0, table, source_of(source)), variants
            )
        assert set(found) <= set(wanted), first_difference(found, wanted, variants)
        assert isinstance(source, list) or found == wanted
        seen += len(found) * len(variants)
    assert seen >= 4 * len(HALF_TYPED) * 13


# ---------------------------------------------------------------- large files, whole questions


LARGE = ["f64", "f32", "u64", "text", "t_us"]
PIVOTS: dict[Kind, Any] = {
    Kind.INTEGER: 6,
    Kind.NUMBER: Fraction(3, 2),
    Kind.TEXT: "B",
    Kind.DATE: date(2025, 1, 1),
    Kind.BOOLEAN: True,
    Kind.TIMESTAMP: datetime(2025, 1, 1, tzinfo=UTC),
}
LOOSE = Weights(Weighing.L2, 1000, 1000, 3)


def questions_about(table: Table, column: Column) -> list[Question]:
    """What depends on a cell, for every row of its own: its sum, its order, whether it is there."""
    field, number = Field(column), Key(Field(table.columns[0]), tuple(range(ROWS)))
    bounded = column.kind in {Kind.INTEGER, Kind.NUMBER} and None not in {column.low, column.high}
    measures: tuple[Measure, ...] = (
        Counted(),
        Counted(field),
        *([sum_measure(field)] if bounded else []),
    )
    pivot = Literal(PIVOTS[column.kind], column.kind)
    conditions: list[Expression] = [
        IsNull(field),
        Compared("=" if column.kind is Kind.BOOLEAN else ">=", field, pivot),
    ]
    return [Question(Scan(table), (number,), measures)] + [
        Question(Where(Scan(table), condition), (number,), (Counted(),)) for condition in conditions
    ]


@pytest.mark.parametrize("writer", ["pyarrow", "polars"])
def test_a_large_file_is_read_as_a_small_one(writer: str, tmp_path: Path) -> None:
    """Above the size from which statements are optimised, whatever the other rows hold."""
    names = [name for name in LARGE if name not in LACKING.get(writer, ())]
    WRITERS[writer](poison(names), tmp_path / "small.parquet")
    table, *_ = tables_for(names)
    asked = [each for column in variants_of(table) for each in questions_about(table, column)]
    memory = Memory({table: tmp_path / "small.parquet"})
    wanted = [memory.evaluate(question, LOOSE).tolist() for question in asked]
    for filler in ("calm", "wild"):
        WRITERS[writer](filled(names, filler, FEW + 1), tmp_path / "t.parquet")
        with DuckDB({table: tmp_path / "t.parquet"}, threads=1) as engine:
            assert [engine.evaluate(question, LOOSE).tolist() for question in asked] == wanted
    assert 2 * len(asked) * ROWS >= 1000


def test_no_number_has_statistics(tmp_path: Path) -> None:
    """What a file says about its numbers does not get past the place where they are read."""
    names, cells = ["f64", "f32"], [nan, 1.5, 2.5]
    kinds = [pa.float64(), pa.float32()]
    arrays = [
        pa.array(np.array(cells, kind.to_pandas_dtype()), from_pandas=False) for kind in kinds
    ]
    pq.write_table(pa.table(arrays, names=names), tmp_path / "t.parquet")
    with duckdb.connect() as raw:
        (said,) = raw.execute(
            f"SELECT stats(f32) FROM '{tmp_path / 't.parquet'}' LIMIT 1"
        ).fetchall()[0]
        assert {"min", "max"} <= set(said)
    table = Table("t", tuple(Column(name, Kind.NUMBER) for name in names), unit="f64")
    with closing(open_connection()) as connection:
        relation = load_table(connection, 0, table, source_of(tmp_path / "t.parquet"))
        for name in (*(cell for cell, _ in relation.columns.values()), "unit"):
            (told,) = connection.execute(
                f"SELECT stats({name}) FROM {relation.name} LIMIT 1"
            ).fetchall()[0]
            assert not {"min", "max"} & set(told)
            assert told["has_null"]


def test_a_unit_out_of_bounds_moves_a_sum_by_its_own_cell(tmp_path: Path) -> None:
    """Where half of all cells are NaN, which statistics leave out, and one cell more lies outside the bounds."""
    cost = np.random.default_rng(1).uniform(1, 4000, FEW + 10).round(2)
    cost[: FEW // 2] = nan
    table = Table("t", (Column("cost", Kind.NUMBER, 0, 5000),))
    totals = []
    for extra in ([], [9999.0]):
        cells = pa.array(np.concatenate([cost, extra]), from_pandas=False)
        pq.write_table(pa.table({"cost": cells}), tmp_path / "t.parquet")
        with DuckDB({table: tmp_path / "t.parquet"}) as engine:
            measure = sum_measure(Field(table.columns[0]))
            totals.append(int(engine.evaluate(Question(Scan(table), (), (measure,)), LOOSE)[0, 0]))
    assert 0 < totals[1] - totals[0] <= measure.reach << LOOSE.bits


# ---------------------------------------------------------------- texts


SIGNS, SPACES = ["", "+", "-"], ["{}", " {}", "{} ", "\t{}\u00a0"]
NUMBERS = [
    "0",
    "18",
    "18.0",
    "18.",
    ".5",
    "18.5",
    "1e3",
    "1E+3",
    "15e-1",
    "10e-1",
    "1.5e1",
    "1,5",
    "1.000,5",
    "1.000.000",
    "1.000.00",
    "12.345,",
    "1234.567,8",
    "1,234,567.25",
    "0,123",
    "1'234",
    "1\N{RIGHT SINGLE QUOTATION MARK}234.5",
    "1\N{NARROW NO-BREAK SPACE}234\N{NO-BREAK SPACE}567",
    "1.234e3",
    "1e400",
    "1e-400",
]
NUMBERS += [
    "9223372036854775807",
    "9223372036854775808",
    "9" * 38,
    "9" * 39,
    "123456789012345e10",
    "9007199254740993",
    "9e15",
]
NUMBERS += [
    "007",
    "1_000",
    "0x10",
    "inf",
    "nan",
    "NaN",
    "1 000",
    "\u0661",
    "1e",
    "e5",
    "--1",
    "1.0.0",
    "0.1",
    "1" * 250,
]
WORDS = [
    "true",
    "TRUE",
    "t",
    "F",
    "yes",
    "No",
    "y",
    "n",
    "1",
    "0",
    "1.0",
    "0.0",
    "on",
    "ja",
    "nein",
    "NA",
    "-",
    "n/a",
    "",
    " ",
    "ﬁ",
]
CLOCKS = [
    "",
    " 00:00:00",
    "T00:00:00",
    "T10:11",
    " 10:11:12.123456789",
    "T10:11:12Z",
    " 10:11:12 +02:00",
    "T23:59:59.9-0530",
]
CLOCKS += [" 24:00:00", "T10:60", " 10", "T10:11:12+15:00", " 10:11123", "T1:02:03", "T10:11:12-08"]
DATES = [
    "2024-01-02",
    "1970-01-01",
    "0001-01-01",
    "9999-12-31",
    "2024-02-30",
    "2024-1-2",
    "0000-01-01",
    "10000-01-01",
]
DATES += [
    "02/01/2024",
    "2/1/2024",
    "31/12/9999",
    "30/02/2024",
    "20240102",
    "2024/01/02",
    "02.01.2024",
    "Jan 2 2024",
    "02-01-24",
]
DIALECTS = [
    Dialect(),
    Dialect(";", decimal=",", dates="%d/%m/%Y", nulls=("NA", "-")),
    Dialect(dates="%m/%d/%Y", true=("ja",), false=("nein",), nulls=("n/a",)),
    Dialect(dates="%Y%m%d"),
    Dialect(dates="%d.%m.%Y", decimal=",", thousands="."),
    Dialect(thousands=","),
    Dialect(thousands="'"),
    Dialect(thousands=" ", nulls=("1 000",)),
]


def written_texts() -> list[str]:
    numbers = [
        space.format(sign + number) for sign in SIGNS for number in NUMBERS for space in SPACES
    ]
    days = [day + clock for day in DATES for clock in CLOCKS]
    words = [space.format(word) for word in WORDS for space in SPACES]
    return list(dict.fromkeys([*numbers, *days, *words]))


def test_a_text_means_the_same_in_both_engines() -> None:
    texts, seen = written_texts(), 0
    variants = [
        Column(kind.value, kind, low, high)
        for kind in Kind
        for low, high in BOUNDS.get(kind, [(None, None)])
    ]
    for dialect in DIALECTS:
        wanted = [
            [clamp_cell(dialect.read(text, column.kind), column) for column in variants]
            for text in texts
        ]
        with scratch() as connection:
            unoptimised = connection.cursor()
            unoptimised.execute("PRAGMA disable_optimizer")
            for cursor in (connection, unoptimised) if dialect in DIALECTS[:2] else (connection,):
                cursor.register(
                    "given", {"x": np.array(texts, dtype=object), "i": np.arange(len(texts))}
                )
                cells = ", ".join(f"{dialect.sql('x', kind)} AS {kind.value}" for kind in Kind)
                cursor.execute(
                    f"CREATE OR REPLACE TABLE t AS SELECT i, {cells} FROM given"
                ).fetchall()
                listed = [
                    as_value(
                        read_cell(f'"{column.name}"', type_name(column.kind), column), column.kind
                    )
                    for column in variants
                ]
                rows = cursor.execute(f"SELECT {', '.join(listed)} FROM t ORDER BY i").fetchall()
                for text, found, value in zip(texts, rows, wanted, strict=True):
                    assert list(map(bits, found)) == list(map(bits, value)), (
                        dialect,
                        text,
                        found,
                        value,
                    )
                seen += len(rows) * len(variants)
    assert seen >= 60_000
