"""The names of the macros that stand for PostgreSQL's functions; their texts are in functions.sql.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

import re
from pathlib import Path

__all__ = ["MACROS", "STATEMENTS"]

FILE = Path(__file__).parents[1] / "functions.sql"
STATEMENTS = tuple(re.findall(r"(?m)^CREATE MACRO .*;$", FILE.read_text(encoding="utf-8")))
"""The statements that create them, in order."""
MACROS = frozenset(re.findall(r"(?m)^CREATE MACRO fn\.(\w+)\(", FILE.read_text(encoding="utf-8")))
"""What they are called, without the schema."""
