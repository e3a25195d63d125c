"""Windows over released groups: ranks, shares, running totals; from released numbers and the plan alone."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import accumulate, groupby
from math import ceil, expm1, hypot, inf, isfinite, log, sqrt
from statistics import fmean, median
from typing import Any

from tacit.curator.answer.intervals import (
    Interval,
    Noisy,
    all_at_once,
    around,
    as_interval,
    may_be_null,
    point_of,
)
from tacit.curator.answer.rounding_error import sure_of_noise
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import (
    Across,
    Arithmetic,
    Expression,
    Kind,
    Literal,
    Look,
    MeasureOf,
    View,
    walk_expression,
)

__all__ = ["Peers", "find_variance", "has_windows", "parts_shown", "roots_of", "sum_error"]

_Ends = tuple[float, float]


def roots_of(view: View) -> list[Expression]:
    """The expressions of a view that may look at other groups."""
    roots = [shown.value for shown in view.columns]
    roots += [order.value for order in view.order]
    return roots if view.qualify is None else [*roots, view.qualify]


def parts_shown(view: View) -> list[Expression]:
    """Every part of these expressions."""
    return walk_expression(*roots_of(view))


def has_windows(view: View) -> bool:
    """Whether some column, order or condition looks at other groups."""
    return Across in map(type, parts_shown(view))


def find_variance(expression: Expression) -> tuple[Across, int] | None:
    """The sum over groups of what a quotient is the variance of, and how many fewer than the groups it is divided by.

    (SUM(x * x) - SUM(x) * SUM(x) / COUNT(x)) / (COUNT(x) - 1)    SUM(x) and 1
    """
    match expression:
        case Arithmetic(
            "/",
            Arithmetic(
                "-",
                Across(Look.SUM) as squares,
                Arithmetic("/", Arithmetic("*", total, same), count),
            ),
            by,
        ):
            pass
        case _:
            return None
    if not isinstance(total, Across) or total != same or total.look is not Look.SUM or total.order:
        return None
    operand = total.operand
    assert operand is not None, "there is something to add up"
    wanted = replace(total, operand=Arithmetic("*", operand, operand))
    if squares != wanted or count != replace(total, look=Look.COUNT):
        return None
    if by == count:
        return total, 0
    return (total, 1) if by == Arithmetic("-", count, Literal(1, Kind.INTEGER)) else None


@dataclass(frozen=True, eq=False, repr=False)
class Peers:
    """The groups that HAVING keeps, and how each is seen.

    `evaluate` gives an expression of a group at a confidence, `figures` the noisy numbers in an expression, `noisy`
    what was released of a group, `rounding` how far a group's measure may be off for being summed on a grid, at a
    confidence, and `signed` whether a measure may be negative.  `every` is the number of groups before HAVING, `chosen`
    whether noise chose among them, and `has_ends` whether what is looked at is of a kind that has intervals.

    Claim:      the exact value of a window, over the same groups in the same order, lies within its interval with at
                least the stated confidence; where noise chose the groups or their order, the caption says so.
    Because:    the numbers of all groups lie in their intervals at once with that confidence, by Bonferroni over every
                group that might have been chosen; sums, means, ranks and extremes of intervals hold those of what lies
                in them, whichever of the numbers that may be NULL are left out.  Where no noise chooses, a sum of
                measures has the noise of as many independent draws.
    Checked by: tests/unit/curator/answer/test_group_windows.py::test_the_exact_value_lies_within_the_interval and
                tests/laws/test_interval_arithmetic.py
    """

    groups: Sequence[Any]
    every: int
    chosen: bool
    evaluate: Callable[[Any, Expression, float], Any]
    figures: Callable[[Expression], frozenset[Expression]]
    noisy: Callable[[Any, int], Any]
    signed: Callable[[Expression], bool]
    has_ends: Callable[[Expression], bool]
    rounding: Callable[[Any, int, float], float] = lambda _group, _place, _confidence: 0.0
    known: dict[tuple[Across, float], list[Any]] = field(default_factory=dict)
    variances: dict[tuple[Across, int, float], list[Interval | None]] = field(default_factory=dict)

    def value(self, expression: Across, place: int, confidence: float) -> Any:
        """What a window says of the group at a place, an interval where noise has touched it."""
        key = expression, confidence
        if key not in self.known:
            self.known[key] = self._values(expression, confidence)
        return self.known[key][place]

    def variance(self, total: Across, less: int, place: int, confidence: float) -> Interval | None:
        """The variance of what is added up over groups; None where some of it may be NULL, or is a single number.

        Claim:      the exact variance lies within the interval wherever the numbers of all groups lie within theirs.
        Because:    the root of the sum of squares about the mean is a seminorm, no larger than the norm: it moves by
                    no more than the norm of how far the numbers may be off.
        Checked by: tests/unit/curator/answer/test_group_windows.py::test_the_variance_of_groups_lies_within
        """
        key = total, less, confidence
        if key not in self.variances:
            found: list[Interval | None] = [None] * len(self.groups)
            for places in self._divide(total):
                values = self._operands(total, places, self._all_at_once(total.operand, confidence))
                variance = _variance(values, less)
                for each in places:
                    found[each] = variance
            self.variances[key] = found
        return self.variances[key][place]

    def _divide(self, window: Across) -> Iterable[list[int]]:
        """The places of groups that a window looks at together."""
        found: dict[tuple[Any, ...], list[int]] = {}
        for place in range(len(self.groups)):
            key = tuple(self._point(place, part) for part in window.by)
            found.setdefault(key, []).append(place)
        return found.values()

    def _values(self, expression: Across, confidence: float) -> list[Any]:
        found: list[Any] = [None] * len(self.groups)
        for places in self._divide(expression):
            ordered = self._sort_places(places, expression.order)
            for place, value in zip(
                ordered, self._window_values(expression, ordered, confidence), strict=True
            ):
                found[place] = value
        return found

    def _window_values(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        """What a window says of ordered groups, one after the other."""
        match expression.look:
            case Look.NUMBER | Look.RANK | Look.DENSE:
                return self._ranks(expression, places, confidence)
            case Look.BEFORE | Look.AFTER | Look.FIRST | Look.LAST:
                return self._values_elsewhere(expression, places, confidence)
            case Look.COUNT:
                return self._counts(expression, places, confidence)
            case Look.SUM | Look.MEAN:
                return self._totals(expression, places, confidence)
            case Look.LEAST | Look.GREATEST:
                return self._extremes(expression, places, confidence)
            case Look.MIDDLE:
                return self._medians(expression, places, confidence)

    # ------------------------------------------------------------ order

    def _point(self, place: int, expression: Expression) -> Any:
        return point_of(self.evaluate(self.groups[place], expression, 0.5))

    def _sort_places(
        self, places: list[int], order: Sequence[tuple[Expression, bool]]
    ) -> list[int]:
        """Places by what they are ordered by, NULLs last; those that are alike stay in the order of the release."""
        for value, descending in reversed(order):
            points = {place: self._point(place, value) for place in places}
            known = [place for place in places if points[place] is not None]
            known.sort(key=lambda place, points=points: points[place], reverse=descending)  # type: ignore[misc]
            places = known + [place for place in places if points[place] is None]
        return places

    def _ends(self, order: Sequence[tuple[Expression, bool]], places: list[int]) -> list[int]:
        """For each of ordered groups, how many come up to it and its peers; without an order, all of them."""
        if not order:
            return [len(places)] * len(places)
        found: list[int] = []
        values = [value for value, _ in order]
        for _, alike in groupby(
            places, key=lambda place: [self._point(place, value) for value in values]
        ):
            count = len(list(alike))
            found += [len(found) + count] * count
        return found

    # ------------------------------------------------------------ what is seen

    def _all_at_once(self, expression: Expression | None, confidence: float) -> float:
        """The confidence of each number at which those of every group hold at once."""
        count = 1 if expression is None else max(1, len(self.figures(expression)))
        return all_at_once(confidence, count * max(1, self.every))

    def _operands(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        assert expression.operand is not None, "there is something to look at"
        return [
            self.evaluate(self.groups[place], expression.operand, confidence) for place in places
        ]

    def _ranks(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        ends = self._ends(expression.order, places)
        starts = _starts(ends)
        steps = {end: step for step, end in enumerate(sorted(set(ends)), 1)}
        points = {
            Look.NUMBER: list(range(1, len(places) + 1)),
            Look.RANK: starts,
            Look.DENSE: [steps[end] for end in ends],
        }[expression.look]
        if not any(self.figures(value) for value, _ in expression.order):
            return points
        bounds = self._places_of(expression, places, confidence)
        return [
            Interval(float(point), float(min(low, point)), float(max(high, point)))
            for point, (low, high) in zip(points, bounds, strict=True)
        ]

    def _places_of(
        self, expression: Across, places: list[int], confidence: float
    ) -> list[tuple[int, int]]:
        """The least and the greatest rank that each group may have, for numbers anywhere in their intervals."""
        (value, descending), *others = expression.order
        sure = self._all_at_once(value, confidence)
        seen = [self.evaluate(self.groups[place], value, sure) for place in places]
        if others or any(may_be_null(each) or isinstance(each, str | bool) for each in seen):
            return [(1, len(places))] * len(places)
        spans = [as_interval(each) for each in seen]
        if descending:
            spans = [Interval(-each.value, -each.high, -each.low) for each in spans]
        lows, highs = sorted(each.low for each in spans), sorted(each.high for each in spans)
        # those whose end lies before it come first
        first = [1 + bisect_left(highs, each.low) for each in spans]
        # those that begin no later than it ends may
        last = [bisect_right(lows, each.high) for each in spans]
        if expression.look is Look.DENSE:
            first = [1] * len(places)
        return list(zip(first, last, strict=True))

    def _values_elsewhere(
        self, expression: Across, places: list[int], confidence: float
    ) -> list[Any]:
        """What groups so far before or after say, or the first or the last of all."""
        assert expression.operand is not None, "there is something to look at"
        noisy = self.chosen or any(self.figures(value) for value, _ in expression.order)
        count = max(1, len(self.figures(expression.operand)))
        sure = (
            self._all_at_once(expression.operand, confidence)
            if noisy
            else all_at_once(confidence, count)
        )
        values = self._operands(expression, places, sure)
        if expression.look in {Look.FIRST, Look.LAST}:
            return [values[0 if expression.look is Look.FIRST else -1]] * len(values)
        away = expression.offset if expression.look is Look.AFTER else -expression.offset
        return [
            values[i + away] if 0 <= i + away < len(values) else None for i in range(len(values))
        ]

    def _counts(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        ends = self._ends(expression.order, places)
        if any(self.figures(value) for value, _ in expression.order):
            return self._counts_in_noisy_order(expression, places, ends, confidence)
        if expression.operand is None:
            return list(ends)
        values = self._operands(
            expression, places, self._all_at_once(expression.operand, confidence)
        )
        counts = _running_count([point_of(value) is not None for value in values])
        if not self.figures(expression.operand):
            return [counts[end] for end in ends]
        if not self.has_ends(expression.operand):
            return [Interval(float(counts[end]), 0.0, float(end)) for end in ends]
        least = _running_count([not may_be_null(value) for value in values])
        most = _running_count([value is not None for value in values])
        return [Interval(float(counts[end]), float(least[end]), float(most[end])) for end in ends]

    def _counts_in_noisy_order(
        self, expression: Across, places: list[int], ends: list[int], confidence: float
    ) -> list[Any]:
        """How many come up to each group, where noise decides who does: as few and as many as may."""
        bounds = self._places_of(expression, places, confidence)
        if expression.operand is None:
            return [
                Interval(float(end), float(min(low, end)), float(max(high, end)))
                for end, (low, high) in zip(ends, bounds, strict=True)
            ]
        there = [point_of(value) is not None for value in self._operands(expression, places, 0.5)]
        return [
            Interval(float(sum(there[:end])), 0.0, float(max(high, end)))
            for end, (_, high) in zip(ends, bounds, strict=True)
        ]

    def _totals(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        """Sums and means of all up to a group; NULL where there is nothing to add up."""
        operand = expression.operand
        assert operand is not None, "there is something to add up"
        noisy = bool(self.figures(operand))
        values = self._operands(expression, places, self._all_at_once(operand, confidence))
        sums, counts = _running_sums(values)
        ends = self._ends(expression.order, places)
        if noisy and any(isinstance(value, Interval) and value.null for value in values):
            return _totals_of_some(expression.look, values, ends)
        if not noisy and expression.look is Look.SUM and _are_whole(values):
            return [int(sums[end].value) if counts[end] else None for end in ends]
        bounds = self._bounds_of_sums(expression, places, confidence, sums)
        found: list[Any] = []
        for end in ends:
            by = counts[end] if expression.look is Look.MEAN else 1
            if not counts[end]:
                found.append(None)
            elif noisy:
                value, (low, high) = sums[end].value / by, bounds[end]
                found.append(Interval(value, min(low / by, value), max(high / by, value)))
            else:
                found.append(sums[end].value / by)
        return found

    def _bounds_of_sums(
        self, expression: Across, places: list[int], confidence: float, sums: list[Interval]
    ) -> list[_Ends]:
        """The ends of each sum: by the law of independent noise where that is known, else by the ends of what is added.

        One or the other: both at once would be less sure.
        """
        independent = self._independent(expression, places, confidence)
        if independent is None:
            return [(each.low, each.high) for each in sums]
        assert expression.operand is not None, "there is something to add up"
        if self.signed(expression.operand):
            return independent
        return [(max(low, 0.0), high) for low, high in independent]

    def _independent(
        self, expression: Across, places: list[int], confidence: float
    ) -> list[_Ends] | None:
        """The ends of sums of the first groups, by the law of independent noise; None if noise chooses among them."""
        by_noise = self.chosen or any(self.figures(value) for value, _ in expression.order)
        if by_noise or not isinstance(expression.operand, MeasureOf):
            return None
        released = [self.noisy(self.groups[place], expression.operand.place) for place in places]
        if not all(isinstance(each, Noisy) and each.mechanism.grid is None for each in released):
            return None
        # answers were joined: one draw counts twice
        if len(set(map(id, released))) < len(released):
            return None
        found, total, off = [(0.0, 0.0)], 0, 0.0
        each_sure = all_at_once(confidence, max(1, self.every))
        for count, (place, each) in enumerate(zip(places, released, strict=True), 1):
            total += each.integer
            off += self.rounding(self.groups[place], expression.operand.place, each_sure)
            reach = sum_error(
                each.mechanism, count, sure_of_noise(confidence) if off else confidence
            )
            found.append((each.worth_of(total - reach) - off, each.worth_of(total + reach) + off))
        return found

    def _extremes(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        values = self._operands(
            expression, places, self._all_at_once(expression.operand, confidence)
        )
        least = expression.look is Look.LEAST
        from tacit.curator.answer.released_functions import greatest_of, least_of

        choose, ends_of = (min, least_of) if least else (max, greatest_of)
        found: list[Any] = []
        last: Any = None
        for value in values:
            if last is None or value is None:
                last = value if last is None else last
            elif isinstance(value, Interval) or isinstance(last, Interval):
                both = [as_interval(last), as_interval(value)]
                points = [each.value for each in both if each.value is not None]
                low, high, null = ends_of(both)
                last = Interval(choose(points, default=None), low, high, null)
            else:
                last = choose(last, value)
            found.append(last)
        return [found[end - 1] for end in self._ends(expression.order, places)]

    def _medians(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        """The middle of all values, or of the two middle ones; NULLs are left out.

        Numbers within their intervals have a median between those of the ends: it never falls as a number grows.
        Of those that may be NULL, the ones are there with which it is least, or greatest.
        """
        sure = self._all_at_once(expression.operand, confidence)
        values = self._operands(expression, places, sure)
        spans = [as_interval(each) for each in values if each is not None]
        if not spans:
            return [None] * len(places)
        points = [each.value for each in spans if each.value is not None]
        middle = median(points) if points else None
        if not any(isinstance(each, Interval) for each in values):
            return [middle] * len(places)
        low, high, null = _centre_of_some(median, spans)
        return [around(middle, low, high, null=null)] * len(places)


def _variance(values: Sequence[Any], less: int) -> Interval | None:
    """The variance of numbers that are all there."""
    if any(map(may_be_null, values)) or len(values) <= less:
        return None
    spans = [as_interval(value) for value in values]
    mean = fmean(each.value for each in spans)
    around_mean = hypot(*(each.value - mean for each in spans))
    off = hypot(*(max(each.high - each.value, each.value - each.low) for each in spans))
    roots = around_mean, max(0.0, around_mean - off), around_mean + off
    middle, low, high = (root * root / (len(spans) - less) for root in roots)
    return Interval(middle, low, high) if isfinite(high) else None


def _running_count(there: Sequence[bool]) -> list[int]:
    """How many of the first values are there, for every number of them from none on."""
    return [0, *accumulate(there)]


def _totals_of_some(look: Look, values: Sequence[Any], ends: Sequence[int]) -> list[Any]:
    """Sums and means of the first values, of which those that may be NULL are added up or not.

    Claim:      whichever of them are, the sum or the mean lies within the interval, or is NULL and the interval says
                that it may be.
    Because:    what may be NULL adds something between its ends or nothing; and see `_centre_of_some`.
    Checked by: tests/laws/test_interval_arithmetic.py
    """
    sure = _running_count([not may_be_null(value) for value in values])
    there = _running_count([point_of(value) is not None for value in values])
    some = _running_count([value is not None for value in values])
    totals = _running_total([point_of(value) or 0 for value in values])
    bounds: Mapping[int, _Ends] = (
        _mean_ends(values, set(ends)) if look is Look.MEAN else dict(enumerate(_sum_ends(values)))
    )
    found: list[Any] = []
    for end in ends:
        by = there[end] if look is Look.MEAN else 1
        point = totals[end] / by if there[end] else None
        if not some[end]:
            found.append(None)
            continue
        low, high = bounds[end]
        found.append(around(point, low, high, null=not sure[end]))
    return found


def _running_total(numbers: Sequence[float]) -> list[float]:
    """The sum of the first numbers, for every number of them from none on."""
    return list(accumulate(numbers, initial=0.0))


def _sum_ends(values: Sequence[Any]) -> list[_Ends]:
    """The ends of sums of the first values: what may be NULL adds something, or nothing."""
    spans = [as_interval(0 if value is None else value) for value in values]
    lows = [min(0.0, each.low) if each.null else each.low for each in spans]
    highs = [max(0.0, each.high) if each.null else each.high for each in spans]
    return list(zip(_running_total(lows), _running_total(highs), strict=True))


def _mean_ends(values: Sequence[Any], ends: Collection[int]) -> Mapping[int, _Ends]:
    """The ends of means of the first values; of very many, those of the numbers themselves."""
    spans = [as_interval(value) for value in values if value is not None]
    places = _running_count([value is not None for value in values])
    if len(values) * len(ends) > _MOST_STEPS:
        lows = list(accumulate((each.low for each in spans), min, initial=inf))
        highs = list(accumulate((each.high for each in spans), max, initial=-inf))
        return {end: (lows[places[end]], highs[places[end]]) for end in ends}
    return {
        end: _centre_of_some(fmean, spans[: places[end]], len(ends))[:2]
        for end in ends
        if places[end]
    }


def _centre_of_some(
    centre: Callable[[Sequence[float]], float], spans: Sequence[Interval], times: int = 1
) -> tuple[float, float, bool]:
    """The least and the greatest mean or median of numbers of which some may be NULL, and whether all may be.

    Claim:      it lies between these ends, whichever of them are NULL.
    Because:    it grows with every number.  One more number moves it towards that number, so that the least one is
                that of all that are sure and of the smallest others, as long as these lie below it.
    Checked by: tests/unit/curator/answer/test_group_windows.py::test_the_mean_and_the_median_of_some_lie_within
    """
    low = _least_centre(centre, [(each.low, each.null) for each in spans], times)
    high = -_least_centre(centre, [(-each.high, each.null) for each in spans], times)
    return low, high, all(each.null for each in spans)


_MOST_STEPS = 1_000_000


def _least_centre(
    centre: Callable[[Sequence[float]], float], ends: Sequence[tuple[float, bool]], times: int
) -> float:
    found = [end for end, null in ends if not null]
    others = sorted(end for end, null in ends if null)
    if others and len(ends) * len(others) * times > _MOST_STEPS:
        return min(end for end, _ in ends)
    for end in others:
        if found and end >= centre(found):
            break
        found.append(end)
    return centre(found)


def _running_sums(values: Sequence[Any]) -> tuple[list[Interval], list[int]]:
    """The sum of the first values, for every number of them from none on, and how many of these are not NULL."""
    sums, counts = [Interval(0.0, 0.0, 0.0)], [0]
    for value in values:
        sums.append(sums[-1] if point_of(value) is None else _add(sums[-1], as_interval(value)))
        counts.append(counts[-1] + (value is not None))
    return sums, counts


def _add(one: Interval, other: Interval) -> Interval:
    return Interval(one.value + other.value, one.low + other.low, one.high + other.high)


def _are_whole(values: Sequence[Any]) -> bool:
    return all(isinstance(value, int | None) for value in values)


def _starts(ends: list[int]) -> list[int]:
    """The rank of each of ordered groups: one more than how many come before it and its peers."""
    before = {
        end: start for start, end in zip([0, *sorted(set(ends))], sorted(set(ends)), strict=False)
    }
    return [1 + before[end] for end in ends]


@lru_cache(maxsize=4096)
def sum_error(mechanism: Laplace | Gaussian, count: int, confidence: float) -> int:
    """How far the sum of so many independent draws of noise stays from zero at most, with at least this probability.

    Claim:      P(|sum| > the result) <= 1 - confidence.
    Because:    Chernoff: P(|sum| >= t) <= 2 exp(n log M(s) - s t) for every s, where M is the law's moment generating
                function; that of the discrete Gaussian is at most exp(s**2 sigma**2 / 2) (Canonne, Kamath and Steinke
                2020), that of the discrete Laplace (1 - q)**2 / ((1 - q e**s) (1 - q e**-s)) with q = exp(-1 / scale).
                One in a million of room is left for the rounding of floats.  Or the draws are taken one by one, by
                their exact quantiles; which of both depends on no draw.
    Checked by: tests/unit/curator/answer/test_group_windows.py::test_sums_of_noise_stay_within_their_error
    """
    if count == 1:
        return int(mechanism.error(confidence))
    room = log(2 / (1 - confidence))
    if isinstance(mechanism, Gaussian):
        reach = float(mechanism.sigma) * sqrt(2 * count * room)
    else:
        least = 1 / float(mechanism.scale)
        grid = [least * share / 32 for share in range(1, 32)]
        reach = min((count * _log_moments(least, s) + room) / s for s in grid)
    one_by_one = count * int(mechanism.error(1 - (1 - confidence) / count))
    return min(one_by_one, ceil(reach * (1 + 1e-6)))


def _log_moments(least: float, s: float) -> float:
    """log M(s) with q = exp(-least), by differences from one, which floats know well however small they are."""
    return 2 * log(-expm1(-least)) - log(-expm1(s - least)) - log(-expm1(-s - least))
