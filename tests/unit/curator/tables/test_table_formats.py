"""Columns in all forms."""

from datetime import date, datetime

import pytest

from tacit.curator.tables.table_formats import (
    as_arrow,
    as_pandas,
    as_polars,
    write_csv,
    write_parquet,
)
from tacit.errors import InvalidInput
from tacit.plan import Kind

KINDS = {
    "yes": Kind.BOOLEAN,
    "n": Kind.INTEGER,
    "x": Kind.NUMBER,
    "word": Kind.TEXT,
    "day": Kind.DATE,
    "at": Kind.TIMESTAMP,
}
COLUMNS = {
    "yes": [True, None],
    "n": [None, 2**53 + 1],
    "x": [0.5, None],
    "word": ["=1+1", None],
    "day": [date(2025, 1, 2), None],
    "at": [datetime(2025, 1, 2, 3), None],  # noqa: DTZ001 -- as policies declare moments
}


def test_every_form_keeps_types_values_and_null(tmp_path):
    arrow, pandas, polars = (
        as_arrow(KINDS, COLUMNS),
        as_pandas(KINDS, COLUMNS),
        as_polars(KINDS, COLUMNS),
    )
    assert [str(field.type) for field in arrow.schema] == [
        "bool",
        "int64",
        "double",
        "string",
        "date32[day]",
        "timestamp[us]",
    ]
    assert arrow.to_pydict() == COLUMNS
    assert polars.to_dict(as_series=False) == COLUMNS
    assert int(pandas["n"][1]) == 2**53 + 1
    assert pandas["n"].isna().tolist() == [True, False]
    write_parquet(tmp_path / "rows.parquet", KINDS, COLUMNS)
    write_csv(tmp_path / "rows.csv", COLUMNS)
    text = (tmp_path / "rows.csv").read_text()
    assert "'=1+1" in text
    assert "2025-01-02" in text


def test_what_cannot_be_written_is_said(tmp_path):
    for write in (
        lambda path: write_csv(path, COLUMNS),
        lambda path: write_parquet(path, KINDS, COLUMNS),
    ):
        with pytest.raises(InvalidInput, match="cannot be written"):
            write(tmp_path / "nowhere" / "rows")
