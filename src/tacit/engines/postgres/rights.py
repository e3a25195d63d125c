"""What the role of a vault may do in its database: what it lacks, and what it need not be allowed."""

from collections.abc import Mapping, Sequence

from tacit.engines.postgres.catalog import SECONDS, excess_rights, missing_rights
from tacit.engines.postgres.connection import Pool, Session, refusal_of
from tacit.engines.postgres.relations import tables_read
from tacit.engines.sources.foreign_keys import Linked
from tacit.engines.sources.kinds import Source
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.errors import TacitError
from tacit.frozen import frozen
from tacit.plan import Table

__all__ = ["Rights", "rights_of"]


@frozen
class Rights:
    """Sentences about a role: what it may not do and has to, and what it may do and need not."""

    missing: tuple[str, ...] = ()
    excess: tuple[str, ...] = ()


def rights_of(tables: Mapping[Table, Source]) -> Rights:
    """What the roles that read some tables may do; nothing of tables that are in no database.

    Claim:      no row is read, and no statistics of rows.
    Because:    the catalogue is asked about rights alone.
    Checked by: tests/unit/engines/postgres/test_rights.py

    >>> rights_of({})
    Rights(missing=(), excess=())
    """
    missing: dict[str, None] = {}
    excess: dict[str, None] = {}
    for source, columns in _columns(tables).items():
        found = _look(source, columns)
        missing |= dict.fromkeys(found.missing)
        excess |= dict.fromkeys(found.excess)
    return Rights(tuple(missing), tuple(excess))


def _columns(tables: Mapping[Table, Source]) -> Mapping[PostgresTable, Sequence[str]]:
    """The tables of databases that are read, and the columns of each that somebody needs."""
    found: dict[PostgresTable, dict[str, None]] = {}
    for table, source in tables.items():
        if not isinstance(source, PostgresTable | Linked):
            continue
        own = source.source if isinstance(source, Linked) else source
        if not isinstance(own, PostgresTable):
            continue
        needed = [column.name for column in table.columns]
        if isinstance(source, Linked):
            needed.append(source.steps[0].column)
            for each, (step, end) in zip(tables_read(source)[1:], source.ends(), strict=True):
                found.setdefault(each, {}).update(dict.fromkeys([step.key, end]))
        elif table.unit is not None:
            needed.append(table.unit)
        found.setdefault(own, {}).update(dict.fromkeys(needed))
    return {source: list(names) for source, names in found.items()}


def _look(source: PostgresTable, columns: Sequence[str]) -> Rights:
    pool, failed = Pool(source.address, SECONDS), None
    try:
        with pool.session() as session:
            return _rights(session, source, columns)
    except TacitError as refusal:
        failed = refusal
    except Exception as error:  # noqa: BLE001 -- whose text may quote anything
        failed = refusal_of(error)
    finally:
        pool.close()
    raise failed


def _rights(session: Session, source: PostgresTable, columns: Sequence[str]) -> Rights:
    missing = missing_rights(session, source, columns)
    if missing:
        return Rights(tuple(missing))
    return Rights((), tuple(excess_rights(session, source, columns)))
