"""What a CASE says about the range of the values that it chooses."""

from __future__ import annotations

from fractions import Fraction

from tacit.plan.model.expressions import Both, Compared, Either, Expression, Literal, Not
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.ranges import Range, as_double, outward
from tacit.plan.semantics.value_kinds import constant

__all__ = ["MIRRORED", "OPPOSITE", "Ends", "implied_ends", "narrow_branch"]

Ends = tuple[Fraction | None, Fraction | None]
"""The least and the greatest value, where they are known."""

OPPOSITE = {"=": "<>", "<>": "=", "<": ">=", ">=": "<", ">": "<=", "<=": ">"}
"""The comparison that is true where another one is false."""

MIRRORED = {"=": "=", "<>": "<>", "<": ">", ">": "<", "<=": ">=", ">=": "<="}
"""The comparison that says the same with its sides exchanged."""

# Every branch is compared with all before it; a longer CASE keeps the wider range.
_MOST_BRANCHES = 32
_UNKNOWN: Ends = (None, None)


def narrow_branch(ends: Ends, value: Expression, conditions: list[Expression], branch: int) -> Ends:
    """The ends of a branch's value, knowing that no earlier condition held and its own does (the last has none).

    Claim:      where the branch is taken, its value is NULL or between the ends.
    Because:    only a value that is itself compared is narrowed, never what is calculated from it: an engine may
                calculate a branch that it does not take.  A condition that is NULL does not hold either, but then the
                compared value is NULL.
    Checked by: tests/unit/plan/semantics/test_infer_expression_types.py::test_a_computed_value_lies_in_its_range
    """
    if len(conditions) > _MOST_BRANCHES:
        return ends
    implied = _UNKNOWN
    for i, condition in enumerate(conditions[: branch + 1]):
        implied = _meet(implied, implied_ends(condition, value, holds=i == branch))
    low, high = _meet(ends, implied)
    if low is not None and high is not None and low > high:  # a branch that is never taken
        return _nearest_end(ends, implied) if isinstance(value, Literal) else ends
    return ends if isinstance(value, Literal) else (low, high)


def _nearest_end(ends: Ends, implied: Ends) -> Ends:
    """The end beyond which a constant lies: in place of a value that is narrowed to there before it is calculated."""
    (low, high), (least, most) = ends, implied
    if least is not None and high is not None and high < least and (most is None or least <= most):
        return least, least
    if most is not None and low is not None and low > most and (least is None or least <= most):
        return most, most
    return ends


def _meet(one: Ends, other: Ends) -> Ends:
    lows = [end for end in (one[0], other[0]) if end is not None]
    highs = [end for end in (one[1], other[1]) if end is not None]
    return max(lows, default=None), min(highs, default=None)


def implied_ends(condition: Expression, value: Expression, *, holds: bool) -> Ends:
    """What a condition that holds, or does not, implies for a value that is not NULL."""
    match condition:
        case Not(operand):
            return implied_ends(operand, value, holds=not holds)
        case Both(left, right) if holds:
            return _meet(
                implied_ends(left, value, holds=True), implied_ends(right, value, holds=True)
            )
        case Either(left, right) if not holds:
            return _meet(
                implied_ends(left, value, holds=False), implied_ends(right, value, holds=False)
            )
        case Compared(operator, Literal() as bound, compared) if compared == value:
            return _ends_of_comparison(MIRRORED[operator if holds else OPPOSITE[operator]], bound)
        case Compared(operator, compared, Literal() as bound) if compared == value:
            return _ends_of_comparison(operator if holds else OPPOSITE[operator], bound)
        case _:
            return _UNKNOWN


def _ends_of_comparison(operator: str, bound: Literal) -> Ends:
    if bound.kind in {Kind.DATE, Kind.TIMESTAMP} and bound.value is not None:
        at = constant(bound.value, bound.kind)
        assert isinstance(at, int)
        low = {"=": at, ">=": at, ">": at + 1}.get(operator)
        high = {"=": at, "<=": at, "<": at - 1}.get(operator)
        return None if low is None else Fraction(low), None if high is None else Fraction(high)
    if bound.kind not in {Kind.INTEGER, Kind.NUMBER} or not isinstance(bound.value, int | Fraction):
        return _UNKNOWN
    exact = Fraction(bound.value) if bound.kind is Kind.INTEGER else as_double(bound.value)
    if exact is None or (bound.kind is Kind.NUMBER and abs(exact) >= 1 << 53):
        return _UNKNOWN  # integers are compared with it as doubles, which may round them onto it
    wide = outward(Range(exact, exact))
    return (
        wide.low if operator in {"=", ">", ">="} else None,
        wide.high if operator in {"=", "<", "<="} else None,
    )
