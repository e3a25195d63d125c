"""Poisoned cells: NaN is NULL, infinities clamp or are NULL, nothing raises, and every engine agrees."""

from datetime import UTC, date, datetime
from decimal import Decimal
from fractions import Fraction
from math import inf, nan

import duckdb
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from tacit.engines import DuckDB, Memory
from tacit.errors import InvalidData
from tacit.plan import (
    Case,
    Column,
    Compared,
    Counted,
    Field,
    IsNull,
    Key,
    Kind,
    Literal,
    Question,
    Scan,
    Table,
    Weighing,
    Weights,
    Where,
    sum_measure,
)

LONG = "x" * (1 << 20)
CELLS = {
    Kind.BOOLEAN: [True, False, None],
    Kind.INTEGER: [0, 1, -1, None, (1 << 63) - 1, -(1 << 63), 2**53 + 1],
    Kind.NUMBER: [
        0.0,
        -0.0,
        1.5,
        None,
        nan,
        -nan,
        inf,
        -inf,
        5e-324,
        1.7976931348623157e308,
        -1e308,
    ],
    Kind.TEXT: ["", "A", None, LONG, "\0", "\N{GRINNING FACE}", "NaN", "'"],
    Kind.DATE: [date(1, 1, 1), date(2025, 1, 1), date(9999, 12, 31), None],
    Kind.TIMESTAMP: [datetime(1, 1, 1), datetime(2025, 1, 1, 1), datetime(9999, 12, 31, 23), None],  # noqa: DTZ001
}
ARROW = {
    Kind.BOOLEAN: [pa.bool_()],
    Kind.INTEGER: [pa.int64(), pa.decimal128(20, 0)][:1],
    Kind.NUMBER: [pa.float64(), pa.float32()],
    Kind.TEXT: [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string())],
    Kind.DATE: [pa.date32()],
    Kind.TIMESTAMP: [pa.timestamp("us"), pa.timestamp("us", "UTC")],
}
BOUNDS = {
    Kind.INTEGER: [(None, None), (0, 5), (None, 5), (-(1 << 63), None)],
    Kind.NUMBER: [(None, None), (-1, 2), (None, 2), (-1, None)],
    Kind.DATE: [(None, None), (date(2024, 1, 1), date(2025, 6, 1))],
    Kind.TIMESTAMP: [
        (None, None),
        (datetime(2024, 1, 1, tzinfo=UTC), datetime(2025, 6, 1, tzinfo=UTC)),
    ],
}
LOOSE = Weights(Weighing.L2, 1000, 1000, 3)


def column_cases():
    for kind in Kind:
        for low, high in BOUNDS.get(kind, [(None, None)]):
            yield pytest.param(
                Column("x", kind, low, high), id=f"{kind.value} from {low} to {high}"
            )


def questions(table):
    """All there is to ask about one column without calculating: nulls, order, keys, and its sum if it has bounds."""
    (column,) = table.columns
    field = Field(column)
    middle = {
        Kind.INTEGER: 1,
        Kind.NUMBER: Fraction(3, 2),
        Kind.TEXT: "A",
        Kind.DATE: date(2025, 1, 1),
    }
    middle |= {Kind.BOOLEAN: True, Kind.TIMESTAMP: datetime(2025, 1, 1, 1, tzinfo=UTC)}
    pivot = Literal(middle[column.kind], column.kind)
    measures = [Counted(), Counted(field)]
    if column.kind in {Kind.INTEGER, Kind.NUMBER} and None not in {column.low, column.high}:
        measures.append(sum_measure(field))
    yield Question(Scan(table), (), tuple(measures))
    yield Question(Where(Scan(table), IsNull(field)), (), (Counted(),))
    for operator in (
        ["=", "<>"] if column.kind is Kind.BOOLEAN else ["=", "<>", "<", "<=", ">", ">="]
    ):
        yield Question(Where(Scan(table), Compared(operator, field, pivot)), (), (Counted(),))
    keys = [
        c
        for c in CELLS[column.kind]
        if c is not None and (not isinstance(c, float) or abs(c) < 100)
    ]
    keys = [Fraction(c) if isinstance(c, float) else c for c in keys]
    yield Question(
        Scan(table), (Key(field, tuple(dict.fromkeys(keys))),), (Counted(), Counted(field))
    )
    yield Question(Scan(table), (), (Counted(Case(((IsNull(field), pivot),), field)),))


@pytest.mark.parametrize("column", list(column_cases()))
def test_every_source_survives_every_poison(column, tmp_path):
    table = Table("poisoned", (column,))
    cells = CELLS[column.kind]
    rows = [{"x": cell} for cell in cells]
    sources = [rows]
    for i, stored in enumerate(ARROW[column.kind]):
        frame = pa.table(
            {
                "x": pa.array(cells, pa.string()).cast(stored)
                if pa.types.is_dictionary(stored)
                else pa.array(cells, stored)
            }
        )
        pq.write_table(frame, tmp_path / f"{i}.parquet")
        sources += [frame, tmp_path / f"{i}.parquet"]
    asked = list(questions(table))
    for source in sources:
        # A float32 holds other numbers: it is compared with what its file says, not with the list.
        expected = Memory({table: source})
        with DuckDB({table: source}, threads=1) as engine:
            for question in asked:
                assert (
                    engine.evaluate(question, LOOSE).tolist()
                    == expected.evaluate(question, LOOSE).tolist()
                )


STORED = [
    ("UBIGINT", "18446744073709551615", Kind.INTEGER, 5, 2**64 - 1),
    ("HUGEINT", "-170141183460469231731687303715884105727", Kind.INTEGER, 0, -(2**127) + 1),
    ("UHUGEINT", "340282366920938463463374607431768211455", Kind.INTEGER, 5, 2**128 - 1),
    ("UTINYINT", "255", Kind.INTEGER, 5, 255),
    ("UBIGINT", "18446744073709551615", Kind.NUMBER, 5, 2**64 - 1),
    ("HUGEINT", "9007199254740993", Kind.NUMBER, 5, 2**53 + 1),
    ("DECIMAL(38,10)", "3.1415926535", Kind.NUMBER, None, Decimal("3.1415926535")),
    ("DECIMAL(9,2)", "3.14", Kind.NUMBER, None, Decimal("3.14")),
    ("DATE", "infinity", Kind.DATE, date(2025, 6, 1), None),
    ("DATE", "-infinity", Kind.DATE, date(2024, 1, 1), None),
    ("TIMESTAMP", "infinity", Kind.TIMESTAMP, datetime(2025, 6, 1, tzinfo=UTC), None),
    ("TIMESTAMPTZ", "-infinity", Kind.TIMESTAMP, datetime(2024, 1, 1, tzinfo=UTC), None),
    ("TIMESTAMPTZ", "infinity", Kind.TIMESTAMP, datetime(2025, 6, 1, tzinfo=UTC), None),
    ("DATE", "5881580-07-10", Kind.TIMESTAMP, datetime(2025, 6, 1, tzinfo=UTC), None),
    ("DATE", "5881580-07-10", Kind.DATE, date(2025, 6, 1), None),
    ("TIMESTAMP_S", "290000-01-01", Kind.TIMESTAMP, datetime(2025, 6, 1, tzinfo=UTC), None),
    ("TIMESTAMP", "0044-03-15 (BC)", Kind.TIMESTAMP, datetime(2024, 1, 1, tzinfo=UTC), None),
    ("TIMESTAMPTZ", "12025-01-01", Kind.TIMESTAMP, datetime(2025, 6, 1, tzinfo=UTC), None),
    ("DATE", "2025-01-01", Kind.TIMESTAMP, datetime(2025, 1, 1, tzinfo=UTC), date(2025, 1, 1)),
    (
        "TIMESTAMP_S",
        "2025-01-01",
        Kind.TIMESTAMP,
        datetime(2025, 1, 1, tzinfo=UTC),
        date(2025, 1, 1),
    ),
    (
        "TIMESTAMP_NS",
        "2025-01-01",
        Kind.TIMESTAMP,
        datetime(2025, 1, 1, tzinfo=UTC),
        date(2025, 1, 1),
    ),
]


@pytest.mark.parametrize(("stored", "text", "kind", "bounded", "same"), STORED)
def test_types_that_python_does_not_have_are_read_too(stored, text, kind, bounded, same, tmp_path):
    """A cell of another width is read as the same value; beyond the kind it clamps to the bounds, or is NULL."""
    with duckdb.connect(tmp_path / "odd.duckdb") as connection:
        connection.execute(
            f"CREATE TABLE odd AS SELECT x::{stored} AS x FROM (VALUES ('{text}'), (NULL)) v(x)"
        )
    limits = {
        Kind.DATE: (date(2024, 1, 1), date(2025, 6, 1)),
        Kind.TIMESTAMP: (date(2024, 1, 1), date(2025, 6, 1)),
    }
    for low, high in ((None, None), limits.get(kind, (0, 5))):
        column = Column("x", kind, low, high)
        table = Table("odd", (column,))
        with DuckDB({table: tmp_path / "odd.duckdb"}) as engine:
            present = Question(Scan(table), (), (Counted(), Counted(Field(column))))
            # The least infinities of a bounded column are its ends; without bounds they are nothing.
            there = same is not None or (low is not None and bounded is not None)
            assert engine.evaluate(present, LOOSE).tolist() == [[16, 8 * there]]
            if same is not None:
                memory = Memory({table: [{"x": same}, {"x": None}]})
                for question in questions(table):
                    assert (
                        engine.evaluate(question, LOOSE).tolist()
                        == memory.evaluate(question, LOOSE).tolist()
                    )
            if low is not None and bounded is not None:
                key = Question(Scan(table), (Key(Field(column), (bounded,)),), (Counted(),))
                assert engine.evaluate(key, LOOSE).tolist() == [[8]]


def test_nan_of_either_sign_is_null_in_numpy_too():
    table = Table("poisoned", (Column("x", Kind.NUMBER),))
    bits = np.array(
        [0x7FF8000000000000, 0xFFF8000000000001, 0x7FF0000000000001, 0x3FF0000000000000], np.uint64
    )
    engine = DuckDB({table: pa.table({"x": bits.view(np.float64)})})
    question = Question(Scan(table), (), (Counted(), Counted(Field(table.columns[0]))))
    assert engine.evaluate(question, LOOSE).tolist() == [[32, 8]]


ENDS = [0, 1, 1 << 62, -(1 << 62), (1 << 63) - 1, 1 - (1 << 63), -(1 << 63)]


@pytest.mark.parametrize("stored", ["s", "ms", "us", "ns"])
@pytest.mark.parametrize("zone", [None, "UTC"])
def test_timestamps_beyond_all_years_clamp_or_are_null(stored, zone, tmp_path):
    """1970 is there, and what lies within the years 1 to 9999; the rest is infinite."""
    frame = pa.table({"x": pa.array(np.array(ENDS, np.int64)).cast(pa.timestamp(stored, zone))})
    sources = [frame]
    if stored != "s":  # which Parquet does not have
        pq.write_table(frame, tmp_path / "x.parquet")
        sources.append(tmp_path / "x.parquet")
    inside = 5 if stored == "ns" else 2  # 2**62 nanoseconds are 146 years
    for low, high, found in (
        (None, None, inside),
        (datetime(2024, 1, 1, tzinfo=UTC), date(2025, 6, 1), 7),
    ):
        table = Table("ends", (Column("x", Kind.TIMESTAMP, low, high),))
        question = Question(Scan(table), (), (Counted(Field(table.columns[0])),))
        for source in sources:
            if source is frame and zone and stored in {"s", "ms"}:
                # of a table in memory, what is too far is refused when the curator opens it
                with pytest.raises(InvalidData):
                    DuckDB({table: source})
                continue
            engine = DuckDB({table: source})
            assert engine.evaluate(question, LOOSE).tolist() == [[8 * found]]


def test_days_beyond_all_years_clamp_or_are_null(tmp_path):
    days = [0, (1 << 31) - 1, -(1 << 31), 1 - (1 << 31), 1 << 30, -(1 << 30)]
    pq.write_table(
        pa.table({"x": pa.array(np.array(days, np.int32)).cast(pa.date32())}),
        tmp_path / "x.parquet",
    )
    for low, high, found in ((None, None, 1), (date(2024, 1, 1), date(2025, 6, 1), 6)):
        table = Table("ends", (Column("x", Kind.DATE, low, high),))
        with DuckDB({table: tmp_path / "x.parquet"}) as engine:
            question = Question(Scan(table), (), (Counted(Field(table.columns[0])),))
            assert engine.evaluate(question, LOOSE).tolist() == [[8 * found]]


def no_text(tmp_path):
    """A Parquet file with a column of texts, one of which is none."""
    spans = pa.py_buffer(np.array([0, 1, 3, 4], np.int32).tobytes())
    texts = pa.StringArray.from_buffers(3, spans, pa.py_buffer(b"A\xff\xfeA"))
    pq.write_table(pa.table({"x": texts, "n": [1, 2, 3]}), tmp_path / "x.parquet")
    return tmp_path / "x.parquet"


def test_bytes_that_are_no_text_do_not_raise(tmp_path):
    table = Table("bytes", (Column("x", Kind.TEXT),), unit="n")
    question = Question(Scan(table), (Key(Field(table.columns[0]), ("A", "??")),), (Counted(),))
    with DuckDB({table: no_text(tmp_path)}) as engine:
        assert engine.evaluate(question, LOOSE).tolist() == [[16], [8]]
