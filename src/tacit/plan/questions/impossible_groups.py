"""Which combinations of keys no row can have: those of one column (30 February is no day), or of a public table."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache

from tacit.plan.model import expressions as e
from tacit.plan.model.combined_answers import CombinedQuestion
from tacit.plan.model.expressions import walk_expression, walk_fields
from tacit.plan.model.function_names import FORMATS, Function
from tacit.plan.model.nodes import Question
from tacit.plan.model.schema import KeyValue, Kind
from tacit.plan.questions.groups_of_public_rows import has_public_rows, public_group_filter
from tacit.plan.questions.public_values import key_value
from tacit.plan.semantics.evaluate import compile_expression
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.value_kinds import Value, bounds_of

__all__ = ["group_filter"]

MOST_CELLS = 20_000
"""The most values of a column that are tried: the days of fifty years."""

_DAY = 86_400_000_000
_STEPS = {"hour": _DAY // 24, "minute": _DAY // 1440, "second": _DAY // 86_400}
_Group = tuple[KeyValue, ...]


def group_filter(question: Question) -> Callable[[_Group], bool] | None:
    """Whether some row can have the keys of a group, where the declarations and the keys say that others cannot.

    SELECT MONTH(day), DAY(day), COUNT(*) … GROUP BY ALL    30 February is none of its groups
    SELECT day, DAYNAME(day), COUNT(*) … GROUP BY ALL       each day has one name

    Claim:      nothing here depends on a row; a group that is left out has no row, whatever the rows are.
    Because:    only the question is passed in; keys of one bounded column are computed of every value that it has
                once it is read, or of one value of each stretch of time on which all of them are constant.
    Checked by: tests/unit/plan/questions/test_impossible_groups.py::test_no_row_is_in_a_group_that_is_left_out
    """
    if isinstance(question, CombinedQuestion):
        return None  # its parts were filtered, and a row may lack one of them
    from_columns = _filter_by_column(question)
    if not has_public_rows(question):
        return from_columns
    from_rows = public_group_filter(question)
    if from_columns is None or from_rows is None:
        return from_columns or from_rows
    return lambda group: from_columns(group) and from_rows(group)


def _filter_by_column(question: Question) -> Callable[[_Group], bool] | None:
    """What the keys that are calculated from one column can be together."""
    kept = [
        (places, known)
        for places in _places_by_column(question)
        if (known := _list_groups(tuple(question.keys[at].value for at in places))) is not None
    ]
    if not kept:
        return None
    return lambda group: all(tuple([group[at] for at in places]) in known for places, known in kept)


def _places_by_column(question: Question) -> list[tuple[int, ...]]:
    """The places of keys with public values that are calculated from one column, of each column that has several."""
    if len(question.keys) < 2:
        return []
    by_column: dict[e.Field, list[int]] = {}
    for place, key in enumerate(question.keys):
        fields = set(walk_fields(key.value))
        if key.values is not None and len(fields) == 1:
            by_column.setdefault(fields.pop(), []).append(place)
    found = []
    for places in by_column.values():
        dated = [at for at in places if not _is_of_clock(question.keys[at].value)]
        # the time of day is the same on every day: it matters beside hours of certain days alone
        is_finer = any(_step(question.keys[at].value) < _DAY for at in dated)
        found.append(tuple(places if is_finer else dated))
    return [places for places in found if len(places) > 1]


@lru_cache(maxsize=64)
def _list_groups(values: tuple[e.Expression, ...]) -> frozenset[_Group] | None:
    """All that some calculations make of one column at once; None if the values of the column are not listed."""
    field = walk_fields(values[0])[0]
    cells = _list_cells(field, values)
    if cells is None:
        return None
    name = field.column.name
    computed = [(compile_expression(value), type_of(value).kind) for value in values]
    return frozenset(
        tuple([key_value(compute({name: cell}), kind) for compute, kind in computed])
        for cell in (*cells, None)
    )


def _list_cells(field: e.Field, values: Sequence[e.Expression]) -> Iterable[Value] | None:
    """Values of a column of which every value can stand for one, as far as some calculations see."""
    column = field.column
    low, high = bounds_of(column)
    # values that are declared one by one, not by their ends, may be others in rows
    if column.values is not None or not isinstance(low, int) or not isinstance(high, int):
        return None
    if any(isinstance(part, e.SubqueryValue) for each in values for part in walk_expression(each)):
        return None
    step = 1
    if column.kind is Kind.TIMESTAMP:
        steps = [_step(value) for value in values]
        if 0 in steps:
            return None
        step = min(steps)
    elif column.kind not in {Kind.DATE, Kind.INTEGER}:
        return None
    first, last = low // step, high // step
    if last - first >= MOST_CELLS:
        return None
    return [max(low, number * step) for number in range(first, last + 1)]


def _is_of_clock(value: e.Expression) -> bool:
    """Whether a key is about the time of day alone, which is the same on every day."""
    parts = list(walk_expression(value))
    looks = [part for part in parts if any(isinstance(each, e.Field) for each in e.operands(part))]
    return bool(looks) and all(
        isinstance(part, e.Called)
        and part.function is Function.EXTRACT
        and _literal(part.operands[0]) in _STEPS
        for part in looks
    )


def _step(value: e.Expression) -> int:
    """The microseconds of a stretch of time on which a calculation is constant, 0 if none is known."""
    match value:
        case e.Field():
            return 0
        case e.Cast(e.Field(), Kind.DATE):
            return _DAY
        case e.Called(Function.EXTRACT | Function.DATE_TRUNC, (unit, e.Field())):
            named = _literal(unit)
            return 0 if named == "epoch" else _STEPS.get(named, _DAY)
        case e.Called(Function.STRFTIME, (e.Field(), form)):
            letters = _literal(form).replace("%%", "").split("%")[1:]
            return min([_STEPS.get(FORMATS[each[0]], _DAY) for each in letters], default=_DAY)
        case _:
            return min([_step(part) for part in e.operands(value)], default=_DAY)


def _literal(value: e.Expression) -> str:
    """What a function is told beside its operands."""
    assert isinstance(value, e.Literal), "units and formats are constants"
    assert isinstance(value.value, str), "units and formats are texts"
    return value.value
