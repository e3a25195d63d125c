"""The DuckDB that holds the catalogue: made from built-in and declared rows, locked, and asked one statement at a time.

Claim:      what it answers depends on the declared schema, the session and the tables that came with the statement.
Because:    its rows are those of `built_in` and `declared`; access to files is off and the configuration is locked
            before the first statement is read, which the fence has passed.
Checked by: tests/attacks/test_catalogue_fence.py
"""

# ruff: noqa: S608 -- names are ours, expressions are written from trees that the fence has yet to pass

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from tacit.catalogue.built_in import Relation, duckdb_type, relations
from tacit.catalogue.declared import ANALYST, declared_rows
from tacit.catalogue.refusals import refusal
from tacit.catalogue.rewrite import STATEMENTS, TYPE_NAMES, Rewritten, Session, rewrite
from tacit.catalogue.schema import Answer, Column, Schema
from tacit.errors import CatalogueError

__all__ = ["MEMORY", "ROWS", "Database", "ReleasedTable"]

MOMENT = "TIMESTAMP WITH TIME ZONE"
MEMORY = "256MB"
ROWS = 100_000

LOOKUPS = Path(__file__).parent / "lookups.sql"
# Loaded before the first statement, since lookups read them; the others when they are first read.
AT_ONCE = (
    *("pg_class", "pg_namespace", "pg_type", "pg_proc", "pg_authid", "pg_operator", "pg_collation"),
    *("pg_description", "pg_shdescription", "pg_attribute", "pg_settings", "pg_database"),
)
# Views that show the state of a server: they exist, and have no rows.
SILENT = (
    "pg_stat",
    "pg_statio",
    "pg_locks",
    "pg_prepared",
    "pg_cursors",
    "pg_file",
    "pg_hba",
    "pg_ident",
    "pg_shmem",
)
SILENT_TOO = {
    *("pg_available_extensions", "pg_available_extension_versions", "pg_backend_memory_contexts"),
    *(
        "pg_config",
        "pg_replication_origin_status",
        "pg_replication_slots",
        "pg_stats",
        "pg_stats_ext",
    ),
    *(
        "pg_stats_ext_exprs",
        "pg_user_mappings",
        "pg_timezone_names",
        "pg_timezone_abbrevs",
        "pg_seclabels",
    ),
    *(
        "constraint_column_usage",
        "constraint_table_usage",
    ),  # those of one's own tables, and one has none
    *("pg_publication_tables", "pg_rules", "pg_sequences", "pg_policies", "pg_matviews"),
}
OIDS = {
    "BOOLEAN": 16,
    "TINYINT": 21,
    "SMALLINT": 21,
    "INTEGER": 23,
    "BIGINT": 20,
    "UBIGINT": 20,
    "UINTEGER": 26,
    "HUGEINT": 1700,
    "FLOAT": 700,
    "DOUBLE": 701,
    "VARCHAR": 25,
    "JSON": 114,
    "BLOB": 17,
    "DATE": 1082,
    "TIME": 1083,
    "TIMESTAMP": 1114,
    MOMENT: 1184,
    "INTERVAL": 1186,
    "BOOLEAN[]": 1000,
    "SMALLINT[]": 1005,
    "INTEGER[]": 1007,
    "BIGINT[]": 1016,
    "UINTEGER[]": 1028,
    "DOUBLE[]": 1022,
    "VARCHAR[]": 1009,
}
# Types of catalogue columns that DuckDB holds as another type, and the types of DuckDB that they are then of.
OWN_OIDS = {
    "name": (19, "VARCHAR"),
    "char": (18, "VARCHAR"),
    "int2vector": (22, "SMALLINT[]"),
    "oidvector": (30, "UINTEGER[]"),
    "xid": (28, "UINTEGER"),
    "_name": (1003, "VARCHAR[]"),
    "_aclitem": (1009, "VARCHAR[]"),
}

ReleasedTable = tuple[tuple[Column, ...], Sequence[Sequence[Any]]]
"""Columns, and the values of each column."""


class Database:
    """The catalogue of one schema."""

    def __init__(self, schema: Schema) -> None:
        self._schema = schema
        self._connection = duckdb.connect(config={"threads": "1", "memory_limit": MEMORY})
        self._loaded: set[str] = set()
        self.undefined: set[str] = set()
        self._declared: dict[str, list[dict[str, Any]]] = {}
        for relation, row in declared_rows(schema):
            self._declared.setdefault(f"cat.{relation}", []).append(row)
        self._relations = {name: dict(each.columns) for name, each in relations().items()}
        self._oids = {name: each.oid for name, each in relations().items()}
        for table in schema.tables:
            if table.schema == "tacit":
                kinds = {each.name: TYPE_NAMES.get(each.oid, "text") for each in table.columns}
                self._relations[f"tacit.{table.name}"] = kinds
        self._settings: dict[str, str] = {}
        self._shipped: dict[str, str] = {}
        self._role = ""
        self._make()

    def _make(self) -> None:
        run = self._connection.execute
        for name in ("cat", "info", "fn", "tacit", "released"):
            run(f"CREATE SCHEMA {name}")
        for name, relation in relations().items():
            if name.startswith("fn.") or (name.startswith("cat.") and relation.name in AT_ONCE):
                self._load(name)
        for table in self._schema.tables:
            if table.schema == "tacit":
                self._create(f"tacit.{table.name}", self._relations[f"tacit.{table.name}"].items())
        run(LOOKUPS.read_text(encoding="utf-8"))
        self._shipped = dict(
            self._connection.execute("SELECT k_name, k_value FROM fn.k_setting").fetchall()
        )
        for statement in STATEMENTS:
            run(statement)
        run("SET default_null_order = 'postgres'")
        run("SET TimeZone = 'UTC'")
        run("SET enable_external_access = false")
        run("SET autoinstall_known_extensions = false")
        run("SET autoload_known_extensions = false")
        run("SET lock_configuration = true")

    # ------------------------------------------------------------ rows

    def _create(self, name: str, columns: Iterable[tuple[str, str]]) -> None:
        place, _, last = name.partition(".")
        listed = ", ".join(f'"{column}" {duckdb_type(kind)}' for column, kind in columns)
        self._connection.execute(f'CREATE TABLE {place}."{last}" ({listed})')

    def _insert(
        self, name: str, columns: Sequence[tuple[str, str]], values: Sequence[Sequence[Any]]
    ) -> None:
        """Add rows, given column by column."""
        if values and len(values[0]):
            place, _, last = name.partition(".")
            lists = [list(each) for each in values]
            selected = ", ".join(
                f"unnest(CAST(${number} AS {duckdb_type(kind)}[]))"
                for number, (_, kind) in enumerate(columns, 1)
            )
            self._connection.execute(f'INSERT INTO {place}."{last}" SELECT {selected}', lists)

    def _load(self, name: str) -> None:
        """Make a relation when it is first read: from its rows, or, if it is a view, from its definition."""
        if name in self._loaded or name not in relations():
            return
        self._loaded.add(name)
        relation = relations()[name]
        if relation.definition is not None and not (relation.values and relation.values[0]):
            self._make_view(relation)
            return
        self._create(name, relation.columns)
        self._insert(name, relation.columns, relation.values)
        if rows := self._declared.get(name):
            values = [[row.get(column) for row in rows] for column, _ in relation.columns]
            self._insert(name, relation.columns, values)

    def _make_view(self, relation: Relation) -> None:
        """A view of PostgreSQL from its own definition; one that shows the state of a server has no rows."""
        silent = relation.name in SILENT_TOO or relation.name.startswith(SILENT)
        if relation.name in ("pg_roles", "pg_user", "pg_shadow"):
            self._create_view(relation, "VIEW")  # who asks changes
        elif silent:
            self._create(relation.inside, relation.columns)
        else:
            self._create_view(relation, "TABLE")

    def _create_view(self, relation: Relation, kind: str) -> None:
        assert relation.definition is not None
        try:
            made = rewrite(relation.definition, self._session({}))
            self._load_all(made.reads)
            types = ", ".join(
                f'CAST("{column}" AS {duckdb_type(type_)}) AS "{column}"'
                for column, type_ in relation.columns
            )
            names = ", ".join(f'"{column}"' for column, _ in relation.columns)
            self._connection.execute(
                f"CREATE {kind} {relation.inside} AS SELECT {types} FROM ({made.sql}) AS k__view({names})"
            )
        except (CatalogueError, duckdb.Error):
            # It exists, and has no rows; tests/unit/catalogue/test_database.py lists the views for which this is so.
            self.undefined.add(relation.inside)
            self._create(relation.inside, relation.columns)

    def _load_all(self, names: Iterable[str]) -> None:
        for name in sorted(names):
            self._load(name)

    # ------------------------------------------------------------ statements

    def _session(
        self,
        settings: Mapping[str, str],
        parameters: Sequence[Any] = (),
        types: Sequence[int] | None = None,
        released: Mapping[str, str] | None = None,
    ) -> Session:
        return Session(
            database=self._schema.database,
            role=settings.get("session_authorization", "analyst"),
            version=self._schema.version,
            settings=settings,
            find_oid=self._find_oid,
            relations=self._relations,
            oids=self._oids,
            released=released or {},
            parameters=parameters,
            parameter_types=types,
        )

    def _find_oid(self, kind: str, name: str) -> int | None:
        found = self._connection.execute(f"SELECT fn.oid_of_{kind}($1)", [name]).fetchone()
        return None if found is None or found[0] is None else int(found[0])

    def _apply(self, settings: Mapping[str, str]) -> None:
        """The name of who asks and the settings of the session, in the rows that show them."""
        role = settings.get("session_authorization", "analyst")
        if role != self._role:
            self._connection.execute(
                f"UPDATE cat.pg_authid SET rolname = $1 WHERE oid = {ANALYST}",
                [role],
            )
            self._role = role
        before, now = self._settings, {**settings, "server_version": self._schema.version}
        for name in {*before, *now}:
            value = now.get(name, self._shipped.get(name))
            if value == before.get(name, self._shipped.get(name)):
                continue
            self._connection.execute("DELETE FROM fn.k_setting WHERE k_name = $1", [name])
            if value is not None:
                self._connection.execute("INSERT INTO fn.k_setting VALUES ($1, $2)", [name, value])
                self._connection.execute(
                    "UPDATE cat.pg_settings SET setting = $2 WHERE lower(name) = $1", [name, value]
                )
        self._settings = now

    def columns(
        self,
        sql: str,
        types: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, ReleasedTable] | None = None,
    ) -> tuple[Column, ...]:
        """The columns of a statement's answer; nothing is evaluated."""
        released = self._receive(tables or {})
        try:
            made = rewrite(sql, self._session(settings or {}, types=types, released=released))
            self._load_all(made.reads)
            described = self._connection.execute(f"DESCRIBE {made.sql}").fetchall()
        except duckdb.Error as error:
            raise refusal(error, sql) from None
        finally:
            self._forget(released)
        return _columns(made, [(row[0], row[1]) for row in described])

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, ReleasedTable] | None = None,
    ) -> Answer:
        """The answer to a statement."""
        self._apply(settings or {})
        released = self._receive(tables or {})
        try:
            made = rewrite(sql, self._session(settings or {}, parameters, released=released))
            self._load_all(made.reads)
            found, rows = self._fetch(made.sql)
        except duckdb.Error as error:
            raise refusal(error, sql) from None
        finally:
            self._forget(released)
        if len(rows) > ROWS:
            raise CatalogueError("54000", f"the catalogue answers with at most {ROWS:,} rows")
        return Answer(_columns(made, found), tuple(rows), made.settings)

    def _fetch(self, sql: str) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
        """The columns of a statement with DuckDB's types, and its rows."""
        cursor = self._connection.execute(sql)
        found = [(each[0], str(each[1])) for each in cursor.description or ()]
        moments = [kind == MOMENT for _, kind in found]
        if not any(moments):
            return found, cursor.fetchmany(ROWS + 1)
        # DuckDB would need a library of time zones to hand over moments; as texts it needs none.
        selected = ", ".join(
            f"CAST(c{n} AS VARCHAR)" if is_moment else f"c{n}"
            for n, is_moment in enumerate(moments)
        )
        named = ", ".join(f"c{n}" for n in range(len(found)))
        again = self._connection.execute(f"SELECT {selected} FROM ({sql}) AS k__t({named})")
        return found, [
            tuple(
                datetime.fromisoformat(value) if is_moment and value is not None else value
                for value, is_moment in zip(row, moments, strict=True)
            )
            for row in again.fetchmany(ROWS + 1)
        ]

    def _receive(self, tables: Mapping[str, ReleasedTable]) -> dict[str, str]:
        """Tables that came with a statement, by their names inside."""
        inside = {}
        for number, (name, (columns, values)) in enumerate(tables.items()):
            typed = [(each.name, TYPE_NAMES.get(each.oid, "text")) for each in columns]
            place = f"released.t{number}"
            self._create(place, typed)
            self._insert(place, typed, values)
            inside[name] = place
        return inside

    def _forget(self, released: Mapping[str, str]) -> None:
        for place in released.values():
            self._connection.execute(f"DROP TABLE {place}")


def _columns(made: Rewritten, found: Sequence[tuple[str, str]]) -> tuple[Column, ...]:
    names = [name for name, _ in found] if made.names is None else made.names
    kinds = made.types if len(made.types) == len(found) else (None,) * len(found)
    return tuple(
        Column(name, _oid(kind, own))
        for name, (_, kind), own in zip(names, found, kinds, strict=True)
    )


def _oid(kind: str, own: str | None) -> int:
    oid, held = OWN_OIDS.get(own or "", (0, ""))
    if held == kind:
        return oid
    return 1700 if kind.startswith("DECIMAL") else OIDS.get(kind, 25)
