"""A row of a text file is read, or left out, by itself: no row changes how others are read."""

import re
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest

from tacit.engines import DuckDB, Engine, Memory, stored_kinds
from tacit.engines.sources.source_kinds import Separated
from tacit.engines.sources.text_cells import Dialect, Encoding
from tacit.errors import InvalidData
from tacit.plan import (
    Column,
    Counted,
    Field,
    Kind,
    Question,
    Scan,
    Summed,
    Table,
    Weighing,
    Weights,
)

COST = Column("cost", Kind.INTEGER, low=0, high=100)
TABLE = Table("t", (COST,), unit="patient")
HEAD = b"patient,ward,cost\n"
ODD = {
    "too many cells": (b"bob,B,77,7\n", 78),
    "far too many cells": (b"patient,warda,cost,x,y,z\n", 1),
    "too few cells": (b"bob,B\n", 0),
    "one cell": (b"bob\n", 0),
    "no UTF-8": (b"bob,A,5\xff\n", 0),
    "no UTF-8 where nothing is read": (b"bob,\xff,5\n", 6),
    "another end of line": (b"bob,A,5\r\n", 6),
    "the header again": (b"patient,ward,cost\n", 1),
    "a quotation mark inside": (b'bob,A"B,5\n', 6),
    "a line break in quotes": (b'bob,"A\nB",5\n', 6),
    "a comment": (b"# bob,A,5\n", 6),
    "an empty line": (b"\n", 0),
    "very long": (b"bob," + b"x" * 100_000 + b",5\n", 6),
    "a null byte": (b"bob,A\0B,5\n", 6),
}
PLACES: dict[str, Callable[[bytes, bytes], bytes]] = {
    "first": lambda rows, odd: HEAD + odd + rows,
    "middle": lambda rows, odd: HEAD + rows[: len(rows) // 2] + odd + rows[len(rows) // 2 :],
    "last": lambda rows, odd: HEAD + rows + odd,
}


def counted(engine: Engine) -> tuple[int, int]:
    """How many rows there are, and what they cost."""
    weights = Weights(Weighing.L1, 10**6, 10**12, 0)
    question = Question(Scan(TABLE), (), (Counted(), Summed(Field(COST), Fraction(1), 0, 100)))
    count, total = engine.evaluate(question, weights)[0]
    return int(count), int(total)


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("rows", [8, 900])
def test_an_odd_row_counts_for_itself_alone(
    tmp_path: Path, place: str, odd: str, rows: int
) -> None:
    row, worth = ODD[odd]
    file = tmp_path / "t.csv"
    file.write_bytes(PLACES[place](b"".join(b"p%03d,A,1\n" % n for n in range(rows)), row))
    with DuckDB({TABLE: file}) as engine:
        count, total = counted(engine)
    present = min(1, worth)
    assert (count, total) == (rows + present, rows + max(0, worth - present))
    assert list(stored_kinds(file)) == ["patient", "ward", "cost"]


@pytest.mark.parametrize("odd", [name for name in ODD if name != "a null byte"])
def test_the_oracle_reads_odd_rows_alike(tmp_path: Path, odd: str) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(PLACES["middle"](b"".join(b"p%03d,A,1\n" % n for n in range(8)), ODD[odd][0]))
    with DuckDB({TABLE: file}) as engine:
        assert counted(engine) == counted(Memory({TABLE: file}))


@pytest.mark.parametrize("encoding", ["utf-8", "latin-1", "windows-1252"])
def test_a_long_cell_is_one_cell(tmp_path: Path, encoding: Encoding) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(HEAD + b"ann,A,1\nbob," + b"x" * 200_000 + b",5\ncy,A,1\n")
    given = {TABLE: Separated(file, Dialect(encoding=encoding))}
    with DuckDB(given) as engine:
        assert counted(engine) == counted(Memory(given)) == (3, 7)


def test_columns_are_those_of_the_first_line_whatever_the_rows_say(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(
        HEAD + b"".join(b"p%03d,A,1\n" % n for n in range(900)) + b"patient,secret,cost,x\n"
    )
    ward = Table("t", (Column("secret", Kind.TEXT),), unit="patient")
    with pytest.raises(InvalidData) as refusal:
        DuckDB({ward: file})
    assert "secret" in str(refusal.value)
    assert "did you mean" not in str(refusal.value)


def test_a_name_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"patient,cost,cost\np,1,2\n")
    with pytest.raises(InvalidData, match="two columns 'cost'"):
        stored_kinds(file)


def test_a_column_without_a_name_has_that_of_its_place(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b",patient,cost\n1,p,2\n")
    assert list(stored_kinds(file)) == ["column 1", "patient", "cost"]


@pytest.mark.parametrize(
    ("name", "mark"),
    [("t.csv", ";"), ("t.csv", "\t"), ("t.csv", "|"), ("t.tsv", ","), ("t.tsv", ";")],
)
def test_a_file_with_another_separator_is_refused_by_its_first_line(
    tmp_path: Path, name: str, mark: str
) -> None:
    file = tmp_path / name
    file.write_bytes(mark.join(["patient", "ward", "cost"]).encode() + b"\n")
    with pytest.raises(InvalidData, match=f"the separator {re.escape(repr(mark))}"):
        DuckDB({TABLE: file})


def test_a_file_with_one_column_is_read(tmp_path: Path) -> None:
    file = tmp_path / "t.csv"
    file.write_bytes(b"patient\na;b\nc\n")
    with DuckDB({Table("t", (), unit="patient"): file}) as engine:
        question = Question(Scan(Table("t", (), unit="patient")), (), (Counted(),))
        assert engine.evaluate(question, Weights(Weighing.L1, 1, 1, 0)).tolist() == [[2]]
