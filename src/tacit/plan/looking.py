"""What a group's numbers are among those of other groups, for both doors, and how frames say it."""

from collections.abc import Iterator, Sequence

from tacit.errors import InvalidInput, InvalidPlan
from tacit.plan.draft import Draft
from tacit.plan.expressions import Across, Expression, Literal, Look, MeanOf, MeasureOf, MomentOf, operands
from tacit.plan.terms import Scope, Sorted, Term, column_term
from tacit.plan.types import type_of

__all__ = ["looks", "over", "without_windows"]

_FARTHEST = 1_000_000


def over(
    look: str,
    term: "Term | str | None" = None,
    *,
    by: "Sequence[Term | str]" = (),
    order: "Sequence[Term | Sorted | str]" = (),
    offset: int = 1,
) -> Term:
    """What a group's released numbers are among those of others: a rank, a sum over all of them, the one before.

    `look` is row_number, rank, dense_rank, count, sum, avg, min, max, lag or lead, as in SQL; it costs nothing.

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
        raise InvalidInput("a look at other groups", look, f"it is one of {known}") from None
    operand = None if term is None else column_term(term)
    within = [column_term(each) for each in by]
    ordered = [each if isinstance(each, Sorted) else Sorted(column_term(each)) for each in order]

    def read(scope: Scope) -> Expression:
        if not scope.among:
            raise InvalidPlan("a single row has no other groups", "write it in .agg(...), or .qualify(...)")
        value = None if operand is None else operand.read(scope)
        orders = [(each.term.read(scope), each.descending) for each in ordered]
        return looks(meant, value, [each.read(scope) for each in within], orders, offset, scope.draft)

    said = [repr(look), *([] if operand is None else [repr(operand)])]
    said += [f"by={within!r}"] if within else []
    downs = [f"{each.term!r}{'.descending()' if each.descending else ''}" for each in ordered]
    said += [f"order=[{', '.join(downs)}]"] if downs else []
    said += [f"offset={offset!r}"] if offset != 1 else []
    return Term(f"over({', '.join(said)})", read)


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
        if any(isinstance(each, Across) for each in _parts(part)):
            raise InvalidPlan("a window does not look at other windows", "put one of them into a question inside")
    if any(isinstance(each, MeasureOf | MeanOf | MomentOf) for part in by for each in _parts(part)):
        reason = "groups are divided by keys: by released numbers they would be divided by noise"
        raise InvalidPlan(reason, "write PARTITION BY a key, or leave it out")
    if any(isinstance(value, Literal) for value, _ in order):
        raise InvalidPlan("a constant is no order", "name what to order by")
    if operand is None and look not in {Look.COUNT, Look.RANK, Look.DENSE, Look.NUMBER}:
        raise InvalidPlan(f"{look.value} needs a value", f"write {look.value}(x) OVER (...)")
    if operand is not None and look in {Look.RANK, Look.DENSE, Look.NUMBER}:
        raise InvalidPlan(f"{look.value} takes no value", "say in which order: ORDER BY")
    if not order and look in {Look.RANK, Look.DENSE, Look.NUMBER, Look.BEFORE, Look.AFTER}:
        raise InvalidPlan(f"{look.value} needs an order", f"write {look.value}(...) OVER (ORDER BY ...)")
    if not 0 <= offset <= _FARTHEST:
        raise InvalidPlan("this looks too far", f"look at most {_FARTHEST:,} groups away")
    found = Across(look, operand, tuple(by), tuple(order), offset if look in {Look.BEFORE, Look.AFTER} else 1)
    type_of(found, draft.question)
    return found


def without_windows(expression: Expression | None) -> None:
    """Refuse a condition of HAVING that looks at other groups: which groups there are is decided before."""
    if expression is not None and any(isinstance(part, Across) for part in _parts(expression)):
        raise InvalidPlan("HAVING chooses the groups that windows look at", "write QUALIFY, after HAVING")


def _parts(expression: Expression) -> Iterator[Expression]:
    yield expression
    for part in operands(expression):
        yield from _parts(part)
