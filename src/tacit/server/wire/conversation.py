"""A conversation with one client, message by message: bytes come in, bytes go out, and no socket is known.

Checked by: tests/unit/server/wire/test_conversation.py, tests/unit/server/wire/test_sequences.py
"""

from __future__ import annotations

import asyncio
import struct
from collections.abc import Coroutine, Sequence
from typing import Any, TypeVar

from tacit.errors import AccessDenied
from tacit.server.wire import client_messages as client
from tacit.server.wire import server_messages as server
from tacit.server.wire.connection_options import read_options
from tacit.server.wire.copy_format import copy_rows
from tacit.server.wire.cursors import Outcome, Portal
from tacit.server.wire.door import Door, number_of
from tacit.server.wire.lexer import Statement, split_statements
from tacit.server.wire.problems import (
    INTERNAL,
    Problem,
    error_message,
    notice_message,
    problem_from,
)
from tacit.server.wire.read_values import read_value
from tacit.server.wire.row_forms import describe_columns, read_formats, text_bytes
from tacit.server.wire.scram import MECHANISM, PLUS, Exchange, ScramFailed
from tacit.server.wire.session import Session
from tacit.server.wire.settings import REPORTED, Settings
from tacit.server.wire.value_types import Field
from tacit.server.wire.write_values import to_binary

__all__ = ["Conversation"]
_REFUSED = "password authentication failed"
_TOKEN_HINT = "the password of a PostgreSQL client is a token of yours: tacit token new"  # noqa: S105 -- a hint
_DATABASES = frozenset({"postgres", "tacit", ""})

T = TypeVar("T")


class Conversation:
    """One client's conversation.

    Claim:      nothing that came before TLS is believed after it; nobody who has not signed in is answered.
    Because:    bytes that wait behind the request for TLS end the conversation, and until the exchange of SCRAM has
                ended no message but its own is read.
    Checked by: tests/unit/server/wire/test_conversation.py
    """

    def __init__(self, door: Door, address: str = "nowhere") -> None:
        self._door = door
        self._address = address
        self.incoming = client.Incoming()
        self.out = bytearray()
        self.is_over = False
        self.starts_tls = False  # set while what was sent is to be followed by a TLS handshake
        self.is_encrypted = False
        self.name = ""
        self.session: Session | None = None
        self._exchange: Exchange | None = None
        self._start: client.Start | None = None
        self._has_begun = False
        self._key = b""
        self._skips = False
        self._told: dict[str, str] = {}
        self._running: asyncio.Task[Any] | None = None
        self._cancelled = False

    def feed(self, data: bytes) -> None:
        """Take bytes of the client's."""
        self.incoming.feed(data)

    async def step(self) -> bool:
        """Handle the next message; False if there is none yet."""
        try:
            message = self.incoming.next()
        except client.BrokenFraming:
            self._end(
                Problem("08P01", "invalid message: this is not what clients send", fatal=True)
            )
            return False
        except client.InvalidMessage as wrong:
            self._fail(wrong, is_query=self.incoming.kind == b"Q")
            return not self.is_over
        if message is None or self.is_over:
            return False
        await self._handle(message)
        return not self.is_over and not self.starts_tls

    async def _handle(self, message: client.Message) -> None:
        if self.session is None:
            try:
                await self._sign_in(message)
            except (ScramFailed, AccessDenied):
                self._end(self._refusal())
            except Problem as wrong:
                self._end(wrong)
            except Exception as wrong:  # noqa: BLE001 -- what is said of it is constant
                self._end(self._problem_of(wrong))
            return
        if isinstance(message, client.Terminate):
            self.is_over = True
            return
        if isinstance(message, client.Sync):
            self._skips = False
            self._say_ready(self.session)
            return
        if self._skips:
            return
        try:
            await self._do(self.session, message)
        except Exception as wrong:  # noqa: BLE001 -- what is said of it is decided in one place
            self._fail(wrong, is_query=isinstance(message, client.Query))

    def close(self) -> None:
        """The client has gone: what it asked is asked to its end."""
        self._door.leave(self._key)
        self.is_over = True

    def cancel(self) -> None:
        """Stop waiting for what runs; the question is asked to its end all the same, and its answer is kept."""
        if self._running is not None:
            self._cancelled = True
            self._running.cancel()

    # ---------------------------------------------------------------- signing in

    async def _sign_in(self, message: client.Message) -> None:
        match message:
            case client.Encrypt():
                self._encrypt(gss=message.gss)
            case client.Cancel():
                self._door.cancel(message.key)
                self.is_over = True
            case client.Start():
                self._begin(message)
            case client.Secret() if self._start is not None:
                await self._prove(message.body)
            case client.Terminate():
                self.is_over = True
            case _:
                raise Problem("08P01", "nobody has signed in", fatal=True)

    def _encrypt(self, *, gss: bool) -> None:
        if gss or not self._door.encrypted:
            self.out += b"N"
            return
        if self.is_encrypted or self.incoming.pending:
            # What was sent in the clear behind the request would be read as if it had come through TLS.
            raise Problem("08P01", "bytes wait behind the request for TLS", fatal=True)
        self.out += b"S"
        self.starts_tls = True

    def _begin(self, start: client.Start) -> None:
        if self._door.encrypted and not self.is_encrypted:
            raise Problem("28000", "TLS is required", "connect with sslmode=require", fatal=True)
        self.name = start.parameters.get("user", "")
        if not self.name or "replication" in start.parameters:
            raise Problem("28000", "no user name is given", fatal=True)
        unknown = [name for name in start.parameters if name.startswith("_pq_.")]
        if start.minor or unknown:
            self.out += server.negotiate_version(unknown)
        self._start = start
        self.incoming.started = True
        offered = [PLUS, MECHANISM] if self._door.binding is not None else [MECHANISM]
        names = b"".join(server.zero_ended(name) for name in offered)
        self.out += server.authentication(10, names + b"\0")

    async def _prove(self, body: bytes) -> None:
        """A step of SCRAM: the first message has the mechanism, the second the proof."""
        desk, people = self._door.desk, self._door.desk.people
        if self._exchange is None:
            mechanism, zero, rest = body.partition(b"\0")
            if not zero or len(rest) < 4 or struct.unpack("!i", rest[:4])[0] != len(rest) - 4:
                raise ScramFailed
            salt = await desk.run(lambda: people.salt_of(self.name))
            self._exchange = Exchange(salt, self._door.binding)
            said = self._exchange.begin(mechanism.decode(errors="replace"), rest[4:])
            self.out += server.authentication(11, said)
            return
        exchange, held = self._exchange, list[str]()

        def check(signed: bytes, proof: bytes) -> bytes:
            found, signature = people.of_proof(self.name, signed, proof, self._address)
            held.append(found)
            return signature

        said = await desk.run(lambda: exchange.finish(body, check))
        self.out += server.authentication(12, said)
        self.out += server.authentication(0)
        self._open(held[0])

    def _refusal(self) -> Problem:
        """What is said to everyone who could not sign in."""
        return Problem("28P01", _REFUSED, _TOKEN_HINT, fatal=True)

    def _open(self, held: str) -> None:
        assert self._start is not None, "who signs in has begun"
        given = dict(self._start.parameters)
        database = given.pop("database", "")
        if database not in _DATABASES | {self._door.database, self.name}:
            hint = f"the database is called {self._door.database}"
            raise Problem("3D000", f'database "{database[:64]}" does not exist', hint, fatal=True)
        del given["user"]
        options = read_options(given.pop("options", ""))
        started = {name: value for name, value in given.items() if not name.startswith("_pq_.")}
        self._key = self._door.enter(self, self.name)
        fixed = {
            "session_authorization": self.name,
            "tacit.backend_pid": str(number_of(self._key)),
        }
        try:
            settings = Settings({**started, **options, **fixed})
        except Problem as wrong:
            raise Problem(wrong.code, wrong.said, wrong.hint, fatal=True) from None
        self.session = Session(
            self._door.desk,
            self._door.catalogue,
            held,
            settings,
            run_catalogue=lambda work: self._door.run_in_turn(self.name, work),
            cancel=lambda number: self._door.cancel_of(self.name, number),
        )
        self.incoming.signed_in = True
        self._report(self.session)
        self.out += server.message(b"K", self._key)
        self.out += server.ready("I")

    # ---------------------------------------------------------------- what is asked

    async def _do(self, session: Session, message: client.Message) -> None:
        match message:
            case client.Query():
                await self._query(session, message.text)
            case client.Parse():
                await self._cancellable(session.asking.wait_for_rate())
                await self._cancellable(
                    session.prepare(message.name, _single(message.text), message.types)
                )
                self.out += server.PARSE_COMPLETE
            case client.Bind():
                self._bind(session, message)
            case client.Describe():
                await self._cancellable(session.asking.wait_for_rate())
                await self._describe(session, message)
            case client.Execute():
                await self._cancellable(session.asking.wait_for_rate())
                await self._execute(session, message)
            case client.Close():
                (session.statements if message.kind == "S" else session.portals).pop(
                    message.name, None
                )
                self.out += server.CLOSE_COMPLETE
            case client.Flush() | client.Ignored():
                pass
            case _:
                raise Problem("08P01", "this message is not expected here", fatal=True)

    async def _query(self, session: Session, text: str) -> None:
        statements = split_statements(text)
        if not statements:
            self.out += server.EMPTY_QUERY
        for statement in statements:
            await self._cancellable(session.asking.wait_for_rate())
            outcome = await self._cancellable(session.run(statement), session.settings.timeout)
            self._say_notices(outcome)
            if outcome.copy is not None:
                self._say_copy(outcome)
            elif outcome.fields is not None:
                self.out += describe_columns(outcome.fields, ())
                self._say_rows(outcome.fields, outcome.rows, ())
            self.out += server.command_complete(outcome.tag)
            self._report(session)
        self._say_ready(session)

    def _bind(self, session: Session, message: client.Bind) -> None:
        prepared = session.statement(message.statement)
        session.refuse_if_failed(prepared.statement)
        count, needed = len(message.values), len(prepared.types)
        if count != needed:
            said = f"bind message supplies {count} parameters, but prepared statement requires {needed}"
            raise Problem("08P01", said)
        formats = read_formats(message.formats, count)
        values = tuple(
            read_value(raw, form, oid)
            for raw, form, oid in zip(message.values, formats, prepared.types, strict=True)
        )
        if any(form not in {0, 1} for form in message.result_formats):
            raise Problem("22023", "unsupported format code")
        portal = Portal(prepared.statement, values, prepared.types, message.result_formats)
        session.open(message.portal, portal)
        self.out += server.BIND_COMPLETE

    async def _describe(self, session: Session, message: client.Describe) -> None:
        if message.kind == "S":
            prepared = session.statement(message.name)
            found = await self._cancellable(
                session.describe(prepared.statement, prepared.types, prepared.samples)
            )
            formats: tuple[int, ...] = ()
            self.out += server.parameter_description(prepared.types)
        else:
            portal = session.portal(message.name)
            found = await self._cancellable(session.describe_portal(portal))
            formats = portal.formats
        self.out += server.NO_DATA if found is None else describe_columns(found, formats)

    async def _execute(self, session: Session, message: client.Execute) -> None:
        portal = session.portal(message.portal)
        is_new = portal.outcome is None
        outcome = await self._cancellable(session.run_portal(portal), session.settings.timeout)
        if outcome is None:
            self.out += server.EMPTY_QUERY
            return
        if is_new:
            self._say_notices(outcome)
        if outcome.fields is None or outcome.copy is not None:
            if not is_new:
                raise Problem("55000", "this portal was run already")
            if outcome.copy is not None:
                self._say_copy(outcome)
            self.out += server.command_complete(outcome.tag)
        else:
            rows = portal.take(message.limit)
            self._say_rows(outcome.fields, rows, portal.formats)
            if 0 < message.limit == len(rows):
                self.out += server.PORTAL_SUSPENDED
            else:
                tag = outcome.tag.rpartition(" ")[0] or outcome.tag
                counted = outcome.tag[-1:].isdigit()
                self.out += server.command_complete(
                    f"{tag} {len(rows)}" if counted else outcome.tag
                )
        self._report(session)

    async def _cancellable(self, work: Coroutine[Any, Any, T], seconds: float | None = None) -> T:
        """What the work returns; a request to cancel ends the waiting for it, and so does the session's time-out.

        Whatever was asked is asked to its end, and its answer is kept: when the waiting ends is the client's choice.
        """
        self._cancelled = False
        running: asyncio.Task[T] = asyncio.ensure_future(work)
        self._running = running
        try:
            async with asyncio.timeout(seconds) as limit:
                return await running
        except TimeoutError:
            if not limit.expired():
                raise
            raise Problem("57014", "canceling statement due to statement timeout") from None
        except asyncio.CancelledError:
            if not self._cancelled:
                raise
            raise Problem("57014", "canceling statement due to user request") from None
        finally:
            self._running = None

    # ---------------------------------------------------------------- what is said

    def _say_ready(self, session: Session) -> None:
        if not session.transaction.is_open:
            session.end_portals()
        self._report(session)
        self.out += server.ready(session.transaction.status)

    def _say_notices(self, outcome: Outcome) -> None:
        for said, detail in outcome.notices:
            self.out += notice_message(said, detail)

    def _say_rows(
        self, fields: Sequence[Field], rows: Sequence[Sequence[Any]], formats: Sequence[int]
    ) -> None:
        writers = [
            (to_binary if form else text_bytes, field.oid)
            for field, form in zip(fields, read_formats(formats, len(fields)), strict=True)
        ]
        for row in rows:
            cells = [
                None if cell is None else write(cell, oid)
                for cell, (write, oid) in zip(row, writers, strict=True)
            ]
            self.out += server.data_row(cells)

    def _say_copy(self, outcome: Outcome) -> None:
        assert outcome.copy is not None, "it is a COPY"
        assert outcome.fields is not None, "rows are copied"
        self.out += server.copy_out(len(outcome.fields), int(outcome.copy.form == "binary"))
        for data in copy_rows(outcome.copy, outcome.fields, outcome.rows):
            self.out += server.copy_data(data)
        self.out += server.COPY_DONE

    def _report(self, session: Session) -> None:
        """Tell the client of settings that it is to know of and that have changed."""
        for name in REPORTED:
            value = session.settings[name]
            if self._told.get(name) != value:
                self._told[name] = value
                self.out += server.parameter_status(name, value)

    def _problem_of(self, wrong: Exception) -> Problem:
        """What the client is told; a mistake of ours is written down for whoever runs the server."""
        problem = problem_from(wrong)
        if problem.said == INTERNAL:
            self._door.desk.note_mistake(wrong, "wire")
        return problem

    def _fail(self, wrong: Exception, *, is_query: bool) -> None:
        problem = self._problem_of(wrong)
        if self.session is None or problem.fatal:
            self._end(problem)
            return
        self.out += error_message(problem)
        self.session.transaction.fail()
        if is_query:
            self._say_ready(self.session)
        else:
            self._skips = True

    def _end(self, problem: Problem) -> None:
        """Say why, and end the conversation."""
        problem.fatal = True
        self.out += error_message(problem)
        self.is_over = True


def _single(text: str) -> Statement | None:
    statements = split_statements(text)
    if len(statements) > 1:
        raise Problem("42601", "cannot insert multiple commands into a prepared statement")
    return statements[0] if statements else None
