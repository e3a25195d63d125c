"""Tables of a connection before the first question: checked, copied without rows, and counted as far as it matters.

Checked by: tests/unit/engines/duckdb/test_engine.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name`, `text` and their like

from __future__ import annotations

import duckdb

from tacit.engines.sources.path_to_unit import Linked
from tacit.engines.sources.rows import not_unique
from tacit.engines.sources.source_kinds import Parquet, ParquetFiles, Source, Stored, source_of
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.plan import Table

__all__ = ["REHEARSAL", "check_unique", "is_few", "make_empty_copy", "paths_of"]

REHEARSAL = "rehearsal"
"""The schema in which rehearsals find tables without rows."""


def check_unique(connection: duckdb.DuckDBPyConnection, relation: Relation, table: Table) -> None:
    """Refuse a public table that holds a value twice where it is declared not to; public rows may be looked at."""
    for column in table.columns:
        if table.public and column.name in table.unique:
            cell = relation.reader()(column)
            counted = f"SELECT count({cell}) - count(DISTINCT {cell}) FROM {relation.name}"
            if connection.execute(counted).fetchall()[0][0]:
                not_unique(table, column.name)


def make_empty_copy(connection: duckdb.DuckDBPyConnection, relation: Relation) -> None:
    """Make tables of the same names and types without rows, where rehearsals find them."""
    named = () if relation.names is None else (relation.names,)
    counted = (each for keys in relation.counted_keys for each in (keys.table, keys.pairs))
    for name in (relation.name, *named, *(strata.table for strata in relation.strata), *counted):
        empty = f"CREATE TABLE {REHEARSAL}.{name} AS SELECT * FROM {name} LIMIT 0"
        connection.execute(empty).fetchall()


def is_few(connection: duckdb.DuckDBPyConnection, relation: Relation, few: int) -> bool:
    """Whether a table has so few rows that statements about it are not optimised."""
    counted = f"SELECT count(*) FROM (SELECT 1 FROM {relation.name} LIMIT {few + 1})"
    return bool(connection.execute(counted).fetchall()[0][0] <= few)


def paths_of(source: Source) -> list[str]:
    """The files that are read anew for every question."""
    given = source_of(source.source) if isinstance(source, Linked) else source
    if isinstance(given, ParquetFiles):
        return [str(path) for path in given.paths]
    return [str(given.path)] if isinstance(given, Parquet | Stored) else []
