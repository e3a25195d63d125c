"""Where rows come from: files, frames and lists, told apart by what they are and never by what they hold."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from weakref import WeakSet

from tacit.engines.sources.foreign_keys import Linked
from tacit.engines.sources.text_format import DIALECT_WORDS, Dialect, dialect_of
from tacit.errors import InvalidData, InvalidInput
from tacit.frozen import frozen

__all__ = [
    "Frame",
    "Listed",
    "Pandas",
    "Parquet",
    "Separated",
    "Source",
    "Stored",
    "declared_format",
    "source_of",
    "with_format",
]


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
_REMEDY = "give a path to Parquet, CSV or DuckDB, a frame of pandas, polars or Arrow, or a list of dictionaries"

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
