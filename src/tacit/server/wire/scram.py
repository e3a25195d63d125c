"""SCRAM-SHA-256 and SCRAM-SHA-256-PLUS, the server's side (RFC 5802, RFC 7677, RFC 5929); nothing here knows a socket.

Checked by: tests/unit/server/wire/test_scram.py
"""

from __future__ import annotations

import ssl
from base64 import b64decode, b64encode
from binascii import Error
from collections.abc import Callable
from hashlib import new as new_hash
from pathlib import Path

from tacit.frozen import frozen
from tacit.server.certificates import element
from tacit.server.passwords import new_secret
from tacit.server.scram_keys import ITERATIONS

__all__ = ["MECHANISM", "PLUS", "Exchange", "ScramFailed", "end_point", "read_end_point"]

MECHANISM = "SCRAM-SHA-256"
"""The mechanism without channel binding."""

PLUS = "SCRAM-SHA-256-PLUS"
"""The mechanism that is bound to the certificate of the connection."""

_LONGEST = 2_048
# What a certificate is signed with (the object identifier in DER), and by which hash a channel is bound to it.
_HASHES = {
    bytes.fromhex("2a864886f70d01010b"): "sha256",  # RSA
    bytes.fromhex("2a864886f70d01010c"): "sha384",
    bytes.fromhex("2a864886f70d01010d"): "sha512",
    bytes.fromhex("2a8648ce3d040302"): "sha256",  # ECDSA
    bytes.fromhex("2a8648ce3d040303"): "sha384",
    bytes.fromhex("2a8648ce3d040304"): "sha512",
    bytes.fromhex("2a864886f70d010105"): "sha256",  # SHA-1 and MD5 count as SHA-256 here
    bytes.fromhex("2a864886f70d010104"): "sha256",
    bytes.fromhex("2a8648ce3d0401"): "sha256",
}


class ScramFailed(Exception):
    """Somebody could not be signed in; why is not said."""


@frozen
class _Opening:
    """The client's first words: its header, what follows it, its nonce."""

    header: str
    bare: str
    nonce: str


class Exchange:
    """One attempt to sign in: two messages of the client's, two of the server's.

    Claim:      who has no token of the name is refused, and so is who speaks through somebody in between, if the client
                binds the channel; what is said until then is the same for a name that nobody has.
    Because:    the proof is checked against the keys of the name's tokens; the header that the client has seen, and
                the hash of the certificate, are part of what is proved; the salt is a function of the name.
    Checked by: tests/unit/server/wire/test_scram.py
    """

    def __init__(self, salt: bytes, binding: bytes | None) -> None:
        self._salt = salt
        self._binding = binding
        self._opening: _Opening | None = None
        self._said = ""

    def begin(self, mechanism: str, data: bytes) -> bytes:
        """The server's first message, to the client's first."""
        if mechanism not in {MECHANISM, *([PLUS] if self._binding is not None else [])}:
            raise ScramFailed
        opening = _read_opening(_text(data))
        flag = opening.header[:1]
        if (mechanism == PLUS) != (flag == "p"):
            raise ScramFailed
        if flag == "p" and not opening.header.startswith("p=tls-server-end-point,"):
            raise ScramFailed
        if flag == "y" and self._binding is not None:
            raise ScramFailed  # the client was told, by somebody else, that there is no binding
        self._opening = opening
        nonce = opening.nonce + new_secret()[:24]
        self._said = f"r={nonce},s={b64encode(self._salt).decode()},i={ITERATIONS}"
        return self._said.encode()

    def finish(self, data: bytes, check: Callable[[bytes, bytes], bytes | None]) -> bytes:
        """The server's last message, if `check` finds a key for what was signed and its proof."""
        if self._opening is None:
            raise ScramFailed
        text = _text(data)
        signed, mark, proof = text.rpartition(",p=")
        fields = dict(field.split("=", 1) for field in signed.split(",") if "=" in field)
        header = self._opening.header.encode()
        if self._opening.header.startswith("p"):
            assert self._binding is not None, "PLUS is offered with a binding alone"
            header += self._binding
        nonce = self._said.split(",", 1)[0].removeprefix("r=")
        if not mark or fields.get("r") != nonce or _decoded(fields.get("c", "")) != header:
            raise ScramFailed
        whole = f"{self._opening.bare},{self._said},{signed}".encode()
        signature = check(whole, _decoded(proof))
        if signature is None:
            raise ScramFailed
        return b"v=" + b64encode(signature)


def end_point(certificate: bytes) -> bytes | None:
    """What a channel is bound to: the hash of the server's certificate (DER); None if its signature names no hash."""
    name = _HASHES.get(_signed_with(certificate))
    return None if name is None else new_hash(name, certificate).digest()


def read_end_point(file: str | Path) -> bytes | None:
    """`end_point` of the first certificate in a PEM file."""
    text = Path(file).read_text(encoding="ascii", errors="ignore")
    begin, end = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"
    first = begin + text.partition(begin)[2].partition(end)[0] + end
    return end_point(ssl.PEM_cert_to_DER_cert(first))


def _signed_with(certificate: bytes) -> bytes:
    """The object identifier of a certificate's signature."""
    outer, _ = element(certificate, 0)
    _, after = element(certificate, outer[0])
    algorithm, _ = element(certificate, after)
    identifier, _ = element(certificate, algorithm[0])
    return certificate[identifier[0] : identifier[1]]


def _read_opening(text: str) -> _Opening:
    flag, comma, rest = text.partition(",")
    authority, other, bare = rest.partition(",")
    fields = dict(field.split("=", 1) for field in bare.split(",") if "=" in field)
    nonce = fields.get("r", "")
    if not comma or not other or authority or flag[:1] not in {"n", "y", "p"} or not nonce:
        raise ScramFailed
    if "m" in fields or not nonce.isascii() or not nonce.isprintable():
        raise ScramFailed
    return _Opening(f"{flag},{authority},", bare, nonce)


def _text(data: bytes) -> str:
    if len(data) > _LONGEST:
        raise ScramFailed
    try:
        return data.decode()
    except UnicodeDecodeError:
        raise ScramFailed from None


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text, validate=True)
    except (Error, ValueError):
        raise ScramFailed from None
