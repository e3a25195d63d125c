"""Several values as one, so that what differs in any of them differs: COUNT(DISTINCT (a, b)).

Checked by: tests/unit/plan/questions/test_tuple_as_text.py
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import InvalidPlan
from tacit.plan.model import expressions as e
from tacit.plan.model.function_names import Function
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import Forms
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = ["tuple_of"]

_NOTHING = e.Literal("~", Kind.TEXT)
_COLON = e.Literal(":", Kind.TEXT)


def tuple_of(values: Sequence[e.Expression]) -> e.Expression:
    """A text that is the same in two rows exactly if all values are, NULL being a value like any other.

    ('a', NULL)    1:a~

    Claim:      equal texts come from equal values, and the other way round; it is never NULL.
    Because:    every value is written with its length before it, or as one sign that no length begins with: no text is
                the beginning of another, so that the values can be read from left to right.
    Checked by: tests/unit/plan/questions/test_tuple_as_text.py::test_tuples_are_equal_exactly_if_their_values_are
    """
    return e.Called(
        Function.CONCAT, tuple(part for value in values for part in _write_value(value))
    )


def _write_value(value: e.Expression) -> list[e.Expression]:
    """One value with its length before it; what can be NULL as one text, which CONCAT would pass over otherwise."""
    found = type_of(value)
    if found.kind is Kind.NUMBER:
        raise InvalidPlan(
            "decimals cannot be compared inside a tuple",
            "round it to an integer first: CAST(ROUND(x * 100) AS BIGINT)",
        )
    forms = Forms()
    plain = forms.cast(value, Kind.INTEGER) if found.kind is Kind.BOOLEAN else value
    text = value if found.kind is Kind.TEXT else forms.cast(plain, Kind.TEXT)
    length = e.Cast(e.Called(Function.LENGTH, (text,)), Kind.TEXT)
    if not found.nullable:
        return [length, _COLON, text]
    whole = e.Called(Function.CONCAT, (length, _COLON, text))
    return [forms.case([(e.IsNull(value), _NOTHING)], whole)]
