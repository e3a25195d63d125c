"""What clients send (PostgreSQL's protocol, version 3): bytes as messages; nothing here knows a socket.

Checked by: tests/unit/server/wire/test_messages.py
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping

from tacit.frozen import frozen

__all__ = [
    "Bind",
    "BrokenFraming",
    "Cancel",
    "Close",
    "Describe",
    "Encrypt",
    "Execute",
    "Flush",
    "Ignored",
    "Incoming",
    "InvalidMessage",
    "MOST",
    "Message",
    "Parse",
    "Query",
    "Secret",
    "Start",
    "Sync",
    "Terminate",
]

MOST = 1 << 20
"""The longest message that is read, in bytes."""

_MOST_AT_START = 10_000
_MOST_UNTIL_SIGNED_IN = 4_096
_MOST_PARAMETERS = 1_000
_TLS, _GSS, _CANCEL = 80877103, 80877104, 80877102
_VERSION = 3


class BrokenFraming(Exception):
    """A length or a code that no client sends: nothing that follows can be trusted."""


class InvalidMessage(Exception):
    """A message whose content is not what its type says; the next one can be read."""

    def __init__(self, said: str, code: str = "08P01") -> None:
        self.said = said
        self.code = code
        super().__init__(said)


@frozen
class Encrypt:
    """A client asks whether the connection can be encrypted: by TLS, or (`gss`) by Kerberos."""

    gss: bool = False


@frozen
class Cancel:
    """Another connection's question is to be cancelled, whose key this is."""

    key: bytes


@frozen
class Start:
    """The first words of a client: who, which database, which settings, and the minor version it speaks."""

    parameters: Mapping[str, str]
    minor: int = 0


@frozen
class Secret:
    """A step of signing in."""

    body: bytes


@frozen
class Query:
    """A text of one or more statements."""

    text: str


@frozen
class Parse:
    """A statement to prepare, and the types of its parameters as far as the client names them."""

    name: str
    text: str
    types: tuple[int, ...] = ()


@frozen
class Bind:
    """Values for a prepared statement; a portal is opened over both."""

    portal: str
    statement: str
    formats: tuple[int, ...] = ()
    values: tuple[bytes | None, ...] = ()
    result_formats: tuple[int, ...] = ()


@frozen
class Describe:
    """What columns has a statement ("S") or a portal ("P")?"""

    kind: str
    name: str


@frozen
class Execute:
    """Run a portal, and return so many rows at most (0: all)."""

    portal: str
    limit: int = 0


@frozen
class Close:
    """Forget a statement ("S") or a portal ("P")."""

    kind: str
    name: str


@frozen
class Flush:
    """Send what is ready."""


@frozen
class Sync:
    """The end of a series of messages: errors before it are forgotten."""


@frozen
class Terminate:
    """Goodbye."""


@frozen
class Ignored:
    """A message that has no meaning now, such as data for a COPY that was refused."""


Message = (
    Encrypt
    | Cancel
    | Start
    | Secret
    | Query
    | Parse
    | Bind
    | Describe
    | Execute
    | Close
    | Flush
    | Sync
    | Terminate
    | Ignored
)


class Incoming:
    """Bytes that came in, and the messages that they are.

    Claim:      no message makes the server keep more than a megabyte, nor more than ten kilobytes before somebody has
                signed in.
    Because:    a length is checked before its bytes are waited for.
    Checked by: tests/unit/server/wire/test_messages.py::test_lengths_are_checked_before_their_bytes_are_read

    >>> incoming = Incoming()
    >>> incoming.started = incoming.signed_in = True
    >>> incoming.feed(b"Q\\0\\0\\0\\x0dSELECT 1\\0")
    >>> incoming.next()
    Query(text='SELECT 1')
    """

    def __init__(self) -> None:
        self._waiting = bytearray()
        self.started = False
        self.signed_in = False
        self.kind = b""  # of the message that was read last

    @property
    def pending(self) -> int:
        """How many bytes wait."""
        return len(self._waiting)

    def feed(self, data: bytes) -> None:
        """Take bytes."""
        self._waiting += data

    def next(self) -> Message | None:
        """The next message, None if its bytes are not all here."""
        return self._next_typed() if self.started else self._next_start()

    def _next_start(self) -> Message | None:
        if len(self._waiting) < 4:
            return None
        (length,) = struct.unpack_from("!i", self._waiting)
        if not 8 <= length <= _MOST_AT_START:
            raise BrokenFraming
        if len(self._waiting) < length:
            return None
        body = bytes(self._waiting[4:length])
        del self._waiting[:length]
        (code,) = struct.unpack_from("!i", body)
        if code in {_TLS, _GSS}:
            if length != 8:
                raise BrokenFraming
            return Encrypt(gss=code == _GSS)
        if code == _CANCEL:
            return Cancel(body[4:])
        if code >> 16 != _VERSION:
            raise BrokenFraming
        return _read_start(body[4:], code & 0xFFFF)

    def _next_typed(self) -> Message | None:
        if len(self._waiting) < 5:
            return None
        (length,) = struct.unpack_from("!i", self._waiting, 1)
        if not 4 <= length <= (MOST if self.signed_in else _MOST_UNTIL_SIGNED_IN):
            raise BrokenFraming
        if len(self._waiting) < length + 1:
            return None
        self.kind, body = bytes(self._waiting[:1]), bytes(self._waiting[5 : length + 1])
        del self._waiting[: length + 1]
        read = _READERS.get(self.kind)
        if read is None:
            raise BrokenFraming
        fields = _Fields(body)
        message = read(fields)
        fields.end()
        return message


class _Fields:
    """The fields of a message, from left to right."""

    def __init__(self, body: bytes) -> None:
        self._body = body
        self._place = 0

    def number(self, form: str) -> int:
        size = struct.calcsize(form)
        if self._place + size > len(self._body):
            raise InvalidMessage("invalid message format")
        (found,) = struct.unpack_from(form, self._body, self._place)
        self._place += size
        return int(found)

    def bytes_of(self, length: int) -> bytes:
        if length < 0 or self._place + length > len(self._body):
            raise InvalidMessage("invalid message format")
        found = self._body[self._place : self._place + length]
        self._place += length
        return found

    def text(self) -> str:
        end = self._body.find(b"\0", self._place)
        if end < 0:
            raise InvalidMessage("invalid message format")
        found = self._body[self._place : end]
        self._place = end + 1
        return decode_text(found)

    def rest(self) -> bytes:
        return self.bytes_of(len(self._body) - self._place)

    def counted(self, form: str) -> tuple[int, ...]:
        return tuple([self.number(form) for _ in range(self.count())])

    def count(self) -> int:
        found = self.number("!h")
        if not 0 <= found <= _MOST_PARAMETERS:
            raise InvalidMessage(f"at most {_MOST_PARAMETERS:,} parameters are supported", "54023")
        return found

    def end(self) -> None:
        if self._place != len(self._body):
            raise InvalidMessage("invalid message format")


def decode_text(raw: bytes) -> str:
    """A text that a client sent."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        raise InvalidMessage('invalid byte sequence for encoding "UTF8"', "22021") from None


def _read_start(body: bytes, minor: int) -> Start:
    if body != b"\0" and not body.endswith(b"\0\0"):
        raise BrokenFraming
    words = body[:-1].split(b"\0")[:-1]
    if len(words) % 2:
        raise BrokenFraming
    try:
        texts = [word.decode() for word in words]
    except UnicodeDecodeError:
        raise BrokenFraming from None
    return Start(dict(zip(texts[::2], texts[1::2], strict=True)), minor)


def _read_bind(fields: _Fields) -> Bind:
    portal, statement, formats = fields.text(), fields.text(), fields.counted("!h")
    values: list[bytes | None] = []
    for _ in range(fields.count()):
        length = fields.number("!i")
        values.append(None if length == -1 else fields.bytes_of(length))
    return Bind(portal, statement, formats, tuple(values), fields.counted("!h"))


def _kind_and_name(fields: _Fields) -> tuple[str, str]:
    kind = fields.bytes_of(1)
    if kind not in {b"S", b"P"}:
        raise InvalidMessage("invalid message format")
    return kind.decode(), fields.text()


def _ignore(fields: _Fields) -> Ignored:
    fields.rest()
    return Ignored()


_READERS: Mapping[bytes, Callable[[_Fields], Message]] = {
    b"Q": lambda fields: Query(fields.text()),
    b"P": lambda fields: Parse(fields.text(), fields.text(), fields.counted("!i")),
    b"B": _read_bind,
    b"D": lambda fields: Describe(*_kind_and_name(fields)),
    b"E": lambda fields: Execute(fields.text(), fields.number("!i")),
    b"C": lambda fields: Close(*_kind_and_name(fields)),
    b"H": lambda _: Flush(),
    b"S": lambda _: Sync(),
    b"X": lambda _: Terminate(),
    b"p": lambda fields: Secret(fields.rest()),
    **dict.fromkeys((b"d", b"c", b"f"), _ignore),
}
