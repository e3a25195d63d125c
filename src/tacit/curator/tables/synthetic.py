"""A synthetic table: rows that look like a table's own, made from one release, in whatever form
people want them."""

import csv
from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from tacit.curator.answer.release import Price
from tacit.curator.tables.columns import CodedColumn
from tacit.curator.tables.report import SyntheticReport, report_on
from tacit.curator.tables.rules import Rule
from tacit.errors import InvalidInput
from tacit.exact import count_of
from tacit.extras import extra
from tacit.plan import Kind
from tacit.printing import printable, spreadsheet_cell
from tacit.synth import Model, uniforms

__all__ = ["SyntheticTable"]

_TRIES = 20
_SHOWN = 5


class SyntheticTable:
    """Rows that nobody owns, drawn from what was released of a table; more of them are free.

    The rows are a function of the release: the same call gives the same rows.  `columns` are those
    of the table that have declared values or bounds; `not_modelled` names the others.
    """

    def __init__(
        self,
        name: str,
        columns: tuple[CodedColumn, ...],
        model: Model,
        rules: tuple[Rule, ...],
        not_modelled: tuple[str, ...],
        price: Price,
        receipt: Mapping[str, Any],
    ) -> None:
        self.name, self.not_modelled, self.price, self.receipt = name, not_modelled, price, receipt
        self._columns, self._model, self._rules = columns, model, rules
        self._made: dict[int, dict[str, list[Any]]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(each.name for each in self._columns)

    def __len__(self) -> int:
        return max(1, round(self._model.total))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        names, columns = self.columns, self.columns_of()
        return (dict(zip(names, row, strict=True)) for row in zip(*columns.values(), strict=True))

    def columns_of(self, rows: int | None = None) -> dict[str, list[Any]]:
        """The values of all columns by name, of so many rows: as many as the table has by the
        release, if not said."""
        count = len(self) if rows is None else count_of(rows, "rows")
        if count not in self._made:
            self._made = {count: self._draw(count)}
        return self._made[count]

    def to_arrow(self, rows: int | None = None) -> Any:
        """The rows as an Arrow table, each column of its declared type."""
        with extra("arrow", "to_arrow"):
            import pyarrow as pa

        kinds = {
            Kind.BOOLEAN: pa.bool_(),
            Kind.INTEGER: pa.int64(),
            Kind.NUMBER: pa.float64(),
            Kind.TEXT: pa.string(),
            Kind.DATE: pa.date32(),
            Kind.TIMESTAMP: pa.timestamp("us"),
        }
        fields = [(each.name, kinds[each.column.kind]) for each in self._columns]
        return pa.table(self.columns_of(rows), schema=pa.schema(fields))

    def to_pandas(self, rows: int | None = None) -> Any:
        """The rows as a pandas DataFrame."""
        with extra("frames", "to_pandas"):
            import pandas as pd

        whole = {each.name for each in self._columns if each.column.kind is Kind.INTEGER}
        found = self.columns_of(rows)
        return pd.DataFrame(
            {
                name: pd.array(values, "Int64") if name in whole else values
                for name, values in found.items()
            }
        )

    def to_polars(self, rows: int | None = None) -> Any:
        """The rows as a polars DataFrame."""
        with extra("frames", "to_polars"):
            import polars as pl

        kinds: dict[Kind, Any] = {
            Kind.BOOLEAN: pl.Boolean,
            Kind.INTEGER: pl.Int64,
            Kind.NUMBER: pl.Float64,
            Kind.TEXT: pl.String,
            Kind.DATE: pl.Date,
            Kind.TIMESTAMP: pl.Datetime("us"),
        }
        return pl.DataFrame(
            self.columns_of(rows),
            schema={each.name: kinds[each.column.kind] for each in self._columns},
        )

    def to_parquet(self, path: str | Path, rows: int | None = None) -> None:
        """Write the rows to a Parquet file."""
        with extra("arrow", "to_parquet"):
            from pyarrow import parquet

        table = self.to_arrow(rows)
        with _writing(path):
            parquet.write_table(table, str(path))

    def to_csv(self, path: str | Path, rows: int | None = None) -> None:
        """Write the rows to a CSV file; a text that a spreadsheet would compute gets a '."""
        found = self.columns_of(rows)
        with _writing(path), Path(path).open("w", encoding="utf-8", newline="") as file:
            lines = csv.writer(file, lineterminator="\r\n")
            lines.writerow([spreadsheet_cell(name) for name in found])
            for row in zip(*found.values(), strict=True):
                lines.writerow(
                    [spreadsheet_cell(cell) if isinstance(cell, str) else cell for cell in row]
                )

    def report(self) -> SyntheticReport:
        """How far the table's pairs of columns are from the real ones, by the release alone, and
        what not to ask it."""
        return self._report

    @cached_property
    def _report(self) -> SyntheticReport:
        return report_on(self.name, self._columns, self._model, self.not_modelled)

    def __str__(self) -> str:
        rows = list(self._draw(min(len(self), _SHOWN)).items())
        shown = [
            f"  {printable(name)}: {', '.join(_show(value) for value in values[:_SHOWN])}, …"
            for name, values in rows
        ]
        lines = [
            f"{len(self):,} synthetic rows of {printable(self.name)}; cost: {self.price}",
            *shown,
        ]
        if self.not_modelled:
            lines.append(
                f"without {', '.join(map(printable, self.not_modelled))}: no values or bounds are declared"
            )
        return "\n".join(lines)

    __repr__ = __str__

    def _draw(self, count: int) -> dict[str, list[Any]]:
        """So many rows; those that break a rule inside their cells are drawn again, and at last
        left out."""
        columns = self._columns
        forbidden = [rule.forbid(columns) for rule in self._rules]
        places = self._model.rows(count, forbidden)
        inside = uniforms(places.size, 21).reshape(places.shape)
        values = self._decode(places, inside)
        loose = [
            rule
            for rule in self._rules
            if not all(each.is_exact for each in columns if each.name in rule.names)
        ]
        for attempt in range(_TRIES if loose else 0):
            bad = np.logical_or.reduce([rule.breaks(columns, values) for rule in loose])
            if not bad.any():
                return values
            inside[bad] = uniforms(int(bad.sum()) * places.shape[1], 22, attempt).reshape(
                -1, places.shape[1]
            )
            values = self._decode(places, inside)
        if loose:
            kept = ~np.logical_or.reduce([rule.breaks(columns, values) for rule in loose])
            values = {
                name: [each for each, keep in zip(found, kept, strict=True) if keep]
                for name, found in values.items()
            }
        return values

    def _decode(self, places: Any, inside: Any) -> dict[str, list[Any]]:
        return {
            each.name: each.decode(places[:, at], inside[:, at])
            for at, each in enumerate(self._columns)
        }


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


def _show(value: Any) -> str:
    return (
        "NULL"
        if value is None
        else printable(f"{value:.6g}" if isinstance(value, float) else str(value))
    )
