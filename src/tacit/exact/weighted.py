"""An index drawn with exactly the probability of its weight: widths times exponentials of integer scores."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.errors import InvalidInput
from tacit.exact import entropy
from tacit.exact.certified import Ball, ball, working
from tacit.exact.rational import Number, at_least

__all__ = ["SLACK", "drawn_index", "exp_weights", "weighted_index", "weighted_law", "weighted_rows"]

Integers = NDArray[Any]  # int64, or Python integers
Floats = NDArray[np.float64]

SLACK = 2.0**-40
"""How far a float exponential may be off, in units of itself: 700 / scale is read with three roundings, then NumPy's
`exp` is within a few units of the last place.  The true error is below a tenth of it."""

_AT_ONCE = 1 << 20  # weights that are held at a time
_FLOATS = 1 << 900  # numbers below it, and one over them, are floats with all their bits
_LONG = 256  # a row of so many sums is searched sooner than read
_SURE = 1e-250  # floats that sum to less than this may have lost a weight to underflow


def weighted_index(
    scores: Sequence[int] | Integers, scale: Number, widths: Sequence[int] | Integers | None = None
) -> int:
    """An index i with probability exactly proportional to widths[i] * exp(scores[i] / scale).

    Claim:      the law is exact for integer scores of any size, and the work does not depend on which index comes out,
                but for once in 2**39 / len(scores) draws.
    Because:    see `drawn_index`; the weights in floats are within SLACK of the exact ones, which are computed
                as balls where the floats cannot decide.
    Checked by: tests/laws/test_quantiles.py

    >>> weighted_index([0, 2**62], scale=1)
    1
    """
    exact = _scale(scale)
    gaps, wide = _gaps(scores, widths)
    weights = exp_weights(gaps, exact)
    if wide is not None:
        weights = weights * wide.astype(np.float64)
    return drawn_index(weights, SLACK, lambda: _balls(gaps, exact, wide))


def weighted_rows(scores: Integers, scale: Number, widths: Sequence[int] | Integers) -> list[int]:
    """For every row of scores, an index with probability exactly proportional to width * exp(score / scale).

    Claim:      each row is drawn as `weighted_index` draws it, independently of the others.
    Because:    the same floats are compared with a word of its own, in the same way, some rows at a time; a row that
                floats cannot decide is decided by balls.
    Checked by: tests/unit/exact/test_weighted.py

    >>> weighted_rows(np.array([[0, -(2**60)], [-(2**60), 0]]), 1, [1, 1])
    [0, 1]
    """
    exact, wide = _scale(scale), np.asarray(widths, dtype=np.float64)
    at_once = max(1, _AT_ONCE // max(1, scores.shape[1]))
    found: list[int] = []
    for start in range(0, len(scores), at_once):
        gaps = _gaps_of_rows(scores[start : start + at_once], wide)
        weights = exp_weights(gaps, exact)
        weights *= wide
        found += _drawn_rows(gaps, weights, exact, widths)
    return found


def _gaps_of_rows(rows: Integers, wide: Floats) -> Integers:
    """How far each score lies below the best one of some width in its row; zero where there is no width."""
    without = np.flatnonzero(wide == 0).tolist()
    stretches = zip([0, *(at + 1 for at in without)], [*without, len(wide)], strict=True)
    best = [rows[:, first:last].max(axis=1) for first, last in stretches if first < last]
    gaps = np.maximum.reduce(best)[:, None] - rows
    gaps[:, without] = 0
    return np.asarray(gaps)


def _drawn_rows(
    gaps: Integers, weights: Floats, scale: Fraction, widths: Sequence[int] | Integers
) -> list[int]:
    """`drawn_index` for many rows at once; the weights are overwritten."""
    words = entropy.words(len(gaps))
    sums = np.cumsum(weights, axis=1, out=weights)
    total = sums[:, -1]
    unsure = total * 2 * (SLACK + sums.shape[1] * 2.0**-52)
    first, last = (
        np.minimum(1.0, (words.astype(np.float64) + more) / 2.0**64) * total for more in (0, 1)
    )
    index = np.minimum(_count_up_to(sums, first), sums.shape[1] - 1)
    every = np.arange(len(gaps))
    before = np.where(index == 0, -np.inf, sums[every, np.maximum(index - 1, 0)] + unsure)
    sure = (before <= first) & (
        (last + unsure <= sums[every, index]) | (index == sums.shape[1] - 1)
    )
    for row in np.flatnonzero(~sure).tolist():
        index[row] = _refine(int(words[row]), partial(_balls, gaps[row], scale, widths))
    return [int(each) for each in index]


def _count_up_to(sums: Floats, limits: Floats) -> Integers:
    """How many of the sums of each row, which never fall, are no more than its limit."""
    if sums.shape[1] < _LONG:
        return np.asarray(np.count_nonzero(sums <= limits[:, None], axis=1))
    rows = zip(sums, limits, strict=True)
    return np.array([np.searchsorted(row, limit, side="right") for row, limit in rows])


def weighted_law(
    scores: Sequence[int] | Integers, scale: Number, widths: Sequence[int] | Integers | None = None
) -> list[Ball]:
    """The probability of every index, at the working precision.

    >>> from tacit.exact import upper
    >>> float(upper(weighted_law([0, 0, 0, 0], scale=1)[2]))
    0.25
    """
    gaps, wide = _gaps(scores, widths)
    weights = _balls(gaps, _scale(scale), wide)
    total = sum(weights, ball(0))
    return [weight / total for weight in weights]


def drawn_index(weights: Floats, slack: float, exactly: Callable[[], list[Ball]]) -> int:
    """An index with probability exactly proportional to weights that floats only approximate.

    `weights` are within a factor 1 ± slack of the exact ones; `exactly()` encloses the exact ones, in whichever unit,
    at the working precision.

    Claim:      P(i) is the exact weight of i over the sum of the exact weights.
    Because:    a uniform number U is revealed 64 bits at a time, and i is returned only when all numbers that begin
                like U lie in the share of i whatever the true weights within the slack; where floats cannot tell,
                balls are refined, and U with them, until they can.
    Checked by: tests/laws/test_quantiles.py
    """
    word = int(entropy.words(1)[0])
    sums = np.cumsum(weights)
    total = float(sums[-1])
    if total > _SURE:
        # twice: of a sum of some weights, and of the sum of all
        unsure = total * 2 * (slack + len(weights) * 2.0**-52)
        first, last = word / 2.0**64 * total, (word + 1) / 2.0**64 * total
        index = int(np.searchsorted(sums, first, side="right"))
        if (index == 0 or sums[index - 1] + unsure <= first) and (
            index < len(sums) and (last + unsure <= sums[index] or index == len(sums) - 1)
        ):
            return index
    return _refine(word, exactly)


def _refine(word: int, exactly: Callable[[], list[Ball]]) -> int:
    """The index at which a uniform number that begins with the bits of `word` lies."""
    uniform, bits = word, 64
    while True:
        with working(bits + 64):
            index = _certain(uniform, bits, exactly())
        if index is not None:
            return index
        uniform = uniform << 64 | int(entropy.words(1)[0])
        bits += 64


def _certain(uniform: int, bits: int, weights: list[Ball]) -> int | None:
    total = sum(weights, ball(0))
    first, last = (
        total * ball(Fraction(uniform, 1 << bits)),
        total * ball(Fraction(uniform + 1, 1 << bits)),
    )
    below = ball(0)
    for index, weight in enumerate(weights):
        above = below + weight
        if last <= above or index == len(weights) - 1:
            return index if index == 0 or below <= first else None
        if not above <= first:
            return None
        below = above
    return None


def exp_weights(gaps: Integers, scale: Fraction) -> Floats:
    """exp(-gap / scale) in floats, each within SLACK of the exact value or below 1e-300.

    Claim:      as stated, for gaps that are integers of at least zero.
    Because:    gap, 1 / scale and their product are rounded once each, which moves an exponent of at most 745 by less
                than 2**-42; beyond that the exact value is below 1e-300, and the float is too.
    Checked by: tests/unit/exact/test_weighted.py

    >>> exp_weights(np.array([0, 1]), Fraction(1))
    array([1.        , 0.36787944])
    """
    if gaps.dtype == object and gaps.size and scale < _FLOATS and gaps.max() < _FLOATS:
        gaps = gaps.astype(np.float64)  # rounded once, as int64 is below
    if gaps.dtype == object:
        exponents = np.array(
            [float(min(Fraction(int(gap)) / scale, Fraction(10**6))) for gap in gaps.flat]
        )
        return np.asarray(np.exp(-exponents.reshape(gaps.shape)))
    with np.errstate(under="ignore", over="ignore"):
        exponents = gaps.astype(np.float64)
        exponents *= -float(min(1 / scale, Fraction(10**300)))
        return np.asarray(np.exp(exponents, out=exponents))


def _balls(gaps: Integers, scale: Fraction, widths: Sequence[int] | Integers | None) -> list[Ball]:
    known = {gap: (-ball(Fraction(int(gap)) / scale)).exp() for gap in set(gaps.tolist())}
    weights = [known[gap] for gap in gaps.tolist()]
    return (
        weights
        if widths is None
        else [int(wide) * weight for wide, weight in zip(widths, weights, strict=True)]
    )


def _gaps(
    scores: Sequence[int] | Integers, widths: Sequence[int] | Integers | None
) -> tuple[Integers, Integers | None]:
    """How far each score lies below the best one of some width, and the widths."""
    array = _integers(scores, "scores")
    if not array.size:
        raise InvalidInput("scores", scores, "give at least one candidate")
    wide = None if widths is None else _integers(widths, "widths")
    if wide is None:
        best = int(array.max())
    else:
        if wide.shape != array.shape or (wide < 0).any() or not (wide > 0).any():
            raise InvalidInput(
                "widths",
                "of another kind",
                "give one for each score, none below zero and not all zero",
            )
        best = int(array[wide > 0].max())
    if wide is not None and int(array.max()) > best:
        array = np.where(wide > 0, array, best)
    if array.dtype == object or best - int(array.min()) >= 1 << 63:
        return np.array([best - int(score) for score in array.tolist()], dtype=object), wide
    # The difference fits 63 bits even where the two numbers do not share a sign: it is taken modulo 2**64.
    return (np.uint64(best & (1 << 64) - 1) - array.astype(np.int64).view(np.uint64)).view(
        np.int64
    ), wide


def _integers(numbers: Sequence[int] | Integers, name: str) -> Integers:
    array = np.asarray(numbers)
    if array.dtype.kind == "f" or array.dtype == np.uint64:  # NumPy makes floats of [-1, 2**63]
        array = np.asarray(numbers, dtype=object)
    whole = array.dtype.kind in "iu" or (
        array.dtype == object
        and all(isinstance(number, int) and not isinstance(number, bool) for number in array.flat)
    )
    if array.ndim != 1 or (array.size and not whole):
        raise InvalidInput(
            name, "of another kind", "give a list or a one-dimensional array of integers"
        )
    return array


def _scale(scale: Number) -> Fraction:
    exact = at_least(scale, "scale")
    if exact <= 0:
        raise InvalidInput("scale", scale, "give a number above zero")
    return exact
