"""Certificates, as far as a server reads its own: when it expires, and how DER is taken apart.

Checked by: tests/unit/server/test_server_health.py
"""

from __future__ import annotations

import ssl
from datetime import UTC, datetime
from pathlib import Path

from tacit.errors import InvalidInput

__all__ = ["check_certificate", "element", "read_expiry"]

_KEY = "PRIVATE KEY-----"
_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def read_expiry(file: Path) -> datetime:
    """When the first certificate of a PEM file expires."""
    try:
        first = file.read_text(encoding="ascii").partition(_END)[0] + _END
        der = ssl.PEM_cert_to_DER_cert(first[first.index(_BEGIN) :])
        return _not_after(der)
    except (OSError, ValueError, IndexError):
        raise InvalidInput("--tls", str(file), "name a certificate in PEM") from None


def check_certificate(certificate: Path, key: Path) -> None:
    """Refuse a certificate and a key that cannot be used, and say which of the two is wrong."""
    texts = []
    for file, what in ((certificate, "certificate"), (key, "key")):
        try:
            texts.append(file.read_text(encoding="ascii", errors="replace"))
        except OSError as error:
            why = str(error.strerror).lower()
            raise InvalidInput(
                "--tls", str(file), f"the {what} cannot be read ({why}); name a file that can be"
            ) from None
    if _BEGIN not in texts[0]:
        swapped = _KEY in texts[0] and _BEGIN in texts[1]
        remedy = "the two are swapped: give the certificate first, and then its key"
        plain = "it is no certificate in PEM; name one, and then its key"
        raise InvalidInput("--tls", str(certificate), remedy if swapped else plain)
    if _KEY not in texts[1]:
        raise InvalidInput(
            "--tls", str(key), "it is no private key in PEM; name the key of the certificate"
        )
    if "ENCRYPTED" in texts[1]:
        remedy = "it has a password; write it without: openssl pkey -in key.pem -out plain.pem"
        raise InvalidInput("--tls", str(key), remedy)
    try:
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(certificate, key)
    except ssl.SSLError as error:
        if error.reason == "KEY_VALUES_MISMATCH":
            problem = f"it is not the key of {certificate}; name the one that belongs to it"
            raise InvalidInput("--tls", str(key), problem) from None
        remedy = "one of the two is damaged; write them again"
        raise InvalidInput("--tls", f"{certificate} {key}", remedy) from None


def _not_after(certificate: bytes) -> datetime:
    """The end of a certificate's validity: the fifth part of what is signed, or the fourth if no version is said."""
    (inner, _), _ = element(certificate, 0)
    (place, _), _ = element(certificate, inner)
    parts = 4 if certificate[place] == 0xA0 else 3  # version, serial, signature, issuer
    for _ in range(parts):
        _, place = element(certificate, place)
    (begins, _), _ = element(certificate, place)
    _, after = element(certificate, begins)
    (start, end), _ = element(certificate, after)
    text = certificate[start:end].decode("ascii")
    form = "%y%m%d%H%M%SZ" if certificate[after] == 0x17 else "%Y%m%d%H%M%SZ"
    return datetime.strptime(text, form).replace(tzinfo=UTC)


def element(data: bytes, place: int) -> tuple[tuple[int, int], int]:
    """Where the content of a DER element begins and ends, and where the next one begins."""
    length, begins = data[place + 1], place + 2
    if length & 0x80:
        size = length & 0x7F
        length = int.from_bytes(data[begins : begins + size], "big")
        begins += size
    return (begins, begins + length), begins + length
