"""Windows over released groups: ranks, shares, running totals; from released numbers and the plan alone."""

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import groupby
from math import ceil, expm1, log, sqrt
from statistics import median
from typing import Any

from tacit.curator.answer.intervals import Interval, Noisy, all_at_once, as_interval, point_of
from tacit.curator.answer.rounding_error import sure_of_noise
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import Across, Expression, Look, MeasureOf, View, walk_expression

__all__ = ["Peers", "has_windows", "parts_shown", "roots_of", "sum_error"]

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


@dataclass(frozen=True)
class Peers:
    """The groups that HAVING keeps, and how each is seen.

    `evaluate` gives an expression of a group at a confidence, `figures` the noisy numbers in an expression, `noisy`
    what was released of a group, `rounding` how far a group's measure may be off for being summed on a grid, at a
    confidence, and `signed` whether a measure may be negative.  `every` is the number of groups before HAVING, `chosen`
    whether noise chose among them.

    Claim:      the exact value of a window, over the same groups in the same order, lies within its interval with at
                least the stated confidence.
    Because:    the numbers of all groups lie in their intervals at once with that confidence, by Bonferroni over every
                group that might have been chosen; sums, means, ranks and extremes of intervals hold those of what lies
                in them.  Where no noise chooses, a sum of measures has the noise of as many independent draws.
    Checked by: tests/unit/curator/answer/test_group_windows.py::test_the_exact_value_lies_within_the_interval
    """

    groups: Sequence[Any]
    every: int
    chosen: bool
    evaluate: Callable[[Any, Expression, float], Any]
    figures: Callable[[Expression], frozenset[Expression]]
    noisy: Callable[[Any, int], Any]
    signed: Callable[[Expression], bool]
    rounding: Callable[[Any, int, float], float] = lambda _group, _place, _confidence: 0.0
    known: dict[tuple[Across, float], list[Any]] = field(default_factory=dict)

    def value(self, expression: Across, place: int, confidence: float) -> Any:
        """What a window says of the group at a place, an interval where noise has touched it."""
        key = expression, confidence
        if key not in self.known:
            self.known[key] = self._values(expression, confidence)
        return self.known[key][place]

    def _values(self, expression: Across, confidence: float) -> list[Any]:
        found: list[Any] = [None] * len(self.groups)
        divided: dict[tuple[Any, ...], list[int]] = {}
        for place in range(len(self.groups)):
            divided.setdefault(
                tuple(self._point(place, part) for part in expression.by), []
            ).append(place)
        for places in divided.values():
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
        if others or any(each is None or isinstance(each, str | bool) for each in seen):
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
        there = [point_of(value) is not None for value in self._operands(expression, places, 0.5)]
        counts = [0]
        for each in there:
            counts.append(counts[-1] + each)
        if not self.figures(expression.operand):
            return [counts[end] for end in ends]
        return [Interval(float(counts[end]), 0.0, float(end)) for end in ends]

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
        choose = min if least else max
        found: list[Any] = []
        last: Any = None
        for value in values:
            if last is None or value is None:
                last = value if last is None else last
            elif isinstance(value, Interval) or isinstance(last, Interval):
                both = (as_interval(each) for each in (last, value))
                ends = zip(*((each.value, each.low, each.high) for each in both), strict=True)
                last = Interval(*(choose(pair) for pair in ends))
            else:
                last = choose(last, value)
            found.append(last)
        return [found[end - 1] for end in self._ends(expression.order, places)]

    def _medians(self, expression: Across, places: list[int], confidence: float) -> list[Any]:
        """The middle of all values, or of the two middle ones; NULLs are left out.

        Numbers within their intervals have a median between those of the ends: it never falls as a number grows.
        """
        sure = self._all_at_once(expression.operand, confidence)
        values = self._operands(expression, places, sure)
        spans = [as_interval(each) for each in values if each is not None]
        if not spans:
            return [None] * len(places)
        ends = zip(*((each.value, each.low, each.high) for each in spans), strict=True)
        middle = Interval(*map(median, ends))
        noisy = any(isinstance(each, Interval) for each in values)
        return [middle if noisy else middle.value] * len(places)


def _running_sums(values: Sequence[Any]) -> tuple[list[Interval], list[int]]:
    """The sum of the first values, for every number of them from none on, and how many of these are not NULL."""
    sums, counts = [Interval(0.0, 0.0, 0.0)], [0]
    for value in values:
        sums.append(sums[-1] if value is None else _add(sums[-1], as_interval(value)))
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
