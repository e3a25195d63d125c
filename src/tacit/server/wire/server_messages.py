"""What the server sends (PostgreSQL's protocol, version 3): messages as bytes; nothing here knows a socket.

Checked by: tests/unit/server/wire/test_messages.py
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence

__all__ = ["message"]


# -------------------------------------------------------------------- what the server says


def message(kind: bytes, body: bytes = b"") -> bytes:
    """A message of the server's."""
    return kind + struct.pack("!i", len(body) + 4) + body


def zero_ended(text: str) -> bytes:
    """A text as the protocol has it; a zero within it would end it, and is left out."""
    return text.replace("\0", "").encode(errors="replace") + b"\0"


def authentication(step: int, body: bytes = b"") -> bytes:
    """A step of signing in: 10 names the mechanisms, 11 and 12 go on, 0 is its end."""
    return message(b"R", struct.pack("!i", step) + body)


def parameter_status(name: str, value: str) -> bytes:
    """A setting that the client is told of."""
    return message(b"S", zero_ended(name) + zero_ended(value))


def key_data(process: int, key: bytes) -> bytes:
    """The key by which another connection may cancel what runs on this one."""
    return message(b"K", struct.pack("!i", process) + key)


def ready(status: str) -> bytes:
    """Ready for the next question: idle (I), in a transaction (T) or in one that failed (E)."""
    return message(b"Z", status.encode())


def negotiate_version(unknown: Sequence[str]) -> bytes:
    """Version 3.0 is spoken, and these options are not."""
    names = b"".join(zero_ended(name) for name in unknown)
    return message(b"v", struct.pack("!ii", 0, len(unknown)) + names)


def fault(kind: bytes, fields: Iterable[tuple[str, str]]) -> bytes:
    """An error (E) or a notice (N): its fields by their letters."""
    return message(
        kind, b"".join(letter.encode() + zero_ended(text) for letter, text in fields) + b"\0"
    )


def row_description(columns: Sequence[tuple[str, int, int, int, int]]) -> bytes:
    """The columns of what follows: name, type, its length, modifier and format of each."""
    found = [struct.pack("!h", len(columns))]
    found += [
        zero_ended(name) + struct.pack("!ihIhih", 0, 0, oid, length, modifier, form)
        for name, oid, length, modifier, form in columns
    ]
    return message(b"T", b"".join(found))


def data_row(cells: Sequence[bytes | None]) -> bytes:
    """A row."""
    return message(b"D", cells_of(cells))


def cells_of(cells: Sequence[bytes | None]) -> bytes:
    """The cells of a row, each with its length."""
    found = [struct.pack("!h", len(cells))]
    found += [_NULL if cell is None else struct.pack("!i", len(cell)) + cell for cell in cells]
    return b"".join(found)


_NULL = struct.pack("!i", -1)


def parameter_description(types: Sequence[int]) -> bytes:
    """The types of a statement's parameters."""
    return message(b"t", struct.pack(f"!h{len(types)}I", len(types), *types))


def command_complete(tag: str) -> bytes:
    """A statement is done."""
    return message(b"C", zero_ended(tag))


def copy_out(columns: int, form: int) -> bytes:
    """Rows follow as COPY sends them, as text (0) or binary (1)."""
    return message(b"H", struct.pack("!bh", form, columns) + struct.pack("!h", form) * columns)


def copy_data(data: bytes) -> bytes:
    """A row as COPY sends it."""
    return message(b"d", data)


PARSE_COMPLETE = message(b"1")
BIND_COMPLETE = message(b"2")
CLOSE_COMPLETE = message(b"3")
NO_DATA = message(b"n")
EMPTY_QUERY = message(b"I")
PORTAL_SUSPENDED = message(b"s")
COPY_DONE = message(b"c")
