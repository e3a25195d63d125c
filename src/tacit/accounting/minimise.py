"""Searches in floating point: they only say where to look, and what is found there is certified by the caller."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import inf, isfinite, log, sqrt

from tacit.exact import Ball, ball

__all__ = ["crossing", "lowest"]

_GOLDEN = (3 - sqrt(5)) / 2
_WIDEST = 1 << 200


def lowest(
    height: Callable[[float], float], start: float, step: float = 1.0, tolerance: float = 1e-5
) -> float:
    """A place where a function with one valley is nearly lowest: downhill from `start`, then by parabolas (Brent).

    >>> round(lowest(lambda x: (x - 3) ** 2, start=0.0), 4)
    3.0
    """
    at: dict[float, float] = {}
    left, best, right = _valley(height, start, step, at)
    second, third = sorted((left, right), key=at.__getitem__)
    last = before = right - left  # how far the last two steps went
    for _ in range(100):
        centre = (left + right) / 2
        if abs(best - centre) <= 2 * tolerance - (right - left) / 2:
            break
        jump = _parabola((best, second, third), at)
        if jump is None or not left < best + jump < right or abs(jump) >= abs(before) / 2:
            last = (right if best < centre else left) - best
            jump = _GOLDEN * last
        elif min(best + jump - left, right - best - jump) < 2 * tolerance:
            jump = tolerance if best < centre else -tolerance
        before, last = last, jump
        near = best + (jump if abs(jump) >= tolerance else tolerance if jump > 0 else -tolerance)
        at[near] = height(near)
        if at[near] <= at[best]:
            left, right = (left, best) if near < best else (best, right)
            best, second, third = near, best, second
        else:
            left, right = (near, right) if near < best else (left, near)
            if at[near] <= at[second]:
                second, third = near, second
            elif at[near] <= at[third]:
                third = near
    return best


def _valley(
    height: Callable[[float], float], start: float, step: float, at: dict[float, float]
) -> tuple[float, float, float]:
    """Three places, the middle one no higher than the others, found by ever longer steps downhill."""
    behind, middle = start, start + step
    at[behind], at[middle] = height(behind), height(middle)
    if at[middle] > at[behind]:
        behind, middle, step = middle, behind, -step
    for _ in range(60):
        step *= 1.618
        ahead = middle + step
        at[ahead] = height(ahead)
        if at[ahead] >= at[middle]:
            break
        behind, middle = middle, ahead
    return min(behind, ahead), middle, max(behind, ahead)


def _parabola(places: tuple[float, float, float], at: dict[float, float]) -> float | None:
    """How far from the first place the parabola through all three is lowest."""
    x, w, v = places
    if len({x, w, v}) < 3 or not (isfinite(at[x]) and isfinite(at[w]) and isfinite(at[v])):
        return None
    r = (x - w) * (at[x] - at[v])
    q = (x - v) * (at[x] - at[w])
    bottom = 2 * (q - r)
    return -((x - v) * q - (x - w) * r) / bottom if bottom else None


def crossing(
    profile: Callable[[Fraction], Ball], target: Fraction, guess: float
) -> Fraction | None:
    """An epsilon at which a falling profile is certainly at most the target, and hardly any smaller one is.

    Claim:      the certified upper end of the profile at the result is at most the target.
    Because:    the upper end of the bracket only ever takes values at which that was seen.
    Checked by: tests/unit/accounting/test_minimise.py

    >>> float(crossing(lambda epsilon: ball(1 / (1 + epsilon)), Fraction(1, 4), guess=1.0))
    3.0...
    """
    goal, wanted = ball(target), sqrt(-log(target))

    def above(place: float) -> float:
        """How far the profile is above the target, on a scale of its own; at most zero where it certainly is not."""
        delta = profile(Fraction(place))
        middle = delta.mid()
        # Tails fall like exp(-epsilon**2), so the root of the logarithm is nearly straight.
        height = wanted - (sqrt(max(-float(middle.log()), 0.0)) if middle > 0 else inf)
        return min(0.0, height) if delta <= goal else max(height, 5e-324)

    # A good guess is between two places that are closer than anybody cares.
    low, high = guess * (1 - 2**-44), max(guess, 1e-300) * (1 + 2**-44)
    under = above(high)
    over = above(low) if under <= 0 else under
    if under <= 0 < over:
        return Fraction(high)
    if under <= 0:
        low, high, under, over = 0.0, low, over, above(0.0)
        if over <= 0:
            return Fraction(0)
    while under > 0:
        low, high, over = high, high * 2, under
        under = above(high)
        if high > _WIDEST:
            return None
    return Fraction(_narrow_bracket(above, low, high, over, under))


def _narrow_bracket(
    above: Callable[[float], float], low: float, high: float, over: float, under: float
) -> float:
    """The upper end of the bracket once it is narrow, by secants (Illinois), and by halves where they do not serve."""
    kept = 0
    for turn in range(200):
        width, nudge = high - low, high * 2**-48
        if width <= 2 * nudge:
            break
        place = low + width / 2
        if isfinite(over) and isfinite(under) and (turn < 10 or turn % 3):
            place = min(max(low + width * over / (over - under), low + nudge), high - nudge)
        height = above(place)
        if height > 0:
            low, over, under, kept = place, height, under / 2 if kept == 1 else under, 1
        else:
            high, under, over, kept = place, height, over / 2 if kept == -1 else over, -1
    return high
