"""Expressions as SQL for DuckDB, written by us: literals are quoted, and nothing that a row holds can raise."""

from typing import assert_never

from tacit.engines.sql.functions import caught, function_sql
from tacit.engines.sql.select import Reader
from tacit.plan import (
    BOOLEAN_WORDS,
    DATE_TEXT,
    INT64,
    INTEGER_TEXT,
    NEGATION,
    NUMBER_TEXT,
    TIMESTAMP_TEXT,
    Across,
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Compared,
    Either,
    Expression,
    Field,
    IsNull,
    KeyOf,
    Kind,
    Like,
    Literal,
    MeanOf,
    MeasureOf,
    MomentOf,
    Negated,
    Not,
    OneOf,
    Value,
    Wild,
    can_raise,
    constant,
    operand_kinds,
    tokens_of,
    type_of,
)

__all__ = [
    "type_name",
    "clamp_sql",
    "double",
    "literal",
    "parsed_text",
    "quote_name",
    "render",
    "text",
    "whole",
]

_NAMES = {
    Kind.BOOLEAN: "BOOLEAN",
    Kind.INTEGER: "BIGINT",
    Kind.NUMBER: "DOUBLE",
    Kind.TEXT: "VARCHAR",
    Kind.DATE: "DATE",
    Kind.TIMESTAMP: "TIMESTAMP",
}
_PATTERNS = {
    Kind.INTEGER: INTEGER_TEXT,
    Kind.NUMBER: NUMBER_TEXT,
    Kind.DATE: DATE_TEXT,
    Kind.TIMESTAMP: TIMESTAMP_TEXT,
}
_LONG_PATTERN = 16
"""A longer pattern of LIKE is a regular expression, which takes as long as the text and not as often as the pattern."""
_WILD = {Wild.ANY_TEXT: ".*", Wild.ANY_ONE: "."}


def type_name(kind: Kind) -> str:
    """What DuckDB calls the type of a kind."""
    return _NAMES[kind]


def quote_name(name: str) -> str:
    """An identifier in quotes.

    >>> print(quote_name('say "b" twice'))
    "say ""b"" twice"
    """
    return '"' + name.replace('"', '""') + '"'


def text(value: str) -> str:
    """A text in quotes.

    >>> text("it's")
    "'it''s'"
    """
    return "'" + value.replace("'", "''") + "'"


def whole(value: int) -> str:
    """An integer of 64 bits, where it meets one: alone it may be taken for one of 32."""
    return f"{value:d}" if value > -(1 << 63) else f"CAST({value:d} AS BIGINT)"


def double(value: float) -> str:
    """A double, by the shortest decimal that reads back as itself.

    >>> double(0.1), double(1e30)
    ('0.1e0', '1e+30')
    """
    shortest = repr(float(value))
    return shortest if "e" in shortest else f"{shortest}e0"


def literal(value: Value, kind: Kind) -> str:
    """A constant of the kind.

    >>> literal(1, Kind.DATE), literal(None, Kind.NUMBER)
    ("(DATE '1970-01-01' + CAST(1 AS INTEGER))", 'CAST(NULL AS DOUBLE)')
    """
    match kind:
        case _ if value is None:
            return f"CAST(NULL AS {type_name(kind)})"
        case Kind.BOOLEAN:
            return "TRUE" if value else "FALSE"
        case Kind.INTEGER:
            return f"CAST({int(value):d} AS BIGINT)"
        case Kind.NUMBER:
            return double(float(value))
        case Kind.TEXT:
            return text(str(value))
        case Kind.DATE:
            return f"(DATE '1970-01-01' + CAST({int(value):d} AS INTEGER))"
        case Kind.TIMESTAMP:
            return f"make_timestamp({int(value):d})"


def clamp_sql(value: str, kind: Kind, low: Value, high: Value) -> str:
    """A value moved onto the bounds that there are; NULL stays NULL, which GREATEST and LEAST would not grant."""
    cases = [
        f"WHEN {value} {sign} {bound} THEN {bound}"
        for sign, bound in ((">", _render_bound(high, kind)), ("<", _render_bound(low, kind)))
        if bound is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {value} END" if cases else value


def _render_bound(value: Value, kind: Kind) -> str | None:
    if value is None:
        return None
    return whole(value) if kind is Kind.INTEGER and isinstance(value, int) else literal(value, kind)


def parsed_text(value: str, kind: Kind) -> str:
    """A text read as a value of the kind: NULL unless it looks like one and is one.

    What does not match becomes the empty text, which is no value.
    """
    if kind is Kind.TEXT:
        return value
    if kind is Kind.BOOLEAN:
        words = " ".join(
            f"WHEN {text(word)} THEN {str(truth).upper()}" for word, truth in BOOLEAN_WORDS.items()
        )
        return f"CASE lower({value}) {words} END"
    return (
        f"TRY_CAST(regexp_extract({value}, {text(f'^({_PATTERNS[kind]})$')}) AS {type_name(kind)})"
    )


def render(expression: Expression, read: Reader) -> str:
    """The SQL of an expression, in parentheses where needed.

    Claim:      the SQL raises on no row and gives what `computed` gives in memory, bit for bit.
    Because:    twice over.  `type_of` has proved that no integer leaves 64 bits and no double becomes infinite; a
                division by zero is NULL by a setting that is locked; casts that could fail are TRY_CAST.  And whatever
                the table of partial cases says that DuckDB raises on stands within a TRY of its own.  No operand is
                written twice, or the text would grow as 2**depth.
    Checked by: tests/laws/test_partial.py and tests/laws/test_engines.py::test_memory_and_duckdb_agree
    """
    match expression:
        case Literal(value, kind):
            return _constant(constant(value, kind), kind, read)
        case Field(column):
            return read(column)
        case Arithmetic():
            return _arithmetic(expression, read)
        case Negated(operand):
            found = f"(- {render(operand, read)})"
            return caught(found) if can_raise(NEGATION, type_of(operand).kind) else found
        case Compared(operator, left, right):
            kind = _common(left, right)
            return f"({_as(left, kind, read)} {operator} {_as(right, kind, read)})"
        case Both(left, right):
            return f"({render(left, read)} AND {render(right, read)})"
        case Either(left, right):
            return f"({render(left, read)} OR {render(right, read)})"
        case Not(operand):
            return f"(NOT {render(operand, read)})"
        case IsNull(operand):
            return f"({render(operand, read)} IS NULL)"
        case OneOf(operand, options):
            kind = _common(operand, *options)
            listed = ", ".join(_as(option, kind, read) for option in options)
            return f"({_as(operand, kind, read)} IN ({listed}))" if options else "FALSE"
        case Like(operand, pattern):
            return _like(render(operand, read), pattern)
        case Case(branches, otherwise):
            kind = type_of(expression).kind
            cases = [
                f"WHEN {render(when, read)} THEN {_as(then, kind, read)}" for when, then in branches
            ]
            return f"CASE {' '.join(cases)} ELSE {_as(otherwise, kind, read)} END"
        case Cast(operand, kind):
            return _as(operand, kind, read)
        case Called(_, parts):
            # Some functions want a constant to be written out, and some writers leave it out.
            written = Reader(read.column)
            texts = [
                _as(part, kind, written if isinstance(part, Literal) else read)
                for part, kind in zip(parts, operand_kinds(expression), strict=True)
            ]
            return function_sql(expression, texts)
        case KeyOf() | MeasureOf() | MeanOf() | MomentOf() | Across():
            raise AssertionError("keys and measures exist only after release")
        case _:
            assert_never(expression)


def _constant(value: Value, kind: Kind, read: Reader) -> str:
    """A constant of the question: a parameter if it is a number and the statement has parameters."""
    parameter = None
    if kind is Kind.INTEGER and isinstance(value, int):
        parameter = read.add_parameter(value, type_name(kind))
    elif kind is Kind.NUMBER and isinstance(value, int | float):
        parameter = read.add_parameter(float(value), type_name(kind))
    return literal(value, kind) if parameter is None else parameter


def _arithmetic(expression: Arithmetic, read: Reader) -> str:
    kind = type_of(expression).kind
    left, right = _as(expression.left, kind, read), _as(expression.right, kind, read)
    match expression.operator:
        case "%" if kind is Kind.INTEGER and _may_be_minus_one(expression.right):
            # DuckDB fails on the remainder of the least integer of 64 bits by minus one, which is zero.
            return f"TRY_CAST((CAST({left} AS HUGEINT) % {right}) AS BIGINT)"
        case "%" if kind is Kind.INTEGER:
            return caught(f"({left} % {right})")  # should the divisor be minus one after all
        case "+" | "-" | "*" | "/" | "%" as operator:
            found = f"({left} {operator} {right})"
            return caught(found) if can_raise(operator, kind) else found
        case operator:
            raise AssertionError(operator)


def _may_be_minus_one(divisor: Expression) -> bool:
    return -1 in (type_of(divisor).range or INT64)


def _like(value: str, pattern: str) -> str:
    tokens = tokens_of(pattern)
    if tokens is None:
        return f"CASE WHEN {value} IS NOT NULL THEN FALSE END"
    if len(tokens) > _LONG_PATTERN:
        expression = "".join(
            _WILD[token] if isinstance(token, Wild) else _literal_sign(token) for token in tokens
        )
        return f"regexp_matches({value}, {text(f'(?s)^{expression}$')})"
    plain = "".join(
        token.value
        if isinstance(token, Wild)
        else f"\\{token}"
        if token in {"\\", "%", "_"}
        else token
        for token in tokens
    )
    return f"({value} LIKE {text(plain)} ESCAPE '\\')"


def _literal_sign(character: str) -> str:
    """A character as a regular expression that matches it and nothing else."""
    return f"\\{character}" if character.isascii() and not character.isalnum() else character


def _common(*expressions: Expression) -> Kind:
    """The kind in which values are compared: doubles if an integer meets a double; NULL is of every kind."""
    kinds = {type_of(each).kind for each in expressions if not _is_null(each)}
    return (
        kinds.pop() if len(kinds) == 1 else Kind.NUMBER if kinds else type_of(expressions[0]).kind
    )


def _is_null(expression: Expression) -> bool:
    return isinstance(expression, Literal) and expression.value is None


def _as(expression: Expression, kind: Kind, read: Reader) -> str:
    """An expression as a value of another kind."""
    if _is_null(expression):
        return literal(None, kind)
    since, value = type_of(expression).kind, render(expression, read)
    match since, kind:
        case _ if since is kind:
            return value
        case (Kind.TEXT, _):
            return parsed_text(value, kind)
        case (Kind.INTEGER, Kind.NUMBER) | (Kind.BOOLEAN, Kind.INTEGER) | (Kind.INTEGER, Kind.TEXT):
            return f"CAST({value} AS {type_name(kind)})"
        case (Kind.TIMESTAMP, Kind.DATE):
            return f"CAST({value} AS DATE)"
        case (Kind.NUMBER, Kind.INTEGER) | (Kind.DATE, Kind.TIMESTAMP):
            return f"TRY_CAST({value} AS {type_name(kind)})"
        case _:
            raise AssertionError((since, kind))
