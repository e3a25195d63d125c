"""A column, declared on the command line."""

from fractions import Fraction
from typing import Any

from tacit.cli.given import number

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
        spec |= {"low": _number(low, name), "high": _number(high, name)}
    elif right:
        values = right.split(",")
        spec["values"] = [_number(value, name) for value in values] if kind in ("integer", "number") else values
    if not kind and "low" in spec:
        return name, (spec["low"], spec["high"])
    if not kind and "values" in spec:
        return name, spec["values"]
    return name, spec or None


def _number(text: str, column: str) -> Fraction | int:
    exact = number(text, f"--column {column}", "write a range as cost=0..5000, and integers as floor:integer=1,2,3")
    return exact.numerator if exact.denominator == 1 else exact
