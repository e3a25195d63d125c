"""Lists of parameters: `ward = ANY($1)` is the question `ward IN (…)` with a parameter for each value.

Tools write the types of values behind them, `ward IN ($1::VARCHAR, $2::VARCHAR)`: there they are read, and left out.

Checked by: tests/unit/server/wire/test_list_parameters.py
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement, Token, matching_bracket, split_statements
from tacit.server.wire.problems import Problem
from tacit.server.wire.value_types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    TEXT,
    TIMESTAMP,
    VARCHAR,
    element_of,
    type_named,
)

__all__ = ["Spread", "list_numbers", "spread_lists", "with_single_values"]

_KINDS = {
    **dict.fromkeys((TEXT, VARCHAR), str),
    **dict.fromkeys((INT2, INT4, INT8), int),
    **dict.fromkeys((FLOAT4, FLOAT8), float),
    BOOL: bool,
    DATE: date,
    TIMESTAMP: datetime,
}
_MOST = 500  # values of one list
_MOST_WRITTEN = 10_000  # parameters that a statement has when all lists are written
_COMPARED = {
    ("=", "any"): "IN",
    ("=", "some"): "IN",
    ("<>", "all"): "NOT IN",
    ("!=", "all"): "NOT IN",
}


@frozen
class Spread:
    """A statement, its values and their types, among which is no list that a column is compared with."""

    statement: Statement
    values: tuple[Any, ...] = ()
    types: tuple[int, ...] = ()


@frozen
class _Place:
    """Where `= ANY($1)` stands: from one token to another, which parameter it is, and what is written instead."""

    first: int
    last: int
    number: int
    word: str


def list_numbers(statement: Statement) -> set[int]:
    """The numbers of the parameters that stand for lists.

    >>> list_numbers(split_statements("SELECT 1 WHERE a = ANY($2) AND b <> ALL ($3::int8[]) AND c = $1")[0])
    {2, 3}
    """
    return {each.number for each in _places(statement)}


def with_single_values(statement: Statement) -> Statement:
    """The same statement about lists of one value each: by it their types are found.

    >>> with_single_values(split_statements("SELECT COUNT(*) FROM t WHERE a = ANY($1::text[])")[0]).text
    'SELECT COUNT(*) FROM t WHERE a IN ($1)'
    """
    plain = _without_types(statement, None)
    return _write(plain, {each.number: [each.number] for each in _places(plain)})


def spread_lists(statement: Statement, values: Sequence[Any], types: Sequence[int] = ()) -> Spread:
    """The statement with a parameter for each value of a list; those that are added are counted behind the others.

    >>> asked = split_statements("SELECT COUNT(*) FROM t WHERE a = ANY($1) AND b < $2")[0]
    >>> found = spread_lists(asked, [["x", "y"], 5])
    >>> found.statement.text, found.values
    ('SELECT COUNT(*) FROM t WHERE a IN ($1, $3) AND b < $2', ('x', 5, 'y'))
    """
    statement = _without_types(statement, values)
    spread, oids = list(values), list(types)
    oids += [TEXT] * (len(spread) - len(oids))
    numbers: dict[int, list[int]] = {}
    places = _places(statement)
    for number in sorted({each.number for each in places}):
        given = values[number - 1] if number <= len(values) else None
        if not isinstance(given, list | tuple):
            raise Problem("22023", f"${number} is compared as a list, but its value is not a list")
        if not 1 <= len(given) <= _MOST:
            said = f"a list in ANY or ALL has 1 to {_MOST} values"
            raise Problem("22023", said, "leave the comparison out, or ask several questions")
        _refuse_elsewhere(statement, number, sum(each.number == number for each in places))
        numbers[number] = [number, *range(len(spread) + 1, len(spread) + len(given))]
        oids[number - 1] = element_of(oids[number - 1]) or oids[number - 1]
        oids += [oids[number - 1]] * (len(given) - 1)
        spread[number - 1] = given[0]
        spread += given[1:]
    if not numbers:
        return Spread(statement, tuple(values), tuple(types))
    if sum(len(numbers[each.number]) for each in places) > _MOST_WRITTEN:
        said = f"the lists of a statement have at most {_MOST_WRITTEN:,} values in all"
        raise Problem("54000", said, "ask several questions")
    return Spread(_write(statement, numbers), tuple(spread), tuple(oids))


def _refuse_elsewhere(statement: Statement, number: int, places: int) -> None:
    """Refuse a list that stands somewhere else than in ANY or ALL: there it would be its first value alone."""
    found = [
        each for each in statement.tokens if each.kind == "parameter" and int(each.value) == number
    ]
    if len(found) > places:
        said = f"${number} is a list in ANY or ALL, but is also used elsewhere"
        raise Problem("42804", said, "give the single value as a parameter of its own")


def _places(statement: Statement) -> list[_Place]:
    """Where lists stand: = ANY ($1), <> ALL ($1), with or without a type behind the parameter."""
    found, tokens = list[_Place](), statement.tokens
    for at, token in enumerate(tokens[:-3]):
        word = _COMPARED.get((token.value, tokens[at + 1].value))
        if word is None or not token.is_sign(token.value) or tokens[at + 1].kind != "word":
            continue
        if tokens[at + 2].is_sign("(") and tokens[at + 3].kind == "parameter":
            last = _end_of_type(tokens, at + 4)
            if last is not None:
                found.append(_Place(at, last, int(tokens[at + 3].value), word))
    return found


def _without_types(statement: Statement, values: Sequence[Any] | None) -> Statement:
    """A statement without the types behind parameters in `IN (…)`, where the values are of these types."""
    tokens, cut = statement.tokens, list[tuple[int, int]]()
    for at, token in enumerate(tokens[:-1]):
        if not token.is_word("in") or not tokens[at + 1].is_sign("("):
            continue
        closing = matching_bracket(tokens, at + 1) or at + 1
        for place in range(at + 2, closing):
            if tokens[place].kind != "parameter" or not tokens[place + 1].is_sign("::"):
                continue
            last = place + 2
            while tokens[last].kind == "word":
                last += 1
            ends = tokens[last].is_sign(",") or last == closing
            named = type_named(" ".join(each.value for each in tokens[place + 2 : last]))
            if ends and named is not None and _is_of(named, int(tokens[place].value), values):
                cut.append((tokens[place + 1].start, tokens[last - 1].end))
    if not cut:
        return statement
    text, before = "", 0
    for first, last in cut:
        text += statement.text[before : first - statement.start]
        before = last - statement.start
    return _read_again(text + statement.text[before:], statement)


def _is_of(oid: int, number: int, values: Sequence[Any] | None) -> bool:
    """Whether a value is what its type reads; without values, whether the type is a plain one."""
    kind = _KINDS.get(oid)
    if values is None or kind is None or number > len(values):
        return kind is not None and values is None
    return type(values[number - 1]) is kind


def _end_of_type(tokens: Sequence[Token], at: int) -> int | None:
    """Where the bracket closes: at once, or behind a type."""
    if tokens[at : at + 1] and tokens[at].is_sign("::"):
        at += 1
        while tokens[at : at + 1] and (
            tokens[at].kind == "word" or tokens[at].value in {"[", "]", "."}
        ):
            at += 1
    return at if tokens[at : at + 1] and tokens[at].is_sign(")") else None


def _write(statement: Statement, numbers: dict[int, list[int]]) -> Statement:
    """The statement in which each list is written as the parameters of its values."""
    text, last = "", 0
    for place in _places(statement):
        text += statement.text[last : statement.tokens[place.first].start - statement.start]
        listed = ", ".join(f"${number}" for number in numbers[place.number])
        text += f"{place.word} ({listed})"
        last = statement.tokens[place.last].end - statement.start
    if not last:
        return statement
    return _read_again(text + statement.text[last:], statement)


def _read_again(text: str, statement: Statement) -> Statement:
    """A changed text as a statement at the same place."""
    (made,) = split_statements(text)
    tokens = tuple(
        replace(each, start=each.start + statement.start, end=each.end + statement.start)
        for each in made.tokens
    )
    return Statement(made.text, statement.start, tokens, statement.comments)
