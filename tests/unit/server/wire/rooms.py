"""A small vault behind the PostgreSQL door, a catalogue that knows constants, and a client without a socket."""

import asyncio
import base64
import hashlib
import hmac
import struct
from contextlib import contextmanager
from types import SimpleNamespace

from tacit.server import Identities
from tacit.server.wire.conversation import Conversation
from tacit.server.wire.door import Door
from tests.unit.server.clinics import add_people, make_desk

DATA = ("visits",)


class SmallCatalogue:
    """Answers constants and lists of tables: what the room `catalogue` does in a process of its own."""

    def __init__(self):
        self.asked = []

    def reads(self, sql):
        low = sql.lower()
        return not any(name in low for name in DATA) and low.lstrip("( ").startswith(
            ("select", "with", "values")
        )

    def parameters(self, sql, given=()):
        return [oid or 25 for oid in given]

    def columns(self, who, sql, types=(), settings=None, tables=None):
        return [SimpleNamespace(name="?column?", oid=23, modifier=-1)]

    def ask(self, who, sql, values=(), settings=None, tables=None):
        self.asked.append((who.name, sql, tuple(values), tables))
        return SimpleNamespace(columns=self.columns(who, sql), rows=((1,),), settings=())


def message(kind, body=b""):
    return kind + struct.pack("!i", len(body) + 4) + body


def text(value):
    return value.encode() + b"\0"


def query(sql):
    return message(b"Q", text(sql))


def parse(sql, name="", types=()):
    return message(
        b"P", text(name) + text(sql) + struct.pack(f"!h{len(types)}i", len(types), *types)
    )


def bind(portal="", statement="", values=(), formats=(), results=()):
    body = (
        text(portal) + text(statement) + struct.pack(f"!h{len(formats)}h", len(formats), *formats)
    )
    body += struct.pack("!h", len(values))
    for value in values:
        body += struct.pack("!i", -1) if value is None else struct.pack("!i", len(value)) + value
    return message(b"B", body + struct.pack(f"!h{len(results)}h", len(results), *results))


def describe(kind="P", name=""):
    return message(b"D", kind.encode() + text(name))


def execute(portal="", limit=0):
    return message(b"E", text(portal) + struct.pack("!i", limit))


def close(kind, name):
    return message(b"C", kind.encode() + text(name))


SYNC, FLUSH, TERMINATE = message(b"S"), message(b"H"), message(b"X")


def start(user="ana", **parameters):
    body = struct.pack("!i", 196608) + text("user") + text(user)
    for name, value in parameters.items():
        body += text(name.replace("__", ".")) + text(value)
    body += b"\0"
    return struct.pack("!i", len(body) + 4) + body


def messages_of(data):
    """What the server said: pairs of kind and body."""
    found, place = [], 0
    while place < len(data):
        kind = data[place : place + 1].decode()
        (length,) = struct.unpack_from("!i", data, place + 1)
        found.append((kind, bytes(data[place + 5 : place + 1 + length])))
        place += 1 + length
    return found


def fields_of(body):
    """The fields of an error or a notice."""
    return {part[:1].decode(): part[1:].decode() for part in body.split(b"\0") if part}


def cells_of(body):
    """The cells of a row."""
    (count,) = struct.unpack_from("!h", body)
    found, place = [], 2
    for _ in range(count):
        (length,) = struct.unpack_from("!i", body, place)
        place += 4
        found.append(None if length < 0 else body[place : place + length])
        place += max(length, 0)
    return found


def columns_of(body):
    """The names, types and formats of a row description."""
    (count,) = struct.unpack_from("!h", body)
    found, place = [], 2
    for _ in range(count):
        end = body.index(b"\0", place)
        name = body[place:end].decode()
        _, _, oid, _, _, form = struct.unpack_from("!ihIhih", body, end + 1)
        found.append((name, oid, form))
        place = end + 19
    return found


class Proof:
    """The client's side of SCRAM."""

    def __init__(self, token, nonce="rOprNGfwEbeRWgbNEkqO", header="n,,", binding=b""):
        self.token, self.header, self.binding = token, header, binding
        self.bare = f"n=,r={nonce}"
        self.mechanism = "SCRAM-SHA-256-PLUS" if header.startswith("p") else "SCRAM-SHA-256"

    def first(self):
        said = (self.header + self.bare).encode()
        return message(b"p", text(self.mechanism) + struct.pack("!i", len(said)) + said)

    def last(self, server):
        fields = dict(field.split("=", 1) for field in server.decode().split(","))
        salted = hashlib.pbkdf2_hmac(
            "sha256", self.token.encode(), base64.b64decode(fields["s"]), int(fields["i"])
        )
        channel = base64.b64encode(self.header.encode() + self.binding).decode()
        without = f"c={channel},r={fields['r']}"
        signed = f"{self.bare},{server.decode()},{without}".encode()
        key = hmac.digest(salted, b"Client Key", "sha256")
        mask = hmac.digest(hashlib.sha256(key).digest(), signed, "sha256")
        proof = bytes(a ^ b for a, b in zip(key, mask, strict=True))
        self.expected = hmac.digest(hmac.digest(salted, b"Server Key", "sha256"), signed, "sha256")
        return message(b"p", f"{without},p={base64.b64encode(proof).decode()}".encode())


class Client:
    """A client that speaks to a conversation without a socket."""

    def __init__(self, room, user="ana", token=None, **parameters):
        self.room = room
        self.conversation = Conversation(room.door, "127.0.0.1")
        self.greeting = []
        if token is not False:
            self.greeting = self.sign_in(
                user, room.tokens.get(user, "") if token is None else token, **parameters
            )

    def sign_in(self, user, token, **parameters):
        proof = Proof(token)
        said = self.send(start(user, **parameters))
        if self.conversation.is_over:
            return said
        said += self.send(proof.first())
        challenge = [body for kind, body in said if kind == "R"][-1]
        if challenge[:4] != struct.pack("!i", 11):
            return said
        return said + self.send(proof.last(challenge[4:]))

    def send(self, *parts):
        """What the server says to these messages."""
        self.conversation.feed(b"".join(parts))
        return messages_of(self.room.run(self._pump()))

    async def _pump(self):
        while await self.conversation.step():
            pass
        said = bytes(self.conversation.out)
        self.conversation.out.clear()
        return said

    def ask(self, sql):
        return self.send(query(sql))

    def rows(self, sql):
        """The rows of a question, as texts."""
        said = self.ask(sql)
        errors = [fields_of(body) for kind, body in said if kind == "E"]
        assert not errors, errors
        return [
            tuple(None if cell is None else cell.decode() for cell in cells_of(body))
            for kind, body in said
            if kind == "D"
        ]

    def error(self, *parts):
        """The error in which these messages end."""
        said = self.send(*parts)
        return next(fields_of(body) for kind, body in said if kind == "E")


def kinds(said):
    """The kinds of what was said, as one text."""
    return "".join(kind for kind, _ in said)


class Room:
    """The door, the loop on which it lives, and a token for everybody."""

    def __init__(self, folder, **given):
        self.loop = asyncio.new_event_loop()
        identities = add_people(Identities())
        self.tokens = {name: identities.new_token(name) for name in ("ana", "ben", "cleo", "otto")}
        self.identities = identities
        self.catalogue = given.pop("catalogue", None) or SmallCatalogue()
        door = {
            name: given.pop(name) for name in ("encrypted", "binding", "database") if name in given
        }
        self.desk = make_desk(folder, identities=identities, **given)
        self.door = Door(self.desk, self.catalogue, **door)

    def run(self, work):
        return self.loop.run_until_complete(work)

    def charges(self):
        """How many charges the ledger holds."""
        return sum(1 for _ in self.desk._vault.ledger.entries())

    def client(self, user="ana", **given):
        return Client(self, user, **given)

    def close(self):
        self.run(self.desk.drain())
        self.loop.close()
        self.desk.close()


@contextmanager
def open_room(folder, **given):
    room = Room(folder, **given)
    try:
        yield room
    finally:
        room.close()
