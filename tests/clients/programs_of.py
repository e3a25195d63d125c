"""Which clients there are, and how the program of each is started."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent / "programs"
PYTHON = os.environ.get("TACIT_CLIENTS_PYTHON") or str(ROOT / ".venv-clients" / "bin" / "python")
NODE_MODULES = os.environ.get("TACIT_CLIENTS_NODE") or str(ROOT / ".venv-clients" / "node_modules")
JDBC = "/usr/share/java/postgresql.jar"

Command = Callable[[Mapping[str, Any]], list[str]]


def _python(name: str, *arguments: str) -> Command:
    return lambda where: [PYTHON, str(HERE / f"{name}_program.py"), *arguments]


def _jdbc(where: Mapping[str, Any]) -> list[str]:
    address = f"jdbc:postgresql://{where['host']}:{where['port']}/{where['database']}"
    quick = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xshare:auto"]
    program = [
        str(HERE / "Jdbc.java"),
        address,
        where["name"],
        where["password"],
        where["ca"] or "-",
    ]
    return [shutil.which("java") or "java", *quick, "-cp", JDBC, *program]


def _node(name: str) -> Command:
    return lambda where: ["env", f"NODE_PATH={NODE_MODULES}", "node", str(HERE / f"{name}.js")]


PROGRAMS: dict[str, Command] = {
    "psql": _python("psql"),
    "psycopg 3": _python("psycopg3"),
    "psycopg 2": _python("psycopg2"),
    "asyncpg": _python("asyncpg"),
    "SQLAlchemy, pandas": _python("sqlalchemy"),
    "ADBC, connectorx, polars": _python("arrow"),
    "psqlodbc": _python("odbc"),
    "pgjdbc": _jdbc,
    "node-postgres, knex": _node("node_program"),
}
HELD_OUT: dict[str, Command] = {
    "Django": _python("../held_out/django"),
    "peewee": _python("../held_out/peewee"),
    "postgres.js": _node("../held_out/postgres_program"),
    "Sequelize": _node("../held_out/sequelize_program"),
    "TypeORM": _node("../held_out/typeorm_program"),
}
"""Clients that were recorded after the rules were written; CI does not install them."""
