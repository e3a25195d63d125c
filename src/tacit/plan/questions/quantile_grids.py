"""What is ranked, and on which grid: quantiles, and the least and the greatest value.

Checked by: tests/unit/plan/sql/test_quantiles.py
"""

from __future__ import annotations

from fractions import Fraction
from itertools import pairwise
from math import ceil, floor, prod
from typing import Any, NoReturn

from tacit.errors import InvalidPlan, how_to_declare
from tacit.plan.model.expressions import Expression, Field
from tacit.plan.model.nodes import MOST_CELLS, Key, Measure, Question, Ranked
from tacit.plan.model.rank_grids import Even
from tacit.plan.model.schema import Kind
from tacit.plan.questions.measures import step_of
from tacit.plan.semantics.expression_type import CALENDAR, Type, refuse, refuse_unbounded
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.ranges import Range

__all__ = [
    "GREATEST",
    "LEAST",
    "MEDIAN",
    "MOST_CELLS",
    "check_cells",
    "coarse_step",
    "columns_of_answer",
    "rank_from",
    "rank_measure",
    "width_of",
]

LEAST, MEDIAN, GREATEST = Fraction(0), Fraction(1, 2), Fraction(1)
"""The ranks that have names."""

# A range is cut into at least 2**13 cells; of integers, every value is one if they are fewer than twice as many.
_FINENESS = 13
_FINEST_RANK = 10**6


def rank_measure(value: Expression, rank: Fraction) -> Ranked:
    """What is ranked at this rank, on the grid that its type allows.

    >>> from tacit.plan import Column, Field
    >>> rank_measure(Field(Column("age", Kind.INTEGER, low=0, high=120)), MEDIAN).grid
    Even(step=Fraction(1, 1), low=0, high=120)
    >>> rank_measure(Field(Column("cost", Kind.NUMBER, low=0, high=5000)), MEDIAN).grid
    Even(step=Fraction(1, 2), low=0, high=10000)
    """
    found = type_of(value)
    if found.kind in {Kind.TEXT, Kind.BOOLEAN}:
        reason = (
            "quantiles, MIN and MAX need a number, a date or a timestamp, but this is of type "
            f"{found.kind.value}"
        )
        refuse(
            value,
            reason,
            "use a number, a date or a timestamp, or count rows with COUNT(x)",
        )
    known = _range(value, found)
    step = step_of(known, _FINENESS)
    if found.kind is not Kind.NUMBER:
        step = Fraction(1) if known.high - known.low < 2 << _FINENESS else max(step, Fraction(1))
    low, high = (
        floor(end / step + Fraction(1, 2))
        for end in (ceil_of(known.low, found), floor_of(known.high, found))
    )
    if high <= low:
        refuse(
            value,
            "this is constant, so it has no quantiles",
            "count the rows: COUNT(*)",
        )
    return Ranked(value, Even(step, low, high), rank)


def coarse_step(measure: Measure) -> str | None:
    """The step of the grid on which a quantile is read, in words; None if every value has a cell of its own.

    >>> from tacit.plan import Column, Field
    >>> coarse_step(rank_measure(Field(Column("cost", Kind.NUMBER, low=0, high=60_000)), MEDIAN))
    '4'
    >>> coarse_step(rank_measure(Field(Column("age", Kind.INTEGER, low=0, high=120)), MEDIAN)) is None
    True
    """
    if not isinstance(measure, Ranked) or not isinstance(measure.grid, Even):
        return None
    kind, step = type_of(measure.value).kind, measure.grid.step
    if kind is Kind.TIMESTAMP:
        return f"{float(step / 10**6):.3g} seconds"
    if kind is not Kind.NUMBER and step <= 1:
        return None
    return f"{float(step):.3g} days" if kind is Kind.DATE else f"{float(step):.3g}"


def ceil_of(end: Fraction, found: Type) -> Fraction:
    """The first value that there is from an end on."""
    return end if found.kind is Kind.NUMBER else Fraction(ceil(end))


def floor_of(end: Fraction, found: Type) -> Fraction:
    """The last value that there is up to an end."""
    return end if found.kind is Kind.NUMBER else Fraction(floor(end))


def rank_from(given: Any) -> Fraction:
    """A rank strictly between 0 and 1, as it is written.

    >>> rank_from(0.25)
    Fraction(1, 4)
    """
    exact = Fraction(repr(given)) if isinstance(given, float) and 0 < given < 1 else given
    if isinstance(exact, bool) or not isinstance(exact, int | Fraction) or not 0 < exact < 1:
        remedy = "write a number between 0 and 1, such as 0.25; for 0 and 1 use MIN(x) and MAX(x)"
        raise InvalidPlan("the rank of a quantile must be strictly between 0 and 1", remedy)
    if Fraction(exact).denominator > _FINEST_RANK:
        raise InvalidPlan("this rank has too many digits", "write one with at most six")
    return Fraction(exact)


def width_of(measure: Measure) -> int:
    """How many columns of an engine's answer a measure takes: one, or one for every cell in which values are ranked."""
    return measure.grid.count if isinstance(measure, Ranked) else 1


def columns_of_answer(question: Question) -> list[slice]:
    """Where in an engine's answer each measure stands.

    >>> from tacit.plan import Counted, Scan, Table
    >>> columns_of_answer(Question(Scan(Table("visits", ())), (), (Counted(), Counted())))
    [slice(0, 1, None), slice(1, 2, None)]
    """
    ends = [0]
    for measure in question.measures:
        ends.append(ends[-1] + width_of(measure))
    return [slice(first, last) for first, last in pairwise(ends)]


def check_cells(measures: tuple[Measure, ...], keys: tuple[Key, ...]) -> None:
    """Refuse so many cells in so many groups that no engine should hold them; of unknown keys, fewer are found."""
    groups = prod(len(key.public_values) for key in keys if key.values is not None)
    cells = groups * sum(width_of(measure) for measure in measures if isinstance(measure, Ranked))
    if cells > MOST_CELLS:
        raise InvalidPlan(
            f"these quantiles need {cells:,} cells",
            f"group by fewer columns; at most {MOST_CELLS:,} cells are possible",
        )


def _range(value: Expression, found: Type) -> Range:
    known = found.range
    if known is None:
        refuse_unbounded(value, "a quantile needs a declared range")
    if found.kind in CALENDAR and known == CALENDAR[found.kind]:
        _no_calendar(value)
    return known


def _no_calendar(value: Expression) -> NoReturn:
    name = value.column.name if isinstance(value, Field) else "x"
    reason = "this has no declared range, and quantiles, MIN and MAX need one"
    refuse(
        value,
        reason,
        f"declare them: {how_to_declare(name, 'date', 'bounds')}",
    )
