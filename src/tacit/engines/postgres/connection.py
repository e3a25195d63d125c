"""Connections to a PostgreSQL server that can do nothing but read, one snapshot for each question."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Lock
from typing import Any, TypeAlias

from tacit.engines.postgres.dialect import SECRET
from tacit.engines.sql.select_with_parameters import Fetched
from tacit.errors import EngineFailed, InvalidData, TacitError
from tacit.extras import extra

__all__ = ["ALLOWED", "SETTINGS", "Pool", "Session", "refusal_of"]

Connection: TypeAlias = Any  # psycopg's, which is imported where it is used

OLDEST = 14
"""The first version whose epochs are exact, and which counts bits."""

# Names are looked up among PostgreSQL's own, so that nobody's function is called by ours; temporary tables last.
SETTINGS = {
    "search_path": "pg_catalog, pg_temp",
    "TimeZone": "UTC",
    "DateStyle": "ISO, YMD",
    "IntervalStyle": "postgres",
    "extra_float_digits": "1",
    "standard_conforming_strings": "on",
    "client_min_messages": "error",
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "repeatable read",
    "lock_timeout": "30s",
    "idle_in_transaction_session_timeout": "10min",
    "jit": "off",
}
ALLOWED = {"work_mem": "64MB", "temp_file_limit": "20GB"}
"""Limits that a role may not be allowed to set; where it is not, the server's own hold."""

_BEGIN = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY"
_LIMITS = {"connect_timeout": "10", "keepalives_idle": "30", "tcp_user_timeout": "30000"}

_REFUSALS = {
    "28": "refuses this role or its password; check the role, PGPASSWORD or ~/.pgpass",
    "3D": "does not exist; check the name of the database in the address",
    "42501": "may not be read by this role; grant it SELECT on the columns of the policy, and USAGE on the schema",
    "42P01": "has no such table any more; check the source in the policy",
    "42703": "lacks a column of the policy; run `tacit check`",
    "3F000": "has no such schema; check the source in the policy",
    "08": "does not answer; check the address, and that the server is running",
    "57P": "does not answer; check the address, and that the server is running",
    "53300": "takes no more connections; try again later",
}


def refusal_of(error: BaseException) -> TacitError:
    """What is said of a failure before anything is paid: by the code of the error, never in the server's words.

    Claim:      a message holds neither data nor a password nor text of the server.
    Because:    it is one of a few constant sentences, chosen by the code of the error; a failure without a known code
                says nothing.
    Checked by: tests/unit/engines/postgres/test_connection.py
    """
    code = getattr(error, "sqlstate", None) or _code_of_connecting(error)
    said = [text for prefix, text in _REFUSALS.items() if code.startswith(prefix)]
    if said:
        return InvalidData(f"the database {said[0]}")
    return EngineFailed()


def _code_of_connecting(error: BaseException) -> str:
    """The code of a failure to connect, which has none: told by the words of the library, which are not passed on."""
    if type(error).__name__ not in {"OperationalError", "ConnectionTimeout"}:
        return ""
    words = str(error).lower()
    if any(each in words for each in ("password", "authentication", "pg_hba", "role ")):
        return "28P01"
    return "3D000" if "database" in words and "does not exist" in words else "08006"


class Session:
    """One transaction that sees the rows as they were when it began."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def keep_secret(self, secret: bytes) -> None:
        """Send the secret by which keys are hashed, as a setting of the transaction.

        Claim:      it stands in no statement, and so in no log of a server that keeps to its defaults.
        Because:    statements ask for the setting by its name; its value goes beside the statement that makes it, as a
                    parameter, which is logged only where somebody lets all statements be.
        Checked by: tests/unit/engines/postgres/test_engine.py::test_the_secret_of_keys_is_in_no_statement
        """
        self.connection.execute(f"SELECT set_config('{SECRET}', %s, true)", [secret.hex()])

    def fetch(self, sql: str) -> Fetched:
        """The rows of a statement; numeric columns are whole numbers and come as int."""
        cursor = self.connection.execute(sql)
        names = tuple(column.name for column in cursor.description)
        return Fetched(names, cursor.fetchall())


class Pool:
    """Connections that are open and idle, and those that are at work, of which each has one transaction.

    Claim:      nothing is written, and every question sees one snapshot.
    Because:    every transaction begins as REPEATABLE READ READ ONLY, on connections whose default is the same, and is
                rolled back; what is unqualified is looked up in pg_catalog alone.
    Checked by: tests/unit/engines/postgres/test_engine.py
    """

    def __init__(self, address: str, seconds: float) -> None:
        self._address, self._seconds = address, seconds
        self._lock, self._idle, self._running = Lock(), list[Connection](), set[Connection]()
        self._closed, self._process = False, os.getpid()

    @contextmanager
    def session(self) -> Iterator[Session]:
        """A transaction; its connection is used again unless something went wrong."""
        connection = self._take()
        done = False
        try:
            connection.execute(_BEGIN)
            yield Session(connection)
            with suppress(Exception):  # nothing is lost with a connection that broke
                connection.execute("ROLLBACK")
                done = True
        finally:
            with self._lock:
                self._running.discard(connection)
                keep = done and not self._closed
                if keep:
                    self._idle.append(connection)
            if not keep:
                with suppress(Exception):
                    connection.close()

    def interrupt(self) -> None:
        """Stop whatever is running."""
        with self._lock:
            running = list(self._running)
        for connection in running:
            with suppress(Exception):
                connection.cancel_safe()

    def close(self) -> None:
        """Stop what is running, and let go of all connections."""
        with self._lock:
            self._closed, idle, self._idle = True, self._idle, []
        self.interrupt()
        for connection in idle:
            with suppress(Exception):
                connection.close()

    def _take(self) -> Connection:
        with self._lock:
            if self._closed:
                raise EngineFailed
            if self._process != os.getpid():  # a fork must not use the connections of its parent
                self._idle, self._running, self._process = [], set(), os.getpid()
            found = self._idle.pop() if self._idle else None
        if found is not None and not _is_alive(found):
            found = None
        connection = found or self._open()
        with self._lock:
            self._running.add(connection)
        return connection

    def _open(self) -> Connection:
        with extra("postgres", "a table in PostgreSQL"):
            import psycopg
            from psycopg.conninfo import conninfo_to_dict, make_conninfo
        settings = {"statement_timeout": f"{int(self._seconds * 1000)}ms"} | SETTINGS
        given = {**_LIMITS, "application_name": "tacit", "client_encoding": "utf8"}
        # A role's own limit of a millisecond would else end the first of our statements on a busy machine.
        first = f"-c statement_timeout={settings['statement_timeout']}"
        address = conninfo_to_dict(self._address)
        if "service" in address or "PGSERVICE" in os.environ:
            own = dict[str, str]()  # the service's file may have options, which ours would replace
        else:
            before = address.get("options") or os.environ.get("PGOPTIONS", "")
            own = {"options": f"{before} {first}".strip()}
        known = make_conninfo(self._address, **given, **own)
        try:
            connection = psycopg.connect(known, autocommit=True, prepare_threshold=None)
        except psycopg.OperationalError as error:
            if "startup parameter" not in str(error):
                raise
            # a pooler that takes no options: then the first of our statements makes the setting
            known = make_conninfo(self._address, **given)
            connection = psycopg.connect(known, autocommit=True, prepare_threshold=None)
        try:
            connection.adapters.register_loader("numeric", _whole_numbers())
            _make_settings(connection, settings)
        except BaseException:
            connection.close()
            raise
        return connection


def _make_settings(connection: Connection, settings: dict[str, str]) -> None:
    """Make every setting that questions rely on, and those limits that the role may set."""
    for name, value in settings.items():
        connection.execute("SELECT set_config(%s, %s, false)", [name, value])
    for name, value in ALLOWED.items():
        with suppress(Exception):  # only some roles may
            connection.execute("SELECT set_config(%s, %s, false)", [name, value])
    known = connection.info.parameter_status("server_encoding")
    if connection.info.server_version // 10_000 < OLDEST:
        raise InvalidData(f"the database is older than PostgreSQL {OLDEST}; update the server")
    if known != "UTF8":
        raise InvalidData("the database is not encoded in UTF-8; convert it, or copy the tables")


def _is_alive(connection: Connection) -> bool:
    """Whether an idle connection still answers."""
    if connection.closed:
        return False
    with suppress(Exception):
        connection.execute("SELECT 1")
        return True
    with suppress(Exception):
        connection.close()
    return False


def _whole_numbers() -> Any:
    """What reads a numeric: all that statements return are whole numbers."""
    from psycopg.adapt import Loader

    class Whole(Loader):
        def load(self, data: Any) -> int:
            return int(bytes(data))

    return Whole
