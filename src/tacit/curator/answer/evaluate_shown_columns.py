"""What is shown of one group: expressions over its keys and released numbers, with the intervals of their values.

Checked by: tests/unit/curator/answer/test_view_rows.py and tests/statistics/test_coverage.py
"""

from __future__ import annotations

from dataclasses import field
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from math import ceil, floor, inf, isfinite
from typing import Any, assert_never

from tacit.curator.answer.divide_confidence import (
    MOMENTS,
    ShownColumn,
    alternatives_of,
    confidence_of_each,
    figures_of,
    is_whole_measure,
)
from tacit.curator.answer.group_windows import Peers, find_variance
from tacit.curator.answer.interval_arithmetic import COMPARE, both_of, calculate, compare, not_of
from tacit.curator.answer.intervals import (
    Drawn,
    Interval,
    Noisy,
    as_interval,
    point_of,
    ratio_interval,
    unite,
)
from tacit.curator.answer.released_functions import called_value, cast_value, value_of_kind
from tacit.curator.answer.rounding_error import (
    grid_rounding,
    is_rounded,
    sure_of_noise,
)
from tacit.curator.pricing.noise_error import steps_off
from tacit.frozen import frozen
from tacit.mechanisms import Gaussian, Laplace
from tacit.plan import (
    Across,
    Arithmetic,
    Both,
    Called,
    Case,
    Cast,
    Compared,
    Either,
    Expression,
    Field,
    Function,
    IsNull,
    KeyOf,
    Kind,
    Like,
    Literal,
    MeanOf,
    MeasureOf,
    MomentOf,
    Negated,
    Not,
    OneOf,
    Question,
    Ranked,
    SubqueryValue,
    Summed,
    constant,
    matches,
    operand_kinds,
    tokens_of,
    type_of,
)

__all__ = ["Evaluation", "Group", "Noise"]

_UNORDERED = {Kind.TEXT, Kind.BOOLEAN}
"""The kinds that have no intervals; of every other a value is either sure or an interval."""


@frozen
class Noise:
    """What is the same for a measure in all groups: its noise, how far that goes, and how its numbers are shown."""

    mechanism: Laplace | Gaussian
    steps: int
    is_whole: bool
    is_summed: bool
    is_rounded: bool


@frozen
class Group:
    """One group's keys and released numbers; `noises` and `kinds` are known for all groups, once one has been shown.

    They are kept with the groups, and not for longer: a question may hold all keys that were found.
    """

    question: Question
    keys: tuple[Any, ...]
    noisy: tuple[Noisy | Drawn | None, ...]
    confidence: float
    raw: bool
    noises: dict[tuple[int, float], Noise]
    peers: Peers | None = None
    place: int = 0
    kinds: dict[int, tuple[Expression, Kind]] = field(default_factory=dict)

    def cells(self, column: ShownColumn) -> tuple[Any, ...]:
        """What is shown in a column: a value and, where noise has touched it, the ends of its interval."""
        value, kind = column.value, column.kind
        shown = self._chosen_key(value)
        if isinstance(shown, KeyOf):
            return (_declared_key(self.keys[shown.place]),)
        computed = Evaluation(self, column.confidence).of(value)
        if not column.has_interval:
            return (_show_value(point_of(computed), kind),)
        found = as_interval(computed)
        if found.null:  # an interval of what may be NULL does not hold it
            found = Interval(found.value, -inf, inf)
        if kind in MOMENTS:
            ends = (
                end if end is not None and isfinite(end) else None
                for end in (found.low, found.high)
            )
            return tuple(_show_value(part, kind) for part in (found.value, *ends))
        whole = column.whole
        return _number(found.value, whole), _number(found.low, whole), _number(found.high, whole)

    def _chosen_key(self, value: Expression) -> Expression:
        """The key that a CASE over keys alone chooses in this group: it is shown as it is declared."""
        while isinstance(value, Case) and not figures_of(value):
            evaluation = Evaluation(self, self.confidence)
            taken = (then for when, then in value.branches if evaluation.of(when) is True)
            value = next(taken, value.otherwise)
        return value

    def noise(self, place: int, mechanism: Laplace | Gaussian, confidence: float) -> Noise:
        """The noise of a measure at a confidence."""
        known = self.noises.get((place, confidence))
        if known is None or known.mechanism is not mechanism:
            measure = self.question.measures[place]
            known = Noise(
                mechanism,
                steps_off(mechanism, confidence),
                is_whole_measure(self.question, place),
                isinstance(measure, Summed),
                is_rounded(measure),
            )
            self.noises[place, confidence] = known
        return known

    def value(self, expression: Expression) -> Any:
        """The expression for this group, an interval where it is a number."""
        return Evaluation(
            self, confidence_of_each(alternatives_of(expression), self.confidence)
        ).of(expression)


@frozen
class Evaluation:
    """Interval arithmetic over one group, every measure at the same confidence; no part is computed twice."""

    group: Group
    confidence: float
    computed: dict[int, tuple[Expression, Any]] = field(default_factory=dict, compare=False)

    def of(self, expression: Expression) -> Any:
        """The expression for the group, an interval where noise has touched it."""
        known = self.computed.get(id(expression))
        if known is not None:
            return known[1]
        found = self._compute(expression)
        self.computed[id(expression)] = expression, found
        return found

    def _compute(self, expression: Expression) -> Any:
        match expression:
            case Literal(value, kind):
                return constant(value, kind)
            case KeyOf(place):
                return constant(
                    self.group.keys[place], type_of(self.group.question.keys[place].value).kind
                )
            case MeasureOf(place):
                return self._measure(place)
            case MeanOf(total, count):
                return self._mean(total, count)
            case MomentOf():
                return self._moment(expression)
            case Arithmetic("/", Arithmetic("-", Across()), _) if (
                seen := self._variance_of_groups(expression)
            ) is not None:
                return seen
            case Arithmetic(operator, left, right):
                return calculate(operator, self.of(left), self.of(right))
            case Negated(operand):
                return calculate("*", -1, self.of(operand))
            case Compared(operator, left, right):
                first, second = point_of(self.of(left)), point_of(self.of(right))
                return None if first is None or second is None else COMPARE[operator](first, second)
            case Both(left, right):
                return both_of(self.of(left), self.of(right))
            case Either(left, right):
                return not_of(both_of(not_of(self.of(left)), not_of(self.of(right))))
            case Not(operand):
                return not_of(self.of(operand))
            case IsNull(operand):
                return point_of(self.of(operand)) is None
            case OneOf(operand, options):
                return self._one_of(operand, options)
            case Like(operand, pattern):
                text = self.of(operand)
                return None if text is None else matches(text, tokens_of(pattern))
            case Case(branches, otherwise):
                kind = self._kind(expression)
                return value_of_kind(self._case(branches, otherwise, kind), kind)
            case Cast(operand, kind):
                return self._as(operand, kind)
            case Called(function, parts):
                kinds = operand_kinds(expression, self.group.question)
                values = [self._as(part, kind) for part, kind in zip(parts, kinds, strict=True)]
                return called_value(
                    function,
                    values,
                    noisy=any(
                        kind in _UNORDERED and bool(figures_of(part))
                        for part, kind in zip(parts, kinds, strict=True)
                    ),
                    kind=self._kind(expression),
                    whole_days=function is Function.DATE_ADD and self._kind(parts[0]) is Kind.DATE,
                )
            case Across():
                assert self.group.peers is not None, (
                    "groups know each other where windows look at them"
                )
                seen = self.group.peers.value(expression, self.group.place, self.confidence)
                return value_of_kind(seen, self._kind(expression))
            case SubqueryValue(_, column, value):
                assert value is not None, "constants are filled in before they are looked at"
                known = constant(value.value, value.kind)
                return known if column.kind in _UNORDERED else Interval(known, -inf, inf, null=True)
            case Field():
                raise AssertionError("a view sees released numbers and declared keys only")
            case _:
                assert_never(expression)

    def _variance_of_groups(self, expression: Expression) -> Interval | None:
        """The variance of a number over groups, where a quotient is one and no group's number may be NULL."""
        found = find_variance(expression)
        if found is None:
            return None
        assert self.group.peers is not None, "groups know each other where windows look at them"
        total, less = found
        return self.group.peers.variance(total, less, self.group.place, self.confidence)

    def _as(self, operand: Expression, kind: Kind) -> Any:
        """An expression as a value of another kind."""
        if isinstance(operand, Literal) and operand.value is None:
            return None
        since, value = self._kind(operand), self.of(operand)
        if (since, kind) == (Kind.NUMBER, Kind.TEXT) and self._is_whole(operand):
            value = cast_value(value, since, Kind.INTEGER)
            since = Kind.INTEGER if value is not None else since
            value = point_of(value)
        found = cast_value(value, since, kind)
        if kind in _UNORDERED or since not in _UNORDERED or not figures_of(operand):
            return found
        if since is Kind.BOOLEAN:
            return unite(found, [cast_value(each, since, kind) for each in self._outcomes(operand)])
        # a text that noise made may be any other
        return Interval(found, -inf, inf, null=True)

    def _kind(self, expression: Expression) -> Kind:
        known = self.group.kinds.get(id(expression))
        if known is None:
            known = expression, type_of(expression, self.group.question).kind
            self.group.kinds[id(expression)] = known
        return known[1]

    def _is_whole(self, operand: Expression) -> bool:
        """Whether a number is made of counts and whole constants by + - *: it is written without a point."""
        match operand:
            case MeasureOf(place):
                return is_whole_measure(self.group.question, place)
            case Literal(_, kind):
                return kind is Kind.INTEGER
            case Arithmetic("+" | "-" | "*", left, right):
                return self._is_whole(left) and self._is_whole(right)
            case _:
                return False

    def _measure(self, place: int) -> Any:
        measure, noisy = self.group.question.measures[place], self.group.noisy[place]
        if noisy is None:
            return None
        if isinstance(noisy, Drawn):
            assert isinstance(measure, Ranked), "cells are drawn of what is ranked"
            return value_of_kind(
                noisy.interval(measure, self.confidence), type_of(measure.value).kind
            )
        noise = self.group.noise(place, noisy.mechanism, self.confidence)
        found = noisy.within(noise.steps)
        if noise.is_rounded and (off := self._rounding(place)):
            surer = noisy.interval(sure_of_noise(self.confidence))
            found = Interval(found.value, surer.low - off, surer.high + off)
        if self.group.raw:
            return found
        value, low, high = found.value, found.low, found.high
        if noise.is_whole:
            value, low, high = float(round(value)), float(floor(low)), float(ceil(high))
        if noise.is_summed:
            return Interval(value, low, high)
        return Interval(max(0.0, value), max(0.0, low), max(0.0, high))

    def _rounding(self, place: int) -> float:
        """How far rounding moved a sum of doubles at most."""
        return grid_rounding(self.group.question, self.group.noisy, place, self.confidence)

    def _mean(self, total: int, count: int) -> Interval | None:
        measure = self.group.question.measures[total]
        assert isinstance(measure, Summed), "a mean is made of a sum and a count"
        step, centre = float(measure.step), float(measure.centre * measure.step)
        low, high = (measure.low - measure.centre) * step, (measure.high - measure.centre) * step
        top, bottom = self.group.noisy[total], self.group.noisy[count]
        if top is None or bottom is None:
            return None
        assert isinstance(top, Noisy), "a sum has noise"
        assert isinstance(bottom, Noisy), "and so has a count"
        found = ratio_interval(top, bottom, self.confidence, low, high)
        if self.group.raw and bottom.value <= 0:
            return Interval(None, centre + found.low, centre + found.high, null=True)
        value = centre + (float(top.value / bottom.value) if self.group.raw else found.value)
        if not is_rounded(measure):
            return Interval(value, centre + found.low, centre + found.high)
        off = step / 2  # rounding moves a mean no further than each of its values
        known = type_of(measure.value).range
        assert known is not None, "what is summed has a range"
        least, most = float(known.low), float(known.high)
        first, last = centre + found.low - off, centre + found.high + off
        within = value if self.group.raw else min(max(value, least), most)
        return Interval(within, max(first, least), min(last, most))

    def _moment(self, moment: MomentOf) -> Any:
        group = self.group
        if any(group.noisy[place] is None for place in moment.places):
            return None
        from tacit.curator.answer.variances_and_correlations import moment_interval

        found = moment_interval(moment, group.question, group.noisy, self.confidence, raw=group.raw)
        return Interval(None, -inf, inf, null=True) if found is None else found

    def _case(
        self,
        branches: tuple[tuple[Expression, Expression], ...],
        otherwise: Expression,
        kind: Kind,
    ) -> Any:
        """The first branch that holds for the released numbers, and the ends of all that may hold for exact ones."""
        value = next(
            (self.of(then) for when, then in branches if self.of(when) is True), self.of(otherwise)
        )
        if kind in _UNORDERED:
            return value
        possible = []
        for when, then in branches:
            outcomes = self._outcomes(when)
            possible += [self.of(then)] * (True in outcomes)
            if outcomes == {True}:
                break
        else:
            possible.append(self.of(otherwise))
        return unite(value, possible)

    def _outcomes(self, condition: Expression) -> set[bool | None]:
        """What a condition may be, for numbers anywhere in their intervals.

        Claim:      the condition of the exact numbers is among these, if they lie within their intervals.
        Because:    comparisons look at both intervals, and AND, OR and NOT at all that their parts may be; what
                    else depends on a noisy number may be anything.
        Checked by: tests/laws/test_interval_arithmetic.py
        """
        match condition:
            case Compared(operator, left, right):
                if self._is_unsure(left) or self._is_unsure(right):
                    return {True, False, None}
                return compare(operator, self.of(left), self.of(right))
            case Both(left, right):
                return {both_of(a, b) for a in self._outcomes(left) for b in self._outcomes(right)}
            case Either(left, right):
                return {
                    not_of(both_of(not_of(a), not_of(b)))
                    for a in self._outcomes(left)
                    for b in self._outcomes(right)
                }
            case Not(operand):
                return {not_of(outcome) for outcome in self._outcomes(operand)}
            case IsNull(operand):
                return self._null_outcomes(operand)
            case OneOf(operand, options) if not self._is_unsure(operand):
                return self._one_of_outcomes(operand, options)
            case _:
                return {True, False, None} if figures_of(condition) else {self.of(condition)}

    def _null_outcomes(self, operand: Expression) -> set[bool | None]:
        """Whether a value may be NULL, and may be there."""
        if self._kind(operand) is Kind.BOOLEAN:
            return {each is None for each in self._outcomes(operand)}
        value = self.of(operand)
        if self._is_unsure(operand) or (isinstance(value, Interval) and value.null):
            return {True, False}
        return {value is None}

    def _one_of_outcomes(
        self, operand: Expression, options: tuple[Literal, ...]
    ) -> set[bool | None]:
        """Whether a number may be one of several, or none: NULL if one of these is."""
        value = self.of(operand)
        found: set[bool | None] = {False}
        for option in options:
            found = {
                not_of(both_of(not_of(a), not_of(b)))
                for a in found
                for b in compare("=", value, self.of(option))
            }
        return found

    def _is_unsure(self, side: Expression) -> bool:
        """Whether noise has touched a value that has no interval: a text or a truth value."""
        value = self.of(side)
        if isinstance(value, Interval) or type(value) in {int, float}:
            return False
        return bool(figures_of(side)) and self._kind(side) in _UNORDERED

    def _one_of(self, operand: Expression, options: tuple[Literal, ...]) -> bool | None:
        value = point_of(self.of(operand))
        if value is None:
            return None
        if any(
            point_of(self.of(option)) == value for option in options if option.value is not None
        ):
            return True
        return None if any(option.value is None for option in options) else False


_DAY_ONE = datetime(1970, 1, 1, tzinfo=UTC)


def _declared_key(key: Any) -> Any:
    """A key as it was declared."""
    if not isinstance(key, Fraction):
        return key
    return key.numerator if key.denominator == 1 else float(key)


def _show_value(value: Any, kind: Kind) -> Any:
    """A value that no noise has touched, as Python knows it: engines count days and microseconds."""
    if value is None:
        return None
    match kind:
        case Kind.DATE:
            return date(1970, 1, 1) + timedelta(days=value)
        case Kind.TIMESTAMP:
            return _DAY_ONE + timedelta(microseconds=value)
        case Kind.INTEGER:
            return int(value)
        case _:
            return value


def _number(value: float | None, whole: bool) -> int | float | None:
    """A number or an end as it is shown; one that is not known is not shown."""
    if value is None or not isfinite(value):
        return None
    return int(value) if whole else value
