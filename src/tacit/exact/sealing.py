"""Sealed bytes: what nobody reads or alters who does not hold the key (AES-256-GCM)."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from cryptography.exceptions import InvalidTag

from tacit.errors import InvalidData

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

__all__ = ["KEY_BYTES", "new_key", "seal", "unseal"]

KEY_BYTES = 32
"""How long a key is."""

_NONCE_BYTES = 12


def new_key() -> bytes:
    """A key that nobody can guess."""
    return os.urandom(KEY_BYTES)


def seal(sealing_key: bytes, secret: bytes, bound_to: bytes) -> bytes:
    """A secret as bytes that tell nothing of it but its length; it opens only where it is bound to.

    Claim:      without the key, the sealed bytes are as good as random ones, and no others open.
    Because:    AES-256-GCM under a nonce of 96 random bits; a key seals far fewer than 2**32 secrets.
    Checked by: tests/unit/exact/test_sealing.py

    >>> key = new_key()
    >>> unseal(key, seal(key, b"a line", b"here"), b"here")
    b'a line'
    """
    nonce = os.urandom(_NONCE_BYTES)
    return nonce + _cipher(sealing_key).encrypt(nonce, secret, bound_to)


def unseal(sealing_key: bytes, sealed: bytes, bound_to: bytes) -> bytes:
    """The secret that was sealed under this key and bound to this; refused if it was not."""
    try:
        return _cipher(sealing_key).decrypt(sealed[:_NONCE_BYTES], sealed[_NONCE_BYTES:], bound_to)
    except (InvalidTag, ValueError):
        raise InvalidData(
            "this cannot be decrypted: it was encrypted under another key, or altered"
        ) from None


def _cipher(key: bytes) -> AESGCM:
    """The cipher, imported when it is first needed."""
    from cryptography.hazmat.primitives.ciphers.aead import AESGCM

    return AESGCM(key)
