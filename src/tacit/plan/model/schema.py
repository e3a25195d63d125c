"""What is public about a table: its columns, their kinds, ranges and values, and who owns a row.

Checked by: tests/unit/plan/model/test_serialize.py
"""

from __future__ import annotations

from dataclasses import field
from datetime import date, datetime
from enum import Enum
from fractions import Fraction

from tacit.frozen import frozen

__all__ = ["OTHER", "Column", "KeyValue", "Kind", "PublicRows", "Scalar", "Table"]

Scalar = bool | int | Fraction | str | date | datetime
"""A public value: a bound, a declared key or a literal.  Numbers with a point are Fractions, never floats."""

KeyValue = Scalar | None
"""What a group may be named by: a public value, or NULL."""

OTHER = "other"
"""The key of all rows whose text is not declared, of a column that has `other`."""


class Kind(Enum):
    """What a column or an expression holds."""

    BOOLEAN = "boolean"
    INTEGER = "integer"
    NUMBER = "number"
    TEXT = "text"
    DATE = "date"
    TIMESTAMP = "timestamp"

    __hash__ = object.__hash__  # kinds are looked up in sets many times a question


@frozen
class Column:
    """One column, as the curator declares it; nothing here is read from the data.

    `low` and `high` bound it (values beyond are moved onto the bounds when the column is read); `values` lists its
    public keys (a row with another value, or none, belongs to no group).  A bound or list that is missing is asked for
    only by the question that needs it.  A row with NULL or NaN in a column that has `nullable=False` is left out.
    `other=True` gives the rows without a declared value, of a column of texts, a group of their own; `null_group=True`
    gives one to the rows in which the column is NULL.
    """

    name: str
    kind: Kind
    low: Scalar | None = None
    high: Scalar | None = None
    values: tuple[Scalar, ...] | None = None
    nullable: bool = True
    other: bool = False
    null_group: bool = False


@frozen(eq=False)
class PublicRows:
    """The rows of a public table, each with the cells of all its columns in their order."""

    rows: tuple[tuple[KeyValue, ...], ...]


@frozen
class Table:
    """One table, as the curator declares it.

    `unit` names the column whose equal values belong together; None means that every row is a unit.  `rows` is the
    declared most that the table can ever hold: sums are proved to fit from it.

    A `public` table protects nobody and may be joined to the others; `unique` lists those of its columns that hold no
    value twice.  `contributions` is how many rows of a unit count in full, where what a unit's rows add up to is asked;
    `references` are its foreign keys: a column, another private table, and a column of that which holds no value twice.
    `listed` are the rows of a public table where they are few: they say which groups can have rows, and are no part of
    what a question is called.
    """

    name: str
    columns: tuple[Column, ...]
    unit: str | None = None
    rows: int = (1 << 40) - 1
    public: bool = False
    unique: tuple[str, ...] = ()
    contributions: int | None = None
    references: tuple[tuple[str, str, str], ...] = ()
    listed: PublicRows | None = field(default=None, compare=False, repr=False)
