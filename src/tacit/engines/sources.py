"""Where rows come from: files, frames and lists, told apart by what they are and never by what they hold."""

import csv
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping, Sequence
from datetime import date, datetime
from decimal import Decimal
from difflib import get_close_matches
from math import isfinite
from numbers import Integral
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from tacit.engines.headers import check_names
from tacit.engines.linked import Linked, linked_rows
from tacit.errors import InvalidData
from tacit.extras import extra
from tacit.frozen import frozen
from tacit.plan import INT64, Kind, Row, Table, Value, held, parsed, plain

__all__ = [
    "Frame",
    "Listed",
    "Owned",
    "Parquet",
    "Separated",
    "Source",
    "Stored",
    "arrays_of",
    "check_columns",
    "check_path",
    "header_of",
    "check_unique",
    "not_unique",
    "rows_of",
    "source_of",
    "wanted",
]


@frozen
class Owned:
    """A row and whose it is; None is nobody."""

    unit: Hashable
    cells: Row


@frozen
class Parquet:
    """A Parquet file, read anew for every question."""

    path: Path


@frozen
class Separated:
    """A file of text with a header, read once; every cell is text, and what a kind cannot read is NULL."""

    path: Path
    separator: str


@frozen
class Stored:
    """A table in a file of DuckDB: made by `ingest`, or called `table`, or as the declared table is."""

    path: Path
    table: str | None = None


@frozen
class Frame:
    """A table in memory whose columns have types: pandas, polars or Arrow; copied once."""

    frame: Any


@frozen
class Listed:
    """Rows as Python mappings; a cell that is not of the declared kind is NULL."""

    rows: Sequence[Mapping[str, object]]


Source = Parquet | Separated | Stored | Frame | Listed | Linked
"""Where the rows of a table come from."""

_FILES: dict[str, Callable[[Path], Source]] = {
    ".parquet": Parquet,
    ".pq": Parquet,
    ".csv": lambda path: Separated(path, ","),
    ".tsv": lambda path: Separated(path, "\t"),
    ".duckdb": Stored,
}
_SEPARATORS = (";", "\t", "|", ",")
_REMEDY = "give a path to Parquet, CSV or DuckDB, a frame of pandas, polars or Arrow, or a list of dictionaries"


def source_of(given: object) -> Source:
    """The source that a path, a frame or a list is.

    >>> source_of([{"ward": "A"}])
    Listed(rows=[{'ward': 'A'}])
    """
    if isinstance(given, str | Path):
        return _file(Path(given))
    if isinstance(given, Source):
        return given
    if isinstance(given, Sequence) and all(isinstance(row, Mapping) for row in given):
        return Listed(given)
    library = type(given).__module__.partition(".")[0]
    if library == "pandas" and hasattr(given, "dtypes"):
        return _pandas(given)
    if library == "polars" and hasattr(given, "collect_schema"):
        return Frame(given.collect() if hasattr(given, "collect") else given)
    if library == "pyarrow" and hasattr(given, "schema"):
        return Frame(given.read_all() if hasattr(given, "read_all") else given)
    raise InvalidData(f"rows cannot come from a {type(given).__name__}; {_REMEDY}")


def wanted(table: Table) -> list[str]:
    """The columns that a table needs from its source: those declared, and the unit's."""
    return list(dict.fromkeys([*(column.name for column in table.columns), *([table.unit] if table.unit else [])]))


def check_columns(names: Collection[str] | None, table: Table) -> None:
    """Refuse a source that lacks a column; None is a list without rows, which lacks nothing."""
    if names is None:
        return
    for name in wanted(table):
        if name not in names:
            near = get_close_matches(name.lower(), [other.lower() for other in names], n=1)
            meant = [other for other in sorted(names) if other.lower() in near]
            remedy = f"did you mean {meant[0]!r}?" if meant else "declare the columns that it has"
            raise InvalidData(f"the source of table {table.name!r} has no column {name!r}; {remedy}")


def rows_of(given: object, table: Table) -> list[Owned]:
    """All rows of a source, with the declared columns as values."""
    records, read = _records(source_of(given), table)
    check_columns({name for record in records for name in record} if records else None, table)
    return [_owned(record, table, read) for record in records]


def _records(source: Source, table: Table) -> tuple[Sequence[Mapping[str, object]], Callable[[object, Kind], Value]]:
    """The raw rows of a source, and how their cells are read."""
    match source:
        case Listed(rows):
            return rows, plain
        case Frame(frame) if hasattr(frame, "to_pylist"):
            return frame.to_pylist(), plain
        case Frame(frame):
            return frame.to_dicts() if hasattr(frame, "to_dicts") else frame.to_dict("records"), plain
        case Separated(path, separator):
            return list(_separated(path, separator)), _parsed
        case Parquet(path):
            with extra("arrow", "the memory engine"):
                from pyarrow.parquet import read_table

            return read_table(path).to_pylist(), plain
        case Stored():
            raise InvalidData("the memory engine does not read files of DuckDB; give it a frame or a list")
        case Linked(inner, steps):
            check_path(source, table)
            rows, read = _records(source_of(inner), table)
            _check_has(rows, table, steps[0].column)
            links = []
            for step, end in source.ends():
                others, _ = _records(source_of(step.source), table)
                _check_has(others, table, step.key, end)
                links.append((step.column, [(other.get(step.key), other.get(end)) for other in others]))
            return linked_rows(rows, links, source.path, _unit), read


def check_path(source: Linked, table: Table) -> None:
    """Refuse a table whose unit is not the end of the path that its source takes."""
    if table.unit != source.path:
        raise InvalidData(
            f"table {table.name!r} declares the unit {table.unit!r}, and its source leads to {source.path!r}; "
            "declare the whole path as its unit"
        )


def _check_has(records: Sequence[Mapping[str, object]], table: Table, *names: str) -> None:
    for name in names if records else ():
        check_columns({each for record in records for each in record}, Table(table.name, (), unit=name))


def check_unique(rows: Sequence[Owned], table: Table) -> None:
    """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
    for name in table.unique if table.public else ():
        column = next(column for column in table.columns if column.name == name)
        cells = [cell for cell in (held(row.cells[name], column) for row in rows) if cell is not None]
        if len(set(cells)) < len(cells):
            not_unique(table, name)


def not_unique(table: Table, name: str) -> NoReturn:
    """Refuse a column that is not unique."""
    raise InvalidData(
        f"column {name!r} of the public table {table.name!r} holds a value twice; leave it out of `unique`"
    )


def arrays_of(rows: Sequence[Mapping[str, object]], table: Table) -> dict[str, tuple[Kind, NDArray[Any]]]:
    """Rows as columns that a columnar engine can take over, each with its kind; the unit's column is called ``""``.

    NULL is masked; in numbers it is NaN, which is read as NULL.  Dates and timestamps are integers.
    """
    check_columns({name for row in rows for name in row} if rows else None, table)
    found = {
        column.name: (column.kind, _array([plain(row.get(column.name), column.kind) for row in rows], column.kind))
        for column in table.columns
    }
    if table.unit is not None:
        units = [_unit(row.get(table.unit)) for row in rows]
        kind = _unit_kind(units, table.unit)
        if kind is Kind.INTEGER and any(isinstance(unit, int) and not INT64[0] <= unit <= INT64[1] for unit in units):
            kind, units = Kind.TEXT, [None if unit is None else str(unit) for unit in units]
        found[""] = kind, _array([plain(unit, kind) for unit in units], kind)
    return found


def _file(path: Path) -> Source:
    if path.suffix.lower() not in _FILES:
        raise InvalidData(f"files that end in {path.suffix!r} cannot be read; {_REMEDY}")
    if not path.is_file():
        beside = [other.name for other in path.parent.glob("*") if other.is_file()] if path.parent.is_dir() else []
        near = get_close_matches(path.name, beside, n=1)
        raise InvalidData(f"there is no file {str(path)!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
    if set("*?[") & set(str(path)):
        raise InvalidData(f"the path {str(path)!r} holds one of * ? [, which stand for many files; rename it")
    return _FILES[path.suffix.lower()](path.resolve())


def _pandas(frame: Any) -> Source:
    """A frame of pandas; one with columns of mere Python objects is read object by object."""
    if any(str(kind) == "object" for kind in frame.dtypes):
        return Listed(frame.to_dict("records"))
    return Frame(frame)


def header_of(path: Path, separator: str) -> list[str]:
    """The names in the first line of a text file, which are public; one that is empty is called after its place."""
    try:
        with path.open(encoding="utf-8-sig", errors="replace", newline="") as file:
            cells = next(csv.reader(file, delimiter=separator), [])
    except (OSError, csv.Error):
        cells = []
    names = [cell or f"column {place}" for place, cell in enumerate(cells, start=1)]
    if not names:
        raise InvalidData(
            f"{path.name} cannot be read; check that it is whole and of its kind, and that you may read it"
        )
    other = next((mark for mark in _SEPARATORS if len(names) == 1 and mark in names[0]), None)
    if other is not None:
        raise InvalidData(
            f"{path.name} seems to be separated by {other!r}, and {separator!r} is expected; write it so, with "
            "points in decimal numbers"
        )
    check_names(names, path.name, "give them different names in its first line")
    return names


def _separated(path: Path, separator: str) -> Iterator[Mapping[str, object]]:
    """The rows of a text file; one with too few cells, or that is no UTF-8, is left out."""
    names = header_of(path, separator)
    with path.open(encoding="utf-8-sig", errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, delimiter=separator)
        next(reader, None)
        for cells in reader:
            if len(cells) >= len(names) and "".join(cells).encode("utf-8", "replace").decode() == "".join(cells):
                yield {name: cell or None for name, cell in zip(names, cells, strict=False)}


def _parsed(cell: object, kind: Kind) -> Value:
    return None if cell is None else parsed(str(cell), kind)


def _owned(record: Mapping[str, object], table: Table, read: Callable[[object, Kind], Value]) -> Owned:
    cells = {column.name: read(record.get(column.name), column.kind) for column in table.columns}
    return Owned(None if table.unit is None else _unit(record.get(table.unit)), cells)


def _unit(raw: object) -> Any:
    """Whose a row is: any value that is equal to itself; NaN, infinities and missing values are nobody."""
    match raw:
        case bool() | np.bool_():
            return bool(raw)
        case Integral():
            return int(raw)
        case float() | np.floating():
            return float(raw) if isfinite(raw) else None
        case Decimal():
            return raw if raw.is_finite() else None
        case str():
            return plain(raw, Kind.TEXT)
        case date():
            return raw if raw == raw else None  # noqa: PLR0124 -- a missing timestamp is not equal to itself
        case _:
            return None


def _unit_kind(units: Iterable[object], name: str) -> Kind:
    """The first kind that all units are of."""
    present = [unit for unit in units if unit is not None]
    for kind in (Kind.BOOLEAN, Kind.INTEGER, Kind.TEXT, Kind.DATE):
        if all(plain(unit, kind) is not None for unit in present):
            return kind
    if all(isinstance(unit, datetime) for unit in present):
        return Kind.TIMESTAMP
    if all(plain(unit, Kind.NUMBER) == unit for unit in present):  # exactly: two units never become one
        return Kind.NUMBER
    raise InvalidData(f"the units in column {name!r} are of several kinds; store them all as text or as integers")


def _array(values: list[Value], kind: Kind) -> NDArray[Any]:
    missing = [value is None for value in values]
    match kind:
        case Kind.TEXT:
            return np.array([*values, None], dtype=object)[:-1]
        case Kind.NUMBER:
            return np.array([np.nan if value is None else value for value in values], dtype=np.float64)
        case Kind.BOOLEAN:
            return np.ma.MaskedArray(np.array([bool(value) for value in values], dtype=np.bool_), missing)
        case Kind.INTEGER | Kind.DATE | Kind.TIMESTAMP:
            return np.ma.MaskedArray(np.array([0 if value is None else value for value in values], np.int64), missing)
