"""What all commands share: their names, their lists, and how a text that is none of them is refused.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from tacit.server.wire.lexer import Statement, Token
from tacit.server.wire.problems import Problem

__all__ = ["is_count", "read_dotted", "read_name", "split_at_commas", "syntax_problem"]


def syntax_problem(statement: Statement, place: int = 0) -> Problem:
    """The refusal of a statement that cannot be read from a token on."""
    found = statement.tokens[place : place + 1]
    if not found:
        end = statement.start + len(statement.text)
        return Problem("42601", "syntax error at end of input", position=end + 1)
    token = found[0]
    text = statement.text[token.start - statement.start : token.end - statement.start]
    return Problem("42601", f'syntax error at or near "{text[:64]}"', position=token.start + 1)


def read_dotted(statement: Statement, place: int) -> tuple[str, int]:
    """A name with dots in it, and the place after it."""
    parts = [read_name(statement, place)]
    place += 1
    while statement.tokens[place : place + 1] and statement.tokens[place].is_sign("."):
        parts.append(read_name(statement, place + 1))
        place += 2
    return ".".join(parts), place


def read_name(statement: Statement, place: int) -> str:
    """A name at a place, with or without quotes."""
    found = statement.tokens[place : place + 1]
    if not found or found[0].kind not in {"word", "name"}:
        raise syntax_problem(statement, place)
    return found[0].value


def split_at_commas(tokens: tuple[Token, ...]) -> list[list[Token]]:
    """Tokens in groups, at the commas that stand in no bracket."""
    groups, depth = list[list[Token]]([[]]), 0
    for token in tokens:
        if token.kind == "sign":
            depth += {"(": 1, ")": -1}.get(token.value, 0)
        if token.is_sign(",") and not depth:
            groups.append([])
        else:
            groups[-1].append(token)
    if any(not group for group in groups):
        raise Problem("42601", "a value is missing between commas")
    return groups


def is_count(text: str) -> bool:
    """Whether a text is a whole number as PostgreSQL writes it, of at most ten digits."""
    return text.isascii() and text.isdigit() and len(text) < 11
