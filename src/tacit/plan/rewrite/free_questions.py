"""Which questions need no row: those that can show none, and those that only list keys whose values are public."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from tacit.plan.model.combined_answers import CombinedPlan
from tacit.plan.model.expressions import (
    Across,
    Both,
    Either,
    Expression,
    Field,
    KeyOf,
    MeanOf,
    MeasureOf,
    MomentOf,
    SubqueryValue,
    walk_expression,
)
from tacit.plan.model.nodes import (
    Computed,
    Inner,
    Joined,
    Kept,
    Plan,
    Rows,
    Scan,
    Stacked,
    View,
    Where,
    Windowed,
)
from tacit.plan.questions.public_values_of_inner_keys import lists_all_groups
from tacit.plan.semantics.evaluate import compile_expression

__all__ = ["has_no_rows", "keys_alone", "shows_no_row"]

_MEASURED = (MeasureOf, MeanOf, MomentOf)


def shows_no_row(plan: Plan | CombinedPlan) -> bool:
    """Whether an answer has no row, whatever the tables hold: LIMIT 0, WHERE 1 = 0.

    Claim:      if it says so, no row of any tables would be shown.
    Because:    a view with LIMIT 0 shows nothing; a condition that is made of constants is the same for all rows, and
                one that is not true keeps none; without a row, there is no group to a key.
    Checked by: tests/laws/test_free.py::test_a_view_that_is_said_to_be_empty_is_empty
    """
    shown = plan.plan if isinstance(plan, CombinedPlan) else plan
    view = shown.view
    if view.limit == 0 or _is_never_true(view.having) or _is_never_true(view.qualify):
        return True
    return isinstance(plan, Plan) and bool(plan.question.keys) and has_no_rows(plan.question.rows)


def keys_alone(plan: Plan) -> Plan | None:
    """The plan without its measures, if all that it shows are public keys, whether rows have them or not.

    SELECT DISTINCT ward FROM visits

    Claim:      such an answer is a function of the plan.
    Because:    the values of every key are those of the plan, and nothing that is measured is looked at.
    Checked by: tests/laws/test_free.py::test_declared_keys_are_free_and_touch_no_row
    """
    question = plan.question
    if not question.keys or question.unknown or not lists_all_groups(question):
        return None
    if any(isinstance(part, _MEASURED) for root in _roots(plan.view) for part in _walk(root)):
        return None
    return Plan(replace(question, measures=()), plan.view)


def _roots(view: View) -> list[Expression]:
    ends = [each for each in (view.having, view.qualify) if each is not None]
    return [*(each.value for each in view.columns), *(each.value for each in view.order), *ends]


def _walk(root: Expression) -> list[Expression]:
    return list(walk_expression(root))


def _is_never_true(condition: Expression | None) -> bool:
    """Whether a condition is false or NULL whatever it is asked of, as far as its constants say."""
    match condition:
        case None:
            return False
        case Both(left, right):
            return _is_never_true(left) or _is_never_true(right)
        case Either(left, right):
            return _is_never_true(left) and _is_never_true(right)
    leaves = (Field, SubqueryValue, KeyOf, Across, *_MEASURED)
    if any(isinstance(part, leaves) for part in walk_expression(condition)):
        return False
    return compile_expression(condition)({}) is not True


def has_no_rows(rows: Rows) -> bool:
    """Whether rows are none, as far as constants in their conditions say."""
    match rows:
        case Scan():
            return False
        case Where(inner, condition):
            return _is_never_true(condition) or has_no_rows(inner)
        case Computed(inner, _) | Inner(inner, _, _) | Windowed(inner, _):
            return has_no_rows(inner)
        case Kept(inner, among, present):
            return has_no_rows(inner) or (present and has_no_rows(among))
        case Stacked(parts):
            return all(map(has_no_rows, parts))
        case Joined(left, right, _, outer):
            return has_no_rows(left) or (not outer and has_no_rows(right))
        case _:
            assert_never(rows)
