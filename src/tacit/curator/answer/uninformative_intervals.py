"""Which columns of an answer say next to nothing, since their intervals are nearly all that is possible.

Checked by: tests/unit/curator/answer/test_uninformative_intervals.py
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from tacit.curator.answer.divide_confidence import ShownColumn, figures_of
from tacit.curator.answer.evaluate_shown_columns import Group
from tacit.curator.answer.intervals import SUREST, Drawn, Noisy
from tacit.plan import (
    Across,
    Called,
    Expression,
    Function,
    KeyOf,
    MeanOf,
    MeasureOf,
    MomentOf,
    Question,
    Ranked,
    SubqueryValue,
    walk_expression,
)

__all__ = ["NEARLY_ALL", "possible_ends", "tell_uninformative"]

NEARLY_ALL = 0.95
"""Which part of all that is possible an interval covers that says next to nothing."""


def tell_uninformative(
    columns: Sequence[ShownColumn],
    groups: Sequence[Group],
    rows: Sequence[tuple[Any, ...]],
) -> Iterator[str]:
    """That the numbers of some columns say next to nothing, in so many of the groups that are shown.

    Claim:      nothing here depends on a row but through released numbers.
    Because:    what is possible is what the same noise about nothing would leave open, and with it the intervals that
                are shown are compared.
    Checked by: tests/laws/test_corridor.py
    """
    found: dict[int, list[str]] = {}
    place = 0
    for column in columns:
        if column.has_interval and groups and _has_range(column, groups[0].question):
            many = _count_uninformative(column, groups, [row[place : place + 3] for row in rows])
            if many:
                found.setdefault(many, []).append(column.names[0])
        place += len(column.names)
    for many, names in found.items():
        where = "" if len(rows) == 1 else f" in {many:,} of {len(rows):,} groups"
        say, its = (
            ("says", "its interval covers") if len(names) == 1 else ("say", "intervals cover")
        )
        yield (
            f"{', '.join(names)} {say} next to nothing{where}: {its} {NEARLY_ALL:.0%} or more of what is "
            "possible; pay more, or ask about more rows"
        )


def possible_ends(column: ShownColumn, group: Group) -> tuple[Any, Any] | None:
    """The ends of all that is possible in a column whatever is released; None if one is not known."""
    question = group.question
    nothing = [
        None if noisy is None else _about_nothing(noisy, question, at)
        for at, noisy in enumerate(group.noisy)
    ]
    _, low, high = replace(group, noisy=tuple(nothing), noises={}).cells(column)
    return None if low is None or high is None or not low < high else (low, high)


def _about_nothing(noisy: Noisy | Drawn, question: Question, place: int) -> Noisy | Drawn:
    """What might be released of no row at all: a count that may be zero, cells on both sides of the range."""
    if isinstance(noisy, Noisy):
        return replace(noisy, integer=0)
    measure = question.measures[place]
    assert isinstance(measure, Ranked), "cells are drawn of what is ranked"
    return Drawn((-1, *noisy.cells[1:-1], measure.grid.count))


def _has_range(column: ShownColumn, question: Question) -> bool:
    """Whether a column is computed from means, moments and quantiles alone, alike in all groups."""
    value = column.value
    figures = figures_of(value)
    return (
        bool(figures)
        and all(_is_ranged(figure, question, column.confidence) for figure in figures)
        and not any(
            isinstance(part, Across | KeyOf | SubqueryValue) for part in walk_expression(value)
        )
    )


def _is_ranged(figure: Expression, question: Question, confidence: float) -> bool:
    """Whether all that is possible of a figure is known, and an interval within it can be narrower.

    That of an extreme always reaches to an end, and beyond some confidence that of a quantile to both.
    """
    if isinstance(figure, MeasureOf):
        measure = question.measures[figure.place]
        return isinstance(measure, Ranked) and 0 < measure.rank < 1 and confidence <= SUREST
    return isinstance(figure, MeanOf | MomentOf)


def _count_uninformative(
    column: ShownColumn, groups: Sequence[Group], cells: Sequence[tuple[Any, ...]]
) -> int:
    """In how many groups the interval of a column is nearly all that is possible."""
    if _is_moment(column.value) and all(map(_is_narrow, cells)):
        return 0  # which saves to compute what is possible
    ends = possible_ends(column, groups[0])
    if ends is None:
        return 0
    whole = ends[1] - ends[0]
    return sum(
        (high - low) / whole >= NEARLY_ALL
        for value, low, high in cells
        if value is not None and low is not None and high is not None
    )


def _is_moment(value: Expression) -> bool:
    """Whether a value is a variance or the like, or the root of one: what is possible of it includes zero."""
    return isinstance(value, MomentOf) or (
        isinstance(value, Called)
        and value.function is Function.SQRT
        and _is_moment(value.operands[0])
    )


def _is_narrow(cells: tuple[Any, ...]) -> bool:
    """Whether an interval is narrower than its value is far from zero, by more than what is nearly all."""
    value, low, high = cells
    return value is None or low is None or high is None or (high - low) < NEARLY_ALL * abs(value)
