"""Connections that are cut after every chunk, on the way there and on the way back: one charge, the same bytes."""

import json
import random
import socket
import struct
import time
from urllib.parse import urlsplit

import pytest

from tacit.server import Identities
from tests.unit.remote.serving import served
from tests.unit.server.clinics import POLICY, make_folder

AMPLE = POLICY.replace("epsilon = 20\n", "epsilon = 2000\n").replace(
    "epsilon = 10\n", "epsilon = 1000\n"
)
PIECE = 160  # bytes of a response that are read at a time
RESET = struct.pack("ii", 1, 0)


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("cut") / "clinic", AMPLE)
    with served(folder, Identities()) as (url, desk, people):
        yield Subject(url, desk, people.new_token("ana"))


class Subject:
    """A server, and raw requests to it."""

    def __init__(self, url, desk, token):
        self.desk, self.token = desk, token
        self.place = urlsplit(url).hostname, urlsplit(url).port
        self.asked = 0

    def entries(self):
        return list(self.desk._vault.ledger.entries())

    def new_request(self):
        """A question that nobody asked before, in the chunks that are sent."""
        self.asked += 1
        sql = (
            f"SELECT ward, COUNT(*) AS n FROM visits WHERE cost > {self.asked} / 1024 GROUP BY ward"
        )
        body = json.dumps({"sql": sql, "epsilon": 0.125}).encode()
        lines = [
            b"POST /api/v1/answers HTTP/1.1\r\n",
            b"Host: tacit\r\nConnection: close\r\n",
            f"Authorization: Bearer {self.token}\r\n".encode(),
            b"Content-Type: application/json\r\n",
            f"Idempotency-Key: key {self.asked}\r\n".encode(),
            f"Content-Length: {len(body)}\r\n\r\n".encode(),
        ]
        return [*lines, body[:20], body[20:-1], body[-1:]]

    def send(self, chunks, *, read=None, reset=False):
        """What comes back, or as many pieces of it as are read before the connection is cut."""
        line = socket.create_connection(self.place, timeout=30)
        if reset:
            line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        try:
            for chunk in chunks:
                line.sendall(chunk)
            found = b""
            while read is None or read > 0:
                piece = line.recv(PIECE)
                if not piece:
                    break
                found += piece
                read = None if read is None else read - 1
            return found
        finally:
            line.close()

    def ask(self, chunks):
        """The answer under a key, however often it takes: an earlier try may still be in its slot."""
        for _ in range(3_000):
            head, _, body = self.send(chunks).partition(b"\r\n\r\n")
            status = int(head.split()[1])
            if status == 200:
                return json.loads(body)
            assert (status, json.loads(body)["type"]) == (409, "/problems/key-running")
            time.sleep(0.02)
        raise AssertionError("no answer under this key")

    def check(self, cut):
        """Cut a request, and look whether its question is charged once and answered with the same bytes."""
        before, chunks = len(self.entries()), self.new_request()
        cut(chunks)
        first, second = self.ask(chunks), self.ask(chunks)
        entries = self.entries()
        assert len(entries) == before + 1
        assert entries[-1].number == first["receipt"]["entry"]
        known = {name: value for name, value in first.items() if name != "id"}
        assert known == {name: value for name, value in second.items() if name != "id"}
        total = sum(entry.charge.amount for entry in entries)
        assert total == self.desk._vault.ledger.total_spent().amount


@pytest.mark.parametrize("reset", [False, True])
@pytest.mark.parametrize("sent", range(10))
def test_a_request_that_is_cut_after_a_chunk_is_charged_once(server, sent, reset):
    server.check(lambda chunks: server.send(chunks[:sent], read=0, reset=reset))


@pytest.mark.parametrize("read", range(12))
def test_a_response_that_is_cut_after_a_piece_is_charged_once(server, read):
    server.check(lambda chunks: server.send(chunks, read=read, reset=bool(read % 2)))


@pytest.mark.soak
def test_five_hundred_cuts_at_random(server):
    drawn = random.Random(1)

    def cut(chunks):
        whole = b"".join(chunks)
        if drawn.random() < 0.5:
            place = drawn.randrange(len(whole))
            server.send([whole[:place]], read=0, reset=drawn.random() < 0.5)
        else:
            server.send(chunks, read=drawn.randrange(12), reset=drawn.random() < 0.5)

    for _ in range(500):
        server.check(cut)


@pytest.mark.parametrize("digits", [19, 4_000, 15_000])  # int() refuses more than 4,300
def test_a_length_of_thousands_of_digits_is_refused_in_a_line(server, digits):
    lines = [b"POST /api/v1/tokens HTTP/1.1\r\nHost: tacit\r\nConnection: close\r\n"]
    lines.append(b"Content-Length: " + b"9" * digits + b"\r\n\r\n{}")
    said = server.send(lines)
    assert said.split()[1] in {b"400", b"413"}
