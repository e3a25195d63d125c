"""Tables that stay in a PostgreSQL database, named by an address without a password."""

from __future__ import annotations

import re
from collections.abc import Mapping
from urllib.parse import parse_qsl, quote, unquote, urlsplit

from tacit.errors import InvalidData
from tacit.frozen import frozen

__all__ = ["PostgresTable", "is_postgres_address", "postgres_table"]

_SCHEMES = ("postgresql", "postgres")
_PARAMETERS = frozenset(
    {"host", "sslmode", "sslrootcert", "sslcert", "sslkey", "sslcrl", "channel_binding"}
)
_FORM = "write it as postgresql://role@host:5432/database/schema.table"


@frozen
class PostgresTable:
    """A table or view of a PostgreSQL database, read anew for every question; its rows do not leave the server.

    `address` is the database, as a connection string without a password.
    """

    address: str
    schema: str
    table: str

    @property
    def called(self) -> str:
        """The table with its schema, for messages."""
        return f"{self.schema}.{self.table}"

    @property
    def name(self) -> str:
        """What the table is called alone."""
        return self.table


def is_postgres_address(given: str) -> bool:
    """Whether a text is the address of a table in PostgreSQL.

    >>> is_postgres_address("postgresql://host/clinic/public.visits"), is_postgres_address("visits.csv")
    (True, False)
    """
    return given.partition("://")[0].lower() in _SCHEMES and "://" in given


def postgres_table(given: str) -> PostgresTable:
    """The table at an address.

    Claim:      no password is in the source, nor in what is declared, recorded or shown of it.
    Because:    an address that holds one is refused, and so is every parameter that could hold one: psycopg finds it in
                the environment or in a password file when it connects.
    Checked by: tests/unit/engines/sources/test_postgres_tables.py

    >>> postgres_table("postgresql://ann@host:5433/clinic/public.visits")
    PostgresTable(address='postgresql://ann@host:5433/clinic', schema='public', table='visits')
    """
    try:
        parts = urlsplit(given)
        port = parts.port
    except ValueError:
        raise InvalidData(f"the address of the table cannot be read; {_FORM}") from None
    if parts.password is not None:
        raise InvalidData(
            "the address of the table contains a password; leave it out, and put it into the "
            "environment variable PGPASSWORD or the file ~/.pgpass"
        )
    path = [unquote(part) for part in parts.path.split("/") if part]
    schema, point, table = path[1].partition(".") if len(path) == 2 else ("", "", "")
    if not (schema and point and table) or "\0" in parts.path or parts.fragment:
        raise InvalidData(f"the address names no table; {_FORM}")
    where = "" if parts.hostname is None else parts.hostname
    if ":" in where:
        where = f"[{where}]"
    who = "" if parts.username is None else f"{parts.username}@"
    options = _parameters(parts.query)
    address = f"postgresql://{who}{where}{'' if port is None else f':{port}'}/{quote(path[0])}"
    query = "&".join(f"{name}={quote(value, safe='')}" for name, value in options.items())
    return PostgresTable(f"{address}{'?' if query else ''}{query}", schema, table)


def _parameters(query: str) -> Mapping[str, str]:
    found = dict(parse_qsl(query, keep_blank_values=True))
    odd = [name for name in found if name not in _PARAMETERS]
    if odd:
        name = odd[0] if re.fullmatch("[a-z_]{1,30}", odd[0]) else "one"
        raise InvalidData(
            f"the address of the table has the parameter {name!r}; it may have "
            f"{', '.join(sorted(_PARAMETERS))}"
        )
    return found
