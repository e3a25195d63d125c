"""Spans of time: buckets of several units, and how old somebody was.

Checked by: tests/laws/test_functions.py
"""

from __future__ import annotations

from datetime import datetime
from functools import reduce

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms, literal, unit_named
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = [
    "FIRST_DAYS",
    "complete_units",
    "complete_years",
    "make_date",
    "time_bucket",
    "truncate_to_week",
    "weeks_between",
]

FIRST_DAYS = ("monday", "sunday", "saturday", "friday", "thursday", "wednesday", "tuesday")
"""The days on which a week may begin, each by how many days before Monday it does."""

_MOST = 1_000
_MONDAY = e.Literal(datetime(2000, 1, 3), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC, by agreement
_CENTURY = e.Literal(datetime(2000, 1, 1), Kind.TIMESTAMP)  # noqa: DTZ001 - UTC, by agreement


def time_bucket(forms: Forms, count: int, unit: str, operand: e.Expression) -> e.Expression:
    """TIME_BUCKET(INTERVAL '2 weeks', operand): where the bucket begins in which a moment lies.

    Buckets are counted from Monday, 3 January 2000 on, those of months from 1 January 2000 on, as DuckDB counts them.
    """
    name = unit_named(unit)
    if not 1 <= count <= _MOST:
        raise InvalidPlan(
            "this length of buckets is not supported", f"write 1 to {_MOST} units: '2 weeks'"
        )
    if count == 1:
        return forms.in_units(Function.DATE_TRUNC, unit, operand)
    if name == "week":  # which DATE_DIFF does not count
        count, name = count * 7, "day"
    origin = _CENTURY if name in {"month", "quarter", "year"} else _MONDAY
    units = forms.in_units(Function.DATE_DIFF, name, origin, operand)
    size = literal(count)
    # a remainder has the sign of what is divided
    over = forms.arithmetic("%", units, size)
    over = forms.arithmetic("%", forms.arithmetic("+", over, size), size)
    begun = forms.arithmetic("-", units, over)
    return forms.call(Function.DATE_ADD, [origin, begun, e.Literal(name, Kind.TEXT)])


def truncate_to_week(forms: Forms, first: str, operand: e.Expression) -> e.Expression:
    """DATE_TRUNC(operand, WEEK(SUNDAY)): the day on which the week begins, of weeks that begin on `first`.

    A day is moved on until that day is a Monday, and the Monday of its week is moved back.
    """
    days = FIRST_DAYS.index(first)
    if days == 0:
        return forms.in_units(Function.DATE_TRUNC, "week", operand)
    kind = type_of(operand, forms.question).kind
    begun = forms.in_units(Function.DATE_TRUNC, "week", forms.later(operand, days, "day"))
    found = forms.later(begun, -days, "day")
    return forms.cast(found, Kind.DATE) if kind is Kind.DATE else found


def weeks_between(
    forms: Forms, first: str, since: e.Expression, until: e.Expression
) -> e.Expression:
    """DATE_DIFF(until, since, WEEK(SUNDAY)): how many weeks begin after one moment and up to another."""
    begun = [truncate_to_week(forms, first, moment) for moment in (since, until)]
    days = forms.in_units(Function.DATE_DIFF, "day", *begun)
    return forms.call(Function.QUOTIENT, [days, literal(7)])


def complete_years(forms: Forms, until: e.Expression, since: e.Expression) -> e.Expression:
    """EXTRACT(YEAR FROM AGE(until, since)): birthdays between two days, below zero if they are the other way round."""

    def of_year(day: e.Expression) -> e.Expression:
        month = forms.arithmetic("*", forms.moment_part("month", day), literal(100))
        return forms.arithmetic("+", month, forms.moment_part("day", day))

    apart = forms.arithmetic(
        "-", forms.moment_part("year", until), forms.moment_part("year", since)
    )
    one, other = of_year(until), of_year(since)
    later = e.Both(forms.compare(">=", until, since), forms.compare("<", one, other))
    earlier = e.Both(forms.compare("<", until, since), forms.compare(">", one, other))
    less, more = (forms.arithmetic(sign, apart, literal(1)) for sign in "-+")
    return forms.case([(later, less), (earlier, more)], apart)


_OF_OTHERS = {"week": ("day", 7), "quarter": ("month", 3), "year": ("month", 12)}


def complete_units(
    forms: Forms, unit: str, since: e.Expression, until: e.Expression
) -> e.Expression:
    """TIMESTAMPDIFF(unit, since, until): whole units between two moments, below zero if they are the other way round.

    A unit begins as often as DATE_DIFF says; the last one is not complete if less of it has passed than of the first.
    """
    name = unit_named(unit)
    if name in _OF_OTHERS:
        smaller, count = _OF_OTHERS[name]
        whole = complete_units(forms, smaller, since, until)
        return forms.call(Function.QUOTIENT, [whole, literal(count)])

    def passed(moment: e.Expression) -> e.Expression:
        return forms.seconds_between(forms.in_units(Function.DATE_TRUNC, name, moment), moment)

    begun = forms.in_units(Function.DATE_DIFF, name, since, until)
    one, other = passed(since), passed(until)
    later = e.Both(forms.compare(">=", until, since), forms.compare("<", other, one))
    earlier = e.Both(forms.compare("<", until, since), forms.compare(">", other, one))
    less, more = (forms.arithmetic(sign, begun, literal(1)) for sign in "-+")
    return forms.case([(later, less), (earlier, more)], begun)


def make_date(
    forms: Forms, year: e.Expression, month: e.Expression, day: e.Expression
) -> e.Expression:
    """MAKE_DATE(year, month, day): that day, by its text of ten characters; NULL if there is none."""

    def digits(number: e.Expression, width: int) -> e.Expression:
        written = forms.cast(number, Kind.TEXT)
        return forms.call(Function.LPAD, [written, literal(width), e.Literal("0", Kind.TEXT)])

    year, month, day = (forms.cast(part, Kind.INTEGER) for part in (year, month, day))
    hyphen = e.Literal("-", Kind.TEXT)
    parts = [digits(year, 4), hyphen, digits(month, 2), hyphen, digits(day, 2)]
    written = reduce(lambda one, other: forms.call(Function.JOINED, [one, other]), parts)
    possible = [
        forms.is_between(number, literal(1), literal(most))
        for number, most in ((year, 9999), (month, 12), (day, 31))
    ]
    exists = reduce(e.Both, possible)
    return forms.case([(exists, forms.cast(written, Kind.DATE))], e.Literal(None, Kind.DATE))
