"""The pages of tables: what is declared, examples to begin with, and how programs connect.

Checked by: tests/unit/server/http/test_pages.py
"""

from typing import Any

from fastapi import Request, Response

from tacit.server.desk import Desk
from tacit.server.http.authenticate_requests import Visitor
from tacit.server.http.connections import connections
from tacit.server.http.pages.rendering import Pages, Route, url_of

__all__ = ["TablePages", "table_views"]


class TablePages:
    """All tables, and one."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of these pages."""
        return [("GET", "/tables", self.show_all), ("GET", "/tables/{name}", self.show)]

    async def show_all(self, request: Request) -> Response:
        """The declared tables."""
        who = await self._gate.visitor(request)
        tables = await table_views(self._desk, who)
        return await self._pages.show(request, "tables.html", who, tables=tables)

    async def show(self, request: Request, name: str) -> Response:
        """One table: its columns, and how to ask about it."""
        who = await self._gate.visitor(request)
        # or the refusal: it is not there
        await self._desk.run(lambda: self._desk.describe(who.identity, name))
        (table,) = await table_views(self._desk, who, name)
        return await self._pages.show(
            request,
            "table.html",
            who,
            table=table,
            connections=connections(
                url_of(request),
                table["examples"][-1],
                who.identity.name,
                who.identity.price,
                self._pages.wire(),
            ),
        )


async def table_views(desk: Desk, who: Visitor, only: str | None = None) -> list[dict[str, Any]]:
    """Declared tables as the pages show them: all, or one."""

    def read() -> list[dict[str, Any]]:
        found = desk.tables(who.identity)
        names = found if only is None else (only,)
        return [_view(desk, who, name, found[name]) for name in names]

    return await desk.run(read)


def _view(desk: Desk, who: Visitor, name: str, shared: Any) -> dict[str, Any]:
    listing = desk.describe(who.identity, name)
    return {
        "name": name,
        "unit": shared.table.unit,
        "public": shared.table.public,
        "contributions": shared.contributions,
        "columns": [dict(row) for row in listing],
        "version": desk.version(name),
        "notes": listing.notes,
        "references": shared.table.references,
        "examples": examples(name, shared.table),
    }


def examples(name: str, table: Any) -> list[str]:
    """Questions to begin with, from what is declared."""
    columns = [each for each in table.columns if each.name != table.unit]
    key = next((each.name for each in columns if each.values), None)
    number = next(
        (each.name for each in columns if each.low is not None and each.high is not None), None
    )
    found = [f"SELECT COUNT(*) AS n FROM {name}"]  # noqa: S608 -- for people to read
    if number:
        found.append(f"SELECT AVG({number}) AS mean FROM {name}")  # noqa: S608
    if key:
        measure = f", AVG({number}) AS mean" if number else ""
        found.append(f"SELECT {key}, COUNT(*) AS n{measure} FROM {name} GROUP BY {key}")  # noqa: S608
    return found
