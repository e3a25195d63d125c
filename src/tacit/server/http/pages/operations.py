"""The page of operations: how the server does.

Checked by: tests/unit/server/http/test_pages.py
"""

import sys

from fastapi import Request, Response

from tacit.server.http.pages.rendering import Pages, Route

__all__ = ["OperationsPage"]


class OperationsPage:
    """How the server does."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/operations", self.show)]

    async def show(self, request: Request) -> Response:
        """Slots that were used and missed, what was calibrated, connections, the certificate, what nobody answered."""
        who = await self._gate.visitor(request)
        told = self._desk.operations(who.identity)
        watched = await self._desk.run(self._pages.watching.look)
        return await self._pages.show(
            request,
            "operations.html",
            who,
            told=told,
            watched=watched,
            version=sys.modules["tacit"].__version__,
            secure=self._gate.secure,
            wire=self._pages.wire(),
        )
