"""The rows of a source in memory: records with cells of declared kinds, or columns that an engine takes over.

Checked by: tests/unit/engines/sources/test_text_files.py
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn

from numpy.typing import NDArray

from tacit.engines.sources.path_to_unit import Linked, linked_rows
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.python_cells import (
    array_of,
    arrow_cells,
    read_object,
    unit_of,
    units_array,
)
from tacit.engines.sources.source_kinds import (
    Frame,
    JsonLines,
    Listed,
    Pandas,
    Parquet,
    ParquetFiles,
    Separated,
    Source,
    Stored,
    source_of,
)
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.sources.text_cells import Dialect
from tacit.errors import InvalidData
from tacit.extras import extra
from tacit.frozen import frozen
from tacit.plan import Kind, Row, Table, Value, clamp_cell

__all__ = [
    "Owned",
    "arrays_of",
    "check_columns",
    "check_path",
    "check_unique",
    "needed_columns",
    "not_unique",
    "rows_of",
]


@frozen
class Owned:
    """A row and whose it is; None is nobody."""

    unit: Hashable
    cells: Row


def needed_columns(table: Table) -> list[str]:
    """The columns that a table needs from its source: those declared, and the unit's."""
    return list(
        dict.fromkeys(
            [*(column.name for column in table.columns), *([table.unit] if table.unit else [])]
        )
    )


def check_columns(names: Collection[str] | None, table: Table) -> None:
    """Refuse a source that lacks a column; None is a list without rows, which lacks nothing."""
    if names is None:
        return
    for name in needed_columns(table):
        if name not in names:
            near = get_close_matches(name.lower(), [other.lower() for other in names], n=1)
            meant = [other for other in sorted(names) if other.lower() in near]
            remedy = f"did you mean {meant[0]!r}?" if meant else "declare only columns that it has"
            raise InvalidData(
                f"the source of table {table.name!r} has no column {name!r}; {remedy}"
            )


def rows_of(given: object, table: Table) -> list[Owned]:
    """All rows of a source, with the declared columns as values."""
    records, read = _records(source_of(given), table, needed_columns(table))
    check_columns({name for record in records for name in record} if records else None, table)
    return [_own_row(record, table, read) for record in records]


_Reader = Callable[[object, Kind | None], Any]
"""How a cell is read as a kind, or, without one, as a unit or a key."""


def _records(
    source: Source, table: Table, needed: Sequence[str]
) -> tuple[Sequence[Mapping[str, object]], _Reader]:
    """The raw rows of a source, of which some columns are needed, and how their cells are read."""
    match source:
        case Listed(rows):
            return rows, _read_object
        case Frame(frame):
            return _arrow_rows(
                frame.to_arrow() if hasattr(frame, "to_arrow") else frame
            ), _read_object
        case Pandas(frame):
            from tacit.engines.sources.pandas_frames import series_cells

            return _rows_from(
                {name: series_cells(frame[name]) for name in frame.columns}, len(frame)
            ), _read_object
        case Separated(path, dialect):
            from tacit.engines.sources.text_files import separated_rows

            return list(separated_rows(path, dialect, needed)), lambda cell, kind: _read_text(
                cell, kind, dialect
            )
        case JsonLines(path):
            from tacit.engines.sources.text_files import json_rows

            return json_rows(path), read_json
        case Parquet(path):
            return _parquet_rows(path), _read_object
        case ParquetFiles(paths, names, cells):
            found = []
            for path, texts in zip(paths, cells, strict=True):
                below = {
                    name: None if text is None else _FolderName(text)
                    for name, text in zip(names, texts, strict=True)
                }
                found += [{**row, **below} for row in _parquet_rows(path)]
            return found, _read_with_folders
        case Stored():
            raise InvalidData(
                "the memory engine cannot read DuckDB files; give it a frame or a list"
            )
        case PostgresTable() | SparkTable():
            raise InvalidData("a table on a server is read there; use the engine Postgres or Spark")
        case Linked(inner, steps):
            check_path(source, table)
            own = [column.name for column in table.columns]
            rows, read = _records(source_of(inner), table, [*own, steps[0].column])
            _check_has(rows, table, steps[0].column)
            links = []
            for step, end in source.ends():
                others, read_other = _records(source_of(step.source), table, [step.key, end])
                _check_has(others, table, step.key, end)
                links.append(
                    (step.column, [_link(other, step.key, end, read_other) for other in others])
                )
            first = steps[0].column
            keyed = [{**row, first: _key(row.get(first), read)} for row in rows]
            linked = linked_rows(keyed, links, source.path, unit_of)
            return [
                {**row, source.path: each[source.path]}
                for row, each in zip(rows, linked, strict=True)
            ], read


def _read_object(raw: object, kind: Kind | None) -> Any:
    return unit_of(raw) if kind is None else read_object(raw, kind)


def read_json(raw: object, kind: Kind | None) -> Any:
    """A value of JSON as a kind: texts are read as a text file's, since JSON has neither dates nor times.

    >>> read_json("2024-01-31", Kind.DATE), read_json(18.0, Kind.INTEGER), read_json(["A"], Kind.TEXT)
    (19753, 18, None)
    """
    if isinstance(raw, str) and kind is not None:
        return Dialect().read(raw, kind)
    return None if isinstance(raw, list | dict) else _read_object(raw, kind)


class _FolderName(str):
    """A cell that the name of a folder says, which is a text whatever it looks like."""

    __slots__ = ()


def _read_with_folders(raw: object, kind: Kind | None) -> Any:
    if isinstance(raw, _FolderName):
        return _read_text(str(raw), kind, Dialect())
    return _read_object(raw, kind)


def _parquet_rows(path: Path) -> list[Mapping[str, object]]:
    with extra("arrow", "the memory engine"):
        from pyarrow.parquet import read_table

    return _arrow_rows(read_table(path, partitioning=None))


def _read_text(cell: object, kind: Kind | None, dialect: Dialect) -> Any:
    if not isinstance(cell, str):  # a cell that is missing, or a unit that a link has found
        return unit_of(cell) if kind is None else None
    return dialect.read(cell, Kind.TEXT if kind is None else kind)


def _key(raw: object, read: _Reader) -> object:
    """A key as it is stored; a word of a text file that stands for nothing leads nowhere."""
    return read(raw, None) if isinstance(raw, str) else raw


def _link(row: Mapping[str, object], key: str, end: str, read: _Reader) -> tuple[object, object]:
    return _key(row.get(key), read), _key(row.get(end), read)


def _rows_from(columns: Mapping[str, list[Any]], rows: int) -> list[Mapping[str, object]]:
    names = list(columns)
    cells = [columns[name] for name in names]
    return (
        [dict(zip(names, row, strict=True)) for row in zip(*cells, strict=True)]
        if names
        else [{}] * rows
    )


def _arrow_rows(table: Any) -> list[Mapping[str, object]]:
    return _rows_from(
        {name: arrow_cells(table.column(name)) for name in table.column_names}, table.num_rows
    )


def check_path(source: Linked, table: Table) -> None:
    """Refuse a table whose unit is not the end of the path that its source takes."""
    if table.unit != source.path:
        raise InvalidData(
            f"table {table.name!r} declares the unit {table.unit!r}, but its source leads to "
            f"{source.path!r}; declare the whole path as its unit"
        )


def _check_has(records: Sequence[Mapping[str, object]], table: Table, *names: str) -> None:
    for name in names if records else ():
        check_columns(
            {each for record in records for each in record}, Table(table.name, (), unit=name)
        )


def check_unique(rows: Sequence[Owned], table: Table) -> None:
    """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
    for name in table.unique if table.public else ():
        column = next(column for column in table.columns if column.name == name)
        cells = [
            cell
            for cell in (clamp_cell(row.cells[name], column) for row in rows)
            if cell is not None
        ]
        if len(set(cells)) < len(cells):
            not_unique(table, name)


def not_unique(table: Table, name: str) -> NoReturn:
    """Refuse a column that is not unique."""
    raise InvalidData(
        f"column {name!r} of the public table {table.name!r} contains a value twice; remove it "
        "from `unique`"
    )


def arrays_of(
    given: Listed | Pandas | JsonLines, table: Table, *, keys: bool = False
) -> dict[str, tuple[Kind, NDArray[Any]]]:
    """Rows as columns that a columnar engine can take over, each with its kind; the unit's column is called ``""``.

    With `keys`, that column holds foreign keys.
    """
    if isinstance(given, Pandas):
        return _frame_arrays(given.frame, table, keys=keys)
    rows, read = _records(given, table, needed_columns(table))
    check_columns({name for row in rows for name in row} if rows else None, table)
    found = {}
    for column in table.columns:
        cells = [read(row.get(column.name), column.kind) for row in rows]
        found[column.name] = column.kind, array_of(cells, column.kind)
    if table.unit is not None:
        found[""] = units_array(
            [read(row.get(table.unit), None) for row in rows], table.unit, keys=keys
        )
    return found


def _frame_arrays(frame: Any, table: Table, *, keys: bool) -> dict[str, tuple[Kind, NDArray[Any]]]:
    from tacit.engines.sources.pandas_frames import check_dtype, series_array, series_units

    check_columns([str(name) for name in frame.columns], table)
    for column in table.columns:
        check_dtype(frame[column.name].dtype, column, table)
    found = {
        column.name: (column.kind, series_array(frame[column.name], column.kind))
        for column in table.columns
    }
    if table.unit is not None:
        found[""] = series_units(frame[table.unit], table.unit, keys=keys)
    return found


def _own_row(record: Mapping[str, object], table: Table, read: _Reader) -> Owned:
    cells: dict[str, Value] = {
        column.name: read(record.get(column.name), column.kind) for column in table.columns
    }
    return Owned(None if table.unit is None else read(record.get(table.unit), None), cells)
