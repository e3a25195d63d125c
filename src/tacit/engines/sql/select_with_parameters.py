"""A SELECT as an engine runs it: text, the numbers that its parameters stand for, and rows whose columns have names."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.frozen import frozen
from tacit.plan import Column

__all__ = ["Fetched", "Number", "Reader", "Select", "alias", "cte"]

Number = int | float
"""An integer of 64 bits, or a double."""

_LONGEST_ALIAS = 24


@frozen
class Select:
    """The text of a SELECT, in which $n0, $n1, … stand for numbers.

    >>> Select("SELECT CAST($n0 AS BIGINT)", (7,)).parameters
    {'n0': 7}
    """

    sql: str
    numbers: tuple[Number, ...] = ()

    @property
    def parameters(self) -> Mapping[str, Number]:
        """The numbers by the names of their parameters."""
        return {f"n{place}": number for place, number in enumerate(self.numbers)}


@frozen
class Fetched:
    """The rows of a SELECT, and the names of its columns in their order."""

    names: tuple[str, ...] = ()
    rows: Sequence[tuple[Any, ...]] = ()

    def places(self) -> Mapping[str, int]:
        """Where each column is in a row."""
        return {name: place for place, name in enumerate(self.names)}


@frozen
class Reader:
    """How the expressions of one SELECT are written: what reads a column, where constant numbers go, in which dialect.

    Claim:      with a list of `numbers`, two questions that differ in their constant numbers alone have one text.
    Because:    an integer or a double of the question becomes a parameter whatever it is, and its type is written.
    Checked by: tests/laws/test_prepared.py
    """

    column: Callable[[Column], str]
    numbers: list[Number] | None = None
    dialect: SqlDialect = DUCKDB
    uncut: Callable[[Column], str] | None = None
    """What reads a column whose texts need not be cut, if something does."""

    def __call__(self, column: Column) -> str:
        """The SQL that reads a column of a row."""
        return self.column(column)

    def add_parameter(self, number: Number, type_name: str) -> str | None:
        """The parameter that stands for a number; None where numbers are written out.

        >>> numbers = [0.5]
        >>> Reader(str, numbers).add_parameter(7, "BIGINT"), numbers
        ('CAST($n1 AS BIGINT)', [0.5, 7])
        """
        if self.numbers is None:
            return None
        self.numbers.append(number)
        return f"CAST($n{len(self.numbers) - 1} AS {type_name})"


def cte(name: str, select: str, *, materialized: bool | None = None) -> str:
    """A common table expression; `materialized` says whether it is computed once, or wherever it is read.

    >>> cte("heavy_units", "SELECT unit FROM t", materialized=True)
    'heavy_units AS MATERIALIZED (SELECT unit FROM t)'
    """
    how = {None: "", True: "MATERIALIZED ", False: "NOT MATERIALIZED "}[materialized]
    return f"{name} AS {how}({select})"


def alias(prefix: str, name: str) -> str:
    """What a table or column is called in SQL: by its prefix, and for the reader by the letters of its name.

    >>> alias("c3", 'Größe (cm)"; --')
    'c3_gr_e_cm'
    """
    letters = "".join(
        character if character.isalnum() and character.isascii() else " " for character in name
    )
    return "_".join([prefix, *letters.lower().split()])[:_LONGEST_ALIAS]
