"""The default engine: DuckDB, locked down, on SQL that we generate from the plan."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quoted`, `text` and their like

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from math import ceil
from threading import Condition, Lock
from typing import Any, Self

import duckdb
import numpy as np

from tacit.engines.coded_rows import CodedRows, check_coding
from tacit.engines.duckdb.load import load_table
from tacit.engines.duckdb.prepared import Shapes
from tacit.engines.duckdb.unknown_keys import gather_keys
from tacit.engines.engine import Answer, blank, check_fits, columns_read, needed_columns
from tacit.engines.sources.foreign_keys import Linked
from tacit.engines.sources.kinds import Parquet, Source, Stored, not_unique, source_of
from tacit.engines.sql.casts import kinds_of
from tacit.engines.sql.codes import code_statement
from tacit.engines.sql.expressions import text
from tacit.engines.sql.groups import enumeration
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.rows import Nest, reader
from tacit.engines.sql.statement import Statement, histogram, statement
from tacit.engines.unknown_keys import Gathered, rehearsal_of
from tacit.engines.work_bounds import bounds_of_question, check_work
from tacit.errors import EngineFailed, InvalidInput
from tacit.exact import at_least, count_of
from tacit.frozen import frozen
from tacit.plan import (
    Coding,
    Column,
    Keeping,
    Question,
    Ranked,
    Scan,
    Table,
    Weights,
    base_of,
    columns_of_answer,
    tables_of,
)

__all__ = ["DuckDB", "open_connection"]

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
    # Rows are joined in the order of the plan, for which bounds are proved; what is small stands on the right.
    "disabled_optimizers": "join_order,build_side_probe_side",
    "default_collation": "",
    "TimeZone": "UTC",
}
FEW = 100_000
"""Statements about tables with no more rows run as they are written: that takes two thirds of the time."""

_REHEARSAL = "rehearsal"
_REHEARSING = f"SET search_path = '{_REHEARSAL},main'"  # types are in main
_AGAIN, _TRIES = 0.01, 1_000
_MOST_TYPES, _MOST_READ = 256, 16


class DuckDB:
    """An engine that runs one generated statement for every question.

    >>> from tacit.plan import Column, Counted, Kind, Scan, Table, Weighing
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
        self._last: tuple[Question, Weights, _Statements] | None = None
        self._parsed: dict[str, duckdb.Statement] = {}
        self._shared: dict[tuple[str, Column | None], int] = {}
        # A connection that was `opened` to find out what a source holds is the engine's from now on.
        self._connection = connection or open_connection(
            threads=threads, memory=memory, seconds=seconds
        )
        try:
            self._full = {
                table.name: load_table(self._connection, i, table, source)
                for i, (table, source) in enumerate(sources.items())
            }
            for table in sources:
                _check_unique(self._connection, self._full[table.name], table)
            self._connection.execute(f"CREATE SCHEMA {_REHEARSAL}")
            for relation in self._full.values():
                _make_empty_copy(self._connection, relation)
            self._copied = all(relation.copied for relation in self._full.values())
            self._few = {
                name for name, relation in self._full.items() if _is_few(self._connection, relation)
            }
            self._rehearsing, self._brief = _Turns(self._connection), _Turns(self._connection)
            self._shapes = Shapes()
            self._rehearsing.cursor.execute(_REHEARSING)
            _lock_settings(self._connection, sources.values())
        except BaseException:
            self._connection.close()
            raise

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits."""
        few = self._few.issuperset(table.name for table in tables_of(question.rows))
        return self._run_question(question, weights, self._briefly if few else self._cursor)

    @contextmanager
    def gather(self, question: Question, keeping: Keeping) -> Iterator[Gathered]:
        """What units keep of the unknown keys of a question, in temporary tables of a cursor of its own."""
        with self._gather_keys(question, keeping) as found:
            yield found

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Run the same statements on an empty table of the same types.

        Claim:      no private row is read; what ran before with other numbers is not run.
        Because:    the cursor finds tables in another schema first, where each has a twin of its name without rows.
        Checked by: tests/unit/engines/duckdb/test_engine.py::test_a_dry_run_looks_at_no_row
        """
        check_work(question, self._sharing)
        if question.unknown and question.found is None:
            with self._gather_keys(question, Keeping(1, 0, b""), rehearsing=True):
                pass
        self._run_question(rehearsal_of(question), weights, self._rehearsal_cursor)

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of all rows that count, by one statement; if rehearsing, of no rows."""
        check_coding(coding, weights)
        question = coding.question
        check_work(question, self._sharing)
        relation, nested = self._relation_of(question)
        sql = code_statement(coding, weights, relation, self._enumerate_type, nested)
        if rehearsing:
            self._fetch(self._rehearsal_cursor, sql)
            found = {f"c{place}": np.zeros(0, np.int64) for place in range(len(coding.axes))}
        else:
            found = self._fetch(self._cursor, sql, columns=True)
        codes = tuple(np.asarray(found[f"c{place}"]) for place in range(len(coding.axes)))
        weighed = None if relation.unit is None or rehearsing else np.asarray(found["w"])
        return CodedRows(codes, tuple(axis.size for axis in coding.axes), weighed, weights.bits)

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

    def _run_question(self, question: Question, weights: Weights, cursors: "_Cursors") -> Answer:
        check_fits(question, weights)
        answer, written = blank(question, weights), self._statements(question, weights)
        if not answer.size:
            return answer
        columns = columns_of_answer(question)
        if written.measures is not None:
            asked, places = written.measures, [columns[place].start for place in written.places]
            for group, measures in asked.read_measures(
                self._fetch(cursors, asked.sql), weights.bits
            ):
                answer[group, places] = measures
        known: dict[str, slice] = {}
        for place, sql in written.cells.items():
            once = known.setdefault(sql, columns[place])
            if once is columns[place]:
                self._weigh(answer[:, once], cursors, sql, weights.bits)
            else:
                answer[:, columns[place]] = answer[:, once]
        return answer

    def _statements(self, question: Question, weights: Weights) -> "_Statements":
        """The statements of a question, written once for its rehearsal and for its answer."""
        last = self._last
        if last is not None and last[0] is question and last[1] == weights:
            return last[2]
        relation, nested = self._relation_of(question)
        ranked = {
            i: measure for i, measure in enumerate(question.measures) if isinstance(measure, Ranked)
        }
        places = tuple(i for i in range(len(question.measures)) if i not in ranked)
        asked = (
            statement(question, weights, relation, self._enumerate_type, nested) if places else None
        )
        cells = {
            i: histogram(question, measure, weights, relation, self._enumerate_type, nested)
            for i, measure in ranked.items()
        }
        found = _Statements(asked, places, cells)
        self._last = question, weights, found
        return found

    def _parse_statement(self, sql: str) -> duckdb.Statement:
        """A statement as DuckDB reads it, once for its rehearsal and for its answer: a fifth of a small question."""
        with self._lock:
            if sql not in self._parsed:
                while len(self._parsed) >= _MOST_READ:
                    del self._parsed[next(iter(self._parsed))]
                (self._parsed[sql],) = self._connection.extract_statements(sql)
            return self._parsed[sql]

    def _weigh(self, cells: Answer, cursors: "_Cursors", sql: str, bits: int) -> None:
        """Fill in the weights of cells: where they fit into 64 bits, from whole columns."""
        if cells.dtype == object or cursors == self._rehearsal_cursor:  # which finds none
            for group, cell, rows, held in self._fetch(cursors, sql):
                cells[group, cell] = (rows << bits) + held
            return
        columns: Any = self._fetch(cursors, sql, columns=True)
        group, cell, rows, held = (columns[name].astype(np.int64) for name in "gvmh")
        cells[group, cell] = (rows << bits) + held

    @contextmanager
    def _gather_keys(
        self, question: Question, keeping: Keeping, *, rehearsing: bool = False
    ) -> Iterator[Gathered]:
        """What is gathered, on a cursor that lives as long.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/duckdb/test_unknown_keys.py
        """
        relation, nested = self._relation_of(question)
        with ExitStack() as meanwhile:
            found = None
            with suppress(Exception):
                cursor = meanwhile.enter_context(self._cursor())
                if rehearsing:
                    cursor.execute(_REHEARSING)
                found = gather_keys(
                    cursor, question, keeping, relation, self._enumerate_type, nested
                )
            if found is None:
                raise EngineFailed
            yield found

    def _enumerate_type(self, members: tuple[str, ...]) -> str:
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

    def _fetch(self, cursors: "_Cursors", sql: str, *, columns: bool = False) -> Any:
        """The rows of a statement, or its columns.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/duckdb/test_engine.py::test_a_failure_says_nothing
        """
        rows = None
        if cursors == self._rehearsal_cursor and self._shapes.ran(sql):
            return []
        try:
            with cursors() as cursor:
                ready = cursors == self._briefly and self._copied
                found = (
                    self._shapes.execute(cursor, sql, self._parse_statement)
                    if ready
                    else cursor.execute(self._parse_statement(sql))
                )
                rows = found.fetchnumpy() if columns else found.fetchall()
        except Exception:  # noqa: BLE001, S110 -- DuckDB raises many kinds, and none may be seen
            pass
        if rows is None:
            raise EngineFailed
        return rows

    def _sharing(self, table: Table, column: Column | None) -> int:
        """How many rows of a public table have the same value in a column, or how many there are; looked up once.

        Claim:      what was looked up for one question says nothing false to another.
        Because:    it is kept by the column as it is read: its bounds decide which values are the same.
        Checked by: tests/attacks/test_fan_out.py::test_how_many_partners_are_known_is_asked_of_the_column_as_it_is_read
        """
        place = table.name, column
        if table.name not in self._full:
            raise EngineFailed
        if place not in self._shared:
            relation = self._full[table.name]
            rows = relation.name
            if column is not None:
                cell = reader(relation)(column)
                rows = f"(SELECT count(*) AS n FROM {relation.name} WHERE {cell} IS NOT NULL GROUP BY {cell})"
            counted = "count(*)" if column is None else "coalesce(max(n), 0)"
            ((self._shared[place],),) = self._fetch(self._cursor, f"SELECT {counted} FROM {rows}")
        return self._shared[place]

    def _relation_of(self, question: Question) -> tuple[Relation, list[str]]:
        """Where the rows of a question are, and the parts of a WITH clause that make them."""
        base = base_of(question.rows)
        nest = Nest(self._full, bounds_of_question(question, self._sharing))
        relation = (
            self._full.get(base.table.name) if isinstance(base, Scan) else nest.relation(base)
        )
        if relation is None or not _knows(relation, question):
            raise EngineFailed
        return relation, nest.parts

    @contextmanager
    def _cursor(self) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor for one question, which `interrupt` can find."""
        with self._lock:
            cursor = self._connection.cursor()
        try:
            with self._use_cursor(cursor):
                yield cursor
        finally:
            cursor.close()

    @contextmanager
    def _use_cursor(self, cursor: duckdb.DuckDBPyConnection) -> Iterator[duckdb.DuckDBPyConnection]:
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

    def _rehearsal_cursor(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return self._take_cursor(self._rehearsing)

    def _briefly(self) -> AbstractContextManager[duckdb.DuckDBPyConnection]:
        return self._take_cursor(self._brief)

    @contextmanager
    def _take_cursor(self, turns: "_Turns") -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor whose users take turns; `interrupt` can find it, too."""
        with turns.lock, self._use_cursor(turns.cursor) as cursor:
            yield cursor


_Cursors = Callable[[], AbstractContextManager[duckdb.DuckDBPyConnection]]


@frozen
class _Statements:
    """What is run for a question: one statement for all `places` that are measured, one for each that is ranked."""

    measures: Statement | None
    places: tuple[int, ...]
    cells: Mapping[int, str]


class _Turns:
    """A cursor that runs statements as they are written, one at a time."""

    def __init__(self, connection: duckdb.DuckDBPyConnection) -> None:
        self.cursor, self.lock = connection.cursor(), Lock()
        self.cursor.execute("PRAGMA disable_optimizer")

    def close(self) -> None:
        self.cursor.close()


def open_connection(
    *, threads: int | None = None, memory: str = "4GB", seconds: float | None = None
) -> duckdb.DuckDBPyConnection:
    """A connection to an empty database in memory, with every setting but the last ones made."""
    settings: dict[str, Any] = {**_SETTINGS, "memory_limit": memory}
    if threads is not None:
        settings["threads"] = count_of(threads, "threads", least=1)
    if seconds is not None:
        settings["max_execution_time"] = ceil(at_least(seconds, "seconds") * 1000)
    connection = duckdb.connect(":memory:")
    # how far a question is depends on the rows
    connection.execute("SET enable_progress_bar = false")
    for name, value in settings.items():
        try:
            connection.execute(f"SET GLOBAL {name} = {_setting(value)}")
        except duckdb.Error:
            connection.close()
            raise InvalidInput(name, value, "this version of DuckDB does not accept it") from None
    return connection


def _check_unique(connection: duckdb.DuckDBPyConnection, relation: Relation, table: Table) -> None:
    """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
    for column in table.columns:
        if table.public and column.name in table.unique:
            cell = reader(relation)(column)
            counted = f"SELECT count({cell}) - count(DISTINCT {cell}) FROM {relation.name}"
            if connection.execute(counted).fetchall()[0][0]:
                not_unique(table, column.name)


def _make_empty_copy(connection: duckdb.DuckDBPyConnection, relation: Relation) -> None:
    """Make a table of the same name and types without rows, where rehearsals find it."""
    twin = f"{_REHEARSAL}.{relation.name}"
    connection.execute(f"CREATE TABLE {twin} AS SELECT * FROM {relation.name} LIMIT 0").fetchall()
    if relation.names is not None:
        named = (
            f"CREATE TABLE {_REHEARSAL}.{relation.names} AS SELECT * FROM {relation.names} LIMIT 0"
        )
        connection.execute(named).fetchall()


def _is_few(connection: duckdb.DuckDBPyConnection, relation: Relation) -> bool:
    """Whether a table has so few rows that statements about it are not optimised."""
    counted = f"SELECT count(*) FROM (SELECT 1 FROM {relation.name} LIMIT {FEW + 1})"
    return bool(connection.execute(counted).fetchall()[0][0] <= FEW)


def _lock_settings(connection: duckdb.DuckDBPyConnection, sources: Iterable[Source]) -> None:
    """From here on the connection reads the files it was given, nothing else, and its settings stay."""
    read = [
        source_of(source.source) if isinstance(source, Linked) else source for source in sources
    ]
    paths = ", ".join(
        text(str(source.path)) for source in read if isinstance(source, Parquet | Stored)
    )
    connection.execute(f"SET GLOBAL allowed_paths = [{paths}]")
    connection.execute("SET GLOBAL enable_external_access = false")
    connection.execute("SET GLOBAL lock_configuration = true")
    # A setting of the session would not reach the cursors, and then a zero in the rows could raise.
    zero = (
        connection.cursor()
        .execute("SELECT x % 0, x / 0, x / 0e0, x % 0e0 FROM (VALUES (1)) AS v(x)")
        .fetchall()
    )
    assert zero == [(None, None, None, None)], "a division by zero is NULL"


def _knows(relation: Relation, question: Question) -> bool:
    """Whether every column of the question is there, stored as something that can be read as its kind."""
    for column in (*needed_columns(question), *columns_read(question)):
        stored = relation.columns.get(column.name)
        if stored is None or column.kind not in kinds_of(stored[1]):
            return False
    return True


def _setting(value: object) -> str:
    return text(value) if isinstance(value, str) else str(value)
