"""Released integers as few bytes: each column as wide as its longest number, and nothing between them.

Checked by: tests/unit/curator/pricing/test_answer_size.py
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

__all__ = ["bytes_of", "pack", "unpack"]

_WORD = 8


def bytes_of(bits: int) -> int:
    """How many bytes a number of so many bits takes, and its sign.

    >>> bytes_of(7), bytes_of(8)
    (1, 2)
    """
    return bits // 8 + 1


def pack(numbers: Sequence[int]) -> tuple[int, bytes]:
    """How many bytes each number takes, and all of them, lowest byte first, in two's complement.

    >>> pack([1, -1, 300])
    (2, b'\\x01\\x00\\xff\\xff,\\x01')
    """
    least, most = min(numbers, default=0), max(numbers, default=0)
    width = bytes_of(max(most, -least - 1).bit_length())
    if width > _WORD:
        return width, b"".join(number.to_bytes(width, "little", signed=True) for number in numbers)
    words = np.array(numbers, dtype="<i8")
    return width, words.view(np.uint8).reshape(-1, _WORD)[:, :width].tobytes()


def unpack(width: int, packed: bytes) -> list[int]:
    """The numbers that were packed.

    >>> unpack(2, b"\\x01\\x00\\xff\\xff,\\x01")
    [1, -1, 300]
    """
    if not packed:
        return []
    if width > _WORD:
        starts = range(0, len(packed), width)
        return [
            int.from_bytes(packed[start : start + width], "little", signed=True) for start in starts
        ]
    parts = np.frombuffer(packed, np.uint8).reshape(-1, width)
    words = np.empty((len(parts), _WORD), np.uint8)
    words[:, :width] = parts
    words[:, width:] = (parts[:, -1:] >> 7) * np.uint8(255)
    found: list[int] = words.view("<i8").reshape(-1).tolist()
    return found
