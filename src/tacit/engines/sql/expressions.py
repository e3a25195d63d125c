"""Expressions as SQL, written by us: literals are quoted, and nothing that a row holds can raise."""

from __future__ import annotations

from typing import assert_never

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import double, literal, quote_name, text, type_name
from tacit.engines.sql.select_with_parameters import Reader
from tacit.plan import (
    INT64,
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
    SubqueryValue,
    Value,
    constant,
    operand_kinds,
    type_of,
)

__all__ = [
    "type_name",
    "clamp_sql",
    "double",
    "literal",
    "quote_name",
    "render",
    "text",
    "whole",
]


def whole(value: int) -> str:
    """An integer of 64 bits, where it meets one: alone it may be taken for one of 32."""
    return f"{value:d}" if value > -(1 << 63) else f"CAST({value:d} AS BIGINT)"


def clamp_sql(value: str, kind: Kind, low: Value, high: Value, dialect: SqlDialect) -> str:
    """A value moved onto the bounds that there are; NULL stays NULL, which GREATEST and LEAST would not grant."""
    cases = [
        f"WHEN {value} {sign} {bound} THEN {bound}"
        for sign, bound in (
            (">", _render_bound(high, kind, dialect)),
            ("<", _render_bound(low, kind, dialect)),
        )
        if bound is not None
    ]
    return f"CASE {' '.join(cases)} ELSE {value} END" if cases else value


def _render_bound(value: Value, kind: Kind, dialect: SqlDialect) -> str | None:
    if value is None:
        return None
    is_whole = kind is Kind.INTEGER and isinstance(value, int)
    return whole(value) if is_whole else dialect.literal(value, kind)  # type: ignore[arg-type]


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
            return read.dialect.negate(render(operand, read), type_of(operand).kind)
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
            return read.dialect.like(render(operand, read), pattern)
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
            written = Reader(read.column, None, read.dialect)
            texts = [
                _as(part, kind, written if isinstance(part, Literal) else read)
                for part, kind in zip(parts, operand_kinds(expression), strict=True)
            ]
            return read.dialect.call(expression, texts)
        case KeyOf() | MeasureOf() | MeanOf() | MomentOf() | Across():
            raise AssertionError("keys and measures exist only after release")
        case SubqueryValue(_, _, value):
            assert value is not None, "a subquery is answered before rows are looked at"
            return render(value, read)
        case _:
            assert_never(expression)


def _constant(value: Value, kind: Kind, read: Reader) -> str:
    """A constant of the question: a parameter if it is a number and the statement has parameters."""
    parameter = None
    if kind is Kind.INTEGER and isinstance(value, int):
        parameter = read.add_parameter(value, type_name(kind))
    elif kind is Kind.NUMBER and isinstance(value, int | float):
        parameter = read.add_parameter(float(value), type_name(kind))
    return read.dialect.literal(value, kind) if parameter is None else parameter


def _arithmetic(expression: Arithmetic, read: Reader) -> str:
    kind = type_of(expression).kind
    left, right = _as(expression.left, kind, read), _as(expression.right, kind, read)
    minus_one = kind is Kind.INTEGER and _may_be_minus_one(expression.right)
    return read.dialect.arithmetic(expression.operator, kind, left, right, minus_one=minus_one)


def _may_be_minus_one(divisor: Expression) -> bool:
    return -1 in (type_of(divisor).range or INT64)


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
        return read.dialect.literal(None, kind)
    since, value = type_of(expression).kind, render(expression, read)
    match since, kind:
        case _ if since is kind:
            return value
        case (Kind.TEXT, _):
            return read.dialect.parse(value, kind)
        case _:
            return read.dialect.convert(value, since, kind)
