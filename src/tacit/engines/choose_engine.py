"""Which engine answers about some tables: the one where they are.

Checked by: tests/unit/engines/test_choose_engine.py
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Union

from tacit.engines.duckdb.engine import DuckDB
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.source_kinds import Source
from tacit.engines.sources.spark_tables import SparkTable
from tacit.plan import Table

if TYPE_CHECKING:
    from tacit.engines.postgres.engine import Postgres
    from tacit.engines.served.rights import Rights
    from tacit.engines.spark.engine import Spark

__all__ = ["AnyEngine", "is_in_database", "open_engine", "rights_of"]

AnyEngine = Union["DuckDB", "Postgres", "Spark"]
"""An engine that reads sources."""


def is_in_database(source: Source) -> bool:
    """Whether the rows of a source stay on a server.

    >>> from tacit.engines import source_of
    >>> is_in_database(source_of("postgresql://host/clinic/public.visits")), is_in_database(source_of([]))
    (True, False)
    """
    own = source.source if isinstance(source, Linked) else source
    return isinstance(own, PostgresTable | SparkTable)


def open_engine(tables: Mapping[Table, Source], *, connection: Any = None) -> AnyEngine:
    """The engine of some tables, all of which are on one server, or none is.

    A connection to DuckDB that is open already is the engine's from now on.

    Claim:      no question is answered about tables of which one server holds only some.
    Because:    they are refused here, by their addresses, before anything is opened or charged.
    Checked by: tests/unit/engines/test_choose_engine.py
    """
    inside = [source for source in tables.values() if is_in_database(source)]
    if not inside:
        return DuckDB(tables, connection=connection)
    if connection is not None:
        connection.close()
    for kind in (PostgresTable, SparkTable):
        there = {table: source for table, source in tables.items() if _is_of(source, kind)}
        if len(there) == len(tables):
            return _server_engine(kind)(there)
    from tacit.engines.served.table_selects import refuse_mixed

    return refuse_mixed()


def _server_engine(kind: type[PostgresTable | SparkTable]) -> Callable[..., Postgres | Spark]:
    """The engine of one kind of server, which is imported when a table is there."""
    if kind is SparkTable:
        from tacit.engines.spark.engine import Spark

        return Spark
    from tacit.engines.postgres.engine import Postgres

    return Postgres


def _is_of(source: Source, kind: type[object]) -> bool:
    return isinstance(source.source if isinstance(source, Linked) else source, kind)


def rights_of(tables: Mapping[Table, Source]) -> Rights:
    """What the roles that read some tables may do on their servers; nothing of tables that are on none.

    >>> rights_of({})
    Rights(missing=(), excess=())
    """
    from tacit.engines.postgres.rights import rights_in_postgres
    from tacit.engines.spark.rights import rights_in_spark

    return rights_in_postgres(tables) + rights_in_spark(tables)
