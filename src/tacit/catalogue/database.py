"""The DuckDB that holds the catalogue: made from built-in and declared rows, locked, and asked one statement at a time.

Claim:      what it answers depends on the declared schema, the session and the tables that came with the statement.
Because:    its rows are those of `built_in` and `declared`; access to files is off and the configuration is locked
            before the first statement is read, which the fence has passed; a text that is more than one statement is
            never run, every name is quoted, and what a request changes is rolled back at its end.
Checked by: tests/attacks/test_catalogue_fence.py, tests/attacks/test_catalogue_names.py
"""

# ruff: noqa: S608 -- names are quoted, expressions are written from trees that the fence has passed

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import duckdb

from tacit.catalogue.built_in import Relation, duckdb_type, relations
from tacit.catalogue.declared import ANALYST, declared_rows
from tacit.catalogue.postgres_errors import refusal
from tacit.catalogue.rewrite import STATEMENTS, TYPE_NAMES, Rewritten, Session, quoted, rewrite
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
        self._make()

    def _make(self) -> None:
        run = self._run
        for name in ("cat", "info", "fn", "tacit", "released"):
            run(f"CREATE SCHEMA {name}")
        for name, relation in relations().items():
            if name.startswith("fn.") or (name.startswith("cat.") and relation.name in AT_ONCE):
                self._load(name)
        for table in self._schema.tables:
            if table.schema == "tacit":
                self._create(f"tacit.{table.name}", self._relations[f"tacit.{table.name}"].items())
        for each in self._connection.extract_statements(LOOKUPS.read_text(encoding="utf-8")):
            run(each.query)
        for statement in STATEMENTS:
            run(statement)
        run("SET default_null_order = 'postgres'")
        run("SET TimeZone = 'UTC'")
        run("SET enable_external_access = false")
        run("SET autoinstall_known_extensions = false")
        run("SET autoload_known_extensions = false")
        run("SET lock_configuration = true")

    def _run(self, sql: str, parameters: Sequence[Any] = ()) -> duckdb.DuckDBPyConnection:
        """Run one statement; every text that DuckDB is given passes here.

        Claim:      what is run is one statement, whatever names and values were written into it.
        Because:    DuckDB's own parser counts them before the first is run.
        Checked by: tests/attacks/test_catalogue_names.py
        """
        return self._connection.execute(self._one(sql), list(parameters))

    def _one(self, sql: str) -> duckdb.Statement:
        """The statement that a text is, if it is one; a NUL, where a parser may end early, stands in none."""
        if "\0" in sql or any("\ud800" <= each <= "\udfff" for each in sql):
            raise CatalogueError("22021", 'invalid byte sequence for encoding "UTF8"')
        found = self._connection.extract_statements(sql)
        if len(found) != 1:
            raise CatalogueError("42601", "the catalogue answers one statement at a time")
        return found[0]

    def _read(self, sql: str) -> str:
        """A rewritten statement, if it is one that only reads."""
        if self._one(sql).type != duckdb.StatementType.SELECT:
            raise CatalogueError("0A000", "the catalogue answers only queries")
        return sql

    @contextmanager
    def _request(self, settings: Mapping[str, str]) -> Iterator[None]:
        """What runs within sees the session's settings; nothing that it changes is there afterwards.

        Claim:      a request finds neither settings nor tables of another one, nor anything that a statement made.
        Because:    they are written within a transaction that is rolled back; if that fails, the process ends.
        Checked by: tests/attacks/test_catalogue_names.py
        """
        self._run("BEGIN TRANSACTION")
        try:
            self._apply(settings)
            yield
        finally:
            try:
                self._run("ROLLBACK")
            except duckdb.Error:
                raise SystemExit("the catalogue's transaction cannot be rolled back") from None

    # ------------------------------------------------------------ rows

    def _create(self, name: str, columns: Iterable[tuple[str, str]]) -> None:
        listed = ", ".join(f"{quoted(column)} {duckdb_type(kind)}" for column, kind in columns)
        self._run(f"CREATE TABLE {_path(name)} ({listed})")

    def _insert(
        self, name: str, columns: Sequence[tuple[str, str]], values: Sequence[Sequence[Any]]
    ) -> None:
        """Add rows, given column by column."""
        if values and len(values[0]):
            lists = [list(each) for each in values]
            selected = ", ".join(
                f"unnest(CAST(${number} AS {duckdb_type(kind)}[]))"
                for number, (_, kind) in enumerate(columns, 1)
            )
            self._run(f"INSERT INTO {_path(name)} SELECT {selected}", lists)

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
                f"CAST({quoted(column)} AS {duckdb_type(type_)}) AS {quoted(column)}"
                for column, type_ in relation.columns
            )
            names = ", ".join(quoted(column) for column, _ in relation.columns)
            self._run(
                f"CREATE {kind} {_path(relation.inside)} AS "
                f"SELECT {types} FROM ({self._read(made.sql)}) AS k__view({names})"
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
        found = self._run(f"SELECT fn.{quoted(f'oid_of_{kind}')}($1)", [name]).fetchone()
        return None if found is None or found[0] is None else int(found[0])

    def _apply(self, settings: Mapping[str, str]) -> None:
        """The name of who asks and the settings of the session, in the rows that show them."""
        role = settings.get("session_authorization", "analyst")
        self._run(f"UPDATE cat.pg_authid SET rolname = $1 WHERE oid = {ANALYST}", [role])
        told = {**settings, "server_version": self._schema.version}
        names, values = list(told), list(told.values())
        self._run(
            "DELETE FROM fn.k_setting WHERE k_name IN (SELECT unnest($1::VARCHAR[]))", [names]
        )
        pairs = "SELECT unnest($1::VARCHAR[]) AS k_name, unnest($2::VARCHAR[]) AS k_value"
        self._run(f"INSERT INTO fn.k_setting (k_name, k_value) {pairs}", [names, values])
        self._run(
            f"UPDATE cat.pg_settings SET setting = k_value FROM ({pairs}) WHERE lower(name) = k_name",
            [names, values],
        )

    @contextmanager
    def _prepared(
        self, sql: str, session: Session, tables: Mapping[str, ReleasedTable]
    ) -> Iterator[tuple[Rewritten, dict[str, str]]]:
        """A statement within its request: as DuckDB is asked it, and which columns were received by another name."""
        try:
            with self._request(session.settings):
                made = rewrite(sql, session)
            # What is loaded stays, so it is made between requests, when no session's settings are there to be seen.
            self._load_all(made.reads)
            with self._request(session.settings):
                yield made, self._receive(tables, session.released)
        except duckdb.Error as error:
            raise refusal(error, sql) from None

    def columns(
        self,
        sql: str,
        types: Sequence[int] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, ReleasedTable] | None = None,
    ) -> tuple[Column, ...]:
        """The columns of a statement's answer; nothing is evaluated."""
        session = self._session(settings or {}, types=types, released=_places(tables or {}))
        with self._prepared(sql, session, tables or {}) as (made, renamed):
            described = self._run(f"DESCRIBE {self._read(made.sql)}").fetchall()
        return _columns(made, [(row[0], row[1]) for row in described], renamed)

    def ask(
        self,
        sql: str,
        parameters: Sequence[Any] = (),
        settings: Mapping[str, str] | None = None,
        tables: Mapping[str, ReleasedTable] | None = None,
    ) -> Answer:
        """The answer to a statement."""
        session = self._session(settings or {}, parameters, released=_places(tables or {}))
        with self._prepared(sql, session, tables or {}) as (made, renamed):
            found, rows = self._fetch(self._read(made.sql))
        if len(rows) > ROWS:
            raise CatalogueError("54000", f"the catalogue answers with at most {ROWS:,} rows")
        return Answer(_columns(made, found, renamed), tuple(rows), made.settings)

    def _fetch(self, sql: str) -> tuple[list[tuple[str, str]], list[tuple[Any, ...]]]:
        """The columns of a statement with DuckDB's types, and its rows."""
        cursor = self._run(sql)
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
        again = self._run(f"SELECT {selected} FROM ({sql}) AS k__t({named})")
        return found, [
            tuple(
                datetime.fromisoformat(value) if is_moment and value is not None else value
                for value, is_moment in zip(row, moments, strict=True)
            )
            for row in again.fetchmany(ROWS + 1)
        ]

    def _receive(
        self, tables: Mapping[str, ReleasedTable], places: Mapping[str, str]
    ) -> dict[str, str]:
        """Make the tables that came with a statement; the names that their columns have here, where it is another."""
        renamed: dict[str, str] = {}
        for name, (columns, values) in tables.items():
            inside = _distinct([each.name for each in columns])
            renamed |= {
                ours: each.name
                for ours, each in zip(inside, columns, strict=True)
                if ours != each.name
            }
            kinds = [TYPE_NAMES.get(each.oid, "text") for each in columns]
            typed = list(zip(inside, kinds, strict=True))
            self._create(places[name], typed)
            self._insert(places[name], typed, values)
        return renamed


def _path(name: str) -> str:
    """A name with its schema, in quotes."""
    return ".".join(map(quoted, name.split(".", 1)))


def _places(tables: Mapping[str, object]) -> dict[str, str]:
    """Where the tables that came with a statement stand, by their names in it."""
    return {name: f"released.t{number}" for number, name in enumerate(tables)}


def _distinct(names: Sequence[str]) -> list[str]:
    """Names of a table's columns that DuckDB can tell apart; those it cannot may be read by a star alone.

    >>> _distinct(["ward", "count", "Count", ""])
    ['ward', 'count k__1', 'Count k__2', ' k__3']
    """
    times = Counter(name.lower() for name in names)
    return [
        name if name and times[name.lower()] == 1 else f"{name} k__{number}"
        for number, name in enumerate(names)
    ]


def _columns(
    made: Rewritten, found: Sequence[tuple[str, str]], renamed: Mapping[str, str]
) -> tuple[Column, ...]:
    as_found = [renamed.get(name, name) for name, _ in found]
    names = as_found if made.names is None else made.names
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
