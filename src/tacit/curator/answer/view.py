"""The view of an answer: columns, HAVING, ORDER BY and LIMIT, computed from released numbers and the plan alone."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from fractions import Fraction
from itertools import chain
from math import ceil, floor, fmod, inf, isfinite
from typing import Any, assert_never

from tacit.curator.answer.functions import called_value, cast_value, value_of_kind
from tacit.curator.answer.group_windows import Peers, has_windows
from tacit.curator.answer.intervals import (
    Drawn,
    Interval,
    Noisy,
    all_at_once,
    as_interval,
    point_of,
    ratio_interval,
)
from tacit.curator.answer.moments import moment_interval
from tacit.curator.answer.rounding_error import (
    count_of_rows,
    grid_rounding,
    is_rounded,
    sure_of_noise,
)
from tacit.curator.answer.selected_rows import Choice, choice_of, measures_in
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
    Look,
    MeanOf,
    MeasureOf,
    MomentOf,
    Negated,
    Not,
    OneOf,
    Plan,
    Question,
    Ranked,
    Shown,
    Summed,
    constant,
    groups_of,
    matches,
    operand_kinds,
    operands,
    tokens_of,
    type_of,
    walk_expression,
)

__all__ = ["Viewed", "list_columns", "value_of_keys", "view_answer"]

_COMPARE: dict[str, Callable[[Any, Any], bool]] = {
    "=": lambda a, b: a == b,
    "<>": lambda a, b: a != b,
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@frozen
class Viewed:
    """The columns and rows of an answer, which columns have an interval, and of what some of these are or are not."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    measured: tuple[str, ...]
    notes: tuple[str, ...] = ()


def view_answer(
    plan: Plan,
    released: Sequence[Sequence[Noisy | Drawn | None]],
    confidence: float,
    *,
    raw: bool = False,
    linked: bool = False,
) -> Viewed:
    """The answer as it was asked for: one row a group that HAVING keeps, sorted and cut.

    A number that is missing, which an outer join may leave out, is None.  With `linked`, several measures may be the
    same number: what is chosen by one of them is chosen by all.

    Claim:      everything here is a function of the plan and of released numbers.
    Because:    nothing else is passed in.
    Checked by: tests/laws/test_corridor.py
    """
    question, view = plan.question, plan.view
    noises: dict[tuple[int, float], _Noise] = {}
    groups = [
        _Group(question, keys, tuple(noisy), confidence, raw, noises)
        for keys, noisy in zip(question.groups, released, strict=True)
    ]
    groups = _as_shown(groups, plan)
    if view.having is not None:
        groups = [group for group in groups if point_of(group.value(view.having)) is True]
    if has_windows(view):
        groups = _beside_each_other(groups, plan)
    if view.qualify is not None:
        groups = [group for group in groups if point_of(group.value(view.qualify)) is True]
    for order in reversed(view.order):
        groups = _sort_groups(groups, order.value, descending=order.descending)
    end = None if view.limit is None else view.offset + view.limit
    groups = groups[view.offset : end]
    choice = choice_of(view, len(released))
    if linked and choice.measures:
        choice = replace(choice, measures=frozenset(range(len(question.measures))))
    columns = [
        _column(shown, question, choice.confidence(shown.value, confidence), raw=raw)
        for shown in view.columns
    ]
    rows = tuple([group.row(columns) for group in groups])
    names: list[str] = []
    measured, opened = [], []
    for column in columns:
        if column.has_interval:
            measured.append(column)
            opened += [column] if _is_open(rows, len(names)) else []
        names += column.names
    return Viewed(
        tuple(names),
        rows,
        tuple([column.names[0] for column in measured]),
        (*_notes(measured, question, choice), *map(_why_open, opened)),
    )


def list_columns(plan: Plan, *, raw: bool = False) -> list[tuple[tuple[str, ...], Kind, bool]]:
    """What the view of a plan shows: the names of a column and of its interval, its kind, and whether it is whole."""
    columns = [_column(shown, plan.question, 0.5, raw=raw) for shown in plan.view.columns]
    return [(each.names, each.kind, each.whole) for each in columns]


def _is_open(rows: Sequence[tuple[Any, ...]], place: int) -> bool:
    """Whether a number of a column is there and an end of its interval is not."""
    ends = [row[place + 1 : place + 3] for row in rows if row[place] is not None]
    return (None in chain.from_iterable(ends)) if ends else False


def _why_open(column: "_Column") -> str:
    """Why some ends of a column's intervals are NULL."""
    parts = list(walk_expression(column.value))
    if any(isinstance(part, Arithmetic) and part.operator == "%" for part in parts):
        why = "a remainder of a noisy number may be any"
    elif any(isinstance(part, Arithmetic) and part.operator == "/" for part in parts):
        why = "the divisor may be zero, as far as its noise says"
    else:
        why = "no bound of it is known"
    return f"intervals of {column.names[0]} are open where they are NULL: {why}"


def value_of_keys(value: Expression, question: Question, keys: tuple[Any, ...]) -> Any:
    """What an expression over keys alone is in a group: a value that compares as engines compare it."""
    assert not _figures(value), "no noise has touched a key"
    return _Evaluation(_Group(question, keys, (), 0.5, False, {}), 0.5).of(value)


def _notes(columns: Sequence["_Column"], question: Question, choice: Choice) -> tuple[str, ...]:
    """What intervals say more, or less, than that they hold."""
    chosen = [column.names[0] for column in columns if choice.concerns(column.value)]
    notes = (
        [
            (
                f"{_intervals_of(chosen)} hold for all {choice.groups:,} groups simultaneously, "
                "since the rows were selected by noisy numbers"
            )
        ]
        if chosen
        else []
    )
    measures = {
        column.names[0]: [question.measures[at] for at in measures_in(column.value)]
        for column in columns
    }
    ranked = [
        name
        for name, of in measures.items()
        if any(isinstance(each, Ranked) and 0 < each.rank < 1 for each in of)
    ]
    if ranked:
        notes.append(
            f"{_intervals_of(ranked)} may miss a value at the edge of a wide gap in the data"
        )
    for column in columns:
        steps = {_unbounded_step(question, part) for part in walk_expression(column.value)} - {None}
        notes += [
            (
                f"{_intervals_of(column.names[:1])} are about values rounded to steps of "
                f"{float(step):.3g}"
            )
            for step in steps
            if step
        ]
    return tuple(notes)


def _intervals_of(columns: Sequence[str]) -> str:
    return f"intervals of {', '.join(columns)}"


def _unbounded_step(question: Question, value: Expression) -> Fraction | None:
    """The step to which the values of a sum are rounded, where nobody knows how many they are."""
    if not isinstance(value, MeasureOf):
        return None
    measure = question.measures[value.place]
    unknown = (
        isinstance(measure, Summed)
        and is_rounded(measure)
        and count_of_rows(question, value.place) is None
    )
    return measure.step if isinstance(measure, Summed) and unknown else None


def _as_shown(groups: list["_Group"], plan: Plan) -> list["_Group"]:
    """The groups by their keys from left to right as the columns show them, each key in the order of its values."""
    places = [shown.value.place for shown in plan.view.columns if isinstance(shown.value, KeyOf)]
    if plan.question.unknown or places == sorted(places):
        return groups
    ranks = {
        place: {key: rank for rank, key in enumerate(plan.question.keys[place].public_values)}
        for place in places
    }
    return sorted(groups, key=lambda group: [ranks[place][group.keys[place]] for place in places])


def _beside_each_other(groups: list["_Group"], plan: Plan) -> list["_Group"]:
    """The groups, each of which knows the others."""
    peers = Peers(
        groups,
        groups_of(plan.question),
        plan.view.having is not None and bool(_figures(plan.view.having)),
        lambda group, expression, confidence: _Evaluation(group, confidence).of(expression),
        _figures,
        lambda group, place: group.noisy[place],
        lambda value: (
            isinstance(value, MeasureOf) and isinstance(plan.question.measures[value.place], Summed)
        ),
        lambda group, place, confidence: grid_rounding(
            group.question, group.noisy, place, confidence
        ),
    )
    return [replace(group, peers=peers, place=place) for place, group in enumerate(groups)]


def _sort_groups(groups: list["_Group"], value: Expression, *, descending: bool) -> list["_Group"]:
    """Sorted by one expression; NULLs come last in either direction."""
    known = [group for group in groups if point_of(group.value(value)) is not None]
    unknown = [group for group in groups if point_of(group.value(value)) is None]
    return (
        sorted(known, key=lambda group: point_of(group.value(value)), reverse=descending) + unknown
    )


_MOMENTS = {Kind.DATE, Kind.TIMESTAMP}
_ORDERED_LOOKS = {Look.LEAST, Look.GREATEST, Look.BEFORE, Look.AFTER}


def _has_interval(value: Expression, question: Question) -> bool:
    """Whether a column is a number that noise has touched, or a day or moment whose ends are known."""
    if not _figures(value):
        return False
    kind = type_of(value, question)
    return kind.numeric or (kind.kind in _MOMENTS and _keeps_order(value, question))


def _keeps_order(value: Expression, question: Question) -> bool:
    """Whether a day or a moment only grows with what is ranked, so that its ends are those of that.

    >>> from tacit.plan import Counted, Scan, Table
    >>> _keeps_order(Literal(date(2025, 1, 1), Kind.DATE), Question(Scan(Table("visits", ())), (), (Counted(),)))
    True
    """
    match value:
        case MeasureOf() | KeyOf() | Literal():
            return True
        case Cast(operand, _):
            return type_of(operand, question).kind in _MOMENTS and _keeps_order(operand, question)
        case Called(Function.DATE_TRUNC, (_, moment)) | Called(Function.DATE_ADD, (moment, _, _)):
            return _keeps_order(moment, question)
        case Called(Function.LEAST | Function.GREATEST | Function.COALESCE, parts):
            return all(_keeps_order(part, question) for part in parts)
        case Across(look, operand) if look in _ORDERED_LOOKS and operand is not None:
            return _keeps_order(operand, question)
        case _:
            return False


def _figures(value: Expression) -> frozenset[Expression]:
    """What is computed from released numbers that an expression depends on, each with an interval of its own."""
    match value:
        case MeasureOf() | MeanOf() | MomentOf():
            return frozenset({value})
        case Across() if any(map(_figures, operands(value))):
            return frozenset({value})
        case _:
            return frozenset().union(*(_figures(operand) for operand in operands(value)))


@frozen
class _Column:
    """What is shown of every group, and how."""

    value: Expression
    names: tuple[str, ...]
    kind: Kind
    confidence: float
    whole: bool

    @property
    def has_interval(self) -> bool:
        """Whether it has an interval."""
        return len(self.names) > 1


def _column(shown: Shown, question: Question, confidence: float, *, raw: bool) -> _Column:
    name, value = shown.name, shown.value
    names = (name, f"{name}_low", f"{name}_high") if _has_interval(value, question) else (name,)
    kind = type_of(value, question).kind
    whole = kind is Kind.INTEGER or (not raw and _is_whole(value, question))
    return _Column(value, names, kind, _each(value, confidence), whole)


def _is_whole(value: Expression, question: Question) -> bool:
    """Whether an expression is a measure that is a whole number, or one of several by what its group is."""
    match value:
        case MeasureOf(place):
            return _whole(question, place)
        case Across(look, operand) if look is not Look.MEAN:
            return isinstance(operand, MeasureOf | Case) and _is_whole(operand, question)
        case Case(branches, otherwise) if not any(_figures(when) for when, _ in branches):
            chosen = [*(then for _, then in branches), otherwise]
            known = [each for each in chosen if not isinstance(each, Literal)]
            return bool(known) and all(_is_whole(each, question) for each in known)
        case _:
            return False


def _each(value: Expression, confidence: float) -> float:
    """How sure every figure of an expression must be, so that all of them are as sure as was asked for."""
    return all_at_once(confidence, max(map(len, _alternatives(value))))


_MOST_ALTERNATIVES = 256


def _alternatives(value: Expression) -> list[frozenset[Expression]]:
    """The figures that an expression may depend on in one group, for each way in which CASE can choose by keys alone.

    Claim:      in every group, all figures that are looked at are in one of these sets.
    Because:    a condition without figures is true, false or NULL whatever the noise, so that one branch is looked at.
    Checked by: tests/unit/curator/answer/test_alternatives.py
    """
    match value:
        case Case(branches, otherwise) if not any(_figures(when) for when, _ in branches):
            chosen = [*(then for _, then in branches), otherwise]
            return list(dict.fromkeys(each for then in chosen for each in _alternatives(then)))
        case MeasureOf() | MeanOf() | MomentOf() | Across():
            return [_figures(value)]
    found = [frozenset[Expression]()]
    for operand in operands(value):
        others = _alternatives(operand)
        if len(found) * len(others) > _MOST_ALTERNATIVES:
            return [_figures(value)]
        found = list(dict.fromkeys(one | other for one in found for other in others))
    return found


def _whole(question: Question, place: int) -> bool:
    """Whether a measure is a whole number: a count, or a sum of integers."""
    measure = question.measures[place]
    if isinstance(measure, Ranked):
        return type_of(measure.value).kind is not Kind.NUMBER
    return not isinstance(measure, Summed) or measure.step == 1


@frozen
class _Noise:
    """What is the same for a measure in all groups: its noise, how far that goes, and how its numbers are shown."""

    mechanism: Laplace | Gaussian
    steps: int
    is_whole: bool
    is_summed: bool
    is_rounded: bool


@frozen
class _Group:
    """One group's keys and released numbers; `noises` are known for all groups together, once one has been shown."""

    question: Question
    keys: tuple[Any, ...]
    noisy: tuple[Noisy | Drawn | None, ...]
    confidence: float
    raw: bool
    noises: dict[tuple[int, float], _Noise]
    peers: Peers | None = None
    place: int = 0

    def cells(self, column: _Column) -> tuple[Any, ...]:
        """What is shown in a column: a value and, where noise has touched it, the ends of its interval."""
        value, kind = column.value, column.kind
        shown = self._chosen_key(value)
        if isinstance(shown, KeyOf):
            return (_declared_key(self.keys[shown.place]),)
        computed = _Evaluation(self, column.confidence).of(value)
        if not column.has_interval:
            return (_show_value(point_of(computed), kind),)
        found = (
            computed if isinstance(computed, Interval) else Interval(computed, computed, computed)
        )
        if kind in _MOMENTS:
            ends = (
                end if end is not None and isfinite(end) else None
                for end in (found.low, found.high)
            )
            return tuple(_show_value(part, kind) for part in (found.value, *ends))
        whole = column.whole
        return _number(found.value, whole), _number(found.low, whole), _number(found.high, whole)

    def row(self, columns: Sequence[_Column]) -> tuple[Any, ...]:
        """What is shown of the group, column by column."""
        cells: list[Any] = []
        for column in columns:
            cells += self.cells(column)
        return tuple(cells)

    def _chosen_key(self, value: Expression) -> Expression:
        """The key that a CASE over keys alone chooses in this group: it is shown as it is declared."""
        while isinstance(value, Case) and not _figures(value):
            evaluation = _Evaluation(self, self.confidence)
            taken = (then for when, then in value.branches if evaluation.of(when) is True)
            value = next(taken, value.otherwise)
        return value

    def noise(self, place: int, mechanism: Laplace | Gaussian, confidence: float) -> _Noise:
        """The noise of a measure at a confidence."""
        known = self.noises.get((place, confidence))
        if known is None or known.mechanism is not mechanism:
            measure = self.question.measures[place]
            known = _Noise(
                mechanism,
                steps_off(mechanism, confidence),
                _whole(self.question, place),
                isinstance(measure, Summed),
                is_rounded(measure),
            )
            self.noises[place, confidence] = known
        return known

    def value(self, expression: Expression) -> Any:
        """The expression for this group, an interval where it is a number."""
        return _Evaluation(self, _each(expression, self.confidence)).of(expression)


@frozen
class _Evaluation:
    """Interval arithmetic over one group, every measure at the same confidence."""

    group: _Group
    confidence: float

    def of(self, expression: Expression) -> Any:
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
            case Arithmetic(operator, left, right):
                return _arithmetic(operator, self.of(left), self.of(right))
            case Negated(operand):
                return _arithmetic("*", -1, self.of(operand))
            case Compared(operator, left, right):
                first, second = point_of(self.of(left)), point_of(self.of(right))
                return (
                    None if first is None or second is None else _COMPARE[operator](first, second)
                )
            case Both(left, right):
                return _both(self.of(left), self.of(right))
            case Either(left, right):
                return _not(_both(_not(self.of(left)), _not(self.of(right))))
            case Not(operand):
                return _not(self.of(operand))
            case IsNull(operand):
                return self.of(operand) is None
            case OneOf(operand, options):
                return self._one_of(operand, options)
            case Like(operand, pattern):
                text = self.of(operand)
                return None if text is None else matches(text, tokens_of(pattern))
            case Case(branches, otherwise):
                return value_of_kind(
                    self._case(branches, otherwise), type_of(expression, self.group.question).kind
                )
            case Cast(operand, kind):
                return self._as(operand, kind)
            case Called(function, parts):
                kinds = operand_kinds(expression, self.group.question)
                values = [self._as(part, kind) for part, kind in zip(parts, kinds, strict=True)]
                return called_value(
                    function,
                    values,
                    noisy=bool(_figures(expression)),
                    kind=type_of(expression, self.group.question).kind,
                    whole_days=function is Function.DATE_ADD
                    and type_of(parts[0], self.group.question).kind is Kind.DATE,
                )
            case Across():
                assert self.group.peers is not None, (
                    "groups know each other where windows look at them"
                )
                seen = self.group.peers.value(expression, self.group.place, self.confidence)
                return value_of_kind(seen, type_of(expression, self.group.question).kind)
            case Field():
                raise AssertionError("a view sees released numbers and declared keys only")
            case _:
                assert_never(expression)

    def _as(self, operand: Expression, kind: Kind) -> Any:
        """An expression as a value of another kind."""
        if isinstance(operand, Literal) and operand.value is None:
            return None
        since, value = type_of(operand, self.group.question).kind, self.of(operand)
        found = cast_value(value, since, kind)
        if isinstance(found, bool) or not isinstance(found, int | float) or not _figures(operand):
            return found
        if since is Kind.BOOLEAN:
            outcomes = [int(each) for each in self._outcomes(operand) if each is not None]
            return Interval(found, min(found, *outcomes), max(found, *outcomes))
        # a text that noise made may be any other
        return Interval(found, -inf, inf) if since is Kind.TEXT else found

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
        if self.group.raw and bottom.value <= 0:
            return None
        found = ratio_interval(top, bottom, self.confidence, low, high)
        value = float(top.value / bottom.value) if self.group.raw else found.value
        if not is_rounded(measure):
            return Interval(centre + value, centre + found.low, centre + found.high)
        off = step / 2  # rounding moves a mean no further than each of its values
        first, last = centre + found.low - off, centre + found.high + off
        known = type_of(measure.value).range
        assert known is not None, "what is summed has a range"
        return Interval(centre + value, max(first, float(known.low)), min(last, float(known.high)))

    def _moment(self, moment: MomentOf) -> Any:
        group = self.group
        if any(group.noisy[place] is None for place in moment.places):
            return None
        return moment_interval(moment, group.question, group.noisy, self.confidence, raw=group.raw)

    def _case(
        self, branches: tuple[tuple[Expression, Expression], ...], otherwise: Expression
    ) -> Any:
        """The first branch that holds for the released numbers, and the ends of all that may hold for exact ones."""
        value = next(
            (self.of(then) for when, then in branches if self.of(when) is True), self.of(otherwise)
        )
        if not isinstance(point_of(value), int | float) or isinstance(value, bool):
            return value
        possible = []
        for when, then in branches:
            outcomes = self._outcomes(when)
            possible += [self.of(then)] * (True in outcomes)
            if outcomes == {True}:
                break
        else:
            possible.append(self.of(otherwise))
        ends = [as_interval(each) for each in (value, *possible) if each is not None]
        if all(each == ends[0] for each in ends) and not isinstance(value, Interval):
            return value
        return Interval(
            ends[0].value, min(each.low for each in ends), max(each.high for each in ends)
        )

    def _outcomes(self, condition: Expression) -> set[bool | None]:
        """What a condition may be, for numbers anywhere in their intervals."""
        match condition:
            case Compared(operator, left, right):
                if any(self._is_noisy_point(side) for side in (left, right)):
                    return {True, False, self.of(condition)}
                return _compare(operator, self.of(left), self.of(right))
            case Both(left, right):
                return {_both(a, b) for a in self._outcomes(left) for b in self._outcomes(right)}
            case Either(left, right):
                return {
                    _not(_both(_not(a), _not(b)))
                    for a in self._outcomes(left)
                    for b in self._outcomes(right)
                }
            case Not(operand):
                return {_not(outcome) for outcome in self._outcomes(operand)}
            case OneOf(operand, _) if isinstance(self.of(operand), Interval):
                return {True, False, self.of(condition)}
            case Called() | Like() if _figures(condition):
                return {True, False, self.of(condition)}
            case _:
                return {self.of(condition)}

    def _is_noisy_point(self, side: Expression) -> bool:
        """Whether noise has touched a value that has no interval, such as a text or a truth value."""
        return bool(_figures(side)) and isinstance(self.of(side), str | bool)

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


def _compare(operator: str, left: Any, right: Any) -> set[bool | None]:
    """Whether two numbers may compare so and otherwise, wherever in their intervals they lie."""
    if left is None or right is None:
        return {None}
    if not isinstance(left, Interval) and not isinstance(right, Interval):
        return {_COMPARE[operator](left, right)}
    a, b = as_interval(left), as_interval(right)
    if a.low <= b.high and b.low <= a.high and (a.low, b.low) != (a.high, b.high):
        return {True, False}
    return {_COMPARE[operator](a.value, b.value)}


def _arithmetic(operator: str, left: Any, right: Any) -> Any:
    """The operation on the values, and on every pair of ends; a divisor that may be zero leaves the ends open."""
    if left is None or right is None or (operator in {"/", "%"} and point_of(right) == 0):
        return None
    value = _operation(operator, point_of(left), point_of(right))
    if value is None or not (isinstance(left, Interval) or isinstance(right, Interval)):
        return value
    a, b = as_interval(left), as_interval(right)
    if operator == "%" or (operator == "/" and b.low <= 0 <= b.high):
        return Interval(value, -inf, inf)
    corners = [_operation(operator, x, y) for x in (a.low, a.high) for y in (b.low, b.high)]
    ends = [corner for corner in corners if corner is not None]
    return Interval(value, min(ends), max(ends)) if len(ends) == 4 else Interval(value, -inf, inf)


def _operation(operator: str, left: float, right: float) -> Any:
    """The result as engines compute it; NULL where it is no number or too large for one."""
    result: float
    match operator:
        case "+":
            result = left + right
        case "-":
            result = left - right
        case "*":
            result = left * right
        case "/":
            result = left / right
        case "%" if isinstance(left, int) and isinstance(right, int):
            result = abs(left) % abs(right) * (-1 if left < 0 else 1)
        case "%":
            result = fmod(left, right)
        case _:
            raise AssertionError(f"no such operation: {operator}")
    fits = -(1 << 63) <= result < 1 << 63 if isinstance(result, int) else isfinite(result)
    return result if fits else None


def _both(left: bool | None, right: bool | None) -> bool | None:
    if left is False or right is False:
        return False
    return None if left is None or right is None else True


def _not(operand: bool | None) -> bool | None:
    return None if operand is None else not operand
