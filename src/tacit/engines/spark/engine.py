"""An engine that asks a Spark cluster: rows stay there, and exact integers come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager

from tacit.engines.served.engine import ServerEngine, tell
from tacit.engines.served.table_selects import StoredColumn
from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.spark.catalog import SECONDS, table_columns
from tacit.engines.spark.dialect import SPARK
from tacit.engines.spark.session import Session, Sessions, check_server, refusal_of
from tacit.engines.spark.table_selects import View, cluster_of, tables_read, view_of
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.errors import TacitError
from tacit.plan import Table

__all__ = ["Spark"]


class Spark(ServerEngine):
    """An engine whose tables are on one Spark cluster, asked through Spark Connect.

    Claim:      the cluster's messages reach nobody, and what a question finds is what the other engines find, whatever
                tasks are tried again or run twice.
    Because:    statements are those of the other engines in another dialect, and only read; sums of whole numbers
                depend on no order, and every order that decides a value is total; after the charge every failure is
                the same sentence, and before it one of a few.
    Checked by: tests/unit/engines/spark/test_engine.py and tests/laws/test_engine_conformance.py
    """

    dialect = SPARK

    def __init__(
        self, tables: Mapping[Table, SparkTable | Linked], *, seconds: float = SECONDS
    ) -> None:
        self._sessions = Sessions(cluster_of(list(tables.values())), seconds)
        sources = {each for given in tables.values() for each in tables_read(given)}
        columns = tell(lambda: self._columns(sources), refusal_of)
        self._views: dict[str, View] = {
            table.name: view_of(i, table, source, columns)
            for i, (table, source) in enumerate(tables.items())
        }
        read = {name: view.read for name, view in self._views.items()}
        super().__init__({table.name: table for table in tables}, read)

    def _columns(
        self, sources: Iterable[SparkTable]
    ) -> dict[SparkTable, Mapping[str, StoredColumn]]:
        with self._sessions.session() as session:
            check_server(session)
            return {each: table_columns(session, each) for each in sources}

    @contextmanager
    def _open(
        self, names: tuple[str, ...], *, rehearsing: bool, secret: bytes | None = None
    ) -> Iterator[Callable[[str], Fetched]]:
        with self._sessions.session() as session:
            self._create_views(session, names, rehearsing=rehearsing)
            if secret is not None:
                session.keep_secret(secret)
            yield session.fetch

    def _create_views(self, session: Session, names: Iterable[str], *, rehearsing: bool) -> None:
        for name in names:
            view = self._views[name]
            session.create_view(view.name, view.empty if rehearsing else view.select)

    def _refusal_of(self, error: BaseException) -> TacitError:
        return refusal_of(error)

    def interrupt(self) -> None:
        """Stop every question that is being evaluated; each fails as any failure does."""
        self._sessions.interrupt()

    def close(self) -> None:
        """Stop what is running; no session is opened from now on."""
        self._sessions.close()
