"""What a statement may refer to beside its text: who asks, the settings, parameters, and the relations there are.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Any

from tacit.frozen import frozen

__all__ = ["Session"]


@frozen
class Session:
    """What is known of the session in which a statement is asked.

    `find_oid(kind, name)` looks up what `'name'::kind` means; `relations` holds the columns of every relation that
    exists, by its name inside DuckDB, with PostgreSQL's types; `released` the tables that came with the statement.
    """

    database: str
    role: str
    version: str
    settings: Mapping[str, str]
    find_oid: Callable[[str, str], int | None]
    relations: Mapping[str, Mapping[str, str]]
    oids: Mapping[str, int]
    released: Mapping[str, str] = field(default_factory=dict)
    parameters: Sequence[Any] = ()
    parameter_types: Sequence[int] | None = None
