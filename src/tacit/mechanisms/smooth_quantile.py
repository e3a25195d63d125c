"""A quantile of integers with noise fitted to the data at hand, by a smooth bound of its local sensitivity."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidData, InvalidInput
from tacit.exact import Ball, Number, at_least, ball, count_of, upper, working
from tacit.frozen import frozen
from tacit.mechanisms.grid_steps import array_of
from tacit.mechanisms.noise_law import Released
from tacit.mechanisms.quantile import rank_of
from tacit.mechanisms.smooth_noise import SmoothNoise
from tacit.privacy import Loss, Neighbours, fill

__all__ = ["SmoothQuantile", "changes_until_wider", "quantile_rank", "smooth_bound_of_quantile"]

Integers = NDArray[np.int64]

_LARGEST = 1 << 52
_BITS = 48  # of a bound that is rounded up: less than ROUNDED of itself


@frozen(init=False)
class SmoothQuantile:
    """The quantile of integers from `low` to `high`, plus noise in proportion to a smooth bound of its sensitivity.

    Each unit has one row.  Values outside the bounds are clamped, and so is what leaves.

    Claim:      a release costs the loss of its noise, under add-or-remove and under replace.
    Because:    the bound is at least the local sensitivity under either relation, and changes by at most a factor
                e**beta between neighbours; both are shown at `smooth_bound_of_quantile`.
    Checked by: tests/laws/test_smooth_sensitivity.py::test_a_smooth_quantile_never_costs_more_than_it_claims

    >>> from tacit.mechanisms import StudentNoise
    >>> median = SmoothQuantile(Fraction(1, 2), low=0, high=120, noise=StudentNoise.calibrate(epsilon=1))
    >>> 0 <= median.release([31, 35, 40, 41, 60]) <= 120
    True
    """

    rank: Fraction
    low: int
    high: int
    noise: SmoothNoise

    def __init__(self, rank: Number, low: int, high: int, noise: SmoothNoise) -> None:
        first, last = _end(low, "low"), _end(high, "high")
        if not first < last:
            raise InvalidInput("high", high, "give a high end above the low one")
        fill(self, rank=rank_of(rank), low=first, high=last, noise=noise)

    def bound(self, rows: Any) -> Fraction:
        """The smooth bound of the local sensitivity: private, as the rows are."""
        return smooth_bound_of_quantile(rows, self.rank, self.low, self.high, self.noise.beta)

    def release(self, rows: Any, times: int | None = None) -> Any:
        """The quantile of the rows with noise, inside the bounds; with `times`, an array of independent releases."""
        exact, bound = self._quantile(rows), self.bound(rows)
        drawn = [
            min(max(exact + self.noise.draw(bound), self.low), self.high)
            for _ in range(1 if times is None else count_of(times, "times"))
        ]
        return drawn[0] if times is None else np.array(drawn, np.int64)

    def loss(self, neighbours: Neighbours = Neighbours.ADD_OR_REMOVE) -> Loss:
        """What one release costs if each unit has at most one row."""
        return self.noise.loss(neighbours)

    def distribution(self, rows: Any) -> dict[int, Ball]:
        """The exact law of what leaves."""
        noise = self.noise.law(self.bound(rows))
        return Released(self._quantile(rows), noise).clamp_law(self.low, self.high)

    def _quantile(self, rows: Any) -> int:
        padded = _pad(rows, self.low, self.high)
        return int(padded[quantile_rank(len(padded) - 2, self.rank)])


def quantile_rank(count: int, rank: Fraction) -> int:
    """The place of the quantile among so many sorted rows, counted from one: the smallest with rank * count up to it.

    >>> quantile_rank(4, Fraction(1, 2)), quantile_rank(5, Fraction(1, 2)), quantile_rank(0, Fraction(1, 2))
    (2, 3, 1)
    """
    return max(1, ceil(rank * count))


def smooth_bound_of_quantile(
    rows: Any, rank: Number, low: int, high: int, beta: Number
) -> Fraction:
    """The largest of (x_j - x_i) e**(-beta (j - i - 1)) over places i <= m <= j, m being that of the quantile.

    Places before the first row hold `low` and those after the last one `high`; the result is rounded up by less than
    2**-40 of itself.

    Claim:      it is at least the local sensitivity, and changes by at most e**beta between neighbours, under replace
                (Nissim, Raskhodnikova, Smith 2007) and under add-or-remove.
    Because:    one row that comes or goes moves m by at most one place and the quantile to the next row; and a pair
                i, j that holds m has, after one row came or went, a pair at least as far apart that holds the new m
                with at most one row more between them: where an end no longer reaches m it is moved to m, outwards.
    Checked by: tests/laws/test_smooth_sensitivity.py::test_the_bound_of_a_quantile_is_smooth_and_large_enough

    >>> float(smooth_bound_of_quantile([2, 3, 4], Fraction(1, 2), low=0, high=10, beta=10))
    1.0
    """
    decay = at_least(beta, "beta")
    if decay <= 0:
        raise InvalidInput("beta", beta, "give a number above zero")
    padded = _pad(rows, _end(low, "low"), _end(high, "high"))
    middle = quantile_rank(len(padded) - 2, rank_of(rank))
    pairs = list(_widest_pairs(padded, middle, decay))
    heights = np.array([_height(*pair, float(decay)) for pair in pairs])
    close = np.flatnonzero(heights >= heights.max() - _doubt(heights))
    width, between = _largest([pairs[place] for place in close], decay)
    with working():
        return _round_up(upper(ball(width) * (-ball(decay * between)).exp()))


def changes_until_wider(rows: Any, rank: Number, low: int, high: int, width: Number) -> int:
    """How many rows must change at least until the quantile's local sensitivity can exceed a width; or fewer.

    Claim:      it changes by at most one between neighbours, under both relations, and is zero wherever the local
                sensitivity exceeds the width.
    Because:    it is the smallest j - i - 1 of the pairs i <= m <= j that lie further apart than the width: the same
                pairs as those of `smooth_bound_of_quantile`.
    Checked by: tests/laws/test_propose_test_release.py::test_the_distance_moves_by_one_and_is_zero_where_it_must_be

    >>> changes_until_wider([2, 3, 4, 5, 6], Fraction(1, 2), low=0, high=100, width=2)
    2
    """
    allowed, first, last = at_least(width, "width"), _end(low, "low"), _end(high, "high")
    if last - first <= allowed:
        return _LARGEST  # whatever the rows are
    padded = _pad(rows, first, last)
    middle = quantile_rank(len(padded) - 2, rank_of(rank))
    starts = np.arange(middle + 1)
    reach = padded[starts] + int(
        allowed
    )  # integers exceed a width where they exceed its whole part
    ends = np.maximum(np.searchsorted(padded, reach, side="right"), np.maximum(middle, starts + 1))
    inside = ends < len(padded)
    return int((ends[inside] - starts[inside] - 1).min())


def _widest_pairs(padded: Integers, middle: int, decay: Fraction) -> Iterator[tuple[int, int]]:
    """For every start the best end, as the width and the rows between: by halves, since best ends move one way.

    Claim:      for i < i' the best end of i' is not before that of i, and all ends are found in O(n log n).
    Because:    what a later end j' gains over j at i, it gains at i' too, plus (x_i' - x_i)(1 - e**(-beta (j' - j))).
                Where doubles cannot tell which end is better, it is decided exactly.
    Checked by: tests/laws/test_smooth_sensitivity.py::test_the_quick_bound_is_the_largest_of_all_pairs
    """
    rate, last = float(decay), len(padded) - 1
    logs = rate * np.arange(last + 1)
    waiting = [(0, middle, middle, last)]
    while waiting:
        first, final, least, most = waiting.pop()
        if first > final:
            continue
        start = (first + final) // 2
        begin = min(max(least, start + 1), most)
        widths = padded[begin : most + 1] - padded[start]
        with np.errstate(divide="ignore"):
            heights = np.log(widths.astype(np.float64)) - logs[begin : most + 1]
        best = begin + int(heights.argmax())
        close = np.flatnonzero(heights >= heights.max() - _doubt(heights))
        if len(close) > 1 and widths.max() > 0:
            best = begin + _best_end(widths[close], begin + close, begin, decay)
        yield int(padded[best] - padded[start]), best - start - 1
        waiting += [(first, start - 1, least, best), (start + 1, final, best, most)]


def _best_end(widths: Integers, places: Integers, begin: int, decay: Fraction) -> int:
    """Which of some ends that doubles cannot tell apart is the best, as its distance from the first."""
    pairs = {(int(w), int(p)): int(p) - begin for w, p in zip(widths, places, strict=True)}
    return pairs[_largest(list(pairs), decay)]


def _largest(pairs: list[tuple[int, int]], decay: Fraction) -> tuple[int, int]:
    """The pair (width, place) with the largest width * e**(-decay * place), exactly: e to a rational is irrational."""
    best = pairs[0]
    for pair in pairs[1:]:
        best = pair if _exceeds(pair, best, decay) else best
    return best


def _exceeds(one: tuple[int, int], other: tuple[int, int], decay: Fraction) -> bool:
    if one[0] <= 0 or other[0] <= 0 or one[1] == other[1]:
        return one[0] > max(other[0], 0) if one[1] == other[1] else one[0] > 0 >= other[0]
    bits = 128
    while True:
        with working(bits):
            over = (ball(one[0]) / ball(other[0])).log() - ball(decay * (one[1] - other[1]))
            if over > 0 or over < 0:
                return bool(over > 0)
        bits *= 2


def _height(width: int, between: int, rate: float) -> float:
    return float(np.log(width)) - rate * between if width > 0 else -np.inf


def _doubt(heights: NDArray[np.float64]) -> float:
    """How far apart two logarithms are at most that doubles may have in the wrong order."""
    finite = heights[np.isfinite(heights)]
    return (1.0 + float(np.abs(finite).max())) * 2.0**-40 if len(finite) else 0.0


def _round_up(number: Fraction) -> Fraction:
    """The number with few bits, rounded up."""
    unit = Fraction(2) ** (number.numerator.bit_length() - number.denominator.bit_length() - _BITS)
    return -(-number // unit) * unit


def _pad(rows: Any, low: int, high: int) -> Integers:
    """The rows inside their bounds, sorted, between the bounds themselves."""
    given = array_of(rows) if len(rows) else np.zeros(0, np.int64)
    if given.ndim != 1 or given.dtype.kind not in "iu":
        raise InvalidData("rows must be integers; round numbers to a grid of their own first")
    held = np.sort(np.clip(given, low, high).astype(np.int64))
    return np.concatenate([[low], held, [high]]).astype(np.int64)


def _end(number: int, name: str) -> int:
    if isinstance(number, bool) or not isinstance(number, int) or abs(number) > _LARGEST:
        raise InvalidInput(name, number, "give a whole number from -2**52 to 2**52")
    return number
