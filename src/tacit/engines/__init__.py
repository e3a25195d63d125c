"""Where rows live: engines evaluate a question exactly, in integers, and know no privacy."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tacit.engines.choose_engine import AnyEngine, is_in_database, open_engine, rights_of
from tacit.engines.duckdb.connection import open_connection
from tacit.engines.duckdb.discover_columns import (
    check_combined,
    stored_kinds,
    stored_types,
    tables_inside,
)
from tacit.engines.duckdb.engine import DuckDB
from tacit.engines.engine import MOST_BITS, MOST_ROWS, Answer, Engine
from tacit.engines.rows_as_codes import CodedRows
from tacit.engines.sources.addresses import is_address
from tacit.engines.sources.path_to_unit import Linked, Step
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sources.source_kinds import (
    Separated,
    Source,
    Stored,
    declared_format,
    is_text_file,
    source_of,
    table_name,
    with_format,
)
from tacit.engines.sources.spark_tables import SparkTable
from tacit.engines.sources.text_cells import DIALECT_WORDS, Dialect, dialect_of
from tacit.engines.sql.read_stored_columns import conversion_of_text
from tacit.engines.unknown_keys_per_unit import Gathered
from tacit.engines.work_bounds import MOST_PAIRS, may_leave_out
from tacit.later import later

if TYPE_CHECKING:
    from tacit.engines.duckdb.digest_rows import digest_rows
    from tacit.engines.duckdb.ingest import ingest
    from tacit.engines.duckdb.inspect_rows import InspectedColumn, InspectedTable, inspect_source
    from tacit.engines.duckdb.public_table_facts import public_columns, read_public
    from tacit.engines.memory.engine import Memory
    from tacit.engines.postgres.engine import Postgres
    from tacit.engines.served.rights import Rights
    from tacit.engines.sources.guess_format import Seeming, guess_format, guess_kinds
    from tacit.engines.spark.engine import Spark


__all__ = [
    "Answer",
    "AnyEngine",
    "CodedRows",
    "DIALECT_WORDS",
    "Dialect",
    "DuckDB",
    "Engine",
    "Gathered",
    "InspectedColumn",
    "InspectedTable",
    "Linked",
    "MOST_BITS",
    "MOST_PAIRS",
    "MOST_ROWS",
    "Memory",
    "Postgres",
    "PostgresTable",
    "Rights",
    "Seeming",
    "Separated",
    "Source",
    "Spark",
    "SparkTable",
    "Step",
    "Stored",
    "conversion_of_text",
    "declared_format",
    "is_text_file",
    "check_combined",
    "dialect_of",
    "digest_rows",
    "guess_format",
    "guess_kinds",
    "ingest",
    "is_address",
    "is_in_database",
    "may_leave_out",
    "inspect_source",
    "open_connection",
    "open_engine",
    "public_columns",
    "read_public",
    "rights_of",
    "source_of",
    "stored_kinds",
    "stored_types",
    "table_name",
    "tables_inside",
    "with_format",
]

_LATER = {
    "InspectedColumn": "duckdb.inspect_rows",
    "InspectedTable": "duckdb.inspect_rows",
    "Memory": "memory.engine",
    "Postgres": "postgres.engine",
    "Rights": "served.rights",
    "Seeming": "sources.guess_format",
    "Spark": "spark.engine",
    "digest_rows": "duckdb.digest_rows",
    "guess_format": "sources.guess_format",
    "guess_kinds": "sources.guess_format",
    "ingest": "duckdb.ingest",
    "inspect_source": "duckdb.inspect_rows",
    "public_columns": "duckdb.public_table_facts",
    "read_public": "duckdb.public_table_facts",
}

__getattr__ = later(__name__, _LATER)
