"""Constants that a declared column cannot equal: a typing error is told before it is paid for."""

from __future__ import annotations

from difflib import get_close_matches

from tacit.plan.model.describe_plan import phrase
from tacit.plan.model.expressions import Expression, Field, KeyOf, Literal
from tacit.plan.model.nodes import Question
from tacit.plan.model.schema import Column, Kind, Scalar
from tacit.plan.semantics.expression_type import refuse
from tacit.plan.semantics.value_kinds import constant

__all__ = ["check_declared"]

_SHOWN = 20


def check_declared(side: Expression, other: Expression, question: Question | None = None) -> None:
    """Refuse a constant that is compared for equality with a column whose declared values it is none of.

    A column that has `other` may hold any text, and one without a list any value: nothing is refused of them.

    Claim:      whether a constant is refused depends on the policy and the question alone.
    Because:    only a declaration and the constant are looked at.
    Checked by: tests/unit/plan/questions/test_undeclared_constants.py

    >>> ward = Field(Column("ward", Kind.TEXT, values=("Cardiology", "Surgery")))
    >>> check_declared(ward, Literal("Surgery", Kind.TEXT))
    >>> check_declared(ward, Literal("Cardiolgy", Kind.TEXT))  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    tacit.errors.InvalidPlan: 'Cardiolgy' is not among the declared values of ward
      'Cardiolgy'
      ^^^^^^^^^^^
    did you mean 'Cardiology'? the declared values are 'Cardiology', 'Surgery'; ...
    """
    column = _column(side, question)
    if column is None or not isinstance(other, Literal) or other.value is None:
        return
    if not column.values or column.other or (other.kind is Kind.TEXT) != (column.kind is Kind.TEXT):
        return  # a constant of another kind is refused, or compared, by rules of its own
    listed = [constant(each, column.kind) for each in column.values]
    if constant(other.value, other.kind) in listed:
        return
    reason = f"{phrase(other)} is not among the declared values of {column.name}"
    refuse(other, reason, _suggest(other.value, column), question)


def _column(side: Expression, question: Question | None) -> Column | None:
    """The column that a side of a comparison is, as it is or as a key."""
    match side:
        case Field(column):
            return column
        case KeyOf(place) if question is not None:
            return _column(question.keys[place].value, question)
        case _:
            return None


def _suggest(value: Scalar, column: Column) -> str:
    """The declared value that is nearest, and all of them."""
    assert column.values, "the column has a list"
    texts = {str(each).casefold(): phrase(Literal(each, column.kind)) for each in column.values}
    close = get_close_matches(str(value)[:64].casefold(), texts, n=1)
    guess = f"did you mean {texts[close[0]]}? " if close else ""
    shown = ", ".join([*texts.values()][:_SHOWN]) + (
        f" and {len(texts) - _SHOWN} more" if len(texts) > _SHOWN else ""
    )
    return (
        f"{guess}the declared values are {shown}; if the value occurs, declare it, "
        "or set other = true in the policy"
    )
