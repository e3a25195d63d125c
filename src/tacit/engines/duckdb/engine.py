"""The default engine: DuckDB, locked down, on SQL that we generate from the plan."""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from typing import Self

import duckdb
import numpy as np

from tacit.engines.duckdb.connection import (
    Connection,
    SharedCursor,
    lock_settings,
    open_connection,
)
from tacit.engines.duckdb.empty_copies_and_checks import (
    REHEARSAL,
    check_unique,
    is_few,
    make_empty_copy,
    paths_of,
)
from tacit.engines.duckdb.file_seal import last_change
from tacit.engines.duckdb.load_tables import load_table
from tacit.engines.duckdb.prepared_statements import PreparedStatements
from tacit.engines.duckdb.weigh_arrays import add_up, can_add_up
from tacit.engines.engine import (
    Answer,
    blank,
    check_fits,
    columns_read,
    groups_of,
)
from tacit.engines.rows_as_codes import CodedRows, check_coding
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.source_kinds import source_of
from tacit.engines.sql.codes import code_names, code_statement
from tacit.engines.sql.group_index import enumeration
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset
from tacit.engines.sql.read_stored_columns import kinds_of, whole_unit
from tacit.engines.sql.rows_with_group_and_unit import RowColumns, row_columns
from tacit.engines.sql.select_with_parameters import Fetched, Number, Select
from tacit.engines.sql.statement import Statement, histogram, read_cells, statement
from tacit.engines.unknown_keys_per_unit import Gathered, rehearsal_of
from tacit.engines.work_bounds import Bounds, bounds_of_question, check_work
from tacit.errors import EngineFailed
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

__all__ = ["DuckDB"]

FEW = 100_000
"""Statements about tables with no more rows run as they are written: that takes two thirds of the time."""

_REHEARSING = f"SET search_path = '{REHEARSAL},main'"  # types are in main
_MOST_TYPES = 256


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
        self._types: dict[tuple[str, ...], str] = {}
        self._last: tuple[Question, Weights, _Statements] | None = None
        self._checked: tuple[Question, Bounds] | None = None
        self._shared: dict[tuple[str, Column | None], int] = {}
        self._by_sql = {
            table.name for table, source in sources.items() if isinstance(source, Linked)
        }
        # A connection that was opened to find out what a source holds is the engine's from now on.
        opened = connection or open_connection(threads=threads, memory=memory, seconds=seconds)
        try:
            self._full = {
                table.name: load_table(opened, i, table, source)
                for i, (table, source) in enumerate(sources.items())
            }
            counted = [each for each in self._full.values() if each.unit_rows is not None]
            files = [Path(each.numbered) for each in counted if each.numbered is not None]
            self._sealed = {file: last_change(file) for file in files}
            for table in sources:
                check_unique(opened, self._full[table.name], table)
            opened.execute(f"CREATE SCHEMA {REHEARSAL}")
            for relation in self._full.values():
                make_empty_copy(opened, relation)
            self._copied = all(relation.copied for relation in self._full.values())
            self._few = {name for name, found in self._full.items() if is_few(opened, found, FEW)}
            self._rehearsal, self._brief = SharedCursor(opened), SharedCursor(opened)
            self._rehearsal.cursor.execute(_REHEARSING)
            self._prepared = PreparedStatements()
            paths = [path for source in sources.values() for path in paths_of(source)]
            lock_settings(opened, paths)
        except BaseException:
            opened.close()
            raise
        self._connection = Connection(opened)

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits."""
        return self._run_question(
            question, weights, self._brief if self._is_small(question) else None
        )

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
        self._checked = question, check_work(question, self._sharing)
        if question.unknown and question.found is None:
            with self._gather_keys(question, Keeping(1, 0, b""), rehearsing=True):
                pass
        self._run_question(rehearsal_of(question), weights, self._rehearsal)

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of all rows that count, by one statement; if rehearsing, of no rows."""
        check_coding(coding, weights)
        question = coding.question
        check_work(coding.computed, self._sharing)
        rowset = self._rowset_of(question, None)
        select = code_statement(coding, weights, rowset, self._enumerate_type)
        names, is_weighed = code_names(coding), rowset.relation.unit is not None
        if rehearsing:
            self._fetch(select, self._rehearsal)
            found: Mapping[str, Answer] = {name: np.zeros(0, np.int64) for name in names}
        else:
            found = self._fetch_arrays(select, None)
        codes = tuple(np.asarray(found[name]) for name in names)
        weighed = np.asarray(found["weight"]) if is_weighed and not rehearsing else None
        named = coding.units and is_weighed and not rehearsing
        units = np.asarray(found["unit_name"], dtype=object) if named else None
        sizes = tuple(axis.size for axis in coding.axes)
        return CodedRows(codes, sizes, weighed, weights.bits, units)

    def interrupt(self) -> None:
        """Stop every question that is being evaluated; each fails as any failure does."""
        self._connection.interrupt()

    def close(self) -> None:
        """Stop what is running, wait until it has stopped, and let go of the rows."""
        self._connection.close(self._rehearsal, self._brief)

    @property
    def has_fixed_rows(self) -> bool:
        """Whether all tables were copied; Parquet and files of DuckDB are read anew for every question."""
        return self._copied

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _is_small(self, question: Question) -> bool:
        """Whether the tables of a question have few rows."""
        return self._few.issuperset(table.name for table in tables_of(question.rows))

    def _run_question(
        self, question: Question, weights: Weights, shared: SharedCursor | None
    ) -> Answer:
        """The answer of a question on a cursor of its own, or on one that is shared."""
        written = self._statements(question, weights)
        answer = np.zeros_like(written.empty)
        if not answer.size:
            return answer
        columns = columns_of_answer(question)
        if written.rows is not None:
            found = self._add_in_arrays(question, weights, written.rows, shared)
            if found is not None:
                answer[:] = found
                return answer
        if written.measures is not None:
            asked, places = written.measures, [columns[place].start for place in written.places]
            fetched = self._fetch(asked.select, shared)
            for group, measures in asked.read_measures(fetched, weights.bits):
                answer[group, places] = measures
        known: dict[Select, slice] = {}
        for place, select in written.cells.items():
            once = known.setdefault(select, columns[place])
            if once is columns[place]:
                self._fill_cells(answer[:, once], select, shared, weights.bits)
            else:
                answer[:, columns[place]] = answer[:, once]
        return answer

    def _statements(self, question: Question, weights: Weights) -> _Statements:
        """The statements of a question, checked and written once for its rehearsal and for its answer."""
        last = self._last
        if last is not None and last[0] is question and last[1] == weights:
            return last[2]
        check_fits(question, weights)
        rowset = self._rowset_of(question, [] if self._is_prepared(question) else None)
        ranked = {
            i: measure for i, measure in enumerate(question.measures) if isinstance(measure, Ranked)
        }
        places = tuple(i for i in range(len(question.measures)) if i not in ranked)
        asked = statement(question, weights, rowset, self._enumerate_type) if places else None
        cells = {
            i: histogram(question, measure, weights, rowset, self._enumerate_type)
            for i, measure in ranked.items()
        }
        rows = (
            row_columns(question, rowset, self._enumerate_type)
            if self._has_small_units(question, rowset)
            else None
        )
        found = _Statements(asked, places, cells, blank(question, weights), rows)
        self._last = question, weights, found
        return found

    def _has_small_units(self, question: Question, rowset: Rowset) -> bool:
        """Whether the rows of a question can be weighed in arrays: those of one table, whose units are numbers.

        Not if the rows know how many their unit has, which is quicker still, nor if they are joined for every question.
        """
        relation = rowset.relation
        return (
            relation.unit is not None
            and whole_unit(relation.unit[1])
            and relation.unit_rows is None
            and not rowset.ctes
            and self._by_sql.isdisjoint(table.name for table in tables_of(question.rows))
            and not self._is_small(question)
        )

    def _add_in_arrays(
        self, question: Question, weights: Weights, rows: RowColumns, shared: SharedCursor | None
    ) -> Answer | None:
        """The answer by arrays; None where SQL has to find it, and while it is rehearsed.

        Claim:      whether rows are weighed in arrays or by SQL is seen in no answer.
        Because:    both give the integers of the memory engine; a rehearsal runs both statements.
        Checked by: tests/laws/test_engines.py::test_memory_and_duckdb_agree
        """
        if shared is not None:
            self._fetch(rows.select, shared)
            return None
        groups, base = groups_of(question), base_of(question.rows)
        assert isinstance(base, Scan), (
            "`_has_small_units` asked whether they are those of one table"
        )
        name = base.table.name
        ((count,),) = self._fetch(Select(f"SELECT count(*) FROM {self._full[name].name}")).rows
        if not can_add_up(count, rows.terms, weights, groups):
            return None
        columns = self._fetch_columns(rows.select)
        if len(columns["unit"]) > count:  # the file has grown meanwhile
            return None
        with suppress(Exception):
            found = add_up(columns, rows.terms, rows.recipes, groups, weights)
            if found is None:
                self._by_sql.add(name)
            return found
        raise EngineFailed

    def _is_prepared(self, question: Question) -> bool:
        """Whether its statements have parameters, and are prepared when they come again.

        What is prepared knows where in a file its columns were; and an optimiser does better that knows the numbers.
        """
        return self._copied and self._is_small(question)

    def _fill_cells(
        self, cells: Answer, select: Select, shared: SharedCursor | None, bits: int
    ) -> None:
        """Fill in the weights of cells: where they fit into 64 bits, from whole columns."""
        if cells.dtype == object or shared is self._rehearsal:  # which finds none
            for group, cell, weight in read_cells(self._fetch(select, shared), bits):
                cells[group, cell] = weight
            return
        columns = self._fetch_arrays(select, shared)
        rows = columns["total"].astype(np.int64) << bits
        cells[columns["group_id"], columns["cell"]] = rows + columns["scaled"].astype(np.int64)

    @contextmanager
    def _gather_keys(
        self, question: Question, keeping: Keeping, *, rehearsing: bool = False
    ) -> Iterator[Gathered]:
        """What is gathered, on a cursor that lives as long.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/duckdb/test_unknown_key_table.py
        """
        from tacit.engines.duckdb.unknown_key_table import gather_keys

        rowset = self._rowset_of(question, None)
        with ExitStack() as meanwhile:
            found = None
            with suppress(Exception):
                self._check_sealed()
                cursor = meanwhile.enter_context(self._connection.cursor())
                if rehearsing:
                    cursor.execute(_REHEARSING)
                found = gather_keys(cursor, question, keeping, rowset, self._enumerate_type)
            if found is None:
                raise EngineFailed
            yield found

    def _enumerate_type(self, members: tuple[str, ...]) -> str:
        """A type of the database for a list of keys, made once: spelled out, it costs milliseconds a question."""
        with self._connection.lock:
            if members not in self._types and len(self._types) < _MOST_TYPES:
                name = f"keys_{len(self._types)}"
                try:
                    self._connection.duckdb.execute(f"CREATE TYPE {name} AS {enumeration(members)}")
                except duckdb.Error:  # closed, or out of memory: the statement will say so
                    return enumeration(members)
                self._types[members] = name
            return self._types.get(members) or enumeration(members)

    def _fetch(self, select: Select, shared: SharedCursor | None = None) -> Fetched:
        """The rows of a statement; none if it is rehearsed and ran before.

        Claim:      whatever goes wrong, what is raised holds no data and no text of DuckDB's.
        Because:    it is raised after the handler has ended, so that it has neither cause nor context.
        Checked by: tests/unit/engines/duckdb/test_engine.py::test_a_failure_says_nothing
        """
        if shared is self._rehearsal and self._prepared.has_run(select):
            return Fetched()
        found = None
        with suppress(Exception), self._execute(select, shared) as ran:
            names = tuple(column[0] for column in ran.description)
            found = Fetched(names, ran.fetchall())
        if found is None:
            raise EngineFailed
        return found

    def _fetch_arrays(self, select: Select, shared: SharedCursor | None) -> Mapping[str, Answer]:
        """The columns of a statement, as arrays; a failure says nothing either."""
        found = None
        with suppress(Exception), self._execute(select, shared) as ran:
            found = ran.fetchnumpy()
        if found is None:
            raise EngineFailed
        return found

    def _fetch_columns(self, select: Select) -> Mapping[str, Answer]:
        """The same of a statement without parameters, whose rows are as many as those of a table: not copied twice."""
        found = None
        with suppress(Exception):
            self._check_sealed()
            with self._connection.cursor() as cursor:
                found = cursor.sql(select.sql).fetchnumpy()
        if found is None:
            raise EngineFailed
        return found

    @contextmanager
    def _execute(
        self, select: Select, shared: SharedCursor | None
    ) -> Iterator[duckdb.DuckDBPyConnection]:
        """A cursor that has run a statement."""
        self._check_sealed()
        connection = self._connection
        with connection.cursor() if shared is None else connection.share(shared) as cursor:
            if shared is self._brief and self._copied:
                yield self._prepared.execute(cursor, select, connection.parse)
            else:
                yield cursor.execute(connection.parse(select.sql), select.parameters)

    def _check_sealed(self) -> None:
        """Fail if a file was written of whose units something is known."""
        if any(last_change(file) != known for file, known in self._sealed.items()):
            raise EngineFailed

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
            rows, counted = relation.name, "count(*)"
            if column is not None:
                cell = relation.reader()(column)
                rows = (
                    f"(SELECT count(*) AS n FROM {rows} WHERE {cell} IS NOT NULL GROUP BY {cell})"
                )
                counted = "coalesce(max(n), 0)"
            found = self._fetch(Select(f"SELECT {counted} FROM {rows}"))
            ((self._shared[place],),) = found.rows
        return self._shared[place]

    def _rowset_of(self, question: Question, numbers: list[Number] | None) -> Rowset:
        """The rows of a question, with the common table expressions that make them if they are no table."""
        base = base_of(question.rows)
        checked = self._checked
        bounds = (
            checked[1]
            if checked is not None and checked[0] is question
            else bounds_of_question(question, self._sharing)
        )
        if not isinstance(base, Scan):
            from tacit.engines.sql.rows import Nest

            rowset = Nest(self._full, bounds, numbers).rowset(base)
        elif base.table.name in self._full:
            rowset = Rowset(self._full[base.table.name], (), None if numbers is None else ())
        else:
            raise EngineFailed
        if not _knows(rowset.relation, question):
            raise EngineFailed
        return rowset


@frozen
class _Statements:
    """What is run for a question: one statement for all `places` that are measured, one for each that is ranked.

    `empty` is an answer of zeros; `rows` are those of the question, where they can be weighed in arrays instead.
    """

    measures: Statement | None
    places: tuple[int, ...]
    cells: Mapping[int, Select]
    empty: Answer
    rows: RowColumns | None


def _knows(relation: Relation, question: Question) -> bool:
    """Whether every column of the question is there, stored as something that can be read as its kind."""
    base = base_of(question.rows)
    needed = base.table.columns if isinstance(base, Scan) else ()
    for column in (*(each for each in needed if not each.nullable), *columns_read(question)):
        stored = relation.columns.get(column.name)
        if stored is None or column.kind not in kinds_of(stored[1]):
            return False
    return True
