"""Where rows live: engines evaluate a question exactly, in integers, and know no privacy."""

from tacit.engines.discovery import stored_kinds, tables_inside
from tacit.engines.duckdb import DuckDB, opened
from tacit.engines.engine import MOST_BITS, MOST_ROWS, Answer, Engine
from tacit.engines.gathering import Gathered
from tacit.engines.ingest import ingest
from tacit.engines.linked import Linked, Step
from tacit.engines.memory import Memory
from tacit.engines.sources import Source, Stored, source_of
from tacit.engines.work import MOST_PAIRS, may_leave_out

__all__ = [
    "Answer",
    "DuckDB",
    "Engine",
    "Gathered",
    "Linked",
    "MOST_BITS",
    "MOST_PAIRS",
    "MOST_ROWS",
    "Memory",
    "Source",
    "Step",
    "Stored",
    "ingest",
    "may_leave_out",
    "opened",
    "source_of",
    "stored_kinds",
    "tables_inside",
]
