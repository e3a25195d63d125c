"""A question is paid for once, whatever happens to the connection: it is cut at every step, and asked again."""

import json
import socket
import ssl
import subprocess
import threading
from contextlib import contextmanager, suppress

import pytest

import tacit
from tacit.errors import KeyReused, ServerUnavailable, TooMany
from tacit.remote.connection import Connection
from tacit.remote.vault import RemoteVault
from tacit.server import Identities, Slots
from tests.unit.remote.serving import served
from tests.unit.server.clinics import BY_WARD, COUNT, make_folder


@contextmanager
def cutting(address, cuts):
    """A way to the server that breaks off: each of the first connections after so many bytes from or to it."""
    host, port = address.removeprefix("http://").split(":")
    door = socket.create_server(("127.0.0.1", 0))
    stop = threading.Event()
    remaining, carrying = list(cuts), []

    def serve():
        door.settimeout(0.05)
        while not stop.is_set():
            try:
                client, _ = door.accept()
            except TimeoutError:
                continue
            cut = remaining.pop(0) if remaining else None
            carrying.append(threading.Thread(target=carry, args=(client, cut), daemon=True))
            carrying[-1].start()

    def carry(client, cut):
        server = socket.create_connection((host, int(port)))
        to, back = cut or (None, None)

        def pump(source, target, most):
            passed = 0
            while True:
                try:
                    data = source.recv(4096)
                except OSError:
                    break
                if not data:
                    break
                if most is not None and passed + len(data) > most:
                    target.sendall(data[: most - passed])
                    break
                passed += len(data)
                try:
                    target.sendall(data)
                except OSError:
                    break
            for each in (client, server):
                with suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

        there = threading.Thread(target=pump, args=(client, server, to), daemon=True)
        there.start()
        pump(server, client, back)
        there.join(30)
        client.close()
        server.close()

    accepting = threading.Thread(target=serve, daemon=True)
    accepting.start()
    try:
        yield f"http://127.0.0.1:{door.getsockname()[1]}"
    finally:
        stop.set()
        for each in (accepting, *carrying):
            each.join(30)
        door.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("cut") / "clinic")
    with served(folder, Identities()) as made:
        yield made


@pytest.mark.parametrize(
    "cuts",
    [
        [(10, None)],
        [(200, None)],
        [(450, None), (460, None)],
        [(None, 0)],
        [(None, 1)],
        [(None, 300)],
        [(None, 900), (None, 5), (5, None)],
    ],
)
def test_a_connection_that_is_cut_is_paid_for_once(server, cuts):
    url, desk, identities = server
    before = len(list(desk._vault.ledger.entries()))
    question = f"SELECT COUNT(*) AS n FROM visits WHERE cost > {before}.5"
    with cutting(url, cuts) as way:
        token = identities.new_token("ana")
        with RemoteVault(Connection(way, token, timeout=20, sleep=lambda _: None)) as vault:
            answer = retried(vault, question)
    entries = list(desk._vault.ledger.entries())
    assert len(entries) == before + 1
    assert entries[-1].number == answer.receipt["entry"]
    assert desk._vault.of("ana").sql(question, epsilon=0.1).rows == answer.rows


def retried(vault, question):
    for _ in range(50):
        try:
            return vault.sql(question, epsilon=0.1)
        except ServerUnavailable:
            continue
    raise AssertionError("no answer after 50 tries")


def test_a_long_slot_is_waited_for(tmp_path):
    folder = make_folder(tmp_path / "clinic")
    with served(folder, Identities(), slots=Slots(workers=1, lengths=(0.2,))) as (
        url,
        desk,
        people,
    ):
        waits = []

        class Patient(Connection):
            def _send(self, method, path, body, headers):
                return super()._send(method, path, body, {**headers, "Prefer": "respond-async"})

        import time

        def sleep(seconds):
            waits.append(seconds)
            time.sleep(seconds)

        with RemoteVault(Patient(url, people.new_token("ana"), sleep=sleep)) as vault:
            assert vault.sql(COUNT, epsilon=0.1).measured == ("n",)
        assert waits
        assert len(list(desk._vault.ledger.entries())) == 1


class Scripted(Connection):
    """A connection to a server that says what it was told to say."""

    def __init__(self, script):
        super().__init__("http://127.0.0.1:1", "tct_x", sleep=self._note)
        self.script, self.waits, self.sent = script, [], []

    def _note(self, seconds):
        self.waits.append(seconds)

    def _send(self, method, path, body, headers):
        self.sent.append((method, path, headers.get("Idempotency-Key")))
        said = self.script.pop(0)
        if isinstance(said, Exception):
            raise said
        return said


def problem(kind, status, **more):
    return status, {"type": f"/problems/{kind}", "status": status, "detail": "x", **more}


def test_every_try_of_one_question_has_the_same_key_and_every_question_another():
    running = problem("key-running", 409, reason="is running", remedy="wait")
    script = [OSError(), running, problem("stopping", 503), (202, {"id": "a", "seconds": 3.0})]
    script += [problem("not-found", 404, what="answer", name="a"), (200, "answer")]
    connection = Scripted(script)
    assert connection.ask("/answers", {}) == "answer"
    keys = [key for method, _, key in connection.sent if method == "POST"]
    assert len(keys) == 5
    assert len(set(keys)) == 1
    assert 3.0 in connection.waits
    connection.script = [(200, "other")]
    connection.ask("/answers", {})
    assert connection.sent[-1][2] not in keys


def test_what_is_refused_is_not_tried_again_and_what_is_too_much_is():
    reused = problem("key-reused", 422, reason="was used", remedy="give another")
    connection = Scripted([reused])
    with pytest.raises(KeyReused):
        connection.ask("/answers", {})
    many = problem("too-many", 429, what="questions", seconds=2.0)
    connection = Scripted([many] * 3 + [(200, "answer")])
    assert connection.ask("/answers", {}) == "answer"
    connection = Scripted([many] * 4)
    with pytest.raises(TooMany):
        connection.ask("/answers", {})
    assert connection.waits == [2.0] * 3


def test_what_is_no_answer_of_a_server_is_not_believed():
    connection = Scripted([json.JSONDecodeError("x", "y", 0)] * 4)
    with pytest.raises(ServerUnavailable):
        connection.get("/me")


def test_two_threads_have_connections_of_their_own(server):
    url, _, identities = server
    vault = tacit.connect(url, token=identities.new_token("ana"))
    vault.sql(BY_WARD, epsilon=0.1)
    found = []
    threads = [
        threading.Thread(target=lambda: found.append(vault.sql(BY_WARD, epsilon=0.1)))
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert len({each.rows for each in found}) == 1
    assert len(found) == 4
    vault.close()


def test_the_wrong_scheme_is_named(tmp_path):
    file, key = tmp_path / "a.crt", tmp_path / "a.key"
    made = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2"]
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            *made,
            "-subj",
            "/CN=x",
            "-keyout",
            str(key),
            "-out",
            str(file),
        ],
        check=True,
        capture_output=True,
    )
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(file, key)

    def in_tls(client):
        with suppress(OSError), context.wrap_socket(client, server_side=True) as opened:
            opened.recv(100)

    def in_plain(client):
        with suppress(OSError), client:
            client.recv(1000)
            client.sendall(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")

    for answer, scheme, said in (
        (in_tls, "http", "answers with TLS only; give https://127.0.0.1:"),
        (in_plain, "https", "answers, but not with TLS; give http://127.0.0.1:"),
    ):
        with socket.create_server(("127.0.0.1", 0)) as door:
            port = door.getsockname()[1]
            door.settimeout(20)

            def serve(door=door, answer=answer):
                with suppress(OSError):
                    while True:
                        answer(door.accept()[0])

            answering = threading.Thread(target=serve, daemon=True)
            answering.start()
            asked = Connection(f"{scheme}://127.0.0.1:{port}", "t", sleep=lambda _: None)
            with pytest.raises(ServerUnavailable, match=said):
                asked.get("/me")
            asked.close()
            door.shutdown(socket.SHUT_RDWR)
            answering.join(30)
