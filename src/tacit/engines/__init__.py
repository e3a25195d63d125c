"""Where rows live: engines evaluate a question exactly, in integers, and know no privacy."""

from tacit.engines.discovery import stored_kinds
from tacit.engines.duckdb import DuckDB
from tacit.engines.engine import MOST_BITS, MOST_ROWS, Answer, Engine
from tacit.engines.ingest import ingest
from tacit.engines.memory import Memory
from tacit.engines.patterns import matches, tokens_of
from tacit.engines.values import cast, constant

__all__ = [
    "Answer",
    "DuckDB",
    "Engine",
    "MOST_BITS",
    "MOST_ROWS",
    "Memory",
    "cast",
    "constant",
    "ingest",
    "matches",
    "stored_kinds",
    "tokens_of",
]
