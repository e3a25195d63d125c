"""What the catalogue is told: tables and columns as the policy declares them; and what it answers.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from typing import Any

from tacit.frozen import frozen

__all__ = ["SERVER_VERSION", "Answer", "Column", "Schema", "Table"]

SERVER_VERSION = "15.0 (Tacit)"
"""The version that clients are told: they then send the statements that were tried."""

TEXT = 25


@frozen
class Column:
    """A column of a table or of an answer: its name, the oid of its PostgreSQL type and the type's modifier.

    `comment` says what is declared about it, as in "integer from 18 to 100"; an answer's columns have none.

    >>> Column("age", 20, comment="integer from 18 to 100").modifier
    -1
    """

    name: str
    oid: int = TEXT
    modifier: int = -1
    comment: str | None = None
    nullable: bool = True


@frozen
class Table:
    """A table that clients see: in the schema `public`, or in `tacit`, such as `tacit.budget`."""

    name: str
    columns: tuple[Column, ...]
    comment: str | None = None
    schema: str = "public"


@frozen
class Schema:
    """The tables of one database."""

    database: str
    tables: tuple[Table, ...] = ()
    version: str = SERVER_VERSION


@frozen
class Answer:
    """The rows of an answer, their columns, and the settings that `set_config` changed: pairs of name and value."""

    columns: tuple[Column, ...]
    rows: tuple[tuple[Any, ...], ...]
    settings: tuple[tuple[str, str], ...] = ()
