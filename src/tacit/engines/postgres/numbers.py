"""Calculations with doubles in PostgreSQL, which raises where a result would underflow or is out of range.

Claim:      every result is that of IEEE 754, but for the sign of zero, which nothing shows; and nothing raises on
            finite operands whose result the plan has proved to be finite.
Because:    PostgreSQL raises where a product or quotient of numbers other than zero is zero; that is found before by
            the same calculation on operands that are scaled by powers of two, which is exact.
Checked by: tests/laws/test_engine_conformance.py::test_doubles_are_those_of_the_machine
"""

from __future__ import annotations

import re
from fractions import Fraction
from functools import cache

from tacit.engines.postgres.share_subexpression import write_once

__all__ = [
    "arithmetic",
    "double_literal",
    "integer_or_null",
    "parse_number",
    "scale_number",
    "within_int64",
]

_UP = 2.0**537
_KNOWN = re.compile(r"'([-+0-9.e]+)'::float8")


def double_literal(value: float) -> str:
    """A constant double.

    >>> double_literal(0.1), double_literal(2)
    ("'0.1'::float8", "'2.0'::float8")
    """
    return f"'{float(value)!r}'::float8"


def arithmetic(sign: str, left: str, right: str) -> str:
    """A calculation of two doubles; a division by zero is NULL."""
    match sign:
        case "*":
            return _product(left, right)
        case "/":
            return _quotient(left, right)
        case "%":
            return _remainder(left, right)
        case _:
            return f"({left} {sign} {right})"


def scale_number(number: str, scale: float) -> str:
    """A double times a constant."""
    return _product(number, double_literal(scale))


def _constant(sql: str) -> float | None:
    found = _KNOWN.fullmatch(sql)
    return float(found[1]) if found else None


def _product(left: str, right: str) -> str:
    for one in (left, right):
        known = _constant(one)
        if known is not None and (abs(known) >= 1 or known == 0):
            return f"({left} * {right})"
    up = double_literal(_UP)

    def body(a: str, b: str) -> str:
        plain = f"(abs({a}) > 1e-140 AND abs({b}) > 1e-140) OR abs({a}) >= 1 OR abs({b}) >= 1"
        tiny = f"abs(({a} * {up}) * ({b} * {up})) <= 0.5"
        return f"CASE WHEN {plain} THEN {a} * {b} WHEN {tiny} THEN 0 ELSE {a} * {b} END"

    return write_once(left, lambda a: write_once(right, lambda b: body(a, b)))


def _quotient(left: str, right: str) -> str:
    known = _constant(right)
    if known is not None and 0 < abs(known) <= 1:
        return f"({left} / {right})"
    up = double_literal(_UP)

    def body(a: str, b: str) -> str:
        plain = f"abs({b}) <= 1 OR abs({a}) >= 1 OR (abs({a}) > 1e-140 AND abs({b}) < 1e140)"
        tiny = f"abs(({a} * {up}) / ({b} / {up})) <= 0.5"
        return (
            f"CASE WHEN {b} = 0 THEN NULL WHEN {plain} THEN {a} / {b} "
            f"WHEN {tiny} THEN 0 ELSE {a} / {b} END"
        )

    return write_once(left, lambda a: write_once(right, lambda b: body(a, b)))


def _remainder(left: str, right: str) -> str:
    """The remainder of doubles: both are whole multiples of a power of two, of which numeric finds the remainder.

    A double is m 2**e with a whole m, and numeric holds all of them in full.
    """

    def bits(x: str) -> str:
        return f"('x' || encode(float8send(abs({x})), 'hex'))::bit(64)::bigint"

    def exponent(x: str) -> str:  # of the last bit: 2**-1074 is the least
        return f"(greatest({bits(x)} >> 52, 1) - 1075)::integer"

    def mantissa(x: str) -> str:
        hidden = f"CASE WHEN {bits(x)} >> 52 > 0 THEN 4503599627370496 ELSE 0 END"
        return f"(({bits(x)} & 4503599627370495) + {hidden})::numeric"

    def body(a: str, b: str) -> str:
        low = f"least({exponent(a)}, {exponent(b)})"
        one, two = (f"{mantissa(x)} * (2::numeric ^ ({exponent(x)} - {low}))" for x in (a, b))
        # The remainder is a double: it is scaled in two steps, of which the first is exact and cannot underflow.
        back = write_once(
            f"mod({one}, {two})",
            lambda rest: (
                f"CASE WHEN {rest} = 0 THEN 0::float8 ELSE sign({a}) * "
                f"(({rest})::float8 * power(2::float8, {low} / 2)) * "
                f"power(2::float8, {low} - {low} / 2) END"
            ),
        )
        return f"CASE WHEN {b} = 0 THEN NULL WHEN abs({a}) < abs({b}) THEN {a} ELSE {back} END"

    return write_once(left, lambda a: write_once(right, lambda b: body(a, b)))


def within_int64(value: str) -> str:
    """A double to the nearest integer of 64 bits, halves to the even one; NULL beyond."""
    low, high = double_literal(-(2.0**63)), double_literal(2.0**63)
    return write_once(
        value, lambda x: f"CASE WHEN {x} >= {low} AND {x} < {high} THEN ({x})::bigint END"
    )


def integer_or_null(number: str) -> str:
    """What was calculated in numeric as an integer of 64 bits; NULL beyond, where the operator of bigint raises.

    Claim:      it raises on no number, and is the number itself if it has 64 bits.
    Because:    it is held between the two integers next to those of 64 bits by functions that are NULL of NULL, as
                `least` and `greatest` are not; then either of the two is NULL.
    Checked by: tests/unit/engines/postgres/test_dialect.py::test_integers_that_overflow_are_null

    >>> integer_or_null("n")
    'nullif(nullif(numeric_smaller(numeric_larger(n, -9223372036854775809), 9223372036854775808), -9223372036854775809), 9223372036854775808)::bigint'
    """  # noqa: E501 -- what is shown is one line
    low, high = -(1 << 63) - 1, 1 << 63
    held = f"numeric_smaller(numeric_larger({number}, {low}), {high})"
    return f"nullif(nullif({held}, {low}), {high})::bigint"


def parse_number(text: str) -> str:
    """A text that looks like a number, as the nearest double: what is nearest to zero is zero."""
    return f"CASE WHEN abs(({text})::numeric) <= {_tiny()} THEN 0::float8 ELSE ({text})::float8 END"


@cache
def _tiny() -> str:
    """2**-1075, cut off after 420 digits: what is not above is nearest to zero; no text that is read is as long."""
    value, exponent = Fraction(1, 1 << 1075), -324
    return f"{int(value * Fraction(10) ** (419 - exponent))}e{exponent - 419}"
