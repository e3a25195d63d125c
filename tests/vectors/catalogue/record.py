"""Record what clients ask a real PostgreSQL 15 about its catalogue, and what it answers: statements.jsonl.

Run it with `python -m tests.vectors.catalogue.record`, or with `held-out` behind it for clients that no rule was
written for: held_out.jsonl. The server is started for this, with the schema of the tests and no
rows; the clients are the programs of tests/clients. A statement is kept once, with the names of
all clients that sent it.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import psycopg
from psycopg import pq

from tacit.catalogue import Catalogue
from tests.clients.programs_of import HELD_OUT, PROGRAMS
from tests.postgres import ROLE, SETTINGS, Server, started
from tests.unit.catalogue.clinic import CLINIC
from tests.vectors.catalogue.canonical import cell, digest, with_names

FILE = Path(__file__).parent / "statements.jsonl"
HELD = Path(__file__).parent / "held_out.jsonl"
TYPES = {
    25: "text",
    20: "bigint",
    16: "boolean",
    701: "double precision",
    1184: "timestamptz",
    1082: "date",
}
SHOWN = 8  # answers of so few rows are kept whole, of others a digest
NOTHING_TO_ASK = re.compile(
    r"(?is)\s*(set|begin|show|rollback|commit|close|declare|fetch|move|copy|deallocate|discard|listen|unlisten|reset"
    r"|start|savepoint|release|prepare|execute|explain|table|lock)\b"
)


def definitions() -> list[str]:
    """The schema as statements."""
    found = []
    for table in CLINIC.tables:
        columns = ", ".join(
            f'"{each.name}" {TYPES[each.oid]}{"" if each.nullable else " NOT NULL"}'
            for each in table.columns
        )
        found.append(f"CREATE TABLE {table.name} ({columns})")
        if table.comment:
            found.append(f"COMMENT ON TABLE {table.name} IS '{table.comment}'")
        found += [
            f"COMMENT ON COLUMN {table.name}.{each.name} IS '{each.comment}'"
            for each in table.columns
            if each.comment
        ]
    return [*found, "GRANT SELECT ON ALL TABLES IN SCHEMA public TO PUBLIC"]


def make_clinic(server: Server) -> dict[str, Any]:
    """The schema in a database of its own; where clients find it."""
    server.execute("CREATE DATABASE clinic", "CREATE ROLE analyst LOGIN PASSWORD 'pw'")
    with psycopg.connect(
        server.address().replace("/postgres", "/clinic"), autocommit=True
    ) as connection:
        for statement in definitions():
            connection.execute(statement.encode())
    where = {
        "host": "127.0.0.1",
        "port": server.port,
        "database": "clinic",
        "name": "analyst",
        "password": "pw",
    }
    return {**where, "ca": "", "is_vault": False}


def asked(log: Path, after: int) -> tuple[list[tuple[str, tuple[str | None, ...]]], int]:
    """The statements in the log behind a place, with their parameters; and how long the log is now."""
    found: list[tuple[str, tuple[str | None, ...]]] = []
    data = log.read_bytes()
    for line in data[after:].decode().splitlines():
        said = json.loads(line)
        started_by = re.match(r"(?s)(?:statement|execute [^:]*): (.*)", said.get("message", ""))
        if started_by and said.get("user") == "analyst":
            values = re.findall(r"\$\d+ = (NULL|'(?:[^']|'')*')", said.get("detail", "") or "")
            texts = tuple(
                None if each == "NULL" else each[1:-1].replace("''", "'") for each in values
            )
            found.append((started_by[1].strip(), texts))
    return found, len(data)


def names_of(connection: pq.abc.PGconn) -> dict[int, str]:
    """The declared objects, by their oids on this server."""
    found = {}
    for kind, query in (
        ("class", "SELECT oid, relname FROM pg_class WHERE relnamespace = 2200"),
        ("type", "SELECT oid, typname FROM pg_type WHERE typnamespace = 2200"),
        ("database", "SELECT oid, datname FROM pg_database WHERE datname = 'clinic'"),
        ("role", "SELECT oid, rolname FROM pg_roles WHERE rolname = 'analyst'"),
    ):
        result = connection.exec_(query.encode())
        for row in range(result.ntuples):
            oid, name = (result.get_value(row, column) or b"" for column in (0, 1))
            found[int(oid)] = f"@{kind} {name.decode()}@"
    return found


def answered(
    connection: pq.abc.PGconn, sql: str, values: tuple[str | None, ...], names: dict[int, str]
) -> dict[str, Any] | None:
    """What the server answers; None if it refuses."""
    result = connection.exec_params(
        sql.encode(), [None if each is None else each.encode() for each in values]
    )
    if result.status != pq.ExecStatus.TUPLES_OK:
        return None

    def text(row: int, column: int) -> str | None:
        value = result.get_value(row, column)
        return None if value is None else re.sub(rf"\b{ROLE}\b", "tacit", value.decode())

    rows = [
        [cell(text(row, column), names) for column in range(result.nfields)]
        for row in range(result.ntuples)
    ]
    columns = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
    return {
        "sql": with_names(sql, names),
        **(
            {"parameters": [None if v is None else with_names(v, names) for v in values]}
            if values
            else {}
        ),
        "columns": columns,
        "count": len(rows),
        "digest": digest(rows),
        **({"rows": rows} if len(rows) <= SHOWN else {}),
    }


def main() -> None:
    """Write the file."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o777)
        settings = {
            **SETTINGS,
            "log_statement": "all",
            "log_destination": "jsonlog",
            "logging_collector": "on",
            "log_directory": folder,
            "log_filename": "log",
            "log_file_mode": "0644",
            "password_encryption": "scram-sha-256",
        }
        server = started(settings)
        try:
            _record(server, Path(folder) / "log.json", held_out="held-out" in sys.argv)
        finally:
            server.stop()


def _record(server: Server, log: Path, *, held_out: bool) -> None:
    where = make_clinic(server)
    reader = pq.PGconn.connect(
        f"host=127.0.0.1 port={server.port} user=analyst password=pw dbname=clinic".encode()
    )
    names, catalogue = names_of(reader), Catalogue(CLINIC)
    kept: dict[str, dict[str, Any]] = {}
    environment = {**os.environ, "TACIT_CLIENT": json.dumps(where)}
    for client, command in (HELD_OUT if held_out else PROGRAMS).items():
        _, before = asked(log, 0)
        made = subprocess.run(
            command(where),
            env=environment,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        failed = [line for line in made.stdout.splitlines() if line.startswith("FAIL")]
        statements, _ = asked(log, before)
        for sql, values in dict.fromkeys(statements):
            key = json.dumps([with_names(sql, names), values])
            if key in kept:
                if client not in kept[key]["clients"]:
                    kept[key]["clients"].append(client)
            elif not NOTHING_TO_ASK.match(sql) and catalogue.reads(sql):
                found = answered(reader, sql, values, names)
                if found is not None:
                    kept[key] = {"clients": [client], **found}
        print(
            client,
            len(statements),
            "statements;",
            len(failed),
            "failed",
            *failed,
            made.stderr[-300:],
            sep=" | ",
        )
    file = HELD if held_out else FILE
    file.write_text(
        "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in kept.values()),
        encoding="utf-8",
    )
    print(len(kept), "statements,", file.stat().st_size, "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
