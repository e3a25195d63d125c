"""`tacit serve`: a vault is opened and checked, and served until somebody stops it."""

from __future__ import annotations

import asyncio
import fcntl
import gc
import os
import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from ipaddress import ip_address
from pathlib import Path
from typing import Any

from tacit.curator import Address, Vault, open_vault, read_ledger_place
from tacit.errors import InvalidData, InvalidInput
from tacit.extras import extra
from tacit.server.audit_log import AuditLog
from tacit.server.calibration import read_calibration
from tacit.server.certificates import check_certificate
from tacit.server.desk import Desk
from tacit.server.identities import FILE, Identities
from tacit.server.policy_changes import FILE as POLICY
from tacit.server.policy_changes import note_policy
from tacit.server.postgres_state_tables import PostgresTables, adopt_file
from tacit.server.public_catalogue import PublicCatalogue
from tacit.server.reload_requests import NOBODY, answer_reload_requests, request_reload
from tacit.server.server_health import Watching
from tacit.server.sessions import Sessions
from tacit.server.shared_board import SharedBoard
from tacit.server.shared_rate_limits import SharedRates
from tacit.server.slots import Slots
from tacit.server.state_tables import FileTables, Tables
from tacit.server.wire.connection import WireServer

__all__ = [
    "AUDIT",
    "MISSES",
    "Server",
    "check_installed",
    "check_port",
    "identities_of",
    "is_served",
    "prepare_process",
    "reload_policy",
    "serve",
]

LOCK = "server.lock"
"""The file by which a second server of the same vault is refused."""

AUDIT = "audit.jsonl"
"""Where events are logged, beside the policy of a vault."""

SWITCHING = 0.001
"""After so many seconds a thread that reads a question lets the loop go on, which sends answers when slots end."""

_LAST_PORT = (1 << 16) - 1

MISSES = "catalogue-misses.jsonl"
"""Where statements about the database are noted that could not be answered, beside the policy of a vault."""


def identities_of(vault: str | Path) -> Identities:
    """The identities of the vault in a directory."""
    return Identities(tables_of(vault))


def tables_of(vault: str | Path) -> Tables:
    """Where the identities of the vault in a directory are: beside its ledger if that is in PostgreSQL, else in a file.

    Claim:      servers over one ledger in PostgreSQL have the same people, tokens, sessions, allowances and keys.
    Because:    they are kept in its database, and looked up there at each request.
    Checked by: tests/laws/test_two_servers.py
    """
    folder = _folder_of(vault)
    if not folder.is_dir():
        raise InvalidInput("vault", str(vault), "name a directory with a tacit.toml")
    place = read_ledger_place(vault) if (folder / POLICY).is_file() else None
    if not isinstance(place, Address):
        return FileTables(folder / FILE)
    tables = PostgresTables(place.resolve())
    adopt_file(tables, folder / FILE)
    return tables


class Server:
    """A server over the vault in a directory: its desk, its sessions, its application."""

    def __init__(
        self,
        vault: str | Path,
        *,
        secure: bool,
        shared_limit: bool = False,
        workers: int = 2,
        slots: Slots | None = None,
        certificate: Path | None = None,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        with extra("server", "tacit serve"):
            from tacit.server.http.app import make_app
        folder = _folder_of(vault)
        tables = tables_of(vault)
        identities = Identities(tables)
        is_shared = isinstance(tables, PostgresTables)
        self._board = SharedBoard(tables) if is_shared else None

        def reopen() -> Vault:
            found = open_vault(vault)
            note_policy(identities, folder, found)
            return found

        opened = reopen()
        if not shared_limit:
            refuse_unlimited(opened, identities)
        self.identities = identities
        self.audit = AuditLog.at(folder / AUDIT)
        self.desk = Desk(
            opened,
            identities,
            slots=Slots(workers=workers) if slots is None else slots,
            audit=self.audit,
            calibration=read_calibration(folder),
            rates=SharedRates(identities) if is_shared else None,
            shared_limit=shared_limit,
            reopen=reopen,
            folder=folder,
            board=self._board,
            tell_curator=say,
        )
        self.folder = folder
        self.wire_place: tuple[int, str] | None = None
        self.watching = Watching(folder / MISSES, certificate)
        self.app = make_app(
            self.desk,
            Sessions(identities),
            secure=secure,
            wire=lambda: self.wire_place,
            watching=self.watching,
        )
        self.database = folder.resolve().name
        self.catalogue = PublicCatalogue(self.desk, self.database, folder / MISSES)

    def wire(self, tls: tuple[Path, Path] | None) -> WireServer:
        """The PostgreSQL door over the same desk."""
        return WireServer(self.desk, self.catalogue, database=self.database, tls=tls)

    def close(self) -> None:
        """Let go of the desk and of the catalogue's process."""
        self.catalogue.close()
        if self._board is not None:
            self._board.close()
        self.desk.close()

    def first_link(self) -> str | None:
        """The path of a link by which the first curator chooses a password; None if there is a curator who has one."""
        curators = [each for each in self.identities.people() if each.role == "curator"]
        if any(each.has_password and not each.disabled for each in curators):
            return None
        waiting = [each.name for each in curators if not each.disabled]
        name = waiting[0] if waiting else self._add_curator()
        return f"/welcome/{self.identities.new_link(name)}"

    def _add_curator(self) -> str:
        """Add the first curator, by a name that nobody has: somebody else may be called so, and stay what they are."""
        taken = {each.name for each in self.identities.people()}
        names = ("curator", *(f"curator-{number}" for number in range(2, len(taken) + 3)))
        name = next(each for each in names if each not in taken)
        self.identities.add(name, "curator")
        return name


def refuse_unlimited(vault: Vault, identities: Identities) -> None:
    """Refuse to serve analysts who could spend everyone's limit, since they have none of their own."""
    without = [
        each.name
        for each in identities.people()
        if each.role == "analyst" and not each.disabled and each.name not in vault.policy.analysts
    ]
    if without:
        vault.close()
        raise InvalidInput(
            f"a limit of their own for {', '.join(without)}",
            None,
            "without one they could spend everyone's: add "
            f"{' and '.join(f'[analysts.{each}]' for each in without[:3])} with an epsilon to the policy, disable them "
            "(tacit user disable), or say --shared-limit",
        )


def check_installed() -> None:
    """Refuse before anything is written if a library that a server needs is missing."""
    with extra("server", "tacit serve"):
        import argon2  # noqa: F401 -- which is needed later, as all that the application imports
        import uvicorn  # noqa: F401

        from tacit.server.http.app import make_app  # noqa: F401


def check_port(option: str, port: int | None) -> None:
    """Refuse a number that no port has."""
    if port is not None and not 0 <= port <= _LAST_PORT:
        raise InvalidInput(option, port, f"give a port from 1 to {_LAST_PORT}, or 0 for any")


def prepare_process() -> None:
    """Let answers leave in time: no thread keeps the others waiting, and no search for garbage goes through all that
    was there before the first question, which took a tenth of a second.
    """
    sys.setswitchinterval(SWITCHING)
    gc.collect()
    gc.freeze()


def serve(
    vault: str | Path,
    *,
    host: str = "127.0.0.1",
    port: int = 8443,
    pg: int | None = None,
    tls: tuple[Path, Path] | None = None,
    shared_limit: bool = False,
    workers: int = 2,
    say: Callable[[str], None] = lambda _: None,
    ready: Callable[[str], None] | None = None,
) -> None:
    """Serve a vault until SIGTERM or SIGINT: then no new questions are taken, and those that run come to their end.

    Claim:      without TLS nothing but this machine can reach it.
    Because:    an address that is not a loopback address is refused then.
    Checked by: tests/unit/server/test_serve_vault.py::test_without_tls_only_this_machine_is_served
    """
    if tls is None and not _is_loopback(host):
        raise InvalidInput(
            "--host", host, "without TLS only this machine is served; give --tls CERT KEY"
        )
    check_port("--http", port)
    check_port("--pg", pg)
    if tls is not None:
        check_certificate(*tls)
    with serve_alone(vault):
        _serve_until_stopped(
            vault,
            host=host,
            port=port,
            pg=pg,
            tls=tls,
            shared_limit=shared_limit,
            workers=workers,
            say=say,
            ready=ready,
        )


@contextmanager
def serve_alone(vault: str | Path) -> Iterator[None]:
    """While this lasts, no other server serves the vault, unless its ledger is in PostgreSQL: there they share a board.

    Claim:      nobody learns from a second server what was written in a slot of the first before that slot ends.
    Because:    a lock on a file beside the policy is held; and where the ledger is reached by other machines, too,
                every server hides what is written in the slots of all (`SharedBoard`).
    Checked by: tests/unit/server/test_serve_vault.py::test_a_vault_has_one_server
    """
    folder = _folder_of(vault)
    if isinstance(read_ledger_place(vault), Address):
        yield
        return
    handle = os.open(folder / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise InvalidInput(
                "vault", str(vault), "another server serves it: stop that one, or send people there"
            ) from None
        yield
    finally:
        os.close(handle)


def reload_policy(vault: str | Path) -> None:
    """Let the server of a vault read its policy again; a policy that is refused is refused here, and the server keeps
    the one that it has.
    """
    folder = _folder_of(vault)
    if not isinstance(read_ledger_place(vault), Address) and not is_served(folder):
        raise InvalidData(NOBODY)
    request_reload(folder)


def is_served(vault: str | Path) -> bool:
    """Whether a server holds the lock of a vault."""
    try:
        handle = os.open(_folder_of(vault) / LOCK, os.O_RDONLY)
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(handle)
    return False


def _serve_until_stopped(
    vault: str | Path,
    *,
    host: str,
    port: int,
    pg: int | None,
    tls: tuple[Path, Path] | None,
    shared_limit: bool,
    workers: int,
    say: Callable[[str], None],
    ready: Callable[[str], None] | None,
) -> None:
    with extra("server", "tacit serve"):
        import uvicorn
    server = Server(
        vault,
        secure=tls is not None,
        shared_limit=shared_limit,
        workers=workers,
        certificate=None if tls is None else tls[0],
        say=say,
    )
    config = uvicorn.Config(
        server.app,
        host=host,
        port=port,
        ssl_certfile=None if tls is None else str(tls[0]),
        ssl_keyfile=None if tls is None else str(tls[1]),
        log_level="critical",
        access_log=False,
        server_header=False,
        date_header=True,
        proxy_headers=False,
        limit_concurrency=512,
        timeout_keep_alive=30,
        h11_max_incomplete_event_size=16 * 1024,
        lifespan="off",
        timeout_graceful_shutdown=90,
    )
    server.desk.rehearse()
    server.desk.open_tables()
    prepare_process()
    try:
        asyncio.run(_serve(uvicorn.Server(config), server, tls, say, ready, pg))
    finally:
        server.audit.note("stopped")
        server.close()
        gc.unfreeze()  # what is left over is let go of as in any process: else libraries report it as lost


async def _serve(
    running: Any,
    server: Server,
    tls: tuple[Path, Path] | None,
    say: Callable[[str], None],
    ready: Callable[[str], None] | None,
    pg: int | None = None,
) -> None:
    """Run the server, and stop it in order: no new questions, the slots to their end, then the connections."""
    stopping = asyncio.Event()
    loop = asyncio.get_running_loop()
    running.capture_signals = nullcontext  # which are handled here, in another order
    for name in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(name, stopping.set)
    serving = asyncio.create_task(_run_plainly(running))
    while not running.started and not serving.done():
        await asyncio.sleep(0.02)
    if not serving.done():
        place = running.servers[0].sockets[0].getsockname()
        scheme = "http" if tls is None else "https"
        host = f"[{place[0]}]" if ":" in place[0] else place[0]
        url = f"{scheme}://{host}:{place[1]}"
        server.watching.counts["HTTP"] = lambda: len(running.server_state.connections)
        server.audit.note("started")
        say(f"Serving at {url}")
        try:
            door = (
                None if pg is None else await _open_wire(server, running.config.host, pg, tls, say)
            )
        except InvalidInput:
            running.should_exit = True
            await serving
            raise
        link = server.first_link()
        if link is not None:
            say(f"The curator chooses a password here, once: {url}{link}")
        if ready is not None:
            ready(url)
        waiting = asyncio.create_task(stopping.wait())
        reloading = asyncio.create_task(
            answer_reload_requests(server.folder, server.desk.reload_by_file)
        )
        await asyncio.wait({serving, waiting}, return_when=asyncio.FIRST_COMPLETED)
        waiting.cancel()
        reloading.cancel()
        await server.desk.drain()
        if door is not None:
            await door.close()
        running.should_exit = True
    await serving


async def _open_wire(
    server: Server, host: str, port: int, tls: tuple[Path, Path] | None, say: Callable[[str], None]
) -> WireServer:
    """Listen for PostgreSQL's clients, and say how they connect."""
    door = server.wire(tls)
    try:
        taken = await door.start(host, port)
    except OSError:
        raise InvalidInput("--pg", port, "the port cannot be used; name another one") from None
    server.wire_place = taken, server.database
    server.watching.counts["PostgreSQL"] = lambda: door.connections
    mode = "disable" if tls is None else "verify-full"
    say(f"psql: host={host} port={taken} dbname={server.database} user=NAME sslmode={mode}")
    return door


async def _run_plainly(running: Any) -> None:
    """Run uvicorn, and say in a sentence if it cannot have its port."""
    try:
        await running.serve()
    except SystemExit:
        raise InvalidInput(
            "--http", running.config.port, "the port cannot be used; name another one"
        ) from None


def _folder_of(vault: str | Path) -> Path:
    given = Path(vault)
    return given if given.is_dir() else given.parent


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
