"""What tools write around a question: SELECT … FROM (question) x, WITH x AS (question) SELECT ….

Most of it is read by the vault as part of the question.  What is not can be evaluated on the released answer.

Checked by: tests/unit/server/wire/test_wrapped_questions.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement, matching_bracket, split_statements
from tacit.server.wire.problems import Problem

__all__ = ["Wrapped", "pick", "refuse_growing", "unwrap"]

_NAME = "tacit_released_{}"
_MOST = 4
_GROWING = frozenset(
    {
        *("generate_series", "generate_subscripts", "unnest", "range", "string_to_table"),
        *("regexp_split_to_table", "regexp_matches", "json_array_elements", "jsonb_array_elements"),
        *("json_array_elements_text", "jsonb_array_elements_text", "json_each", "jsonb_each"),
        *("json_each_text", "jsonb_each_text", "json_object_keys", "jsonb_object_keys"),
        *("json_to_recordset", "jsonb_to_recordset", "json_populate_recordset"),
        *("jsonb_populate_recordset", "jsonb_path_query", "_pg_expandarray", "aclexplode"),
    }
)


@frozen
class Wrapped:
    """A statement around questions: its text, in which names stand for their answers, and the questions by name.

    Each has the values of the parameters that it names, which are counted anew.
    """

    text: str
    values: tuple[int, ...]
    questions: tuple[tuple[str, Statement, tuple[int, ...]], ...]


def unwrap(statement: Statement) -> Wrapped | None:
    """The questions within a statement, None if there are none.

    >>> from tacit.server.wire.lexer import split_statements
    >>> found = unwrap(split_statements("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM t) x")[0])
    >>> found.text, found.questions[0][1].text
    ('SELECT MAX(n) FROM (SELECT * FROM tacit_released_1) x', 'SELECT COUNT(*) AS n FROM t')
    """
    places = _places(statement)
    if not places or len(places) > _MOST:
        return None
    text, last, questions = "", 0, []
    for number, (opening, closing) in enumerate(places, 1):
        name = _NAME.format(number)
        inner = statement.between(opening + 1, closing)
        questions.append((name, *_numbered_anew(inner)))
        text += statement.text[last : statement.tokens[opening].start - statement.start]
        text += f"(SELECT * FROM {name})"  # noqa: S608 -- a name of ours
        last = statement.tokens[closing].end - statement.start
    outer = split_statements(text + statement.text[last:])
    if len(outer) != 1:
        return None
    renamed, places_of_values = _numbered_anew(outer[0])
    return Wrapped(renamed.text, places_of_values, tuple(questions))


def refuse_growing(wrapped: Wrapped) -> None:
    """Refuse SQL around questions that makes rows of its own: how many could depend on what is paid for."""
    (outer,) = split_statements(wrapped.text)
    for place, token in enumerate(outer.tokens):
        calls = outer.tokens[place + 1 : place + 2] and outer.tokens[place + 1].is_sign("(")
        named = token.kind in {"word", "name"} and token.value.lower() in _GROWING
        if (calls and named) or token.is_word("recursive"):
            raise Problem(
                "0A000",
                f"{token.value[:64]} cannot be applied to a question, because it produces rows; nothing was charged",
                "ask the question by itself, and apply the function to its answer afterwards",
            )


def pick(values: Sequence[Any], places: Sequence[int]) -> tuple[Any, ...]:
    """The values at some places, counted from 1."""
    return tuple(values[place - 1] for place in places if place <= len(values))


def _places(statement: Statement) -> list[tuple[int, int]]:
    """Where questions stand in brackets: as tables behind FROM and JOIN, or as WITH x AS (…)."""
    found, place, tokens = list[tuple[int, int]](), 0, statement.tokens
    if statement.word(0) not in {"select", "with"}:
        return []
    while place < len(tokens):
        token = tokens[place]
        if token.is_sign("(") and place and statement.word(place + 1) in {"select", "with"}:
            before = tokens[place - 1]
            closing = matching_bracket(tokens, place)
            if closing is None:
                return []
            if before.is_word("from", "join", "as", "lateral") or before.is_sign(","):
                found.append((place, closing))
                place = closing + 1
                continue
        place += 1
    return found


def _numbered_anew(statement: Statement) -> tuple[Statement, tuple[int, ...]]:
    """A statement whose parameters are counted from 1, and which ones they were."""
    numbers = sorted({int(each.value) for each in statement.tokens if each.kind == "parameter"})
    if numbers == list(range(1, len(numbers) + 1)):
        return statement, tuple(numbers)
    text, last = "", 0
    for token in statement.tokens:
        if token.kind == "parameter":
            text += statement.text[last : token.start - statement.start]
            text += f"${numbers.index(int(token.value)) + 1}"
            last = token.end - statement.start
    (made,) = split_statements(text + statement.text[last:])
    return (
        Statement(made.text, statement.start, made.tokens, statement.comments),
        tuple(numbers),
    )
