"""Whatever a Parquet file states of its columns, engines have the same integers of its rows.

Four libraries write a file; then what its footer states of the greatest, the least or the missing cells is made false
in place, and the rows are asked about beside the same rows in memory.
"""

import struct
from datetime import date, datetime, timedelta
from decimal import Decimal
from fractions import Fraction

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory
from tacit.plan import (
    Column,
    Compared,
    Counted,
    Field,
    Kind,
    Literal,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
    Where,
    constant,
    sum_measure,
)

ROWS, MISSING = 400, 37
LOW, HIGH = 5, 50  # what is declared; cells are from 10 to 40, but for one
STATED = {"greatest": (101, 40), "least": (3, 10)}
FIRST = date(2024, 1, 1)


def day(value):
    return FIRST + timedelta(value)


def moment(value):
    return datetime(2024, 1, 1) + timedelta(value)  # noqa: DTZ001 -- in UTC


TYPES = {
    "i8": (pa.int8(), Kind.INTEGER, int),
    "i16": (pa.int16(), Kind.INTEGER, int),
    "i32": (pa.int32(), Kind.INTEGER, int),
    "i64": (pa.int64(), Kind.INTEGER, int),
    "u8": (pa.uint8(), Kind.INTEGER, int),
    "u16": (pa.uint16(), Kind.INTEGER, int),
    "u32": (pa.uint32(), Kind.INTEGER, int),
    "u64": (pa.uint64(), Kind.INTEGER, int),
    "f32": (pa.float32(), Kind.NUMBER, float),
    "f64": (pa.float64(), Kind.NUMBER, float),
    "exact": (pa.decimal128(9, 2), Kind.NUMBER, Decimal),
    "day": (pa.date32(), Kind.DATE, day),
    "at": (pa.timestamp("us"), Kind.TIMESTAMP, moment),
    "note": (pa.string(), Kind.TEXT, "note {:04d}".format),
}


def column(name, kind, made):
    ends = (None, None) if kind is Kind.TEXT else (made(LOW), made(HIGH))
    if kind in {Kind.INTEGER, Kind.NUMBER}:
        ends = (LOW, HIGH)
    return Column(name, kind, *ends)


COLUMNS = {name: column(name, kind, made) for name, (_, kind, made) in TYPES.items()}
TABLE = Table("rows", tuple(COLUMNS.values()), unit="who")

WRITERS = {
    "pyarrow": lambda table, path: pq.write_table(table, path, compression="none"),
    "polars": lambda table, path: pl.DataFrame(table).write_parquet(
        path, compression="uncompressed", statistics=True
    ),
    "pandas": lambda table, path: table.to_pandas(types_mapper=pd.ArrowDtype).to_parquet(
        path, compression=None, index=False
    ),
    "duckdb": lambda table, path: duckdb.from_arrow(table).write_parquet(
        str(path), compression="uncompressed"
    ),
}


def cells_of(made, odd):
    """Cells of which one is odd and some are missing."""
    values = [10 + at % 31 for at in range(ROWS)]
    found = [made(value) for value in values]
    found[7] = made(odd)
    found[20 : 20 + MISSING] = [None] * MISSING
    return found


def as_stated(value, name):
    """The bytes in which a footer may state a value of a column."""
    stored, kind, _ = TYPES[name]
    match kind:
        case Kind.DATE:
            return [struct.pack("<i", (day(value) - date(1970, 1, 1)).days)]
        case Kind.TIMESTAMP:
            since = (moment(value) - datetime(1970, 1, 1)) // timedelta(microseconds=1)  # noqa: DTZ001
            return [struct.pack("<q", since)]
    if name == "exact":
        return [
            (100 * value).to_bytes(4, "big"),
            struct.pack("<i", 100 * value),
            (100 * value).to_bytes(16, "big"),
        ]
    if stored in {pa.float32(), pa.float64()}:
        return [struct.pack("<f" if stored == pa.float32() else "<d", value)]
    return [struct.pack("<q" if stored.bit_width == 64 else "<i", value)]


def lie(path, what):
    """Change what the file states; how many different statements of its were changed."""
    written = path.read_bytes()
    start = len(written) - 8 - struct.unpack("<I", written[-8:-4])[0]
    footer, changed = written[start:], 0
    if what == "missing":  # the third field of the statistics, as a varint
        for header in (b"\x16", b"\x26", b"\x36"):  # by which fields stand before it
            changed += footer.count(header + bytes([2 * MISSING]))
            footer = footer.replace(header + bytes([2 * MISSING]), header + b"\0")
    else:
        odd, usual = STATED[what]
        # which texts a file may have is stated to leave out its own rows alone: docs/limitations.md
        for name in [name for name, (_, kind, _) in TYPES.items() if kind is not Kind.TEXT]:
            for true, other in zip(as_stated(odd, name), as_stated(usual, name), strict=True):
                changed += true in footer
                footer = footer.replace(true, other)
    path.write_bytes(written[:start] + footer)
    return changed


def questions():
    """What is asked: how many and how much of each column, and which rows lie at its bounds."""
    for name, (_, kind, made) in TYPES.items():
        field = Field(COLUMNS[name])
        measures = [Counted(), Counted(field)]
        measures += [sum_measure(field)] if kind in {Kind.INTEGER, Kind.NUMBER} else []
        yield Question(Scan(TABLE), (), tuple(measures))
        for sign, end in (("<=", LOW), (">=", HIGH), ("<=", HIGH)):
            given = (
                Fraction(end) if kind is Kind.NUMBER else end if kind is Kind.INTEGER else made(end)
            )
            assert constant(given, kind) is not None
            rows = Where(Scan(TABLE), Compared(sign, field, Literal(given, kind)))
            yield Question(rows, (), (Counted(),))


def integers(engine):
    weights = Weights(Weighing.L1, 2, 1, 0)
    return [engine.evaluate(question, weights).tolist() for question in questions()]


@pytest.mark.parametrize("what", [*STATED, "missing"])
@pytest.mark.parametrize("writer", WRITERS)
def test_no_false_statement_of_a_file_changes_an_answer(writer, what, tmp_path, monkeypatch):
    monkeypatch.setattr("tacit.engines.duckdb.engine.FEW", 10)  # so that the rows are optimised
    odd, _ = STATED.get(what, (20, None))
    made = {name: cells_of(each, odd) for name, (_, _, each) in TYPES.items()}
    stored = {name: pa.array(made[name], TYPES[name][0]) for name in TYPES}
    file = tmp_path / "rows.parquet"
    WRITERS[writer](pa.table({"who": pa.array(range(ROWS)), **stored}), file)
    assert lie(file, what) >= (len(TYPES) if what == "missing" else 6)
    rows = [{"who": at, **{name: cells[at] for name, cells in made.items()}} for at in range(ROWS)]
    with DuckDB({TABLE: file}) as engine:
        found = integers(engine)
    assert found == integers(Memory({TABLE: rows}))
