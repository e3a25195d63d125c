"""The rows that every PostgreSQL 15 has: types, functions, operators, and the columns of its catalogues.

They were exported once (tests/vectors/catalogue/export.py) and are shipped in `data`, with PostgreSQL's licence.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

import json
import lzma
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from tacit.frozen import frozen

__all__ = ["ARRAY", "DUCKDB_TYPES", "Relation", "duckdb_type", "relations"]

FILE = Path(__file__).parent / "data" / "postgresql-15.jsonl.xz"
INSIDE = {"pg_catalog": "cat", "information_schema": "info", "lookup": "fn"}
"""The schemas inside DuckDB: it has a pg_catalog and an information_schema of its own, which nobody may reach."""

DUCKDB_TYPES = {
    **dict.fromkeys(("oid", "regproc", "regclass", "regtype", "xid", "cid"), "UINTEGER"),
    **dict.fromkeys(("int2vector",), "SMALLINT[]"),
    **dict.fromkeys(("oidvector",), "UINTEGER[]"),
    "bool": "BOOLEAN",
    "int2": "SMALLINT",
    "int4": "INTEGER",
    "int8": "BIGINT",
    "float4": "FLOAT",
    "float8": "DOUBLE",
    "numeric": "DOUBLE",
    "date": "DATE",
    "time": "TIME",
    "timestamp": "TIMESTAMP",
    "timestamptz": "TIMESTAMPTZ",
    "interval": "INTERVAL",
    "bytea": "BLOB",
    "json": "JSON",
    "jsonb": "JSON",
}
ARRAY = "_"
"""PostgreSQL calls the type of arrays of `x` `_x`."""


@frozen
class Relation:
    """A table or view of pg_catalog or information_schema: its columns with their types, and its built-in rows."""

    schema: str
    name: str
    oid: int
    columns: tuple[tuple[str, str], ...]
    values: tuple[list[Any], ...]
    definition: str | None = None

    @property
    def inside(self) -> str:
        """Its name inside DuckDB."""
        return f"{INSIDE[self.schema]}.{self.name}"


def duckdb_type(postgresql: str) -> str:
    """The type of DuckDB that holds a type of PostgreSQL; text where there is none.

    >>> duckdb_type("oid"), duckdb_type("_int2"), duckdb_type("pg_node_tree")
    ('UINTEGER', 'SMALLINT[]', 'VARCHAR')
    """
    if postgresql.startswith(ARRAY):
        return duckdb_type(postgresql[1:]) + "[]"
    return DUCKDB_TYPES.get(postgresql, "VARCHAR")


@cache
def relations() -> dict[str, Relation]:
    """All relations, by their names inside DuckDB: `cat.pg_class`, `info.tables`, `fn.keywords`."""
    return {each.inside: each for each in _read()}


def _read() -> Iterator[Relation]:
    with lzma.open(FILE, "rt", encoding="utf-8") as lines:
        for line in lines:
            found = json.loads(line)
            columns = tuple((name, kind) for name, kind in found.pop("columns"))
            yield Relation(columns=columns, values=tuple(found.pop("values")), **found)
