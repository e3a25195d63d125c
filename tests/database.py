"""Tables of the throw-away PostgreSQL, filled with rows as every engine can hold them."""

import os
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from itertools import count
from typing import Any
from unittest.mock import patch

import psycopg

from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.plan import Kind, Table, plain
from tests.postgres import PASSWORD, ROLE, fresh_name, running

TYPES = {
    Kind.BOOLEAN: "boolean",
    Kind.INTEGER: "bigint",
    Kind.NUMBER: "float8",
    Kind.TEXT: "text",
    Kind.DATE: "date",
    Kind.TIMESTAMP: "timestamp",
}
SCHEMA = "kept"
_numbers = count()


def address(role: str = ROLE) -> str:
    """The database of this process, without a password."""
    return f"postgresql://{role}@127.0.0.1:{running().port}/postgres"


def knows_password() -> Any:
    """A while in which the environment holds the password, as that of a curator does."""
    return patch.dict(os.environ, {"PGPASSWORD": PASSWORD})


def storable(rows: Iterable[Mapping[str, Any]], table: Table) -> list[dict[str, Any]]:
    """Rows as a column of their type holds them: integers of 64 bits, texts without NUL."""
    kinds = {column.name: column.kind for column in table.columns}
    return [{name: _cell(raw, kinds.get(name)) for name, raw in row.items()} for row in rows]


def _cell(raw: Any, kind: Kind | None) -> Any:
    if isinstance(raw, str):
        return raw.replace("\0", "")
    if kind not in {Kind.INTEGER, Kind.NUMBER} or raw is None:
        return raw
    return plain(raw, kind)


def store(rows: Mapping[Table, Iterable[Mapping[str, Any]]]) -> dict[Table, PostgresTable]:
    """Tables with these rows; those that were there stay until the server goes."""
    found = {}
    with psycopg.connect(running().address(), autocommit=True) as connection:
        connection.execute(f"CREATE SCHEMA IF NOT EXISTS {SCHEMA}")
        for table, listed in rows.items():
            name = f"{table.name}_{next(_numbers)}"
            columns = {column.name: TYPES[column.kind] for column in table.columns}
            if table.unit is not None:
                columns.setdefault(table.unit, "text")
            quoted = {each: '"' + each.replace('"', '""') + '"' for each in columns}
            listing = ", ".join(f"{quoted[each]} {kind}" for each, kind in columns.items())
            connection.execute(f'CREATE TABLE {SCHEMA}."{name}" ({listing})'.encode())
            copy = f'COPY {SCHEMA}."{name}" ({", ".join(quoted.values())}) FROM STDIN'
            with connection.cursor().copy(copy.encode()) as lines:
                for row in listed:
                    lines.write_row([_written(row.get(each)) for each in columns])
            found[table] = PostgresTable(address(), SCHEMA, name)
    return found


def _written(cell: Any) -> Any:
    """A moment without its zone, which is UTC."""
    if isinstance(cell, datetime) and cell.tzinfo is not None:
        return cell.astimezone(UTC).replace(tzinfo=None)
    return cell


def new_role() -> str:
    """A role that may connect with the same password, and nothing else."""
    name = fresh_name("reader")
    running().execute(f"CREATE ROLE {name} LOGIN PASSWORD '{PASSWORD}'")
    return name


def as_role(source: PostgresTable, role: str) -> PostgresTable:
    """A table as another role is to read it."""
    return PostgresTable(address(role), source.schema, source.table)


def quoted(source: PostgresTable) -> str:
    """A table in a statement."""
    return f'{source.schema}."{source.table}"'
