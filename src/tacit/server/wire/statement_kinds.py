"""Which statements are questions, and which would change something and are refused.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from tacit.server.wire.lexer import Statement
from tacit.server.wire.problems import Problem

__all__ = ["QUESTIONS", "is_question", "is_write", "refuse_write"]

QUESTIONS = frozenset({"select", "with", "values", "table", "describe", "desc", "summarize"})
_WRITES = frozenset(
    {
        *("insert", "update", "delete", "merge", "create", "drop", "alter", "truncate", "grant"),
        *("revoke", "lock", "vacuum", "analyze", "reindex", "cluster", "comment", "refresh"),
        *("security", "import", "load", "checkpoint", "reassign", "do", "call", "notify"),
    }
)


def is_question(statement: Statement) -> bool:
    """Whether a statement asks for rows of a table, or of the catalogue."""
    first = statement.tokens[0]
    if first.is_sign("("):
        return True
    return first.is_word(*QUESTIONS) or (statement.tokens[1:2] == () and first.is_word("table"))


def is_write(statement: Statement) -> bool:
    """Whether a statement would change something."""
    return statement.tokens[0].is_word(*_WRITES)


def refuse_write(statement: Statement) -> None:
    """Refuse what would change something."""
    if statement.tokens and is_write(statement):
        word = statement.word(0).upper()
        hint = "a vault cannot be written to: ask with SELECT"
        raise Problem("25006", f"cannot execute {word} in a read-only vault", hint)
