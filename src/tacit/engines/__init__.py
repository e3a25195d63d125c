"""Where rows live: engines evaluate a question exactly, in integers, and know no privacy."""

from tacit.engines.dialect import DIALECT_WORDS, Dialect, dialect_of
from tacit.engines.discovery import check_combined, stored_kinds, tables_inside
from tacit.engines.duckdb import DuckDB, open_connection
from tacit.engines.engine import MOST_BITS, MOST_ROWS, Answer, Engine
from tacit.engines.gathering import Gathered
from tacit.engines.ingest import ingest
from tacit.engines.inspection import InspectedColumn, InspectedTable, inspect_source
from tacit.engines.linked import Linked, Step
from tacit.engines.memory import Memory
from tacit.engines.sources import (
    Separated,
    Source,
    Stored,
    declared_format,
    guess_format,
    source_of,
    with_format,
)
from tacit.engines.work import MOST_PAIRS, may_leave_out

__all__ = [
    "Answer",
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
    "Separated",
    "Source",
    "Step",
    "Stored",
    "declared_format",
    "check_combined",
    "dialect_of",
    "guess_format",
    "ingest",
    "may_leave_out",
    "inspect_source",
    "open_connection",
    "source_of",
    "stored_kinds",
    "tables_inside",
    "with_format",
]
