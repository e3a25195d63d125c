"""Sources of which DuckDB reads a copy, since their rows are on a server.

Checked by: tests/unit/engines/postgres/test_copy_rows.py and tests/unit/engines/spark/test_copy_rows_into_memory.py
"""

from __future__ import annotations

from tacit.engines.sources.source_kinds import Source
from tacit.plan import Table

__all__ = ["copy_source"]


def copy_source(source: Source, table: Table) -> Source:
    """A source whose tables on servers are lists of their rows, with the columns that a table declares; or itself.

    >>> from tacit.engines.sources.source_kinds import Listed
    >>> copy_source(Listed([]), Table("visits", ()))
    Listed(rows=[])
    """
    from tacit.engines.postgres.copy_rows import copy_from_postgres
    from tacit.engines.spark.copy_rows_into_memory import copy_from_spark

    return copy_from_spark(copy_from_postgres(source, table), table)
