"""Certificates, as far as a server reads its own: when it expires, and how DER is taken apart.

Checked by: tests/unit/server/test_server_health.py
"""

import ssl
from datetime import UTC, datetime
from pathlib import Path

from tacit.errors import InvalidInput

__all__ = ["element", "read_expiry"]

_BEGIN, _END = "-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----"


def read_expiry(file: Path) -> datetime:
    """When the first certificate of a PEM file expires."""
    try:
        first = file.read_text(encoding="ascii").partition(_END)[0] + _END
        der = ssl.PEM_cert_to_DER_cert(first[first.index(_BEGIN) :])
        return _not_after(der)
    except (OSError, ValueError, IndexError):
        raise InvalidInput("--tls", str(file), "name a certificate in PEM") from None


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
