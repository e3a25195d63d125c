"""Statements that ran before with other numbers: DuckDB keeps them ready, and is told the numbers alone."""

import re
from collections.abc import Callable

import duckdb

__all__ = ["Shapes", "shape_of"]

# What is quoted is passed over, whatever it says.
_NUMBERS = re.compile(
    r"""'(?:[^']|'')*'|"(?:[^"]|"")*"|CAST\((-?[0-9]+) AS BIGINT\)|(?<![\w.])([0-9]+(?:\.[0-9]+)?e[+-]?[0-9]+)\b"""
)
_MOST = 128


def shape_of(sql: str) -> tuple[str, tuple[str, ...]]:
    """A statement without its integers of 64 bits and its doubles, and these.

    >>> shape_of('SELECT "0.5e0" < CAST(7 AS BIGINT), -0.5e0')
    ('SELECT "0.5e0" < CAST($1 AS BIGINT), -CAST($2 AS DOUBLE)', ('CAST(7 AS BIGINT)', '0.5e0'))
    """
    numbers: list[str] = []

    def lifted(found: re.Match[str]) -> str:
        whole, double = found[1], found[2]
        if whole is None and double is None:
            return found[0]
        numbers.append(found[0])
        return f"CAST(${len(numbers)} AS {'DOUBLE' if whole is None else 'BIGINT'})"

    return _NUMBERS.sub(lifted, sql), tuple(numbers)


class Shapes:
    """The shapes of statements that one cursor has run, and those that it holds ready.

    Claim:      what is ready finds what its statement would find, and a shape that ran fails for no reason of the plan.
    Because:    a number enters as a value of its type, whatever it is: no name and no type depends on it.
    Checked by: tests/laws/test_shapes.py
    """

    def __init__(self) -> None:
        self._ready: dict[str, str | None] = {}

    def ran(self, sql: str) -> bool:
        """Whether the statement ran before, with these numbers or with others."""
        return shape_of(sql)[0] in self._ready

    def execute(
        self, cursor: duckdb.DuckDBPyConnection, sql: str, read: Callable[[str], duckdb.Statement]
    ) -> duckdb.DuckDBPyConnection:
        """Run a statement: the first time as it was `read`; its shape is made ready when it comes again."""
        shape, numbers = shape_of(sql)
        if shape not in self._ready:
            found = cursor.execute(read(sql))
            if len(self._ready) < _MOST:
                self._ready[shape] = None
            return found
        name = self._ready[shape] or f"p{list(self._ready).index(shape)}"
        if self._ready[shape] is None:
            try:
                cursor.execute(f"PREPARE {name} AS {shape}")
                self._ready[shape] = name
            except duckdb.InterruptException:
                raise
            except duckdb.Error:
                # of a function that wants a number to be written out: it is, below
                pass
        if self._ready[shape] is None:
            return cursor.execute(read(sql))
        return cursor.execute(
            f"EXECUTE {name}({', '.join(numbers)})" if numbers else f"EXECUTE {name}"
        )
