"""Secure random words: AES-256 in counter mode, each key used once and then forgotten."""

from __future__ import annotations

import os
import threading
from typing import TypeVar

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from numpy.typing import NDArray

from tacit.exact.rational import count_of

__all__ = ["rekey", "words"]

Words = NDArray[np.uint64]
T = TypeVar("T")

_KEY_WORDS = 4
_RESERVE = 4096
_MOST = 1 << 40
_ZEROS = bytes(1 << 18)


class _Stream(threading.local):
    """One thread's key and the words it has not handed out yet; threads share nothing.

    Both lie in lists and are popped before they are used: a signal handler that draws in the middle of a draw finds the
    lists empty and starts a stream of its own.
    """

    def __init__(self) -> None:
        self.renew()

    def renew(self) -> None:
        """Start over from the operating system's randomness."""
        self.process = os.getpid()
        self.keys: list[bytes] = []
        self.reserves: list[Words] = []

    def generate(self, count: int) -> Words:
        """Fresh words under the present key, which is replaced by the first of them."""
        key = _pop(self.keys) or os.urandom(32)
        drawn = np.empty(_KEY_WORDS + count, np.uint64)
        target = drawn.data.cast("B")
        encryptor = Cipher(algorithms.AES256(key), modes.CTR(bytes(16))).encryptor()
        for start in range(0, len(target), len(_ZEROS)):
            piece = target[start : start + len(_ZEROS)]
            encryptor.update_into(
                _ZEROS[: len(piece)] if len(piece) < len(_ZEROS) else _ZEROS, piece
            )
        self.keys[:] = [drawn[:_KEY_WORDS].tobytes()]
        drawn[:_KEY_WORDS] = 0
        return drawn[_KEY_WORDS:]

    def take(self, count: int) -> Words:
        """The next `count` words, erased from the reserve as they leave it."""
        if count >= _RESERVE:
            return self.generate(count)
        reserve = _pop(self.reserves)
        if reserve is None or count > len(reserve):
            reserve = self.generate(_RESERVE)
        taken = reserve[:count].copy()
        reserve[:count] = 0
        self.reserves[:] = [reserve[count:]]
        return taken


def _pop(stock: list[T]) -> T | None:
    """The last of a list, taken out in one indivisible step; None if it is empty."""
    try:
        return stock.pop()
    except IndexError:
        return None


_stream = _Stream()


def words(count: int) -> Words:
    """`count` independent, uniform 64-bit words that nobody can predict, repeat or seed.

    Claim:      every word handed out is a fresh output of AES-256-CTR under a key drawn from the operating
                system; no two threads, forked children or calls ever share one, and no word or key that
                was used remains in memory here.
    Because:    a key produces one stream, whose first 32 bytes replace it (fast key erasure, Bernstein 2017);
                the stream is thread-local; a child process is recognised by its number and by the fork hook.
    Checked by: tests/unit/exact/test_entropy.py

    >>> words(3).shape
    (3,)
    """
    wanted = count_of(count, "the number of words", most=_MOST)
    if _stream.process != os.getpid():
        _stream.renew()
    return _stream.take(wanted)


def rekey() -> None:
    """Make this thread's next word come from a fresh key of the operating system.

    >>> rekey()
    """
    _stream.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=rekey)
