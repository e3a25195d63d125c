"""A column, declared on the command line."""

from fractions import Fraction
from typing import Any

import typer

__all__ = ["column_option"]


def column_option(text: str) -> tuple[str, Any]:
    """The column that a `--column` option declares.

    >>> column_option("cost=0..5000")
    ('cost', (0, 5000))
    >>> column_option("ward=A,B")
    ('ward', ['A', 'B'])
    >>> column_option("age:integer=0..120")
    ('age', {'type': 'integer', 'low': 0, 'high': 120})
    """
    left, _, right = text.partition("=")
    name, _, kind = left.partition(":")
    spec: dict[str, Any] = {"type": kind} if kind else {}
    if ".." in right:
        low, _, high = right.partition("..")
        spec |= {"low": _number(low), "high": _number(high)}
    elif right:
        values = right.split(",")
        spec["values"] = [_number(value) for value in values] if kind in ("integer", "number") else values
    if not kind and "low" in spec:
        return name, (spec["low"], spec["high"])
    if not kind and "values" in spec:
        return name, spec["values"]
    return name, spec or None


def _number(text: str) -> Fraction | int:
    try:
        exact = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        raise typer.BadParameter(f"{text!r} is not a number; write a range as cost=0..5000") from None
    return exact.numerator if exact.denominator == 1 else exact
