"""Rows of bits: packed for the wire, written in hexadecimal, counted by column.

Checked by: tests/laws/test_local.py::test_encode_has_the_exact_law
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData

__all__ = ["check_rows", "count_columns", "hex_of", "read_rows"]

Octets = NDArray[np.uint8]

_DIGITS = frozenset("0123456789abcdef")
_BITS = np.unpackbits(np.arange(256, dtype=np.uint8)[:, None], axis=1).astype(np.int64)


def hex_of(bits: list[bool]) -> str:
    """Bits in hexadecimal, the first bit highest, filled with zeros to whole bytes.

    >>> hex_of([True, False, True])
    'a0'
    """
    return bytes(np.packbits(np.array(bits, dtype=np.bool_))).hex()


def read_rows(texts: Iterable[object], width: int) -> Octets:
    """Rows of so many bits, from hexadecimal."""
    length = 2 * -(-width // 8)
    rows = []
    for text in texts:
        if not isinstance(text, str) or len(text) != length or not _DIGITS.issuperset(text):
            raise InvalidData(
                f"a report must be a text of {length} hexadecimal digits; encode it again"
            )
        rows.append(bytes.fromhex(text))
    return check_rows(
        np.frombuffer(b"".join(rows), np.uint8).reshape(len(rows), length // 2), width
    )


def check_rows(rows: NDArray[Any], width: int) -> Octets:
    """Rows of packed bits, refused if they have another length or bits beyond the last."""
    if rows.ndim != 2 or rows.dtype != np.uint8 or rows.shape[1] != -(-width // 8):
        raise InvalidData(f"reports must be rows of {width} packed bits; encode them again")
    spare = -width % 8
    if spare and (rows[:, -1] & ((1 << spare) - 1)).any():
        raise InvalidData("a report has bits beyond the last value; encode it again")
    return rows


def count_columns(rows: Octets, width: int) -> NDArray[np.int64]:
    """How many rows have each bit set.

    >>> count_columns(np.array([[0b10100000], [0b10000000]], dtype=np.uint8), 3)
    array([2, 0, 1])
    """
    counts = [np.bincount(rows[:, place], minlength=256) @ _BITS for place in range(rows.shape[1])]
    return np.concatenate(counts)[:width] if counts else np.zeros(width, np.int64)
