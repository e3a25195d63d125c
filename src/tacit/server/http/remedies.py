"""Remedies that are rewrites: a text that a refusal's remedy names, as a button can put it into the editor."""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["rewrite_of"]

_CALL = re.compile(r"\b(?:COUNT\(\*\)|AVG\([\w.\"]+\))")


def rewrite_of(sql: str, problem: Mapping[str, Any]) -> str | None:
    """The question with what is refused replaced by the aggregate that the remedy names last; None if it names none.

    >>> problem = {"remedy": "aggregate the rows: COUNT(*), AVG(value), or GROUP BY value", "start": 7, "end": 12}
    >>> rewrite_of("SELECT value FROM labs", problem)
    'SELECT AVG(value) AS mean FROM labs'
    """
    named = _CALL.findall(str(problem.get("remedy", "")))
    start, end = int(problem.get("start", 0)), int(problem.get("end", 0))
    if not named or not 0 < start < end <= len(sql):
        return None
    call = named[-1]
    name = "n" if call.startswith("COUNT") else "mean"
    after = sql[end:].lstrip()
    alias = "" if after.upper().startswith("AS ") else f" AS {name}"
    return f"{sql[:start]}{call}{alias}{sql[end:]}"
