"""Statements that ran before with other numbers: DuckDB keeps them prepared, and is given the numbers alone."""

from __future__ import annotations

from collections.abc import Callable

import duckdb

from tacit.engines.sql.expressions import literal
from tacit.engines.sql.select_with_parameters import Number, Select
from tacit.plan import Kind

__all__ = ["PreparedStatements"]

_MOST = 128


class PreparedStatements:
    """The statements that one cursor has run, and those that it holds prepared.

    Claim:      what is prepared finds what its statement would find, and a text that ran fails for no reason of the
                plan.
    Because:    a number enters as a value of its type, whatever it is: no name and no type depends on it.
    Checked by: tests/laws/test_prepared.py
    """

    def __init__(self) -> None:
        self._names: dict[str, str | None] = {}

    def has_run(self, select: Select) -> bool:
        """Whether the statement ran before, with these numbers or with others."""
        return select.sql in self._names

    def execute(
        self,
        cursor: duckdb.DuckDBPyConnection,
        select: Select,
        parse: Callable[[str], duckdb.Statement],
    ) -> duckdb.DuckDBPyConnection:
        """Run a statement: the first time as it is parsed; it is prepared when its text comes again."""
        if select.sql not in self._names:
            found = cursor.execute(parse(select.sql), select.parameters)
            if len(self._names) < _MOST:
                self._names[select.sql] = None
            return found
        name = self._names[select.sql]
        if name is None:
            name = f"p{list(self._names).index(select.sql)}"
            cursor.execute(f"PREPARE {name} AS {select.sql}")
            self._names[select.sql] = name
        given = ", ".join(f"n{i} := {_write_number(each)}" for i, each in enumerate(select.numbers))
        return cursor.execute(f"EXECUTE {name}({given})" if given else f"EXECUTE {name}")


def _write_number(number: Number) -> str:
    return literal(number, Kind.NUMBER if isinstance(number, float) else Kind.INTEGER)
