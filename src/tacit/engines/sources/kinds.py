"""Where rows come from: files, frames and lists, told apart by what they are and never by what they hold."""

import csv
from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, NoReturn
from weakref import WeakSet

from numpy.typing import NDArray

from tacit.engines.sources.column_names import check_names
from tacit.engines.sources.foreign_keys import Linked, linked_rows
from tacit.engines.sources.pandas_frames import (
    check_dtype,
    series_array,
    series_cells,
    series_units,
)
from tacit.engines.sources.python_cells import (
    array_of,
    arrow_cells,
    read_object,
    unit_of,
    units_array,
)
from tacit.engines.sources.text_format import DIALECT_WORDS, Dialect, dialect_of
from tacit.errors import InvalidData, InvalidInput
from tacit.extras import extra
from tacit.frozen import frozen
from tacit.plan import Kind, Row, Table, Value, clamp_cell

__all__ = [
    "Frame",
    "Listed",
    "Owned",
    "Pandas",
    "Parquet",
    "Separated",
    "Source",
    "Stored",
    "arrays_of",
    "check_columns",
    "check_path",
    "check_unique",
    "declared_format",
    "every_row",
    "guess_format",
    "header_of",
    "not_unique",
    "rows_of",
    "separated_rows",
    "source_of",
    "needed_columns",
    "with_format",
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
    """A file of text with a header, read once; every cell is text, and what its dialect cannot read is NULL."""

    path: Path
    dialect: Dialect


@frozen
class Stored:
    """A table in a file of DuckDB: made by `ingest`, or called `table`, or as the declared table is."""

    path: Path
    table: str | None = None


@frozen
class Frame:
    """A table in memory whose columns have types: polars or Arrow; copied once."""

    frame: Any


@frozen
class Pandas:
    """A frame of pandas, whose columns have types that one cell may change: cells are read as declared; copied once."""

    frame: Any


@frozen
class Listed:
    """Rows as Python mappings; a cell that is not of the declared kind is NULL."""

    rows: Sequence[Mapping[str, object]]


Source = Parquet | Separated | Stored | Frame | Pandas | Listed | Linked
"""Where the rows of a table come from."""

_FILES: dict[str, Callable[[Path], Source]] = {
    ".parquet": Parquet,
    ".pq": Parquet,
    ".csv": lambda path: Separated(path, Dialect(",")),
    ".tsv": lambda path: Separated(path, Dialect("\t")),
    ".duckdb": Stored,
}
_SEPARATORS = (";", "\t", "|", ",")
_REMEDY = (
    "give a path to a Parquet, CSV or DuckDB file, a pandas, polars or Arrow frame, or a list of "
    "dictionaries"
)


_LONGEST_CELL = (1 << 31) - 1
"""So many characters of a cell Python's reader takes; beyond its own limit it would give up the whole file."""

_READ: WeakSet[Any] = WeakSet()
"""Streams that were read: they are empty from then on, and no table is."""


def source_of(given: object) -> Source:
    """The source that a path, a frame or a list is; what can be read only once is read here, or refused.

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
    if library == "pyarrow" and hasattr(given, "read_all"):
        return Frame(_arrow(_read_once(given)))
    if library == "polars" and hasattr(given, "collect_schema"):
        return Frame(given.collect() if hasattr(given, "collect") else given)
    if library == "pyarrow" and hasattr(given, "schema"):
        return Frame(_arrow(given))
    if isinstance(given, Iterator):
        raise InvalidData(
            "rows cannot come from an iterator, which can be read only once; give list(...) of it"
        )
    raise InvalidData(f"rows cannot come from a {type(given).__name__}; {_REMEDY}")


def with_format(source: Source, given: Mapping[str, Any]) -> Source:
    """The source, its text read as a format declares; refused where there is no text."""
    if not isinstance(source, Separated):
        raise InvalidInput(
            "format", sorted(given), "remove it: only text files, such as CSV, have a format"
        )
    return replace(source, dialect=dialect_of(given, source.dialect.separator))


def declared_format(source: Source) -> dict[str, Any]:
    """What is declared of how a text file is written, in the words of a policy; nothing of any other source.

    >>> declared_format(Separated(Path("visits.csv"), Dialect(decimal=",", separator=";")))
    {'separator': ';', 'decimal': ','}
    """
    if not isinstance(source, Separated):
        return {}
    usual = Dialect("\t" if source.path.suffix.lower() == ".tsv" else ",")
    given = {word: (getattr(source.dialect, word), getattr(usual, word)) for word in DIALECT_WORDS}
    return {word: one for word, (one, other) in given.items() if one != other}


def _read_once(stream: Any) -> Any:
    """The rows of a stream, which is empty afterwards and would be taken for a table without rows."""
    if stream in _READ:
        raise InvalidData(
            "a stream can be read only once, and this one has been; give the table that it "
            "was read into"
        )
    _READ.add(stream)
    return stream.read_all()


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
    records, read = _records(source_of(given), table)
    check_columns({name for record in records for name in record} if records else None, table)
    return [_own_row(record, table, read) for record in records]


_Reader = Callable[[object, Kind | None], Any]
"""How a cell is read as a kind, or, without one, as a unit or a key."""


def _records(source: Source, table: Table) -> tuple[Sequence[Mapping[str, object]], _Reader]:
    """The raw rows of a source, and how their cells are read."""
    match source:
        case Listed(rows):
            return rows, _read_object
        case Frame(frame):
            return _arrow_rows(
                frame.to_arrow() if hasattr(frame, "to_arrow") else frame
            ), _read_object
        case Pandas(frame):
            return _rows_from(
                {name: series_cells(frame[name]) for name in frame.columns}, len(frame)
            ), _read_object
        case Separated(path, dialect):
            return list(separated_rows(path, dialect)), lambda cell, kind: _read_text(
                cell, kind, dialect
            )
        case Parquet(path):
            with extra("arrow", "the memory engine"):
                from pyarrow.parquet import read_table

            return _arrow_rows(read_table(path)), _read_object
        case Stored():
            raise InvalidData(
                "the memory engine does not read files of DuckDB; give it a frame or a list"
            )
        case Linked(inner, steps):
            check_path(source, table)
            rows, read = _records(source_of(inner), table)
            _check_has(rows, table, steps[0].column)
            links = []
            for step, end in source.ends():
                others, read_other = _records(source_of(step.source), table)
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


def _arrow(table: Any) -> Any:
    """A table of Arrow; halves of floats, which DuckDB does not know, are floats."""
    import pyarrow as pa

    if not isinstance(table, pa.Table | pa.RecordBatch):
        return table
    wide = [
        pa.field(each.name, pa.float32()) if each.type == pa.float16() else each
        for each in table.schema
    ]
    return table if wide == list(table.schema) else pa.table(table).cast(pa.schema(wide))


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
    given: Listed | Pandas, table: Table, *, keys: bool = False
) -> dict[str, tuple[Kind, NDArray[Any]]]:
    """Rows as columns that a columnar engine can take over, each with its kind; the unit's column is called ``""``.

    With `keys`, that column holds foreign keys.
    """
    if isinstance(given, Pandas):
        return _frame_arrays(given.frame, table, keys=keys)
    rows = given.rows
    check_columns({name for row in rows for name in row} if rows else None, table)
    found = {}
    for column in table.columns:
        cells = [read_object(row.get(column.name), column.kind) for row in rows]
        found[column.name] = column.kind, array_of(cells, column.kind)
    if table.unit is not None:
        found[""] = units_array(
            [unit_of(row.get(table.unit)) for row in rows], table.unit, keys=keys
        )
    return found


def _frame_arrays(frame: Any, table: Table, *, keys: bool) -> dict[str, tuple[Kind, NDArray[Any]]]:
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


def _file(path: Path) -> Source:
    if path.suffix.lower() not in _FILES:
        raise InvalidData(f"files that end in {path.suffix!r} cannot be read; {_REMEDY}")
    if not path.is_file():
        beside = (
            [other.name for other in path.parent.glob("*") if other.is_file()]
            if path.parent.is_dir()
            else []
        )
        near = get_close_matches(path.name, beside, n=1)
        raise InvalidData(
            f"there is no file {str(path)!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        )
    if set("*?[") & set(str(path)):
        raise InvalidData(
            f"the path {str(path)!r} contains *, ? or [, which match many files; rename it"
        )
    return _FILES[path.suffix.lower()](path.resolve())


def _pandas(frame: Any) -> Source:
    """A frame of pandas; its columns are looked up by their names, so that no two may have one."""
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidData(f"the frame has two columns {twice!r}; give them different names")
    return Pandas(frame if list(frame.columns) == names else frame.set_axis(names, axis=1))


def header_of(path: Path, dialect: Dialect) -> list[str]:
    """The names in the first line of a text file, which are public; one that is empty is called after its place."""
    try:
        with path.open(encoding=_codec(dialect), errors="replace", newline="") as file:
            cells = next(csv.reader(file, delimiter=dialect.separator), [])
    except (OSError, csv.Error):
        cells = []
    names = [cell or f"column {place}" for place, cell in enumerate(cells, start=1)]
    if not names:
        raise InvalidData(
            f"{path.name} cannot be read; check that it is complete, of the type its name "
            "says, and that you may read it"
        )
    other = _other_separator(names)
    if other is not None:
        raise InvalidData(
            f"{path.name} seems to use the separator {other!r}, but {dialect.separator!r} is "
            "expected; declare it in the table's format, as in format = { separator = "
            f"{_spelled_mark(other)} }}"
        )
    check_names(names, path.name, "give them different names in its first line")
    return names


def guess_format(path: Path, dialect: Dialect) -> dict[str, str]:
    """What the first line of a text file, which is public, says about how it is written, where that is unusual.

    Claim:      no row decides anything.
    Because:    nothing but the first line is read.
    Checked by: tests/unit/curator/test_starter.py::test_how_a_text_file_is_written_is_guessed_from_its_first_line
    """
    try:
        with path.open(encoding="latin-1", newline="") as file:  # which leaves every byte as it is
            line = file.readline().encode("latin-1")
        names = next(csv.reader([line.decode(errors="replace")], delimiter=dialect.separator), [])
    except (OSError, csv.Error):
        return {}
    other = _other_separator(names)
    found = {} if other is None else {"separator": other}
    try:
        line.decode()
    except UnicodeDecodeError:
        found["encoding"] = "windows-1252"
    return found


def _other_separator(names: Sequence[str]) -> str | None:
    """The mark that seems to separate names, where the expected one has left them in one piece."""
    return next((mark for mark in _SEPARATORS if len(names) == 1 and mark in names[0]), None)


def _spelled_mark(mark: str) -> str:
    return '"\\t"' if mark == "\t" else f'"{mark}"'


def _codec(dialect: Dialect) -> str:
    return {"utf-8": "utf-8-sig", "windows-1252": "cp1252"}.get(dialect.encoding, dialect.encoding)


def separated_rows(path: Path, dialect: Dialect) -> Iterator[Mapping[str, str | None]]:
    """The rows of a text file; one with too few cells, or whose letters cannot be read, is left out."""
    return (row for row in every_row(path, dialect) if row is not None)


def every_row(path: Path, dialect: Dialect) -> Iterator[Mapping[str, str | None] | None]:
    """The same, with None for every row that is left out; a line without anything is no row.

    Claim:      no cell, however long, keeps other rows from being read.
    Because:    what Python's reader takes of one cell is more than a file that is read has in a line.
    Checked by: tests/unit/engines/test_separated.py::test_a_long_cell_is_one_cell
    """
    names = header_of(path, dialect)
    # one number for the whole process, which anybody may have set
    csv.field_size_limit(_LONGEST_CELL)
    with path.open(encoding=_codec(dialect), errors="surrogateescape", newline="") as file:
        reader = csv.reader(file, delimiter=dialect.separator)
        next(reader, None)
        for cells in reader:
            if len(cells) >= len(names) and "".join(cells).encode(
                "utf-8", "replace"
            ).decode() == "".join(cells):
                yield {name: cell or None for name, cell in zip(names, cells, strict=False)}
            elif cells:
                yield None


def _own_row(record: Mapping[str, object], table: Table, read: _Reader) -> Owned:
    cells: dict[str, Value] = {
        column.name: read(record.get(column.name), column.kind) for column in table.columns
    }
    return Owned(None if table.unit is None else read(record.get(table.unit), None), cells)
