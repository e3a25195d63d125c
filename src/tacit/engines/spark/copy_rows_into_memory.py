"""Rows of a Spark table, copied into memory: for what is public, and for the curator's own inspection.

Checked by: tests/unit/engines/spark/test_copy_rows_into_memory.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote`

from __future__ import annotations

from collections.abc import Sequence

from tacit.engines.served.copy_rows_into_memory import copy_tables
from tacit.engines.served.engine import tell
from tacit.engines.sources.source_kinds import Listed, Source
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.spark.catalog import SECONDS, scan, table_columns
from tacit.engines.spark.literals import quote
from tacit.engines.spark.session import Sessions, refusal_of
from tacit.plan import Table

__all__ = ["copy_from_spark"]


def copy_from_spark(source: Source, table: Table) -> Source:
    """A source whose tables on a Spark cluster are lists of their rows; or itself.

    >>> copy_from_spark(Listed([]), Table("visits", ()))
    Listed(rows=[])
    """
    return copy_tables(source, table, SparkTable, _copy)


def _copy(source: SparkTable, names: Sequence[str]) -> Listed:
    def look() -> Listed:
        with Sessions(source.address, SECONDS).session() as session:
            known = table_columns(session, source)
            cells = ", ".join(
                f"{known[name].cast.replace('{}', quote(name))} AS {quote(name)}"
                for name in names
                if name in known
            )
            found = session.fetch(f"SELECT {cells or '1 AS nothing'} FROM {scan(source)}")
            return Listed([dict(zip(found.names, row, strict=True)) for row in found.rows])

    return tell(look, refusal_of)
