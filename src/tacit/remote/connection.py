"""One server, reached over HTTP: requests that may be sent again are, and none is ever paid for twice."""

from __future__ import annotations

import json
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from http.client import HTTPConnection, HTTPException, HTTPResponse, HTTPSConnection
from ipaddress import ip_address
from typing import Any
from urllib.parse import urlsplit

from tacit.errors import InvalidInput, KeyReused, NotFound, ServerUnavailable, TooMany
from tacit.exact import new_key
from tacit.remote.problem_to_exception import refusal_of

__all__ = ["Connection"]

_TRIES = 4
_GREETING = 5.0  # seconds
_NO_TLS = {"WRONG_VERSION_NUMBER", "RECORD_LAYER_FAILURE", "HTTP_REQUEST", "PACKET_LENGTH_TOO_LONG"}
"""What OpenSSL says of an answer that is not one in TLS."""
_PATH = "/api/v1"


class Connection:
    """Where a server is, and the token that says who asks.

    Claim:      a question is charged once, however often it is sent.
    Because:    every one that is paid for carries a key of its own, which the server answers once; requests without a
                key are sent again only if they change nothing.
    Checked by: tests/unit/remote/test_connection.py
    """

    def __init__(
        self,
        url: str,
        token: str,
        *,
        cafile: str | None = None,
        timeout: float = 120.0,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        parts = urlsplit(url)
        if parts.scheme not in {"https", "http"} or not parts.hostname or parts.path.strip("/"):
            raise InvalidInput("url", url, "give an address, such as https://tacit.example.org")
        if parts.scheme == "http" and not _is_loopback(parts.hostname):
            raise InvalidInput(
                "url", url, "use https: over http, anybody on the network could read the token"
            )
        if not token or not token.isascii() or not token.isprintable():
            raise InvalidInput("token", "what was given", "give a token: tacit token new")
        self.place = f"{parts.scheme}://{parts.netloc}"
        self._host, self._port, self._timeout = parts.hostname, parts.port, timeout
        self._tls = ssl.create_default_context(cafile=cafile) if parts.scheme == "https" else None
        self._headers = {"Authorization": f"Bearer {token}", "Accept": "application/json"}
        self._sleep = sleep
        self._local = threading.local()
        self._opened: list[HTTPConnection] = []  # by all threads

    def get(self, path: str) -> Any:
        """What is at a path."""
        return self._read("GET", path)[1]

    def post(self, path: str, body: Mapping[str, Any]) -> Any:
        """What comes of a request that changes nothing, and may be sent again."""
        return self._read("POST", path, body)[1]

    def ask(self, path: str, body: Mapping[str, Any]) -> Any:
        """What comes of a request that is paid for: sent under a key of its own until it is answered."""
        key = new_key().hex()
        while True:
            try:
                status, said = self._read("POST", path, body, {"Idempotency-Key": key})
            except KeyReused as refusal:
                if not refusal.running:
                    raise
                self._sleep(0.5)  # an earlier try of ours is still being answered
                continue
            if status != 202:
                return said
            found = self._wait_for(said)
            if found is not None:
                return found

    def close(self) -> None:
        """Close what all threads have open; whoever asks again opens it anew."""
        self._local = threading.local()
        while self._opened:
            self._opened.pop().close()

    def _drop(self) -> None:
        """Close what this thread has open: it broke off."""
        known: HTTPConnection | None = getattr(self._local, "connection", None)
        if known is not None:
            known.close()
            self._local.connection = None
            if known in self._opened:
                self._opened.remove(known)

    def _wait_for(self, told: Mapping[str, Any]) -> Any:
        """The answer that leaves later; None if the server knows of it no more and is to be asked again."""
        while True:
            self._sleep(min(60.0, max(0.05, float(told["seconds"]))))
            try:
                status, said = self._read("GET", f"/answers/{told['id']}")
            except NotFound:
                return None
            if status != 202:
                return said
            told = said

    def _read(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> tuple[int, Any]:
        """The status and the JSON of a response, or the refusal in it; what fails on the way is tried again."""
        for turn in range(_TRIES):
            try:
                status, said = self._send(method, path, body, headers or {})
            except (OSError, HTTPException, ValueError) as failure:
                self._drop()
                if isinstance(failure, ssl.SSLCertVerificationError):
                    raise ServerUnavailable(
                        self.place,
                        "has a certificate that is not trusted",
                        "give cafile=, or ask whoever runs the server",
                    ) from None
                if isinstance(failure, ssl.SSLError) and failure.reason in _NO_TLS:
                    raise ServerUnavailable(
                        self.place,
                        "answers, but not with TLS",
                        f"give http://{self.place.partition('://')[2]} if it runs on this machine without TLS",
                    ) from None
                if turn + 1 == _TRIES:
                    raise self._unreachable() from None
                self._sleep(0.1 * 2**turn)
                continue
            if status < 400:
                return status, said
            refusal = refusal_of(said, self.place)
            again = status == 503 or isinstance(refusal, TooMany)
            if not again or turn + 1 == _TRIES:
                raise refusal
            self._sleep(float(said.get("seconds", 0.5)))
        raise AssertionError("the last turn returns or raises")

    def _unreachable(self) -> ServerUnavailable:
        """Why nothing was answered, as far as that can be seen from here."""
        if self._tls is None and _speaks_tls(self._host, self._port or 80):
            secure = f"https://{self.place.partition('://')[2]}"
            return ServerUnavailable(self.place, "answers with TLS only", f"give {secure}")
        remedy = "check that it is running, and ask again"
        return ServerUnavailable(self.place, "cannot be reached", remedy)

    def _send(
        self,
        method: str,
        path: str,
        body: Mapping[str, Any] | None,
        headers: Mapping[str, str],
    ) -> tuple[int, Any]:
        sent = None if body is None else json.dumps(body).encode()
        kind = {} if sent is None else {"Content-Type": "application/json"}
        connection = self._connection()
        connection.request(method, _PATH + path, sent, {**self._headers, **kind, **headers})
        response: HTTPResponse = connection.getresponse()
        raw = response.read()
        return response.status, json.loads(raw) if raw else None

    def _connection(self) -> HTTPConnection:
        """This thread's connection, which is opened if it is not."""
        known: HTTPConnection | None = getattr(self._local, "connection", None)
        if known is None:
            if self._tls is None:
                known = HTTPConnection(self._host, self._port, timeout=self._timeout)
            else:
                known = HTTPSConnection(
                    self._host, self._port, timeout=self._timeout, context=self._tls
                )
            self._local.connection = known
            self._opened.append(known)
        return known


def _speaks_tls(host: str, port: int) -> bool:
    """Whether who listens there greets in TLS; nothing but a greeting is sent."""
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    try:
        with (
            socket.create_connection((host, port), timeout=_GREETING) as opened,
            context.wrap_socket(opened, server_hostname=host),
        ):
            return True
    except OSError:
        return False


def _is_loopback(host: str) -> bool:
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False
