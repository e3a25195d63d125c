"""Rows of a PostgreSQL table, copied into memory: for what is public, and for the curator's own inspection.

Checked by: tests/unit/engines/postgres/test_copy_rows.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote_name`

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.postgres.catalog import SECONDS, table_columns
from tacit.engines.postgres.connection import Pool, Session, refusal_of
from tacit.engines.served.copy_rows_into_memory import copy_tables
from tacit.engines.served.engine import tell
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.source_kinds import Listed, Source
from tacit.engines.sql.duckdb_dialect import quote_name
from tacit.plan import Table

__all__ = ["copy_from_postgres"]


def copy_from_postgres(source: Source, table: Table) -> Source:
    """A source whose tables in PostgreSQL are lists of their rows, with the columns that a table declares; or itself.

    >>> copy_from_postgres(Listed([]), Table("visits", ()))
    Listed(rows=[])
    """
    return copy_tables(source, table, PostgresTable, _copy)


def _copy(source: PostgresTable, names: Sequence[str]) -> Listed:
    pool = Pool(source.address, SECONDS)

    def look() -> Listed:
        with pool.session() as session:
            return Listed(_fetch(session, source, names))

    try:
        return tell(look, refusal_of)
    finally:
        pool.close()


def _fetch(
    session: Session, source: PostgresTable, names: Sequence[str]
) -> list[dict[str, object]]:
    known = table_columns(session, source)
    cells = ", ".join(
        f"{known[name].cast.replace('{}', quote_name(name))} AS {quote_name(name)}"
        for name in names
        if name in known
    )
    where = f"{quote_name(source.schema)}.{quote_name(source.table)}"
    found = session.fetch(f"SELECT {cells or '1 AS nothing'} FROM {where}")
    return [dict(zip(found.names, row, strict=True)) for row in found.rows]
