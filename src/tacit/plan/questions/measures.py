"""What is measured of a group: counts, and sums on a public grid with the range that their expression can take."""

from __future__ import annotations

from fractions import Fraction
from math import ceil, floor
from typing import NoReturn, assert_never

from tacit.plan.model import expressions as e
from tacit.plan.model.expressions import walk_expression
from tacit.plan.model.function_names import TOTAL
from tacit.plan.model.nodes import Counted, Distinct, Measure, Question, Ranked, Summed, Units
from tacit.plan.model.ownership import many_rows, table_of
from tacit.plan.model.schema import Kind
from tacit.plan.semantics.expression_type import Type, refuse, refuse_unbounded, suggest_type
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.ranges import Range

__all__ = [
    "centred_sum",
    "count_measure",
    "fits",
    "product_sum",
    "pair_with",
    "pairs",
    "WIDEST_RELEASED",
    "step_of",
    "sum_measure",
]

# A double range is cut into at least 2**20 steps, and no value lies more than 2**51 steps from zero: there halves are
# still doubles, so that rounding to whole steps is exact.
_FINENESS = 20
_STEPS = 51
_FINEST = Fraction(1, 2**900)
_WIDEST = 1 << 62
_ENGINE_BITS = 126

WIDEST_RELEASED = {
    Kind.INTEGER: Range(Fraction(-(1 << 53)), Fraction(1 << 53)),
    Kind.NUMBER: Range(Fraction(-(10**15)), Fraction(10**15)),
}
"""Between what a released value is held as a constant among rows where nothing bounds it: counts and sums."""


def count_measure(expression: e.Expression | None = None) -> Counted:
    """The number of rows or, with an expression, of rows in which it is not NULL.

    What cannot be NULL counts every row, and what is NULL exactly where a part of it is counts that part: equal masks
    give equal measures, which are paid for once.

    >>> from tacit.plan import Column, Field
    >>> count_measure(Field(Column("age", Kind.INTEGER, nullable=False)))
    Counted(value=None)
    """
    return Counted(None if expression is None else _mask(expression))


def sum_measure(expression: e.Expression) -> Summed:
    """The sum of an expression, on the grid and between the bounds that its type allows.

    >>> from tacit.plan import Column, Field
    >>> age = sum_measure(Field(Column("age", Kind.INTEGER, low=0, high=120)))
    >>> age.step, age.low, age.high, age.reach
    (Fraction(1, 1), 0, 120, 120)
    """
    return _varying(_on_grid(expression))


def centred_sum(expression: e.Expression) -> Summed:
    """The sum of an expression less the middle of its range, which halves its reach: what a mean is made of.

    >>> from tacit.plan import Column, Field
    >>> age = centred_sum(Field(Column("age", Kind.INTEGER, low=0, high=120)))
    >>> age.centre, age.reach
    (60, 60)
    """
    found = _on_grid(expression)
    return _varying(
        Summed(found.value, found.step, found.low, found.high, (found.low + found.high) // 2)
    )


def pair_with(expression: e.Expression, other: e.Expression) -> e.Expression:
    """An expression where another one is not NULL either, and NULL elsewhere: one of a pair.

    >>> from tacit.plan import Column, Field
    >>> age, cost = (Field(Column(name, Kind.INTEGER, nullable=name == "cost")) for name in ("age", "cost"))
    >>> pair_with(cost, age) == cost, pair_with(age, cost) == age
    (True, False)
    """
    mask = _mask(other)
    if mask is None or mask == _mask(expression):
        return expression
    return e.Case(((e.Not(e.IsNull(mask)), expression),), e.Literal(None, type_of(expression).kind))


def pairs(first: e.Expression, second: e.Expression) -> Counted:
    """The number of rows in which neither of two expressions is NULL."""
    return (
        count_measure(second) if _mask(first) is None else count_measure(pair_with(first, second))
    )


def product_sum(first: Summed, second: Summed) -> Summed:
    """The sum of products of what two centred sums add up: of squares, if they are the same.

    It is about the middle of its own range, too: squares reach from zero to the square of the furthest.

    >>> from tacit.plan import Column, Field
    >>> age = centred_sum(Field(Column("age", Kind.INTEGER, low=0, high=120)))
    >>> squares = product_sum(age, age)
    >>> squares.low, squares.high, squares.centre, squares.reach
    (0, 3600, 1800, 1800)
    """
    one, two = _about_centre(first), _about_centre(second)
    product = e.Arithmetic("*", one, two)
    found = type_of(product)
    known = found.range
    assert known is not None, "what is summed has a range"
    if first == second:
        known = Range(Fraction(0), known.furthest)
    step = Fraction(1) if found.kind is Kind.INTEGER else step_of(known, _FINENESS + 2)
    low, high = (floor(end / step + Fraction(1, 2)) for end in (known.low, known.high))
    return Summed(product, step, low, high, (low + high) // 2)


def _about_centre(measure: Summed) -> e.Expression:
    """What a row adds to a centred sum, in its own unit: as a double, where a product could leave the integers."""
    value, centre = measure.value, measure.centre * measure.step
    whole = type_of(value).kind is Kind.INTEGER
    if centre:
        value = e.Arithmetic(
            "-", value, e.Literal(int(centre) if whole else centre, type_of(value).kind)
        )
    return e.Cast(value, Kind.NUMBER) if whole and measure.reach >= 1 << 31 else value


def fits(question: Question, bits: int) -> bool:
    """Whether every sum of the question, multiplied by 2**bits, is sure to fit into the engines' 128 bits.

    Claim:      no sum that an engine forms exceeds 2**126, whatever the rows hold.
    Because:    it adds at most `table.rows` terms, each at most `reach` steps times a weight of at most 2**bits; where
                rows are joined or stacked, no engine lives to see 2**62 of them.
    Checked by: tests/unit/plan/questions/test_measures.py::test_sums_are_proved_to_fit
    """
    rows = 1 << 62 if many_rows(question) else table_of(question.rows).rows
    return all(rows * _reach(measure) << bits < 1 << _ENGINE_BITS for measure in question.measures)


def _reach(measure: Measure) -> int:
    match measure:
        case Counted() | Units() | Distinct() | Ranked():
            return 1
        case Summed():
            return measure.reach
        case _:
            assert_never(measure)


def _mask(expression: e.Expression) -> e.Expression | None:
    """A simpler expression that is NULL in the same rows; None if there are no such rows."""
    if not type_of(expression).nullable:
        return None
    match expression:
        case e.Negated(operand):
            return _mask(operand)
        case e.Arithmetic("+" | "-" | "*", left, right) | e.Compared(_, left, right):
            return _common_mask((left, right)) or expression
        case e.Called(function, parts) if function in TOTAL:
            return _common_mask(parts) or expression
        case _:
            return expression


def _common_mask(parts: tuple[e.Expression, ...]) -> e.Expression | None:
    """The one mask of several expressions; None if they have more."""
    masks = {mask for mask in map(_mask, parts) if mask is not None}
    return masks.pop() if len(masks) == 1 else None


def _on_grid(expression: e.Expression) -> Summed:
    found = type_of(expression)
    if not found.numeric:
        _not_summable(expression, found)
    known = found.range
    if known is None:
        refuse_unbounded(expression, "one row could change the answer by any amount")
    _check_constants(expression, known)
    step = Fraction(1) if found.kind is Kind.INTEGER else step_of(known)
    if found.kind is Kind.INTEGER:
        low, high = ceil(known.low), floor(known.high)
    else:
        low, high = (floor(end / step + Fraction(1, 2)) for end in (known.low, known.high))
    if max(abs(low), abs(high)) > _WIDEST:
        refuse(
            expression,
            "this sum could exceed the range of integers",
            "declare narrower bounds, or estimate them again with a smaller share",
        )
    return Summed(expression, step, low, high)


def _check_constants(expression: e.Expression, known: Range) -> None:
    """Refuse a sum whose range is that of a released count or sum, which is no bound: its noise would hide anything."""
    if not any(map(_is_without_bounds, walk_expression(expression))):
        return
    alone = type_of(_without_constants(expression)).range
    if alone is None or known.furthest > alone.furthest:
        refuse(
            expression,
            "a released count or sum has no declared bounds, so noise would hide what is summed here",
            "calculate with it after the sum: SUM(x) * (SELECT COUNT(*) FROM t)",
        )


def _is_without_bounds(part: e.Expression) -> bool:
    if not isinstance(part, e.SubqueryValue):
        return False
    widest = WIDEST_RELEASED.get(part.column.kind)
    return widest is not None and part.column.high == widest.high


def _without_constants(expression: e.Expression) -> e.Expression:
    """The expression with nothing in the place of released values without bounds."""
    if _is_without_bounds(expression):
        return e.Literal(0, type_of(expression).kind)
    return e.rebuilt(expression, _without_constants)


def _not_summable(expression: e.Expression, found: Type) -> NoReturn:
    remedy = "sum or average a number, or count rows with COUNT(x)" + suggest_type(
        expression, Kind.NUMBER
    )
    if found.kind is Kind.BOOLEAN:
        remedy = "count the rows where it is true: SUM(CASE WHEN condition THEN 1 ELSE 0 END)"
    refuse(expression, f"SUM and AVG need a number, but this is of type {found.kind.value}", remedy)


def _varying(measure: Summed) -> Summed:
    if measure.reach == 0:
        what = "the same in every row" if measure.centre else "always 0"
        refuse(
            measure.value,
            f"this is {what}, so there is nothing to aggregate",
            "count the rows: COUNT(*)",
        )
    return measure


def step_of(known: Range, fineness: int = _FINENESS) -> Fraction:
    """The power of two that is the step of a range of doubles, which it cuts into at least 2**fineness parts.

    Products are taken finer, as far as 64 bits go.
    """
    if not known.furthest:
        return Fraction(1)
    fine = (known.high - known.low) / (1 << fineness)
    # rounded up to a power of two
    least = max(Fraction(2) ** -_log2_floor((1 << _STEPS) / known.furthest), _FINEST)
    return max(least, Fraction(2) ** _log2_floor(fine)) if fine else least


def _log2_floor(number: Fraction) -> int:
    """The largest exponent whose power of two is not above the number."""
    exponent = number.numerator.bit_length() - number.denominator.bit_length()
    return exponent if Fraction(2) ** exponent <= number else exponent - 1
