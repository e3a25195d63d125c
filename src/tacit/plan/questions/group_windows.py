"""What a group's numbers are among those of other groups, for both doors, and how frames say it.

Checked by: tests/unit/curator/answer/test_group_windows.py
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import InvalidPlan
from tacit.plan.model.expressions import (
    Across,
    Expression,
    Literal,
    Look,
    MeanOf,
    MeasureOf,
    MomentOf,
    walk_expression,
)
from tacit.plan.questions.draft import Draft
from tacit.plan.semantics.infer_expression_types import type_of

__all__ = ["looks", "without_windows"]

_FARTHEST = 1_000_000
_IN_ORDER = {
    Look.RANK,
    Look.DENSE,
    Look.NUMBER,
    Look.BEFORE,
    Look.AFTER,
    Look.FIRST,
    Look.LAST,
}


def looks(
    look: Look,
    operand: Expression | None,
    by: Sequence[Expression],
    order: Sequence[tuple[Expression, bool]],
    offset: int,
    draft: Draft,
) -> Expression:
    """What a group's numbers are among those of other groups, for both doors."""
    for part in (*([] if operand is None else [operand]), *by, *(value for value, _ in order)):
        if any(isinstance(each, Across) for each in walk_expression(part)):
            raise InvalidPlan("windows cannot be nested", "compute one of them in a subquery")
    if any(
        isinstance(each, MeasureOf | MeanOf | MomentOf)
        for part in by
        for each in walk_expression(part)
    ):
        reason = "PARTITION BY over groups takes keys only, not noisy numbers"
        raise InvalidPlan(reason, "write PARTITION BY a key, or remove it")
    if any(isinstance(value, Literal) for value, _ in order):
        raise InvalidPlan("a constant does not define an order", "name a column to order by")
    if operand is None and look not in {Look.COUNT, Look.RANK, Look.DENSE, Look.NUMBER}:
        raise InvalidPlan(f"{look.value} needs an argument", f"write {look.value}(x) OVER (...)")
    if operand is not None and look in {Look.RANK, Look.DENSE, Look.NUMBER}:
        raise InvalidPlan(f"{look.value} takes no argument", "put the order into ORDER BY")
    if order and look is Look.MIDDLE:
        raise InvalidPlan(
            "MEDIAN over groups has no order", "leave ORDER BY out: MEDIAN(x) OVER ()"
        )
    if not order and look in _IN_ORDER:
        raise InvalidPlan(
            f"{look.value} needs an order", f"write {look.value}(...) OVER (ORDER BY ...)"
        )
    if not 0 <= offset <= _FARTHEST:
        raise InvalidPlan(
            "this offset is too large", f"use an offset of at most {_FARTHEST:,} groups"
        )
    found = Across(
        look, operand, tuple(by), tuple(order), offset if look in {Look.BEFORE, Look.AFTER} else 1
    )
    type_of(found, draft.question)
    return found


def without_windows(expression: Expression | None) -> None:
    """Refuse a condition of HAVING that looks at other groups: which groups there are is decided before."""
    if expression is not None and any(
        isinstance(part, Across) for part in walk_expression(expression)
    ):
        raise InvalidPlan("HAVING cannot contain a window", "write QUALIFY after HAVING")
