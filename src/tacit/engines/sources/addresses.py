"""Tables that stay where they are, told by their addresses: in PostgreSQL, or on a Spark cluster.

Checked by: tests/unit/engines/sources/test_spark_tables.py
"""

from __future__ import annotations

from tacit.engines.sources.postgres_tables import PostgresTable, is_postgres_address, postgres_table
from tacit.engines.sources.spark_tables import SparkTable, is_spark_address, spark_table

__all__ = ["Addressed", "is_address", "table_at"]

Addressed = PostgresTable | SparkTable
"""A table on a server."""


def is_address(given: str) -> bool:
    """Whether a text is the address of a table on a server.

    >>> is_address("postgresql://host/clinic/public.visits"), is_address("spark://host/visits"), is_address("a.csv")
    (True, True, False)
    """
    return is_postgres_address(given) or is_spark_address(given)


def table_at(given: str) -> Addressed:
    """The table at an address.

    >>> table_at("spark://host/clinic.visits").called
    'clinic.visits'
    """
    return spark_table(given) if is_spark_address(given) else postgres_table(given)
