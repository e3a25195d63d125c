"""What one row of a unit says: ARG_MAX, ARG_MIN, FIRST, LAST, FIRST_VALUE and LAST_VALUE.

A unit's rows are numbered first; what the first of them says is the least of what rows with that number say.

Checked by: tests/laws/test_statements.py
"""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from tacit.plan.model import expressions as e
from tacit.plan.model.nodes import Folding, Ordering, Place, Running
from tacit.plan.model.schema import Kind
from tacit.plan.questions.build_expressions import NULL, Forms
from tacit.plan.questions.subquery_draft import Inside
from tacit.plan.semantics.infer_expression_types import type_of
from tacit.plan.sql.reading_context import Reader

__all__ = ["CHOICES", "VALUES", "read_chosen_value", "read_choice"]

CHOICES = (exp.ArgMax, exp.ArgMin, exp.First, exp.Last)
"""The aggregates that are what one row says."""
VALUES = (exp.FirstValue, exp.LastValue)
"""The windows that are what one row says."""

_Read = Callable[[exp.Expr], e.Expression]
_ONE, _ZERO = e.Literal(1, Kind.INTEGER), e.Literal(0, Kind.INTEGER)
_WHERE = "compute it in a subquery: FROM (SELECT unit, ARG_MAX(x, y) AS x FROM ... GROUP BY unit)"


def read_choice(
    reader: Reader,
    node: exp.Expr,
    draft: object,
    read: _Read,
    condition: e.Expression | None,
) -> e.Expression:
    """ARG_MAX(cost, day): the cost of the unit's row with the latest day; of several such rows, the least cost.

    Claim:      it depends on rows of the same unit alone, and not on the order in which they lie.
    Because:    ranks are those of a window over the unit, and of rows of the same rank the least value is taken.
    Checked by: tests/laws/test_statements.py and tests/unit/plan/sql/test_arg_max_and_first.py
    """
    account = reader.account
    parts = account.take(node)
    account.places.add(node.meta.get("start", -1))
    if not isinstance(draft, Inside) or not draft.grouped:
        account.refuse(node, "the value of a single row is never released", _WHERE)
    by = tuple(key.value for key in draft.by)
    if isinstance(node, exp.ArgMax | exp.ArgMin):
        account.claim(node, "COMMA")
        value, by_what = read(parts["this"]), read(parts["expression"])
        order, there = _rank_by(value, by_what, condition, descending=isinstance(node, exp.ArgMax))
        place = draft.place_row(Place.RANK, order, by)
        chosen = e.Both(e.Compared("=", place, _ONE), e.Not(e.IsNull(there)))
        return _least(draft, chosen, value)
    inside = parts["this"]
    if not isinstance(inside, exp.Order):
        name = "FIRST" if isinstance(node, exp.First) else "LAST"
        remedy = f"write {name}(x ORDER BY day), or ANY_VALUE(x)"
        account.refuse(node, f"{name} needs an order", remedy)
    ordered = account.take(inside, "Chosen")
    listed = ordered["expressions"]
    account.claim(inside, "COMMA", max(0, len(listed) - 1))
    value = read(ordered["this"])
    order = tuple(Ordering(read(each.this), reader.is_descending(each)) for each in listed)
    if condition is not None:  # rows that it leaves out come last
        left_out = Forms().case([(condition, _ZERO)], _ONE)
        order = (Ordering(left_out), *_from_end(order, node))
    else:
        order = _from_end(order, node)
    place = draft.place_row(Place.NUMBER, order, by)
    first = e.Compared("=", place, _ONE)
    return _least(draft, first if condition is None else e.Both(first, condition), value)


def read_chosen_value(
    reader: Reader,
    node: exp.Expr,
    draft: Inside,
    read: _Read,
    order: tuple[Ordering, ...],
    by: tuple[e.Expression, ...],
) -> Running:
    """FIRST_VALUE(x) OVER (PARTITION BY unit ORDER BY day): what the first row of the unit says, in every row of it."""
    account = reader.account
    name = "FIRST_VALUE" if isinstance(node, exp.FirstValue) else "LAST_VALUE"
    if not order:
        account.refuse(node, f"{name} needs an order", f"write {name}(x) OVER (... ORDER BY day)")
    if draft.grouped:
        account.refuse(node, f"{name} after GROUP BY is not supported", "use ARG_MAX or ARG_MIN")
    value = read(node.args["this"])
    place = draft.place_row(Place.NUMBER, _from_end(order, node), by)
    told = Forms().case([(e.Compared("=", place, _ONE), value)], NULL)
    with account.about(node):
        return Running(draft.make_fold(Folding.LEAST, told), (), by)


def _rank_by(
    value: e.Expression, by_what: e.Expression, condition: e.Expression | None, *, descending: bool
) -> tuple[tuple[Ordering, ...], e.Expression]:
    """In which order rows are ranked, and what is NULL in those that do not count: NULLs come last."""
    type_of(value)
    type_of(by_what)
    counts = e.Not(e.IsNull(value))
    both = counts if condition is None else e.Both(counts, condition)
    there = Forms().case([(both, by_what)], NULL)
    return (Ordering(there, descending),), there


def _from_end(order: tuple[Ordering, ...], node: exp.Expr) -> tuple[Ordering, ...]:
    """The order, or for the last row the opposite one, in which NULLs come first."""
    if isinstance(node, exp.First | exp.FirstValue):
        return order
    found: list[Ordering] = []
    for each in order:
        nulls = Forms().case([(e.IsNull(each.value), _ZERO)], _ONE)
        found += [Ordering(nulls), Ordering(each.value, not each.descending)]
    return tuple(found)


def _least(draft: Inside, first: e.Expression, value: e.Expression) -> e.Expression:
    """The least value of the rows that are meant; of truths, whether all of them are true."""
    forms = Forms()
    if type_of(value).kind is not Kind.BOOLEAN:
        return draft.fold(Folding.LEAST, forms.case([(first, value)], NULL))
    truth = forms.case([(e.Both(first, value), _ONE), (e.Both(first, e.Not(value)), _ZERO)], NULL)
    return e.Compared("=", draft.fold(Folding.LEAST, truth), _ONE)
