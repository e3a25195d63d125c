"""The catalogue as the wire sees it: which statements it answers, their columns, and their answers.

Claim:      nothing that a statement about the catalogue is told depends on private rows.
Because:    it is answered by another process, which was given the declared schema, the session's settings and tables of
            released rows, and which inherits neither memory nor files; this room imports neither curator nor engines.
Checked by: tests/attacks/test_catalogue_fence.py
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock, Thread
from types import TracebackType
from typing import Any, Self

from sqlglot import exp

from tacit.catalogue.fair_turns import Lanes
from tacit.catalogue.process import Worker
from tacit.catalogue.rewrite import is_of_the_catalogue, parse, with_name_of_cte
from tacit.catalogue.schema import Answer, Column, Schema
from tacit.catalogue.unanswered_statements import Miss, Misses
from tacit.catalogue.worker_messages import decode_answer, decode_columns, encode_tables
from tacit.errors import CatalogueError

__all__ = ["Catalogue"]

# A statement that the parser cannot read, but which speaks of the catalogue, is refused here and not by the vault.
SPEAKS_OF_IT = re.compile(r"(?i)\b(pg_catalog|information_schema|pg_[a-z_]+)\b")
# Faults of the statement, which PostgreSQL refuses as well.
NOT_MISSES = {"57014", "53200", "54000", "54001", "08P01"}


class Catalogue:
    """The catalogue of one schema; its process starts with the first statement, `close` ends it.

    Statements may come from several threads. Those of people who have taken much time of late are answered by another
    process than those of everybody else; in each, one at a time. Those that could not be answered are written to the
    file `misses`.

    >>> with Catalogue(Schema("clinic")) as catalogue:
    ...     catalogue.reads("SELECT 1"), catalogue.reads("SELECT COUNT(*) FROM labs")
    ...     catalogue.ask("SELECT current_database() AS here").rows
    (True, False)
    (('clinic',),)
    """

    def __init__(self, schema: Schema, misses: str | Path | None = None) -> None:
        self.schema = schema
        self._misses = Misses(None if misses is None else Path(misses))
        self._tables = frozenset(each.name for each in schema.tables if each.schema == "tacit")
        self._starting = Lock()
        self._lanes = Lanes()
        self._workers: dict[str, Worker] = {}
        self._spare: Worker | None = None
        self._closed = False

    # ------------------------------------------------------------ what is asked

    def reads(self, sql: str) -> bool:
        """Whether a statement asks about the catalogue, about `tacit.budget` or `tacit.answers`, or about no table.

        Decided from the text alone. A statement that names another table is for the vault.
        """
        return _reads(sql, self._tables)

    def parameters(self, sql: str, given: Sequence[int] = ()) -> tuple[int, ...]:
        """The oids of a statement's parameters: those given (0: not given), and else what they are cast to or compared
        with; text where nothing tells.

        >>> with Catalogue(Schema("clinic")) as catalogue:
        ...     catalogue.parameters("SELECT relname FROM pg_class WHERE oid = ANY($1::oid[]) LIMIT $2")
        (1028, 20)
        """
        message = {"do": "parameters", "sql": sql, "types": list(given)}
        return tuple(map(int, self._request(sql, message)["types"]))

    def columns(
        self,
        sql: str,
        parameter_types: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> tuple[Column, ...]:
        """The columns of a statement's answer, without evaluating it."""
        message = {
            "do": "columns",
            "sql": sql,
            "types": list(parameter_types),
            "settings": dict(settings or {}),
            "tables": encode_tables(tables or {}),
        }
        return decode_columns(self._request(sql, message)["columns"])

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Any] | None = None,
    ) -> Answer:
        """The answer to a statement.

        `settings` are those of the session, by name; `session_authorization` is who asks. `tables` are released rows,
        as tables of pyarrow or as answers, by the names that the statement gives them.
        """
        message = {
            "do": "ask",
            "sql": sql,
            "parameters": list(parameters),
            "settings": dict(settings or {}),
            "tables": encode_tables(tables or {}),
        }
        return decode_answer(self._request(sql, message))

    @property
    def misses(self) -> Iterator[Miss]:
        """The statements that could not be answered, oldest first."""
        return iter(self._misses)

    # ------------------------------------------------------------ who answers

    def _request(self, sql: str, message: dict[str, Any]) -> dict[str, Any]:
        who = message.get("settings", {}).get("session_authorization", "")
        with self._lanes.take(who) as lane:
            worker = self._current(lane)
            try:
                found = worker.request(message)
            except CatalogueError as error:  # it took too long, or died: another takes its place
                self._replace(lane)
                self._misses.note(sql, error)
                raise
            finally:
                self._lanes.add(who, worker.worked)
        if "error" in found:
            sqlstate, said, position = found["error"]
            refused = CatalogueError(sqlstate, said, position, detail=found.get("detail", ""))
            self._misses.note(sql, refused)
            raise refused
        return found

    def _current(self, lane: str) -> Worker:
        if self._closed:
            raise CatalogueError("57P01", "the catalogue is closed")
        if lane not in self._workers:
            with self._starting:
                found, self._spare = self._spare, None
            self._workers[lane] = found or Worker(self.schema)
            self._prepare_spare()
        return self._workers[lane]

    def _replace(self, lane: str) -> None:
        self._workers.pop(lane).kill()

    def _prepare_spare(self) -> None:
        """Start another worker, beside whatever happens meanwhile."""
        Thread(target=self._start_spare, daemon=True).start()

    def _start_spare(self) -> None:
        with self._starting:
            if self._spare is None and not self._closed:
                self._spare = Worker(self.schema)

    def close(self) -> None:
        """End the processes."""
        self._closed = True
        with self._starting:
            for each in (*self._workers.values(), self._spare):
                if each is not None:
                    each.kill()
            self._workers, self._spare = {}, None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Catalogue({self.schema.database!r}, {len(self.schema.tables)} tables)"


@lru_cache(maxsize=256)
def _reads(sql: str, tables: frozenset[str]) -> bool:
    try:
        tree = parse(sql)
    except CatalogueError:
        return SPEAKS_OF_IT.search(sql) is not None
    if not isinstance(tree, exp.Query | exp.Values):
        return False
    return all(
        is_of_the_catalogue(each, tables) or (not each.db and with_name_of_cte(each, each.name))
        for each in tree.find_all(exp.Table)
    )
