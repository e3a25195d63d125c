"""Balls computed again with more bits, until they are narrow.

Checked by: tests/laws/test_accounting.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.exact import PRECISION, Ball, working

__all__ = ["refine"]

_MOST_BITS = 2048
_NARROW = 32  # bits of a figure that are certain


def refine(figure: Callable[..., Ball], *given: Fraction, bits: int = PRECISION) -> Ball:
    """The ball that a function of what is given has, at the first precision at which it is narrow beside its own size.

    >>> from tacit.exact import ball
    >>> with working(64):
    ...     refine(lambda: (ball(1) + ball(2) ** -200) - 1).is_zero()
    False
    """
    while True:
        with working(bits):
            found = figure(*given)
        if found.rel_accuracy_bits() >= _NARROW or found.is_exact() or bits >= _MOST_BITS:
            return found
        bits *= 2
