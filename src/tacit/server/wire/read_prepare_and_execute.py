"""PREPARE and EXECUTE, as clients and people write them.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement, Token, matching_bracket
from tacit.server.wire.problems import Problem
from tacit.server.wire.syntax_of_commands import read_name, split_at_commas, syntax_problem
from tacit.server.wire.value_types import type_named

__all__ = ["Preparation", "PreparedRun", "read_execute", "read_prepare"]


# -------------------------------------------------------------------- prepared statements


@frozen
class Preparation:
    """PREPARE name (types) AS statement."""

    name: str
    types: tuple[int, ...]
    statement: Statement


@frozen
class PreparedRun:
    """EXECUTE name (values)."""

    name: str
    values: tuple[Any, ...]


def read_prepare(statement: Statement) -> Preparation:
    """What a PREPARE prepares."""
    name, place, types = read_name(statement, 1), 2, list[int]()
    if statement.tokens[2:3] and statement.tokens[2].is_sign("("):
        end = matching_bracket(statement.tokens, 2)
        if end is None:
            raise syntax_problem(statement, 2)
        for named in split_at_commas(statement.tokens[3:end]):
            found = type_named(" ".join(token.value for token in named).replace(" [ ]", "[]"))
            if found is None:
                raise Problem("42704", "there is no such type", position=named[0].start + 1)
            types.append(found)
        place = end + 1
    if statement.word(place) != "as":
        raise syntax_problem(statement, place)
    rest = statement.rest(place + 1)
    if not rest.tokens:
        raise syntax_problem(statement, place + 1)
    return Preparation(name, tuple(types), rest)


def read_execute(statement: Statement) -> PreparedRun:
    """What an EXECUTE runs; its values are constants."""
    name, values = read_name(statement, 1), list[Any]()
    if len(statement.tokens) > 2:
        end = matching_bracket(statement.tokens, 2)
        if not statement.tokens[2].is_sign("(") or end != len(statement.tokens) - 1:
            raise syntax_problem(statement, 2)
        for named in split_at_commas(statement.tokens[3:end]):
            values.append(_constant(statement, named))
    return PreparedRun(name, tuple(values))


def _constant(statement: Statement, tokens: list[Token]) -> Any:
    """A constant as the text of its value; None is NULL."""
    sign = ""
    if tokens[0].is_sign("-") and len(tokens) > 1:
        sign, tokens = "-", tokens[1:]
    if len(tokens) > 1 and not tokens[1].is_sign("::"):
        raise syntax_problem(statement, statement.tokens.index(tokens[1]))
    token = tokens[0]
    if token.is_word("null"):
        return None
    if token.kind in {"number", "text"} or token.is_word("true", "false"):
        return sign + token.value
    raise syntax_problem(statement, statement.tokens.index(token))
