"""Passwords and tokens: how they are hashed, made and compared."""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from functools import cache
from hashlib import sha256
from typing import Any

from tacit.errors import InvalidInput
from tacit.exact import new_key
from tacit.extras import extra

__all__ = ["TOKEN", "hash_of_token", "hash_password", "is_password", "new_secret", "new_token"]

TOKEN = "tct_"  # noqa: S105 -- how tokens begin, so that scanners find those that leaked
"""How every token begins."""

_SHORTEST, _LONGEST = 10, 1024


def hash_password(password: str) -> str:
    """What is kept of a password: its Argon2id hash.

    >>> hash_password("too short")
    Traceback (most recent call last):
    tacit.errors.InvalidInput: password cannot be 'a text of 9 characters'; choose one of 10 to 1024 characters
    """
    if not _SHORTEST <= len(password) <= _LONGEST:
        told = f"a text of {len(password)} characters"
        raise InvalidInput("password", told, "choose one of 10 to 1024 characters")
    hashed: str = _argon2().hash(password)
    return hashed


def is_password(hashed: str | None, password: str) -> bool:
    """Whether a password is the one of a hash; without one it takes as long, and it is not.

    Claim:      whether a name is known cannot be told from how long a wrong password takes.
    Because:    one Argon2id computation of the same parameters is made in every case.
    Checked by: tests/unit/server/test_passwords.py::test_one_hash_is_computed_in_every_case
    """
    with extra("server", "tacit serve"):
        from argon2.exceptions import InvalidHashError, VerificationError

    try:
        _argon2().verify(_nobody() if hashed is None else hashed, password[: _LONGEST + 1])
    except (VerificationError, InvalidHashError):
        return False
    return hashed is not None


def new_secret() -> str:
    """256 random bits, as text."""
    return urlsafe_b64encode(new_key()).rstrip(b"=").decode()


def new_token() -> str:
    """A token that nobody can guess."""
    return TOKEN + new_secret()


def hash_of_token(token: str) -> str:
    """What is kept of a token: it is too long to be guessed, so that a plain hash is enough."""
    return sha256(token.encode()).hexdigest()


def is_same(left: str, right: str) -> bool:
    """Whether two texts are the same, in a time that does not tell where they differ."""
    return hmac.compare_digest(left.encode(), right.encode())


@cache
def _argon2() -> Any:
    """Argon2id with 19 MiB and two passes, as OWASP recommends: 42 CPU milliseconds instead of 252."""
    with extra("server", "tacit serve"):
        from argon2 import PasswordHasher

    return PasswordHasher(time_cost=2, memory_cost=19 * 1024, parallelism=1)


@cache
def _nobody() -> str:
    """The hash of a password that nobody knows."""
    hashed: str = _argon2().hash(new_secret())
    return hashed
