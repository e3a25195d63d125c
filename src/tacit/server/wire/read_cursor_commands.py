"""DECLARE, FETCH and MOVE, as clients and people write them.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement
from tacit.server.wire.statement_kinds import is_question
from tacit.server.wire.syntax_of_commands import is_count, read_name, syntax_problem

__all__ = ["Declare", "Fetch", "read_declare", "read_fetch"]
_LARGEST = 2**31 - 1
_WHOLE = {"all": _LARGEST}


# -------------------------------------------------------------------- cursors


@frozen
class Declare:
    """DECLARE name CURSOR FOR question."""

    name: str
    question: Statement
    hold: bool


@frozen
class Fetch:
    """FETCH or MOVE: in which direction, how many rows, of which cursor."""

    direction: str
    count: int
    name: str


def read_declare(statement: Statement) -> Declare:
    """What a DECLARE declares."""
    name = read_name(statement, 1)
    places = [at for at, token in enumerate(statement.tokens) if token.is_word("for")]
    words = [token.value for token in statement.tokens[2 : places[0]]] if places else []
    if "cursor" not in words or "binary" in words:
        raise syntax_problem(statement, 2)
    hold = "hold" in words and "without" not in words
    question = statement.rest(places[0] + 1)
    if not question.tokens or not is_question(question):
        raise syntax_problem(statement, places[0] + 1)
    return Declare(name, question, hold)


def read_fetch(statement: Statement) -> Fetch:
    """What a FETCH or a MOVE asks for.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_fetch(split_statements("FETCH FORWARD 100 FROM c")[0])
    Fetch(direction='forward', count=100, name='c')
    """
    place, direction, count = 1, "forward", 1
    word = statement.word(1)
    if word in {"next", "prior", "first", "last"} and len(statement.tokens) > 2:
        direction, count = {
            "next": ("forward", 1),
            "prior": ("backward", 1),
            "first": ("absolute", 1),
            "last": ("absolute", -1),
        }[word]
        place = 2
    elif word in {"forward", "backward", "absolute", "relative"} and len(statement.tokens) > 2:
        direction, place = word, 2
        count, place = _count(statement, place, needed=word in {"absolute", "relative"})
    else:
        count, place = _count(statement, place, needed=False)
    if statement.word(place) in {"from", "in"}:
        place += 1
    name = read_name(statement, place)
    if place + 1 != len(statement.tokens):
        raise syntax_problem(statement, place + 1)
    return Fetch(direction, count, name)


def _count(statement: Statement, place: int, *, needed: bool) -> tuple[int, int]:
    tokens = statement.tokens
    sign = 1
    if tokens[place : place + 1] and tokens[place].is_sign("-"):
        sign, place = -1, place + 1
    found = tokens[place : place + 1]
    if found and found[0].is_word("all") and len(tokens) > place + 1 and sign == 1 and not needed:
        return _LARGEST, place + 1
    if found and found[0].kind == "number" and is_count(found[0].value):
        return sign * min(int(found[0].value), _LARGEST), place + 1
    if needed or sign < 0:
        raise syntax_problem(statement, place)
    return 1, place
