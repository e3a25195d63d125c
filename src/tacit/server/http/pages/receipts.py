"""The page of a receipt: every field with a sentence, and whether the ledger agrees.

Checked by: tests/unit/server/http/test_pages.py
"""

from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response

from tacit.server.http.pages.rendering import Pages, Route

__all__ = ["SENTENCES", "ReceiptPage"]

SENTENCES: Mapping[str, str] = {
    "format": "The form of this receipt.",
    "unit": "Whose rows are protected together.",
    "neighbours": "Which tables are neighbours: those that differ by one unit, added, removed or replaced.",
    "question": "A digest of the question: the same however the question is written.",
    "table": "The tables that the question used.",
    "version": "How many times the tables had been refreshed.",
    "contributions": "How many rows of one unit counted in full.",
    "made up": "Whether it was answered on made-up rows.",
    "left out": "What was left out of the answer or clipped.",
    "analyst": "Who paid for it.",
    "loss · currency": "How privacy losses are added up.",
    "loss · charge · amount": "What was charged, in the ledger's own units.",
    "loss · charge · failure": "The part of delta that was charged, in the ledger's own units.",
    "loss · alone · epsilon": "The epsilon of this answer by itself.",
    "loss · alone · delta": "The delta at which that epsilon holds.",
    "limit · epsilon": "The epsilon of all answers together.",
    "limit · delta": "The delta of all answers together.",
    "limit · most · amount": "The most that may be charged, in the ledger's own units.",
    "limit · most · failure": "The most of delta that may be charged, in the ledger's own units.",
    "limit · before · amount": "The sum of all earlier charges.",
    "limit · before · failure": "The sum of all earlier charges of delta.",
    "limit · after · amount": "The sum of all charges, with this one.",
    "limit · after · failure": "The sum of all charges of delta, with this one.",
    "mechanism": "The noise that was added.",
    "scales": "The scale of that noise for each measure, exactly.",
    "worths": "The step of each measure's grid: noise is added in whole steps.",
    "public": "What this receipt reveals; none of it depends on a row.",
    "entry": "Its number in the ledger.",
    "key": "The digest by which the ledger recognises the question, so that asking again is free.",
    "hash": "The link of the ledger's hash chain that holds the charge.",
    "answer": "A digest of the answer, to compare an answer with.",
}
"""What each field of a receipt means."""


class ReceiptPage:
    """One receipt."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/receipts/{entry}", self.show)]

    async def show(self, request: Request, entry: int) -> Response:
        """A receipt, and whether the ledger agrees with it."""
        who = await self._gate.visitor(request)
        receipt = await self._desk.run(lambda: self._desk.ledger.receipt(who.identity, entry))
        faults = await self._desk.run(
            lambda: self._desk.ledger.check_receipt(who.identity, receipt)
        )
        paid = await self._desk.run(lambda: self._desk.ledger.paid_question(who.identity, entry))
        fields = flatten(receipt)
        return await self._pages.show(
            request,
            "receipt.html",
            who,
            receipt=receipt,
            paid=paid,
            own=self._pages.own_scale(who),
            faults=faults,
            fields=[(name, value, SENTENCES.get(name, "")) for name, value in fields],
        )


def flatten(value: Any, name: str = "") -> list[tuple[str, str]]:
    """Every field of a receipt by its path.

    >>> flatten({"entry": 3, "loss": {"alone": {"epsilon": "1/2"}}, "scales": ["1", "2"]})
    [('entry', '3'), ('loss · alone · epsilon', '1/2'), ('scales', '1; 2')]
    """
    if isinstance(value, dict):
        return [
            pair
            for key, inner in value.items()
            for pair in flatten(inner, f"{name} · {key}" if name else str(key))
        ]
    if isinstance(value, list):
        return [(name, "; ".join(str(each) for each in value))]
    return [(name, str(value))]
