"""Sources in DuckDB, each by itself: a table or view of a connection, with columns by names of our own."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from pathlib import Path

import duckdb

from tacit.engines.duckdb.find_false_statistics import find_misstated
from tacit.engines.duckdb.ingested_layout import is_ingested, load_ingested, raw_ingested
from tacit.engines.duckdb.parquet_milliseconds import coarse_moments, scan_parquet_file
from tacit.engines.duckdb.parquet_texts import read_parquet
from tacit.engines.duckdb.rename_columns import column_types, create_relation
from tacit.engines.sources.path_to_unit import Linked, Raw
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.python_cells import array_of
from tacit.engines.sources.rows import arrays_of, check_columns, needed_columns
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
)
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.sources.text_cells import Dialect
from tacit.engines.sql.expressions import literal, quote_name, text, type_name
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.read_stored_columns import check_type, check_unit_type
from tacit.engines.sql.select_with_parameters import alias
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table

__all__ = ["load_source", "raw_columns", "text_scan"]

_LONGEST_LINE = 1 << 26
_FILE = "tacit file"


def load_source(
    connection: duckdb.DuckDBPyConnection,
    place: int | str,
    table: Table,
    source: Source,
    *,
    keys: bool = False,
) -> Relation:
    """The relation of a source that is linked to no other; with `keys`, its unit is a foreign key.

    Files that know their types are read in place; all else is copied, and so is what is public: which of its columns
    hold no value twice is checked once.
    """
    ours, name = alias(f"t{place}", table.name), f"s{place}"
    match source:
        case Listed() | Pandas() | JsonLines():
            arrays = arrays_of(source, table, keys=keys)
            connection.register(
                name, {f"a{j}": array for j, (_, array) in enumerate(arrays.values())}
            )
            cells = [_unpack_time(f"a{j}", kind) for j, (kind, _) in enumerate(arrays.values())]
            kinds = [type_name(kind) for kind, _ in arrays.values()]
            relation = create_relation(connection, "TABLE", ours, name, table, cells, kinds)
            connection.unregister(name)
            return relation
        case Separated(_, dialect):
            scan = text_scan(connection, name, source, table)
            cells = [dialect.sql(quote_name(column.name), column.kind) for column in table.columns]
            kinds = [type_name(column.kind) for column in table.columns]
            if table.unit is not None:
                cells, kinds = (
                    [*cells, dialect.sql(quote_name(table.unit), None)],
                    [*kinds, "VARCHAR"],
                )
            relation = create_relation(connection, "TABLE", ours, scan, table, cells, kinds)
            connection.unregister(name)
            return relation
        case Frame(frame):
            connection.register(name, frame)
            relation = _load_typed(connection, "TABLE", ours, name, table)
            connection.unregister(name)
            return relation
        case Parquet(path):
            return _load_parquet(connection, ours, path, table)
        case ParquetFiles():
            return _load_parquet_files(connection, ours, source, table)
        case Stored(path, inside):
            if not is_ingested(connection, name, path):
                return _load_typed(
                    connection,
                    "TABLE" if table.public else "VIEW",
                    ours,
                    f"{name}.main.{quote_name(inside or table.name)}",
                    table,
                )
            return load_ingested(connection, ours, f"{name}.main", table, path)
        case PostgresTable() | SparkTable():
            raise AssertionError("what stays in a database is copied before it is loaded")
        case Linked():
            raise AssertionError("links are followed where sources are loaded")


def text_scan(
    connection: duckdb.DuckDBPyConnection, name: str, source: Separated, table: Table
) -> str:
    """The rows of a text file, every cell a text; those of another encoding than UTF-8 are registered by a name.

    Claim:      whether and how a row is read depends on that row alone, as long as every quotation mark is closed.
    Because:    nothing is guessed from the rows: separator, quotes and names are given, and a row that has too few
                cells or, in a column that is read, is no UTF-8 is left out; cells beyond the header's do not matter.
    Checked by: tests/unit/engines/test_separated.py
    """
    from tacit.engines.sources.text_files import header_of, is_gzipped, separated_rows

    path, separator = source.path, source.dialect.separator
    header = header_of(path, source.dialect)
    check_columns(header, table)
    if source.dialect.encoding != "utf-8":
        rows = list(separated_rows(path, source.dialect, needed_columns(table)))
        connection.register(
            name,
            {
                each: array_of([row[each] for row in rows], Kind.TEXT)
                for each in needed_columns(table)
            },
        )
        return name if needed_columns(table) else f"range({len(rows)})"
    names = ", ".join(f"{text(each)}: 'VARCHAR'" for each in header)
    form = "auto_detect = false, header = true, quote = '\"', escape = '\"', nullstr = '', comment = ''"
    form += f", compression = '{'gzip' if is_gzipped(path) else 'none'}'"
    row = f"strict_mode = false, ignore_errors = true, max_line_size = {_LONGEST_LINE}"
    return f"read_csv({text(str(path))}, delim = {text(separator)}, columns = {{{names}}}, {form}, {row})"


def raw_columns(
    connection: duckdb.DuckDBPyConnection, name: str, source: Source, table: Table, *columns: str
) -> tuple[str, list[Raw]]:
    """A scan of a source, and some of its columns as they are stored."""
    ends = [Table(table.name, (), unit=column) for column in columns]
    match source:
        case Listed() | Pandas() | JsonLines():
            arrays = [arrays_of(source, end, keys=True)[""] for end in ends]
            connection.register(name, {f"a{j}": array for j, (_, array) in enumerate(arrays)})
            return name, [
                Raw(_unpack_time(f"a{j}", kind), type_name(kind))
                for j, (kind, _) in enumerate(arrays)
            ]
        case Separated(_, dialect):
            both = Table(
                table.name, tuple(Column(column, Kind.TEXT) for column in dict.fromkeys(columns))
            )
            scan = text_scan(connection, name, source, both)
            return scan, [
                Raw(dialect.sql(quote_name(column), None), "VARCHAR") for column in columns
            ]
        case Frame(frame):
            connection.register(name, frame)
            scan = name
        case Parquet(path):
            scan, _ = scan_parquet_file(connection, f"{name}_read", path, columns, columns)
        case ParquetFiles():
            scan, _ = _scan_files(connection, f"{name}_files", source, table, columns)
        case Stored(path, inside) if is_ingested(connection, name, path):
            return raw_ingested(connection, f"{name}.main", ends)
        case Stored(_, inside):
            scan = f"{name}.main.{quote_name(inside or '')}"
        case Linked():
            raise InvalidData(
                f"a reference of table {table.name!r} leads to a linked source; list its steps instead"
            )
    types = column_types(connection, scan)
    for end in ends:
        check_columns(types, end)
    read = _reader_of(connection, scan, types, columns)
    return scan, [Raw(read(column), types[column]) for column in columns]


def _load_parquet(
    connection: duckdb.DuckDBPyConnection, ours: str, path: Path, table: Table
) -> Relation:
    """The relation of a Parquet file, read in place unless a cell of it could raise when it is read.

    Milliseconds may be too many for a timestamp, so a file that has some is copied.  Bytes that are no text become
    question marks, and a unit whose name has some is none.
    """
    check_columns(column_types(connection, read_parquet(text(str(path)))), table)
    needed, made = needed_columns(table), f"{ours}_read"
    scan, broken = scan_parquet_file(connection, made, path, needed, _unit_of(table))
    coarse = coarse_moments(connection, path) & set(needed)
    what = "TABLE" if coarse or broken or table.public else "VIEW"
    relation = _load_typed(connection, what, ours, scan, table)
    if scan == made:
        connection.execute(f"DROP TABLE {made}")
    return relation


def _load_parquet_files(
    connection: duckdb.DuckDBPyConnection, ours: str, source: ParquetFiles, table: Table
) -> Relation:
    """The relation of several Parquet files, read in place unless a cell of one could raise when it is read.

    What the names of folders say is read as the cells of a text file are.
    """
    scan, broken = _scan_files(connection, f"{ours}_files", source, table, _unit_of(table))
    types = column_types(connection, scan)
    check_columns(types, table)
    cells, kinds, coarse = list[str](), list[str](), set[str]()
    stored = [each for each in needed_columns(table) if each not in source.partitions]
    read = _reader_of(connection, scan, types, stored)
    for column in table.columns:
        name = quote_name(column.name)
        if column.name in source.partitions:
            cells.append(Dialect().sql(name, column.kind))
            kinds.append(type_name(column.kind))
        else:
            check_type(types[column.name], column, table)
            cells.append(read(column.name))
            kinds.append(types[column.name])
    if table.unit is not None:
        check_unit_type(types[table.unit], table)
        cells.append(read(table.unit))
        kinds.append(types[table.unit])
    for path in source.paths:
        coarse |= coarse_moments(connection, path)
    copied = table.public or broken or coarse & set(needed_columns(table))
    what = "TABLE" if copied else "VIEW"
    return create_relation(connection, what, ours, scan, table, cells, kinds)


def _unit_of(table: Table) -> tuple[str, ...]:
    """The column of the units, if there is one."""
    return () if table.unit is None else (table.unit,)


def _scan_files(
    connection: duckdb.DuckDBPyConnection,
    name: str,
    source: ParquetFiles,
    table: Table,
    names: Collection[str],
) -> tuple[str, bool]:
    """A scan of several Parquet files, and whether one of these columns has a text that is none.

    They are refused unless all store the columns that are needed alike.

    Claim:      whether the files can be opened depends on their names and types alone.
    Because:    of each nothing but its schema is read, and compared with that of the first.
    Checked by: tests/unit/engines/sources/test_parquet_files.py::test_files_of_one_table_store_its_columns_alike
    """
    if both := _stored_twice(connection, source):
        raise InvalidData(
            f"the Parquet files of table {table.name!r} have a column {both!r}, and so do the names of their folders; "
            "rename one of them"
        )
    needed = [each for each in needed_columns(table) if each not in source.partitions]
    first: list[str | None] | None = None
    for path in source.paths:
        stored = column_types(connection, read_parquet(text(str(path))))
        types = [stored.get(each) for each in needed]
        if first is not None and types != first:
            odd = next(
                name for name, one, two in zip(needed, first, types, strict=True) if one != two
            )
            raise InvalidData(
                f"the Parquet files of table {table.name!r} do not all store column {odd!r} as the same type; "
                f"write them alike: {path.name} differs from {source.paths[0].name}"
            )
        first = types
    paths = [text(str(path)) for path in source.paths]
    scans = [
        scan_parquet_file(connection, f"{name}_{place}", path, {*needed, *names}, names)
        for place, path in enumerate(source.paths)
    ]
    broken = any(each for _, each in scans)
    file = f"filename = {text(_FILE)}"
    rows = read_parquet(f"[{', '.join(paths)}]", *([file] if source.partitions else []))
    if broken:
        parts = (
            f"SELECT *, {path} AS {quote_name(_FILE)} FROM {scan}"
            for path, (scan, _) in zip(paths, scans, strict=True)
        )
        rows = f"({' UNION ALL BY NAME '.join(parts)})"
    if not source.partitions:
        return rows, broken
    folders = [quote_name(each) for each in source.partitions]
    columns = ", ".join([f"{quote_name(_FILE)} VARCHAR", *(f"{each} VARCHAR" for each in folders)])
    connection.execute(f"CREATE TABLE {name} ({columns})")
    marks = ", ".join("?" for _ in range(len(folders) + 1))
    connection.executemany(
        f"INSERT INTO {name} VALUES ({marks})",
        [[str(path), *cells] for path, cells in zip(source.paths, source.cells, strict=True)],
    )
    joined = f"{rows} JOIN {name} USING ({quote_name(_FILE)})"
    return f"(SELECT * EXCLUDE ({quote_name(_FILE)}) FROM {joined})", broken


def _stored_twice(connection: duckdb.DuckDBPyConnection, source: ParquetFiles) -> str | None:
    """A column that both the files and their folders have."""
    stored = column_types(connection, read_parquet(text(str(source.paths[0]))))
    taken = {name.casefold() for name in [*stored, _FILE]}
    return next((name for name in source.partitions if name.casefold() in taken), None)


def _load_typed(
    connection: duckdb.DuckDBPyConnection, what: str, ours: str, scan: str, table: Table
) -> Relation:
    """The relation of a source whose columns have types."""
    types = column_types(connection, scan)
    check_columns(types, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    names = [column.name for column in table.columns]
    if table.unit is not None:
        check_unit_type(types[table.unit], table)
        names.append(table.unit)
    read = _reader_of(connection, scan, types, names)
    kinds = [types[name] for name in names]
    return create_relation(connection, what, ours, scan, table, list(map(read, names)), kinds)


def _reader_of(
    connection: duckdb.DuckDBPyConnection,
    scan: str,
    types: Mapping[str, str],
    names: Sequence[str],
) -> Callable[[str], str]:
    """How the cells of a source are read: those of columns of which it states something false, without believing it."""
    misstated = find_misstated(connection, scan, types, names)

    def read(name: str) -> str:
        cell = quote_name(name)
        return _as_stored(f"TRY({cell})" if name in misstated else cell, types[name])

    return read


def _as_stored(cell: str, stored: str) -> str:
    """A cell of a source that has types.

    Claim:      what a number means depends on its bits alone, and not on what a file says about its numbers.
    Because:    the statistics of a Parquet file leave NaN out, so that an optimiser that believes them proves what is
                false of it; what TRY gives has no statistics.  All other types have an order without exceptions.
    Checked by: tests/laws/test_cells.py::test_no_number_has_statistics and
                tests/laws/test_cells.py::test_a_cell_means_the_same_in_both_engines
    """
    return f"TRY({cell})" if stored in {"DOUBLE", "FLOAT"} else _by_code_point(cell, stored)


def _by_code_point(cell: str, stored: str) -> str:
    """A cell whose text is compared by its code points, whatever its column says.

    Claim:      texts are the same if they have the same letters; nobody decides how a key of others is spelled.
    Because:    a collation that a database stores with its column goes no further than this.
    Checked by: tests/attacks/test_collations.py
    """
    return f"{cell} COLLATE C" if stored == "VARCHAR" else cell


def _unpack_time(name: str, kind: Kind) -> str:
    """A column of Python integers as the dates or timestamps that they stand for."""
    match kind:
        case Kind.DATE:
            return f"{literal(0, kind)} + CAST({name} AS INTEGER)"
        case Kind.TIMESTAMP:
            return f"make_timestamp({name})"
        case _:
            return f"CAST({name} AS {type_name(kind)})"
