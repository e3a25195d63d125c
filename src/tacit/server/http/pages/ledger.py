"""The pages of the ledger: records by kind, analyst and table, whether it is whole, and a head to compare with.

Checked by: tests/unit/server/http/test_pages.py
"""

from collections.abc import AsyncIterator, Mapping
from functools import partial
from itertools import count
from typing import Any
from urllib.parse import urlencode

from fastapi import Request, Response
from fastapi.responses import RedirectResponse, StreamingResponse

from tacit.errors import InvalidInput
from tacit.printing import json_text
from tacit.server.http.authenticate_requests import Visitor
from tacit.server.http.pages.rendering import Pages, Route
from tacit.server.rights import check_right

__all__ = ["KINDS", "LedgerPage"]

KINDS = ("founded", "limited", "charged", "answered", "refreshed", "adopted")
"""The kinds of records."""

_PAGE = 200


class LedgerPage:
    """Everyone's records."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of these pages."""
        return [
            ("GET", "/ledger", self.show),
            ("GET", "/ledger.jsonl", self.save),
            ("POST", "/ledger/verify", self.verify),
        ]

    async def show(
        self, request: Request, first: int = 0, check: int | None = None, head: str = ""
    ) -> Response:
        """Records in pages, and whether all of them are whole."""
        desk, who = self._desk, await self._gate.visitor(request)
        chosen = {name: request.query_params.get(name) for name in ("kind", "analyst", "table")}
        wanted = {name: value or None for name, value in chosen.items()}
        if wanted["analyst"] == "(curator)":
            wanted["analyst"] = ""
        start = max(0, first)
        records = await desk.run(
            lambda: desk.ledger.find_records(who.identity, first=start, **wanted)
        )
        checked = None if check is None else desk.ledger.verification(who.identity, check)
        query = urlencode({name: value for name, value in chosen.items() if value})
        return await self._pages.show(
            request,
            "ledger.html",
            who,
            records=[{**each, "share": self._share(each)} for each in records],
            first=start,
            following=records[-1]["record"] + 1 if len(records) == _PAGE else None,
            checked=checked,
            chosen=chosen,
            query=query,
            kinds=KINDS,
            analysts=[*desk.policy.analysts],
            tables=[*desk.policy.tables],
            head=head,
            **await self._compared(who, head),
        )

    async def save(self, request: Request) -> Response:
        """All records as lines of JSON."""
        who = await self._gate.visitor(request)
        check_right(who.identity, "read everyone")
        headers = {"Content-Disposition": 'attachment; filename="ledger.jsonl"'}
        return StreamingResponse(self._lines(who), media_type="application/jsonl", headers=headers)

    async def verify(self, request: Request) -> Response:
        """Check the whole ledger."""
        who, _ = await self._pages.form(request)
        number = self._desk.ledger.verify(who.identity).number
        return RedirectResponse(f"/ledger?check={number}", 303)

    async def _lines(self, who: Visitor) -> AsyncIterator[str]:
        """Page by page: none of them lasts so long that a slot could begin and end within it."""
        for first in count(0, _PAGE):
            read = partial(self._desk.ledger.records, who.identity, first=first)
            records = await self._desk.run(read)
            yield "".join(f"{json_text(each)}\n" for each in records)
            if len(records) < _PAGE:
                return

    async def _compared(self, who: Visitor, head: str) -> dict[str, Any]:
        """Which record has the hash that somebody wrote down."""
        if not head:
            return {"found": None, "wrong": ""}
        try:
            found = await self._desk.run(lambda: self._desk.ledger.find_hash(who.identity, head))
        except InvalidInput as refusal:
            return {"found": None, "wrong": str(refusal)}
        return {"found": found, "wrong": "" if found is not None else "no record has this hash"}

    def _share(self, record: Mapping[str, Any]) -> float | None:
        """The share of the limit that a record charges."""
        if record["kind"] != "charged":
            return None
        whole = self._desk.policy.limit.filter().limit.amount
        return float(int(record["charge"]["amount"]) / whole)
