"""Write src/tacit/catalogue/data/postgresql-15.jsonl.xz anew: the built-in rows of PostgreSQL 15.

Run it with `python -m tests.vectors.catalogue.export`; it starts a server of its own. Nothing depends on
anybody's rows: the database has just been made.
"""

import json
import lzma
import re
from pathlib import Path
from typing import Any

import psycopg

from tests.postgres import ROLE, started

FILE = Path(__file__).parents[3] / "src/tacit/catalogue/data/postgresql-15.jsonl.xz"

# Statistics, large objects and rules: about rows, or enormous, and no client asks.
EMPTY = {
    *("pg_statistic", "pg_statistic_ext_data", "pg_largeobject", "pg_largeobject_metadata"),
    *("pg_rewrite", "pg_depend", "pg_init_privs", "pg_shdepend"),
}
# Views over functions whose rows are facts of PostgreSQL, not of a server.
SHIPPED_VIEWS = {"pg_settings"}
# Settings that tell of a machine, or of the files of a server.
PRIVATE_SETTINGS = re.compile(
    r"destdir|directory|_file$|_file_mode|socket|command|ssl|krb|port$|path$|listen|log_|preload"
)
KEPT_SETTINGS = {
    "server_encoding",
    "TimeZone",
    "DateStyle",
    "lc_collate",
    "lc_ctype",
    "server_version",
}
# Languages of the operating system: a server has hundreds, a vault one.
COLLATIONS = {"default", "C", "POSIX", "ucs_basic", "C.UTF-8"}

LOOKUPS = {
    "proc_texts": (
        "SELECT oid::int8 AS oid, pg_get_function_arguments(oid) AS arguments, "
        "pg_get_function_identity_arguments(oid) AS identity_arguments, "
        "pg_get_function_result(oid) AS result FROM pg_proc ORDER BY oid"
    ),
    "type_texts": "SELECT oid::int8 AS oid, format_type(oid, NULL) AS shown FROM pg_type ORDER BY oid",
    "constraint_texts": (
        "SELECT oid::int8 AS oid, pg_get_constraintdef(oid) AS definition, "
        "pg_get_constraintdef(oid, true) AS pretty FROM pg_constraint ORDER BY oid"
    ),
    "index_texts": (
        "SELECT indexrelid::int8 AS oid, pg_get_indexdef(indexrelid) AS definition "
        "FROM pg_index ORDER BY indexrelid"
    ),
    "keywords": "SELECT word, catcode::text, barelabel, catdesc, baredesc FROM pg_get_keywords() ORDER BY word",
}
COLUMNS = """
    SELECT a.attname, CASE WHEN t.typtype = 'd' THEN b.typname ELSE t.typname END
    FROM pg_attribute a JOIN pg_type t ON t.oid = a.atttypid LEFT JOIN pg_type b ON b.oid = t.typbasetype
    WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped ORDER BY attnum"""
RELATIONS = """
    SELECT n.nspname, c.relname, c.oid, c.relkind, pg_get_viewdef(c.oid)
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v')
    ORDER BY n.nspname DESC, c.relname"""


def read(column: str, kind: str) -> str:
    """The expression that reads a column so that JSON can hold it: oids as numbers, arrays as lists."""
    if column == "rolpassword":
        return "NULL::text"
    name = f'"{column}"'
    match kind:
        case "oid" | "regproc" | "regclass" | "regtype":
            return f"{name}::oid::int8"
        case "xid":
            return f"{name}::text::int8"
        case "bool" | "int2" | "int4" | "int8" | "float4" | "float8":
            return name
        case "oidvector" | "_oid" | "_regtype":
            one = "x::oid::int8"
        case "int2vector" | "_int2":
            one = "x::int2"
        case _ if kind.startswith("_"):
            one = "x::text"
        case _:
            return f"{name}::text"
    return f"CASE WHEN {name} IS NULL THEN NULL ELSE ARRAY(SELECT {one} FROM unnest({name}) x) END"


def is_kept(relation: str, row: dict[str, Any]) -> bool:
    """Whether a row tells of PostgreSQL, and not of the machine that it was read on."""
    if relation == "pg_settings":
        return row["name"] == "search_path" or not PRIVATE_SETTINGS.search(row["name"])
    if relation == "pg_collation":
        return row["collname"] in COLLATIONS
    return relation != "pg_database"


def _as_shipped(row: dict[str, Any]) -> dict[str, Any]:
    """A setting with the value it has unless somebody sets it: the server that is asked was set up for tests."""
    if "boot_val" in row and row["source"] in ("command line", "configuration file", "override"):
        kept = row["name"] in KEPT_SETTINGS
        row |= {} if kept else {"setting": row["boot_val"], "reset_val": row["boot_val"]}
        row |= {"source": "default"}
    return row


def relations(connection: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    """All relations of pg_catalog and information_schema, with their columns, definitions and built-in rows."""
    found = []
    for schema, name, oid, kind, definition in connection.execute(RELATIONS).fetchall():
        columns = connection.execute(COLUMNS, [oid]).fetchall()
        rows: list[dict[str, Any]] = []
        if (kind == "r" and name not in EMPTY) or name in SHIPPED_VIEWS:
            selected = ", ".join(f'{read(*column)} AS "{column[0]}"' for column in columns)
            cursor = connection.execute(
                f"SELECT {selected} FROM {schema}.{name} ORDER BY 1, 2".encode()
            )
            names = [column[0] for column in columns]
            rows = [dict(zip(names, row, strict=True)) for row in cursor]
            rows = [_as_shipped(row) for row in rows if is_kept(name, row)]
        found.append(
            {
                "schema": schema,
                "name": name,
                "oid": oid,
                "columns": columns,
                "values": [[row[column] for row in rows] for column, _ in columns],
                **({"definition": definition} if kind == "v" else {}),
            }
        )
    return found


def lookups(connection: psycopg.Connection[Any]) -> list[dict[str, Any]]:
    """What PostgreSQL's functions say about built-in objects."""
    found = []
    for name, query in LOOKUPS.items():
        cursor = connection.execute(query.encode())
        assert cursor.description is not None
        columns = [
            (each.name, {20: "oid", 16: "bool"}.get(each.type_code, "text"))
            for each in cursor.description
        ]
        values = [list(column) for column in zip(*cursor.fetchall(), strict=True)]
        found.append(
            {"schema": "lookup", "name": name, "oid": 0, "columns": columns, "values": values}
        )
    return found


def exported() -> list[dict[str, Any]]:
    """The whole of it, from a server that is started for this and stopped again."""
    server = started()
    try:
        with psycopg.connect(server.address(), autocommit=True) as connection:
            found = [*relations(connection), *lookups(connection)]
    finally:
        server.stop()
    # The server's owner has the name that the vault's owner will have.
    text = json.dumps(found)
    for before, after in (('"{}"', '"tacit"'), ("{}=", "tacit="), ("/{}", "/tacit")):
        text = text.replace(before.format(ROLE), after)
    return list(json.loads(text))


def main() -> None:
    """Write the file."""
    lines = [json.dumps(each, separators=(",", ":")) for each in exported()]
    FILE.write_bytes(lzma.compress("\n".join(lines).encode(), preset=9 | lzma.PRESET_EXTREME))
    print(f"{len(lines)} relations, {FILE.stat().st_size} bytes")


if __name__ == "__main__":
    main()
