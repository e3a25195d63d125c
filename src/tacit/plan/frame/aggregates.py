"""Aggregates of a frame, such as `count` and `mean`: terms that ask for a number of every group.

Checked by: tests/unit/plan/frame/test_frame.py
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tacit.plan.frame.column_expressions import Scope, Term, column_term
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.questions.build_expressions import meeting, only
from tacit.plan.questions.draft import Draft
from tacit.plan.questions.quantile_grids import GREATEST, LEAST, MEDIAN, rank_from

__all__ = [
    "correlation",
    "count",
    "count_distinct",
    "covariance",
    "max",
    "mean",
    "median",
    "min",
    "quantile",
    "std",
    "sum",
    "units",
    "var",
]


def count(value: Term | str | None = None, *, where: Term | None = None) -> Term:
    """How many rows there are or, of a column or term, in how many it is not NULL; `where` chooses among them.

    >>> from tacit.plan import col
    >>> count(where=col("age") >= 65)
    count(where=col('age') >= 65)
    """
    if value is not None:
        return _aggregate("count", lambda draft, counted: draft.count(counted), value, where=where)
    return _of_rows("count", lambda draft, condition: draft.count(meeting(condition)), where)


def units(*, where: Term | None = None) -> Term:
    """How many units there are; with `where`, that have a row for which it is true."""
    return _of_rows("units", lambda draft, condition: draft.units(condition), where)


def sum(value: Term | str, *, where: Term | None = None) -> Term:  # noqa: A001 - the word that everybody knows
    """The sum of a column or term; `where` chooses among the rows."""
    return _aggregate("sum", lambda draft, summed: draft.sum(summed), value, where=where)


def mean(value: Term | str, *, where: Term | None = None) -> Term:
    """The mean of a column or term; `where` chooses among the rows."""
    return _aggregate("mean", lambda draft, averaged: draft.mean(averaged), value, where=where)


def count_distinct(value: Term | str, *, where: Term | None = None) -> Term:
    """How many different values a column or term has, NULL not among them; of the unit, how many units there are."""

    def counted(scope: Scope) -> e.Expression:
        unit = scope.rows.draft.table.unit
        if isinstance(value, str) and value == unit and type(scope.draft) is Draft:
            return scope.draft.units(None if where is None else where.read(scope.rows))
        return told.read(scope)

    told = _aggregate(
        "count_distinct", lambda draft, each: draft.distinct(each), value, where=where
    )
    return Term(told.text, counted)


def var(value: Term | str, *, population: bool = False, where: Term | None = None) -> Term:
    """The variance of a column or term: of a sample or, if these rows are all there are, of a `population`."""
    moment = e.Moment.POPULATION_VARIANCE if population else e.Moment.VARIANCE
    return _aggregate(
        "var",
        lambda draft, each: draft.moment(moment, each),
        value,
        where=where,
        population=population,
    )


def std(value: Term | str, *, population: bool = False, where: Term | None = None) -> Term:
    """The standard deviation of a column or term: of a sample or, if these rows are all there are, of a `population`.

    >>> std("cost", population=True)
    std(col('cost'), population=True)
    """
    variance = var(value, population=population, where=where)
    return Term(
        "std" + variance.text[3:], lambda scope: e.Called(Function.SQRT, (variance.read(scope),))
    )


def covariance(
    first: Term | str,
    second: Term | str,
    *,
    population: bool = False,
    where: Term | None = None,
) -> Term:
    """The covariance of two columns or terms, over the rows in which neither is NULL."""
    moment = e.Moment.POPULATION_COVARIANCE if population else e.Moment.COVARIANCE
    return _aggregate(
        "covariance",
        lambda draft, *each: draft.moment(moment, *each),
        first,
        second,
        where=where,
        population=population,
    )


def correlation(first: Term | str, second: Term | str, *, where: Term | None = None) -> Term:
    """The correlation of two columns or terms, over the rows in which neither is NULL."""
    return _aggregate(
        "correlation",
        lambda draft, *each: draft.moment(e.Moment.CORRELATION, *each),
        first,
        second,
        where=where,
    )


def _aggregate(
    name: str,
    measure: Callable[..., e.Expression],
    *values: Term | str,
    where: Term | None,
    population: bool = False,
) -> Term:
    """An aggregate of some values, in the rows for which a condition is true."""
    parts = [column_term(value) for value in values]
    told = [*map(repr, parts), *(["population=True"] if population else []), *_columns_in(where)]

    def read(scope: Scope) -> e.Expression:
        rows = scope.rows
        condition = None if where is None else where.read(rows)
        return measure(scope.draft, *(only(part.read(rows), condition) for part in parts))

    return Term(f"{name}({', '.join(told)})", read)


def _of_rows(
    name: str, measure: Callable[[Draft, e.Expression | None], e.Expression], where: Term | None
) -> Term:
    """An aggregate of rows themselves."""

    def read(scope: Scope) -> e.Expression:
        rows = scope.rows
        return measure(rows.draft, None if where is None else where.read(rows))

    return Term(f"{name}({', '.join(_columns_in(where))})", read)


def _columns_in(where: Term | None) -> list[str]:
    return [] if where is None else [f"where={where!r}"]


def median(value: Term | str, *, where: Term | None = None) -> Term:
    """The median of a column or term, near enough: see `quantile`."""
    return _aggregate(
        "median", lambda draft, each: draft.rank_value(each, MEDIAN), value, where=where
    )


def quantile(value: Term | str, rank: float | Fraction, *, where: Term | None = None) -> Term:
    """The value of a column or term below which about a given share of the rows lies.

    >>> quantile("age", 0.25)
    quantile(col('age'), 0.25)
    """
    share = rank_from(rank)
    told = _aggregate(
        "quantile", lambda draft, each: draft.rank_value(each, share), value, where=where
    )
    shown = ", ".join([repr(column_term(value)), f"{float(share):g}", *_columns_in(where)])
    return Term(f"quantile({shown})", told.read)


def min(value: Term | str, *, where: Term | None = None) -> Term:  # noqa: A001 - used as tacit.min
    """About the least value of a column or term: so far from it that no single unit decides it."""
    return _aggregate("min", lambda draft, each: draft.rank_value(each, LEAST), value, where=where)


def max(value: Term | str, *, where: Term | None = None) -> Term:  # noqa: A001 - used as tacit.max
    """About the greatest value of a column or term: so far from it that no single unit decides it."""
    return _aggregate(
        "max", lambda draft, each: draft.rank_value(each, GREATEST), value, where=where
    )
