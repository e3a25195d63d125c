"""Answers that need no row and cost nothing: views that can show none, and keys whose values are public."""

from __future__ import annotations

from collections.abc import Mapping

from tacit.curator.answer.column_types import AnswerColumn, columns_of, type_name
from tacit.curator.answer.release import Price
from tacit.curator.answer.view_rows import view_answer
from tacit.curator.describe_tables import Listing
from tacit.curator.policy.policy import Shared
from tacit.curator.priced_question import read_confidence, read_question, shared_of
from tacit.curator.question_context import Access
from tacit.errors import InvalidPlan
from tacit.exact import Number
from tacit.frozen import frozen
from tacit.plan import (
    NO_PARAMETERS,
    CombinedPlan,
    Parameters,
    Plan,
    in_words,
    keys_alone,
    prove,
    prove_combined,
    prove_keys,
    shows_no_row,
    tables_of,
)

__all__ = ["FreeAnswer", "find_free", "read_text"]

UNNAMED = "data"
"""What a table is called that is protected without a name."""

_NO_ROW = "free: it can show no row, whatever the tables hold"
_KEYS = "free: the values that the policy declares, whether rows have them or not"


@frozen
class FreeAnswer:
    """An answer that is known without any row: its columns, its rows, why it is free, and the question in words."""

    columns: tuple[AnswerColumn, ...]
    rows: tuple[tuple[object, ...], ...]
    why: str
    words: str

    def release(self, confidence: Number) -> Listing:
        """The answer as others are given: without a price and a receipt."""
        names = tuple(each.name for each in self.columns)
        measured = tuple(dict.fromkeys(each.interval_of for each in self.columns))
        return Listing(
            names,
            self.rows,
            tuple(each for each in measured if each is not None),
            read_confidence(confidence),
            Price(0.0, 0.0, free=True),
            {},
            None,
            (),
            (self.why,),
        )


def read_text(
    access: Access,
    text: str,
    tables: Mapping[str, Shared],
    epsilon: Number | None,
    within: Number | None,
    bound: Parameters = NO_PARAMETERS,
) -> tuple[Plan | CombinedPlan | FreeAnswer, Number | None]:
    """What a text asks for, and the epsilon at which it is asked; an answer, if it needs no row.

    Rows themselves are never shown; where a text that asks for them can show none, it is answered with their columns.
    """
    try:
        plan, price = read_question(access, text, tables, epsilon, within, bound)
    except InvalidPlan as refusal:
        if set(tables) == {UNNAMED} and refusal.reason.startswith("there is no table"):
            remedy = f'{refusal.remedy}; to call the table otherwise than data: protect(..., name="visits")'
            raise InvalidPlan(
                refusal.reason, remedy, text=refusal.text, start=refusal.start, end=refusal.end
            ) from None
        known = {name: shared.asked_table for name, shared in tables.items()}
        from tacit.plan import read_empty_rows

        columns = read_empty_rows(text, known, bound)
        if columns is None:
            raise
        listed = tuple(AnswerColumn(name, type_name(kind)) for name, kind in columns)
        return FreeAnswer(listed, (), _NO_ROW, "Columns of rows, of which none is shown."), None
    return find_free(access, plan, tables) or plan, price


def find_free(
    access: Access, plan: Plan | CombinedPlan, tables: Mapping[str, Shared]
) -> FreeAnswer | None:
    """The answer to a plan that needs no row, None for every other plan.

    Claim:      nothing is charged and no table is read, and the answer is a function of the plan and the policy.
    Because:    no engine and no ledger is within reach; a plan that shows rows, or a number, is not answered here.
    Checked by: tests/laws/test_free.py::test_declared_keys_are_free_and_touch_no_row
    """
    if shows_no_row(plan):
        if isinstance(plan, CombinedPlan):
            prove_combined(plan)
            return FreeAnswer(columns_of(plan.plan), (), _NO_ROW, _words(plan))
        if plan.question.measures:
            prove(plan)
        else:
            prove_keys(plan)
        shared_of(access, plan, tables, tables_of(plan.question.rows))
        return FreeAnswer(columns_of(plan), (), _NO_ROW, _words(plan))
    listed = None if isinstance(plan, CombinedPlan) else keys_alone(plan)
    if listed is None:
        return None
    prove_keys(listed)
    shared_of(access, listed, tables, tables_of(listed.question.rows))
    seen = view_answer(listed, [[] for _ in listed.question.groups], 0.5)
    return FreeAnswer(columns_of(listed), seen.rows, _KEYS, _words(listed))


def _words(plan: Plan | CombinedPlan) -> str:
    return "Several answers, combined." if isinstance(plan, CombinedPlan) else in_words(plan)
