"""Where the rows of a table, or of a question, are in a connection.

Checked by: tests/unit/engines/sql/test_statement.py
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import DUCKDB, quote_name
from tacit.engines.sql.read_stored_columns import read_cell
from tacit.engines.sql.select_with_parameters import Number, Reader
from tacit.frozen import frozen
from tacit.plan import Column

__all__ = ["CountedKeys", "Relation", "Rowset", "Strata"]


@frozen
class Strata:
    """The strata of a declared column: where each row says its stratum, and the table of what they have in common.

    That has a row for every `stratum`: its text, `cell`, and of its units `unit_rows`, how many rows each has, and
    `unit_squares`, the sum of squares of its numbers of rows by text.
    """

    of: str
    column: str
    table: str


@frozen
class CountedKeys:
    """The texts of a column whose values nobody declares, counted beforehand: where each row says its text's number.

    `table` has a row for every text: its `number` and the text, `cell`.  `pairs` has a row for every text that a unit
    has: `unit`, `number` and `pair_rows`, how many of the unit's rows have it; and of the whole unit `unit_keys`, how
    many different texts it has, and `unit_squares`, the sum of squares of its numbers of rows by text.  NULL is none.
    """

    of: str
    column: str
    table: str
    pairs: str


@frozen
class Relation:
    """A table or view of the connection: its name, and for each declared column where and as what it is stored."""

    name: str
    columns: Mapping[str, tuple[str, str]]
    unit: tuple[str, str] | None
    unit_rows: str | None = None
    """A column that says how many rows the row's unit has in the whole table, if there is one."""
    numbered: str | None = None
    """What numbers its units, if they are numbers that only one file knows."""
    names: str | None = None
    """A table of those numbers, each `unit` with a `name` that depends on no other unit: a number does."""
    strata: tuple[Strata, ...] = ()
    """By which columns its rows are divided into strata."""
    counted_keys: tuple[CountedKeys, ...] = ()
    """Whose texts were counted beforehand."""
    copied: bool = False
    """Whether its rows are in memory, and stay what they are."""
    dialect: SqlDialect = DUCKDB
    """How the engine that holds it writes SQL."""

    def reader(self, numbers: list[Number] | None = None) -> Reader:
        """How its columns are read; constant numbers are written out, or put into a list of parameters."""

        def read_column(column: Column, *, uncut: bool = False) -> str:
            name, stored = self.columns[column.name]
            return read_cell(quote_name(name), stored, column, self.dialect, uncut=uncut)

        return Reader(read_column, numbers, self.dialect, partial(read_column, uncut=True))


@frozen
class Rowset:
    """The rows that a question is about: a relation, and the common table expressions that make it if it is no table.

    `numbers` are those that the expressions refer to as parameters; None: all numbers are written out.
    """

    relation: Relation
    ctes: tuple[str, ...] = ()
    numbers: tuple[Number, ...] | None = None

    def reader(self) -> Reader:
        """How the columns are read in one statement, which goes on counting parameters where the expressions ended."""
        return self.relation.reader(None if self.numbers is None else list(self.numbers))
