"""A plan as a person reads it: in a sentence or two, and as a tree."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import (
    Computed,
    Counted,
    Distinct,
    Folded,
    Inner,
    Joined,
    Kept,
    Key,
    Measure,
    Ordering,
    Placed,
    Plan,
    Question,
    Ranked,
    Rows,
    Running,
    Scan,
    Shown,
    Stacked,
    Summed,
    Units,
    View,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.ownership import parts_of, table_of
from tacit.plan.model.schema import Scalar, Table

__all__ = ["as_tree", "in_words", "phrase"]

# How tightly an operator binds: what binds less needs parentheses inside what binds more.
_OR, _AND, _NOT, _COMPARED, _ADDED, _MULTIPLIED, _MINUS, _ATOM = range(8)
_MOST_LISTED = 12


def in_words(plan: Plan) -> str:
    """A plan in a sentence or two.

    >>> from tacit.plan import Column, Kind, Table, read_sql
    >>> visits = Table("visits", (Column("ward", Kind.TEXT, values=("A", "B")),), unit="patient")
    >>> print(in_words(read_sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward LIMIT 1", {"visits": visits})))
    In visits, for each ward ('A', 'B'): n is the number of rows. Shown: at most 1.
    """
    question, view = plan.question, plan.view
    begun = f"In {_rows(question.rows)}"
    if question.keys:
        begun += f", for each {' and each '.join(_key(key) for key in question.keys)}"
    if not view.columns:  # nothing is shown of what the curator looks for
        sought = (_measure(each, table_of(question.rows)) for each in question.measures)
        return f"{begun}: {'; '.join(sought)}."
    told = [
        f"{shown.name} is {phrase(shown.value, question)}"
        for shown in view.columns
        if not _obvious(shown, question)
    ]
    first = f"{begun}: {'; '.join(told)}." if told else f"{begun}."
    return " ".join([first, *_afterwards(question, view)])


def as_tree(plan: Plan) -> str:
    """A plan as an indented tree: the view above, then the question, then the rows.

    >>> from tacit.plan import Column, Kind, Table, read_sql
    >>> visits = Table("visits", (Column("age", Kind.INTEGER, low=0, high=120),))
    >>> print(as_tree(read_sql("SELECT COUNT(*) AS n FROM visits WHERE age > 3", {"visits": visits})))
    view
      n = the number of rows
    question
      measure the number of rows
      where age > 3
        scan visits, every row a unit
    """
    return "\n".join("  " * depth + line for depth, line in _tree(plan))


def phrase(expression: e.Expression, question: Question | None = None) -> str:
    """An expression as text; after release, keys and measures are named by what the question calls them.

    >>> from tacit.plan import Column, Kind
    >>> phrase(e.Compared("<", e.Field(Column("age", Kind.INTEGER)), e.Literal(18, Kind.INTEGER)))
    'age < 18'
    """
    return _phrase(expression, question)[0]


def _phrase(expression: e.Expression, question: Question | None) -> tuple[str, int]:
    """The text of an expression and how tightly its outermost operator binds."""

    def inner(part: e.Expression, least: int) -> str:
        text, binding = _phrase(part, question)
        return text if binding >= least else f"({text})"

    match expression:
        case e.Literal(value, _):
            return _scalar(value), _MINUS if isinstance(
                value, int | Fraction
            ) and value < 0 else _ATOM
        case e.Field(column) | e.SubqueryValue(_, column, _):
            return column.name, _ATOM
        case e.Arithmetic(operator, left, right):
            level = _ADDED if operator in {"+", "-"} else _MULTIPLIED
            return f"{inner(left, level)} {operator} {inner(right, level + 1)}", level
        case e.Negated(operand):
            return f"-{inner(operand, _ATOM)}", _MINUS
        case e.Compared(operator, left, right):
            return f"{inner(left, _ADDED)} {operator} {inner(right, _ADDED)}", _COMPARED
        case e.Both(left, right):
            return f"{inner(left, _AND)} AND {inner(right, _AND)}", _AND
        case e.Either(left, right):
            return f"{inner(left, _OR)} OR {inner(right, _OR)}", _OR
        case e.Not(operand):
            return f"NOT {inner(operand, _NOT)}", _NOT
        case e.IsNull(operand):
            return f"{inner(operand, _ADDED)} IS NULL", _COMPARED
        case e.OneOf(operand, options):
            listed = _join_texts([_scalar(option.value) for option in options])
            return f"{inner(operand, _ADDED)} IN ({listed})", _COMPARED
        case e.Like(operand, pattern):
            return f"{inner(operand, _ADDED)} LIKE {_scalar(pattern)}", _COMPARED
        case e.Case(branches, otherwise):
            cases = "".join(
                f" WHEN {inner(when, _OR)} THEN {inner(then, _OR)}" for when, then in branches
            )
            return f"CASE{cases} ELSE {inner(otherwise, _OR)} END", _ATOM
        case e.Cast(operand, kind):
            return f"CAST({inner(operand, _OR)} AS {kind.value.upper()})", _ATOM
        case e.Called(Function.SQRT, (e.MomentOf(moment) as root,)) if moment in _VARIANCES:
            told = _describe_released(root, question)
            return told.replace("variance", "standard deviation", 1), _ATOM
        case e.Called(function, parts):
            return _call(function, [inner(part, _INSIDE.get(function, _OR)) for part in parts])
        case e.KeyOf() | e.MeasureOf() | e.MeanOf() | e.MomentOf():
            return _describe_released(expression, question), _ATOM
        case e.Across():
            return _describe_window(expression, question), _ATOM
        case _:
            assert_never(expression)


_SIGNS = {Function.DISTINCT: _COMPARED, Function.QUOTIENT: _MULTIPLIED, Function.JOINED: _ADDED}
_INSIDE = {Function.DISTINCT: _ADDED, Function.QUOTIENT: _MINUS, Function.JOINED: _MINUS}
_INSIDE[Function.SECONDS_BETWEEN] = _MINUS


def _call(function: Function, parts: list[str]) -> tuple[str, int]:
    """A function of texts, and how tightly it binds."""
    if function in _SIGNS:
        return f"{parts[0]} {function.value} {parts[1]}", _SIGNS[function]
    if function is Function.EXTRACT:
        return f"EXTRACT({parts[0].strip(chr(39))} FROM {parts[1]})", _ATOM
    if function is Function.SECONDS_BETWEEN:
        return f"EXTRACT(epoch FROM {parts[1]} - {parts[0]})", _ATOM
    return f"{function.value}({', '.join(parts)})", _ATOM


def _describe_window(expression: e.Across, question: Question | None) -> str:
    inside = "" if expression.operand is None else phrase(expression.operand, question)
    inside = "*" if expression.operand is None and expression.look is e.Look.COUNT else inside
    away = f", {expression.offset}" if expression.offset != 1 else ""
    by = (
        f" with the same {_join_texts([phrase(part, question) for part in expression.by])}"
        if expression.by
        else ""
    )
    order = [
        f"{phrase(value, question)}, {'largest' if down else 'smallest'} first"
        for value, down in expression.order
    ]
    sorted_by = f", by {', then by '.join(order)}" if order else ""
    return f"{expression.look.value}({inside}{away}) over all groups{by}{sorted_by}"


def _describe_released(
    expression: e.KeyOf | e.MeasureOf | e.MeanOf | e.MomentOf, question: Question | None
) -> str:
    if question is None:
        return "a released value"
    match expression:
        case e.KeyOf(place):
            return phrase(question.keys[place].value)
        case e.MeasureOf(place):
            return _measure(question.measures[place], table_of(question.rows))
        case e.MeanOf(place, _):
            return f"the mean of {_summand(question.measures[place])}"
        case e.MomentOf(moment, places):
            two = moment not in {e.Moment.VARIANCE, e.Moment.POPULATION_VARIANCE}
            return f"the {_MOMENTS[moment]} of " + " and ".join(
                _summand(question.measures[place]) for place in places[1 : 2 + two]
            )


_VARIANCES = {e.Moment.VARIANCE, e.Moment.POPULATION_VARIANCE}
_MOMENTS = {
    e.Moment.VARIANCE: "sample variance",
    e.Moment.POPULATION_VARIANCE: "population variance",
    e.Moment.COVARIANCE: "sample covariance",
    e.Moment.POPULATION_COVARIANCE: "population covariance",
    e.Moment.CORRELATION: "correlation",
}


def _measure(measure: Measure, table: Table) -> str:
    match measure:
        case Counted(value):
            return "the number of rows" + (
                f" in which {phrase(value)} is not NULL" if value is not None else ""
            )
        case Summed():
            return f"the sum of {_summand(measure)}"
        case Units(value):
            held = f" with a row in which {phrase(value)} is not NULL" if value is not None else ""
            return f"the number of units ({table.unit}){held}"
        case Ranked(value, _, rank):
            return f"{_describe_rank(rank)} {phrase(value)}"
        case Distinct(value):
            return f"the number of distinct values of {phrase(value)}"
        case _:
            assert_never(measure)


def _describe_rank(rank: Fraction) -> str:
    named = {
        Fraction(0): "the approximate minimum of",
        Fraction(1): "the approximate maximum of",
        Fraction(1, 2): "the median of",
    }
    return named.get(rank) or f"the quantile at {_decimal(rank)} of"


def _summand(measure: Measure) -> str:
    assert isinstance(measure, Summed), "a mean is made of a sum"
    match measure.value:
        case e.Case(((e.Not(e.IsNull()), value),), e.Literal(None, _)):
            # of pairs, in which the other is not NULL either
            return phrase(value)
        case value:
            return phrase(value)


def _scalar(value: Scalar | None) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return "TRUE" if value else "FALSE"
        case str():
            shown = value if len(value) <= 40 else value[:37] + "..."
            return "'" + shown.replace("'", "''") + "'"
        case date():
            return f"'{value}'"
        case Fraction():
            return _decimal(value)
        case int():
            return str(value)


def _decimal(value: Fraction) -> str:
    """A rational with a point, so that it is not taken for an integer."""
    text = repr(float(value)) if abs(value) < 10**300 else f"{value.numerator}.0"
    return text if len(text) <= 40 else text[:37] + "..."


def _join_texts(texts: list[str]) -> str:
    more = len(texts) - _MOST_LISTED
    return ", ".join(texts) if more <= 0 else f"{', '.join(texts[:_MOST_LISTED])} and {more} more"


def _rows(rows: Rows) -> str:
    match rows:
        case Scan(table):
            return table.name
        case Where(Where() as more, condition):
            return f"{_rows(more)} and {phrase(condition)}"
        case Where(more, condition):
            return f"{_describe_rows(more)} where {phrase(condition)}"
        case Computed(more, _) | Windowed(more, _):
            return _rows(more)
        case Inner(more, keys, _):
            by = "".join(f" and {phrase(key.value)}" for key in keys)
            return f"{_describe_rows(more)} aggregated per unit{by}"
        case Stacked(parts):
            return " and ".join(_describe_rows(part) for part in parts)
        case Joined(left, right, on, outer):
            met = "".join(f" and {phrase(one)} = {phrase(two)}" for one, two in on)
            how = "left joined" if outer else "joined"
            return f"{_describe_rows(left)} {how} with {_describe_rows(right)} on the unit{met}"
        case Kept(more, among, present):
            article = "a" if present else "no"
            return f"{_describe_rows(more)}, of units with {article} row in {_describe_rows(among)}"
        case _:
            assert_never(rows)


def _describe_rows(rows: Rows) -> str:
    """Rows in words, in parentheses where they are more than a table."""
    words = _rows(rows)
    return words if isinstance(rows, Scan) or " " not in words else f"({words})"


def _key(key: Key) -> str:
    if key.values is None:
        return f"{phrase(key.value)} (discovered{', NULL too' if key.null else ''})"
    return f"{phrase(key.value)} ({_join_texts([_scalar(value) for value in key.public_values])})"


def _obvious(shown: Shown, question: Question) -> bool:
    """Whether a column shows a key under the key's own name."""
    value = shown.value
    return isinstance(value, e.KeyOf) and phrase(question.keys[value.place].value) == shown.name


def _afterwards(question: Question, view: View) -> Iterator[str]:
    """What is done with the release, one sentence each."""
    names = {shown.value: shown.name for shown in view.columns}

    def name_of(expression: e.Expression) -> str:
        return names.get(expression) or phrase(expression, question)

    if view.having is not None:
        yield f"Only groups with {phrase(view.having, question)}."
    if view.qualify is not None:
        yield f"Of these, only those with {phrase(view.qualify, question)}."
    if view.order:
        orders = [
            f"{name_of(by.value)}, {'largest' if by.descending else 'smallest'} first"
            for by in view.order
        ]
        yield f"Sorted by {', then by '.join(orders)}."
    if view.limit is not None or view.offset:
        most = "all" if view.limit is None else f"at most {view.limit}"
        yield f"Shown: {most}{f' after the first {view.offset}' if view.offset else ''}."


def _tree(plan: Plan) -> Iterator[tuple[int, str]]:
    question, view = plan.question, plan.view
    yield 0, "view"
    for shown in view.columns:
        yield 1, f"{shown.name} = {phrase(shown.value, question)}"
    if view.having is not None:
        yield 1, f"having {phrase(view.having, question)}"
    if view.qualify is not None:
        yield 1, f"qualify {phrase(view.qualify, question)}"
    for by in view.order:
        yield 1, f"order by {phrase(by.value, question)}{' descending' if by.descending else ''}"
    if view.limit is not None or view.offset:
        yield 1, f"limit {'none' if view.limit is None else view.limit} offset {view.offset}"
    yield 0, "question"
    table = table_of(question.rows)
    for key in question.keys:
        yield 1, f"key {_key(key)}"
    for measure in question.measures:
        yield 1, f"measure {_measure(measure, table)}{_grid(measure)}"
    yield from _branch(question.rows, 1)


def _branch(rows: Rows, depth: int) -> Iterator[tuple[int, str]]:
    """A line for rows, and below it those that they are made of."""
    yield depth, _node(rows)
    for part in parts_of(rows):
        yield from _branch(part, depth + 1)


def _node(rows: Rows) -> str:
    match rows:
        case Scan(table):
            owner = f"unit {table.unit}" if table.unit else "every row a unit"
            return f"scan {table.name}, {'public' if table.public else owner}"
        case Where(_, condition):
            return f"where {phrase(condition)}"
        case Computed(_, columns):
            return f"compute {'; '.join(f'{each.name} = {phrase(each.value)}' for each in columns)}"
        case Inner(_, keys, folds):
            by = "".join(f" and {phrase(key.value)}" for key in keys)
            return f"for each unit{by}: {'; '.join(map(_fold, folds)) or 'one row'}"
        case Stacked():
            return "stack"
        case Joined(_, _, on, outer):
            met = " and ".join(
                ["the unit, if it has one", *(f"{phrase(one)} = {phrase(two)}" for one, two in on)]
            )
            return f"{'outer ' if outer else ''}join on {met}"
        case Kept(_, _, present):
            return f"only units that {'are' if present else 'are not'} among the second"
        case Windowed(_, windows):
            return f"within each unit: {'; '.join(map(_window, windows))}"
        case _:
            assert_never(rows)


def _fold(fold: Folded) -> str:
    held = (
        fold.column.low is not None
        and fold.column.high is not None
        and fold.column.kind.value in _HELD
    )
    return fold.column.name + (
        f" clipped to {_scalar(fold.column.low)}..{_scalar(fold.column.high)}" if held else ""
    )


_HELD = {"integer", "number"}


def _window(window: Window) -> str:
    by = "".join(f", for each {phrase(part)}" for part in window.by)
    order = ", ".join(_describe_order(each) for each in window.order)
    match window:
        case Running(fold):
            return _fold(fold) + by + (f", up to here by {order}" if order else "")
        case Placed(column, _, _, _, _, _):
            return column.name + by + f" by {f'{order}, then ' if order else ''}all columns"
        case _:
            assert_never(window)


def _describe_order(by: Ordering) -> str:
    return phrase(by.value) + (" descending" if by.descending else "")


def _grid(measure: Measure) -> str:
    if isinstance(measure, Ranked):
        return f" in {measure.grid.count} cells"
    if not isinstance(measure, Summed):
        return ""
    centre = f" less {measure.centre}" if measure.centre else ""
    return f" in steps of {measure.step} from {measure.low} to {measure.high}{centre}"
