"""Error bars of released numbers: from the law of the noise and the released numbers themselves, nothing else."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import field
from fractions import Fraction
from functools import lru_cache
from math import ceil, exp, log, sqrt
from statistics import NormalDist
from typing import Any

from tacit.curator.pricing.noise_error import steps_off
from tacit.exact import Number, float_at_least
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Kind, Ranked, type_of

__all__ = [
    "SUREST",
    "Drawn",
    "Interval",
    "Noisy",
    "all_at_once",
    "around",
    "as_interval",
    "may_be_null",
    "point_of",
    "ratio_interval",
    "unite",
]


def all_at_once(confidence: float, count: int) -> float:
    """How sure each of so many numbers must be, so that all of them together are as sure as was asked for.

    >>> round(all_at_once(0.95, 10), 6)
    0.995
    """
    # which floats still tell from certainty
    return min(1 - (1 - confidence) / max(1, count), 1 - 2**-53)


@frozen
class Interval:
    """A number and the ends between which the exact one lies at the stated confidence.

    With `null` the exact one may also be NULL, and the released one may be: its `value` is None then.
    """

    value: Any
    low: float
    high: float
    null: bool = field(default=False, repr=False)


def as_interval(value: Any) -> Interval:
    """A number as an interval without width; an interval as it is."""
    return value if isinstance(value, Interval) else Interval(value, value, value)


def may_be_null(value: Any) -> bool:
    """Whether a number is NULL, or the exact one may be."""
    return value.null if isinstance(value, Interval) else value is None


def around(point: Any, low: float, high: float, *, null: bool) -> Interval:
    """An interval that holds its value, if there is one."""
    if point is None:
        return Interval(None, low, high, null=True)
    return Interval(point, min(low, point), max(high, point), null)


def unite(value: Any, possible: Iterable[Any]) -> Any:
    """A value, with the ends of all numbers of which the exact one is one; NULL may be among them.

    >>> unite(3, [3, 3]), unite(None, [None, 2]), unite(3, [Interval(3, 1, 5), 7])
    (3, Interval(value=None, low=2, high=2), Interval(value=3, low=1, high=7))
    """
    point, every = point_of(value), [value, *possible]
    known = [as_interval(each) for each in every if each is not None]
    if not known:
        return None
    low, high = min(each.low for each in known), max(each.high for each in known)
    null = any(map(may_be_null, every))
    if low == high and not null:
        return point
    return Interval(point, low, high, null)


def point_of(value: Any) -> Any:
    """The value of an interval; whatever is none as it is."""
    return value.value if isinstance(value, Interval) else value


@frozen
class Noisy:
    """A released integer, the mechanism that hid it, and how much one of its steps is worth."""

    integer: int
    mechanism: Laplace | Gaussian
    worth: Fraction

    @property
    def value(self) -> Fraction:
        """What was released, in its natural unit."""
        return self.integer * self.worth

    @property
    def spread(self) -> float:
        """The scale (Laplace) or sigma (Gaussian) of the noise, in the natural unit."""
        noise = self.mechanism
        scale = noise.scale if isinstance(noise, Laplace) else noise.sigma
        return _spread(scale, self.worth)

    def interval(self, confidence: Number) -> Interval:
        """The value and how far the noise may have moved it.

        Claim:      the exact number lies within the interval with at least this probability.
        Because:    it differs from the released one by the noise, whose exact quantile this is, and by half a step at
                    most where it was rounded before, which is allowed for.
        Checked by: tests/statistics/test_coverage.py
        """
        return self.within(steps_off(self.mechanism, confidence))

    def within(self, steps: int) -> Interval:
        """The value and the ends that lie so many steps from it."""
        low, high = self.integer - steps, self.integer + steps
        return Interval(self.worth_of(self.integer), self.worth_of(low), self.worth_of(high))

    def worth_of(self, steps: int) -> float:
        """What so many steps are worth, to the nearest float: Python divides integers without a second rounding."""
        return steps * self.worth.numerator / self.worth.denominator


@lru_cache(maxsize=256)
def _spread(scale: Fraction, worth: Fraction) -> float:
    """So many steps as a float, rounded up: it is the same in all groups."""
    return float_at_least(scale * worth)


_CLOSE = (
    2.0**-44
)  # how close two ratios are between which the end of an interval lies, as a part of its range

SUREST = 0.976
"""Beyond this confidence the ends of a quantile are those of its range."""
_SUREST_EXTREME = 0.99


@frozen
class Drawn:
    """The cells that were drawn for what is ranked: one, or those below, at and above its rank.

    A cell of -1 lies below the grid, and one beyond its last cell above it.
    """

    cells: tuple[int, ...]

    def interval(self, measure: Ranked, confidence: float) -> Interval:
        """The value and the ends between which the exact one lies.

        Claim:      the exact value of the rank lies between the ends with at least this probability: that of an extreme
                    whatever the data; that of a quantile whatever the data in a group with little weight on its sides,
                    and in others unless many more cells right beside it are empty than hold as much as the noise.
        Because:    an extreme lies on the far side of its cell, at most at the end of the range: see `inward`.  A
                    quantile is missed if all three cells lie on one side of it.  If there is little weight on that
                    side, the outer one does so once in 40 draws: see `Aim.guards`; both sides are missed no more
                    often than the worse one, since the middle cell is on one of them.  Else it does so with the odds of
                    e**-3.5 times as many cells as are right, and the middle one half of the time, where there are as
                    many on both sides: one in 66 in all.  Beyond 97.6 % the ends are those of the range.
        Checked by: tests/statistics/test_rank_coverage.py and tests/laws/test_ranks.py
        """
        first, last = _range_of(measure)
        middle = self.cells[len(self.cells) // 2]
        least, most = min(self.cells), max(self.cells)
        low, high = _ends(measure, least)[0], _ends(measure, most)[1]
        unknown = confidence > (_SUREST_EXTREME if measure.rank in (0, 1) else SUREST)
        if measure.rank == 0 or unknown or len(self.cells) == 1 != measure.rank:
            low = first
        if measure.rank == 1 or unknown or len(self.cells) == 1 != 1 - measure.rank:
            high = last
        # a float cannot hold every moment, and a cell may lie where no value can be
        exact = float if type_of(measure.value).kind is Kind.NUMBER else int
        value, start, end = (
            exact(min(max(each, first), last)) for each in (_middle(measure, middle), low, high)
        )
        return Interval(value, start, end)


def _range_of(measure: Ranked) -> tuple[Fraction, Fraction]:
    """The least and the greatest value that what is ranked can have, as far as they are declared."""
    known, grid = type_of(measure.value).range, measure.grid
    return (
        (known.low, known.high)
        if known is not None
        else (grid.value(0), grid.value(grid.count - 1))
    )


def _middle(measure: Ranked, cell: int) -> Fraction:
    """The value that stands for a cell; of what is outside the grid, the end of the range."""
    first, last = _range_of(measure)
    if cell < 0:
        return first
    return measure.grid.value(cell) if cell < measure.grid.count else last


def _ends(measure: Ranked, cell: int) -> tuple[Fraction, Fraction]:
    """The least and the greatest value in a cell: of what is whole, those that are whole."""
    first, last = _range_of(measure)
    if not 0 <= cell < measure.grid.count:
        return (first, first) if cell < 0 else (last, last)
    low, high = measure.grid.ends(cell)
    if type_of(measure.value).kind is Kind.NUMBER:
        return low, high
    return Fraction(ceil(low)), Fraction(ceil(high) - 1)


def ratio_interval(
    total: Noisy, count: Noisy, confidence: float, low: float, high: float
) -> Interval:
    """The ratio of two released numbers, known to lie between `low` and `high`, with Fieller's interval.

    Claim:      the exact ratio t lies within the interval with at least this probability.
    Because:    total - t count differs from zero by the noise of the first less t times that of the second, whose law
                is known for every t; the interval holds every t for which it is not too large to be noise.  Discrete
                noise reaches at most half a step further than continuous noise of its scale.
    Checked by: tests/statistics/test_coverage.py
    """
    sum_reach = _gaussian_reach if isinstance(total.mechanism, Gaussian) else _laplace_reach
    top, bottom = total.worth_of(total.integer), count.worth_of(count.integer)
    sum_step, count_step = float(total.worth), float(count.worth)
    sum_spread, count_spread = total.spread, count.spread

    def excess(ratio: float) -> float:
        """How much further the ratio is off than the noise of a sum, and of so many counts, goes together."""
        times = abs(ratio)
        reach = sum_reach(sum_spread, times * count_spread, confidence)
        return abs(top - ratio * bottom) - (reach + (sum_step + times * count_step) / 2)

    best = min(max(top / bottom, low), high) if bottom > 0 else min(max(0.0, low), high)
    may_be_nothing = bottom <= sum_reach(0.0, count_spread, confidence) + count_step / 2
    if may_be_nothing or (at_best := excess(best)) > 0:
        # the count may be nothing, and then every ratio is possible
        return Interval(best, low, high)
    first, last = (_edge(excess, best, at_best, end) for end in (low, high))
    return Interval(best, first, last)


def _edge(excess: Callable[[float], float], inside: float, under: float, end: float) -> float:
    """The last ratio from `inside`, at which the excess is `under`, towards `end` that is not refuted, or the end.

    The interval is cut in halves sixty times, but what lies outside a bracket that secants have found is not computed.
    """
    over = excess(end)
    if over <= 0:
        return end
    sign = 1 if inside < end else -1
    near, far = _bracket(excess, (inside, under), (end, over))
    outside = end
    for _ in range(60):
        middle = (inside + outside) / 2
        if sign * middle <= sign * near or (sign * middle < sign * far and excess(middle) <= 0):
            inside = middle
        else:
            outside = middle
    return outside


def _bracket(
    excess: Callable[[float], float], first: tuple[float, float], last: tuple[float, float]
) -> tuple[float, float]:
    """Two ratios close to each other, the first not refuted and the second refuted, between two with their excess.

    A secant cuts the bracket; an end of it that stays twice in turn counts half (the rule of Illinois).
    """
    (inside, under), (outside, over) = first, last
    close, stayed = abs(outside - inside) * _CLOSE, 0
    for _ in range(20):
        if abs(outside - inside) <= close:
            break
        cut = outside - over * (outside - inside) / (over - under)
        if not min(inside, outside) < cut < max(inside, outside):
            break
        found = excess(cut)
        if found <= 0:
            inside, under, over, stayed = cut, found, over / 2 if stayed > 0 else over, 1
        else:
            outside, over, under, stayed = cut, found, under / 2 if stayed < 0 else under, -1
    return inside, outside


def _gaussian_reach(first: float, second: float, confidence: float) -> float:
    return _sigmas(confidence) * sqrt(first**2 + second**2)


@lru_cache(maxsize=64)
def _sigmas(confidence: float) -> float:
    """How many sigmas a normal number goes."""
    return NormalDist().inv_cdf((1 + confidence) / 2)


def _laplace_reach(first: float, second: float, confidence: float) -> float:
    """How far a sum of two Laplace numbers goes: P(|sum| > t) = (a**2 e**(-t/a) - b**2 e**(-t/b)) / (a**2 - b**2).

    Newton's steps on the logarithm of that tail, which is concave, come down to the answer from above.
    """
    larger, smaller = max(first, second), min(first, second)
    ratio = min(smaller / larger, 1 - 1e-6)  # where the two are alike the formula is a limit
    reach = -log(1 - confidence)
    for _ in range(8):
        far, near = exp(-reach), ratio * exp(-reach / ratio) if ratio else 0.0
        tail, fall, before = far - ratio * near, far - near, reach
        reach += tail / fall * log(tail / (1 - ratio**2) / (1 - confidence))
        if reach == before:
            break
    return larger * reach * (1 + 1e-5)  # alike or nearly so is a little less
