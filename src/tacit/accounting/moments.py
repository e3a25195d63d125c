"""The moments of the privacy loss of several releases."""

from __future__ import annotations

from math import comb

from tacit.accounting.precision import refine
from tacit.exact import Ball, ball
from tacit.privacy import Composed

__all__ = ["moment_of"]


def moment_of(losses: Composed, power: int) -> Ball | None:
    """The mean of a power of the sum of the privacy losses, or a bound of it; None if some loss has no law.

    Claim:      no moment of the sum is larger, whichever neighbour each loss is seen from.
    Because:    losses of independent noise are independent, so the moments of a sum are sums of products of theirs;
                each is at most the stated one in absolute value, in either direction (docs/proofs/moments.md).
    Checked by: tests/unit/accounting/test_moments.py

    >>> from tacit.privacy import GaussianLoss
    >>> float(moment_of(GaussianLoss(squared=4) * 1, 2))
    8.0
    """
    if any(part.split_failure()[0] or part.moments(0) is None for part, _ in losses.parts):
        return None
    return refine(lambda: _moments(losses, power)[power])


def _moments(losses: Composed, count: int) -> list[Ball]:
    found = [ball(1), *(ball(0) for _ in range(count))]
    for part, times in losses.parts:
        own = part.moments(count)
        assert own is not None
        found = _add_moments(found, _repeat_moments(list(own), times))
    return found


def _repeat_moments(own: list[Ball], times: int) -> list[Ball]:
    """The moments of so many independent copies, by squaring."""
    result, power = [ball(1), *(ball(0) for _ in own[1:])], own
    while times:
        if times & 1:
            result = _add_moments(result, power)
        times >>= 1
        if times:
            power = _add_moments(power, power)
    return result


def _add_moments(one: list[Ball], other: list[Ball]) -> list[Ball]:
    """The moments of the sum of two independent variables."""
    return [
        sum((comb(k, j) * one[j] * other[k - j] for j in range(k + 1)), ball(0))
        for k in range(len(one))
    ]
