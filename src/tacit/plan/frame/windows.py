"""Windows over released groups, as frames say them.

Checked by: tests/unit/curator/answer/test_group_windows.py
"""

from __future__ import annotations

from collections.abc import Sequence

from tacit.errors import InvalidInput, InvalidPlan
from tacit.plan.frame.column_expressions import Scope, Sorted, Term, column_term
from tacit.plan.model.expressions import Expression, Look
from tacit.plan.questions.group_windows import looks

__all__ = ["over"]


def over(
    look: str,
    term: Term | str | None = None,
    *,
    by: Sequence[Term | str] = (),
    order: Sequence[Term | Sorted | str] = (),
    offset: int = 1,
) -> Term:
    """What a group's released numbers are among those of others: a rank, a sum over all of them, the one before.

    `look` is row_number, rank, dense_rank, count, sum, avg, median, min, max, lag, lead, first_value or last_value (of
    all groups), as in SQL; it costs nothing.

    >>> from tacit.plan import count
    >>> count() / over("sum", count())
    count() / over('sum', count())
    >>> over("rank", order=[count().descending()])
    over('rank', order=[count().descending()])
    """
    try:
        meant = Look(look.upper())
    except (ValueError, AttributeError):
        known = ", ".join(each.value.lower() for each in Look)
        raise InvalidInput("a window function", look, f"use one of {known}") from None
    operand = None if term is None else column_term(term)
    within = [column_term(each) for each in by]
    ordered = [each if isinstance(each, Sorted) else Sorted(column_term(each)) for each in order]

    def read(scope: Scope) -> Expression:
        if not scope.among:
            raise InvalidPlan(
                "a window over groups is not allowed here",
                "write it in .agg(...), or .qualify(...)",
            )
        value = None if operand is None else operand.read(scope)
        orders = [(each.term.read(scope), each.descending) for each in ordered]
        return looks(
            meant, value, [each.read(scope) for each in within], orders, offset, scope.draft
        )

    said = [repr(look), *([] if operand is None else [repr(operand)])]
    said += [f"by={within!r}"] if within else []
    downs = [f"{each.term!r}{'.descending()' if each.descending else ''}" for each in ordered]
    said += [f"order=[{', '.join(downs)}]"] if downs else []
    said += [f"offset={offset!r}"] if offset != 1 else []
    return Term(f"over({', '.join(said)})", read)
