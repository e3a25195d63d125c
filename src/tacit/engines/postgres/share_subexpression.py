"""A value that an expression reads several times, written once.

Checked by: tests/unit/engines/postgres/test_dialect.py
"""

# ruff: noqa: S608 -- this is the SQL generator: what is written was rendered before

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

__all__ = ["write_once"]

_SHORT = 80
_DIGITS = 56  # as many as the 63 characters of a name leave room for


def write_once(value: str, body: Callable[[str], str]) -> str:
    """The SQL of `body`, which reads a value several times: were it written as often, texts would grow as 2**depth.

    A long value is a column of a sub-query of one row, which OFFSET keeps from being inlined.

    Claim:      what the body reads is this value, also where other values are written once inside of it.
    Because:    the name of the sub-query is a digest of the value in which nobody finds two values alike: another
                sub-query of this name holds the same value.
    Checked by: tests/unit/engines/postgres/test_dialect.py::test_no_value_hides_another_one

    >>> write_once("x", lambda x: f"{x} * {x}")
    'x * x'
    """
    if len(value) <= _SHORT:
        return body(value)
    name = f"once_{sha256(value.encode()).hexdigest()[:_DIGITS]}"
    return f"(SELECT {body(f'{name}.x')} FROM (SELECT {value} AS x OFFSET 0) AS {name})"
