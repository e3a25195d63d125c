"""Rows whose unit stands in another table: a path of foreign keys leads to it."""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote_name`, or is one of ours

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from datetime import date
from decimal import Decimal
from numbers import Integral, Real
from typing import Any

from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.duckdb_dialect import DUCKDB
from tacit.engines.sql.read_stored_columns import key_type, read_unit
from tacit.errors import InvalidData
from tacit.frozen import frozen

__all__ = [
    "Linked",
    "Owners",
    "Raw",
    "Step",
    "check_key",
    "key_of",
    "least_owners",
    "linked_rows",
    "owner",
    "owners",
]


@frozen
class Step:
    """A foreign key: `column` holds a `key` of another source."""

    column: str
    source: object
    key: str


@frozen
class Linked:
    """A source, and the foreign keys that lead from each of its rows to the column that names its unit.

    Claim:      a row of the source is there once, with one unit or none; if keys are unique, adding or removing a unit
                with all its rows in all sources adds or removes rows of that unit alone.
    Because:    every key has at most one owner, the least of the units that its rows lead to, so that a left join with
                the owners multiplies nothing; and where a key is unique, its owner is the unit of that one row, which
                comes and goes with that unit.  A row that leads nowhere belongs to nobody and is left out.
    Checked by: tests/unit/engines/sources/test_path_to_unit.py

    The tables on the way are copied when the source is opened.

    >>> visits = [{"id": 7, "patient": "ann"}]
    >>> Linked([{"visit": 7, "dose": 2}], (Step("visit", visits, "id"),), "patient").path
    'visit.patient'
    """

    source: object
    steps: tuple[Step, ...]
    unit: str

    @property
    def path(self) -> str:
        """What the unit is called: the foreign keys and the column at their end."""
        return ".".join([*(step.column for step in self.steps), self.unit])

    def ends(self) -> Sequence[tuple[Step, str]]:
        """Every step with the column to which it leads in its source: the next foreign key, or the unit."""
        after = [step.column for step in self.steps[1:]] + [self.unit]
        return list(zip(self.steps, after, strict=True))


def key_of(raw: object) -> str | None:
    """A key as a text, as which keys are compared: 7 and "7" are one key; None leads nowhere.

    >>> key_of(7), key_of("7"), key_of("007"), key_of(None)
    ('7', '7', '007', None)
    """
    match raw:
        case bool():
            return str(raw).lower()
        case Integral() | str():
            return str(raw)
        case Real() if raw != raw:  # noqa: PLR0124 -- how pandas says that there is none
            return None
        case Real() if float(raw).is_integer():
            # as which pandas stores integers where one is missing
            return str(int(float(raw)))
        case Real() | Decimal() | date():
            raise InvalidData(
                "keys must be texts or integers; convert the columns of the reference"
            )
        case _:
            return None


def least_owners(
    pairs: Iterable[tuple[object, Hashable]], after: Mapping[str, Hashable] | None = None
) -> dict[str, Hashable]:
    """For every key the least of the units that its rows lead to; through the owners of the next keys, if any.

    >>> least_owners([(1, "bob"), (1, "ann"), (2, None)])
    {'1': 'ann'}
    """
    found: dict[str, Hashable] = {}
    for raw, end in pairs:
        key, unit = key_of(raw), (end if after is None else _owner_of(end, after))
        if key is not None and unit is not None:
            found[key] = unit if key not in found else min(found[key], unit, key=_order)
    return found


def linked_rows(
    rows: Iterable[Mapping[str, object]],
    links: Sequence[tuple[str, Iterable[tuple[object, object]]]],
    path: str,
    unit_of: Callable[[object], Any],
) -> list[Mapping[str, object]]:
    """The rows, each with its unit in the column `path`; a link is a column and what it leads to: keys and ends."""
    owned: dict[str, Hashable] | None = None
    for _, pairs in reversed(links):
        owned = least_owners(
            [(key, unit_of(end) if owned is None else end) for key, end in pairs], owned
        )
    first, who = links[0][0], owned or {}
    return [{**row, path: _owner_of(row.get(first), who)} for row in rows]


def _owner_of(raw: object, owned: Mapping[str, Hashable]) -> Hashable:
    key = key_of(raw)
    return None if key is None else owned.get(key)


def _order(unit: Any) -> tuple[str, Any]:
    """The order of units: as texts, numbers or dates are ordered; kinds that cannot be compared, by their names."""
    return ("" if isinstance(unit, int | float) else type(unit).__name__, unit)


@frozen
class Raw:
    """A column of a relation as it is stored: its SQL and its type."""

    sql: str
    stored: str


@frozen
class Owners:
    """A table of the connection with a row for every key: `k`, and its owner `who`; with their types."""

    name: str
    key: str
    unit: str
    numbered: str | None = None
    """What numbers the units, if they are numbers that only one file knows."""
    names: str | None = None
    """A table of those numbers, each with a name that depends on no other unit."""


def owners(
    scan: str, key: Raw, end: Raw, after: Owners | None, dialect: SqlDialect = DUCKDB
) -> str:
    """The SELECT that finds the owner of every key in a relation; through those of the next keys, if any.

    Claim:      it has one row for every key that leads to a unit, and gives what `least_owners` gives in memory.
    Because:    it is grouped by the key, and a cast of keys makes no two of them one.
    Checked by: tests/unit/engines/sources/test_path_to_unit.py::test_both_engines_see_the_same_links
    """
    found = f"CAST({key.sql} AS {_type(key_type(key.stored), dialect)})"
    if after is None:
        who = (
            f"CAST({end.sql} AS VARCHAR)"
            if end.stored.startswith("ENUM(")
            else read_unit(end.sql, end.stored, dialect)
        )
        rows = scan
    else:
        who, rows = "o.who", f"{scan} {owner(end, after, dialect)}"
    return (
        f"SELECT {found} AS k, min({who}) AS who FROM {rows} WHERE {key.sql} IS NOT NULL GROUP BY 1"
    )


def owner(key: Raw, found: Owners, dialect: SqlDialect = DUCKDB) -> str:
    """The join that brings the owner of each row's key as o.who; it neither drops nor multiplies a row."""
    alike = _type(found.key if key_type(key.stored) == found.key else "VARCHAR", dialect)
    return f"LEFT JOIN {found.name} AS o ON CAST({key.sql} AS {alike}) = CAST(o.k AS {alike})"


def _type(stored: str | None, dialect: SqlDialect) -> str:
    return dialect.type(stored or "VARCHAR")


def check_key(stored: str, column: str, table: str) -> None:
    """Refuse keys of a type that is not compared exactly."""
    if key_type(stored) is None:
        raise InvalidData(
            f"column {column!r} is a key of table {table!r} and stored as {stored}; store keys "
            "as integers or texts"
        )
