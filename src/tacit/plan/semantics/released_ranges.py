"""Between which bounds a released value lies if noise is left out: what is known from the question alone.

Checked by: tests/unit/plan/semantics/test_released_ranges.py
"""

from __future__ import annotations

from fractions import Fraction
from math import isqrt

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Question, Ranked, Summed
from tacit.plan.model.rank_grids import Even
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.ranges import Range, hull

__all__ = ["grid_range", "released_range"]

_SAME = {e.Look.MEAN, e.Look.LEAST, e.Look.GREATEST, e.Look.BEFORE, e.Look.AFTER}


def released_range(value: e.Expression, question: Question) -> Range | None:
    """The range of an expression over a release, without its noise; None if it is not known.

    >>> from tacit.plan import Column, Field, Scan, Table
    >>> cost = Column("cost", Kind.NUMBER, 0, 100)
    >>> mean = Summed(Field(cost), Fraction(1, 2), 0, 200, 100)
    >>> released_range(e.MeanOf(0, 0), Question(Scan(Table("visits", (cost,))), (), (mean,)))
    Range(low=Fraction(0, 1), high=Fraction(100, 1))
    """
    if type_of(value, question).kind not in {Kind.INTEGER, Kind.NUMBER}:
        return None
    match value:
        case e.MeanOf(place, _):
            return _summed_range(question, place)
        case e.MeasureOf(place):
            return _ranked_range(question, place)
        case e.MomentOf(e.Moment.CORRELATION, _):
            return Range(Fraction(-1), Fraction(1))
        case e.MomentOf(e.Moment.VARIANCE | e.Moment.POPULATION_VARIANCE, places):
            known = _summed_range(question, places[1])
            # of two rows at both ends a sample has half of the squared width
            return None if known is None else Range(Fraction(0), (known.high - known.low) ** 2 / 2)
        case e.Negated(operand):
            inner = released_range(operand, question)
            return None if inner is None else -inner
        case e.Arithmetic("+" | "-" | "*" as operator, left, right):
            one, two = released_range(left, question), released_range(right, question)
            if one is None or two is None:
                return None
            return one + two if operator == "+" else one - two if operator == "-" else one * two
        case e.Called(Function.SQRT, (operand,)):
            inner = released_range(operand, question)
            return None if inner is None else Range(Fraction(0), _root_above(inner.high))
        case e.Across(look, operand) if look in _SAME and operand is not None:
            return released_range(operand, question)
        case e.Case(branches, otherwise):
            parts = [*(then for _, then in branches), otherwise]
            chosen = [
                part for part in parts if part != e.Literal(None, type_of(part, question).kind)
            ]
            known_parts = [released_range(part, question) for part in chosen]
            ends = [end for each in known_parts if each for end in (each.low, each.high)]
            return hull(ends) if ends and all(known_parts) else None
        case _:
            return type_of(value, question).range


def _summed_range(question: Question, place: int) -> Range | None:
    measure = question.measures[place]
    if not isinstance(measure, Summed):
        return None
    return Range(measure.low * measure.step, measure.high * measure.step)


def grid_range(value: e.Expression, question: Question) -> Range | None:
    """The ends of the grid of a quantile, of days in days since 1970; None of all else."""
    return _ranked_range(question, value.place) if isinstance(value, e.MeasureOf) else None


def _ranked_range(question: Question, place: int) -> Range | None:
    measure = question.measures[place]
    if not isinstance(measure, Ranked) or not isinstance(measure.grid, Even):
        return None
    grid = measure.grid
    return Range(grid.low * grid.step, grid.high * grid.step)


def _root_above(number: Fraction) -> Fraction:
    """A number whose square is no less than this one."""
    if number <= 0:
        return Fraction(0)
    return Fraction(isqrt(number.numerator * number.denominator) + 1, number.denominator)
