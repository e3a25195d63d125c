"""What a client is told when DuckDB cannot answer: PostgreSQL's error codes, and the place in the client's own text.

Checked by: tests/unit/catalogue/test_database.py
"""

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
KINDS = (
    (
        duckdb.OutOfMemoryException,
        "53200",
        "the statement needs more memory than the catalogue has",
    ),
    (duckdb.ConversionException, "22P02", "a value cannot be converted"),
    (duckdb.OutOfRangeException, "22003", "a value is out of range"),
)


def refusal(error: duckdb.Error, sql: str) -> CatalogueError:
    """DuckDB's error as PostgreSQL would tell it."""
    said = str(error).partition("\n")[0]
    for pattern, code, text in NAMED:
        if found := pattern.search(said):
            name = found[1].strip("\"'!").removeprefix("fn.")
            return CatalogueError(code, text.format(name), place_of(name, sql))
    for kind, code, text in KINDS:
        if isinstance(error, kind):
            return CatalogueError(code, text)
    return CatalogueError("0A000", f"the catalogue cannot answer this statement ({said[:200]})")


def place_of(name: str, sql: str) -> int | None:
    """Where a name first stands in a text, counted from 1; None if it does not.

    >>> place_of("relnam", "SELECT relname, relnam FROM pg_class")
    17
    """
    last = name.rpartition(".")[2]
    found = re.search(rf"(?<![\w$]){re.escape(last)}(?![\w$])", sql, re.IGNORECASE)
    return None if found is None else found.start() + 1
