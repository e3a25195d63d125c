"""The rows that a declared schema adds to PostgreSQL's own: its database, its schemas, tables, columns and comments.

Checked by: tests/unit/catalogue/test_database.py
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tacit.catalogue.schema import Schema, Table

__all__ = ["ANALYST", "DATABASE", "OWNER", "declared_rows"]

OWNER = 10
"""The oid of the role that owns everything; it is called tacit."""
ANALYST, DATABASE, FIRST = 16384, 16385, 16400
PG_CATALOG, PUBLIC, TACIT = 11, 2200, 16386
PG_CLASS, PG_NAMESPACE = 1259, 2615
COLLATED = {25, 1043, 1042}
BY_REFERENCE = {25: (-1, "i", "x"), 1043: (-1, "i", "x"), 1700: (-1, "i", "m"), 17: (-1, "i", "x")}
LENGTHS = {
    16: 1,
    21: 2,
    23: 4,
    20: 8,
    26: 4,
    700: 4,
    701: 8,
    1082: 4,
    1083: 8,
    1114: 8,
    1184: 8,
    1186: 16,
}
ALIGNMENT = {1: "c", 2: "s", 4: "i", 8: "d", 16: "d"}
# What every table of PostgreSQL has beside its own columns: number, name, type, length.
SYSTEM_COLUMNS = (
    (-1, "ctid", 27, 6, "s"),
    (-2, "xmin", 28, 4, "i"),
    (-3, "cmin", 29, 4, "i"),
    (-4, "xmax", 28, 4, "i"),
    (-5, "cmax", 29, 4, "i"),
    (-6, "tableoid", 26, 4, "i"),
)
READ = ["tacit=arwdDxt/tacit", "=r/tacit"]

Row = dict[str, Any]


def declared_rows(schema: Schema) -> Iterator[tuple[str, Row]]:
    """The rows that the schema adds, each with the relation it belongs to; columns that are left out keep a default."""
    yield "pg_database", _database(schema)
    yield "pg_authid", _analyst()
    if any(table.schema == "tacit" for table in schema.tables):
        acl = ["tacit=UC/tacit", "=U/tacit"]
        yield "pg_namespace", {"oid": TACIT, "nspname": "tacit", "nspowner": OWNER, "nspacl": acl}
        text = "what has been spent, and what was answered"
        yield "pg_description", _description(TACIT, PG_NAMESPACE, 0, text)
    for number, table in enumerate(schema.tables):
        yield from _table(FIRST + 3 * number, table)


def _database(schema: Schema) -> Row:
    return {
        "oid": DATABASE,
        "datname": schema.database,
        "datdba": OWNER,
        "encoding": 6,
        "datlocprovider": "c",
        "datistemplate": False,
        "datallowconn": True,
        "datconnlimit": -1,
        "datfrozenxid": 717,
        "datminmxid": 1,
        "dattablespace": 1663,
        "datcollate": "C.UTF-8",
        "datctype": "C.UTF-8",
    }


def _analyst() -> Row:
    """Who asks; the name is put in when they do."""
    may = {"rolsuper", "rolcreaterole", "rolcreatedb", "rolreplication", "rolbypassrls"}
    return {
        "oid": ANALYST,
        "rolname": "analyst",
        **dict.fromkeys(may, False),
        "rolinherit": True,
        "rolcanlogin": True,
        "rolconnlimit": -1,
    }


def _table(oid: int, table: Table) -> Iterator[tuple[str, Row]]:
    row_type, array_type = oid + 1, oid + 2
    namespace = {"public": PUBLIC, "tacit": TACIT}[table.schema]
    yield "pg_class", _class(oid, row_type, namespace, table)
    yield from (("pg_type", each) for each in _types(oid, namespace, row_type, array_type, table))
    for number, name, kind, length, align in SYSTEM_COLUMNS:
        system = _attribute(oid, number, name, kind, length, align, "p")
        yield "pg_attribute", system | {"attnotnull": True, "attbyval": number != -1}
    for number, column in enumerate(table.columns, 1):
        length = LENGTHS.get(column.oid, -1)
        align, storage = ALIGNMENT.get(length, "i"), "p"
        if length == -1:
            _, align, storage = BY_REFERENCE.get(column.oid, (-1, "i", "x"))
        made = _attribute(oid, number, column.name, column.oid, length, align, storage)
        collation = 100 if column.oid in COLLATED else 0
        said = {"atttypmod": column.modifier, "attcollation": collation}
        yield "pg_attribute", made | said | {"attnotnull": not column.nullable}
        if column.comment:
            yield "pg_description", _description(oid, PG_CLASS, number, column.comment)
    if table.comment:
        yield "pg_description", _description(oid, PG_CLASS, 0, table.comment)


def _class(oid: int, row_type: int, namespace: int, table: Table) -> Row:
    return {
        "oid": oid,
        "relname": table.name,
        "relnamespace": namespace,
        "reltype": row_type,
        "reloftype": 0,
        "relowner": OWNER,
        "relam": 2,
        "relfilenode": oid,
        "reltablespace": 0,
        # Facts about rows stay unsaid: no pages, and -1 rows as of a table that was never looked at.
        "relpages": 0,
        "reltuples": -1.0,
        "relallvisible": 0,
        "reltoastrelid": 0,
        "relhasindex": False,
        "relisshared": False,
        "relpersistence": "p",
        "relkind": "r",
        "relnatts": len(table.columns),
        "relchecks": 0,
        "relhasrules": False,
        "relhastriggers": False,
        "relhassubclass": False,
        "relrowsecurity": False,
        "relforcerowsecurity": False,
        "relispopulated": True,
        "relreplident": "d",
        "relispartition": False,
        "relrewrite": 0,
        "relfrozenxid": 717,
        "relminmxid": 1,
        "relacl": READ,
    }


def _types(oid: int, namespace: int, row: int, array: int, table: Table) -> Iterator[Row]:
    """The types of a table's rows and of arrays of them, which PostgreSQL makes with every table."""
    shared = {
        "typnamespace": namespace,
        "typowner": OWNER,
        "typlen": -1,
        "typbyval": False,
        "typispreferred": False,
        "typisdefined": True,
        "typdelim": ",",
        "typmodin": 0,
        "typmodout": 0,
        "typalign": "d",
        "typstorage": "x",
        "typnotnull": False,
        "typbasetype": 0,
        "typtypmod": -1,
        "typndims": 0,
        "typcollation": 0,
    }
    record = {"typinput": 2290, "typoutput": 2291, "typreceive": 2402, "typsend": 2403}
    listed = {"typinput": 750, "typoutput": 751, "typreceive": 2400, "typsend": 2401}
    yield (
        shared
        | record
        | {
            "oid": row,
            "typname": table.name,
            "typtype": "c",
            "typcategory": "C",
            "typrelid": oid,
            "typsubscript": 0,
            "typelem": 0,
            "typarray": array,
            "typanalyze": 0,
        }
    )
    yield (
        shared
        | listed
        | {
            "oid": array,
            "typname": "_" + table.name,
            "typtype": "b",
            "typcategory": "A",
            "typrelid": 0,
            "typsubscript": 6179,
            "typelem": row,
            "typarray": 0,
            "typanalyze": 3816,
        }
    )


def _attribute(
    relation: int, number: int, name: str, kind: int, length: int, align: str, storage: str
) -> Row:
    return {
        "attrelid": relation,
        "attname": name,
        "atttypid": kind,
        "attstattarget": 0 if number < 0 else -1,
        "attlen": length,
        "attnum": number,
        "attndims": 0,
        "attcacheoff": -1,
        "atttypmod": -1,
        "attbyval": 0 < length <= 8,
        "attalign": align,
        "attstorage": storage,
        "attcompression": "",
        "attnotnull": False,
        "atthasdef": False,
        "atthasmissing": False,
        "attidentity": "",
        "attgenerated": "",
        "attisdropped": False,
        "attislocal": True,
        "attinhcount": 0,
        "attcollation": 0,
    }


def _description(oid: int, relation: int, number: int, text: str) -> Row:
    return {"objoid": oid, "classoid": relation, "objsubid": number, "description": text}
