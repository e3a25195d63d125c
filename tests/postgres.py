"""A throw-away PostgreSQL for the process that asks for one: on loopback, on a free port, gone when the process is."""

import atexit
import hashlib
import hmac
import os
import pwd
import shlex
import shutil
import socket
import subprocess
import tempfile
import time
from base64 import b64encode
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import quote

import psycopg

from tests.missing import ServerMissing

ROLE, PASSWORD = "curator", "s3cret:/@%"  # a password that must be quoted in an address
STARTED = "SELECT pg_postmaster_start_time()"
PATIENCE = 180  # seconds for what takes one or two

# Tests prove what is asked of the server, not that it keeps its word at a power cut: it need not wait for the disk.
SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "max_connections": "200",
    "fsync": "off",
    "full_page_writes": "off",
    "autovacuum": "off",
    "shared_buffers": "32MB",
    "logging_collector": "off",
}

# The server lives as long as the shell's standard input is open, that is, as long as the process which started it:
# however that ends, nothing is left behind.
KEEPER = """
trap 'rm -rf {base}' EXIT
{cluster} >&2 && rm {password} || exit
start() {{ {server} & server=$!; }}
stop() {{ kill -$1 $server; wait $server; }}
start
while read -r crash; do stop QUIT; start; done
stop INT
"""


@dataclass(frozen=True)
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    port: int

    def address(self, schema: str | None = None, role: str = ROLE, **parameters: str) -> str:
        """The address of the database for this role, looking into this schema alone."""
        if schema is not None:
            parameters["options"] = f"-csearch_path={schema}"
        query = "&".join(f"{name}={quote(value, safe='')}" for name, value in parameters.items())
        return f"postgresql://{role}:{quote(PASSWORD, safe='')}@127.0.0.1:{self.port}/postgres?{query}".rstrip(
            "?"
        )

    def execute(self, *statements: str) -> list[tuple[Any, ...]]:
        """Run statements as the owner of everything, each for itself; the rows of the last."""
        with psycopg.connect(self.address(), autocommit=True) as connection:
            for statement in statements:
                cursor = connection.execute(statement.encode())
            return cursor.fetchall() if cursor.description else []

    def crash(self) -> None:
        """End the server without giving it time for anything, and start it again on what it left."""
        assert self.process.stdin is not None
        start, end = self.execute(STARTED), time.monotonic() + PATIENCE
        self.process.stdin.write(b"crash\n")
        self.process.stdin.flush()
        while time.monotonic() < end:
            with suppress(psycopg.OperationalError):
                if self.execute(STARTED) != start:
                    return
            time.sleep(0.02)
        raise AssertionError("the server does not recover")

    def stop(self) -> None:
        """Stop the server, and wait until it is gone."""
        assert self.process.stdin is not None
        self.process.stdin.close()
        self.process.wait(PATIENCE)


def programs() -> Path:
    """The folder with the server's programs."""
    debian = sorted(
        Path("/usr/lib/postgresql").glob("*/bin/initdb"), key=lambda path: int(path.parts[4])
    )
    found = shutil.which("initdb") or (debian[-1] if debian else None)
    if not found:
        raise ServerMissing(
            "there is no PostgreSQL server; install one with `make system` or `apt-get install postgresql`"
        )
    return Path(found).resolve().parent


def started(settings: Mapping[str, str] = SETTINGS) -> Server:
    """A new server; it is stopped when this process ends, or before by `stop`."""
    folder, base = programs(), Path(tempfile.mkdtemp(prefix="tacit-postgres-"))
    password = base / "password"
    password.write_text(_verifier(PASSWORD))
    who: dict[str, Any] = {}
    if os.geteuid() == 0:  # PostgreSQL refuses to run as root
        user = pwd.getpwnam("postgres")
        for path in (base, password):
            os.chown(path, user.pw_uid, user.pw_gid)
        who = {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]

    data = ["-D", base / "data"]
    cluster = [
        folder / "initdb",
        *data,
        "-U",
        ROLE,
        "-A",
        "scram-sha-256",
        f"--pwfile={password}",
        "--no-sync",
    ]
    options = {**settings, "port": str(port), "unix_socket_directories": str(base)}
    server = [folder / "postgres", *data, *(f"--{name}={value}" for name, value in options.items())]
    keeper = KEEPER.format(
        cluster=_line(cluster), server=_line(server), base=_line([base]), password=_line([password])
    )
    environment = {"PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8"}
    with tempfile.TemporaryFile() as log:
        process = subprocess.Popen(
            ["sh", "-c", keeper],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=log,
            cwd="/",
            env=environment,
            start_new_session=True,
            **who,
        )
        made = Server(process, port)
        if not _answers(made):
            log.seek(0)
            raise ServerMissing(
                f"the server does not answer: {log.read().decode(errors='replace')}"
            )
    return made


def _verifier(password: str) -> str:
    """What a server keeps of a password; hashed once and not thousands of times, since tests connect so often."""
    salt = b"throw-away"
    salted = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, iterations=1)
    stored = hashlib.sha256(hmac.digest(salted, b"Client Key", "sha256")).digest()
    parts = [
        b64encode(one).decode()
        for one in (salt, stored, hmac.digest(salted, b"Server Key", "sha256"))
    ]
    return "SCRAM-SHA-256$1:{}${}:{}".format(*parts)


def _line(words: Iterable[object]) -> str:
    return shlex.join(map(str, words))


def _answers(server: Server) -> bool:
    """Whether the server takes connections, once it has had its time to start."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and server.process.poll() is None:
        try:
            psycopg.connect(server.address(), connect_timeout=PATIENCE).close()
        except psycopg.OperationalError:
            time.sleep(0.02)
        else:
            return True
    return False


@cache
def _running(process: int) -> Server:
    server = started()

    def stop() -> None:
        if process == os.getpid():  # and not by a fork of it
            server.stop()

    atexit.register(stop)
    return server


_lent: list[Server] = []


def lend() -> None:
    """Let all forks of this process use its server: to start one of their own would take each a CPU second."""
    if not _lent:
        _lent.append(running())


def running() -> Server:
    """The server of this process, started when it is first asked for, or the one that its parent has lent to it."""
    return _lent[0] if _lent else _running(os.getpid())


_names = count()


def fresh_name(kind: str) -> str:
    """A name that nothing in the server has, whichever process uses it."""
    return f"{kind}_{os.getpid()}_{next(_names)}"


def fresh_schema() -> str:
    """The name of an empty schema in the server of this process; it goes with the server."""
    name = fresh_name("schema")
    running().execute(f"CREATE SCHEMA {name}")
    return name


def fresh_address() -> str:
    """The address of such a schema."""
    return running().address(fresh_schema())
