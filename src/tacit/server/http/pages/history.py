"""The history of who is signed in: what was paid for, newest first.

Checked by: tests/unit/server/http/test_pages.py and tests/unit/server/http/test_history.py
"""

import csv
import io
from functools import partial

from fastapi import Request, Response

from tacit.printing import spreadsheet_cell
from tacit.server.http.pages.rendering import Pages, Route
from tacit.server.http.values import CSV, download
from tacit.server.ledger_views import PastQuestion

__all__ = ["HistoryPage"]

_PAGE, _MOST = 50, 200
_COLUMNS = ("entry", "at", "sql", "words", "epsilon", "within", "share", "answered", "hash")


class HistoryPage:
    """One's own questions."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/history", self.show), ("GET", "/history.csv", self.save)]

    async def show(
        self, request: Request, before: int | None = None, table: str = "", state: str = ""
    ) -> Response:
        """What somebody paid for, newest first; of one table, answered or not."""
        who = await self._gate.visitor(request)
        found = await self._desk.run(
            lambda: self._desk.ledger.history(
                who.identity, before=before, most=_PAGE, table=table or None
            )
        )
        return await self._pages.show(
            request,
            "history.html",
            who,
            past=[each for each in found if _has_state(each, state)],
            own=self._pages.own_scale(who),
            following=found[-1].entry if len(found) == _PAGE else None,
            table=table,
            state=state,
            tables=list(self._desk.policy.tables),
        )

    async def save(self, request: Request, table: str = "") -> Response:
        """All of it as CSV."""
        who = await self._gate.visitor(request)
        found: list[PastQuestion] = []
        while True:
            before = found[-1].entry if found else None
            read = partial(
                self._desk.ledger.history,
                who.identity,
                before=before,
                most=_MOST,
                table=table or None,
            )
            more = await self._desk.run(read)
            found += more
            if len(more) < _MOST:
                return download(history_text(found), CSV, "history.csv")


def _has_state(past: PastQuestion, state: str) -> bool:
    return {"answered": past.answered, "open": not past.answered}.get(state, True)


def history_text(past: list[PastQuestion]) -> str:
    """Questions as CSV; no cell is a formula."""
    out = io.StringIO()
    lines = csv.writer(out, lineterminator="\n")
    lines.writerow(_COLUMNS)
    for each in past:
        cells = [getattr(each, name) for name in _COLUMNS]
        lines.writerow(["" if cell is None else spreadsheet_cell(str(cell)) for cell in cells])
    return out.getvalue()
