"""Columns, and how a text file is written, declared on the command line.

Checked by: tests/unit/cli/test_arguments.py
"""

from __future__ import annotations

import re
from datetime import date
from fractions import Fraction
from typing import Any

from tacit.cli.arguments import number
from tacit.errors import InvalidInput
from tacit.plan import Kind

__all__ = ["column_option", "format_option"]

_RANGE_BY_DASH = re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)-(-?[0-9]+(?:\.[0-9]+)?)")


def column_option(text: str) -> tuple[str, Any]:
    """The column that a `--column` option declares.

    >>> column_option("cost=0..5000")
    ('cost', (0, 5000))
    >>> column_option("ward=A,B")
    ('ward', ['A', 'B'])
    >>> column_option("age:integer=0..120")
    ('age', {'type': 'integer', 'low': 0, 'high': 120})
    >>> column_option("day:date=2025-01-01..2025-12-31")
    ('day', {'type': 'date', 'low': datetime.date(2025, 1, 1), 'high': datetime.date(2025, 12, 31)})
    """
    left, _, right = text.partition("=")
    name, _, kind = left.partition(":")
    spec: dict[str, Any] = {"type": kind} if kind else {}
    if not kind and right in {each.value for each in Kind}:
        raise InvalidInput(
            "--column", text, f"write a type as {name}:{right}, and public values as {name}=A,B"
        )
    if ".." in right:
        low, _, high = right.partition("..")
        bound = _moment if kind in (Kind.DATE.value, Kind.TIMESTAMP.value) else _number
        spec |= {"low": bound(low, name), "high": bound(high, name)}
    elif dashed := _RANGE_BY_DASH.fullmatch(right):
        low, high = dashed.groups()
        raise InvalidInput("--column", text, f"write a range with two dots: {left}={low}..{high}")
    elif right:
        values = right.split(",")
        spec["values"] = (
            [_number(value, name) for value in values] if kind in ("integer", "number") else values
        )
    if not kind and "low" in spec:
        return name, (spec["low"], spec["high"])
    if not kind and "values" in spec:
        return name, spec["values"]
    return name, spec or None


def format_option(text: str) -> tuple[str, str | list[str]]:
    """What a `--format` option says about how a text file is written.

    >>> format_option("separator=;"), format_option("nulls=NA,-")
    (('separator', ';'), ('nulls', ['NA', '-']))
    """
    name, _, value = text.partition("=")
    if name in ("true", "false", "nulls"):
        return name, value.split(",")
    return name, value


def _moment(text: str, column: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InvalidInput(
            f"--column {column}", text, f"write dates as {column}:date=2025-01-01..2025-12-31"
        ) from None


def _number(text: str, column: str) -> Fraction | int:
    ways = "write a range as cost=0..5000 or day:date=2025-01-01..2025-12-31, and integers as floor:integer=1,2,3"
    exact = number(text, f"--column {column}", ways)
    return exact.numerator if exact.denominator == 1 else exact
