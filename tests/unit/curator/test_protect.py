"""From a source and a few words about it to a vault; what is declared wrongly is refused at once."""

from datetime import date
from fractions import Fraction

import duckdb
import pyarrow as pa
import pytest

from tacit import protect
from tacit.curator import column_of
from tacit.errors import InvalidInput
from tacit.plan import Column, Kind

ROWS = [{"person": 1, "ward": "A", "cost": 3.0}, {"person": 2, "ward": None, "cost": None}]
ANY = tuple(Kind)
DECLARED = {
    "unit": "person",
    "contributions": 3,
    "columns": {"ward": ["A", "B"], "cost": (0, 10)},
    "epsilon": 3,
}


def vault(**changed):
    return protect(ROWS, **(DECLARED | changed))


def test_a_table_is_protected_in_one_call():
    answer = vault().sql("SELECT ward, COUNT(*) AS n FROM data GROUP BY ward", epsilon=1)
    assert answer.columns == ("ward", "n", "n_low", "n_high")
    assert answer.column("ward") == ["A", "B"]


@pytest.mark.parametrize("contributions", [0, -1, True, 2.5, "3"])
def test_contributions_are_no_nonsense(contributions):
    with pytest.raises(InvalidInput, match="contributions"):
        vault(contributions=contributions)


def test_rows_need_no_contributions():
    assert vault(unit="row", contributions=None).budget.spent == 0


@pytest.mark.parametrize("unit", [None, "", 1, "persons", "Person"])
def test_a_unit_is_a_column_or_row(unit):
    with pytest.raises(InvalidInput):
        vault(unit=unit)


def test_a_column_that_is_not_there_is_named_with_one_that_is():
    with pytest.raises(InvalidInput, match="did you mean 'cost'"):
        vault(columns={"costs": (0, 1)})


@pytest.mark.parametrize(
    ("declared", "column"),
    [
        ((0, 10), Column("x", Kind.NUMBER, 0, 10)),
        ((0.1, 2.5), Column("x", Kind.NUMBER, Fraction(1, 10), Fraction(5, 2))),
        (["a", "b"], Column("x", Kind.TEXT, values=("a", "b"))),
        ([True, False], Column("x", Kind.BOOLEAN, values=(True, False))),
        (
            (date(2025, 1, 1), date(2025, 12, 31)),
            Column("x", Kind.DATE, date(2025, 1, 1), date(2025, 12, 31)),
        ),
        ("integer", Column("x", Kind.INTEGER)),
        (Kind.DATE, Column("x", Kind.DATE)),
        (
            {"type": "integer", "low": 0, "high": 9, "nullable": False},
            Column("x", Kind.INTEGER, 0, 9, nullable=False),
        ),
        (
            {"type": "integer", "low": -0.5, "high": 9.5},
            Column("x", Kind.INTEGER, Fraction(-1, 2), Fraction(19, 2)),
        ),
        (Column("x", Kind.TEXT), Column("x", Kind.TEXT)),
    ],
    ids=str,
)
def test_short_forms_stand_for_columns(declared, column):
    assert column_of("x", declared, ANY) == column


@pytest.mark.parametrize(
    "declared",
    [
        None,
        5,
        "whole number",
        (10, 0),
        (0, 0),
        (0, float("inf")),
        (0, float("nan")),
        (0, "x"),
        (None, None),
        (1, 2, 3),
        ("a", "b"),
        [],
        ["a", "a"],
        ["a", 1],
        ["a", None],
        [1, 1.0],
        [0.0, -0.0],
        [["a"]],
        {"low": 0, "highest": 10},
        {"type": "number", "values": [True]},
        {"type": "integer", "values": ["1"]},
        {"type": "integer", "values": [1.5]},
        {"type": "date", "low": 0, "high": 10},
        {"type": "text", "low": "a", "high": "b"},
        {"type": "boolean", "low": False, "high": True},
        {"type": "number", "low": 0, "high": 1, "nullable": "no"},
        {"values": []},
        Column("y", Kind.TEXT),
        Column("x", Kind.INTEGER, low="a"),
        Column("x", Kind.DATE, values=("2025-01-01",)),
    ],
    ids=str,
)
def test_a_declaration_that_makes_no_sense_is_refused_by_the_name_of_its_column(declared):
    with pytest.raises(InvalidInput, match="'x'"):
        column_of("x", declared, ANY)


def test_the_kind_comes_from_the_type_of_the_source_and_not_from_its_values():
    whole = (Kind.INTEGER, Kind.NUMBER)
    assert column_of("x", (0, 10), whole).kind is Kind.INTEGER
    assert column_of("x", (0, 10.5), whole).kind is Kind.NUMBER
    assert column_of("x", None, (Kind.TEXT,)).kind is Kind.TEXT


def test_a_stream_is_read_once():
    batch = pa.record_batch({"who": [1, 2, 3], "x": [1, 2, 3]})
    stream = pa.RecordBatchReader.from_batches(batch.schema, [batch])
    with protect(
        stream, unit="who", contributions=1, columns={"x": (0, 9)}, epsilon=10**5
    ) as vault:
        (row,) = vault.sql("SELECT COUNT(*) AS n FROM data", epsilon=1000)
        assert row["n"] == 3


def test_a_source_is_described_and_asked_by_one_database(monkeypatch, tmp_path):
    duckdb.sql("SELECT 1 AS patient, 'A' AS ward").write_parquet(str(tmp_path / "visits.parquet"))
    connected, connect = [], duckdb.connect
    monkeypatch.setattr(
        duckdb, "connect", lambda *given: connected.append(given) or connect(*given)
    )
    with protect(
        tmp_path / "visits.parquet",
        unit="patient",
        contributions=1,
        columns={"ward": ["A"]},
        epsilon=1,
    ):
        assert len(connected) == 1
