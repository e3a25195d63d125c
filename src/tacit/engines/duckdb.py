"""The default engine: DuckDB, locked down, on SQL that we generate from the plan."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import replace
from functools import partial
from math import ceil
from pathlib import Path
from threading import Condition, Lock
from typing import Any, Self

import duckdb
import numpy as np

from tacit.engines.engine import Answer, blank, check_fits, conditions_of
from tacit.engines.finding import gathered
from tacit.engines.gathering import Gathered, rehearsed
from tacit.engines.keys import enumeration
from tacit.engines.linked import Linked, Owners, Raw, check_key, owner, owners
from tacit.engines.nesting import Nest, reader
from tacit.engines.reading import check_type, check_unit_type, kinds_of
from tacit.engines.relations import Relation
from tacit.engines.rendering import called, literal, parsed_text, quoted, text
from tacit.engines.sources import (
    Frame,
    Listed,
    Parquet,
    Separated,
    Source,
    Stored,
    arrays_of,
    check_columns,
    check_path,
    header_of,
    not_unique,
    source_of,
    wanted,
)
from tacit.engines.statement import histogram, statement
from tacit.errors import EngineFailed, InvalidData, InvalidInput
from tacit.exact import at_least, count_of
from tacit.plan import (
    Expression,
    Field,
    Grid,
    Keeping,
    Kind,
    Question,
    Ranked,
    Scan,
    Table,
    Weights,
    base_of,
    columns_of_answer,
    operands,
    tables_of,
)

__all__ = ["INGESTED", "INGESTED_UNIT", "UNIT", "UNIT_ROWS", "DuckDB", "loaded", "opened"]

INGESTED, INGESTED_UNIT = "tacit_rows", "tacit_unit"
"""The tables of a file that `ingest` has written: the rows, and the name of their unit."""

UNIT, UNIT_ROWS = "tacit unit", "tacit unit rows"
"""The columns of an ingested table that say whose a row is and how many rows that unit has."""

# What DuckDB may do besides computing: nothing.  Spill is off: what does not fit into memory fails.
_SETTINGS = {
    "autoinstall_known_extensions": False,
    "autoload_known_extensions": False,
    "allow_community_extensions": False,
    "allow_persistent_secrets": False,
    "python_enable_replacements": False,
    "temp_directory": "",
    "max_temp_directory_size": "0B",
    "enable_logging": False,
    "error_on_division_by_zero": False,
    "ieee_floating_point_ops": False,  # with the line above: a division by zero is NULL
    "default_collation": "",
    "TimeZone": "UTC",
}
FEW = 100_000
"""Statements about tables with no more rows run as they are written: that takes two thirds of the time."""

_AGAIN, _TRIES = 0.01, 1_000
_LONGEST_LINE = 1 << 26
_MOST_TYPES = 256


class DuckDB:
    """An engine that runs one generated statement for every question.

    >>> from tacit.plan import Column, Counted, Scan, Weighing
    >>> visits = Table("visits", (Column("cost", Kind.INTEGER, low=0, high=9),))
    >>> with DuckDB({visits: [{"cost": 5}, {"cost": 700}]}) as engine:
    ...     engine.evaluate(Question(Scan(visits), (), (Counted(),)), Weights(Weighing.L1, 1, 1, 0)).tolist()
    [[2]]
    """

    def __init__(
        self,
        tables: Mapping[Table, object],
        *,
        threads: int | None = None,
        memory: str = "4GB",
        seconds: float | None = None,
        connection: duckdb.DuckDBPyConnection | None = None,
    ) -> None:
        sources = {table: source_of(given) for table, given in tables.items()}
        self._lock, self._closing = Condition(), False
        self._running: set[duckdb.DuckDBPyConnection] = set()
        self._types: dict[tuple[str, ...], str] = {}
        # A connection that was `opened` to find out what a source holds is the engine's from now on.
        self._connection = connection or opened(threads=threads, memory=memory, seconds=seconds)
        try:
            self._full = {
                table.name: loaded(self._connection, i, table, source)
                for i, (table, source) in enumerate(sources.items())
            }
            for table in sources:
                _check_unique(self._connection, self._full[table.name], table)
            self._empty = {name: _emptied(self._connection, relation) for name, relation in self._full.items()}
            self._few = {name for name, relation in self._full.items() if _is_few(self._connection, relation)}
            self._rehearsing, self._brief = _Turns(self._connection), _Turns(self._connection)
            _locked(self._connection, sources.values())
        except BaseException:
            self._connection.close()
            raise

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits."""
        return self._evaluated(question, weights, self._full)

    @contextmanager
    def gather(self, question: Question, keeping: Keeping) -> Iterator[Gathered]:
        """What units keep of the unknown keys of a question, in temporary tables of a cursor of its own."""
        with self._gathered(question, keeping, self._full) as found:
            yield found

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Run the same statements on an empty table of the same types."""
        if question.unknown and question.found is None:
            with self._gathered(question, Keeping(1, 0, b""), self._empty):
                pass
        self._evaluated(rehearsed(question), weights, self._empty)

    def interrupt(self) -> None:
        """Stop every question that is being evaluated; each fails as any failure does."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        for cursor in self._running:
            cursor.interrupt()

    def close(self) -> None:
        """Stop what is running, wait until it has stopped, and let go of the rows."""
        with self._lock:
            self._closing = True
            for _ in range(_TRIES):  # a question of several statements is stopped in each
                self._stop()
                if self._lock.wait_for(lambda: not self._running, _AGAIN):
                    break
        self._rehearsing.close()
        self._brief.close()
        self._connection.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _evaluated(self, question: Question, weights: Weights, relations: Mapping[str, Relation]) -> Answer:
        check_fits(question, weights)
        answer = blank(question, weights)
        relation, nested = _related(question, relations)
        if not answer.size:
            return answer
        cursors, columns = self._cursors(question, relations), columns_of_answer(question)
        places = [columns[j].start for j, measure in enumerate(question.measures) if not isinstance(measure, Ranked)]
        if places:
            asked = statement(question, weights, relation, self._enumerated, nested)
            for group, measures in asked.measured(self._fetched(cursors, asked.sql), weights.bits):
                answer[group, places] = measures
        known: dict[tuple[Expression, Grid], slice] = {}
        for measure, where in zip(question.measures, columns, strict=True):
            if isinstance(measure, Ranked):
                once = known.setdefault((measure.value, measure.grid), where)
                if once is where:
                    sql = histogram(question, measure, weights, relation, self._enumerated, nested)
                    self._weigh(answer[:, where], cursors, sql, weights.bits)
                else:
                    answer[:, where] = answer[:, once]
        return answer

    def _weigh(self, cells: Answer, cursors: "_Cursors", sql: str, bits: int) -> None:
        """Fill in the weights of cells: where they fit into 64 bits, from whole columns."""
        if cells.dtype == object or cursors == self._rehearsed:  # which finds none
            for group, cell, rows, held in self._fetched(cursors, sql):
                cells[group, cell] = (rows << bits) + held
            return
        columns: Any = self._fetched(cursors, sql, columns=True)
        group, cell, rows, held = (columns[name].astype(np.int64) for name in "gvmh")
        cells[group, cell] = (rows << bits) + held

    @contextmanager
    def _gathered(self, question: Question, keeping: Keeping, relations: Mapping[str, Relation]) -> Iterator[Gathered]:
        """What is gathered, on a cursor that lives as long.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/test_finding.py
        """
        relation, nested = _related(question, relations)
        with ExitStack() as meanwhile:
            found = None
            with suppress(Exception):
                cursor = meanwhile.enter_context(self._cursor())
                found = gathered(cursor, question, keeping, relation, self._enumerated, nested)
            if found is None:
                raise EngineFailed
            yield found

    def _enumerated(self, members: tuple[str, ...]) -> str:
        """A type of the database for a list of keys, made once: spelled out, it costs milliseconds a question."""
        with self._lock:
            if members not in self._types and len(self._types) < _MOST_TYPES:
                name = f"k{len(self._types)}"
                try:
                    self._connection.execute(f"CREATE TYPE {name} AS {enumeration(members)}")
                except duckdb.Error:  # closed, or out of memory: the statement will say so
                    return enumeration(members)
                self._types[members] = name
            return self._types.get(members) or enumeration(members)

    def _fetched(self, cursors: "_Cursors", sql: str, *, columns: bool = False) -> Any:
        """The rows of a statement, or its columns.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/test_duckdb.py::test_a_failure_says_nothing
        """
        rows = None
        try:
            with cursors() as cursor:
                found = cursor.execute(sql)
                rows = found.fetchnumpy() if columns else found.fetchall()
        except Exception:  # noqa: BLE001, S110 -- DuckDB raises many kinds, and none may be seen
            pass
        if rows is None:
            raise EngineFailed
        return rows

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one question, which `interrupt` can find."""
        with self._lock:
            cursor = self._connection.cursor()
        try:
            with self._used(cursor):
                yield cursor
        finally:
            cursor.close()

    @contextmanager
    def _used(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor while somebody uses it; nobody begins once the engine is being closed."""
        with self._lock:
            if self._closing:
                raise EngineFailed
            self._running.add(cursor)
        try:
            yield cursor
        finally:
            with self._lock:
                self._running.discard(cursor)
                self._lock.notify_all()

    def _cursors(self, question: Question, relations: Mapping[str, Relation]) -> "_Cursors":
        """Where the statements of a question run; whatever the place, they find the same."""
        if relations is self._empty:
            return self._rehearsed
        few = self._few.issuperset(table.name for table in tables_of(question.rows))
        return partial(self._taken, self._brief) if few else self._cursor

    def _rehearsed(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return self._taken(self._rehearsing)

    @contextmanager
    def _taken(self, turns: "_Turns") -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose users take turns; `interrupt` can find it, too."""
        with turns.lock, self._used(turns.cursor) as cursor:
            yield cursor


_Cursors = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


class _Turns:
    """A cursor that runs statements as they are written, one at a time."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.cursor, self.lock = connection.cursor(), Lock()
        self.cursor.execute("PRAGMA disable_optimizer")

    def close(self) -> None:
        self.cursor.close()


def _related(question: Question, relations: Mapping[str, Relation]) -> tuple[Relation, list[str]]:
    """Where the rows of a question are, and the parts of a WITH clause that make them."""
    base, nest = base_of(question.rows), Nest(relations)
    relation = relations.get(base.table.name) if isinstance(base, Scan) else nest.relation(base)
    if relation is None or not _knows(relation, question):
        raise EngineFailed
    return relation, nest.parts


def opened(
    *, threads: int | None = None, memory: str = "4GB", seconds: float | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, with every setting but the last ones made."""
    settings: dict[str, Any] = {**_SETTINGS, "memory_limit": memory}
    if threads is not None:
        settings["threads"] = count_of(threads, "threads", least=1)
    if seconds is not None:
        settings["max_execution_time"] = ceil(at_least(seconds, "seconds") * 1000)
    connection = duckdb.connect(":memory:")
    connection.execute("SET enable_progress_bar = false")  # how far a question is depends on the rows
    for name, value in settings.items():
        try:
            connection.execute(f"SET GLOBAL {name} = {_setting(value)}")
        except duckdb.Error:
            connection.close()
            raise InvalidInput(name, value, "this version of DuckDB does not accept it") from None
    return connection


def loaded(connection: duckdb.DuckDBPyConnection, place: int, table: Table, source: Source) -> Relation:
    """The relation of the connection that holds a table's declared columns and its units, by names of our own.

    Files that know their types are read in place; all else is copied.
    """
    try:
        return _relation(connection, place, table, source)
    except (duckdb.Error, UnicodeError):
        pass
    raise InvalidData(f"the source of table {table.name!r} cannot be read; check that it is whole and of its kind")


def _relation(connection: duckdb.DuckDBPyConnection, place: int | str, table: Table, source: Source) -> Relation:
    ours, name = f"t{place}", f"s{place}"
    match source:
        case Listed(rows):
            arrays = arrays_of(rows, table)
            connection.register(name, {f"a{j}": array for j, (_, array) in enumerate(arrays.values())})
            cells = [_unpacked(f"a{j}", kind) for j, (kind, _) in enumerate(arrays.values())]
            kinds = [called(kind) for kind, _ in arrays.values()]
            relation = _created(connection, "TABLE", ours, name, table, cells, kinds)
            connection.unregister(name)
            return relation
        case Separated(path, separator):
            scan = _text_scan(path, separator)
            check_columns(_types(connection, scan), table)
            cells = [parsed_text(quoted(column.name), column.kind) for column in table.columns]
            kinds = [called(column.kind) for column in table.columns]
            if table.unit is not None:
                cells, kinds = [*cells, quoted(table.unit)], [*kinds, "VARCHAR"]
            return _created(connection, "TABLE", ours, scan, table, cells, kinds)
        case Frame(frame):
            connection.register(name, frame)
            relation = _typed(connection, "TABLE", ours, name, table)
            connection.unregister(name)
            return relation
        case Parquet(path):
            return _parquet(connection, ours, text(str(path)), table)
        case Stored(path, inside):
            if not _attached(connection, name, path):
                return _typed(connection, "VIEW", ours, f"{name}.main.{quoted(inside or table.name)}", table)
            return _ingested(connection, ours, f"{name}.main", table)
        case Linked():
            return _linked(connection, place, table, source)


def _text_scan(path: Path, separator: str) -> str:
    """The rows of a text file, every cell a text.

    Claim:      whether and how a row is read depends on that row alone, as long as every quotation mark is closed.
    Because:    nothing is guessed from the rows: separator, quotes and names are given, and a row that has too few
                cells or is no UTF-8 is left out, cells beyond the header's are not looked at.
    Checked by: tests/unit/engines/test_separated.py
    """
    names = ", ".join(f"{text(name)}: 'VARCHAR'" for name in header_of(path, separator))
    form = "auto_detect = false, header = true, quote = '\"', escape = '\"', nullstr = '', comment = ''"
    row = f"strict_mode = false, ignore_errors = true, max_line_size = {_LONGEST_LINE}"
    return f"read_csv({text(str(path))}, delim = {text(separator)}, columns = {{{names}}}, {form}, {row})"


def _attached(connection: duckdb.DuckDBPyConnection, name: str, path: Path) -> bool:
    """Whether a file, which is attached by a name, was made by `ingest`."""
    connection.execute(f"ATTACH {text(str(path))} AS {name} (READ_ONLY)")
    found = connection.execute("SELECT table_name FROM duckdb_tables() WHERE database_name = ?", [name])
    return (INGESTED,) in found.fetchall()


def _linked(connection: duckdb.DuckDBPyConnection, place: int | str, table: Table, source: Linked) -> Relation:
    """The relation of a source that is joined along its foreign keys to its units."""
    check_path(source, table)
    found: Owners | None = None
    for j, (step, end) in reversed(list(enumerate(source.ends()))):
        name, given = f"{place}_{j}", source_of(step.source)
        scan, (key, after) = _raw(connection, f"s{name}", given, table, step.key, end)
        check_key(key.stored, step.key, table.name)
        if found is None:
            check_unit_type(after.stored, table)
        else:
            check_key(after.stored, end, table.name)
        connection.execute(f"CREATE TABLE o{name} AS {owners(scan, key, after, found)}").fetchall()
        if isinstance(given, Frame | Listed):
            connection.unregister(scan)
        types = _types(connection, f"o{name}")
        found = Owners(f"o{name}", types["k"], types["who"])
    assert found is not None, "a path has a step"
    inner, first = source_of(source.source), source.steps[0].column
    rows = _relation(connection, f"{place}_r", replace(table, unit=first), inner)
    assert rows.unit is not None, "a foreign key was asked for as a unit"
    check_key(rows.unit[1], first, table.name)
    listed = ", ".join([*(f"t.{name}" for name, _ in rows.columns.values()), "o.who AS u"])
    joined = f"SELECT {listed} FROM {rows.name} AS t {owner(Raw('t.u', rows.unit[1]), found)}"
    # What is read in place is joined for every question; what was copied is joined once.
    what = "VIEW" if isinstance(inner, Parquet | Stored) else "TABLE"
    connection.execute(f"CREATE {what} t{place} AS {joined}").fetchall()
    if what == "TABLE":
        connection.execute(f"DROP TABLE {rows.name}")
    return Relation(f"t{place}", rows.columns, ("u", found.unit))


def _raw(
    connection: duckdb.DuckDBPyConnection, name: str, source: Source, table: Table, *columns: str
) -> tuple[str, list[Raw]]:
    """A scan of a source, and some of its columns as they are stored."""
    ends = [Table(table.name, (), unit=column) for column in columns]
    match source:
        case Listed(rows):
            arrays = [arrays_of(rows, end)[""] for end in ends]
            connection.register(name, {f"a{j}": array for j, (_, array) in enumerate(arrays)})
            return name, [Raw(_unpacked(f"a{j}", kind), called(kind)) for j, (kind, _) in enumerate(arrays)]
        case Separated(path, separator):
            scan = _text_scan(path, separator)
        case Frame(frame):
            connection.register(name, frame)
            scan = name
        case Parquet(path):
            scan = f"read_parquet({text(str(path))})"
        case Stored(path, inside) if _attached(connection, name, path):
            return _raw_ingested(connection, f"{name}.main", ends)
        case Stored(_, inside):
            scan = f"{name}.main.{quoted(inside or '')}"
        case Linked():
            raise InvalidData(f"a reference of table {table.name!r} leads to a linked source; list its steps instead")
    types = _types(connection, scan)
    for end in ends:
        check_columns(types, end)
    return scan, [Raw(_by_code_point(quoted(column), types[column]), types[column]) for column in columns]


def _raw_ingested(connection: duckdb.DuckDBPyConnection, schema: str, ends: list[Table]) -> tuple[str, list[Raw]]:
    """The same of an ingested file, whose unit is stored by another name."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    types = _types(connection, f"{schema}.{INGESTED}")
    for end in ends:
        check_columns({*types, unit}, end)
    names = [UNIT if end.unit == unit else end.unit or "" for end in ends]
    return f"{schema}.{INGESTED}", [Raw(quoted(name), types[name]) for name in names]


def _parquet(connection: duckdb.DuckDBPyConnection, ours: str, path: str, table: Table) -> Relation:
    """The relation of a Parquet file, read in place unless a cell of it could raise when it is read.

    Milliseconds may be too many for a timestamp, so such a file is copied, and fails here if it does.  Bytes that are
    no text become question marks; units must be texts, or two of them could become one.
    """
    scan = f"read_parquet({path}, utf8_validation = 'replace')"
    types = _types(connection, scan)
    check_columns(types, table)
    if table.unit is not None and types[table.unit] == "VARCHAR":
        connection.execute(f"SELECT bit_xor(hash({quoted(table.unit)})) FROM read_parquet({path})").fetchall()
    schema = connection.execute(f"SELECT name, logical_type, converted_type FROM parquet_schema({path})").fetchall()
    coarse = {name for name, *kinds in schema if re.search("MILLIS=M|TIMESTAMP_MILLIS", str(kinds))}
    return _typed(connection, "TABLE" if coarse & set(wanted(table)) else "VIEW", ours, scan, table)


def _typed(connection: duckdb.DuckDBPyConnection, what: str, ours: str, scan: str, table: Table) -> Relation:
    """The relation of a source whose columns have types."""
    types = _types(connection, scan)
    check_columns(types, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    names = [column.name for column in table.columns]
    if table.unit is not None:
        check_unit_type(types[table.unit], table)
        names.append(table.unit)
    cells = [_by_code_point(quoted(name), types[name]) for name in names]
    return _created(connection, what, ours, scan, table, cells, [types[name] for name in names])


def _by_code_point(cell: str, stored: str) -> str:
    """A cell whose text is compared by its code points, whatever its column says.

    Claim:      texts are the same if they have the same letters; nobody decides how a key of others is spelled.
    Because:    a collation that a database stores with its column goes no further than this.
    Checked by: tests/attacks/test_collations.py
    """
    return f"{cell} COLLATE C" if stored == "VARCHAR" else cell


def _ingested(connection: duckdb.DuckDBPyConnection, ours: str, schema: str, table: Table) -> Relation:
    """The relation of a file that `ingest` has written: its units are numbers, and each row knows how many it has."""
    (unit,) = connection.execute(f"SELECT unit FROM {schema}.{INGESTED_UNIT}").fetchall()[0]
    if unit != table.unit:
        raise InvalidData(
            f"the file was ingested with unit {unit!r}, and table {table.name!r} declares {table.unit!r}; "
            "ingest the source again"
        )
    scan = f"{schema}.{INGESTED}"
    types = _types(connection, scan)
    check_columns({*types, *([unit] if unit else [])}, table)
    for column in table.columns:
        check_type(types[column.name], column, table)
    cells, kinds = [quoted(column.name) for column in table.columns], [types[column.name] for column in table.columns]
    if unit is not None:
        cells, kinds = [*cells, quoted(UNIT), quoted(UNIT_ROWS)], [*kinds, types[UNIT]]
    return _created(connection, "VIEW", ours, scan, table, cells, kinds)


def _created(
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
    listed = ", ".join(f"{cell} AS {name}" for cell, name in zip(cells, [*names, *extra], strict=True))
    connection.execute(f"CREATE {what} {ours} AS SELECT {listed or '1 AS nothing'} FROM {scan}").fetchall()
    columns = {column.name: (names[j], stored[j]) for j, column in enumerate(table.columns)}
    unit = ("u", stored[len(names)]) if extra else None
    numbered = ours if "r" in extra else None
    return Relation(ours, columns, unit, "r" if "r" in extra else None, numbered)


def _types(connection: duckdb.DuckDBPyConnection, scan: str) -> dict[str, str]:
    return {row[0]: row[1] for row in connection.execute(f"DESCRIBE SELECT * FROM {scan}").fetchall()}


def _unpacked(name: str, kind: Kind) -> str:
    """A column of Python integers as the dates or timestamps that they stand for."""
    match kind:
        case Kind.DATE:
            return f"{literal(0, kind)} + CAST({name} AS INTEGER)"
        case Kind.TIMESTAMP:
            return f"make_timestamp({name})"
        case _:
            return f"CAST({name} AS {called(kind)})"


def _check_unique(connection: duckdb.DuckDBPyConnection, relation: Relation, table: Table) -> None:
    """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
    for column in table.columns:
        if table.public and column.name in table.unique:
            cell = reader(relation)(column)
            counted = f"SELECT count({cell}) - count(DISTINCT {cell}) FROM {relation.name}"
            if connection.execute(counted).fetchall()[0][0]:
                not_unique(table, column.name)


def _emptied(connection: duckdb.DuckDBPyConnection, relation: Relation) -> Relation:
    """A table of the same types without rows."""
    empty = "e" + relation.name[1:]
    connection.execute(f"CREATE TABLE {empty} AS SELECT * FROM {relation.name} LIMIT 0").fetchall()
    return replace(relation, name=empty)


def _is_few(connection: duckdb.DuckDBPyConnection, relation: Relation) -> bool:
    """Whether a table has so few rows that statements about it are not optimised."""
    counted = f"SELECT count(*) FROM (SELECT 1 FROM {relation.name} LIMIT {FEW + 1})"
    return bool(connection.execute(counted).fetchall()[0][0] <= FEW)


def _locked(connection: duckdb.DuckDBPyConnection, sources: Iterable[Source]) -> None:
    """From here on the connection reads the files it was given, nothing else, and its settings stay."""
    read = [source_of(source.source) if isinstance(source, Linked) else source for source in sources]
    paths = ", ".join(text(str(source.path)) for source in read if isinstance(source, Parquet | Stored))
    connection.execute(f"SET GLOBAL allowed_paths = [{paths}]")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL lock_configuration = true")
    # A setting of the session would not reach the cursors, and then a zero in the rows could raise.
    zero = connection.cursor().execute("SELECT x % 0, x / 0, x / 0e0, x % 0e0 FROM (VALUES (1)) AS v(x)").fetchall()
    assert zero == [(None, None, None, None)], "a division by zero is NULL"


def _knows(relation: Relation, question: Question) -> bool:
    """Whether every column of the question is there, stored as something that can be read as its kind."""
    parts: list[Expression] = [*conditions_of(question.rows), *(key.value for key in question.keys)]
    parts += [measure.value for measure in question.measures if measure.value is not None]
    while parts:
        part = parts.pop()
        parts += operands(part)
        if isinstance(part, Field):
            stored = relation.columns.get(part.column.name)
            if stored is None or part.column.kind not in kinds_of(stored[1]):
                return False
    return True


def _setting(value: object) -> str:
    return text(value) if isinstance(value, str) else str(value)
