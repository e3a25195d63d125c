"""Other spellings of what is read: names in backticks, functions under another name, arguments in another order.

They are changed before the text is parsed and keep their places in it, so a refusal underlines what was typed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from sqlglot.tokenizer_core import Token as RawToken
from sqlglot.tokenizer_core import TokenType

from tacit.plan.sql.arguments_in_tokens import change, is_between_arguments, split_arguments
from tacit.plan.sql.other_dialect_phrases import respell_phrases
from tacit.plan.sql.units_of_time import WITH_UNIT, put_unit_first

__all__ = ["quote_names", "respell"]

_PIECES = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|`([^`\"]+)`", re.DOTALL
)
# r'a' is 'a': a backslash is one in every text here
_PREFIXED = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|(?<![A-Za-z0-9_$])[rRnN]('(?:[^']|'')*')",
    re.DOTALL,
)
_RENAMED = {
    "MEAN": "AVG",
    "APPROX_QUANTILE": "QUANTILE_CONT",
    "APPROX_PERCENTILE": "QUANTILE_CONT",
    "PERCENTILE_APPROX": "QUANTILE_CONT",
    "EVERY": "BOOL_AND",
    "MAX_BY": "ARG_MAX",
    "ARGMAX": "ARG_MAX",
    "MIN_BY": "ARG_MIN",
    "ARGMIN": "ARG_MIN",
    "WEEKOFYEAR": "WEEK",
    "SAFE_CAST": "TRY_CAST",
    "REGEXP_CONTAINS": "REGEXP_MATCHES",
    "TIMESTAMP_TRUNC": "DATE_TRUNC",
    "DATETIME_TRUNC": "DATE_TRUNC",
    "DATETIME_DIFF": "DATE_DIFF",
    "TIMESTAMP_ADD": "DATE_ADD",
    "DATETIME_ADD": "DATE_ADD",
    "TIMESTAMP_SUB": "DATE_SUB",
    "DATETIME_SUB": "DATE_SUB",
    "IFF": "IIF",
    "TRUNCATE": "TRUNC",
    "STD": "STDDEV",
    "SKEW": "SKEWNESS",
    "PERCENTILE": "QUANTILE_CONT",
    "APPROX_MEDIAN": "MEDIAN",
    "REGEXP_SUBSTR": "REGEXP_EXTRACT",
    "TO_VARCHAR": "TO_CHAR",
    "MID": "SUBSTRING",
    "BTRIM": "TRIM",
    "COUNT_BIG": "COUNT",
    "STDEVP": "STDDEV_POP",
    "VAR": "VARIANCE",
    "VARP": "VAR_POP",
    "WEEKISO": "WEEK",
    "WEEK_ISO": "WEEK",
    "ISO_WEEK": "WEEK",
    "ISOWEEK": "WEEK",
}
# Functions that have another name by how many arguments they have: DATE_ADD('day', 3, x), DATE_SUB('day', a, b).
_BY_ARGUMENTS = {
    ("DATE_ADD", 3): "DATEADD",
    ("DATE_SUB", 3): "TIMESTAMPDIFF",
    ("DATE", 3): "MAKE_DATE",
}
# x <=> y is x IS NOT DISTINCT FROM y, x ISNULL is x IS NULL, and x NOTNULL is x IS NOT NULL
_SPELLED_OUT = {
    TokenType.ISNULL: ((TokenType.IS, "IS"), (TokenType.NULL, "NULL")),
    TokenType.NULLSAFE_EQ: (
        (TokenType.IS, "IS"),
        (TokenType.NOT, "NOT"),
        (TokenType.DISTINCT, "DISTINCT"),
        (TokenType.FROM, "FROM"),
    ),
    TokenType.NOTNULL: ((TokenType.IS, "IS"), (TokenType.NOT, "NOT"), (TokenType.NULL, "NULL")),
}
# Functions that make a list, of which one element is read; and those whose elements a plain number counts from 1.
_LISTS = frozenset({"SPLIT", "STRING_SPLIT", "STR_SPLIT", "STRING_TO_ARRAY", "APPROX_QUANTILES"})
_COUNTED_FROM_ONE = frozenset({"STRING_SPLIT", "STR_SPLIT", "STRING_TO_ARRAY"})


def quote_names(text: str) -> str:
    """A text with names in double quotes where they stood in backticks, and every character at its place.

    Raw texts, r'a+', lose their letter.

    >>> quote_names("SELECT `a b`, '`c`' FROM t")
    'SELECT "a b", \\'`c`\\' FROM t'
    """
    if "`" in text:
        text = _PIECES.sub(
            lambda found: f'"{found[1]}"' if found[1] is not None else found[0], text
        )
    return _PREFIXED.sub(lambda found: found[0] if found[1] is None else " " + found[1], text)


def respell(tokens: Sequence[RawToken], columns: Collection[str] = ()) -> list[RawToken]:
    """Tokens in the spelling that is read; `columns` are those of the tables, which may be called like a unit of time.

    MEAN(x)                 AVG(x)
    DATE_TRUNC(day, MONTH)  DATE_TRUNC('month', day)
    DATE_DIFF(b, a, DAY)    DATE_DIFF('day', a, b)
    DATEDIFF(b, a)          DATEDIFF_IN_DAYS(b, a)
    SUBSTRING(x FROM 2 FOR 3)    SUBSTRING(x, 2, 3)
    MODE() WITHIN GROUP (ORDER BY x)    MODE(x)
    SPLIT(x, '@')[OFFSET(1)]            SPLIT_PART(x, '@', 2)
    APPROX_QUANTILES(x, 4)[OFFSET(2)]   QUANTILE_CONT(x, 0.5)
    """
    tokens = respell_phrases(tokens)
    found: list[RawToken] = []
    passed = 0
    for at, typed in enumerate(tokens):
        if at < passed:
            continue
        token, passed = _simple_type(tokens, at) if at else (typed, 1)
        called = tokens[at + 1 : at + 2] and tokens[at + 1].token_type is TokenType.L_PAREN
        if called and token.token_type is TokenType.ISNULL:
            found.append(change(token, TokenType.VAR, "COALESCE"))
        elif called and token.token_type is TokenType.DIV and not _ends_operand(tokens[at - 1]):
            found.append(change(token, TokenType.VAR, "DIV"))
        elif token.token_type in _SPELLED_OUT:
            words = _SPELLED_OUT[token.token_type]
            found += [change(token, kind, word) for kind, word in words]
        else:
            found.append(token)
    for place in range(len(found)):
        # also beyond the end: a call may have become shorter
        if place + 1 >= len(found) or found[place + 1].token_type is not TokenType.L_PAREN:
            continue
        token = found[place]
        name = _RENAMED.get(token.text.upper(), token.text.upper())
        if name != token.text.upper() or (
            token.token_type in _TYPES_AS_FUNCTIONS and name in _FUNCTIONS_OF_TYPES
        ):
            # DATE(x) is a function: the parser tries a type first, twice as long for each level
            if place and found[place - 1].token_type in {TokenType.ALIAS, TokenType.DCOLON}:
                continue
            found[place] = change(token, TokenType.VAR, name)
        if name in _LISTS:
            found = _take_element(found, place, name)
        arguments = len(split_arguments(found, place + 2)[0])
        if name in WITH_UNIT:
            found = put_unit_first(found, place, name, columns)
            if name != "DATE_TRUNC" and arguments == 2:
                found[place] = change(token, TokenType.VAR, "DATEDIFF_IN_DAYS")
        elif (name, arguments) in _BY_ARGUMENTS:
            found[place] = change(token, TokenType.VAR, _BY_ARGUMENTS[name, arguments])
        elif name == "SUBSTRING":
            found = _put_commas(found, place)
        elif name == "MODE":
            found = _put_inside(found, place)
    return found


_TYPES_AS_FUNCTIONS = frozenset({TokenType.DATE, TokenType.TIMESTAMPNTZ})
_FUNCTIONS_OF_TYPES = frozenset({"DATE", "DATETIME", "TIMESTAMP"})
_MOMENT_TYPES = frozenset({"DATETIME2", "SMALLDATETIME"})
_TEXT_TYPES = frozenset({TokenType.VARCHAR, TokenType.CHAR, TokenType.NVARCHAR, TokenType.TEXT})


def _simple_type(tokens: Sequence[RawToken], at: int) -> tuple[RawToken, int]:
    """A type as it is read, and the place after it: FLOAT64 is DOUBLE, and a text is no shorter as VARCHAR(10)."""
    token, before = tokens[at], tokens[at - 1].token_type
    if before not in {TokenType.ALIAS, TokenType.DCOLON}:
        return token, at + 1
    kinds = [other.token_type for other in tokens[at + 1 : at + 4]]
    named = before is TokenType.ALIAS and kinds[:1] != [TokenType.R_PAREN]  # x AS float64
    if token.text.upper() == "FLOAT64" and not named:
        return change(token, TokenType.DOUBLE, "DOUBLE"), at + 1
    if token.text.upper() in _MOMENT_TYPES and not named:
        return change(token, TokenType.TIMESTAMP, "TIMESTAMP"), at + 1
    length = [TokenType.L_PAREN, TokenType.NUMBER, TokenType.R_PAREN]
    return token, at + (4 if token.token_type in _TEXT_TYPES and kinds == length else 1)


def _ends_operand(token: RawToken) -> bool:
    """Whether an operand may end with a token: DIV after it is a sign, and elsewhere the name of a function."""
    kinds = {TokenType.VAR, TokenType.IDENTIFIER, TokenType.NUMBER, TokenType.STRING}
    return token.token_type in kinds | {TokenType.R_PAREN, TokenType.END}


def _take_element(tokens: list[RawToken], place: int, name: str) -> list[RawToken]:
    """One element of a list that a function makes, as the function that makes it alone.

    Elements are counted from 0 in OFFSET, and from 1 in ORDINAL and after STRING_SPLIT; of SPLIT(x, '@')[1] dialects
    differ, and it stays as it is.
    """
    arguments, closing = split_arguments(tokens, place + 2)
    bracket = closing + 1
    if len(arguments) != 2 or [each.text for each in tokens[bracket : bracket + 1]] != ["["]:
        return tokens
    end = next((i for i in range(bracket, len(tokens)) if tokens[i].text == "]"), len(tokens))
    inside = tokens[bracket + 1 : end]
    words = [each.text.upper().removeprefix("SAFE_") for each in inside]
    number = next((each for each in inside if each.token_type is TokenType.NUMBER), None)
    if number is None or not number.text.isdecimal() or len(number.text) > 3:
        return tokens
    counted = int(number.text)
    if words == ["OFFSET", "(", number.text, ")"]:
        counted += 1
    elif words != ["ORDINAL", "(", number.text, ")"] and not (
        words == [number.text] and name in _COUNTED_FROM_ONE
    ):
        return tokens
    comma = next(
        token for token in tokens[place + 2 : closing] if is_between_arguments(token, arguments)
    )
    head, opened = tokens[place], tokens[place + 1]
    if name == "APPROX_QUANTILES":
        parts = arguments[1][0].text if len(arguments[1]) == 1 else ""
        if not parts.isdecimal() or not 0 < counted - 1 < int(parts) < 10_000:
            return tokens
        rank = change(number, TokenType.NUMBER, f"{(counted - 1) / int(parts):.12g}")
        made = [change(head, TokenType.VAR, "QUANTILE_CONT"), opened, *arguments[0], comma, rank]
    else:
        which = change(number, TokenType.NUMBER, str(counted))
        again = change(tokens[bracket], TokenType.COMMA, ",")
        head = change(head, TokenType.VAR, "SPLIT_PART")
        made = [head, opened, *arguments[0], comma, *arguments[1], again, which]
    return [*tokens[:place], *made, tokens[closing], *tokens[end + 1 :]]


def _put_commas(tokens: list[RawToken], place: int) -> list[RawToken]:
    """SUBSTRING with commas in place of FROM and FOR, in this order and each once."""
    arguments, closing = split_arguments(tokens, place + 2)
    if len(arguments) != 1:
        return tokens
    words, depth = [], 0
    for at in range(place + 2, closing):
        depth += {TokenType.L_PAREN: 1, TokenType.R_PAREN: -1}.get(tokens[at].token_type, 0)
        if depth == 0 and tokens[at].text.upper() in {"FROM", "FOR"}:
            words.append(at)
    if [tokens[at].text.upper() for at in words] not in (["FROM"], ["FROM", "FOR"]):
        return tokens
    return [
        change(token, TokenType.COMMA, ",") if at in words else token
        for at, token in enumerate(tokens)
    ]


def _put_inside(tokens: list[RawToken], place: int) -> list[RawToken]:
    """MODE(x) for MODE() WITHIN GROUP (ORDER BY x); the order of one value is none."""
    words = [token.text.upper() for token in tokens[place + 1 : place + 7]]
    if words != ["(", ")", "WITHIN", "GROUP", "(", "ORDER BY"]:
        return tokens
    arguments, closing = split_arguments(tokens, place + 7)
    if len(arguments) != 1 or closing == len(tokens):
        return tokens
    return [*tokens[: place + 2], *arguments[0], *tokens[closing:]]
