"""What is refused before SQL is parsed: too long, too deep, or with a word that no question of ours can hold.

Checked by: tests/unit/plan/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Collection, Sequence

from tacit.errors import InvalidPlan
from tacit.frozen import frozen

__all__ = [
    "DEEPEST",
    "MOST_BYTES",
    "MOST_TOKENS",
    "SILENT",
    "Token",
    "check_tokens",
    "decimal_parts",
    "interval_parts",
    "items",
    "kinds_of",
    "outermost",
]

MOST_BYTES = 20_000
"""The longest text that is read."""
MOST_TOKENS = 2_000
"""The most words and signs that are read."""
MOST_JOINS = 6
"""The most joins that may wait for their conditions."""
DEEPEST = 24
"""The deepest nesting that is read: sqlglot needs 25 frames of Python's 1,000 for each level."""


@frozen
class Token:
    """A word, a sign or a constant of a text, which stands at text[start:end]."""

    kind: str
    text: str
    start: int
    end: int


_OPERATORS = {
    "STAR",
    "PLUS",
    "DASH",
    "SLASH",
    "MOD",
    "EQ",
    "NEQ",
    "LT",
    "LTE",
    "GT",
    "GTE",
    "DCOLON",
    "DIV",
    "DPIPE",
}
_SIGNS = {"L_PAREN", "R_PAREN", "L_BRACKET", "R_BRACKET", "COMMA", "DOT"} | _OPERATORS
_CONSTANTS = {"STRING", "NUMBER"}
_HARMLESS = _SIGNS | _CONSTANTS | {"IDENTIFIER"}
_AFTER_NUMBERS = _SIGNS | {"SEMICOLON"}
_PARAMETERS = "?$:"
SILENT = {"L_PAREN", "R_PAREN", "SEMICOLON"}
"""What changes nothing where the parser takes it; every other token must have been read."""

_EACH_ROW = ("LATERAL subqueries are not supported", "JOIN ... ON the unit")
_PARTS = (
    "PARTITION is supported in OVER (PARTITION BY ...) only",
    "write OVER (PARTITION BY ...), or a condition in WHERE",
)
_SAMPLES = (
    "samples are not supported: the noise already protects all rows",
    "remove the sample",
)
_PATTERNS = (
    "this way to match text means different things in different dialects",
    "write REGEXP_MATCHES(x, '^a') for any part of a text, or REGEXP_FULL_MATCH(x, 'a.*') for the whole",
)
_PIVOTS = ("PIVOT is not supported", "write COUNT(*) FILTER (WHERE x = 1) for each column")
_QUANTIFIED = (
    "ALL, ANY and SOME are not supported",
    "remove ALL, or write the comparisons with AND and OR",
)
_CLOCK = (
    "the current time is not available: the same question must mean the same tomorrow",
    "write the date itself",
)
_LISTED_ROWS = (
    "VALUES is supported after JOIN only",
    "write JOIN (VALUES ('a', 1), ('b', 2)) AS v(name, grade) ON t.x = v.name",
)
_POWERS = ("^ and ** mean different things in different dialects", "write POWER(x, 2)")
_INTERVAL = (
    "this interval is not supported",
    (
        "write one number and one unit: INTERVAL 3 MONTH; to add a number of days, write day + x; "
        "a column called interval needs double quotes"
    ),
)
_TOP = (
    "TOP is supported at the beginning of one query, with a number",
    "write LIMIT 10 at the end of the whole query",
)
_FETCH = ("FETCH takes FIRST or NEXT", "write LIMIT 10")

_TAUGHT = {
    "LATERAL": _EACH_ROW,
    "VALUES": _LISTED_ROWS,
    "PARTITION": _PARTS,
    "TABLESAMPLE": _SAMPLES,
    "SAMPLE": _SAMPLES,
    "INTO": ("SELECT INTO is not supported", "leave INTO out"),
    "FOR": ("locking clauses are not supported", "leave FOR ... out"),
    "COLLATE": (
        "collations are not supported: text is compared by code point",
        "leave COLLATE out",
    ),
    "RLIKE": _PATTERNS,
    "REGEXP": _PATTERNS,
    "~": _PATTERNS,
    "~*": _PATTERNS,
    "ESCAPE": (
        "ESCAPE is not supported",
        "a backslash escapes the next character: LIKE '10\\%'",
    ),
    "FETCH": _FETCH,
    "TOP": _TOP,
    "PIVOT": _PIVOTS,
    "UNPIVOT": _PIVOTS,
    "ALL": _QUANTIFIED,
    "ANY": _QUANTIFIED,
    "SOME": _QUANTIFIED,
    "^": _POWERS,
    "**": _POWERS,
    "CURRENT_DATE": _CLOCK,
    "CURRENT_TIMESTAMP": _CLOCK,
    "CURRENT_TIME": _CLOCK,
}
_ALSO_NAMES = {"SAMPLE", "PARTITION", "VALUES"}
_SPELLED_OUT = {"IS", "NOT", "DISTINCT", "FROM"}  # in words what stands there as a sign: <=>
_STATEMENT = ("only SELECT is supported; data cannot be changed", "begin with SELECT")


def check_tokens(text: str, tokens: Sequence[Token], types: Collection[str]) -> None:
    """Refuse a text that is too long or too deep or holds what cannot be read.

    `types` are the kinds of tokens that name types: before a parenthesis they make sqlglot's time grow as 2**depth.
    """
    if len(tokens) > MOST_TOKENS:
        _refuse(
            text,
            tokens[MOST_TOKENS],
            f"the text has more than {MOST_TOKENS} tokens",
            "ask a shorter question",
        )
    if not tokens or tokens[0].kind not in {"SELECT", "WITH", "L_PAREN"}:
        first = tokens[0] if tokens else Token("", "", 0, len(text))
        _refuse(text, first, *_TAUGHT.get(first.text.upper(), _STATEMENT))
    _check_depth(text, tokens)
    _check_joins(text, tokens)
    for i, token in enumerate(tokens):
        before = tokens[i - 1] if i else token
        after = tokens[i + 1] if i + 1 < len(tokens) else Token("", "", len(text), len(text))
        if token.kind not in _HARMLESS:
            _check_word(text, tokens[max(0, i - 2) : i], token, after)
        elif token.kind == "L_BRACKET" and before.kind != "COMMA":
            _refuse(
                text,
                token,
                "'[' is not supported here",
                "write a name without brackets; a list is that of ranks only: QUANTILE(x, [0.25, 0.75])",
            )
        if token.kind == "INTERVAL" and not _interval(tokens, i):
            _refuse(text, token, *_INTERVAL)
        if after.kind == "L_PAREN" and token.kind in types and not _decimal(tokens, i):
            _refuse(
                text,
                token,
                f"{token.text} takes no arguments here",
                "write CAST(x AS BIGINT) or DOUBLE",
            )
        if (
            before.kind == "NUMBER"
            and before.end == token.start
            and token.kind not in _AFTER_NUMBERS
        ):
            _refuse(
                text,
                token,
                "a number runs into a name",
                "put a space between them, or write the number in full",
            )


_MOST_STRAYS = 4
"""How often LIMIT may stand in parentheses without a SELECT: at each the parser tries again what is inside."""


def _check_depth(text: str, tokens: Sequence[Token]) -> None:
    """Count parentheses, CASE and NOT, each of which the parser opens a level for; a minus only after a minus."""
    open_nots, selects = [0], [True]
    minuses = strays = 0
    for token in tokens:
        minuses = minuses + 1 if token.kind in {"DASH", "PLUS"} else 0
        match token.kind:
            case "L_PAREN" | "L_BRACKET" | "CASE":
                open_nots.append(0)
                selects.append(False)
            case "R_PAREN" | "R_BRACKET" | "END":
                open_nots, selects = open_nots[:-1] or [0], selects[:-1] or [True]
            case "SELECT":
                selects[-1] = True
            case "LIMIT" | "OFFSET":
                strays += not selects[-1]
                if strays > _MOST_STRAYS:
                    reason = f"{token.text} has to follow a SELECT"
                    _refuse(text, token, reason, "write SELECT ... LIMIT 10")
            case "NOT":
                open_nots[-1] += 1
            case "AND" | "OR" | "COMMA" | "WHEN" | "THEN" | "ELSE":
                open_nots[-1] = 0
        if len(open_nots) - 1 + sum(open_nots) + minuses > DEEPEST:
            _refuse(
                text,
                token,
                f"the query is nested more than {DEEPEST} levels deep",
                "ask a simpler question",
            )


def _check_joins(text: str, tokens: Sequence[Token]) -> None:
    """Refuse joins that wait for their conditions: the parser takes twice as long for each more."""
    waiting = 0
    for token in tokens:
        waiting = (
            waiting + 1
            if token.kind == "JOIN"
            else max(0, waiting - (token.kind in {"ON", "USING"}))
        )
        if waiting > MOST_JOINS:
            _refuse(
                text,
                token,
                f"more than {MOST_JOINS} joins have no condition yet",
                "write ON or USING after each JOIN",
            )


def _check_word(text: str, before: Sequence[Token], token: Token, after: Token) -> None:
    word = token.text.upper()
    if token.kind == "SEMICOLON":
        if after.kind:
            _refuse(text, after, "only one statement can be asked at a time", "ask them one by one")
    elif word == "ALL" and [other.kind for other in before[-1:]] in (
        ["UNION"],
        ["GROUP_BY"],
        ["ORDER_BY"],
    ):
        return
    elif word == "TOP" and not (
        [other.kind for other in before[-1:]] == ["SELECT"] and after.kind in {"NUMBER", "L_PAREN"}
    ):
        return  # a name: only SELECT TOP 3 and SELECT TOP (3) cut an answer
    elif _is_read_after(word, before, after):
        return
    elif word == "USING" and after.kind != "L_PAREN":
        _refuse(text, token, *_SAMPLES)
    elif word == "DISTINCT":
        _check_distinct(text, before, token)
    elif word in _TAUGHT:
        reason, remedy = _TAUGHT[word]
        _refuse(
            text,
            token,
            reason,
            remedy + ("; a name needs double quotes" if word in _ALSO_NAMES else ""),
        )
    elif (
        token.kind != "VAR"
        and token.text not in _SPELLED_OUT
        and (token.kind == "COLON" or text[token.start] not in _PARAMETERS)  # bound: a constant
        and not "".join(text[token.start : token.end].replace("_", "").split()).isalnum()
    ):
        _refuse(
            text,
            token,
            f"{token.text!r} is not supported",
            "use + - * / % = <> < <= > >=, AND, OR, NOT, CASE",
        )


def _is_read_after(word: str, before: Sequence[Token], after: Token) -> bool:
    """Whether a word is read where it stands, which is refused elsewhere: JOIN (VALUES …), FETCH FIRST."""
    if word in {"ANY", "ALL"}:
        return (
            before[-1:] != [] and before[-1].kind in {"LIKE", "ILIKE"} and after.kind == "L_PAREN"
        )
    if word == "VALUES":
        return [other.kind for other in before] == ["JOIN", "L_PAREN"]
    return word == "FETCH" and after.kind in {"FIRST", "NEXT"}


def _check_distinct(text: str, before: Sequence[Token], token: Token) -> None:
    words = [other.text.upper() for other in before[-2:]]
    if words not in (["COUNT", "("], ["IS", "NOT"]) and words[-1:] not in (["IS"], ["SELECT"]):
        reason = (
            "DISTINCT is supported only after SELECT, inside COUNT(DISTINCT ...) and in IS "
            "DISTINCT FROM"
        )
        _refuse(text, token, reason, "use GROUP BY instead")


_NO_TYPES = {"NULL", "INTERVAL", "UNION"}


def kinds_of(tokens: Sequence[Token], types: Collection[str]) -> list[str]:
    """What tokens count as: a word as itself, every name of a type as TYPE, all else by its kind."""
    kinds = []
    for token in tokens:
        kind = token.text.upper() if token.kind == "VAR" else token.kind
        # some are types to sqlglot, too
        named = kind is token.kind and kind in types and kind not in _NO_TYPES
        kinds.append("TYPE" if named else kind)
    return kinds


def _interval(tokens: Sequence[Token], place: int) -> int:
    """How many tokens after INTERVAL say how long it is: a number and a unit, together or apart; none if it is none."""
    after = [token.kind for token in tokens[place + 1 : place + 3]]
    if after in (["NUMBER", "VAR"], ["STRING", "VAR"]) and tokens[place + 2].text.isascii():
        alone = tokens[place + 1].kind == "STRING" and " " in tokens[place + 1].text.strip()
        return 1 if alone else 2
    return 1 if after[:1] == ["STRING"] else 0


def interval_parts(tokens: Sequence[Token]) -> set[int]:
    """Where the numbers and units of intervals stand; the parser does not say."""
    return {
        token.start
        for place, interval in enumerate(tokens)
        if interval.kind == "INTERVAL"
        for token in tokens[place + 1 : place + 1 + _interval(tokens, place)]
    }


def _decimal(tokens: Sequence[Token], place: int) -> int:
    """How many tokens after DECIMAL say how many digits it has: (10) or (10, 2); none if they are none."""
    after = [token.kind for token in tokens[place + 1 : place + 6]]
    if tokens[place].kind != "DECIMAL" or any(
        len(token.text) > 2 for token in tokens[place + 1 : place + 5]
    ):
        return 0
    if after[:3] == ["L_PAREN", "NUMBER", "R_PAREN"]:
        return 3
    return 5 if after == ["L_PAREN", "NUMBER", "COMMA", "NUMBER", "R_PAREN"] else 0


def decimal_parts(tokens: Sequence[Token]) -> set[int]:
    """Where the digits of types stand."""
    return {
        token.start
        for place, decimal in enumerate(tokens)
        if decimal.kind == "DECIMAL"
        for token in tokens[place + 1 : place + 1 + _decimal(tokens, place)]
        if token.kind in {"NUMBER", "COMMA"}
    }


def outermost(tokens: Sequence[Token]) -> Sequence[Token]:
    """The tokens from the SELECT of the whole question on, after what WITH names."""
    depth = 0
    for i, token in enumerate(tokens):
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.kind, 0)
        if depth == 0 and token.kind == "SELECT":
            return tokens[i:]
    return tokens


def items(tokens: Sequence[Token]) -> list[tuple[int, int]]:
    """Where the columns of a SELECT begin and end: what stands between its commas, up to FROM."""
    found, depth, begun = [], 0, 2 if [token.kind for token in tokens[1:2]] == ["DISTINCT"] else 1
    for i, token in enumerate(tokens):
        depth += {"L_PAREN": 1, "R_PAREN": -1}.get(token.kind, 0)
        # which is a comparison
        if token.kind == "FROM" and tokens[i - 1].kind == "DISTINCT" and i > 2:
            continue
        if depth == 0 and token.kind in {"COMMA", "FROM"} and i > begun:
            found.append((tokens[begun].start, tokens[i - 1].end))
        if depth == 0 and token.kind == "COMMA":
            begun = i + 1
        if depth == 0 and token.kind == "FROM":
            break
    return found


def _refuse(text: str, token: Token, reason: str, remedy: str) -> None:
    raise InvalidPlan(reason, remedy, text=text, start=token.start, end=token.end)
