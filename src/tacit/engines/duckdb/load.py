"""Sources in DuckDB: each a table or view of a connection, with columns by names of our own."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

import re
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import duckdb

from tacit.engines.sources.foreign_keys import Linked, Owners, Raw, check_key, owner, owners
from tacit.engines.sources.kinds import (
    Frame,
    Listed,
    Pandas,
    Parquet,
    Separated,
    Source,
    Stored,
    arrays_of,
    check_columns,
    check_path,
    header_of,
    needed_columns,
    separated_rows,
    source_of,
)
from tacit.engines.sources.python_cells import array_of
from tacit.engines.sql.casts import check_type, check_unit_type
from tacit.engines.sql.expressions import literal, quote_name, text, type_name
from tacit.engines.sql.relation import Relation
from tacit.errors import InvalidData
from tacit.plan import Column, Kind, Table

__all__ = [
    "INGESTED",
    "INGESTED_NAMES",
    "INGESTED_UNIT",
    "UNIT",
    "UNIT_ROWS",
    "load_table",
    "raw_columns",
    "text_scan",
]

INGESTED, INGESTED_UNIT, INGESTED_NAMES = "tacit_rows", "tacit_unit", "tacit_names"
"""The tables of a file that `ingest` has written: the rows, what their unit is called, and a name for each of them."""

UNIT, UNIT_ROWS = "tacit unit", "tacit unit rows"
"""The columns of an ingested table that say whose a row is and how many rows that unit has."""

_LONGEST_LINE = 1 << 26


def load_table(
    connection: duckdb.DuckDBPyConnection, place: int, table: Table, source: Source
) -> Relation:
    """The relation of the connection that holds a table's declared columns and its units, by names of our own.

    Files that know their types are read in place; all else is copied.
    """
    try:
        return _relation(connection, place, table, source)
    except (duckdb.Error, UnicodeError):
        pass
    raise InvalidData(
        f"the source of table {table.name!r} cannot be read; check that it is complete and of "
        "the type its name says"
    )


def _relation(
    connection: duckdb.DuckDBPyConnection,
    place: int | str,
    table: Table,
    source: Source,
    *,
    keys: bool = False,
) -> Relation:
    """The relation of a source; with `keys`, its unit is a foreign key."""
    ours, name = f"t{place}", f"s{place}"
    match source:
        case Listed() | Pandas():
            arrays = arrays_of(source, table, keys=keys)
            connection.register(
                name, {f"a{j}": array for j, (_, array) in enumerate(arrays.values())}
            )
            cells = [_unpack_time(f"a{j}", kind) for j, (kind, _) in enumerate(arrays.values())]
            kinds = [type_name(kind) for kind, _ in arrays.values()]
            relation = _create_relation(connection, "TABLE", ours, name, table, cells, kinds)
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
            relation = _create_relation(connection, "TABLE", ours, scan, table, cells, kinds)
            connection.unregister(name)
            return relation
        case Frame(frame):
            connection.register(name, frame)
            relation = _load_typed(connection, "TABLE", ours, name, table)
            connection.unregister(name)
            return relation
        case Parquet(path):
            return _parquet(connection, ours, text(str(path)), table)
        case Stored(path, inside):
            if not _is_ingested(connection, name, path):
                return _load_typed(
                    connection,
                    "VIEW",
                    ours,
                    f"{name}.main.{quote_name(inside or table.name)}",
                    table,
                )
            return _load_ingested(connection, ours, f"{name}.main", table, path)
        case Linked():
            return _load_linked(connection, place, table, source)


def text_scan(
    connection: duckdb.DuckDBPyConnection, name: str, source: Separated, table: Table
) -> str:
    """The rows of a text file, every cell a text; those of another encoding than UTF-8 are registered by a name.

    Claim:      whether and how a row is read depends on that row alone, as long as every quotation mark is closed.
    Because:    nothing is guessed from the rows: separator, quotes and names are given, and a row that has too few
                cells or is no UTF-8 is left out, cells beyond the header's are not looked at.
    Checked by: tests/unit/engines/test_separated.py
    """
    path, separator = source.path, source.dialect.separator
    header = header_of(path, source.dialect)
    check_columns(header, table)
    if source.dialect.encoding != "utf-8":
        rows = list(separated_rows(path, source.dialect))
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
    row = f"strict_mode = false, ignore_errors = true, max_line_size = {_LONGEST_LINE}"
    return f"read_csv({text(str(path))}, delim = {text(separator)}, columns = {{{names}}}, {form}, {row})"


def _is_ingested(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> bool:
    """Whether a file, which is attached by a name, was made by `ingest`."""
    connection.execute(f"ATTACH {text(str(path))} AS {name} (READ_ONLY)")
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [name]
    )
    return (INGESTED,) in found.fetchall()


def _load_linked(
    connection: duckdb.DuckDBPyConnection, place: int | str, table: Table, source: Linked
) -> Relation:
    """The relation of a source that is joined along its foreign keys to its units."""
    check_path(source, table)
    found: Owners | None = None
    known: tuple[str | None, str | None] = None, None
    for j, (step, end) in reversed(list(enumerate(source.ends()))):
        name, given = f"{place}_{j}", source_of(step.source)
        scan, (key, after) = raw_columns(connection, f"s{name}", given, table, step.key, end)
        check_key(key.stored, step.key, table.name)
        if found is None:
            check_unit_type(after.stored, table)
            if isinstance(given, Stored) and after.sql == quote_name(UNIT):
                known = str(given.path), _names(connection, "TABLE", f"t{place}", f"s{name}.main")
        else:
            check_key(after.stored, end, table.name)
        connection.execute(f"CREATE TABLE o{name} AS {owners(scan, key, after, found)}").fetchall()
        if isinstance(given, Frame | Listed | Pandas):
            connection.unregister(scan)
        types = _types(connection, f"o{name}")
        found = Owners(f"o{name}", types["k"], types["who"])
    assert found is not None, "a path has a step"
    inner, first = source_of(source.source), source.steps[0].column
    rows = _relation(connection, f"{place}_r", replace(table, unit=first), inner, keys=True)
    assert rows.unit is not None, "a foreign key was asked for as a unit"
    if rows.numbered is not None:
        _refuse_numbers(first)
    check_key(rows.unit[1], first, table.name)
    listed = ", ".join([*(f"t.{name}" for name, _ in rows.columns.values()), "o.who AS u"])
    joined = f"SELECT {listed} FROM {rows.name} AS t {owner(Raw('t.u', rows.unit[1]), found)}"
    # What is read in place is joined for every question; what was copied is joined once.
    what = "VIEW" if isinstance(inner, Parquet | Stored) else "TABLE"
    connection.execute(f"CREATE {what} t{place} AS {joined}").fetchall()
    if what == "TABLE":
        connection.execute(f"DROP TABLE {rows.name}")
    return Relation(
        f"t{place}", rows.columns, ("u", found.unit), None, *known, copied=what == "TABLE"
    )


def raw_columns(
    connection: duckdb.DuckDBPyConnection, name: str, source: Source, table: Table, *columns: str
) -> tuple[str, list[Raw]]:
    """A scan of a source, and some of its columns as they are stored."""
    ends = [Table(table.name, (), unit=column) for column in columns]
    match source:
        case Listed() | Pandas():
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
            scan = f"read_parquet({text(str(path))})"
        case Stored(path, inside) if _is_ingested(connection, name, path):
            return _raw_ingested(connection, f"{name}.main", ends)
        case Stored(_, inside):
            scan = f"{name}.main.{quote_name(inside or '')}"
        case Linked():
            raise InvalidData(
                f"a reference of table {table.name!r} leads to a linked source; list its steps instead"
            )
    types = _types(connection, scan)
    for end in ends:
        check_columns(types, end)
    return scan, [
        Raw(_as_stored(quote_name(column), types[column]), types[column]) for column in columns
    ]


def _raw_ingested(
    connection: duckdb.DuckDBPyConnection, schema: str, ends: list[Table]
) -> tuple[str, list[Raw]]:
    """The same of an ingested file, whose unit is stored by another name."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    types = _types(connection, f"{schema}.{INGESTED}")
    for end in ends:
        check_columns({*types, unit}, end)
    if unit in {end.unit for end in ends[:-1]}:
        _refuse_numbers(unit)
    names = [UNIT if end.unit == unit else end.unit or "" for end in ends]
    return f"{schema}.{INGESTED}", [Raw(quote_name(name), types[name]) for name in names]


def _refuse_numbers(key: str) -> NoReturn:
    raise InvalidData(
        f"{key!r} is a key and was ingested as a unit, which became a number; open the source itself"
    )


def _names(connection: duckdb.DuckDBPyConnection, what: str, ours: str, schema: str) -> str:
    """A view or table of the names of units that an ingested file has numbered."""
    database = schema.removesuffix(".main")
    found = connection.execute(
        "SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [database]
    )
    if (INGESTED_NAMES,) not in found.fetchall():
        raise InvalidData("a file was ingested by an earlier version; ingest its source again")
    connection.execute(
        f"CREATE {what} {ours}_names AS SELECT u, name FROM {schema}.{INGESTED_NAMES}"
    ).fetchall()
    return f"{ours}_names"


def _parquet(connection: duckdb.DuckDBPyConnection, ours: str, path: str, table: Table) -> Relation:
    """The relation of a Parquet file, read in place unless a cell of it could raise when it is read.

    Milliseconds may be too many for a timestamp, so such a file is copied, and fails here if it does.  Bytes that are
    no text become question marks; units must be texts, or two of them could become one.
    """
    scan = f"read_parquet({path}, utf8_validation = 'replace')"
    types = _types(connection, scan)
    check_columns(types, table)
    if table.unit is not None and types[table.unit] == "VARCHAR":
        connection.execute(
            f"SELECT bit_xor(hash({quote_name(table.unit)})) FROM read_parquet({path})"
        ).fetchall()
    schema = connection.execute(
        f"SELECT name, logical_type, converted_type FROM parquet_schema({path})"
    ).fetchall()
    coarse = {name for name, *kinds in schema if re.search("MILLIS=M|TIMESTAMP_MILLIS", str(kinds))}
    return _load_typed(
        connection, "TABLE" if coarse & set(needed_columns(table)) else "VIEW", ours, scan, table
    )


def _load_typed(
    connection: duckdb.DuckDBPyConnection, what: str, ours: str, scan: str, table: Table
) -> Relation:
    """The relation of a source whose columns have types."""
    types = _types(connection, scan)
    check_columns(types, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    names = [column.name for column in table.columns]
    if table.unit is not None:
        check_unit_type(types[table.unit], table)
        names.append(table.unit)
    cells = [_as_stored(quote_name(name), types[name]) for name in names]
    return _create_relation(
        connection, what, ours, scan, table, cells, [types[name] for name in names]
    )


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


def _load_ingested(
    connection: duckdb.DuckDBPyConnection, ours: str, schema: str, table: Table, path: Path
) -> Relation:
    """The relation of a file that `ingest` has written: its units are numbers, and each row knows how many it has."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    if unit != table.unit:
        raise InvalidData(
            f"the file was ingested with unit {unit!r}, but table {table.name!r} declares "
            f"{table.unit!r}; ingest the source again"
        )
    scan = f"{schema}.{INGESTED}"
    types = _types(connection, scan)
    check_columns({*types, *([unit] if unit else [])}, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    cells, kinds = (
        [quote_name(column.name) for column in table.columns],
        [types[column.name] for column in table.columns],
    )
    if unit is not None:
        cells, kinds = [*cells, quote_name(UNIT), quote_name(UNIT_ROWS)], [*kinds, types[UNIT]]
    made = _create_relation(connection, "VIEW", ours, scan, table, cells, kinds)
    return (
        made
        if unit is None
        else replace(made, numbered=str(path), names=_names(connection, "VIEW", ours, schema))
    )


def _create_relation(
    connection: duckdb.DuckDBPyConnection,
    what: str,
    ours: str,
    scan: str,
    table: Table,
    cells: list[str],
    stored: list[str],
) -> Relation:
    """A view or table with the cells as c0, c1, …, then the unit, then the unit's number of rows if there is one."""
    names = [f"c{j}" for j in range(len(table.columns))]
    extra = ["u", "r"][: len(cells) - len(names)]
    listed = ", ".join(
        f"{cell} AS {name}" for cell, name in zip(cells, [*names, *extra], strict=True)
    )
    connection.execute(
        f"CREATE {what} {ours} AS SELECT {listed or '1 AS nothing'} FROM {scan}"
    ).fetchall()
    columns = {column.name: (names[j], stored[j]) for j, column in enumerate(table.columns)}
    unit = ("u", stored[len(names)]) if extra else None
    return Relation(ours, columns, unit, "r" if "r" in extra else None, copied=what == "TABLE")


def _types(connection: duckdb.DuckDBPyConnection, scan: str) -> dict[str, str]:
    return {
        row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()
    }


def _unpack_time(name: str, kind: Kind) -> str:
    """A column of Python integers as the dates or timestamps that they stand for."""
    match kind:
        case Kind.DATE:
            return f"{literal(0, kind)} + CAST({name} AS INTEGER)"
        case Kind.TIMESTAMP:
            return f"make_timestamp({name})"
        case _:
            return f"CAST({name} AS {type_name(kind)})"
