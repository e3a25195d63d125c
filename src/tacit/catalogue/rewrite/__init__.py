"""PostgreSQL's SQL about its catalogue, rewritten for the DuckDB that holds ours.

The second place, beside `plan/sql`, that knows the parser; what it reads never meets a private row.
"""

from __future__ import annotations

from tacit.catalogue.rewrite.macros import STATEMENTS
from tacit.catalogue.rewrite.parameters import parameter_types
from tacit.catalogue.rewrite.parse import parse
from tacit.catalogue.rewrite.relations import is_of_the_catalogue, quoted, with_name_of_cte
from tacit.catalogue.rewrite.session import Session
from tacit.catalogue.rewrite.session_values import TYPE_NAMES
from tacit.catalogue.rewrite.statement import Rewritten, rewrite

__all__ = [
    "Rewritten",
    "STATEMENTS",
    "Session",
    "TYPE_NAMES",
    "is_of_the_catalogue",
    "parameter_types",
    "parse",
    "quoted",
    "rewrite",
    "with_name_of_cte",
]
