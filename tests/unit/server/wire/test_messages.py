"""Messages are read whole or not at all, within their limits, and written as the protocol has them."""

import struct

import pytest

from tacit.server.wire import client_messages as client
from tacit.server.wire import server_messages as server
from tests.unit.server.wire import rooms


def reader(**given):
    incoming = client.Incoming()
    incoming.started, incoming.signed_in = given.get("started", True), given.get("signed_in", True)
    return incoming


def read(data, **given):
    incoming = reader(**given)
    incoming.feed(data)
    return incoming.next()


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (rooms.query("SELECT 1"), client.Query("SELECT 1")),
        (rooms.parse("SELECT $1", "s", (20, 0)), client.Parse("s", "SELECT $1", (20, 0))),
        (
            rooms.bind("p", "s", (b"5", None), (1,), (0, 1)),
            client.Bind("p", "s", (1,), (b"5", None), (0, 1)),
        ),
        (rooms.describe("S", "s"), client.Describe("S", "s")),
        (rooms.execute("p", 7), client.Execute("p", 7)),
        (rooms.close("P", "p"), client.Close("P", "p")),
        (rooms.SYNC, client.Sync()),
        (rooms.FLUSH, client.Flush()),
        (rooms.TERMINATE, client.Terminate()),
        (rooms.message(b"p", b"abc"), client.Secret(b"abc")),
        (rooms.message(b"d", b"abc"), client.Ignored()),
    ],
)
def test_a_message_is_read_when_its_last_byte_is_there(data, found):
    incoming = reader()
    for byte in data[:-1]:
        incoming.feed(bytes([byte]))
        assert incoming.next() is None
    incoming.feed(data[-1:] + b"Q")
    assert incoming.next() == found
    assert incoming.pending == 1


def test_the_first_message_names_who_and_what():
    found = read(rooms.start("ana", database="clinic", options=""), started=False)
    assert found == client.Start({"user": "ana", "database": "clinic", "options": ""})
    assert read(struct.pack("!ii", 8, 80877103), started=False) == client.Encrypt()
    assert read(struct.pack("!ii", 8, 80877104), started=False) == client.Encrypt(gss=True)
    assert read(struct.pack("!iiii", 16, 80877102, 1, 2), started=False) == client.Cancel(
        struct.pack("!ii", 1, 2)
    )


@pytest.mark.parametrize(
    "data",
    [
        struct.pack("!ii", 7, 0),
        struct.pack("!ii", 10_001, 196608),
        struct.pack("!ii", 8, 131072),
        struct.pack("!iii", 12, 80877103, 0),
        struct.pack("!ii", 13, 196608) + b"user\0",
        struct.pack("!ii", 14, 196608) + b"user\0\0",
        struct.pack("!ii", 12, 196608) + b"\xff\0\0\0",
    ],
)
def test_a_start_that_no_client_sends_ends_it(data):
    with pytest.raises(client.BrokenFraming):
        read(data, started=False)


def test_lengths_are_checked_before_their_bytes_are_read():
    for length in (3, -1, client.MOST + 1):
        with pytest.raises(client.BrokenFraming):
            read(b"Q" + struct.pack("!i", length))
    assert read(b"Q" + struct.pack("!i", client.MOST)) is None
    with pytest.raises(client.BrokenFraming):
        read(b"p" + struct.pack("!i", 5_000), signed_in=False)
    with pytest.raises(client.BrokenFraming):
        read(b"~" + struct.pack("!i", 4))


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (rooms.message(b"Q", b"no end"), "08P01"),
        (rooms.message(b"Q", b"SELECT\0more\0"), "08P01"),
        (rooms.message(b"Q", b"\xff\0"), "22021"),
        (rooms.message(b"P", b"s\0q\0" + struct.pack("!h", -1)), "54023"),
        (rooms.message(b"P", b"s\0q\0" + struct.pack("!h", 1_001)), "54023"),
        (rooms.message(b"P", b"s\0q\0" + struct.pack("!h", 2) + bytes(4)), "08P01"),
        (rooms.message(b"B", b"p\0s\0" + struct.pack("!hhi", 0, 1, 9) + b"x"), "08P01"),
        (rooms.message(b"B", b"p\0s\0" + struct.pack("!hhi", 0, 1, -2)), "08P01"),
        (rooms.message(b"D", b"Xname\0"), "08P01"),
        (rooms.message(b"S", b"x"), "08P01"),
    ],
)
def test_a_message_that_is_not_what_its_type_says_is_refused_and_the_next_is_read(data, code):
    incoming = reader()
    incoming.feed(data + rooms.SYNC)
    with pytest.raises(client.InvalidMessage) as refusal:
        incoming.next()
    assert refusal.value.code == code
    assert incoming.next() == client.Sync()


def test_what_the_server_says_is_framed():
    assert server.ready("I") == b"Z\0\0\0\x05I"
    assert server.parameter_status("a\0b", "c") == b"S\0\0\0\x09ab\0c\0"
    ((_, body),) = rooms.messages_of(server.row_description([("n", 20, 8, -1, 1)]))
    assert rooms.columns_of(body) == [("n", 20, 1)]
    ((_, body),) = rooms.messages_of(server.data_row([b"1", None, b""]))
    assert rooms.cells_of(body) == [b"1", None, b""]
    ((kind, body),) = rooms.messages_of(server.negotiate_version(["_pq_.x"]))
    assert (kind, body) == ("v", struct.pack("!ii", 0, 1) + b"_pq_.x\0")
