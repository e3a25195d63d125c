"""What is known of a question's rows beforehand, and worth knowing before it is paid for; from the plan alone.

Checked by: tests/unit/curator/answer/test_remarks_on_rows.py
"""

from __future__ import annotations

from collections.abc import Iterator

from tacit.plan import (
    Both,
    Computed,
    Expression,
    Field,
    IsNull,
    Joined,
    Literal,
    Owner,
    Plan,
    Rows,
    Scan,
    Where,
    outcomes,
    owner_of,
    parts_of,
    phrase,
)

__all__ = ["remarks_on_rows"]


_WIDEN = "have the curator widen the bounds or values of its column, or compare within them"
_NOT_EXISTS = (
    "NOT EXISTS (SELECT 1 FROM b WHERE b.unit = a.unit) keeps the same rows with less noise: it "
    "multiplies none"
)


def remarks_on_rows(plan: Plan) -> tuple[str, ...]:
    """That no row can meet a condition, and that NOT EXISTS would keep the rows of an outer join with less noise.

    Claim:      nothing here depends on a row.
    Because:    only the plan is passed in.
    Checked by: tests/unit/curator/answer/test_remarks_on_rows.py
    """
    return tuple(dict.fromkeys(_remarks(plan.question.rows)))


def _remarks(rows: Rows) -> Iterator[str]:
    if isinstance(rows, Where):
        for part in _conjuncts(rows.condition):
            if True not in outcomes(part):
                yield f"{phrase(part)} is true of no declared value, so no row meets it: {_WIDEN}"
            elif _looks_for_missing_rows(rows.rows, part):
                yield f"{phrase(part)} after LEFT JOIN: {_NOT_EXISTS}"
    if not isinstance(rows, Scan):
        for inner in parts_of(rows):
            yield from _remarks(inner)


def _conjuncts(condition: Expression) -> Iterator[Expression]:
    if isinstance(condition, Both):
        yield from _conjuncts(condition.left)
        yield from _conjuncts(condition.right)
    else:
        yield condition


def _looks_for_missing_rows(rows: Rows, condition: Expression) -> bool:
    """Whether a condition keeps the rows that met none of another private table on the unit alone."""
    if not isinstance(condition, IsNull) or not isinstance(condition.operand, Field):
        return False
    while isinstance(rows, Where):
        rows = rows.rows
    if not isinstance(rows, Joined) or not rows.outer or rows.on:
        return False
    right = rows.right
    while isinstance(right, Where):
        right = right.rows
    if not isinstance(right, Computed) or owner_of(right) is not Owner.UNIT:
        return False
    name = condition.operand.column.name
    return any(
        each.name == name and isinstance(each.value, Literal) and each.value.value is True
        for each in right.columns
    )
