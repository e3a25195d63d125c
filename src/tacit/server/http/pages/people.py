"""The page of people: who may ask, what they may spend, their tokens.

Checked by: tests/unit/server/http/test_pages.py
"""

from typing import Any

from fastapi import Request, Response

from tacit.errors import InvalidInput
from tacit.server.http.authenticate_requests import Visitor
from tacit.server.http.pages.rendering import Pages, Route, url_of
from tacit.server.http.request_models import exact_number
from tacit.server.rights import check_right

__all__ = ["PeoplePage"]

_DAYS = 30  # that a token counts


class PeoplePage:
    """Who may ask."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/people", self.show), ("POST", "/people", self.change)]

    async def show(self, request: Request) -> Response:
        """Everybody who may sign in."""
        return await self._show_with(request, await self._gate.visitor(request))

    async def change(self, request: Request) -> Response:
        """Add, disable or enable somebody, reset a password, make or revoke a token."""
        who, fields = await self._pages.form(request)
        check_right(who.identity, "decide")
        try:
            shown = self._act(who, fields, url_of(request))
        except (InvalidInput, ValueError) as wrong:
            shown = {"wrong": str(wrong)}
        return await self._show_with(request, who, **shown)

    def _act(self, who: Visitor, fields: dict[str, str], url: str) -> dict[str, Any]:
        """Do what a button says; what the page shows of it."""
        desk, name = self._desk, fields.get("name", "").strip()
        match fields.get("act", ""):
            case "add":
                return {"link": (name, f"{url}/welcome/{self._add(who, name, fields)}")}
            case "reset":
                return {
                    "link": (
                        name,
                        f"{url}/welcome/{desk.people.reset_password(who.identity, name)}",
                    )
                }
            case "token":
                label = fields.get("label", "")
                return {
                    "token": (name, desk.people.token_for(who.identity, name, label, days=_DAYS))
                }
            case "revoke":
                desk.people.revoke_token(who.identity, fields.get("id", ""))
            case "disable" | "enable" as act:
                desk.people.set_disabled(who.identity, name, disabled=act == "disable")
            case _:
                return {"wrong": "nothing was chosen"}
        return {}

    def _add(self, who: Visitor, name: str, fields: dict[str, str]) -> str:
        allowance = fields.get("allowance", "").strip()
        return self._desk.people.add_person(
            who.identity,
            name,
            fields.get("role", ""),
            price=str(exact_number(fields["price"])) if fields.get("price") else None,
            allowance=float(allowance) / 100 if allowance else None,
        )

    async def _show_with(self, request: Request, who: Visitor, **more: Any) -> Response:
        desk = self._desk
        limits = desk.policy.analysts.values()
        return await self._pages.show(
            request,
            "people.html",
            who,
            people=await desk.run(lambda: desk.people.everybody(who.identity)),
            budgets=await desk.run(lambda: desk.budgets(who.identity)),
            tokens=desk.people.tokens(who.identity),
            limit=float(desk.policy.limit.epsilon),
            sum_of_limits=float(sum(each.epsilon for each in limits)),
            days=_DAYS,
            **{"link": None, "token": None, "wrong": "", **more},
        )
