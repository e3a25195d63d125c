"""What is to be said about spellings that mean different things in different dialects, where a text uses them.

A remark is a function of the text alone: two texts of one plan share one answer, each with remarks of its own.

Checked by: tests/unit/plan/sql/test_spelling_remarks.py
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot.errors import TokenError
from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

from tacit.plan.sql.arguments_in_tokens import split_arguments
from tacit.plan.sql.parse import typed_tokens

__all__ = ["spelling_remarks"]

_REMARKS = {
    "DAYOFWEEK": "DAYOFWEEK counts from Sunday = 0, as in DuckDB; in BigQuery, MySQL and Spark Sunday is 1",
    "WEEK": "WEEK is the number of the ISO week; BigQuery, MySQL and T-SQL number weeks that begin on Sunday",
    "TRUNCATED": "weeks begin on Monday; for weeks from Sunday on, as in BigQuery, write DATE_TRUNC(x, WEEK(SUNDAY))",
    "LOG": "LOG(x) is to base 10, as in DuckDB and PostgreSQL; LN(x) is the natural logarithm",
    "REGEXP_LIKE": "REGEXP_LIKE looks for the pattern anywhere in a text; in Snowflake it is of the whole text",
    "TIMESTAMPDIFF": "TIMESTAMPDIFF counts complete units, as in MySQL; DATEDIFF counts how many units begin",
}
_OF_PART = {"EXTRACT", "DATE_PART", "DATEPART"}
_WEEKS = {"WEEK", "WEEKS", "WK", "WW"}
# Which text may have a remark at all: to look for words costs less than to find out which are words.
_POSSIBLE = re.compile("WEEK|WK|WW|LOG|REGEXP_LIKE|TIMESTAMPDIFF", re.IGNORECASE)
_UNIT_LAST = {"DATE_TRUNC", "TIMESTAMP_TRUNC", "DATETIME_TRUNC"}


def spelling_remarks(text: str) -> tuple[str, ...]:
    """What is to be said about the spellings of a text, each thing once; nothing about a text that is not read.

    >>> spelling_remarks("SELECT AVG(LOG(age)) FROM visits")
    ('LOG(x) is to base 10, as in DuckDB and PostgreSQL; LN(x) is the natural logarithm',)
    >>> spelling_remarks("SELECT AVG(LOG10(age)) FROM visits WHERE name = 'LOG(x)'")
    ()
    """
    if not _POSSIBLE.search(text):
        return ()
    try:
        tokens = typed_tokens(text)
    except TokenError:
        return ()
    found = (_find_spelling(tokens, place) for place in range(len(tokens)))
    return tuple(dict.fromkeys(_REMARKS[spelling] for spelling in found if spelling))


def _find_spelling(tokens: Sequence[RawToken], place: int) -> str | None:
    """The spelling at a place about which there is something to say, by its name in `_REMARKS`."""
    name = _word(tokens, place)
    if name is None or _word(tokens, place + 1) != "(":
        return None
    arguments, _ = split_arguments(tokens, place + 2)
    if name in _OF_PART and arguments and arguments[0]:
        return _find_part([token.text.upper() for token in arguments[0]])
    if name == "LOG":
        return "LOG" if len(arguments) == 1 else None
    if name in _UNIT_LAST | {"DATETRUNC"}:
        unit = arguments[0 if name == "DATETRUNC" else -1] if len(arguments) == 2 else []
        is_bare = len(unit) == 1 and unit[0].token_type is not TokenType.STRING
        return "TRUNCATED" if is_bare and unit[0].text.upper() in _WEEKS else None
    if name == "WEEK":
        before = _word(tokens, place - 1) if place else None
        return "WEEK" if before != "," and not _names_day(arguments) else None
    return name if name in _REMARKS else None


def _find_part(words: Sequence[str]) -> str | None:
    """The same of EXTRACT(WEEK FROM x) and DATE_PART('week', x), by the words of the first argument."""
    if words[0] == "DAYOFWEEK":
        return "DAYOFWEEK"
    return "WEEK" if words[0] in _WEEKS and words[1:2] != ["("] else None


def _names_day(arguments: Sequence[Sequence[RawToken]]) -> bool:
    """Whether WEEK is not a function but a unit of time: WEEK(SUNDAY)."""
    return [[token.text.upper()[-3:] for token in each] for each in arguments] == [["DAY"]]


def _word(tokens: Sequence[RawToken], place: int) -> str | None:
    """The word or the sign at a place; a text or a quoted name is none."""
    if place >= len(tokens) or tokens[place].token_type in {TokenType.STRING, TokenType.IDENTIFIER}:
        return None
    return tokens[place].text.upper()
