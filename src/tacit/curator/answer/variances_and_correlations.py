"""Variances, covariances and correlations of released sums, with intervals; of many releases at once, as arrays.

What is exact is known but for noise: a count n, sums S of x and of y about the middle of their ranges, and sums of
squares and products.  With the exact mean u of x, the sum of squares about it is Q - 2 u S + u**2 n, whose noise has a
known law; with the released mean in its place it is smaller by z**2 / n, where z = S - u n is noise.  So a variance is
one that makes

    (Q - S**2 / n) + (mean of z**2 / n)  -  variance n

no larger than its noise can be, of which z**2 / n is a part.  So it is with covariances, and with correlations r and

    sum of x y  -  r/2 (k sum of x**2  +  1/k sum of y**2),   each about its mean, k the ratio of standard deviations,

which is zero but for noise, and moves only as the square of the error of k.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import log, prod, sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tacit.curator.answer.intervals import Drawn, Interval, Noisy
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian
from tacit.plan import Moment, MomentOf, Question, Summed

__all__ = ["Estimate", "Released", "moment_interval", "released_moment"]

_Array = NDArray[np.float64]

_HALVINGS = 48
# how many standard deviations of its noise a count is to be for a moment to have an interval of its own
_SURE = 5


@frozen
class Released:
    """A measure's released numbers, in its own unit: the standard deviation of their noise, and one step of them.

    A sum of x less the middle of its range, `centre`, lies between `low` and `high` for each row that counts.
    """

    values: _Array
    deviation: float
    step: float
    gaussian: bool
    centre: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @classmethod
    def of(cls, noisy: Noisy, question: Question, place: int) -> Released:
        """What was released of a measure for one group."""
        gaussian = isinstance(noisy.mechanism, Gaussian)
        found = cls(
            np.array(float(noisy.value)),
            noisy.spread * (1 if gaussian else sqrt(2)),
            float(noisy.worth),
            gaussian,
        )
        return found.about(question, place)

    def about(self, question: Question, place: int) -> Released:
        """The same, with what the plan says of the measure."""
        match question.measures[place]:
            case Summed(_, step, low, high, centre):
                ends = float((low - centre) * step), float((high - centre) * step)
                return Released(
                    self.values,
                    self.deviation,
                    self.step,
                    self.gaussian,
                    float(centre * step),
                    ends[0],
                    ends[1],
                )
            case _:
                return self


@frozen
class Estimate:
    """Moments of many releases: as they come out, between what is possible, and the ends of their intervals."""

    plain: _Array
    value: _Array
    low: _Array
    high: _Array


def moment_interval(
    moment: MomentOf,
    question: Question,
    noisy: Sequence[Noisy | Drawn | None],
    confidence: float,
    *,
    raw: bool,
) -> Interval | None:
    """A moment of one group; without `raw` it is one that is possible, with it there may be none.

    Claim:      the exact moment lies within the interval with this probability, but for terms of the third order in the
                noise over the count; where that may be large, the interval is all that is possible.
    Because:    see above: the form is noise, of a variance that is known but for the mean, which is taken a standard
                deviation further out than released.  Everything comes from released numbers and the plan.
    Checked by: tests/statistics/test_moments.py
    """
    parts = [(place, noisy[place]) for place in moment.places]
    numbers = [
        Released.of(number, question, place) for place, number in parts if isinstance(number, Noisy)
    ]
    assert len(numbers) == len(parts), "a moment is made of counts and sums, which have noise"
    found = released_moment(moment.moment, numbers, confidence)
    plain = float(found.plain)
    if raw and not np.isfinite(plain):
        return None
    value = plain if raw else float(found.value)
    return Interval(value, min(float(found.low), value), max(float(found.high), value))


def released_moment(moment: Moment, parts: Sequence[Released], confidence: float) -> Estimate:
    """The moment of each release; the parts are those that `Moment` lists."""
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        match moment:
            case Moment.VARIANCE | Moment.POPULATION_VARIANCE:
                return _of_products(
                    (parts[0], parts[1], *parts[1:]),
                    confidence,
                    less=int(moment is Moment.VARIANCE),
                )
            case Moment.COVARIANCE | Moment.POPULATION_COVARIANCE:
                return _of_products(parts, confidence, less=int(moment is Moment.COVARIANCE))
            case Moment.CORRELATION:
                return _correlation(parts, confidence)


# ---------------------------------------------------------------- noise


def reach_factor(confidence: float, *, gaussian: bool) -> float:
    """How many standard deviations a sum of independent noise reaches.

    Claim:      a weighted sum of independent Laplace numbers exceeds so many of its standard deviations, in either
                direction, with no more than the probability that is left.
    Because:    the more numbers are summed, the closer the law comes to a normal one; beyond the largest of the two
                reaches, that of one Laplace number and that of a normal one, no such sum has more in its tails.
    Checked by: tests/statistics/test_moments.py::test_no_sum_of_laplace_noise_reaches_further
    """
    normal = NormalDist().inv_cdf((1 + confidence) / 2)
    return normal if gaussian else max(normal, -log(1 - confidence) / sqrt(2)) * (1 + 1e-3)


def _edge(left: Callable[[_Array], _Array], low: _Array, high: _Array) -> _Array:
    """Where a falling function crosses zero; the end beyond which it would."""
    low, high = (np.array(end, dtype=np.float64) for end in np.broadcast_arrays(low, high))
    ends = left(low) <= 0, left(high) >= 0
    inside, outside = low.copy(), high.copy()
    for _ in range(_HALVINGS):
        middle = (inside + outside) / 2
        above = left(middle) > 0
        inside, outside = np.where(above, middle, inside), np.where(above, outside, middle)
    return np.where(ends[0], low, np.where(ends[1], high, outside))


# ---------------------------------------------------------------- sums about the mean


@frozen
class _About:
    """The sum of products of x and y about their means, and what the noise of those means does to it.

    `times` says how far it moves with each part: products, sum of x, sum of y, count.
    """

    value: _Array
    bias: _Array
    square: _Array
    parts: tuple[Released, Released, Released, Released]
    times: tuple[Any, _Array, _Array, _Array]

    @classmethod
    def of(cls, count: Released, one: Released, two: Released, products: Released) -> _About:
        counts = np.where(count.values > 0, count.values, np.nan)
        first, second = (_mean(each, count, counts) for each in (one, two))
        value = products.values + products.centre * counts - one.values * two.values / counts
        both = first * second * count.deviation**2 + (one.deviation**2 if one is two else 0.0)
        means = ((one, first), (two, second))
        each = prod(part.deviation**2 + (mean * count.deviation) ** 2 for part, mean in means)
        times = 1.0, -second, -first, first * second + products.centre
        return cls(
            value, both / counts, (each + both**2) / counts**2, (products, one, two, count), times
        )

    @property
    def fair(self) -> _Array:
        """The sum without what the noise of the means takes from it on average."""
        return self.value + self.bias


def _mean(total: Released, count: Released, counts: _Array) -> _Array:
    """A mean about the middle, a standard deviation further away from it: noise that depends on it is not too small."""
    mean = np.clip(total.values / counts, total.low, total.high)
    off = np.sqrt(total.deviation**2 + (mean * count.deviation) ** 2) / counts
    return np.clip(mean + np.where(mean < 0, -off, off), total.low, total.high)


def _spread(summands: Sequence[tuple[_About, Any]], counts: Any = 0.0) -> tuple[_Array, _Array]:
    """The variance of so many of some sums less so many counts, and how far half a step of every part moves it."""
    moved: dict[int, tuple[Released, Any]] = {}
    for about, many in summands:
        for part, times in zip(about.parts, about.times, strict=True):
            moved[id(part)] = part, moved.get(id(part), (part, 0.0))[1] + many * times
    count = summands[0][0].parts[-1]
    moved[id(count)] = count, moved[id(count)][1] - counts
    variance = sum((times * part.deviation) ** 2 for part, times in moved.values())
    variance = variance + sum(many**2 * about.square for about, many in summands)
    steps = sum(abs(times) * part.step for part, times in moved.values())
    return np.asarray(variance), np.asarray(steps) / 2


def _ends(
    form: Callable[[_Array], tuple[_Array, _Array, _Array]],
    limits: tuple[_Array, _Array],
    factor: float,
) -> tuple[_Array, _Array]:
    """The least and the greatest moment for which a form, with its variance and its steps, may be noise."""

    def beyond(sign: int) -> Callable[[_Array], _Array]:
        def left(moment: _Array) -> _Array:
            value, variance, steps = form(moment)
            return value + sign * (factor * np.sqrt(variance) + steps)

        return left

    return _edge(beyond(-1), *limits), _edge(beyond(1), *limits)


def _estimate(
    plain: _Array,
    possible: tuple[Any, Any],
    sure: NDArray[np.bool_],
    ends: tuple[_Array, _Array],
    limits: Any,
) -> Estimate:
    """A moment between what is possible; where the count may be nothing, everything that can ever be is possible."""
    value = np.clip(np.nan_to_num(plain), *possible)
    low, high = (np.where(sure, end, limit) for end, limit in zip(ends, limits, strict=True))
    return Estimate(plain, value, np.minimum(low, value), np.maximum(high, value))


# ---------------------------------------------------------------- moments


def _of_products(parts: Sequence[Released], confidence: float, *, less: int) -> Estimate:
    """A variance, if both are the same, or a covariance; `less` is 1 for one that speaks of more than these rows."""
    count, one, two, products = parts
    about, counts = _About.of(count, one, two, products), count.values
    widest = (one.high - one.low) * (two.high - two.low) / 4
    least = 0.0 if one is two else -1.0
    plain = np.where(counts > less, about.value / (counts - less), np.nan)
    furthest = np.where(counts > 2, counts / np.maximum(counts - less, 1), 1 + less) * widest
    limits = tuple(np.full(np.shape(plain), sign * widest * (1 + less)) for sign in (least, 1.0))

    def form(moment: _Array) -> tuple[_Array, _Array, _Array]:
        return about.fair - moment * (counts - less), *_spread([(about, 1.0)], moment)

    factor = reach_factor(confidence, gaussian=count.gaussian)
    ends = _ends(form, (limits[0], limits[1]), factor)
    return _estimate(plain, (least * furthest, furthest), _counts(count, less), ends, limits)


def _correlation(parts: Sequence[Released], confidence: float) -> Estimate:
    count, one, two, one_squares, two_squares, products = parts
    about = _About.of(count, one, two, products)
    first, second = _About.of(count, one, one, one_squares), _About.of(count, two, two, two_squares)
    real = (first.value > 0) & (second.value > 0)
    squares = [np.where(real, each.value, np.nan) for each in (first, second)]
    middle, ratio = np.sqrt(squares[0] * squares[1]), np.sqrt(squares[1] / squares[0])
    plain = about.value / middle
    # How far the logarithm of the ratio is off: half the difference of those of the sums of squares.
    variance, _ = _spread([(first, 1 / (2 * squares[0])), (second, -1 / (2 * squares[1]))])
    bias = middle * variance / 2

    def form(moment: _Array) -> tuple[_Array, _Array, _Array]:
        below = (ratio * first.fair + second.fair / ratio) / 2 + bias
        spread, steps = _spread(
            [(about, 1.0), (first, -moment * ratio / 2), (second, -moment / ratio / 2)]
        )
        return about.fair - moment * below, spread + (moment * middle * variance) ** 2 / 2, steps

    factor = reach_factor(confidence, gaussian=count.gaussian)
    limits = np.full(np.shape(plain), -1.0), np.full(np.shape(plain), 1.0)
    sure = real & _counts(count, 0) & (factor**2 * variance < 1)
    for each in (first, second):  # a variance that may be nothing says nothing about a ratio to it
        sure &= each.fair > 2 * factor * np.sqrt(_spread([(each, 1.0)])[0])
    return _estimate(plain, (-1.0, 1.0), sure, _ends(form, limits, factor), limits)


def _counts(count: Released, less: int) -> NDArray[np.bool_]:
    """Whether the count is surely so large that a mean has a meaning."""
    return np.asarray(count.values - less > _SURE * count.deviation)
