"""What a file states of its columns, compared with what they hold: an optimiser believes it, and proves from it.

Checked by: tests/unit/engines/duckdb/test_find_false_statistics.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name and literal goes through `quote_name` and `text`

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

import duckdb

from tacit.engines.sql.expressions import quote_name, text

__all__ = ["find_misstated"]

# Doubles are read without statistics; the ends that are stated of texts decide about single rows alone.
_ORDERED = r"U?(TINY|SMALL|BIG|HUGE)?INT(EGER)?|BOOLEAN|DECIMAL.*"
_TEXTS = r"VARCHAR|BLOB"
# DuckDB cannot say what it believes of moments beyond all years, and is of no more use once it was asked.
_MOMENTS = r"DATE|TIMESTAMP.*|TIME"
_ENDS = r"'(min|max)': '?([^,'}]+)"


def find_misstated(
    connection: duckdb.DuckDBPyConnection,
    scan: str,
    types: Mapping[str, str],
    names: Sequence[str],
) -> frozenset[str]:
    """The columns of a scan that hold a value beyond the ends that its file states, or a NULL where it states none.

    Days and moments are named whatever they hold: nothing is believed of them.

    Claim:      of all other columns, whatever DuckDB proves from what is stated of them is true of every row.
    Because:    what it believes is asked of it, and each cell is compared with that, read in a way that no statement
                about it reaches; the decision changes how a column is read, and no value of it.
    Checked by: tests/laws/test_false_statistics.py and tests/unit/engines/duckdb/test_find_false_statistics.py
    """
    moments = frozenset(each for each in names if re.fullmatch(_MOMENTS, types[each]))
    listed = [
        each
        for each in dict.fromkeys(names)
        if re.fullmatch(_ORDERED, types[each]) or re.fullmatch(_TEXTS, types[each])
    ]
    if not listed:
        return moments
    stated = ", ".join(f"CAST(stats({quote_name(each)}) AS VARCHAR)" for each in listed)
    believed = connection.execute(f"SELECT {stated} FROM {scan} LIMIT 1").fetchone()
    if believed is None:  # there are no rows
        return moments
    checks = {
        each: check
        for each, said in zip(listed, believed, strict=True)
        if (check := _misstates(quote_name(each), types[each], said or ""))
    }
    if not checks:
        return moments
    found = connection.execute(f"SELECT {', '.join(checks.values())} FROM {scan}").fetchone()
    assert found is not None, "an aggregate of all rows is one row"
    return moments | {each for each, beyond in zip(checks, found, strict=True) if beyond}


def _misstates(cell: str, stored: str, said: str) -> str:
    """Whether some row of a column is not as is said of it, in SQL; nothing if nothing is said."""
    told = [] if re.fullmatch(_TEXTS, stored) else re.findall(_ENDS, said)
    ends = {end: f"CAST({text(value)} AS {stored})" for end, value in told}
    read = f"TRY({cell})"
    parts = []
    if "min" in ends:
        parts.append(f"min({read}) < {ends['min']}")
    if "max" in ends:
        parts.append(f"max({read}) > {ends['max']}")
    if "'has_null': false" in said:
        parts.append(f"count({read}) < count(*)")
    return f"coalesce({' OR '.join(parts)}, false)" if parts else ""
