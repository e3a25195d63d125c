"""A value that an expression reads several times, written once: the argument of a lambda.

Checked by: tests/unit/engines/spark/test_dialect.py
"""

from __future__ import annotations

from collections.abc import Callable
from hashlib import sha256

__all__ = ["write_once"]

_SHORT = 160


def write_once(value: str, body: Callable[[str], str]) -> str:
    """The SQL of `body`, which reads a value several times: were it written as often, texts would grow as 2**depth.

    Claim:      what the body reads is this value, also where other values are written once inside of it.
    Because:    the name of the argument is a digest of the value in which nobody finds two values alike.
    Checked by: tests/unit/engines/spark/test_dialect.py::test_no_value_hides_another_one

    >>> write_once("x", lambda x: f"{x} * {x}")
    'x * x'
    """
    if len(value) <= _SHORT:
        return body(value)
    name = f"once_{sha256(value.encode()).hexdigest()}"
    return f"element_at(transform(array({value}), {name} -> {body(name)}), 1)"
