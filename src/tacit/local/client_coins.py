"""What a client tosses: coins of rational probability and uniform numbers, exact, one or many at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.exact import below, words

__all__ = ["Draws"]

Bools = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Draws:
    """Secure coins and uniform numbers, each decided in integers.

    The one-at-a-time calls read whole bytes in a fixed order, as the client for the browser does,
    so the same bytes give the same report in both.

    >>> Draws().below(1), Draws().coin(1, 0)
    (0, True)
    """

    def octets(self, count: int) -> bytes:
        """So many secure random bytes."""
        return words(-(-count // 8)).tobytes()[:count]

    def below(self, bound: int) -> int:
        """A uniform integer from 0 to bound - 1.

        Claim:      every integer below the bound is equally likely.
        Because:    as many bits as the largest result needs are taken from whole bytes, and a number
                    that is too large is thrown away.
        Checked by: tests/unit/local/test_client_coins.py::test_every_integer_below_the_bound_is_equally_likely
        """
        width = (bound - 1).bit_length()
        mask = (1 << width) - 1
        while True:
            drawn = int.from_bytes(self.octets(-(-width // 8)), "big") & mask
            if drawn < bound:
                return drawn

    def coin(self, yes: int, no: int) -> bool:
        """True with probability yes / (yes + no)."""
        return self.below(yes + no) < yes

    def coins(self, yes: int, no: int, size: int) -> Bools:
        """So many independent tosses of one coin.

        Claim:      each is true with probability exactly yes / (yes + no).
        Because:    16 bits of a uniform number are compared with the probability's; on a tie the rest
                    of the number is uniform, and lies below the rest of the probability by a new coin.
        Checked by: tests/unit/local/test_client_coins.py::test_many_coins_have_the_exact_probability
        """
        total = yes + no
        top, rest = divmod(yes << 16, total)
        lanes = words(-(-size // 4)).view(np.uint16)[:size]
        if top == 1 << 16:
            return np.ones(size, np.bool_)
        heads = lanes < np.uint16(top)
        if rest:
            tied = np.flatnonzero(lanes == np.uint16(top))
            if tied.size:
                heads[tied] = self.coins(rest, total - rest, tied.size)
        return heads

    def numbers(self, bound: int, size: int) -> Integers:
        """So many independent uniform integers from 0 to bound - 1."""
        width = (bound - 1).bit_length()
        if width > 32:
            return np.asarray(below(bound, size), dtype=np.int64)
        kind: Any = np.uint16 if width <= 16 else np.uint32
        lanes = 4 if width <= 16 else 2
        mask = kind((1 << width) - 1)
        kept = np.empty(size, np.int64)
        filled = 0
        while filled < size:
            missing = size - filled
            wanted = missing if bound == 1 << width else (missing << width) // bound + 64
            drawn = words(-(-wanted // lanes)).view(kind) & mask
            fit = (drawn if bound == 1 << width else drawn[drawn < bound])[:missing]
            kept[filled : filled + len(fit)] = fit
            filled += len(fit)
        return kept


SECURE = Draws()
"""The draws of every client."""
