"""A synthetic table: rows that look like a table's own, made from one release, in whatever form
people want them.

Checked by: tests/unit/curator/tables/test_synthesize.py
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

from tacit.curator.answer.release import Price
from tacit.curator.tables.column_codes import CodedColumn, find_lattice
from tacit.curator.tables.enforce_row_rules import decode_rows
from tacit.curator.tables.quality_report import SyntheticReport, report_on
from tacit.curator.tables.row_rules import Rule
from tacit.curator.tables.table_formats import (
    as_arrow,
    as_pandas,
    as_polars,
    write_csv,
    write_parquet,
)
from tacit.exact import count_of
from tacit.plan import Column, Kind
from tacit.printing import printable
from tacit.synth import Model

__all__ = ["SyntheticTable"]

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
        found = enumerate(columns)
        self._columns = tuple(find_lattice(each, model.marginal([at])) for at, each in found)
        self._model, self._rules = model, rules
        self._made: dict[int, dict[str, list[Any]]] = {}

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of its columns."""
        return tuple(each.name for each in self._columns)

    @property
    def kinds(self) -> dict[str, Kind]:
        """The kind of every column, as it is declared."""
        return {each.name: each.column.kind for each in self._columns}

    @property
    def declared(self) -> tuple[Column, ...]:
        """What is declared of its columns: as of any public table."""
        return tuple(each.column for each in self._columns)

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
        return as_arrow(self.kinds, self.columns_of(rows))

    def to_pandas(self, rows: int | None = None) -> Any:
        """The rows as a pandas DataFrame."""
        return as_pandas(self.kinds, self.columns_of(rows))

    def to_polars(self, rows: int | None = None) -> Any:
        """The rows as a polars DataFrame."""
        return as_polars(self.kinds, self.columns_of(rows))

    def to_parquet(self, path: str | Path, rows: int | None = None) -> None:
        """Write the rows to a Parquet file."""
        write_parquet(path, self.kinds, self.columns_of(rows))

    def to_csv(self, path: str | Path, rows: int | None = None) -> None:
        """Write the rows to a CSV file; a text that a spreadsheet would compute gets a '."""
        write_csv(path, self.columns_of(rows))

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
        """So many rows; those that break a rule at last are left out."""
        forbidden = [rule.forbid(self._columns) for rule in self._rules]
        places = self._model.rows(count, forbidden)
        values, kept = decode_rows(self._columns, places, self._rules, (21, 22))
        if kept.all():
            return values
        return {
            name: [each for each, keep in zip(found, kept, strict=True) if keep]
            for name, found in values.items()
        }


def _show(value: Any) -> str:
    return (
        "NULL"
        if value is None
        else printable(f"{value:.6g}" if isinstance(value, float) else str(value))
    )
