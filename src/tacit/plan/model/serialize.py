"""A question as text: what a fingerprint is taken of, the same on every machine and in every version."""

from __future__ import annotations

import json
from collections.abc import Iterable
from datetime import date
from fractions import Fraction
from typing import assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.column_codes_of_rows import Axis, Coding
from tacit.plan.model.combined_answers import (
    AnswerOf,
    Answers,
    JoinedAnswers,
    StackedAnswers,
    SubqueryAnswer,
)
from tacit.plan.model.nodes import (
    Computed,
    Counted,
    Defined,
    Distinct,
    Folded,
    Inner,
    Joined,
    Kept,
    Key,
    Measure,
    Ordering,
    Placed,
    Question,
    Ranked,
    Rows,
    Running,
    Scan,
    Stacked,
    Summed,
    Units,
    Where,
    Window,
    Windowed,
)
from tacit.plan.model.rank_grids import Even, Grid, Powers
from tacit.plan.model.schema import Column, Scalar, Table

__all__ = ["serial", "serial_about", "serial_subquery"]


def serial(
    part: e.Expression | Measure | Question | Rows | Window | Folded | Defined | Coding,
) -> str:
    """A text that two parts share exactly if they are equal; its order is the canonical one."""
    if isinstance(part, Coding):
        return _write(_coding(part))
    return _write(_plain(part))


def serial_about(question: Question) -> tuple[str, str]:
    """The text of a question, and that of the question without its measures: what it is about.

    >>> about = Question(Scan(Table("visits", ())), (), ())
    >>> serial_about(about) == (serial(about), serial(about))
    True
    """
    rows, keys = _write(_plain(question.rows)), _write(_all(question.keys))
    measures = _write(_all(question.measures))
    return f'["question",{rows},{keys},{measures}]', f'["question",{rows},{keys},[]]'


def serial_subquery(subquery: SubqueryAnswer) -> str:
    """A text that two subqueries share exactly if they make the same constant of the same parts."""
    view, column = subquery.plan.view, subquery.column
    ends: _Plain = [
        None if each is None else _plain_expression(each) for each in (view.having, view.qualify)
    ]
    return _write(
        [
            "subqueryanswer",
            _answers(subquery.answers),
            [_plain_expression(each.value) for each in view.columns],
            _all(view.order),
            ends,
            [str(view.limit), str(view.offset), str(subquery.row)],
            [column.kind.value, _scalar(column.low), _scalar(column.high)],
        ]
    )


def _answers(answers: Answers) -> _Plain:
    match answers:
        case AnswerOf(part, keys, measures):
            return ["answerof", str(part), [*map(str, keys)], [*map(str, measures)]]
        case JoinedAnswers(left, right, on, keep_left, keep_right):
            pairs: _Plain = [_all(pair) for pair in on]
            return [
                "joinedanswers",
                _answers(left),
                _answers(right),
                pairs,
                str(keep_left),
                str(keep_right),
            ]
        case StackedAnswers(branches):
            return ["stackedanswers", *map(_answers, branches)]
        case _:
            assert_never(answers)


_write = json.JSONEncoder(separators=(",", ":")).encode

_Plain = list["str | _Plain | None"]

# Ledgers keep what is hashed from these words: a class may be renamed, its word never.
_TAGS: dict[type[e.Expression], str] = {
    e.Both: "both",
    e.Either: "either",
    e.Not: "not",
    e.Negated: "negated",
    e.IsNull: "isnull",
    e.OneOf: "oneof",
    e.Case: "case",
    e.KeyOf: "keyof",
    e.MeasureOf: "measureof",
}

_Part = e.Expression | Measure | Question | Rows | Key | Window | Folded | Defined | Ordering


def _plain(part: _Part) -> _Plain:
    """A part as nested lists of texts; the first of each says what it is."""
    match part:
        case Question(rows, keys, measures):
            return [
                "question",
                _plain(rows),
                [_plain(key) for key in keys],
                [_plain(measure) for measure in measures],
            ]
        case Scan(table):
            units = [_column(column) for column in table.columns if column.name == table.unit]
            return ["scan", table.name, table.unit, *units, *_list_needed(table)]
        case Where(rows, condition):
            return ["where", _plain(rows), _plain(condition)]
        case Computed() | Inner() | Stacked() | Joined() | Kept() | Windowed():
            return _plain_rows(part)
        case Defined(name, value):
            return ["defined", name, _plain(value)]
        case Folded(column, fold, value, step):
            return [
                "folded",
                _column(column),
                fold.value,
                None if value is None else _plain(value),
                str(step),
            ]
        case Running(fold, order, by):
            return ["running", _plain(fold), _all(order), _all(by)]
        case Placed(column, place, order, by, value, offset):
            taken = None if value is None else _plain(value)
            return [
                "placed",
                _column(column),
                place.value,
                _all(order),
                _all(by),
                taken,
                str(offset),
            ]
        case Ordering(value, descending):
            return ["ordering", _plain(value), str(descending)]
        case Key(value, values, null):
            listed: _Plain | None = None if values is None else [_scalar(each) for each in values]
            return ["key", _plain(value), listed, *(["null"] if null else [])]
        case Counted(value):
            return ["counted", None if value is None else _plain(value)]
        case Summed(value, step, low, high, centre):
            return ["summed", _plain(value), str(step), str(low), str(high), str(centre)]
        case Units(value):
            return ["units"] if value is None else ["units", _plain(value)]
        case Ranked(value, grid, rank, ends):
            return ["ranked", _plain(value), _grid(grid), str(rank), str(ends)]
        case Distinct(value):
            return ["distinct", _plain(value)]
        case _:
            return _plain_expression(part)


def _coding(coding: Coding) -> _Plain:
    """Rows and the axes by which they are coded."""
    return ["coding", _plain(coding.rows), [_axis(axis) for axis in coding.axes]]


def _axis(axis: Axis) -> _Plain:
    """What decides the code of a row's value."""
    listed: _Plain = [_scalar(each) for each in axis.values]
    grid = None if axis.grid is None else _grid(axis.grid)
    return ["axis", _plain(axis.value), listed, grid, *(["null"] if axis.null else [])]


def _grid(grid: Grid) -> _Plain:
    match grid:
        case Even(step, low, high):
            return ["even", str(step), str(low), str(high)]
        case Powers(least, most):
            return ["powers", str(least), str(most)]
        case _:
            assert_never(grid)


def _all(parts: Iterable[_Part]) -> _Plain:
    return [_plain(part) for part in parts]


def _plain_rows(rows: Computed | Inner | Stacked | Joined | Kept | Windowed) -> _Plain:
    match rows:
        case Computed(inner, columns):
            return ["computed", _plain(inner), _all(columns)]
        case Inner(inner, keys, folds):
            return ["inner", _plain(inner), _all(keys), _all(folds)]
        case Stacked(parts):
            return ["stacked", *_all(parts)]
        case Joined(left, right, on, outer):
            return ["joined", _plain(left), _plain(right), [_all(pair) for pair in on], str(outer)]
        case Kept(inner, among, present):
            return ["kept", _plain(inner), _plain(among), str(present)]
        case Windowed(inner, windows):
            return ["windowed", _plain(inner), _all(windows)]
        case _:
            assert_never(rows)


def _plain_expression(expression: e.Expression) -> _Plain:
    match expression:
        case e.Literal(value, kind):
            return ["literal", kind.value, _scalar(value)]
        case e.Field(column):
            return _column(column)
    inside = [_plain_expression(operand) for operand in e.operands(expression)]
    match expression:
        case e.SubqueryValue(place, column, _):
            return [
                "subquery",
                str(place),
                column.kind.value,
                _scalar(column.low),
                _scalar(column.high),
            ]
        case e.Arithmetic(operator, _, _) | e.Compared(operator, _, _):
            return [operator, *inside]
        case e.Both() | e.Either() | e.Not() | e.Negated() | e.IsNull() | e.OneOf() | e.Case():
            return [_TAGS[type(expression)], *inside]
        case e.Like(_, pattern):
            return ["like", *inside, pattern]
        case e.Cast(_, kind):
            return ["cast", *inside, kind.value]
        case e.Called(function, _):
            return ["called", function.value, *inside]
        case e.KeyOf(place) | e.MeasureOf(place):
            return [_TAGS[type(expression)], str(place)]
        case e.MeanOf(sum_place, count_place):
            return ["meanof", str(sum_place), str(count_place)]
        case e.MomentOf(moment, places):
            return ["momentof", moment.value, *map(str, places)]
        case e.Across(look, operand, by, order, offset):
            told = [
                str(operand is not None),
                str(len(by)),
                *(str(descending) for _, descending in order),
                str(offset),
            ]
            return ["across", look.value, *told, *inside]
        case _:
            assert_never(expression)


def _list_needed(table: Table) -> _Plain:
    """The columns without which a row is not there; whether a number or a moment is may depend on having bounds."""
    columns = [
        column for column in table.columns if not column.nullable and column.name != table.unit
    ]
    return [
        [
            "needed",
            column.name,
            column.kind.value,
            str(column.low is not None),
            str(column.high is not None),
        ]
        for column in sorted(columns, key=lambda column: column.name)
    ]


def _column(column: Column) -> _Plain:
    """What of a column's declaration decides what is computed from it."""
    return ["field", column.name, column.kind.value, _scalar(column.low), _scalar(column.high)]


def _scalar(value: Scalar | None) -> _Plain:
    match value:
        case None:
            return ["null"]
        case bool():
            return ["truth", str(value)]
        case int() | Fraction():
            return ["number", str(value)]
        case str():
            return ["text", value]
        case date():
            return ["time", value.isoformat()]
        case _:
            assert_never(value)
