"""Where a declared table is in a PostgreSQL database: the part of a WITH clause that reads its columns.

Checked by: tests/unit/engines/postgres/test_engine.py
"""

# ruff: noqa: S608 -- this is the SQL generator: what stands in it was rendered

from __future__ import annotations

from collections.abc import Mapping

from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.served.engine import ReadTable
from tacit.engines.served.table_selects import (
    Site,
    StoredColumn,
    address_of,
    refuse_mixed,
    select_table,
)
from tacit.engines.sources.path_to_unit import Linked, Raw
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sql.duckdb_dialect import quote_name
from tacit.engines.sql.select_with_parameters import cte
from tacit.plan import Kind, Table

__all__ = ["database_of", "read_table", "tables_read"]

Columns = Mapping[PostgresTable, Mapping[str, StoredColumn]]
"""Every table that is read, and its columns."""


def tables_read(source: PostgresTable | Linked) -> list[PostgresTable]:
    """The tables of the database that a source reads, its own first.

    >>> tables_read(PostgresTable("postgresql://host/clinic", "public", "visits"))[0].called
    'public.visits'
    """
    if isinstance(source, PostgresTable):
        return [source]
    found = [source.source, *(step.source for step in source.steps)]
    tables = [each for each in found if isinstance(each, PostgresTable)]
    if len(tables) < len(found):
        refuse_mixed()
    return tables


def database_of(sources: list[PostgresTable | Linked]) -> str:
    """The address of the one database in which all tables are."""
    return address_of({table.address for source in sources for table in tables_read(source)})


def read_table(
    place: int, table: Table, source: PostgresTable | Linked, columns: Columns
) -> ReadTable:
    """A declared table, read from its database; its types are checked, and no row is looked at."""
    selected = select_table(place, table, source, columns, _SITE)
    whole = tuple(cte(each, select, materialized=False) for each, select in selected.parts)
    empty = tuple(_empty(each, select) for each, select in selected.parts)
    return ReadTable(selected.relation, whole, empty)


def _empty(name: str, select: str) -> str:
    """The same without a row, whatever it reads: the planner sees that nothing is read."""
    return cte(name, f"SELECT * FROM ({select}) AS whole WHERE FALSE", materialized=False)


def _scan(source: PostgresTable) -> str:
    return f"{quote_name(source.schema)}.{quote_name(source.table)}"


def _read(written: str, column: StoredColumn, kind: Kind | None) -> Raw:  # noqa: ARG001
    """A column as the statements read it."""
    return Raw(column.cast.replace("{}", written), column.stored or column.declared)


_SITE = Site[PostgresTable](POSTGRES, tables_read, _scan, quote_name, _read)
