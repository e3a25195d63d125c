"""Parameters of a statement, `?`, `$1` and `:name`: values that take the place of tokens, never of text.

Checked by: tests/unit/plan/sql/test_parameters.py
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, date, datetime
from decimal import Decimal
from math import isfinite
from numbers import Integral
from typing import Any, NoReturn

from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

from tacit.errors import InvalidInput, InvalidPlan
from tacit.plan.sql.precheck import MOST_BYTES

__all__ = ["NO_PARAMETERS", "Parameters", "bind_parameters", "freeze_parameters"]

Parameters = tuple[tuple[str, Any], ...]
"""What parameters are bound to, by their names: the first of a list is called 1."""
NO_PARAMETERS: Parameters = ()
"""What is bound to a statement without parameters."""

_KINDS = (str, Integral, float, Decimal, date, type(None))
_LARGEST = 10**400
_NAMED_AFTER = {TokenType.JOIN, TokenType.ALIAS, TokenType.TABLE}
"""Words that a name follows: there a text between quotes would be read as one."""
_WHOLE = {TokenType.SMALLINT: 15, TokenType.INT: 31, TokenType.BIGINT: 63}
_TYPED = {True: TokenType.TRUE, False: TokenType.FALSE, None: TokenType.NULL}


def freeze_parameters(given: Sequence[Any] | Mapping[str, Any] | None) -> Parameters:
    """What is bound to a statement's parameters, as a value that can be compared.

    >>> freeze_parameters(["A", 3]), freeze_parameters({"ward": "A"})
    ((('1', 'A'), ('2', 3)), (('ward', 'A'),))
    """
    if given is None:
        return NO_PARAMETERS
    if isinstance(given, str | bytes) or not isinstance(given, Sequence | Mapping):
        remedy = "give a list for ? and $1, or a dictionary for :name"
        raise InvalidInput("params", type(given).__name__, remedy)
    if isinstance(given, Mapping):
        listed = [(str(name), value) for name, value in given.items()]
    else:
        listed = [(str(place), value) for place, value in enumerate(given, 1)]
    return tuple((name, _plain(name, value)) for name, value in listed)


def _plain(name: str, value: Any) -> Any:
    """A value as one of Python's own, refused if SQL has no constant of its kind."""
    if not isinstance(value, _KINDS) and callable(getattr(value, "item", None)):
        value = value.item()  # a number of NumPy's
    sound = isinstance(value, _KINDS) and not (isinstance(value, float) and not isfinite(value))
    if isinstance(value, Integral) and abs(int(value)) >= _LARGEST:
        remedy = "give a number of at most 400 digits"
        raise InvalidInput(f"parameter {name[:64]}", "a larger number", remedy)
    if isinstance(value, datetime) and value.tzinfo is not None:
        value = _in_utc(name, value)
    if not sound or (isinstance(value, Decimal) and not value.is_finite()):
        remedy = "give a text, a number, True, False, a date, a datetime or None"
        raise InvalidInput(f"parameter {name[:64]}", type(value).__name__, remedy)
    if isinstance(value, str) and len(value) > MOST_BYTES:
        remedy = f"give a text of at most {MOST_BYTES:,} characters"
        raise InvalidInput(f"parameter {name[:64]}", f"a text of {len(value):,}", remedy)
    return value


def _in_utc(name: str, moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC).replace(tzinfo=None)
    except OverflowError:
        remedy = "give a timestamp whose year in UTC is from 1 to 9999, too"
        raise InvalidInput(f"parameter {name[:64]}", str(moment), remedy) from None


_MARKS = {TokenType.PLACEHOLDER, TokenType.QDCOLON, TokenType.PARAMETER, TokenType.COLON}
"""What may begin a parameter."""


def bind_parameters(text: str, tokens: Sequence[RawToken], bound: Parameters) -> list[RawToken]:
    """The tokens of a text in which each parameter is the constant that it is bound to, at its place in the text.

    WHERE ward = ? AND age > $2 with ('A', 65)    WHERE ward = 'A' AND age > 65

    Claim:      no value can become a word, a name or a sign; a bound question is that which has the constants instead.
    Because:    a value becomes one token of a constant, which the parser takes as it is: no text is made of it, and
                nothing is tokenised again.  What follows reads tokens alone.
    Checked by: tests/unit/plan/sql/test_parameters.py::test_no_value_becomes_syntax
    """
    known, used, found = dict(bound), set[str](), list[RawToken]()
    place = marks = 0
    while place < len(tokens):
        token = tokens[place]
        width, name = _parameter_at(tokens, place) if token.token_type in _MARKS else (0, None)
        if not width:
            found.append(token)
            place += 1
            continue
        if name is None:
            marks += 1
            name = str(marks)
        end = token.start if width == 1 else tokens[place + width - 1].end
        if _is_name(tokens, place):
            reason = "a parameter stands for a value, and here a name is needed"
            raise InvalidPlan(
                reason, "write the name itself", text=text, start=token.start, end=end + 1
            )
        if name not in known:
            _refuse_unbound(text, token.start, end + 1, name, bound)
        used.add(name)
        found += _constant(token, end, known[name])
        if token.token_type is TokenType.QDCOLON:  # ?:: is one token
            found.append(_split_cast(token))
        place += width + _width_of_cast(tokens, place + width, known[name])
    unused = next((name for name in known if name not in used), None)
    if unused is not None:
        remedy = "write ?, $1 or :name where the value belongs, or leave it out"
        raise InvalidInput("params", unused[:64], f"the text has no such parameter: {remedy}")
    return found


def _width_of_cast(tokens: Sequence[RawToken], place: int, value: Any) -> int:
    """How many tokens cast a whole number to a type that has it: they change nothing, and LIMIT reads no cast.

    LIMIT $1::INTEGER with 10    LIMIT 10
    """
    kinds = [token.token_type for token in tokens[place : place + 3]]
    if kinds[:1] != [TokenType.DCOLON] or type(value) is not int or len(kinds) < 2:
        return 0
    bits = _WHOLE.get(kinds[1])
    if bits is None or not -(1 << bits) <= value < 1 << bits or kinds[2:] == [TokenType.L_BRACKET]:
        return 0
    return 2


def _parameter_at(tokens: Sequence[RawToken], place: int) -> tuple[int, str | None]:
    """How many tokens a parameter takes that begins with this mark, none if none does; and its name, if it has one."""
    token = tokens[place]
    if token.token_type in {TokenType.PLACEHOLDER, TokenType.QDCOLON}:
        return 1, None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if after is None or after.start != token.end + 1 or not re.fullmatch(r"\w+", after.text):
        return 0, None
    return 2, after.text


def _is_name(tokens: Sequence[RawToken], place: int) -> bool:
    """Whether a name is read at a place: after JOIN and AS, and after the FROM of a SELECT.

    There are others: x IS DISTINCT FROM ?, SUBSTRING(x FROM ?).
    """
    before = tokens[place - 1].token_type if place else None
    if before is not TokenType.FROM:
        return before in _NAMED_AFTER
    if place > 1 and tokens[place - 2].token_type is TokenType.DISTINCT:
        return False
    depth = 0
    for token in reversed(tokens[: place - 1]):
        if token.token_type is TokenType.R_PAREN:
            depth += 1
        elif token.token_type is TokenType.L_PAREN:
            depth -= 1
        if depth < 0:
            return False  # of a function
        if not depth and token.token_type is TokenType.SELECT:
            return True
    return False


def _split_cast(token: RawToken) -> RawToken:
    """The :: of ?::int."""
    start = token.start + 1
    return RawToken(TokenType.DCOLON, "::", token.line, token.col, start, token.end, token.comments)


def _refuse_unbound(text: str, start: int, end: int, name: str, bound: Parameters) -> NoReturn:
    given = f"{len(bound)} of them" if bound else "none"
    reason = f"nothing is bound to the parameter {name[:64]!r}: {given} is given"
    remedy = "give the values: params=[...] for ? and $1, params={'name': ...} for :name"
    raise InvalidPlan(reason, remedy, text=text, start=start, end=end)


def _constant(like: RawToken, end: int, value: Any) -> list[RawToken]:
    """The tokens of a constant, at the place of a parameter."""

    def token(kind: TokenType, written: str) -> RawToken:
        return RawToken(kind, written, like.line, like.col, like.start, end, like.comments)

    if value is None or isinstance(value, bool):
        kind = _TYPED[value]
        return [token(kind, kind.name)]
    if isinstance(value, str):
        return [token(TokenType.STRING, value)]
    if isinstance(value, datetime):
        return [token(TokenType.TIMESTAMP, "TIMESTAMP"), token(TokenType.STRING, str(value))]
    if isinstance(value, date):
        return [token(TokenType.DATE, "DATE"), token(TokenType.STRING, value.isoformat())]
    written = str(int(value)) if isinstance(value, Integral) else _decimal(value)
    number = token(TokenType.NUMBER, written.removeprefix("-"))
    if not written.startswith("-"):
        return [number]
    signs = token(TokenType.L_PAREN, "("), token(TokenType.DASH, "-")
    return [*signs, number, token(TokenType.R_PAREN, ")")]


def _decimal(value: float | Decimal) -> str:
    """A number with a point, as it prints."""
    exact = Decimal(repr(float(value))) if isinstance(value, float) else value
    written = str(exact)
    return written if {".", "E"} & set(written) else f"{written}.0"
