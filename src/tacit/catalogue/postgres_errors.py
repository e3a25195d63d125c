"""What a client is told when DuckDB cannot answer: PostgreSQL's error codes, and the place in the client's own text.

Checked by: tests/unit/catalogue/test_postgres_errors.py
"""

from __future__ import annotations

import re

import duckdb

from tacit.errors import CatalogueError

__all__ = ["place_of", "refusal"]

NAMED = (
    (
        re.compile(r'column "?([^"\s]+)"? not found', re.IGNORECASE),
        "42703",
        'column "{}" does not exist',
    ),
    (re.compile(r'Column "([^"]+)" referenced that exists'), "42703", 'column "{}" does not exist'),
    (re.compile(r'does not have a column named "([^"]+)"'), "42703", 'column "{}" does not exist'),
    (re.compile(r"Table with name (\S+) does not exist"), "42P01", 'relation "{}" does not exist'),
    (
        re.compile(r'Referenced table "([^"]+)" not found'),
        "42P01",
        'missing FROM-clause entry for table "{}"',
    ),
    (re.compile(r"Function with name (\S+) does not exist"), "42883", "function {} does not exist"),
    (
        re.compile(r"Macro (\S+) does not support"),
        "42883",
        "function {} does not take these arguments",
    ),
    (
        re.compile(r"(?:No function matches|does not match) .*?'([^'(]+)\("),
        "42883",
        "function {} does not take these types",
    ),
)
MANY_ROWS = "more than one row returned by a subquery used as an expression"
KINDS: tuple[tuple[re.Pattern[str] | type[duckdb.Error], str, str], ...] = (
    (
        duckdb.OutOfMemoryException,
        "53200",
        "the statement needs more memory than the catalogue has",
    ),
    (re.compile(r"division by zero", re.IGNORECASE), "22012", "division by zero"),
    (re.compile(r"More than one row returned"), "21000", MANY_ROWS),
    (re.compile(r"ORDER term out of range"), "42P10", "ORDER BY position is not in select list"),
    (re.compile(r"Malformed JSON"), "22P02", "invalid input syntax for type json"),
    (re.compile(r"best candidate function"), "42725", "operator is not unique"),
    (re.compile(r"must appear in the GROUP BY"), "42803", "a column must appear in GROUP BY"),
    (duckdb.ConversionException, "22P02", "a value cannot be converted"),
    (duckdb.OutOfRangeException, "22003", "a value is out of range"),
)


def refusal(error: duckdb.Error, sql: str) -> CatalogueError:
    """DuckDB's error as PostgreSQL would tell it; what DuckDB said is for the curator's list alone.

    Claim:      a client reads constant texts and names that stand in its own statement, nothing else that DuckDB says.
    Because:    texts are chosen from the tables above, and a name is put into one only where the statement has it.
    Checked by: tests/unit/catalogue/test_postgres_errors.py
    """
    said = str(error).partition("\n")[0]
    for pattern, code, text in NAMED:
        if found := pattern.search(said):
            name = found[1].strip("\"'!").removeprefix("fn.")
            place = place_of(name, sql)
            if place is not None:
                return CatalogueError(code, text.format(name), place, detail=said)
    for kind, code, text in KINDS:
        if kind.search(said) if isinstance(kind, re.Pattern) else isinstance(error, kind):
            return CatalogueError(code, text, detail=said)
    return CatalogueError("0A000", "the catalogue cannot answer this statement", detail=said)


def place_of(name: str, sql: str) -> int | None:
    """Where a name first stands in a text, counted from 1; None if it does not.

    >>> place_of("relnam", "SELECT relname, relnam FROM pg_class")
    17
    """
    last = name.rpartition(".")[2]
    found = re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", sql, re.IGNORECASE)
    return None if found is None else found.start() + 1
