"""What clients of the PostgreSQL door may browse: the declared tables, one's own budget, one's own answers.

Checked by: tests/unit/server/test_public_catalogue.py
"""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Protocol

from tacit.catalogue import Answer, Catalogue, Column, Schema, Table
from tacit.server.desk import Desk
from tacit.server.identities import Identity

__all__ = ["PublicCatalogue"]

_OIDS = {
    "BOOLEAN": 16,
    "BIGINT": 20,
    "TEXT": 25,
    "DOUBLE": 701,
    "DATE": 1082,
    "TIMESTAMP": 1114,
}
_BUDGET = Table(
    "budget",
    (
        Column("limit_of", 25, comment="everyone, or the analyst who asks"),
        Column("epsilon", 701),
        Column("delta", 701),
        Column("spent", 701, comment="the share that is spent"),
        Column("remaining", 701, comment="the share that is left"),
    ),
    "What is spent and what is left of everyone's limit and of your own",
    "tacit",
)
_ANSWERS = Table(
    "answers",
    (
        Column("entry", 20, comment="its number in the ledger"),
        Column("at", 1184),
        Column("question", 25, comment="in words"),
        Column("sql", 25, comment="as it was typed, if it was asked here"),
        Column("share", 701, comment="of the limit"),
        Column("answered", 16),
    ),
    "The questions you have paid for, newest first",
    "tacit",
)


class Rows(Protocol):
    """Rows that were released or made up, with their columns: the name and type of each."""

    @property
    def fields(self) -> Sequence[Any] | None:
        """The columns."""

    @property
    def rows(self) -> Sequence[tuple[Any, ...]]:
        """The rows."""


class PublicCatalogue:
    """The catalogue of a desk's tables; it is made anew when the policy is another one.

    Claim:      what the catalogue is given is public to who asks: the policy, the own budget and history, and rows that
                were released to them or made up.
    Because:    `Schema` is made from descriptions of the policy, and tables are made from what the desk says to them.
    Checked by: tests/unit/server/test_public_catalogue.py
    """

    def __init__(self, desk: Desk, database: str, misses: Path | None = None) -> None:
        self._desk = desk
        self._database = database
        self._misses = misses
        self._lock = threading.Lock()
        self._made_from: object = None
        self._made: Catalogue | None = None

    def reads(self, sql: str) -> bool:
        """Whether a statement is for the catalogue."""
        return self._current().reads(sql)

    def parameters(self, sql: str, given: Sequence[int] = ()) -> Sequence[int]:
        """The types of a statement's parameters."""
        return self._current().parameters(sql, tuple(given))

    def columns(
        self,
        who: Identity,
        sql: str,
        types: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Rows] | None = None,
    ) -> Sequence[Column]:
        """The columns of an answer, from the statement alone."""
        given = {**self._own_tables(who, sql), **_as_answers(tables or {})}
        return self._current().columns(sql, tuple(types), settings=settings or {}, tables=given)

    def ask(
        self,
        who: Identity,
        sql: str,
        values: Sequence[Any] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, Rows] | None = None,
    ) -> Answer:
        """The answer: its columns and rows."""
        given = {**self._own_tables(who, sql), **_as_answers(tables or {})}
        return self._current().ask(sql, tuple(values), settings=settings or {}, tables=given)

    def close(self) -> None:
        """End the catalogue's process."""
        with self._lock:
            if self._made is not None:
                self._made.close()
            self._made, self._made_from = None, None

    def _current(self) -> Catalogue:
        policy = self._desk.policy
        with self._lock:
            if self._made is None or self._made_from is not policy:
                if self._made is not None:
                    self._made.close()
                self._made = Catalogue(self._schema(), self._misses)
                self._made_from = policy
            return self._made

    def _schema(self) -> Schema:
        declared = self._desk.declared_columns()
        tables = [
            Table(
                name,
                tuple(Column(column, _OIDS[kind], comment=said) for column, kind, said in columns),
            )
            for name, columns in declared.items()
        ]
        return Schema(self._database, (*tables, _BUDGET, _ANSWERS))

    def _own_tables(self, who: Identity, sql: str) -> dict[str, Answer]:
        """One's own budget and answers, if a statement speaks of them."""
        low, found = sql.lower(), dict[str, Answer]()
        if "tacit" in low and "budget" in low:
            found["tacit.budget"] = self._budget(who)
        if "tacit" in low and "answers" in low and who.role != "auditor":
            found["tacit.answers"] = self._answers(who)
        return found

    def _budget(self, who: Identity) -> Answer:
        budget = self._desk.budget(who)
        limits = {"everyone": budget, **({} if budget.own is None else {who.name: budget.own})}
        rows = tuple(
            (name, float(each.epsilon), float(each.delta), float(each.spent), float(each.left))
            for name, each in limits.items()
        )
        return Answer(_BUDGET.columns, rows)

    def _answers(self, who: Identity) -> Answer:
        rows = tuple(
            (each.entry, each.at, each.words, each.sql, each.share, each.answered)
            for each in self._desk.ledger.history(who, most=200)
        )
        return Answer(_ANSWERS.columns, rows)


def _as_answers(tables: Mapping[str, Rows]) -> dict[str, Answer]:
    return {
        name: Answer(
            tuple(Column(each.name, each.oid) for each in table.fields or ()), tuple(table.rows)
        )
        for name, table in tables.items()
    }
