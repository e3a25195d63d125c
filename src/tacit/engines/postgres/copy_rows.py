"""Rows of a PostgreSQL table, copied into memory: for what is public, and for the curator's own inspection.

Checked by: tests/unit/engines/postgres/test_copy_rows.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote_name`

from collections.abc import Iterable

from tacit.engines.postgres.catalog import SECONDS, table_columns
from tacit.engines.postgres.connection import Pool, Session, refusal_of
from tacit.engines.sources.foreign_keys import Linked, Step
from tacit.engines.sources.kinds import Listed, Source
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sql.duckdb_dialect import quote_name
from tacit.errors import TacitError
from tacit.plan import Table

__all__ = ["copy_source"]


def copy_source(source: Source, table: Table) -> Source:
    """A source whose tables in PostgreSQL are lists of their rows, with the columns that a table declares; or itself.

    >>> copy_source(Listed([]), Table("visits", ()))
    Listed(rows=[])
    """
    names = [column.name for column in table.columns]
    match source:
        case PostgresTable():
            return _copy(source, [*names, *([] if table.unit is None else [table.unit])])
        case Linked(own, steps, unit) if isinstance(own, PostgresTable):
            copied = [
                Step(step.column, _copied(step.source, [step.key, end]), step.key)
                for step, end in source.ends()
            ]
            return Linked(_copy(own, [*names, steps[0].column]), tuple(copied), unit)
        case _:
            return source


def _copied(source: object, names: Iterable[str]) -> object:
    return _copy(source, names) if isinstance(source, PostgresTable) else source


def _copy(source: PostgresTable, names: Iterable[str]) -> Listed:
    wanted = list(dict.fromkeys(names))
    pool, failed = Pool(source.address, SECONDS), None
    try:
        with pool.session() as session:
            return Listed(_fetch(session, source, wanted))
    except TacitError as refusal:
        failed = refusal
    except Exception as error:  # noqa: BLE001 -- whose text may quote anything
        failed = refusal_of(error)
    finally:
        pool.close()
    raise failed


def _fetch(session: Session, source: PostgresTable, names: list[str]) -> list[dict[str, object]]:
    known = table_columns(session, source)
    cells = ", ".join(
        f"{known[name].cast.replace('{}', quote_name(name))} AS {quote_name(name)}"
        for name in names
        if name in known
    )
    where = f"{quote_name(source.schema)}.{quote_name(source.table)}"
    found = session.fetch(f"SELECT {cells or '1 AS nothing'} FROM {where}")
    return [dict(zip(found.names, row, strict=True)) for row in found.rows]
