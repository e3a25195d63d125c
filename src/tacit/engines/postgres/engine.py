"""An engine that asks a PostgreSQL server: rows stay there, and exact integers come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from tacit.engines.postgres.catalog import SECONDS, table_columns
from tacit.engines.postgres.connection import Pool, refusal_of
from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.postgres.table_selects import database_of, read_table, tables_read
from tacit.engines.served.engine import ServerEngine, tell
from tacit.engines.served.table_selects import StoredColumn
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.errors import TacitError
from tacit.plan import Table

__all__ = ["Postgres"]


class Postgres(ServerEngine):
    """An engine whose tables are in one PostgreSQL database.

    Claim:      the server's rows do not change, its messages reach nobody, and what a question finds is what the other
                engines find, of one snapshot.
    Because:    statements are those of the other engine in another dialect, in a transaction that can only read; after
                the charge every failure is the same sentence, and before it one of a few.
    Checked by: tests/unit/engines/postgres/test_engine.py and tests/laws/test_engine_conformance.py
    """

    dialect = POSTGRES

    def __init__(
        self, tables: Mapping[Table, PostgresTable | Linked], *, seconds: float = SECONDS
    ) -> None:
        self._pool = Pool(database_of(list(tables.values())), seconds)
        sources = {each for given in tables.values() for each in tables_read(given)}
        try:
            columns = tell(lambda: self._columns(sources), refusal_of)
            read = {
                table.name: read_table(i, table, source, columns)
                for i, (table, source) in enumerate(tables.items())
            }
            super().__init__({table.name: table for table in tables}, read)
        except BaseException:
            self._pool.close()
            raise

    def _columns(
        self, sources: Iterable[PostgresTable]
    ) -> dict[PostgresTable, Mapping[str, StoredColumn]]:
        with self._pool.session() as session:
            return {each: table_columns(session, each) for each in sources}

    @contextmanager
    def _open(
        self, names: tuple[str, ...], *, rehearsing: bool, secret: bytes | None = None
    ) -> Iterator[Callable[[str], Fetched]]:
        with self._pool.session() as session:
            if secret is not None:
                session.keep_secret(secret)
            yield session.fetch

    def _refusal_of(self, error: BaseException) -> TacitError:
        return refusal_of(error)

    def interrupt(self) -> None:
        """Stop every question that is being evaluated; each fails as any failure does."""
        self._pool.interrupt()

    def close(self) -> None:
        """Stop what is running, and let go of all connections."""
        self._pool.close()
