"""An engine that asks a server: statements in its dialect, one session a question, failures that say nothing."""

# ruff: noqa: S608 -- this is the SQL generator: names are our own, and cells were rendered

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from typing import Self, TypeVar

import numpy as np

from tacit.engines.engine import Answer, blank, check_fits
from tacit.engines.rows_as_codes import CodedRows, check_coding
from tacit.engines.sources.rows import not_unique
from tacit.engines.sql.codes import code_names, code_statement
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.gather_unknown_keys_on_server import Fetch, gather_keys, key_queries
from tacit.engines.sql.names_of_stored_rows import Relation, Rowset
from tacit.engines.sql.rows import Nest
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.engines.sql.statement import histogram, read_cells, statement
from tacit.engines.unknown_keys_per_unit import Gathered, rehearsal_of
from tacit.engines.work_bounds import bounds_of_question, check_work
from tacit.errors import EngineFailed, TacitError
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

__all__ = ["ReadTable", "ServerEngine", "keep_quiet", "tell"]

Found = TypeVar("Found")


@frozen
class ReadTable:
    """A relation, and the common table expressions that read it, if any: as they are, and without a row."""

    relation: Relation
    ctes: tuple[str, ...] = ()
    empty: tuple[str, ...] = ()


class ServerEngine:
    """An engine whose tables are on one server: rows stay there, and exact integers come back.

    A subclass says how a session is opened in which some tables can be read, and what is said of a failure before the
    charge.
    """

    dialect: SqlDialect

    def __init__(self, tables: Mapping[str, Table], read: Mapping[str, ReadTable]) -> None:
        self._tables, self._full = tables, read
        self._shared: dict[tuple[str, Column | None], int] = {}
        for table in tables.values():
            self._check_unique(table)

    @abstractmethod
    def _open(
        self, names: tuple[str, ...], *, rehearsing: bool, secret: bytes | None = None
    ) -> AbstractContextManager[Callable[[str], Fetched]]:
        """A session in which statements read these tables, of one snapshot; if rehearsing, without a row.

        `secret` is that by which unknown keys are hashed: it is sent apart, and stands in no statement.
        """

    @abstractmethod
    def _refusal_of(self, error: BaseException) -> TacitError:
        """What is said of a failure when no private row has been read."""

    def evaluate(self, question: Question, weights: Weights) -> Answer:
        """The exact measures of every group, multiplied by 2**bits, of one snapshot."""
        return self._keep_quiet(question, lambda fetch: self._run(question, weights, fetch))

    @contextmanager
    def gather(self, question: Question, keeping: Keeping) -> Iterator[Gathered]:
        """What units keep of the unknown keys of a question; all that is asked of it is of one snapshot."""
        with ExitStack() as meanwhile:
            opened = self._open(_names(question), rehearsing=False, secret=keeping.secret)
            session = keep_quiet(lambda: meanwhile.enter_context(opened))

            def fetch(sql: str) -> Fetched:
                return keep_quiet(lambda: session(sql))

            def run(question: Question, weights: Weights) -> Answer:
                return self._run(question, weights, fetch)

            yield gather_keys(question, keeping, self._rowset(question), fetch, run)

    def dry_run(self, question: Question, weights: Weights) -> None:
        """Run the same statements on no rows.

        Claim:      no private row is read, and what the dialect cannot say is refused.
        Because:    every table is read with the condition FALSE, of which a planner makes an empty result; all
                    statements are written.
        Checked by: tests/unit/engines/postgres/test_engine.py::test_a_dry_run_reads_no_row and
                    tests/unit/engines/spark/test_engine.py::test_a_dry_run_reads_no_row
        """
        check_work(question, self._sharing)
        keeping = Keeping(1, 0, b"") if question.unknown and question.found is None else None

        def rehearse(fetch: Fetch) -> None:
            if keeping is not None:
                rowset = self._rowset(question, rehearsing=True)
                queries = key_queries(question, keeping, rowset)
                fetch(queries.weights)
                fetch(queries.values)
            self._run(rehearsal_of(question), weights, fetch, rehearsing=True)

        secret = None if keeping is None else keeping.secret
        self._tell(_names(question), rehearse, rehearsing=True, secret=secret)

    def code(self, coding: Coding, weights: Weights, *, rehearsing: bool = False) -> CodedRows:
        """The codes of all rows that count, by one statement; if rehearsing, of no rows."""
        check_coding(coding, weights)
        check_work(coding.computed, self._sharing)
        rowset = self._rowset(coding.question, rehearsing=rehearsing)
        sql = code_statement(coding, weights, rowset).sql
        found = (
            self._tell(_names(coding.question), lambda fetch: fetch(sql), rehearsing=True)
            if rehearsing
            else self._keep_quiet(coding.question, lambda fetch: fetch(sql))
        )
        places, names = found.places(), code_names(coding)
        is_weighed = rowset.relation.unit is not None and not rehearsing
        columns = {
            name: np.array([row[places[name]] for row in found.rows], np.int64)
            for name in [*names, *(["weight"] if is_weighed else [])]
        }
        units = None
        if coding.units and is_weighed:
            units = np.array([row[places["unit_name"]] for row in found.rows], dtype=object)
        sizes = tuple(axis.size for axis in coding.axes)
        codes = tuple(columns[name] for name in names)
        return CodedRows(codes, sizes, columns.get("weight"), weights.bits, units)

    @abstractmethod
    def close(self) -> None:
        """Stop what is running, and let go of all connections."""

    @property
    def has_fixed_rows(self) -> bool:
        """Rows are read anew for every question."""
        return False

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _keep_quiet(self, question: Question, work: Callable[[Fetch], Found]) -> Found:
        """What is found in a session after the charge."""

        def in_session() -> Found:
            with self._open(_names(question), rehearsing=False) as fetch:
                return work(fetch)

        return keep_quiet(in_session)

    def _tell(
        self,
        names: tuple[str, ...],
        work: Callable[[Fetch], Found],
        *,
        rehearsing: bool,
        secret: bytes | None = None,
    ) -> Found:
        """What is found in a session that reads no private row: what goes wrong is told in a sentence of ours."""

        def in_session() -> Found:
            with self._open(names, rehearsing=rehearsing, secret=secret) as fetch:
                return work(fetch)

        return tell(in_session, self._refusal_of)

    def _run(
        self, question: Question, weights: Weights, fetch: Fetch, *, rehearsing: bool = False
    ) -> Answer:
        """The answer of a question."""
        check_fits(question, weights)
        answer = blank(question, weights)
        if not answer.size:
            return answer
        rowset = self._rowset(question, rehearsing=rehearsing)
        columns, known = columns_of_answer(question), dict[str, slice]()
        plain = [
            where.start
            for measure, where in zip(question.measures, columns, strict=True)
            if not isinstance(measure, Ranked)
        ]
        if plain:
            asked = statement(question, weights, rowset)
            for group, measures in asked.read_measures(fetch(asked.select.sql), weights.bits):
                answer[group, plain] = measures
        for measure, where in zip(question.measures, columns, strict=True):
            if isinstance(measure, Ranked):
                sql = histogram(question, measure, weights, rowset).sql
                once = known.setdefault(sql, where)
                if once is not where:
                    answer[:, where] = answer[:, once]
                    continue
                cells = answer[:, where]
                for group, cell, weight in read_cells(fetch(sql), weights.bits):
                    cells[group, cell] = weight
        return answer

    def _rowset(self, question: Question, *, rehearsing: bool = False) -> Rowset:
        """The rows of a question, with the expressions that read its tables."""
        names = _names(question)
        if any(name not in self._full for name in names):
            raise EngineFailed
        read = [self._full[name] for name in names]
        ctes = [part for each in read for part in (each.empty if rehearsing else each.ctes)]
        relations = {name: each.relation for name, each in self._full.items()}
        base = base_of(question.rows)
        if isinstance(base, Scan):
            return Rowset(relations[base.table.name], tuple(ctes))
        bounds = bounds_of_question(question, self._sharing)
        return Nest(relations, bounds, None, self.dialect, ctes).rowset(base)

    def _sharing(self, table: Table, column: Column | None) -> int:
        """How many rows of a public table have the same value in a column, or how many there are; looked up once."""
        place = table.name, column
        if table.name not in self._full or not self._tables[table.name].public:
            raise EngineFailed
        if place not in self._shared:
            read = self._full[table.name]
            rows, counted = read.relation.name, "count(*)"
            if column is not None:
                cell = read.relation.reader()(column)
                each = f"SELECT count(*) AS n FROM {rows} WHERE {cell} IS NOT NULL GROUP BY {cell}"
                rows, counted = f"({each}) AS counts", "coalesce(max(n), 0)"
            self._shared[place] = self._ask_public(table, f"SELECT {counted} FROM {rows}")
        return self._shared[place]

    def _check_unique(self, table: Table) -> None:
        """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
        read = self._full[table.name]
        for column in table.columns:
            if table.public and column.name in table.unique:
                cell = read.relation.reader()(column)
                counted = f"SELECT count({cell}) - count(DISTINCT {cell}) FROM {read.relation.name}"
                if self._ask_public(table, counted):
                    not_unique(table, column.name)

    def _ask_public(self, table: Table, select: str) -> int:
        """One number about the rows of a public table."""
        ctes = self._full[table.name].ctes
        sql = f"WITH {', '.join(ctes)} {select}" if ctes else select
        found = self._tell((table.name,), lambda fetch: fetch(sql), rehearsing=False)
        return int(found.rows[0][0])


def _names(question: Question) -> tuple[str, ...]:
    """The tables of a question, in an order of their own."""
    return tuple(sorted(table.name for table in tables_of(question.rows)))


def keep_quiet(work: Callable[[], Found]) -> Found:
    """What is found; whatever goes wrong, what is raised holds no data and no text of the server.

    Claim:      every failure is the same sentence, without cause or context; refusals of the plan stay what they are.
    Because:    it is raised after the handler has ended.
    Checked by: tests/unit/engines/postgres/test_engine.py::test_a_failure_after_the_charge_says_nothing and
                tests/unit/engines/spark/test_engine.py::test_a_failure_after_the_charge_says_nothing
    """
    refusal: TacitError | None = None
    with suppress(Exception):
        try:
            return work()
        except TacitError as error:
            refusal = error
    raise refusal or EngineFailed()


def tell(work: Callable[[], Found], refusal_of: Callable[[BaseException], TacitError]) -> Found:
    """What is found where no private row is read; what goes wrong is told in a sentence of ours, without context."""
    failed: TacitError | None = None
    try:
        return work()
    except TacitError as refusal:
        failed = refusal
    except Exception as error:  # noqa: BLE001 -- whose text may quote anything
        failed = refusal_of(error)
    raise failed
