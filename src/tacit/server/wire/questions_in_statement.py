"""Questions that stand within one statement: what each is asked at, and whether all together can be paid for.

Checked by: tests/unit/server/wire/test_questions_in_statement.py
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction
from typing import Any

from tacit.errors import AllowanceExceeded, LimitExceeded
from tacit.frozen import frozen
from tacit.server.identities import Identity
from tacit.server.jobs import Question
from tacit.server.wire.cursors import Outcome
from tacit.server.wire.lexer import Statement
from tacit.server.wire.value_types import BOOL, DATE, FLOAT8, INT8, TIMESTAMP, Field

__all__ = ["Part", "divide", "refuse_sum", "stand_in"]

_MOST_ROWS = 200
_SINCE = datetime(2000, 1, 1)  # noqa: DTZ001 -- as answers have it
_STANDING: dict[int, Callable[[int], Any]] = {
    BOOL: lambda number: number % 2 == 0,
    INT8: lambda number: number,
    FLOAT8: lambda number: number + 0.5,
    DATE: lambda number: date(2000, 1, 1) + timedelta(days=number),
    TIMESTAMP: lambda number: _SINCE + timedelta(days=number),
}


@frozen
class Part:
    """A question within a statement: the name of its answer there, the price it is asked at, and its explanation."""

    name: str
    statement: Statement
    question: Question
    told: Any


async def divide(
    asked: Sequence[tuple[str, Statement, Question, bool]],
    explain: Callable[[Question], Awaitable[Any]],
) -> tuple[Part, ...]:
    """The questions of a statement, each with its part of the price that the statement names.

    Claim:      those that are paid for cost the named price together, or less; the same statement again costs nothing.
    Because:    a price is divided by k only if at most k of them are not known then, and of these k the one is taken
                with which the fewest are to be paid for.
    Checked by: tests/unit/server/wire/test_questions_in_statement.py

    What is known at the whole price, or names its own price in its header, is asked as it is.
    """
    whole = [await explain(question) for _, _, question, _ in asked]
    shared = [
        place for place, (_, _, _, divided) in enumerate(asked) if divided and not whole[place].free
    ]
    best: dict[int, tuple[Question, Any]] = {}
    fewest = len(shared) + 1
    for count in range(1, sum(divided for *_, divided in asked) + 1):
        tried, unknown = dict[int, tuple[Question, Any]](), set[str]()
        for place in shared:
            question, told = asked[place][2], whole[place]
            if count > 1:
                question = replace(question, epsilon=Fraction(question.epsilon or 0) / count)
                told = await explain(question)
            tried[place] = question, told
            if not told.free:
                unknown.add(_same(question))
        if len(unknown) <= count and len(unknown) < fewest:
            best, fewest = tried, len(unknown)
    return tuple(
        Part(name, statement, *best.get(place, (question, whole[place])))
        for place, (name, statement, question, _) in enumerate(asked)
    )


def refuse_sum(who: Identity, parts: Sequence[Part], spent_today: float) -> None:
    """Refuse questions that cannot all be paid for, before the first of them is."""
    paid = {_same(part.question): part.told for part in parts if not part.told.free}.values()
    if not paid:
        return
    share, left = sum(each.share for each in paid), min(each.left for each in paid)
    own = [each.own for each in paid if each.own is not None]
    if own:
        mine, rest = sum(each[0] for each in own), min(each[1] for each in own)
        if mine > rest:
            raise LimitExceeded(who.payer, Fraction(mine), Fraction(rest))
    if share > left or not all(each.affordable for each in paid):
        raise LimitExceeded(None, Fraction(share), Fraction(left))
    if who.allowance is not None and spent_today + share > who.allowance:
        raise AllowanceExceeded(share, max(0.0, who.allowance - spent_today))


def stand_in(fields: Sequence[Field], groups: int) -> Outcome:
    """Rows that stand for an answer of so many groups: other ones in each row, and none of them looked at."""
    rows = [
        tuple(_STANDING.get(field.oid, _text)(number) for field in fields)
        for number in range(1, max(1, min(groups, _MOST_ROWS)) + 1)
    ]
    return Outcome("", tuple(fields), rows)


def _text(number: int) -> Any:
    return f"a{number}"


def _same(question: Question) -> str:
    """What is the same for the same question."""
    return str(sorted((name, str(value)) for name, value in question.body().items()))
