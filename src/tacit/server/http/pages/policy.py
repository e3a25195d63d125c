"""The page of the policy: the file, its faults, what changed, and what other bounds would do.

Checked by: tests/unit/server/http/test_pages.py
"""

from collections.abc import Mapping
from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from tacit.errors import InvalidInput
from tacit.server.http.authenticate_requests import Visitor
from tacit.server.http.pages.rendering import Pages, Route
from tacit.server.http.request_models import exact_number
from tacit.server.json_forms import policy_faults
from tacit.server.policy_changes import Change

__all__ = ["PolicyPage"]


class PolicyPage:
    """What the curator decided."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of this page."""
        return [("GET", "/policy", self.show), ("POST", "/policy/reload", self.reload)]

    async def show(self, request: Request) -> Response:
        """The policy file, with its faults beside their lines; what its address asks for is tried, and never kept."""
        desk, who = self._desk, await self._gate.visitor(request)
        text, file = desk.policy_text(who.identity)
        faults: dict[int, list[str]] = {}
        for line, said in await desk.run(lambda: policy_faults(file)):
            faults.setdefault(line, []).append(said)
        return await self._pages.show(
            request,
            "policy.html",
            who,
            lines=text.splitlines(),
            faults=faults,
            changes=await desk.run(lambda: desk.drafts.changes(who.identity)),
            bounds=_bounds(desk.policy),
            **await self._tried(who, request.query_params),
        )

    async def reload(self, request: Request) -> Response:
        """Read the policy again."""
        who, _ = await self._pages.form(request)
        await self._desk.run(lambda: self._desk.reload(who.identity))
        return RedirectResponse("/policy", 303)

    async def _tried(self, who: Visitor, query: Mapping[str, str]) -> dict[str, Any]:
        """What a change would do to the newest questions, if the address names one."""
        typed = {name: query.get(name, "").strip() for name in ("bound", "low", "high", "times")}
        shown: dict[str, Any] = {"typed": typed, "tried": None, "wrong": ""}
        if not any(typed.values()):
            return shown
        try:
            change = change_from(typed)
            tried = await self._desk.run(lambda: self._desk.drafts.try_out(who.identity, change))
        except InvalidInput as refusal:
            return {**shown, "wrong": str(refusal)}
        return {**shown, "tried": tried}


def change_from(typed: Mapping[str, str]) -> Change:
    """What was typed: a bound by its name, `labs` for contributions and `labs.value` for a range, and its new ends.

    >>> change_from({"bound": "labs", "low": "", "high": "35", "times": ""}).contributions
    35
    """
    times = _number("times", typed["times"]) if typed["times"] else 1
    table, _, column = typed["bound"].partition(".")
    if not table:
        return Change(times=times)
    if column:
        low, high = _number("low", typed["low"]), _number("high", typed["high"])
        return Change(table, column=column, low=low, high=high, times=times)
    rows = _number("contributions", typed["high"])
    if rows.denominator != 1:
        raise InvalidInput("contributions", typed["high"], "write a whole number")
    return Change(table, contributions=int(rows), times=times)


def _number(name: str, text: str) -> Any:
    sign, digits = (-1, text[1:]) if text.startswith("-") else (1, text)
    if len(text) > 40 or not digits.replace(".", "", 1).isdigit() or not text.isascii():
        raise InvalidInput(name, text, "write a number in digits, such as 35")
    return sign * exact_number(digits)


def _bounds(policy: Any) -> list[tuple[str, str]]:
    """The bounds that can be tried: by name, with what they are."""
    found = []
    for name, shared in policy.tables.items():
        if shared.contributions is not None and shared.table.unit:
            found.append((name, f"contributions of {name} ({shared.contributions})"))
        found += [
            (f"{name}.{each.name}", f"range of {name}.{each.name} ({each.low} to {each.high})")
            for each in shared.table.columns
            if each.kind.value in {"integer", "number"} and None not in (each.low, each.high)
        ]
    return found
