"""Where rows come from: files, frames and lists, told apart by what they are and never by what they hold."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any
from urllib.parse import unquote
from weakref import WeakSet

from tacit.engines.sources.addresses import is_address, table_at
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.sources.text_cells import DIALECT_WORDS, Dialect, dialect_of
from tacit.errors import InvalidData, InvalidInput, MissingFile
from tacit.extras import extra
from tacit.frozen import frozen

__all__ = [
    "Frame",
    "JsonLines",
    "Listed",
    "Pandas",
    "Parquet",
    "ParquetFiles",
    "Separated",
    "Source",
    "Stored",
    "declared_format",
    "is_text_file",
    "parquet_files",
    "source_of",
    "table_name",
    "with_format",
]


@frozen
class Parquet:
    """A Parquet file, read anew for every question."""

    path: Path


@frozen
class ParquetFiles:
    """Several Parquet files of one table, read anew for every question; folders called key=value are columns."""

    paths: tuple[Path, ...]
    partitions: tuple[str, ...] = ()
    cells: tuple[tuple[str | None, ...], ...] = ()
    """The partitions of each file, in the order of their names."""


@frozen
class JsonLines:
    """A file with one JSON object a line, read once; a line that is none is left out."""

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


Source = (
    Parquet
    | ParquetFiles
    | Separated
    | JsonLines
    | Stored
    | Frame
    | Pandas
    | Listed
    | Linked
    | PostgresTable
    | SparkTable
)
"""Where the rows of a table come from."""

_FILES: dict[str, Callable[[Path], Source]] = {
    ".parquet": Parquet,
    ".pq": Parquet,
    ".csv": lambda path: Separated(path, Dialect(",")),
    ".tsv": lambda path: Separated(path, Dialect("\t")),
    ".jsonl": JsonLines,
    ".ndjson": JsonLines,
    ".duckdb": Stored,
}
_GZIPPED = {".csv", ".tsv", ".jsonl", ".ndjson"}
_REMEDY = (
    "give a path to a Parquet, CSV, JSON lines or DuckDB file, a folder or pattern of Parquet "
    "files, a pandas, polars or Arrow frame, a DuckDB relation, or a list of dictionaries"
)

_WILD = set("*?[")

_READ: WeakSet[Any] = WeakSet()
"""Streams that were read: they are empty from then on, and no table is."""


def source_of(given: object) -> Source:
    """The source that a path, a frame or a list is; what can be read only once is read here, or refused.

    >>> source_of([{"ward": "A"}])
    Listed(rows=[{'ward': 'A'}])
    """
    if isinstance(given, str) and is_address(given):
        return table_at(given)
    if isinstance(given, str | Path):
        return _file(Path(given))
    if isinstance(given, Source):
        return given
    if isinstance(given, Sequence) and all(isinstance(row, Mapping) for row in given):
        return Listed(given)
    library = type(given).__module__.partition(".")[0]
    if library == "pandas" and hasattr(given, "to_frame"):
        return _pandas(_named_frame(given))
    if library == "pandas" and hasattr(given, "dtypes"):
        return _pandas(given)
    if type(given).__name__ == "DuckDBPyRelation" and hasattr(given, "to_arrow_table"):
        with extra("arrow", "a relation of DuckDB"):
            return Frame(_arrow(given.to_arrow_table()))
    if library in {"duckdb", "_duckdb"}:
        raise InvalidData(
            "rows cannot come from a connection; give a relation of it, as in connection.sql(...)"
        )
    if library == "pyarrow" and hasattr(given, "read_all"):
        return Frame(_arrow(_read_once(given)))
    if library == "polars" and hasattr(given, "collect_schema"):
        with extra("arrow", "reading a polars frame"):
            import pyarrow as pa  # noqa: F401 - DuckDB reads the frame through it
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
    usual = Dialect("\t" if _suffix(source.path) == ".tsv" else ",")
    given = {word: (getattr(source.dialect, word), getattr(usual, word)) for word in DIALECT_WORDS}
    return {word: one for word, (one, other) in given.items() if one != other}


def is_text_file(source: Source) -> bool:
    """Whether cells are written as text, so that a cell may be no value of its column's declared type.

    >>> is_text_file(Separated(Path("visits.csv"), Dialect(","))), is_text_file(Parquet(Path("visits.parquet")))
    (True, False)
    """
    own = source.source if isinstance(source, Linked) else source
    return isinstance(own, Separated | JsonLines)


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


def table_name(path: str | Path) -> str:
    """What a table is called after its file, folder or pattern.

    >>> table_name("data/visits.csv.gz"), table_name("data/visits/*.parquet"), table_name("data/visits")
    ('visits', 'visits', 'visits')
    """
    if is_address(str(path)):
        return table_at(str(path)).name
    whole = Path(path)
    while _WILD & set(whole.name) and whole.parent != whole:
        whole = whole.parent
    return whole.name.removesuffix(".gz").partition(".")[0] or whole.name


def _suffix(path: Path) -> str:
    """What a file's name ends in; of one that is compressed, what it would end in without."""
    last = path.suffix.lower()
    return path.with_suffix("").suffix.lower() if last == ".gz" else last


def _file(path: Path) -> Source:
    if path.is_dir() or (_WILD & set(str(path)) and not path.is_file()):
        return parquet_files(path)
    suffix = _suffix(path)
    if suffix not in _FILES or (path.suffix.lower() == ".gz" and suffix not in _GZIPPED):
        raise InvalidData(f"files that end in {path.suffix!r} cannot be read; {_REMEDY}")
    if not path.is_file():
        beside = (
            [other.name for other in path.parent.glob("*") if other.is_file()]
            if path.parent.is_dir()
            else []
        )
        near = get_close_matches(path.name, beside, n=1)
        raise MissingFile(
            f"there is no file {str(path)!r}" + (f"; did you mean {near[0]!r}?" if near else "")
        )
    if _WILD & set(str(path)):
        raise InvalidData(
            f"the path {str(path)!r} contains *, ? or [, which match many files; rename it"
        )
    return _FILES[suffix](path.resolve())


def parquet_files(given: Path) -> ParquetFiles:
    """The Parquet files of a folder, or of a pattern with * ? [, in the order of their names.

    Claim:      what a folder's name says is a cell of text of each row below it, and changes no other row's.
    Because:    names are split here, at the first equals sign, and never guessed to be numbers; every file has the
                same keys, or the table is refused.
    Checked by: tests/unit/engines/sources/test_parquet_files.py
    """
    root = given
    while _WILD & set(str(root)):
        root = root.parent
    if not root.is_dir():
        raise InvalidData(f"there is no folder {str(root)!r}; check the path")
    pattern = str(given.relative_to(root)) if root != given else "**/*.parquet"
    found = sorted(path for path in root.glob(pattern) if _is_part(path, root))
    if not found:
        raise InvalidData(f"no Parquet file matches {str(given)!r}; check the path")
    if odd := [path.name for path in found if path.suffix.lower() not in {".parquet", ".pq"}]:
        raise InvalidData(
            f"{str(given)!r} also matches {odd[0]!r}, which is not a Parquet file; only Parquet may have several files"
        )
    if any(_WILD & set(str(path)) for path in found):
        raise InvalidData(
            f"a path below {str(root)!r} contains *, ? or [, which match many files; rename it"
        )
    keys = [_partitions(path, root) for path in found]
    names = tuple(keys[0])
    if any(tuple(each) != names for each in keys):
        raise InvalidData(
            f"the folders below {str(root)!r} do not all have the same keys; give all of them the same key=value names"
        )
    cells = tuple(tuple(each.values()) for each in keys)
    return ParquetFiles(tuple(path.resolve() for path in found), names, cells)


def _is_part(path: Path, root: Path) -> bool:
    """Whether a file is one of a table, and not what a writer has left beside: _SUCCESS, .crc and the like."""
    below = path.relative_to(root).parts
    return path.is_file() and not any(part.startswith(("_", ".")) for part in below)


def _partitions(path: Path, root: Path) -> dict[str, str | None]:
    """The keys of the folders on the way to a file, and what each says; an empty name says nothing."""
    below = [part.partition("=") for part in path.relative_to(root).parts[:-1] if "=" in part]
    return {
        unquote(key): None if value in {"", "__HIVE_DEFAULT_PARTITION__"} else unquote(value)
        for key, _, value in below
    }


def _named_frame(given: Any) -> Any:
    """A series or index of pandas as a frame of the columns that it names."""
    names = [given.name] if not hasattr(given, "names") else list(given.names)
    if None in names:
        raise InvalidData(
            f"a {type(given).__name__} of pandas has no name to ask about; give it one with .rename(...)"
        )
    return given.to_frame().reset_index(drop=True) if hasattr(given, "names") else given.to_frame()


def _with_index(frame: Any) -> Any:
    """A frame whose index, where it has a name, is a column like the others."""
    named = [name for name in frame.index.names if name is not None]
    if not named:
        return frame
    if both := [name for name in named if name in frame.columns]:
        raise InvalidData(
            f"the frame has a column and an index called {both[0]!r}; rename one of them"
        )
    return frame.reset_index(level=named)


def _pandas(frame: Any) -> Source:
    """A frame of pandas; its columns are looked up by their names, so that no two may have one."""
    frame = _with_index(frame)
    names = [str(name) for name in frame.columns]
    twice = next((name for name in names if names.count(name) > 1), None)
    if twice is not None:
        raise InvalidData(f"the frame has two columns {twice!r}; give them different names")
    return Pandas(frame if list(frame.columns) == names else frame.set_axis(names, axis=1))
