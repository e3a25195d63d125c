"""What a statement holds: the question within it, or the number of a connection that it cancels.

SET and SHOW are read in `read_set_and_show`, cursors in `read_cursor_commands`, PREPARE and EXECUTE in
`read_prepare_and_execute`, EXPLAIN and COPY in `read_explain_and_copy`.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.server.wire.lexer import Statement
from tacit.server.wire.read_cursor_commands import read_declare
from tacit.server.wire.read_explain_and_copy import read_copy, read_explain
from tacit.server.wire.statement_kinds import is_question
from tacit.server.wire.syntax_of_commands import is_count

__all__ = ["question_within", "read_cancel"]


def read_cancel(statement: Statement, values: Sequence[Any]) -> int | None:
    """Whose statement is to be cancelled, by SELECT pg_cancel_backend(number); None for every other statement.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_cancel(split_statements("SELECT pg_cancel_backend(42)")[0], ())
    42
    >>> [read_cancel(split_statements("SELECT pg_cancel_backend($1)")[0], (text,)) for text in ("²", "٣", "9" * 11)]
    [None, None, None]
    """
    tokens = [each for each in statement.tokens if not each.is_sign("::")][1:]
    if len(tokens) > 2 and tokens[0].value == "pg_catalog" and tokens[1].is_sign("."):
        tokens = tokens[2:]
    named = len(tokens) >= 4 and tokens[0].value == "pg_cancel_backend"
    if not named or not tokens[1].is_sign("(") or not tokens[-1].is_sign(")") or len(tokens) > 5:
        return None
    given = tokens[2]
    if given.kind == "parameter" and len(given.value) < 4:
        found = values[int(given.value) - 1] if 0 < int(given.value) <= len(values) else None
    else:
        found = given.value if given.kind == "number" else None
    text = str(found)
    return int(text) if is_count(text) else None


def question_within(statement: Statement) -> Statement | None:
    """The question of a statement: itself, or what it declares, copies, explains or executes."""
    if not statement.tokens:
        return None
    if is_question(statement):
        return statement
    match statement.word(0):
        case "declare":
            return read_declare(statement).question
        case "copy":
            return read_copy(statement).question
        case "explain":
            return question_within(read_explain(statement).question)
        case _:
            return None
