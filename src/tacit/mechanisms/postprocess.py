"""What may be done to a release for free: clamping and rounding, after the noise."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import floor
from numbers import Rational, Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Number, at_least
from tacit.mechanisms.grid_steps import narrow_integers

__all__ = ["clamp", "round_to"]


def clamp(released: Any, low: Number | None = None, high: Number | None = None) -> Any:
    """The release with everything beyond the limits moved onto them.

    Claim:      clamping costs nothing.
    Because:    it is a function of the release alone.  Drawing again until the answer is in range is not one, and
                breaks the promise.
    Checked by: tests/laws/test_after.py

    >>> clamp(-3, low=0)
    0
    """
    least, most = (None if limit is None else at_least(limit, "a limit") for limit in (low, high))
    if least is not None and most is not None and least > most:
        raise InvalidInput("high", high, "give a high limit that is not below the low one")

    def inside(release: Any) -> Any:
        if isinstance(release, np.ndarray):
            raised = release if low is None else np.where(release < low, np.asarray(low), release)
            return raised if high is None else np.where(raised > high, np.asarray(high), raised)
        if low is not None and release < low:
            return low
        return high if high is not None and release > high else release

    return _of_each(released, inside)


def round_to(released: Any, to: int) -> Any:
    """The release rounded to the nearest multiple of `to`, halves upward.

    Claim:      rounding costs nothing.
    Because:    it is a function of the release alone.
    Checked by: tests/laws/test_after.py

    >>> round_to(1234, to=100)
    1200
    """
    if isinstance(to, bool) or not isinstance(to, int) or not 1 <= to <= 1 << 53:
        raise InvalidInput("to", to, "give a whole number from 1 to 2**53")

    def near(release: Any) -> Any:
        if isinstance(release, np.ndarray):
            return (
                _near_floats(release, to)
                if release.dtype.kind == "f"
                else _near_integers(release, to)
            )
        if isinstance(release, Rational):
            return floor(Fraction(release) / to + Fraction(1, 2)) * to
        return float(_near_floats(np.asarray(release, np.float64), to))

    return _of_each(released, near)


def _of_each(released: Any, change: Callable[[Any], Any]) -> Any:
    """The change made to a number, to an array, or to each column of a table."""
    if isinstance(released, Mapping):
        return {name: _of_each(column, change) for name, column in released.items()}
    if isinstance(released, np.ndarray) and released.dtype.kind in "iufO":
        return change(released)
    if isinstance(released, Real) and not isinstance(released, bool):
        return change(released)
    raise InvalidData(
        f"a {type(released).__name__} is not a release; give a number, an array of them, or a table"
    )


def _near_floats(numbers: NDArray[Any], to: int) -> NDArray[Any]:
    left = np.fmod(numbers, to)  # exact, with the number's own sign
    up, down = 2 * left >= to, 2 * left < -to
    # the inner difference is exact too
    return np.asarray(numbers - (left - to * (up.astype(np.float64) - down)))


def _near_integers(numbers: NDArray[Any], to: int) -> NDArray[Any]:
    fits = numbers.dtype.kind == "i" and not (
        numbers.size and (numbers.min() < -(2**62) or numbers.max() > 2**62)
    )
    exact = numbers.astype(np.int64 if fits else object)
    left = exact % to
    return narrow_integers(np.asarray(exact - left + to * (2 * left >= to)))
