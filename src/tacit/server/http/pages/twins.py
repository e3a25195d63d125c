"""Every page also as JSON: at its path with `.json`, what the page shows, for programs that share a browser's session.

Checked by: tests/unit/server/http/test_twins.py
"""

from typing import Any

from fastapi import Request, Response
from fastapi.responses import JSONResponse, RedirectResponse

from tacit.server.http.pages.questions import question_from
from tacit.server.http.pages.rendering import Pages, Route
from tacit.server.http.request_models import SQL
from tacit.server.json_forms import explanation_fields, policy_faults

__all__ = ["JsonTwins"]

_SAME = {
    "/history.json": "/api/v1/answers",
    "/budget.json": "/api/v1/budget",
    "/tables.json": "/api/v1/tables",
    "/tables/{name}.json": "/api/v1/tables/{name}",
    "/receipts/{name}.json": "/api/v1/receipts/{name}",
    "/answers/{name}.json": "/api/v1/answers/{name}",
}
"""The pages whose content the interface has: their twins lead there."""


class JsonTwins:
    """The pages as JSON."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of the twins."""
        return [
            *(("GET", path, self.lead) for path in _SAME),
            ("GET", "/ask.json", self.explain),
            ("GET", "/policy.json", self.show_policy),
            ("GET", "/people.json", self.show_people),
            ("GET", "/operations.json", self.show_operations),
            ("GET", "/ledger.json", self.show_ledger),
        ]

    async def lead(self, request: Request, name: str = "") -> Response:
        """Lead to the same content in the interface."""
        await self._gate.visitor(request)
        to = _SAME[request.scope["route"].path].replace("{name}", name)
        query = f"?{request.url.query}" if request.url.query else ""
        return RedirectResponse(f"{to}{query}", 307)

    async def explain(self, request: Request) -> Response:
        """The explanation of the question in the address."""
        who, query = await self._gate.visitor(request), request.query_params
        asked = {
            "sql": query.get("q", "")[: SQL + 1],
            "by": "within" if "within" in query else "epsilon",
            "price": query.get("within") or query.get("epsilon", ""),
            "confidence": query.get("confidence", ""),
        }
        question = question_from(asked)
        told = await self._desk.run(lambda: self._desk.explain(who.identity, question))
        return JSONResponse(explanation_fields(told))

    async def show_policy(self, request: Request) -> Response:
        """The policy file and its faults."""
        text, file = self._desk.policy_text((await self._gate.visitor(request)).identity)
        faults = await self._desk.run(lambda: policy_faults(file))
        return JSONResponse({"text": text, "faults": [list(each) for each in faults]})

    async def show_people(self, request: Request) -> Response:
        """Everybody who may sign in, and the tokens that count."""
        who = (await self._gate.visitor(request)).identity
        people = await self._desk.run(lambda: self._desk.people.everybody(who))
        return JSONResponse(
            {
                "people": [_fields(each, "name role disabled price allowance") for each in people],
                "tokens": [
                    _fields(each, "id name label made expires")
                    for each in self._desk.people.tokens(who)
                ],
            }
        )

    async def show_operations(self, request: Request) -> Response:
        """How the server does."""
        told = self._desk.operations((await self._gate.visitor(request)).identity)
        watched = await self._desk.run(self._pages.watching.look)
        return JSONResponse({**told, **watched.told()})

    async def show_ledger(self, request: Request, first: int = 0) -> Response:
        """Records of the ledger."""
        who = (await self._gate.visitor(request)).identity
        return JSONResponse(
            await self._desk.run(lambda: self._desk.ledger.records(who, first=first))
        )


def _fields(value: Any, names: str) -> dict[str, Any]:
    return {name: getattr(value, name) for name in names.split()}
