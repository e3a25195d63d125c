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
    "neighbours": "Which tables cannot be told apart: those that differ by one unit, added, removed or replaced.",
    "question": "A digest of the question: the same for the same question, in whatever words.",
    "table": "The tables it looked at.",
    "version": "How often the tables had been refreshed.",
    "contributions": "How many rows of one unit counted in full.",
    "made up": "Whether it was answered on made-up rows.",
    "left out": "What is not in the answer, or was clipped.",
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
    "limit · before · amount": "What had been charged before.",
    "limit · before · failure": "What of delta had been charged before.",
    "limit · after · amount": "What has been charged since.",
    "limit · after · failure": "What of delta has been charged since.",
    "mechanism": "The noise that was added.",
    "scales": "The scale of that noise for each measure, exactly.",
    "worths": "What one step of each measure is worth: noise is added to whole numbers of steps.",
    "public": "What this receipt gives away; none of it depends on a row.",
    "entry": "Its number in the ledger.",
    "key": "A digest by which the ledger finds the question again, so that asking again is free.",
    "hash": "The link of the ledger's hash chain that holds the charge.",
    "answer": "A digest of the answer: whoever has the answer can compare it.",
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
        fields = flatten(receipt)
        return await self._pages.show(
            request,
            "receipt.html",
            who,
            receipt=receipt,
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
