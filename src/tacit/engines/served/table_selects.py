"""Where a declared table is on a server: the SELECT that reads its columns, and those that find the owners of its keys.

Checked by: tests/unit/engines/postgres/test_engine.py and tests/unit/engines/spark/test_engine.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name is quoted by its site, or is one of ours

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Generic, NoReturn, TypeVar

from tacit.engines.sources.path_to_unit import Linked, Owners, Raw, check_key, owner, owners
from tacit.engines.sql.dialect import SqlDialect
from tacit.engines.sql.names_of_stored_rows import Relation
from tacit.engines.sql.read_stored_columns import check_type, key_type
from tacit.engines.sql.select_with_parameters import alias
from tacit.errors import InvalidData
from tacit.frozen import frozen
from tacit.plan import Kind, Table

__all__ = ["SelectedTable", "Site", "StoredColumn", "address_of", "refuse_mixed", "select_table"]

_UNITS = {"BIGINT", "VARCHAR", "DATE"}


@frozen
class StoredColumn:
    """A column as it is stored: the type as which it is read, called as DuckDB calls it, and the SQL that reads it."""

    name: str
    declared: str
    stored: str | None
    """None where the type cannot be read."""
    cast: str
    """The SQL, in which {} stands for the column."""


Place = TypeVar("Place")


@frozen
class Site(Generic[Place]):
    """How one server's tables are named and read.

    `tables` are the tables that a source reads, its own first; `scan` is one of them after FROM; `read` is a column, by
    its name in a statement and perhaps the kind as which it is declared.
    """

    dialect: SqlDialect
    tables: Callable[[Place | Linked], list[Place]]
    scan: Callable[[Place], str]
    quote: Callable[[str], str]
    read: Callable[[str, StoredColumn, Kind | None], Raw]


@frozen
class SelectedTable:
    """A relation, and the named SELECTs that make it, of which the last is its own."""

    relation: Relation
    parts: tuple[tuple[str, str], ...]


def refuse_mixed() -> NoReturn:
    """Refuse tables that no engine can read together."""
    raise InvalidData(
        "these tables are in different databases, or only some of them are in one; ask about them "
        "separately, or copy them into one database"
    )


def address_of(addresses: set[str]) -> str:
    """The address of the one server on which all tables are.

    >>> address_of({"spark://host:15002"})
    'spark://host:15002'
    """
    if len(addresses) > 1:
        refuse_mixed()
    return next(iter(addresses))


def select_table(
    place: int,
    table: Table,
    source: Place | Linked,
    columns: Mapping[Place, Mapping[str, StoredColumn]],
    site: Site[Place],
) -> SelectedTable:
    """A declared table, read from its server; its types are checked, and no row is looked at.

    Claim:      a question reads the declared columns, those that lead to its units, and no other.
    Because:    they alone are named, so that a role needs no right to read more.
    Checked by: tests/unit/engines/postgres/test_engine.py::test_a_role_needs_the_declared_columns_alone
    """
    own = site.tables(source)[0]

    def raw(at: Place, column: str, side: str, kind: Kind | None = None) -> Raw:
        return site.read(f"{side}.{site.quote(column)}", _stored(at, column, columns), kind)

    cells, found = [], {}
    for j, column in enumerate(table.columns):
        stored = _stored(own, column.name, columns)
        check_type(stored.stored or stored.declared, column, table)
        cell, name = raw(own, column.name, "t", column.kind), alias(f"c{j}", column.name)
        cells.append(f"{cell.sql} AS {name}")
        found[column.name] = (name, cell.stored)
    name, joins, unit = alias(f"t{place}", table.name), "", None
    parts: list[tuple[str, str]] = []
    if isinstance(source, Linked):
        owned, parts = _owners(place, table, source, site, raw)
        first = raw(own, source.steps[0].column, "t")
        check_key(first.stored, source.steps[0].column, table.name)
        joins, unit = f" {owner(first, owned, site.dialect)}", ("unit", owned.unit)
        cells.append("o.who AS unit")
    elif table.unit is not None:
        who = _unit(raw(own, table.unit, "t"), table)
        cells.append(f"{who.sql} AS unit")
        unit = ("unit", who.stored)
    listed = ", ".join(cells) or "1 AS nothing"
    parts.append((name, f"SELECT {listed} FROM {site.scan(own)} AS t{joins}"))
    return SelectedTable(Relation(name, found, unit, dialect=site.dialect), tuple(parts))


def _stored(
    source: Place, name: str, columns: Mapping[Place, Mapping[str, StoredColumn]]
) -> StoredColumn:
    known = columns[source]
    if name not in known:
        called = getattr(source, "called", "")
        raise InvalidData(
            f"the table {called!r} has no column {name!r} any more; run `tacit check`"
        )
    return known[name]


def _unit(raw: Raw, table: Table) -> Raw:
    if raw.stored not in _UNITS:
        raise InvalidData(
            f"the unit {table.unit!r} of table {table.name!r} is not stored as an integer, a text, "
            "a uuid or a date; use such a column"
        )
    return raw


def _owners(
    place: int,
    table: Table,
    source: Linked,
    site: Site[Place],
    raw: Callable[[Place, str, str], Raw],
) -> tuple[Owners, list[tuple[str, str]]]:
    """The SELECTs that find the owner of every key, from the last step to the first."""
    after: Owners | None = None
    parts: list[tuple[str, str]] = []
    ways: Sequence[Place] = site.tables(source)[1:]
    steps = list(zip(ways, source.ends(), strict=True))
    for number, (at, (step, end)) in reversed(list(enumerate(steps))):
        key, last = (raw(at, each, "s") for each in (step.key, end))
        check_key(key.stored, step.key, table.name)
        if after is None:
            _unit(last, table)
        else:
            check_key(last.stored, end, table.name)
        name = f"owners_{place}_{number}"
        parts.append((name, owners(f"{site.scan(at)} AS s", key, last, after, site.dialect)))
        after = Owners(
            name, key_type(key.stored) or "", last.stored if after is None else after.unit
        )
    assert after is not None, "there is a step"
    return after, parts
