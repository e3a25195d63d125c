"""Uniform integers, without the bias of a remainder."""

from __future__ import annotations

from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import entropy
from tacit.exact.rational import LARGEST_SIZE, count_of

__all__ = ["below", "random_bits"]


def random_bits(count: int) -> int:
    """A uniform integer of at most `count` bits.

    >>> 0 <= random_bits(100) < 2**100
    True
    """
    count = count_of(count, "the number of bits", most=1 << 20)
    drawn = int.from_bytes(entropy.words(-(-count // 64)).tobytes(), "little")
    return drawn & ((1 << count) - 1)


@overload
def below(bound: int, size: None = None) -> int: ...
@overload
def below(bound: int, size: int) -> NDArray[Any]: ...
def below(bound: int, size: int | None = None) -> int | NDArray[Any]:
    """A uniform integer from 0 to bound - 1; with `size`, an array of that many.

    Claim:      every integer below the bound is equally likely.
    Because:    as many random bits as the largest result needs are drawn, and a draw that is too large is
                thrown away whole; fewer than half are, and how many says nothing about the result.
    Checked by: tests/unit/exact/test_uniform.py

    >>> below(1), below(1, 3)
    (0, array([0, 0, 0]))
    """
    if (
        isinstance(bound, bool)
        or not isinstance(bound, int | np.integer)
        or not 1 <= int(bound) < 1 << 8192
    ):
        raise InvalidInput("bound", bound, "give a whole number of at least 1")
    width = (int(bound) - 1).bit_length()
    if size is None:
        return _one(int(bound), width)
    wanted = count_of(size, "size", most=LARGEST_SIZE)
    return (
        _many(int(bound), width, wanted) if width <= 63 else _many_wide(int(bound), width, wanted)
    )


def _one(bound: int, width: int) -> int:
    while (drawn := random_bits(width)) >= bound:
        pass
    return drawn


def _many(bound: int, width: int, wanted: int) -> NDArray[np.int64]:
    kept = np.empty(wanted, np.int64)
    filled = 0
    while filled < wanted:
        drawn = (
            entropy.words(min(2 * (wanted - filled) + 64, 1 << 16)) >> np.uint64(64 - width)
            if width
            else np.zeros(wanted, np.uint64)
        )
        fit = drawn[drawn < bound][: wanted - filled]
        kept[filled : filled + len(fit)] = fit
        filled += len(fit)
    return kept


def _many_wide(bound: int, width: int, wanted: int) -> NDArray[Any]:
    kept = np.empty(wanted, object)
    filled = 0
    words = -(-width // 64)
    while filled < wanted:
        count = min(2 * (wanted - filled) + 64, 1 << 14)
        parts = entropy.words(words * count).reshape(words, count)
        drawn = (parts[0] >> np.uint64(64 * words - width)).astype(object)
        for part in parts[1:]:
            drawn = drawn << 64 | part.astype(object)
        fit = drawn[np.asarray(drawn < bound, np.bool_)][: wanted - filled]
        kept[filled : filled + len(fit)] = fit
        filled += len(fit)
    return kept
