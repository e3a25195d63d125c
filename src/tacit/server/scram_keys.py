"""What is kept of a token so that SCRAM can check it: two keys, from which it cannot be found.

Checked by: tests/unit/server/test_scram_keys.py
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from hashlib import pbkdf2_hmac, sha256

from tacit.frozen import frozen

__all__ = ["ITERATIONS", "ScramKeys", "derive_keys", "salt_of", "sign_as_server", "verify_proof"]

ITERATIONS = 4_096
"""How often a client hashes its token: the number that RFC 7677 asks for; a token is too long to be guessed."""

_AT_ONCE = 8
_SIZE = 32


@frozen
class ScramKeys:
    """The key that a client must know, hashed, and the key by which the server shows that it knows the client."""

    stored: bytes
    server: bytes


def salt_of(secret: str, name: str) -> bytes:
    """The salt of a name.

    Claim:      a name that nobody has is given a salt as one that somebody has: the same at each attempt.
    Because:    it is a keyed hash of the name, and of nothing else.
    Checked by: tests/unit/server/test_scram_keys.py::test_every_name_has_a_salt
    """
    return hmac.digest(secret.encode(), name.encode(), "sha256")[:16]


def derive_keys(token: str, salt: bytes) -> ScramKeys:
    """The keys of a token."""
    salted = pbkdf2_hmac("sha256", token.encode(), salt, ITERATIONS)
    client = hmac.digest(salted, b"Client Key", "sha256")
    return ScramKeys(sha256(client).digest(), hmac.digest(salted, b"Server Key", "sha256"))


def sign_as_server(keys: ScramKeys, signed: bytes) -> bytes:
    """What shows the client that the server knows its token."""
    return hmac.digest(keys.server, signed, "sha256")


def verify_proof(keys: Sequence[ScramKeys], signed: bytes, proof: bytes) -> int | None:
    """Which of the keys a proof is made with.

    Claim:      how long it takes does not tell whether a name is known, nor which of its tokens was used.
    Because:    as many proofs are checked for a name without tokens as for one with eight, whether one is right or not.
    Checked by: tests/unit/server/test_scram_keys.py::test_as_many_proofs_are_checked_for_a_name_that_nobody_has
    """
    missing = -len(keys) % _AT_ONCE or (_AT_ONCE if not keys else 0)
    padded = [*keys, *[_NOBODY] * missing]
    if len(proof) != _SIZE:
        return None
    found = None
    for place, each in enumerate(padded):
        mask = hmac.digest(each.stored, signed, "sha256")
        client = bytes(left ^ right for left, right in zip(proof, mask, strict=True))
        right = hmac.compare_digest(sha256(client).digest(), each.stored)
        if right and place < len(keys):
            found = place
    return found


_NOBODY = ScramKeys(bytes(_SIZE), bytes(_SIZE))  # which no proof fits
