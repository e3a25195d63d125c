"""Synthetic columns in whatever form people want them: Arrow, pandas, polars, Parquet, CSV."""

from __future__ import annotations

import csv
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tacit.errors import InvalidInput
from tacit.extras import extra
from tacit.plan import Kind
from tacit.printing import spreadsheet_cell

__all__ = ["as_arrow", "as_pandas", "as_polars", "write_csv", "write_parquet"]

Kinds = Mapping[str, Kind]
Columns = Mapping[str, list[Any]]


def as_arrow(kinds: Kinds, columns: Columns) -> Any:
    """The columns as an Arrow table, each of its declared type."""
    with extra("arrow", "to_arrow"):
        import pyarrow as pa

    types = {
        Kind.BOOLEAN: pa.bool_(),
        Kind.INTEGER: pa.int64(),
        Kind.NUMBER: pa.float64(),
        Kind.TEXT: pa.string(),
        Kind.DATE: pa.date32(),
        Kind.TIMESTAMP: pa.timestamp("us"),
    }
    fields = [(name, types[kind]) for name, kind in kinds.items()]
    return pa.table(dict(columns), schema=pa.schema(fields))


def as_pandas(kinds: Kinds, columns: Columns) -> Any:
    """The columns as a pandas DataFrame; whole numbers may be missing."""
    with extra("frames", "to_pandas"):
        import pandas as pd

    return pd.DataFrame(
        {
            name: pd.array(values, "Int64") if kinds[name] is Kind.INTEGER else values
            for name, values in columns.items()
        }
    )


def as_polars(kinds: Kinds, columns: Columns) -> Any:
    """The columns as a polars DataFrame."""
    with extra("frames", "to_polars"):
        import polars as pl

    types: dict[Kind, Any] = {
        Kind.BOOLEAN: pl.Boolean,
        Kind.INTEGER: pl.Int64,
        Kind.NUMBER: pl.Float64,
        Kind.TEXT: pl.String,
        Kind.DATE: pl.Date,
        Kind.TIMESTAMP: pl.Datetime("us"),
    }
    schema = {name: types[kind] for name, kind in kinds.items()}
    return pl.DataFrame(dict(columns), schema=schema)


def write_parquet(path: str | Path, kinds: Kinds, columns: Columns) -> None:
    """Write the columns to a Parquet file."""
    with extra("arrow", "to_parquet"):
        from pyarrow import parquet

    table = as_arrow(kinds, columns)
    with _writing(path):
        parquet.write_table(table, str(path))


def write_csv(path: str | Path, columns: Columns) -> None:
    """Write the columns to a CSV file; a text that a spreadsheet would compute gets a '."""
    with _writing(path), Path(path).open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\r\n")
        lines.writerow([spreadsheet_cell(name) for name in columns])
        for row in zip(*columns.values(), strict=True):
            lines.writerow(
                [spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row]
            )


class _writing:  # noqa: N801 -- read as a word: with writing(path)
    """A while in which a file is written; where that cannot be, the error says so."""

    def __init__(self, path: str | Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, _: object
    ) -> None:
        if isinstance(error, OSError):
            why = f"it cannot be written ({str(error.strerror).lower()}); name a file that you may write"
            raise InvalidInput("path", str(self.path), why) from None
