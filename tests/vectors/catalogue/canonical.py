"""Statements and answers in a form in which a real PostgreSQL's and ours can be compared.

Oids of tables and of their types differ from server to server: they are written `@class labs@`. Cells are texts as
PostgreSQL writes them, lists without quotes.
"""

import hashlib
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

OID = re.compile(r"(?<![\w.@])(?:1[6-9]\d{3}|2\d{4})(?![\w.@])")
PLACE = re.compile(r"@(\w+) ([^@]+)@")


def with_names(text: str, names: Mapping[int, str]) -> str:
    """A text with the oids of declared objects as their names."""
    return OID.sub(lambda found: names.get(int(found[0]), found[0]), text)


def with_oids(text: str, oids: Mapping[str, int]) -> str:
    """A text with the names as oids again."""
    return PLACE.sub(lambda found: str(oids.get(found[0], found[0])), text)


def cell(value: Any, names: Mapping[int, str], is_vector: bool = False) -> str | None:
    """A value as text."""
    match value:
        case None:
            return None
        case bool():
            return "t" if value else "f"
        case list() | tuple():
            parts = [cell(each, names) or "NULL" for each in value]
            return " ".join(parts) if is_vector else "{" + ",".join(parts) + "}"
        case float() if value == int(value):
            text = str(int(value))
        case datetime():
            text = value.isoformat(" ")
        case _:
            text = str(value)
    if text.startswith("{") and text.endswith("}"):
        text = text.replace('"', "")
    named = with_names(text, names)
    return OID.sub("<oid>", named)


def digest(rows: Iterable[Sequence[str | None]]) -> str:
    """A short text that is the same for the same rows, in whatever order."""
    lines = sorted(json.dumps(list(row)) for row in rows)
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()[:16]
