"""Which engine answers about some tables: the one where they are.

Checked by: tests/unit/engines/test_choose.py
"""

from collections.abc import Mapping
from typing import Any

from tacit.engines.duckdb.engine import DuckDB
from tacit.engines.postgres.engine import Postgres
from tacit.engines.postgres.relations import refuse_mixed
from tacit.engines.sources.foreign_keys import Linked
from tacit.engines.sources.kinds import Source
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.plan import Table

__all__ = ["is_in_database", "open_engine"]


def is_in_database(source: Source) -> bool:
    """Whether the rows of a source stay in a database.

    >>> from tacit.engines import source_of
    >>> is_in_database(source_of("postgresql://host/clinic/public.visits")), is_in_database(source_of([]))
    (True, False)
    """
    return isinstance(source.source if isinstance(source, Linked) else source, PostgresTable)


def open_engine(tables: Mapping[Table, Source], *, connection: Any = None) -> DuckDB | Postgres:
    """The engine of some tables, all of which are in one database, or none is.

    A connection to DuckDB that is open already is the engine's from now on.
    """
    inside = {
        table: source
        for table, source in tables.items()
        if isinstance(source, PostgresTable | Linked) and is_in_database(source)
    }
    if not inside:
        return DuckDB(tables, connection=connection)
    if connection is not None:
        connection.close()
    if len(inside) < len(tables):
        refuse_mixed()
    return Postgres(inside)
