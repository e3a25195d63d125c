"""The PostgreSQL door at a socket: TLS before anything, bound channels, silent clients, and what is cut off."""

import socket
import ssl
import struct
import subprocess
import time

import pytest

from tacit.server.wire import connection
from tacit.server.wire.connection import WireServer
from tests.unit.server.clinics import COUNT, Loop, make_folder
from tests.unit.server.wire.rooms import (
    TERMINATE,
    Proof,
    Room,
    SmallCatalogue,
    fields_of,
    kinds,
    messages_of,
    query,
    start,
)

REQUEST = struct.pack("!ii", 8, 80877103)


@pytest.fixture(scope="module")
def certificate(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tls")
    file, key = folder / "a.crt", folder / "a.key"
    subprocess.run(
        [
            *(
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "ec",
                "-pkeyopt",
                "ec_paramgen_curve:prime256v1",
            ),
            *("-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext"),
            *("subjectAltName=DNS:localhost,IP:127.0.0.1", "-keyout", str(key), "-out", str(file)),
        ],
        check=True,
        capture_output=True,
    )
    return file, key


class Served:
    """A door at a port, on a loop of its own."""

    def __init__(self, folder, tls=None):
        self.room = Room(folder)
        self.loop = Loop()
        self.tls = tls

        async def start_server():
            self.server = WireServer(self.room.desk, SmallCatalogue(), database="clinic", tls=tls)
            return await self.server.start("127.0.0.1", 0)

        self.port = self.loop.run(start_server())

    def connect(self):
        return socket.create_connection(("127.0.0.1", self.port), timeout=20)

    def encrypted(self):
        plain = self.connect()
        plain.sendall(REQUEST)
        assert plain.recv(1) == b"S"
        context = ssl.create_default_context(cafile=str(self.tls[0]))
        return context.wrap_socket(plain, server_hostname="localhost")

    def close(self):
        self.loop.run(self.server.close())
        self.loop.run(self.room.desk.drain())
        self.loop.close()
        self.room.desk.close()
        self.room.loop.close()


@pytest.fixture(scope="module")
def served(tmp_path_factory, certificate):
    found = Served(make_folder(tmp_path_factory.mktemp("served") / "clinic"), certificate)
    yield found
    found.close()


def read_until(sock, kind):
    """What is said until a message of this kind, or the end."""
    data = b""
    while True:
        more = sock.recv(65536)
        data += more
        found = messages_of(data)
        if not more or any(each == kind for each, _ in found):
            return found


def sign_in(served, sock, header="n,,", binding=b"", user="ana"):
    proof = Proof(served.room.tokens[user], header=header, binding=binding)
    sock.sendall(start(user))
    read_until(sock, "R")
    sock.sendall(proof.first())
    ((kind, body),) = read_until(sock, "R")
    if kind == "E":
        return [(kind, body)]
    sock.sendall(proof.last(body[4:]))
    return read_until(sock, "Z")


def test_bytes_behind_the_request_for_tls_are_not_believed(served, certificate):
    """CVE-2021-23214: who sits in between sends the beginning of a session in the clear."""
    for behind in (start("mallory"), start("ana") + query(COUNT), b"x"):
        with served.connect() as sock:
            sock.sendall(REQUEST + behind)
            said = b""
            while more := sock.recv(65536):
                said += more
            assert not said.startswith(b"S")
            assert b"SCRAM" not in said
    with served.connect() as sock:  # behind the answer: it is read as TLS, and is none
        sock.sendall(REQUEST)
        assert sock.recv(1) == b"S"
        sock.sendall(start("mallory"))
        said = b""
        try:
            while more := sock.recv(65536):
                said += more
        except ConnectionResetError:
            pass
        assert b"SCRAM" not in said


def test_without_tls_nothing_is_served_where_it_is_demanded(served):
    with served.connect() as sock:
        sock.sendall(start())
        (wrong,) = [fields_of(body) for kind, body in read_until(sock, "E") if kind == "E"]
        assert wrong["M"] == "TLS is required"


def test_a_bound_channel_signs_in_and_one_bound_to_another_does_not(served, certificate):
    right = connection.read_end_point(certificate[0])
    header = "p=tls-server-end-point,,"
    with served.encrypted() as sock:
        assert kinds(sign_in(served, sock, header, right)).endswith("Z")
        sock.sendall(query("SELECT 1"))
        assert kinds(read_until(sock, "Z")) == "TDCZ"
        sock.sendall(TERMINATE)
        assert sock.recv(1) == b""
    with served.encrypted() as sock:
        assert "Z" not in kinds(sign_in(served, sock, header, bytes(32)))
    with served.encrypted() as sock:  # as if the server had offered no binding
        assert "Z" not in kinds(sign_in(served, sock, "y,,"))


def test_who_is_silent_is_cut_off(served, monkeypatch):
    monkeypatch.setattr(connection, "_UNTIL_SIGNED_IN", 0.2)
    with served.connect() as sock:
        assert sock.recv(1) == b""
    with served.encrypted() as sock:
        sock.sendall(start())
        read_until(sock, "R")
        assert sock.recv(100) == b""
    monkeypatch.setattr(connection, "_UNTIL_SIGNED_IN", 60.0)
    monkeypatch.setattr(connection, "_UNTIL_IDLE", 0.2)
    with served.encrypted() as sock:
        sign_in(served, sock)
        assert sock.recv(100) == b""


def test_there_is_an_end_to_connections(served, monkeypatch):
    deadline = time.monotonic() + 60
    while served.server._clients and time.monotonic() < deadline:
        time.sleep(0.01)  # those of other tests are about to go
    monkeypatch.setattr(connection, "_FROM_ONE_ADDRESS", 3)
    held = [served.connect() for _ in range(3)]
    for sock in held:
        sock.sendall(REQUEST)
        assert sock.recv(1) == b"S"
    with served.connect() as sock:
        assert fields_of(messages_of(sock.recv(1000))[0][1])["C"] == "53300"
    for sock in held:
        sock.close()


def test_who_hangs_up_while_a_question_is_asked_pays_once_and_finds_the_answer(served):
    before = served.room.charges()
    text = "SET tacit.epsilon = 0.1; SELECT COUNT(*) AS n FROM visits WHERE cost < 11"
    for _ in range(3):
        sock = served.encrypted()
        sign_in(served, sock)
        sock.sendall(query(text))
        sock.close()
    with served.encrypted() as sock:
        sign_in(served, sock)
        sock.sendall(query(text))
        assert "D" in kinds(read_until(sock, "Z"))
    assert served.room.charges() == before + 1


def test_much_that_is_sent_at_once_is_answered_in_order(served):
    with served.encrypted() as sock:
        sign_in(served, sock)
        sock.sendall(b"".join(query(f"SELECT {n}") for n in range(500)))
        said = []
        data = b""
        while kinds(said).count("Z") < 500:
            data += sock.recv(65536)
            said = whole_messages(data)
        assert kinds(said) == "TDCZ" * 500


def whole_messages(data):
    place = 0
    while place + 5 <= len(data):
        length = struct.unpack_from("!i", data, place + 1)[0] + 1
        if place + length > len(data):
            break
        place += length
    return messages_of(data[:place])


def test_a_server_that_stops_says_so(tmp_path):
    found = Served(make_folder(tmp_path / "clinic"))
    with found.connect() as sock:
        sign_in(found, sock)
        found.close()
        (wrong,) = [fields_of(body) for kind, body in read_until(sock, "E") if kind == "E"]
        assert wrong["C"] == "57P01"
