"""The sockets of the PostgreSQL door: TLS before anything, one task a client, and an end for those who are silent."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from tacit.server.desk import Desk
from tacit.server.public_catalogue import PublicCatalogue
from tacit.server.wire.client_messages import MOST
from tacit.server.wire.conversation import Conversation
from tacit.server.wire.door import Door
from tacit.server.wire.problems import Problem, error_message
from tacit.server.wire.scram import read_end_point

__all__ = ["WireServer"]

_UNTIL_SIGNED_IN, _UNTIL_IDLE = 60.0, 3_600.0
_HANDSHAKE = 20.0
_ALL_AT_ONCE = 600  # sockets, signed in or not
_FROM_ONE_ADDRESS = 200
_WAITING = 4 * MOST
_ASKING = 4  # threads that wait for the catalogue


class WireServer:
    """The door at a port.

    >>> import asyncio, tacit
    >>> from tacit.server import Desk, Identities
    >>> clinic = tacit.protect([{"patient": 1}], unit="patient", contributions=1, columns={}, epsilon=3)
    >>> async def open_and_close():
    ...     server = WireServer(Desk(clinic, Identities()), catalogue=None)
    ...     port = await server.start("127.0.0.1", 0)
    ...     await server.close()
    ...     return port > 0
    >>> asyncio.run(open_and_close())
    True
    """

    def __init__(
        self,
        desk: Desk,
        catalogue: PublicCatalogue,
        *,
        database: str = "tacit",
        tls: tuple[Path, Path] | None = None,
    ) -> None:
        self._context: ssl.SSLContext | None = None
        binding = None
        if tls is not None:
            self._context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            self._context.load_cert_chain(*tls)
            binding = read_end_point(tls[0])
        self._threads = ThreadPoolExecutor(_ASKING, thread_name_prefix="tacit-catalogue")
        self.door = Door(
            desk,
            catalogue,
            database=database,
            encrypted=tls is not None,
            binding=binding,
            run_catalogue=self._run_catalogue,
        )
        self._clients: set[_Client] = set()
        self._server: asyncio.Server | None = None

    @property
    def connections(self) -> int:
        """How many clients are connected."""
        return len(self._clients)

    async def start(self, host: str, port: int) -> int:
        """Listen; the port at which it does."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_server(self._admit, host, port, backlog=256)
        found: int = self._server.sockets[0].getsockname()[1]
        return found

    async def close(self) -> None:
        """Listen no more, and end what is open."""
        if self._server is not None:
            self._server.close()
        tasks = [client.end() for client in list(self._clients)]
        await asyncio.gather(*[task for task in tasks if task is not None], return_exceptions=True)
        if self._server is not None:
            await self._server.wait_closed()
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _admit(self) -> _Client:
        return _Client(self)

    def enter(self, client: _Client) -> bool:
        """Count a socket; False if there are too many, of all or from one address."""
        near = sum(1 for each in self._clients if each.address == client.address)
        if len(self._clients) >= _ALL_AT_ONCE or near >= _FROM_ONE_ADDRESS:
            return False
        self._clients.add(client)
        return True

    def leave(self, client: _Client) -> None:
        """Forget a socket."""
        self._clients.discard(client)

    async def encrypt(self, client: _Client, transport: asyncio.Transport) -> asyncio.Transport:
        """The transport within TLS."""
        assert self._context is not None, "TLS is offered with a certificate alone"
        loop = asyncio.get_running_loop()
        upgraded = await loop.start_tls(
            transport,
            client,
            self._context,
            server_side=True,
            ssl_handshake_timeout=_HANDSHAKE,
            ssl_shutdown_timeout=1.0,
        )
        assert upgraded is not None, "a transport that is open can be upgraded"
        return upgraded

    async def _run_catalogue(self, work: Callable[[], Any]) -> Any:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)


class _Client(asyncio.Protocol):
    """One socket: bytes are handed on to its conversation and back, neither faster than the other side takes them."""

    def __init__(self, server: WireServer) -> None:
        self._server = server
        self.address = "nowhere"
        self._transport: asyncio.Transport | None = None
        self._conversation: Conversation | None = None
        self._arrived = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._task: asyncio.Task[None] | None = None
        self._is_lost = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport), "the door listens at TCP"
        self._transport = transport
        peer = transport.get_extra_info("peername")
        self.address = str(peer[0]) if peer else "nowhere"
        if not self._server.enter(self):
            transport.write(error_message(Problem("53300", "too many connections", fatal=True)))
            transport.close()
            return
        self._conversation = Conversation(self._server.door, self.address)
        self._task = asyncio.get_running_loop().create_task(self._serve(self._conversation))

    def data_received(self, data: bytes) -> None:
        if self._conversation is None or self._transport is None:
            return
        self._conversation.feed(data)
        if self._conversation.incoming.pending > _WAITING:
            self._transport.pause_reading()
        self._arrived.set()

    def eof_received(self) -> None:
        self._is_lost = True
        self._arrived.set()

    def connection_lost(self, _: Exception | None) -> None:
        self._is_lost = True
        self._arrived.set()
        self._writable.set()
        if self._conversation is not None:
            self._conversation.cancel()  # nobody waits any more; what was asked is asked to its end

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    def end(self) -> asyncio.Task[None] | None:
        """Stop serving this socket."""
        if self._task is not None:
            self._task.cancel()
        return self._task

    async def _serve(self, conversation: Conversation) -> None:
        assert self._transport is not None, "it is connected"
        try:
            await self._talk(conversation)
        except (TimeoutError, OSError, ssl.SSLError):
            pass  # the client has gone, or never was one
        except asyncio.CancelledError:
            conversation.out += error_message(
                Problem("57P01", "the server is stopping", "connect again in a minute", fatal=True)
            )
            self._flush(conversation)
        finally:
            conversation.close()
            self._server.leave(self)
            self._transport.close()

    async def _talk(self, conversation: Conversation) -> None:
        signed_in_by = asyncio.get_running_loop().time() + _UNTIL_SIGNED_IN
        while not conversation.is_over:
            while await conversation.step():
                await self._send(conversation)
                if self._is_lost:
                    return
            await self._send(conversation)
            if conversation.starts_tls:
                await self._start_tls(conversation)
                continue
            if self._is_lost or conversation.is_over:
                return
            seconds = _UNTIL_IDLE
            if conversation.session is None:
                seconds = signed_in_by - asyncio.get_running_loop().time()
            self._arrived.clear()
            if self._transport is not None and not self._transport.is_reading():
                self._transport.resume_reading()
            async with asyncio.timeout(max(0.0, seconds)):
                await self._arrived.wait()

    async def _start_tls(self, conversation: Conversation) -> None:
        """Go on within TLS.

        Claim:      what was sent in the clear behind the request for TLS is never read as if it had come through it.
        Because:    reading is paused before the answer leaves; whatever had arrived by then ends the conversation, and
                    whatever arrives later is read by TLS alone.
        Checked by: tests/attacks/test_wire_tls.py::test_bytes_behind_the_request_for_tls_are_not_believed
        """
        assert self._transport is not None, "it is connected"
        if conversation.incoming.pending:
            conversation.is_over = True
            return
        self._transport = await self._server.encrypt(self, self._transport)
        conversation.starts_tls = False
        conversation.is_encrypted = True

    async def _send(self, conversation: Conversation) -> None:
        if conversation.starts_tls and self._transport is not None:
            self._transport.pause_reading()  # before the client may begin its handshake
        self._flush(conversation)
        if not self._writable.is_set():
            await self._writable.wait()

    def _flush(self, conversation: Conversation) -> None:
        if conversation.out and self._transport is not None and not self._is_lost:
            self._transport.write(bytes(conversation.out))
        conversation.out.clear()
