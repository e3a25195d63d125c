"""Units of time as dialects spell them: abbreviated, in quotes or bare, before or after what they cut.

Checked by: tests/laws/test_units_of_time.py
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from sqlglot import exp
from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

from tacit.plan.questions.build_expressions import unit_named
from tacit.plan.questions.time_spans import FIRST_DAYS
from tacit.plan.sql.arguments_in_tokens import is_between_arguments, split_arguments

__all__ = [
    "UNIT_NAMES",
    "WITH_UNIT",
    "first_day_of",
    "is_unit",
    "name_of_unit",
    "put_unit_first",
    "says_when_weeks_begin",
]

WITH_UNIT = {"DATE_TRUNC": 2, "DATE_DIFF": 3, "DATEDIFF": 3}
"""Functions whose unit of time is first or last, and how many arguments they have."""
UNIT_NAMES = ("year", "quarter", "month", "week", "day", "hour", "minute", "second")
"""The units of time, the longest first."""
_UNITS = {
    **{name: name for name in UNIT_NAMES},
    **dict.fromkeys(("yyyy", "yy", "yr", "y"), "year"),
    **dict.fromkeys(("qtr", "qq", "q"), "quarter"),
    **dict.fromkeys(("mon", "mm"), "month"),
    **dict.fromkeys(("wk", "ww", "iw", "isoweek", "iso_week", "isowk", "isoww"), "week"),
    **{f"week({day})": "week" if day == "monday" else f"week({day})" for day in FIRST_DAYS},
    **dict.fromkeys(("dd", "d"), "day"),
    **dict.fromkeys(("hh", "hr", "h"), "hour"),
    **dict.fromkeys(("mi", "min"), "minute"),
    **dict.fromkeys(("ss", "sec", "s"), "second"),
}
# Parts of a moment that are no unit, by their names in other dialects.
_PARTS = {
    **dict.fromkeys(("dy", "yearday", "day_of_year"), "doy"),
    **dict.fromkeys(("dayofweekiso", "dayofweek_iso", "dow_iso", "weekday_iso"), "isodow"),
    **dict.fromkeys(("epoch_second",), "epoch"),
}


def is_unit(node: exp.Expr) -> bool:
    """Whether an argument is the name of a unit of time, as a word or as a text."""
    if isinstance(node, exp.Column) and len(node.parts) == 1 and not node.this.quoted:
        return unit_named(node.name) in _UNITS
    return isinstance(node, exp.Literal) and node.is_string and unit_named(node.name) in _UNITS


def name_of_unit(text: str) -> str:
    """The unit, or the part, of time that a name or an abbreviation means.

    >>> name_of_unit("MON"), name_of_unit("minutes"), name_of_unit("dy"), name_of_unit("WEEK(MONDAY)")
    ('month', 'minute', 'doy', 'week')
    """
    name = unit_named(text)
    return _UNITS.get(name) or _PARTS.get(text.lower(), name)


def first_day_of(unit: str) -> str | None:
    """The day on which a unit begins that is a week; None of any other unit.

    >>> first_day_of("week"), first_day_of("week(sunday)"), first_day_of("day")
    ('monday', 'sunday', None)
    """
    name = name_of_unit(unit)
    if name == "week":
        return "monday"
    return name[5:-1] if name.startswith("week(") else None


def says_when_weeks_begin(unit: str) -> bool:
    """Whether a unit that is a week names the day on which it begins: ISOWEEK, WEEK(SUNDAY)."""
    name = unit_named(unit)
    return name.startswith(("iso", "week("))


def put_unit_first(
    tokens: list[RawToken], place: int, name: str, columns: Collection[str]
) -> list[RawToken]:
    """The call with its unit of time as its first argument, a text; as it is if it has none at either end.

    DATE_TRUNC(v.day, MONTH)         DATE_TRUNC('month', v.day)
    DATE_TRUNC(month, v.day)         DATE_TRUNC('month', v.day)
    DATE_DIFF(MAX(b), MIN(a), DAY)   DATE_DIFF('day', MIN(a), MAX(b))
    DATEDIFF(dd, v.a, v.b)           DATEDIFF('dd', v.a, v.b)

    Where both ends may be a unit, the one that is a column is none; if that does not tell, DATEDIFF has its unit
    first, as in T-SQL and Snowflake, and the others have it last, as in BigQuery.
    """
    arguments, closing = split_arguments(tokens, place + 2)
    if len(arguments) != WITH_UNIT[name] or not all(arguments):
        return tokens
    if len(arguments[0]) == 1 and arguments[0][0].token_type is TokenType.STRING:
        return tokens  # it comes first already, and a column may be called like a unit
    first = _find_unit(arguments[0])
    last = _find_unit(arguments[-1]) if _is_spelled_out(arguments[-1]) else None
    if first and last:
        known = {column.casefold() for column in columns}
        is_column = [each.casefold() in known for each in (first.text, last.text)]
        at_end = is_column[0] if is_column[0] != is_column[1] else name != "DATEDIFF"
        first, last = (None, last) if at_end else (first, None)
    if last is not None:
        ordered = [[last], *arguments[-2::-1]]
    elif first is not None:
        ordered = [[first], *arguments[1:]]
    else:
        return tokens
    commas = [
        token for token in tokens[place + 2 : closing] if is_between_arguments(token, arguments)
    ]
    inside: list[RawToken] = []
    for number, argument in enumerate(ordered):
        inside += [*([commas[number - 1]] if number else []), *argument]
    return [*tokens[: place + 2], *inside, *tokens[closing:]]


def _find_unit(argument: Sequence[RawToken]) -> RawToken | None:
    """The text that names a unit of time where an argument is one: MONTH, dd, WEEK(MONDAY)."""
    word = argument[0]
    text = "".join(token.text for token in argument).lower()
    if word.token_type is TokenType.IDENTIFIER or unit_named(text) not in _UNITS:
        return None
    end = argument[-1].end
    return RawToken(
        TokenType.STRING, text, word.line, word.col, word.start, end, list(word.comments)
    )


def _is_spelled_out(argument: Sequence[RawToken]) -> bool:
    """Whether a unit of time is no abbreviation: an abbreviation comes first, and a last one is a column."""
    name = unit_named(argument[0].text)
    return name in UNIT_NAMES or name == "isoweek"
