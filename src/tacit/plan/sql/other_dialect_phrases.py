"""Phrases of other dialects as those that are read, while a text is still tokens: TOP 10, CONVERT, RATIO_TO_REPORT.

Checked by: tests/unit/plan/sql/test_other_dialect_phrases.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sqlglot.dialects.duckdb import DuckDB
from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

from tacit.plan.sql.arguments_in_tokens import change, split_arguments

__all__ = ["respell_phrases"]

_TYPES = frozenset(DuckDB.parser_class.TYPE_TOKENS)
_NO_WORDS = frozenset({TokenType.STRING, TokenType.IDENTIFIER})
_WEEKS = frozenset({"WEEK", "WK", "WW", "ISOWEEK"})
_SETS = frozenset({TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT})
_DEPTH = {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}
_ISO_FORMATS = {"4": "%Y", "7": "%Y-%m", "10": "%Y-%m-%d"}
_ISO_STYLES = (["23"], ["120"], ["121"], ["126"])
_OPENED = {TokenType.L_PAREN: 1, TokenType.L_BRACKET: 1} | {
    TokenType.R_PAREN: -1,
    TokenType.R_BRACKET: -1,
}


def respell_phrases(tokens: Sequence[RawToken]) -> list[RawToken]:
    """Tokens with each phrase of another dialect as it is written here.

    SELECT TOP 10 ward, COUNT(*) …           SELECT ward, COUNT(*) … LIMIT 10
    … LIMIT 2, 3                             … LIMIT 3 OFFSET 2
    CONVERT(date, x)                         CAST(x AS date)
    CONVERT(varchar(7), x, 120)              STRFTIME(x, '%Y-%m')
    DATEADD(month, DATEDIFF(month, 0, x), 0) DATETRUNC(month, x)
    RATIO_TO_REPORT(SUM(x)) OVER ()          ((SUM(x)) / SUM(SUM(x)) OVER ())
    x IN UNNEST(['a', 'b'])                  x IN ('a', 'b')
    x = ANY (ARRAY['a', 'b'])                x IN ('a', 'b')
    """
    found = list(tokens)
    place = 0
    while place < len(found):
        (word,) = _words(found, place, place + 1)
        if word in _PHRASES:
            found = _PHRASES[word](found, place)
        place += 1
    return found


def _kinds(tokens: Sequence[RawToken], start: int, end: int) -> list[TokenType]:
    return [token.token_type for token in tokens[max(0, start) : end]]


def _words(tokens: Sequence[RawToken], start: int, end: int) -> list[str]:
    """The words and signs at some places, in capitals; a text or a quoted name is none."""
    return [
        "" if token.token_type in _NO_WORDS else token.text.upper() for token in tokens[start:end]
    ]


def _find_end(tokens: Sequence[RawToken], place: int) -> int:
    """Where the query ends in which a place is: at the parenthesis that closes it, or at the end of the statement."""
    depth = 0
    for at in range(place, len(tokens)):
        depth += _DEPTH.get(tokens[at].token_type, 0)
        if depth < 0 or tokens[at].token_type is TokenType.SEMICOLON:
            return at
    return len(tokens)


def _move_top(tokens: list[RawToken], place: int) -> list[RawToken]:
    """LIMIT 10 at the end of the query for TOP 10 at its beginning; as it is where several queries are combined."""
    number = place + 1 + (_words(tokens, place + 1, place + 2) == ["("])
    after = number + 1 if number == place + 1 else number + 2
    if (
        _kinds(tokens, place - 1, place) != [TokenType.SELECT]
        or _kinds(tokens, number, number + 1) != [TokenType.NUMBER]
        or (number > place + 1 and _words(tokens, number + 1, after) != [")"])
        or _words(tokens, after, after + 1) == ["PERCENT"]
        or _words(tokens, after, after + 2) == ["WITH", "TIES"]
    ):
        return tokens
    end, depth = _find_end(tokens, place), 0
    for token in tokens[after:end]:
        depth += _DEPTH.get(token.token_type, 0)
        if depth == 0 and token.token_type in _SETS | {TokenType.LIMIT, TokenType.FETCH}:
            return tokens
    limit = [change(tokens[place], TokenType.LIMIT, "LIMIT"), tokens[number]]
    return [*tokens[:place], *tokens[after:end], *limit, *tokens[end:]]


def _move_offset(tokens: list[RawToken], place: int) -> list[RawToken]:
    """LIMIT 3 OFFSET 2 for LIMIT 2, 3."""
    kinds = [TokenType.LIMIT, TokenType.NUMBER, TokenType.COMMA, TokenType.NUMBER]
    if _kinds(tokens, place, place + 4) != kinds:
        return tokens
    offset = change(tokens[place], TokenType.OFFSET, "OFFSET")
    skipped, shown = tokens[place + 1], tokens[place + 3]
    return [*tokens[: place + 1], shown, offset, skipped, *tokens[place + 4 :]]


def _read_convert(tokens: list[RawToken], place: int) -> list[RawToken]:
    """CAST(x AS date) for CONVERT(date, x), and for CONVERT(x, date); TRY_CAST for TRY_CONVERT."""
    arguments, closing = split_arguments(tokens, place + 2)
    if _words(tokens, place + 1, place + 2) != ["("]:
        return tokens
    if len(arguments) == 3:
        return _read_styled(tokens, place, arguments, closing)
    if len(arguments) != 2:
        return tokens
    types = [_find_type(argument) for argument in arguments]
    if (types[0] is None) == (types[1] is None):
        return tokens
    value, kind = (arguments[1], types[0]) if types[0] else (arguments[0], types[1])
    name = "TRY_CAST" if tokens[place].text.upper() == "TRY_CONVERT" else "CAST"
    head = change(tokens[place], TokenType.VAR, name)
    cast = [head, tokens[place + 1], *value, change(head, TokenType.ALIAS, "AS"), *(kind or ())]
    return [*tokens[:place], *cast, *tokens[closing:]]


def _read_styled(
    tokens: list[RawToken], place: int, arguments: list[list[RawToken]], closing: int
) -> list[RawToken]:
    """STRFTIME(x, '%Y-%m') for CONVERT(varchar(7), x, 120), whose style is that of ISO."""
    kind, moment, style = arguments
    length = kind[2].text if len(kind) == 4 and _find_type(kind) else ""
    if length not in _ISO_FORMATS or [token.text for token in style] not in _ISO_STYLES:
        return tokens
    comma = tokens[closing - len(style) - 1]
    head = change(tokens[place], TokenType.VAR, "STRFTIME")
    written = change(style[0], TokenType.STRING, _ISO_FORMATS[length])
    return [*tokens[:place], head, tokens[place + 1], *moment, comma, written, *tokens[closing:]]


def _truncate_by_difference(tokens: list[RawToken], place: int) -> list[RawToken]:
    """DATETRUNC(month, x) for DATEADD(month, DATEDIFF(month, 0, x), 0): the months since a first of January."""
    outer, closing = split_arguments(tokens, place + 2)
    inside = place + 4
    if len(outer) != 3 or _words(tokens, inside, inside + 2) != ["DATEDIFF", "("]:
        return tokens
    inner, ended = split_arguments(tokens, inside + 2)
    unit = [token.text.upper() for token in outer[0]]
    zeros = [[token.text for token in each] for each in (*inner[1:2], outer[2])]
    same = [[token.text.upper() for token in each] for each in inner[:1]] == [unit]
    if len(inner) != 3 or zeros != [["0"], ["0"]] or not same or unit[0] in _WEEKS:
        return tokens
    if ended != inside + len(outer[1]) - 1:  # something is added to it
        return tokens
    head = change(tokens[place], TokenType.VAR, "DATETRUNC")
    return [*tokens[:place], head, *tokens[place + 1 : inside], *inner[2], *tokens[closing:]]


def _find_type(argument: Sequence[RawToken]) -> list[RawToken] | None:
    """The tokens that name a type, if an argument is one."""
    if not argument:
        return None
    word, rest = argument[0], [token.token_type for token in argument[1:]]
    length = [TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN]
    digits = [*length[:2], TokenType.COMMA, *length[1:]]
    is_type = word.token_type in _TYPES or word.text.upper() in {"DATETIME2", "SMALLDATETIME"}
    return list(argument) if is_type and rest in ([], length, digits) else None


def _divide_by_total(tokens: list[RawToken], place: int) -> list[RawToken]:
    """((x) / SUM(x) OVER w) for RATIO_TO_REPORT(x) OVER w, unless x has one: each would be written twice."""
    arguments, closing = split_arguments(tokens, place + 2)
    inside = _words(tokens, place + 1, closing)
    if (
        len(arguments) != 1
        or "RATIO_TO_REPORT" in inside
        or _words(tokens, closing + 1, closing + 2) != ["OVER"]
    ):
        return tokens
    window = closing + 2
    if _words(tokens, window, window + 1) == ["("]:
        window = split_arguments(tokens, window + 1)[1]
    head, opened, closed, (value,) = tokens[place], tokens[place + 1], tokens[closing], arguments
    ratio = [opened, opened, *value, closed, change(opened, TokenType.SLASH, "/")]
    total = [change(head, TokenType.VAR, "SUM"), *tokens[place + 1 : window + 1], closed]
    return [*tokens[:place], *ratio, *total, *tokens[window + 1 :]]


def _list_of_unnest(tokens: list[RawToken], place: int) -> list[RawToken]:
    """IN ('a', 'b') for IN UNNEST(['a', 'b'])."""
    if _words(tokens, place, place + 4) != ["IN", "UNNEST", "(", "["]:
        return tokens
    return _keep_list(tokens, place, place + 2)


def _list_of_any(tokens: list[RawToken], place: int) -> list[RawToken]:
    """IN ('a', 'b') for = ANY (ARRAY['a', 'b']), and LIKE ANY ('a%') for LIKE ANY (ARRAY['a%'])."""
    if _words(tokens, place, place + 4) not in (
        ["ANY", "(", "ARRAY", "["],
        ["ALL", "(", "ARRAY", "["],
    ):
        return tokens
    opened = [*tokens[: place + 2], *tokens[place + 3 :]]  # without ARRAY
    is_equal = _kinds(tokens, place - 1, place) == [TokenType.EQ]
    if is_equal and tokens[place].text.upper() == "ANY":
        listed = _keep_list(opened, place, place + 1)
        return [
            *listed[: place - 1],
            change(tokens[place], TokenType.IN, "IN"),
            *listed[place + 1 :],
        ]
    return tokens if is_equal else _keep_list(opened, place, place + 1)


def _keep_list(tokens: list[RawToken], place: int, opened: int) -> list[RawToken]:
    """The tokens up to a place, and what stands in the brackets after a parenthesis, in parentheses."""
    depth = 0
    for at in range(opened + 1, len(tokens)):
        depth += _OPENED.get(tokens[at].token_type, 0)
        if depth == 0:
            inside = tokens[opened + 2 : at]
            return [*tokens[: place + 1], tokens[opened], *inside, *tokens[at + 1 :]]
    return tokens


_PHRASES: dict[str, Callable[[list[RawToken], int], list[RawToken]]] = {
    "TOP": _move_top,
    "LIMIT": _move_offset,
    "DATEADD": _truncate_by_difference,
    "CONVERT": _read_convert,
    "TRY_CONVERT": _read_convert,
    "RATIO_TO_REPORT": _divide_by_total,
    "IN": _list_of_unnest,
    "ANY": _list_of_any,
    "ALL": _list_of_any,
}
