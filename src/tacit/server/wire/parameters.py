"""The parameters of a prepared statement, `$1`, `$2`, …: how many there are and of which types.

Checked by: tests/unit/server/wire/test_parameters.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import date, datetime
from typing import Any

from tacit.errors import InvalidPlan
from tacit.server.wire.lexer import Statement
from tacit.server.wire.problems import Problem
from tacit.server.wire.value_types import (
    BOOL,
    DATE,
    FLOAT4,
    FLOAT8,
    INT2,
    INT4,
    INT8,
    NUMERIC,
    OID,
    TEXT,
    TIMESTAMP,
    TIMESTAMPTZ,
    UNKNOWN,
    type_named,
)

__all__ = ["infer_types", "known_types", "sample_of"]

_MOST = 1_000
_MOST_TRIES, _MOST_TOKENS = (
    200,
    100_000,
)  # how often a statement is planned, and how much of it is, in all
_TRIED = (FLOAT8, INT8, DATE, TIMESTAMP, BOOL)
_SAMPLES: Mapping[int, Any] = {
    **dict.fromkeys((INT2, INT4, INT8, OID), 1),
    **dict.fromkeys((FLOAT4, FLOAT8, NUMERIC), 1.5),
    **dict.fromkeys((TIMESTAMP, TIMESTAMPTZ), datetime(2000, 1, 1)),  # noqa: DTZ001 -- as it is bound
    DATE: date(2000, 1, 1),
    BOOL: True,
}

_TYPES = {str: TEXT, int: INT8, float: FLOAT8, bool: BOOL, date: DATE, datetime: TIMESTAMP}


def sample_of(oid: int) -> Any:
    """A value of a type, with which a statement can be described."""
    return _SAMPLES.get(oid, "a")


def known_types(statement: Statement, given: Sequence[int]) -> list[int | None]:
    """The type of each parameter, as the client names it or the text casts it ($1::int8); None where neither does."""
    tokens = statement.tokens
    found: list[int | None] = [oid if oid not in {0, UNKNOWN} else None for oid in given]
    for place, token in enumerate(tokens):
        if token.kind != "parameter":
            continue
        number = int(token.value)
        if number > _MOST:
            said = f"there is no parameter ${number}"
            raise Problem("42P02", said, position=token.start + 1)
        found += [None] * (number - len(found))
        if (
            found[number - 1] is None
            and tokens[place + 1 : place + 2]
            and tokens[place + 1].is_sign("::")
        ):
            found[number - 1] = _cast_at(statement, place + 2)
    return found


async def infer_types(
    statement: Statement,
    known: Sequence[int | None],
    declared: Mapping[str, Any],
    try_with: Callable[[Sequence[Any]], Awaitable[None]],
) -> tuple[tuple[int, ...], tuple[Any, ...]]:
    """The types of all parameters, and a value of each with which the statement can be read.

    A type that nobody names is the first that the statement is read with: what stands beside the parameter decides.
    A long statement is tried less often: what it takes to prepare one is bounded.
    `declared` has a value for each column whose values are declared; any other would be refused there.
    """
    tries = [
        _tries(oid, _declared_for(statement, place, declared), declared)
        for place, oid in enumerate(known)
    ]
    at = [0] * len(tries)
    most = max(10, min(_MOST_TRIES, _MOST_TOKENS // max(1, len(statement.tokens))))
    for _ in range(most):
        now = [each[place] for each, place in zip(tries, at, strict=True)]
        try:
            await try_with([value for _, value in now])
        except InvalidPlan as refusal:
            first, last = statement.start + refusal.start, statement.start + refusal.end
            blamed = {
                int(token.value) - 1
                for token in statement.tokens
                if token.kind == "parameter" and first <= token.start < max(last, first + 1)
            }
            others = [place for place in blamed if at[place] + 1 < len(tries[place])]
            if not others:
                raise
            for place in others:
                at[place] += 1
        else:
            return tuple(oid for oid, _ in now), tuple(value for _, value in now)
    raise Problem(
        "54000",
        "the types of the parameters could not be inferred in a reasonable time",
        "declare them when preparing the statement, or in the text: $1::text",
    )


def _tries(oid: int | None, own: Any, declared: Mapping[str, Any]) -> list[tuple[int, Any]]:
    """The types and values to try for a parameter, in order."""
    texts = dict.fromkeys(["a", *(each for each in declared.values() if isinstance(each, str))])
    found = [(TEXT, text) for text in texts]
    found += [(each, _SAMPLES[each]) for each in _TRIED]
    if own is not None:
        found.insert(0, (_TYPES.get(type(own), TEXT), own))
    if oid is None:
        return found
    kind = type(sample_of(oid))
    same = [(oid, value) for _, value in found if type(value) is kind or _are_numbers(value, kind)]
    return same or [(oid, sample_of(oid))]


def _are_numbers(value: Any, kind: type) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and kind in {int, float}


def _declared_for(statement: Statement, place: int, declared: Mapping[str, Any]) -> Any:
    """A declared value of the column that a parameter is compared with."""
    tokens = statement.tokens
    for at, token in enumerate(tokens):
        if token.kind == "parameter" and int(token.value) == place + 1 and at >= 2:
            return declared.get(tokens[at - 2].value)
    return None


def _cast_at(statement: Statement, place: int) -> int | None:
    """The type that is named at a place."""
    tokens = statement.tokens
    if statement.word(place) == "pg_catalog":
        place += 2
    if not tokens[place : place + 1]:
        return None
    name = tokens[place].value
    pair = f"{name} {statement.word(place + 1)}"
    if type_named(pair) is not None:
        name, place = pair, place + 1
    after = tokens[place + 1 : place + 3]
    if len(after) == 2 and after[0].is_sign("[") and after[1].is_sign("]"):
        name += "[]"
    return type_named(name)
