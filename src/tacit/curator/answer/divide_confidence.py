"""The columns of an answer: which have intervals, on which released figures they depend, and how sure each must be.

Checked by: tests/unit/curator/answer/test_alternatives.py and tests/unit/curator/answer/test_view_rows.py
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.curator.answer.intervals import all_at_once
from tacit.frozen import frozen
from tacit.plan import (
    Across,
    Called,
    Case,
    Cast,
    Expression,
    Function,
    KeyOf,
    Kind,
    Literal,
    Look,
    MeanOf,
    MeasureOf,
    MomentOf,
    Question,
    Ranked,
    Shown,
    SubqueryValue,
    Summed,
    keep_by_identity,
    operands,
    type_of,
)

__all__ = [
    "MOMENTS",
    "ShownColumn",
    "alternatives_of",
    "confidence_of_each",
    "figures_of",
    "is_whole_measure",
    "keeps_order",
    "shown_column",
]
MOMENTS = {Kind.DATE, Kind.TIMESTAMP}
_ORDERED_LOOKS = {Look.LEAST, Look.GREATEST, Look.BEFORE, Look.AFTER}


def keeps_order(value: Expression, question: Question) -> bool:
    """Whether a day or a moment only grows with what is ranked, so that its ends are those of that.

    >>> from datetime import date
    >>> from tacit.plan import Counted, Scan, Table
    >>> keeps_order(Literal(date(2025, 1, 1), Kind.DATE), Question(Scan(Table("visits", ())), (), (Counted(),)))
    True
    """
    match value:
        case MeasureOf() | KeyOf() | Literal():
            return True
        case Cast(operand, _):
            return type_of(operand, question).kind in MOMENTS and keeps_order(operand, question)
        case Called(Function.DATE_TRUNC, (_, moment)) | Called(Function.DATE_ADD, (moment, _, _)):
            return keeps_order(moment, question)
        case Called(Function.LEAST | Function.GREATEST | Function.COALESCE, parts):
            return all(keeps_order(part, question) for part in parts)
        case Across(look, operand) if look in _ORDERED_LOOKS and operand is not None:
            return keeps_order(operand, question)
        case _:
            return False


@keep_by_identity
def figures_of(value: Expression) -> frozenset[Expression]:
    """What is computed from released numbers that an expression depends on, each with an interval of its own."""
    match value:
        case MeasureOf() | MeanOf() | MomentOf() | SubqueryValue():
            return frozenset({value})
        case Across() if any(map(figures_of, operands(value))):
            return frozenset({value})
        case _:
            return frozenset().union(*(figures_of(operand) for operand in operands(value)))


@frozen
class ShownColumn:
    """What is shown of every group, and how; `names` are those of its value and, if it has one, of its interval."""

    value: Expression
    names: tuple[str, ...]
    has_interval: bool
    kind: Kind
    confidence: float
    whole: bool


def shown_column(shown: Shown, question: Question, confidence: float, *, raw: bool) -> ShownColumn:
    """How a column of the view is shown."""
    name, value = shown.name, shown.value
    found, alternatives = type_of(value, question), alternatives_of(value)
    kind = found.kind
    # a number that noise has touched, or a day or moment whose ends are known
    has_interval = any(alternatives) and (
        found.numeric or (kind in MOMENTS and keeps_order(value, question))
    )
    names = (name, f"{name}_low", f"{name}_high") if has_interval else (name,)
    whole = kind is Kind.INTEGER or (not raw and _is_whole(value, question))
    sure = confidence_of_each(alternatives, confidence)
    return ShownColumn(value, names, has_interval, kind, sure, whole)


def _is_whole(value: Expression, question: Question) -> bool:
    """Whether an expression is a measure that is a whole number, or one of several by what its group is."""
    match value:
        case MeasureOf(place):
            return is_whole_measure(question, place)
        case Across(look, operand) if look not in {Look.MEAN, Look.MIDDLE}:
            return isinstance(operand, MeasureOf | Case) and _is_whole(operand, question)
        case Case(branches, otherwise) if not any(figures_of(when) for when, _ in branches):
            chosen = [*(then for _, then in branches), otherwise]
            known = [each for each in chosen if not isinstance(each, Literal)]
            return bool(known) and all(_is_whole(each, question) for each in known)
        case _:
            return False


def confidence_of_each(alternatives: Sequence[frozenset[Expression]], confidence: float) -> float:
    """How sure every figure of an expression must be, so that all of them are as sure as was asked for."""
    return all_at_once(confidence, max(map(len, alternatives)))


_MOST_ALTERNATIVES = 256


def alternatives_of(value: Expression) -> list[frozenset[Expression]]:
    """The figures that an expression may depend on in one group, for each way in which CASE can choose by keys alone.

    Claim:      in every group, all figures that are looked at are in one of these sets.
    Because:    a condition without figures is true, false or NULL whatever the noise, so that one branch is looked at.
    Checked by: tests/unit/curator/answer/test_alternatives.py
    """
    match value:
        case Case(branches, otherwise) if not any(figures_of(when) for when, _ in branches):
            chosen = [*(then for _, then in branches), otherwise]
            return list(dict.fromkeys(each for then in chosen for each in alternatives_of(then)))
        case MeasureOf() | MeanOf() | MomentOf() | SubqueryValue() | Across():
            return [figures_of(value)]
    found = [frozenset[Expression]()]
    for operand in operands(value):
        others = alternatives_of(operand)
        if len(found) * len(others) > _MOST_ALTERNATIVES:
            return [figures_of(value)]
        found = list(dict.fromkeys(one | other for one in found for other in others))
    return found


def is_whole_measure(question: Question, place: int) -> bool:
    """Whether a measure is a whole number: a count, or a sum of integers."""
    measure = question.measures[place]
    if isinstance(measure, Ranked):
        return type_of(measure.value).kind is not Kind.NUMBER
    return not isinstance(measure, Summed) or measure.step == 1
