"""Remedies that are rewrites: a text that a refusal's remedy names, as a button can put it into the editor."""

import re
from collections.abc import Mapping
from typing import Any

__all__ = ["rewrite_of"]

_CALL = re.compile(r"\b(?:COUNT\(\*\)|AVG\([\w.\"]+\))")
_MEANT = re.compile(r"did you mean '(\w+)'\?")

_COUNT = "COUNT(*)"


def _column_of(call: str) -> str:
    """What a call is about: of a remedy's example, which is no column of the question, nothing can be used."""
    return call[call.index("(") + 1 : -1]


def rewrite_of(sql: str, problem: Mapping[str, Any]) -> str | None:
    """The question with what is refused replaced by what the remedy names, an aggregate or a name; else None.

    >>> problem = {"remedy": "aggregate the rows: COUNT(*), AVG(value), or GROUP BY value", "start": 7, "end": 12}
    >>> rewrite_of("SELECT value FROM labs", problem)
    'SELECT AVG(value) AS mean FROM labs'
    >>> rewrite_of("SELECT * FROM labs", {"remedy": "aggregate them: COUNT(*), AVG(x)", "start": 7, "end": 8})
    'SELECT COUNT(*) AS n FROM labs'
    >>> rewrite_of("SELECT COUNT(*) FROM lbas", {"remedy": "did you mean 'labs'? …", "start": 21, "end": 25})
    'SELECT COUNT(*) FROM labs'
    """
    remedy = str(problem.get("remedy", ""))
    named, meant = _CALL.findall(remedy), _MEANT.match(remedy)
    start, end = int(problem.get("start", 0)), int(problem.get("end", 0))
    if not 0 < start < end <= len(sql):
        return None
    if meant is not None and re.fullmatch(r"\w+", sql[start:end]):
        return re.sub(rf"\b{sql[start:end]}\b", meant[1], sql)
    if not named:
        return None
    call = named[-1] if _column_of(named[-1]) in sql[start:end] else _COUNT
    name = "n" if call.startswith("COUNT") else "mean"
    after = sql[end:].lstrip()
    alias = "" if after.upper().startswith("AS ") else f" AS {name}"
    return f"{sql[:start]}{call}{alias}{sql[end:]}"
