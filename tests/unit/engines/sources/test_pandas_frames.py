"""Frames of pandas: one cell changes the dtype of a column, and changes nothing else."""

from contextlib import closing
from datetime import date, datetime
from itertools import chain
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tacit.engines import DuckDB, Memory, stored_kinds
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.sources.rows import rows_of
from tacit.engines.sources.source_kinds import source_of
from tacit.errors import InvalidData
from tacit.plan import (
    Column,
    Counted,
    Distinct,
    Field,
    Key,
    Kind,
    Question,
    Scan,
    Table,
    Units,
    Weighing,
    Weights,
    clamp_cell,
    read_sql,
)

CELLS: dict[Kind, list[Any]] = {
    Kind.INTEGER: [1, 2, 3, 40],
    Kind.NUMBER: [1.5, 2.0, 3.25, -1.0],
    Kind.TEXT: ["a", "b", "c", "d"],
    Kind.BOOLEAN: [True, False, True, True],
    Kind.DATE: [date(2025, 1, 1), date(2025, 1, 2), date(1, 1, 1), date(9999, 12, 31)],
    Kind.TIMESTAMP: [
        pd.Timestamp(x)
        for x in ("2025-01-01", "2025-01-02 03:04", "1970-01-01", "1969-12-31 23:59:59")
    ],
}
INTRUDERS = [
    None,
    np.nan,
    pd.NA,
    pd.NaT,
    7,
    2.5,
    2**70,
    "x",
    True,
    date(2025, 1, 1),
    datetime(3000, 1, 1),  # noqa: DTZ001
    b"x",
]


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.value)
def test_one_cell_never_decides_a_kind(kind: Kind) -> None:
    plain = pd.DataFrame({"x": CELLS[kind]})
    frames = [plain, *(pd.DataFrame({"x": [*CELLS[kind], cell]}) for cell in INTRUDERS)]
    assert {stored_kinds(frame)["x"] for frame in frames} == {tuple(Kind)}
    # as pandas has decided
    assert kind is Kind.DATE or len({str(frame["x"].dtype) for frame in frames}) > 1


@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.value)
def test_one_cell_never_changes_another(kind: Kind) -> None:
    """Whatever dtype pandas finds for all, every engine reads the first cells as before."""
    column = Column("x", kind)
    table = Table("t", (Column("i", Kind.INTEGER), column))
    wanted = [
        clamp_cell(row.cells["x"], column)
        for row in rows_of([{"i": 0, "x": cell} for cell in CELLS[kind]], table)
    ]
    assert None not in wanted
    read = 0
    for cell in INTRUDERS:
        frame = pd.DataFrame({"i": range(5), "x": [*CELLS[kind], cell]})
        assert [clamp_cell(row.cells["x"], column) for row in rows_of(frame, table)][:4] == wanted
        with closing(open_connection()) as connection:
            try:
                relation = load_table(connection, 0, table, source_of(frame))
            except InvalidData:
                # the curator is told that no cell of such a dtype can be of this kind
                assert kind not in {Kind.INTEGER, Kind.NUMBER} or frame["x"].dtype.kind == "b"
                continue
            order = f"FROM {relation.name} ORDER BY c0_i"
            few = order.replace(" ORDER", " WHERE c0_i < 4 ORDER")
            rows, every = (
                connection.execute(f"SELECT c1_x {listed}").fetchnumpy()["c1_x"]
                for listed in (few, order)
            )
            assert rows.tolist() == every[:4].tolist()
            read += 1
    assert read >= 6


@pytest.mark.parametrize(
    ("dtype", "kind"),
    [
        ("Int64", Kind.INTEGER),
        ("UInt8", Kind.INTEGER),
        ("Float64", Kind.NUMBER),
        ("boolean", Kind.BOOLEAN),
        ("string", Kind.TEXT),
        ("int64[pyarrow]", Kind.INTEGER),
        ("double[pyarrow]", Kind.NUMBER),
        ("date32[pyarrow]", Kind.DATE),
    ],
)
def test_a_dtype_that_somebody_asked_for_says_what_it_says(dtype: str, kind: Kind) -> None:
    for cells in ([], [None]):
        assert stored_kinds(pd.DataFrame({"x": pd.Series(cells, dtype=dtype)}))["x"][0] is kind


@pytest.mark.parametrize(
    ("cells", "kind", "remedy"),
    [
        ([1, 2], Kind.TEXT, "declare it as integer or number"),
        ([1.5], Kind.BOOLEAN, "declare it as integer or number"),
        ([True], Kind.NUMBER, "declare it as boolean"),
        (["a"], Kind.NUMBER, "declare it as text"),
        ([1j], Kind.NUMBER, "convert it, or remove it"),
        ([pd.Timedelta(1)], Kind.TIMESTAMP, "convert it, or remove it"),
    ],
)
def test_a_column_no_cell_of_which_can_be_of_its_kind_is_refused(
    cells: list[object], kind: Kind, remedy: str
) -> None:
    with pytest.raises(InvalidData, match=f"declared as {kind.value} but stored as .*{remedy}"):
        DuckDB({Table("t", (Column("x", kind),)): pd.DataFrame({"x": cells})})


def test_two_columns_of_one_name_are_refused() -> None:
    with pytest.raises(InvalidData, match="two columns 'x'"):
        source_of(pd.DataFrame([[1, 2]], columns=["x", "x"]))


def test_a_fraction_among_units_changes_no_other_unit() -> None:
    """7 and 7.0 are one unit: it keeps the same values among the different ones."""
    kept = Column("x", Kind.INTEGER)
    table = Table("t", (kept,), unit="who")
    rows = [(who, 100 * who + n) for who in (7, 8, 9) for n in range(40)]
    question = Question(Scan(table), (), (Distinct(Field(kept)), Units(), Counted()))
    weights = Weights(Weighing.L2, 5, 5, 4)
    answers = []
    for units in (rows, [*rows, (None, 1)], [*rows, (np.nan, 1)]):
        frame = pd.DataFrame(units, columns=["who", "x"])
        with DuckDB({table: frame}) as engine:
            answers.append(engine.evaluate(question, weights).tolist())
        answers.append(Memory({table: frame}).evaluate(question, weights).tolist())
    assert len(set(map(str, answers))) == 1
    values = tuple(chain.from_iterable((100 * who + n for n in range(40)) for who in (7, 8, 9)))
    each = Question(Scan(table), (Key(Field(kept), values),), (Units(),))
    frames = [pd.DataFrame(given, columns=["who", "x"]) for given in (rows, [*rows, (7.5, 1)])]
    with DuckDB({table: frames[0]}) as one, DuckDB({table: frames[1]}) as two:
        assert one.evaluate(each, weights).tolist() == two.evaluate(each, weights).tolist()


def test_an_integer_is_divided_or_refused_whatever_is_missing() -> None:
    """A declared integer stays one, and an undeclared number is none, with and without a missing cell."""
    whole = Table("t", (Column("age", Kind.INTEGER, 0, 120),))
    plan = read_sql("SELECT age // 10 AS k, COUNT(*) AS n FROM t GROUP BY k", {"t": whole})
    answers = []
    for cells in ([20, 31, 45], [20, 31, 45, None]):
        with DuckDB({whole: pd.DataFrame({"age": cells})}) as engine:
            answers.append(engine.evaluate(plan.question, Weights(Weighing.L1, 1, 1, 0)).tolist())
    assert answers[0] == answers[1]
