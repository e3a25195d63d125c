"""What many rows of one unit become: counts, sums and means on a grid so fine that doubles hold it exactly."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from fractions import Fraction
from hashlib import sha256
from math import floor

from tacit.plan.model.describe_plan import phrase
from tacit.plan.model.expressions import Called, Case, Expression, Field, Literal, operands
from tacit.plan.model.function_names import Function
from tacit.plan.model.nodes import Defined, Folded, Folding, Summed
from tacit.plan.model.schema import Column, Kind, Scalar
from tacit.plan.semantics.expression_type import refuse, refuse_unbounded, suggest_type
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.semantics.ranges import INT64, Range

__all__ = ["unused_name", "column_of", "fold_rows", "has_null_group", "label", "steps_of"]

# Whole numbers of steps up to here, and their halves, are doubles; so is every total.
_STEPS = 1 << 51
_FINEST = Fraction(1, 2**900)


def column_of(defined: Defined) -> Column:
    """The column that a calculation gives: its kind, range and nullability, and the public values of what it repeats.

    >>> age = Column("age", Kind.INTEGER, 0, 120, nullable=False)
    >>> years = column_of(Defined("years", Field(age)))
    >>> years.name, years.high, years.nullable
    ('years', 120, False)
    """
    if isinstance(defined.value, Field):
        given = defined.value.column
        return replace(given, name=defined.name)
    repeated = _repeated_column(defined.value)
    if repeated is not None and repeated.values is not None:
        return replace(repeated, name=defined.name, nullable=True)
    found = type_of(defined.value)
    low, high = (found.low, found.high) if found.numeric else (None, None)
    if (only := _nothing_among(defined.value)) is not None:
        return Column(defined.name, found.kind, low, high, values=(only,))
    grouped = found.nullable and has_null_group(defined.value)
    return Column(defined.name, found.kind, low, high, nullable=found.nullable, null_group=grouped)


def _nothing_among(value: Expression) -> Scalar | None:
    """The one value that a calculation might have had, which is always NULL: NULLIF(2, 2).

    A column of it forgets no values of the other parts of a stack.
    """
    match value:
        case Called(Function.NULLIF, (Literal(one), Literal(other))) if one == other:
            return one
        case _:
            return None


def _repeated_column(value: Expression) -> Column | None:
    """The column that a CASE repeats in some rows, being NULL in all others: CASE WHEN day = 1 THEN ward END."""
    if not isinstance(value, Case) or not _is_null(value.otherwise):
        return None
    told = {then for _, then in value.branches if not _is_null(then)}
    only = told.pop() if len(told) == 1 else None
    return only.column if isinstance(only, Field) else None


def _is_null(value: Expression) -> bool:
    return isinstance(value, Literal) and value.value is None


def has_null_group(value: Expression) -> bool:
    """Whether a column in it gives the rows in which it is NULL a group of their own."""
    if isinstance(value, Field):
        return value.column.null_group
    return any(map(has_null_group, operands(value)))


_LONGEST_LABEL = 2_000
"""Of how many letters a name is that nobody gave: what is folded has such names in it, and what is made of it again."""


def label(what: str, value: Expression | None, *rest: object) -> str:
    """What a column is called that nobody has named: how it is calculated; of a long calculation, its beginning."""
    inside = "*" if value is None else phrase(value)
    if len(inside) > _LONGEST_LABEL:
        inside = f"{inside[:_LONGEST_LABEL]}… {sha256(inside.encode()).hexdigest()[:16]}"
    if what == Folding.DISTINCT.value:
        return f"COUNT(DISTINCT {inside})"
    return f"{what}({', '.join([inside, *map(str, rest)])})"


def unused_name(name: str, used: Iterable[str]) -> str:
    """The name, or one like it that is not used yet.

    >>> unused_name("n", ["m"]), unused_name("n", ["n"])
    ('n', 'n (2)')
    """
    taken, number, found = set(used), 1, name
    while found in taken:
        number += 1
        found = f"{name} ({number})"
    return found


def fold_rows(fold: Folding, value: Expression | None, most: int) -> Folded:
    """What rows of one unit become, of which `most` count in full.

    Claim:      what is folded lies in the range of its column, whatever the rows hold, and is a double or an integer
                of 64 bits; counts are at most `most`, and sums within `most` times the range of their terms.
    Because:    engines hold totals between the ends of that range, in whole steps.  The grid is the finest on which
                no total that is held has more than 2**51 steps.
    Checked by: tests/unit/plan/questions/test_aggregate_per_unit.py

    >>> fold_rows(Folding.SUM, Field(Column("cost", Kind.INTEGER, low=2, high=9)), 10).column.high
    90
    """
    name = label(fold.value, value)
    match fold:
        case Folding.COUNT | Folding.DISTINCT:
            low = (
                1 if value is None or (fold is Folding.COUNT and not type_of(value).nullable) else 0
            )
            return Folded(Column(name, Kind.INTEGER, low, most, nullable=False), fold, value)
        case Folding.SUM | Folding.MEAN:
            assert value is not None, "something is summed"
            return _total(name, fold, value, most)
        case Folding.LEAST | Folding.GREATEST:
            assert value is not None, "something has an extreme"
            given = column_of(Defined(name, value))
            if given.kind is Kind.BOOLEAN:
                refuse(
                    value,
                    "true and false cannot be ordered",
                    "write MAX(CASE WHEN condition THEN 1 ELSE 0 END)",
                )
            return Folded(given, fold, value)


def _total(name: str, fold: Folding, value: Expression, most: int) -> Folded:
    found = type_of(value)
    if not found.numeric:
        remedy = "sum or average a number, or count rows with COUNT(x)" + suggest_type(
            value, Kind.NUMBER
        )
        if found.kind is Kind.BOOLEAN:
            remedy = "count the rows where it is true: SUM(CASE WHEN condition THEN 1 ELSE 0 END)"
        refuse(value, f"SUM and AVG need a number, but this is of type {found.kind.value}", remedy)
    known = found.range
    if known is None:
        refuse_unbounded(value, "one row could change the answer by any amount")
    whole = found.kind is Kind.INTEGER
    if fold is Folding.SUM and whole:
        low, high = (int(end) for end in (known.low, known.high))
        low, high = min(low, most * low), max(high, most * high)
        if not Range(Fraction(low), Fraction(high)).is_within(INT64):
            refuse(value, "this sum could exceed 64 bits", "declare narrower bounds")
        return Folded(Column(name, Kind.INTEGER, low, high, nullable=found.nullable), fold, value)
    step = _step(known.furthest * (most if fold is Folding.SUM else 1))
    low, high = (floor(end / step + Fraction(1, 2)) for end in (known.low, known.high))
    if fold is Folding.SUM:
        low, high = min(low, most * low), max(high, most * high)
    return Folded(
        Column(name, Kind.NUMBER, low * step, high * step, nullable=found.nullable),
        fold,
        value,
        step,
    )


def _step(furthest: Fraction) -> Fraction:
    """The smallest power of two of which 2**51 reach so far."""
    least = max(furthest / _STEPS, _FINEST)
    exponent = least.numerator.bit_length() - least.denominator.bit_length()
    return Fraction(2) ** (exponent if Fraction(2) ** exponent >= least else exponent + 1)


def steps_of(given: Folded) -> Summed:
    """The terms of a sum or mean in whole steps: what each row adds before the total is held."""
    assert given.value is not None, "something is summed"
    known = type_of(given.value).range
    assert known is not None, "what is summed has a range"
    low, high = (floor(end / given.step + Fraction(1, 2)) for end in (known.low, known.high))
    return Summed(given.value, given.step, low, high)
