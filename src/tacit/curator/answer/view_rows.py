"""The view of an answer: columns, HAVING, ORDER BY and LIMIT, computed from released numbers and the plan alone."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain
from math import isfinite
from typing import Any

from tacit.curator.answer.confidence_after_selection import Choice, choice_of
from tacit.curator.answer.divide_confidence import ShownColumn, figures_of, shown_column
from tacit.curator.answer.evaluate_shown_columns import Evaluation, Group, Noise
from tacit.curator.answer.group_windows import Peers, has_windows
from tacit.curator.answer.intervals import Drawn, Interval, Noisy, as_interval, point_of
from tacit.curator.answer.rounding_error import count_of_rows, grid_rounding, is_rounded
from tacit.curator.answer.uninformative_intervals import tell_uninformative
from tacit.frozen import frozen
from tacit.plan import (
    Across,
    Arithmetic,
    Expression,
    KeyOf,
    Kind,
    Look,
    MeanOf,
    Measure,
    MeasureOf,
    MomentOf,
    Plan,
    Question,
    Ranked,
    SubqueryValue,
    Summed,
    View,
    group_filter,
    groups_of,
    operands,
    type_of,
    walk_expression,
)

__all__ = ["Viewed", "list_columns", "value_of_keys", "view_answer"]


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
    noises: dict[tuple[int, float], Noise] = {}
    kinds: dict[int, tuple[Expression, Kind]] = {}
    groups = [
        Group(question, keys, tuple(noisy), confidence, raw, noises, kinds=kinds)
        for keys, noisy in zip(question.groups, released, strict=True)
    ]
    if (can_have_rows := group_filter(question)) is not None:
        groups = [group for group in groups if can_have_rows(group.keys)]
    groups = _as_shown(groups, plan)
    if view.having is not None:
        groups = [group for group in groups if point_of(group.value(view.having)) is True]
    windowed = has_windows(view)
    if windowed:
        groups = _beside_each_other(groups, plan)
    if view.qualify is not None:
        groups = [group for group in groups if point_of(group.value(view.qualify)) is True]
    last = False
    for order in reversed(view.order):
        groups, moved = _sort_groups(groups, order.value, descending=order.descending)
        last = last or moved
    end = None if view.limit is None else view.offset + view.limit
    groups = groups[view.offset : end]
    choice = choice_of(view, len(released))
    if linked and choice.measures:
        choice = replace(choice, measures=frozenset(range(len(question.measures))))
    columns = []
    for shown in view.columns:
        sure = choice.confidence(shown.value, confidence) if choice.measures else confidence
        columns.append(shown_column(shown, question, sure, raw=raw))
    rows = tuple([tuple(chain.from_iterable(map(group.cells, columns))) for group in groups])
    names: list[str] = []
    measured, opened, missing = [], [], []
    for column in columns:
        if column.has_interval:
            measured.append(column)
            opened += [column] if _is_open(rows, len(names)) else []
            missing += [column] if any(row[len(names)] is None for row in rows) else []
        names += column.names
    return Viewed(
        tuple(names),
        rows,
        tuple([column.names[0] for column in measured]),
        (
            *tell_uninformative(columns, groups, rows),
            *_notes(measured, question, choice),
            *(_tell_choice(columns, view, choice) if windowed or choice.measures else ()),
            *[_why_open(column, groups) for column in opened],
            *[why for column in missing for why in _why_missing(column, groups)],
            *[_EMPTY_LAST] * last,
        ),
    )


def list_columns(plan: Plan, *, raw: bool = False) -> list[tuple[tuple[str, ...], Kind, bool]]:
    """What the view of a plan shows: the names of a column and of its interval, its kind, and whether it is whole."""
    columns = [shown_column(shown, plan.question, 0.5, raw=raw) for shown in plan.view.columns]
    return [(each.names, each.kind, each.whole) for each in columns]


def _is_open(rows: Sequence[tuple[Any, ...]], place: int) -> bool:
    """Whether a number of a column is there and an end of its interval is not."""
    ends = [row[place + 1 : place + 3] for row in rows if row[place] is not None]
    return (None in chain.from_iterable(ends)) if ends else False


def _why_open(column: ShownColumn, groups: Sequence[Group]) -> str:
    """Why some ends of a column's intervals are NULL, in the groups where they are."""
    known = [Evaluation(group, column.confidence) for group in groups]
    shown = [each for each in known if point_of(each.of(column.value)) is not None]
    found = [_why_part_is_open(column.value, each) for each in shown]
    whys = " or ".join(dict.fromkeys(why for why in found if why))
    return f"intervals of {column.names[0]} have no end where they are NULL: {whys or _NO_BOUND}"


def _why_missing(column: ShownColumn, groups: Sequence[Group]) -> Iterator[str]:
    """That a number is NULL since what it is divided by came out as zero, where that is so."""
    for group in groups:
        known = Evaluation(group, column.confidence)
        divisors = [
            part.right
            for part in walk_expression(column.value)
            if isinstance(part, Arithmetic) and part.operator in {"/", "%"}
        ]
        if point_of(known.of(column.value)) is None and any(
            point_of(known.of(divisor)) == 0 for divisor in divisors
        ):
            what = "a variance" if any(isinstance(each, MomentOf) for each in divisors) else "what"
            yield (
                f"{column.names[0]} is NULL where {what} it is divided by comes out as 0, within its noise; "
                "pay more, or ask about more rows"
            )
            return


_NO_BOUND = "it has no known bound"


def _why_part_is_open(part: Expression, evaluation: Evaluation) -> str:
    """Why a part of an expression has no end in a group: as an operand has none, or for itself; empty if it has one."""
    value = evaluation.of(part)
    if not _has_no_end(value):
        return ""
    if isinstance(part, Arithmetic) and part.operator == "/":
        divisor = as_interval(evaluation.of(part.right))
        if isfinite(divisor.low) and isfinite(divisor.high) and divisor.low <= 0 <= divisor.high:
            return "the divisor may be zero within its noise"
    for operand in operands(part):
        if why := _why_part_is_open(operand, evaluation):
            return why
    if isinstance(part, SubqueryValue):
        return "it is computed with a value of other groups, whose own error is not known"
    if isinstance(part, Arithmetic) and part.operator == "%":
        return "the remainder of a noisy number may be anything"
    if value.null and isfinite(value.low) and isfinite(value.high):
        return "it may be NULL within its noise"
    return _NO_BOUND


def _has_no_end(value: Any) -> bool:
    """Whether an end of an interval is not known, or would be shown as NULL."""
    return isinstance(value, Interval) and (
        value.null or not isfinite(value.low) or not isfinite(value.high)
    )


def _tell_choice(columns: Sequence[ShownColumn], view: View, choice: Choice) -> Iterator[str]:
    """That noise chose the rows, or the groups that a column is computed over, or their order."""
    measured = [column.names[0] for column in columns if column.has_interval]

    def tell(names: Sequence[str], how: str) -> Iterator[str]:
        sure = [name for name in names if name in measured]
        others = [name for name in names if name not in measured]
        if sure:
            yield f"{_intervals_of(sure)} are for {how}"
        if others:
            yield f"{', '.join(others)}: for {how}"

    chosen = view.having is not None and bool(figures_of(view.having))
    windows = {
        column.names[0]: [
            part for part in walk_expression(column.value) if isinstance(part, Across)
        ]
        for column in columns
    }
    over = [name for name, parts in windows.items() if chosen and parts]
    if over:
        yield from tell(
            over, "the groups that noisy numbers chose; exact numbers might choose others"
        )
    elif choice.measures and not measured:
        yield "the rows were selected by noisy numbers; exact numbers might select others"
    ordered = [name for name, parts in windows.items() if any(map(_follows_noise, parts))]
    if ordered:
        yield from tell(ordered, "the order of noisy numbers; exact numbers might be in another")


_RANKED = {Look.NUMBER, Look.RANK, Look.DENSE}
"""The windows whose intervals say what the order of exact numbers may be."""


def _follows_noise(window: Across) -> bool:
    """Whether a window adds up, or looks up, groups in the order of noisy numbers."""
    if window.look in _RANKED or window.look is Look.COUNT:
        return False
    return any(figures_of(value) for value, _ in window.order)


def value_of_keys(value: Expression, question: Question, keys: tuple[Any, ...]) -> Any:
    """What an expression over keys alone is in a group: a value that compares as engines compare it."""
    assert not figures_of(value), "no noise has touched a key"
    return Evaluation(Group(question, keys, (), 0.5, False, {}), 0.5).of(value)


def _notes(columns: Sequence[ShownColumn], question: Question, choice: Choice) -> tuple[str, ...]:
    """What intervals say more, or less, than that they hold."""
    chosen = (
        [column.names[0] for column in columns if choice.concerns(column.value)]
        if choice.measures
        else []
    )
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
    places = {
        column.names[0]: [
            part.place for part in walk_expression(column.value) if isinstance(part, MeasureOf)
        ]
        for column in columns
    }
    ranked = [
        name for name, of in places.items() if any(_is_between(question.measures[at]) for at in of)
    ]
    if ranked:
        notes.append(
            f"{_intervals_of(ranked)} may miss a value at the edge of a wide gap in the data"
        )
    for name, of in places.items():
        notes += [
            f"{_intervals_of([name])} are for values rounded to steps of {float(step):.3g}"
            for step in dict.fromkeys(_unbounded_step(question, at) for at in of)
            if step
        ]
    return tuple(notes)


def _is_between(measure: Measure) -> bool:
    """Whether a measure is a quantile that is no extreme."""
    return isinstance(measure, Ranked) and 0 < measure.rank < 1


def _intervals_of(columns: Sequence[str]) -> str:
    return f"intervals of {', '.join(columns)}"


def _unbounded_step(question: Question, place: int) -> Fraction | None:
    """The step to which the values of a sum are rounded, where nobody knows how many they are."""
    measure = question.measures[place]
    if not isinstance(measure, Summed) or not is_rounded(measure):
        return None
    return measure.step if count_of_rows(question, place) is None else None


def _as_shown(groups: list[Group], plan: Plan) -> list[Group]:
    """The groups by their keys from left to right as the columns show them, each key in the order of its values."""
    places = [shown.value.place for shown in plan.view.columns if isinstance(shown.value, KeyOf)]
    if plan.question.unknown or places == sorted(places):
        return groups
    ranks = {
        place: {key: rank for rank, key in enumerate(plan.question.keys[place].public_values)}
        for place in places
    }
    return sorted(groups, key=lambda group: [ranks[place][group.keys[place]] for place in places])


def _beside_each_other(groups: list[Group], plan: Plan) -> list[Group]:
    """The groups, each of which knows the others."""
    peers = Peers(
        groups,
        groups_of(plan.question),
        plan.view.having is not None and bool(figures_of(plan.view.having)),
        lambda group, expression, confidence: Evaluation(group, confidence).of(expression),
        figures_of,
        lambda group, place: group.noisy[place],
        lambda value: (
            isinstance(value, MeasureOf) and isinstance(plan.question.measures[value.place], Summed)
        ),
        lambda value: type_of(value, plan.question).kind not in {Kind.TEXT, Kind.BOOLEAN},
        lambda group, place, confidence: grid_rounding(
            group.question, group.noisy, place, confidence
        ),
    )
    return [replace(group, peers=peers, place=place) for place, group in enumerate(groups)]


_EMPTY_LAST = (
    "groups that may have no row come last where rows are sorted by means: their means are noise"
)


def _sort_groups(
    groups: list[Group], value: Expression, *, descending: bool
) -> tuple[list[Group], bool]:
    """Sorted by one expression, and whether some may be empty: NULLs come last in either direction.

    In SQL a group without rows is none; here a declared key always makes one, whose mean is anything in its range.
    Groups that may have no row come after those that have some, lest they be the first.
    """
    sure: list[Group] = []
    empty: list[Group] = []
    unknown: list[Group] = []
    counts = _counts_of_means(value)
    for group in groups:
        if point_of(group.value(value)) is None:
            unknown.append(group)
        else:
            (empty if any(_may_be_nothing(group, each) for each in counts) else sure).append(group)

    def key(group: Group) -> Any:
        return point_of(group.value(value))

    found = [
        *sorted(sure, key=key, reverse=descending),
        *sorted(empty, key=key, reverse=descending),
    ]
    return [*found, *unknown], bool(sure) and bool(empty)


def _counts_of_means(value: Expression) -> list[MeasureOf]:
    """The counts by which means and variances in an expression are divided."""
    found = []
    for part in walk_expression(value):
        if isinstance(part, MeanOf):
            found.append(MeasureOf(part.count_place))
        elif isinstance(part, MomentOf):
            found.append(MeasureOf(part.places[0]))
    return found


def _may_be_nothing(group: Group, count: MeasureOf) -> bool:
    """Whether a noisy count may be that of no rows."""
    found = group.value(count)
    return found is not None and as_interval(found).low <= 0
