"""What the role of a vault may do in its database: what it lacks, and what it need not be allowed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.engines.postgres.catalog import SECONDS, excess_rights, missing_rights
from tacit.engines.postgres.connection import Pool, Session, refusal_of
from tacit.engines.served.engine import tell
from tacit.engines.served.rights import Rights, columns_needed
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.source_kinds import Source
from tacit.plan import Table

__all__ = ["rights_in_postgres"]


def rights_in_postgres(tables: Mapping[Table, Source]) -> Rights:
    """What the roles that read some tables may do; nothing of tables that are in no database.

    Claim:      no row is read, and no statistics of rows.
    Because:    the catalogue is asked about rights alone.
    Checked by: tests/unit/engines/postgres/test_rights.py

    >>> rights_in_postgres({})
    Rights(missing=(), excess=())
    """
    found = Rights()
    for source, columns in columns_needed(tables, PostgresTable).items():
        assert isinstance(source, PostgresTable), "tables of one source are in one database"
        found += _look(source, columns)
    return found


def _look(source: PostgresTable, columns: Sequence[str]) -> Rights:
    pool = Pool(source.address, SECONDS)

    def look() -> Rights:
        with pool.session() as session:
            return _rights(session, source, columns)

    try:
        return tell(look, refusal_of)
    finally:
        pool.close()


def _rights(session: Session, source: PostgresTable, columns: Sequence[str]) -> Rights:
    missing = missing_rights(session, source, columns)
    if missing:
        return Rights(tuple(missing))
    return Rights((), tuple(excess_rights(session, source, columns)))
