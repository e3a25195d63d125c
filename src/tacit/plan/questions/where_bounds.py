"""The range of a column that has no declared bounds, by what conditions say of it or by its list of declared values."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import ceil, floor

from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression, walk_fields
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Computed, Joined, Rows, Where
from tacit.plan.model.schema import Column, Kind
from tacit.plan.questions.aggregate_per_unit import column_of
from tacit.plan.semantics.case_ranges import Ends, implied_ends
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = [
    "clamp_to_conditions",
    "conditions_of",
    "has_far_logarithm",
    "has_only_values",
    "within_declared_values",
]


def clamp_to_conditions(value: e.Expression, conditions: Sequence[e.Expression]) -> e.Expression:
    """A value whose columns and casts are held where the conditions say that they lie; itself if they say nothing.

    AVG(price / carat) ... WHERE carat >= 0.2    price / GREATEST(carat, 0.2)

    Claim:      in every row for which all conditions are true, the value is the same.
    Because:    there the column is not NULL and lies within the ends that `implied_ends` gives, and GREATEST and LEAST
                with those ends change nothing.  In other rows the value is another one, and it is not asked for.  What
                a branch of a CASE gives is asked for only where its own condition is true, which is one more; that
                earlier ones are not true says nothing, since they may be NULL.
    Checked by: tests/unit/plan/questions/test_where_bounds.py::test_in_rows_that_are_kept_the_value_is_the_same
    """
    match value:
        case e.Field() | e.Cast():
            inner = e.rebuilt(value, lambda part: clamp_to_conditions(part, conditions))
            return _clamp(value, inner, conditions)
        case e.Case(branches, otherwise):
            return e.Case(
                tuple(
                    (
                        clamp_to_conditions(when, conditions),
                        clamp_to_conditions(then, [*conditions, when]),
                    )
                    for when, then in branches
                ),
                clamp_to_conditions(otherwise, conditions),
            )
        case _:
            return e.rebuilt(value, lambda part: clamp_to_conditions(part, conditions))


def within_declared_values(value: e.Expression) -> e.Expression:
    """A value in which a number without bounds is NULL where it lies outside its list of declared values.

    SUM(died), died declared as 0 or 1    SUM(CASE WHEN died >= 0 AND died <= 1 THEN died END)

    Claim:      a column that is calculated with lies between the least and the greatest of its declared values.
    Because:    the comparison is part of the question, so an engine makes it for each row; the list is not believed.
    Checked by: tests/unit/plan/questions/test_where_bounds.py::test_a_cell_outside_the_list_is_null
    """
    columns = dict.fromkeys(field.column for field in walk_fields(value))
    return e.substitute(value, {column.name: _only_listed(column) for column in columns})


def has_far_logarithm(value: e.Expression) -> bool:
    """Whether it has a logarithm of what may be as close to zero as can be: -745, which is far from all others.

    >>> carat = e.Field(Column("carat", Kind.NUMBER, 0, 6))
    >>> has_far_logarithm(e.Called(Function.LN, (carat,)))
    True
    """
    return any(
        isinstance(part, e.Called)
        and part.function in {Function.LN, Function.LOG10}
        and ((low := type_of(part.operands[0]).low) is None or low <= 0)
        for part in walk_expression(value)
    )


def has_only_values(column: Column) -> bool:
    """Whether a list of declared values is all that bounds a column of numbers."""
    return (
        column.kind in {Kind.INTEGER, Kind.NUMBER}
        and bool(column.values)
        and (column.low is None or column.high is None)
    )


def _only_listed(column: Column) -> e.Expression:
    """A column, NULL outside the range of its declared values where they are all that bounds it."""
    field = e.Field(column)
    if not has_only_values(column):
        return field
    ends = sorted(
        Fraction(each) for each in column.values or () if isinstance(each, int | Fraction)
    )
    low, high = (_literal_of(end, column.kind, int) for end in (ends[0], ends[-1]))
    inside = e.Both(e.Compared(">=", field, low), e.Compared("<=", field, high))
    return e.Case(((inside, field),), e.Literal(None, column.kind))


def conditions_of(rows: Rows | None) -> list[e.Expression]:
    """What is true of all rows, in terms of their columns: the conditions of every WHERE below."""
    match rows:
        case Where(inner, condition):
            return [*conditions_of(inner), condition]
        case Computed(inner, columns):
            seen = {
                each.value.column.name: e.Field(column_of(each))
                for each in columns
                if isinstance(each.value, e.Field)
            }
            known = [part for each in conditions_of(inner) for part in _parts(each)]
            return [
                e.substitute(each, dict(seen)) for each in known if e.fields_of(each) <= seen.keys()
            ]
        case Joined(left, right, _, outer):
            return [*conditions_of(left), *([] if outer else conditions_of(right))]
        case _:
            return []


def _parts(condition: e.Expression) -> list[e.Expression]:
    """The conditions of a AND b AND c."""
    if isinstance(condition, e.Both):
        return [*_parts(condition.left), *_parts(condition.right)]
    return [condition]


def _clamp(
    asked: e.Expression, found: e.Expression, conditions: Sequence[e.Expression]
) -> e.Expression:
    """A column, or a cast of one, between the ends that conditions imply."""
    kind = asked.kind if isinstance(asked, e.Cast) else None
    if isinstance(asked, e.Field):
        kind = asked.column.kind
    if kind not in {Kind.INTEGER, Kind.NUMBER}:
        return found
    low, high = _ends(asked, conditions)
    if low is not None:
        found = e.Called(Function.GREATEST, (found, _literal_of(low, kind, ceil)))
    if high is not None:
        found = e.Called(Function.LEAST, (found, _literal_of(high, kind, floor)))
    return found


def _ends(field: e.Expression, conditions: Sequence[e.Expression]) -> Ends:
    ends = [implied_ends(condition, field, holds=True) for condition in conditions]
    lows = [low for low, _ in ends if low is not None]
    highs = [high for _, high in ends if high is not None]
    low, high = max(lows, default=None), min(highs, default=None)
    # which no row meets
    return (None, None) if low is not None and high is not None and low > high else (low, high)


def _literal_of(end: Fraction, kind: Kind, whole: Callable[[Fraction], int]) -> e.Literal:
    """An end as a constant of the column's kind."""
    return e.Literal(whole(end) if kind is Kind.INTEGER else end, kind)
