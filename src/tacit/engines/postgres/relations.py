"""Where a declared table is in a PostgreSQL database: the part of a WITH clause that reads its columns.

Checked by: tests/unit/engines/postgres/test_engine.py
"""

# ruff: noqa: S608 -- this is the SQL generator: every name goes through `quote_name`, or is one of ours

from collections.abc import Mapping
from typing import NoReturn

from tacit.engines.postgres.catalog import StoredColumn
from tacit.engines.postgres.dialect import POSTGRES
from tacit.engines.sources.foreign_keys import Linked, Owners, Raw, check_key, owner, owners
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.engines.sql.casts import check_type, key_type
from tacit.engines.sql.duckdb_dialect import quote_name
from tacit.engines.sql.relation import Relation
from tacit.engines.sql.select import alias, cte
from tacit.errors import InvalidData
from tacit.frozen import frozen
from tacit.plan import Table

__all__ = ["ReadTable", "database_of", "read_table", "refuse_mixed", "tables_read"]

_UNITS = {"BIGINT", "VARCHAR", "DATE"}

Columns = Mapping[PostgresTable, Mapping[str, StoredColumn]]
"""Every table that is read, and its columns."""


@frozen
class ReadTable:
    """A relation, and the common table expressions that read it: as they are, and without a row."""

    relation: Relation
    ctes: tuple[str, ...]
    empty: tuple[str, ...]


def tables_read(source: PostgresTable | Linked) -> list[PostgresTable]:
    """The tables of the database that a source reads, its own first.

    >>> tables_read(PostgresTable("postgresql://host/clinic", "public", "visits"))[0].called
    'public.visits'
    """
    if isinstance(source, PostgresTable):
        return [source]
    found = [source.source, *(step.source for step in source.steps)]
    tables = [each for each in found if isinstance(each, PostgresTable)]
    if len(tables) < len(found):
        refuse_mixed()
    return tables


def database_of(sources: list[PostgresTable | Linked]) -> str:
    """The address of the one database in which all tables are."""
    addresses = {table.address for source in sources for table in tables_read(source)}
    if len(addresses) > 1:
        refuse_mixed()
    return addresses.pop()


def refuse_mixed() -> NoReturn:
    """Refuse tables that no engine can read together."""
    raise InvalidData(
        "these tables are in different databases, or only some of them are in one; ask about them "
        "separately, or copy them into one database"
    )


def read_table(
    place: int, table: Table, source: PostgresTable | Linked, columns: Columns
) -> ReadTable:
    """A declared table, read from its database; its types are checked, and no row is looked at.

    Claim:      a question reads the declared columns, those that lead to its units, and no other.
    Because:    they alone are named, so that a role needs no right to read more.
    Checked by: tests/unit/engines/postgres/test_engine.py::test_a_role_needs_the_declared_columns_alone
    """
    own = tables_read(source)[0]
    cells, found = [], {}
    for j, column in enumerate(table.columns):
        stored = _stored(own, column.name, columns)
        check_type(stored.stored or stored.declared, column, table)
        name = alias(f"c{j}", column.name)
        cells.append(f"{_raw(stored, 't').sql} AS {name}")
        found[column.name] = (name, stored.stored or "")
    name, joins, unit = alias(f"t{place}", table.name), "", None
    parts: list[tuple[str, str]] = []
    if isinstance(source, Linked):
        owned, parts = _owners(place, table, source, columns)
        first = _raw(_stored(own, source.steps[0].column, columns), "t")
        check_key(first.stored, source.steps[0].column, table.name)
        joins, unit = f" {owner(first, owned)}", ("unit", owned.unit)
        cells.append("o.who AS unit")
    elif table.unit is not None:
        raw = _unit(_raw(_stored(own, table.unit, columns), "t"), table)
        cells.append(f"{raw.sql} AS unit")
        unit = ("unit", raw.stored)
    listed = ", ".join(cells) or "1 AS nothing"
    parts.append((name, f"SELECT {listed} FROM {_scan(own)} AS t{joins}"))
    whole = tuple(cte(each, select, materialized=False) for each, select in parts)
    empty = tuple(_empty(each, select) for each, select in parts)
    return ReadTable(Relation(name, found, unit, dialect=POSTGRES), whole, empty)


def _empty(name: str, select: str) -> str:
    """The same without a row, whatever it reads: the planner sees that nothing is read."""
    return cte(name, f"SELECT * FROM ({select}) AS whole WHERE FALSE", materialized=False)


def _scan(source: PostgresTable) -> str:
    return f"{quote_name(source.schema)}.{quote_name(source.table)}"


def _stored(source: PostgresTable, name: str, columns: Columns) -> StoredColumn:
    known = columns[source]
    if name not in known:
        raise InvalidData(
            f"the table {source.called!r} has no column {name!r} any more; run `tacit check`"
        )
    return known[name]


def _raw(column: StoredColumn, side: str) -> Raw:
    """A column as the statements read it."""
    written = f"{side}.{quote_name(column.name)}"
    return Raw(column.cast.replace("{}", written), column.stored or column.declared)


def _unit(raw: Raw, table: Table) -> Raw:
    if raw.stored not in _UNITS:
        raise InvalidData(
            f"the unit {table.unit!r} of table {table.name!r} is not stored as an integer, a text, "
            "a uuid or a date; use such a column"
        )
    return raw


def _owners(
    place: int, table: Table, source: Linked, columns: Columns
) -> tuple[Owners, list[tuple[str, str]]]:
    """The expressions that find the owner of every key, from the last step to the first."""
    after: Owners | None = None
    parts: list[tuple[str, str]] = []
    for number, (step, end) in reversed(list(enumerate(source.ends()))):
        assert isinstance(step.source, PostgresTable), "tables_read has refused all others"
        key, last = (_raw(_stored(step.source, each, columns), "s") for each in (step.key, end))
        check_key(key.stored, step.key, table.name)
        if after is None:
            _unit(last, table)
        else:
            check_key(last.stored, end, table.name)
        name = f"owners_{place}_{number}"
        parts.append((name, owners(f"{_scan(step.source)} AS s", key, last, after)))
        after = Owners(
            name, key_type(key.stored) or "", last.stored if after is None else after.unit
        )
    assert after is not None, "there is a step"
    return after, parts
