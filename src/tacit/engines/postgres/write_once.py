"""A value that an expression reads several times, written once.

Checked by: tests/unit/engines/postgres/test_dialect.py
"""

# ruff: noqa: S608 -- this is the SQL generator: what is written was rendered before

from collections.abc import Callable
from zlib import crc32

__all__ = ["write_once"]

_SHORT = 80


def write_once(value: str, body: Callable[[str], str]) -> str:
    """The SQL of `body`, which reads a value several times: were it written as often, texts would grow as 2**depth.

    A long value is a column of a sub-query of one row, which OFFSET keeps from being inlined.

    >>> write_once("x", lambda x: f"{x} * {x}")
    'x * x'
    """
    if len(value) <= _SHORT:
        return body(value)
    name = f"once_{crc32(value.encode()):08x}"
    return f"(SELECT {body(f'{name}.x')} FROM (SELECT {value} AS x OFFSET 0) AS {name})"
