"""What the catalogue of a PostgreSQL database says about a table: its columns, their types, and what a role may do.

Claim:      no value of the data is read: neither rows nor the statistics that the server keeps of them.
Because:    the statements below name pg_attribute, pg_class, pg_type and functions of rights, and no table of
            statistics; pg_stats of a column that a role may read shows values of it.
Checked by: tests/unit/engines/postgres/test_catalog.py
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tacit.engines.postgres.connection import Pool, Session, refusal_of
from tacit.engines.served.table_selects import StoredColumn
from tacit.engines.sources.postgres_tables import PostgresTable
from tacit.errors import InvalidData, TacitError

__all__ = ["excess_rights", "missing_rights", "read_columns", "table_columns"]

SECONDS = 3600.0
"""A statement is ended after an hour."""

_FORM = """
SELECT a.attname,
       CASE WHEN t.typtype = 'e' THEN 'enum'
            WHEN t.typtype = 'd' THEN format_type(t.typbasetype, t.typtypmod)
            ELSE format_type(a.atttypid, a.atttypmod) END
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
JOIN pg_type t ON t.oid = a.atttypid
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
ORDER BY a.attnum
"""
_RIGHTS = """
SELECT has_schema_privilege(n.oid, 'USAGE'),
       has_table_privilege(c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER'),
       pg_has_role(c.relowner, 'MEMBER'),
       c.relrowsecurity
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = %s AND c.relname = %s AND c.relkind IN ('r', 'p', 'v', 'm', 'f')
"""
_READABLE = """
SELECT a.attname
FROM pg_class c
JOIN pg_namespace n ON n.oid = c.relnamespace
JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
WHERE n.nspname = %s AND c.relname = %s AND has_column_privilege(c.oid, a.attnum, 'SELECT')
"""
_ROLE = """
SELECT rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication
FROM pg_roles WHERE rolname = current_user
"""
_POWERS = (
    "is a superuser",
    "may pass row-level security",
    "may create roles",
    "may create databases",
    "may replicate",
)


_TEXT = '(({})::text COLLATE "C")'
_PLAIN = {
    "smallint": ("BIGINT", "({})::bigint"),
    "integer": ("BIGINT", "({})::bigint"),
    "bigint": ("BIGINT", "{}"),
    "real": ("DOUBLE", "({})::float8"),
    "double precision": ("DOUBLE", "{}"),
    "boolean": ("BOOLEAN", "{}"),
    "text": ("VARCHAR", '({} COLLATE "C")'),
    "uuid": ("VARCHAR", _TEXT),
    "enum": ("VARCHAR", _TEXT),
    "citext": ("VARCHAR", _TEXT),
    "name": ("VARCHAR", _TEXT),
    "date": ("DATE", "{}"),
    "timestamp without time zone": ("TIMESTAMP", "{}"),
    "timestamp with time zone": ("TIMESTAMP", "({} AT TIME ZONE 'UTC')"),
}
_LARGE = "179769313486231580793" + "0" * 288  # halfway beyond the largest double
_TINY = "2.4703282292062328e-324"
_NUMERIC = (
    "CASE WHEN {} = 'NaN'::numeric THEN NULL "
    f"WHEN {{}} >= {_LARGE} THEN 'Infinity'::float8 WHEN {{}} <= -{_LARGE} THEN '-Infinity'::float8 "
    f"WHEN abs({{}}) < {_TINY} THEN 0::float8 ELSE ({{}})::float8 END"
)


# NaN is a numeric of every precision, and no integer
_WHOLE = "CASE WHEN {} <> 'NaN'::numeric THEN ({})::bigint END"


def _read_type(declared: str) -> tuple[str | None, str]:
    """The type as which a column is read, and how.

    >>> _read_type("numeric(12,0)"), _read_type("jsonb")[0]
    (('BIGINT', "CASE WHEN {} <> 'NaN'::numeric THEN ({})::bigint END"), None)
    """
    base = declared.partition("(")[0]
    if base in {"character varying", "character"}:
        return "VARCHAR", _TEXT
    if base in {"timestamp", "timestamp without time zone", "timestamp with time zone"} or (
        declared.startswith("timestamp(")
    ):
        return _PLAIN[
            "timestamp with time zone"
            if declared.endswith("with time zone")
            else "timestamp without time zone"
        ]
    if base == "numeric":
        digits, _, scale = declared.partition("(")[2].rstrip(")").partition(",")
        if digits and int(digits) <= 18 and scale in {"", "0"}:
            return "BIGINT", _WHOLE
        return "DOUBLE", _NUMERIC
    return _PLAIN.get(declared, (None, "{}"))


def table_columns(session: Session, source: PostgresTable) -> Mapping[str, StoredColumn]:
    """The columns of a table, in their order."""
    rows = session.connection.execute(_FORM, [source.schema, source.table]).fetchall()
    if not rows:
        raise InvalidData(
            f"the database has no table {source.called!r} that this role can see; check the name, "
            "and grant USAGE on the schema"
        )
    return {name: StoredColumn(name, declared, *_read_type(declared)) for name, declared in rows}


def read_columns(source: PostgresTable) -> Mapping[str, StoredColumn]:
    """The same on a connection of its own; whatever fails is said in a sentence of ours."""
    found: Mapping[str, StoredColumn] | None = None
    pool, failed = Pool(source.address, SECONDS), None
    try:
        with pool.session() as session:
            found = table_columns(session, source)
    except Exception as error:  # noqa: BLE001 -- whose text may quote anything
        failed = error if isinstance(error, TacitError) else refusal_of(error)
    finally:
        pool.close()
    if found is None:
        assert failed is not None
        raise failed
    return found


def missing_rights(session: Session, source: PostgresTable, columns: Sequence[str]) -> list[str]:
    """What a role may not do and has to: read the columns of the policy."""
    rows = session.connection.execute(_RIGHTS, [source.schema, source.table]).fetchall()
    if not rows or not rows[0][0]:
        return [f"it may not use the schema {source.schema!r}"]
    readable = {
        name for (name,) in session.connection.execute(_READABLE, [source.schema, source.table])
    }
    return [
        f"it may not read the column {name!r} of {source.called!r}"
        for name in columns
        if name not in readable
    ]


def excess_rights(session: Session, source: PostgresTable, columns: Sequence[str]) -> list[str]:
    """What a role may do and need not: to write, to own, to read other columns, to rule the server."""
    ((_, writes, owns, secured),) = session.connection.execute(
        _RIGHTS, [source.schema, source.table]
    ).fetchall()
    (powers,) = session.connection.execute(_ROLE).fetchall()
    readable = {
        name for (name,) in session.connection.execute(_READABLE, [source.schema, source.table])
    }
    found = [what for what, has in zip(_POWERS, powers, strict=True) if has]
    found += [f"owns {source.called!r}"] if owns else []
    found += [f"may write to {source.called!r}"] if writes and not owns else []
    others = sorted(readable - set(columns))
    found += [f"may read other columns of {source.called!r}: {', '.join(others)}"] if others else []
    if secured:
        found.append(
            f"is subject to row-level security on {source.called!r}: it answers about the rows "
            "that it may see"
        )
    return found
