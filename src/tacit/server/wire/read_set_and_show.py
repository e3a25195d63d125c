"""SET, SHOW and RESET, as clients and people write them.

Checked by: tests/unit/server/wire/test_read_commands.py
"""

from __future__ import annotations

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement
from tacit.server.wire.syntax_of_commands import read_dotted, syntax_problem

__all__ = ["SetSetting", "read_set", "read_show"]


# -------------------------------------------------------------------- settings


@frozen
class SetSetting:
    """SET name = value; no value is DEFAULT, no name is a SET that changes nothing here."""

    name: str | None
    value: str | None = None
    local: bool = False


def read_set(statement: Statement) -> SetSetting:
    """What a SET sets.

    >>> from tacit.server.wire.lexer import split_statements
    >>> read_set(split_statements("SET LOCAL tacit.epsilon TO 0.1")[0])
    SetSetting(name='tacit.epsilon', value='0.1', local=True)
    """
    place, local = 1, False
    if statement.word(1) in {"session", "local"} and statement.word(2) not in {
        "characteristics",
        "authorization",
        "",
    }:
        place, local = 2, statement.word(1) == "local"
    word = statement.word(place)
    if word == "session" or word in {"transaction", "constraints", "role"}:
        return SetSetting(None)
    if word == "time" and statement.word(place + 1) == "zone":
        return SetSetting("TimeZone", _value(statement, place + 2), local)
    if word == "names":
        return SetSetting("client_encoding", _value(statement, place + 1), local)
    if word == "schema":
        return SetSetting("search_path", _value(statement, place + 1), local)
    name, place = read_dotted(statement, place)
    sign = statement.tokens[place : place + 1]
    if not sign or not (sign[0].is_sign("=") or sign[0].is_word("to")):
        raise syntax_problem(statement, place)
    return SetSetting(name, _value(statement, place + 1), local)


def read_show(statement: Statement, place: int = 1) -> str:
    """The setting that SHOW or RESET names."""
    words = tuple(token.value for token in statement.tokens[place:])
    if words[:1] == ("time",):
        return "TimeZone"
    if words[:1] == ("transaction",):
        return "transaction_isolation"
    if words[:2] == ("session", "authorization"):
        return "session_authorization"
    name, end = read_dotted(statement, place)
    if end != len(statement.tokens):
        raise syntax_problem(statement, end)
    return name


def _value(statement: Statement, place: int) -> str | None:
    """What stands behind the sign of a SET: one value, or several with commas."""
    tokens = statement.tokens[place:]
    if not tokens:
        raise syntax_problem(statement, place)
    if len(tokens) == 1 and tokens[0].is_word("default"):
        return None
    parts, sign = list[str](), ""
    for token in tokens:
        if token.is_sign(","):
            continue
        if token.is_sign("-") or token.is_sign("+"):
            sign = token.value.replace("+", "")
            continue
        if token.kind in {"sign", "parameter"}:
            raise syntax_problem(statement, statement.tokens.index(token))
        parts.append(sign + token.value)
        sign = ""
    return ", ".join(parts)
