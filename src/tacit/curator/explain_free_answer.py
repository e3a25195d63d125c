"""What is known of an answer that needs no row and costs nothing.

Checked by: tests/laws/test_free.py
"""

from __future__ import annotations

from tacit.curator.answer.explanation import Explanation
from tacit.curator.budget import budget_of
from tacit.curator.free_answers import FreeAnswer
from tacit.curator.priced_question import read_confidence
from tacit.curator.question_context import Access
from tacit.exact import Number
from tacit.printing import html_lines, printable_lines

__all__ = ["FreeExplanation", "explain_free"]


class FreeExplanation(Explanation):
    """What is known of an answer that needs no row."""

    __slots__ = ()

    def __str__(self) -> str:
        why = f"{self.halving[:1].upper()}{self.halving[1:]}."
        price = f"Price: nothing; {self.left:.2%} of the limit is left."
        return printable_lines("\n".join([self.words, *self.remarks, why, price]))

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return html_lines(str(self))


def explain_free(access: Access, free: FreeAnswer, confidence: Number) -> FreeExplanation:
    """The explanation of an answer that is free."""
    limit = access.policy.limit
    return FreeExplanation(
        free.words,
        access.policy.unit,
        limit.neighbours.value,
        0,
        len(free.rows),
        (),
        read_confidence(confidence),
        0.0,
        budget_of(access).left,
        True,
        free.why,
        free=True,
    )
