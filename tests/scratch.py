"""An empty DuckDB for tests that look at one table and let it go.

To open a DuckDB takes twenty CPU milliseconds, most of them for its functions; to empty one takes two.
"""

import os
from collections.abc import Iterator
from contextlib import closing, contextmanager
from functools import cache

import duckdb

from tacit.engines.duckdb.connection import open_connection

_HELD = """
SELECT 'DROP VIEW memory.' || schema_name || '."' || replace(view_name, '"', '""') || '"' FROM duckdb_views()
WHERE database_name = 'memory' AND NOT internal
UNION ALL
SELECT 'DROP TABLE memory.' || schema_name || '."' || replace(table_name, '"', '""') || '"' FROM duckdb_tables()
WHERE database_name = 'memory'
UNION ALL
SELECT 'DROP SCHEMA memory.' || schema_name FROM duckdb_schemas() WHERE database_name = 'memory' AND NOT internal
UNION ALL
SELECT 'DETACH ' || database_name FROM duckdb_databases() WHERE NOT internal AND database_name <> 'memory'
"""


@contextmanager
def scratch() -> Iterator[duckdb.DuckDBPyConnection]:
    """DuckDB as the engine sets it up, with one thread and nothing in it; what is made in it is gone afterwards."""
    shared = _shared(os.getpid())
    try:
        with closing(shared.cursor()) as connection:
            yield connection
    finally:
        for (statement,) in shared.execute(_HELD).fetchall():
            shared.execute(statement)
        assert not shared.execute(_HELD).fetchall()


@cache  # by process: a fork cannot use what its parent opened
def _shared(_: int) -> duckdb.DuckDBPyConnection:
    connection = open_connection(threads=1)
    # A file may be another one next time.
    connection.execute("SET GLOBAL enable_external_file_cache = false")
    return connection
