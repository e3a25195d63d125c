"""What all pages share: templates, who is signed in, the menu, the budget, forms.

Checked by: tests/unit/server/http/test_pages.py and tests/browser/test_pages.py
"""

from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from fastapi import Request, Response
from fastapi.responses import HTMLResponse, RedirectResponse
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.staticfiles import StaticFiles

from tacit.errors import TacitError
from tacit.server.http.authenticate_requests import Gate, Visitor
from tacit.server.http.charts import budget_bar, format_number
from tacit.server.http.connections import WirePlace
from tacit.server.http.forecast import own_scale
from tacit.server.server_health import Watching

__all__ = ["MENU", "STATIC", "Pages", "Route", "read_form", "url_of"]

Route = tuple[str, str, Callable[..., Awaitable[Response]]]
"""A method, a path, and what answers it."""

_HERE = Path(__file__).parent.parent
STATIC = StaticFiles(directory=_HERE / "static")
"""Style sheets and scripts, as they are in the package."""

MENU: dict[str, Sequence[str]] = {
    "analyst": ("ask", "history", "budget", "tables"),
    "curator": (
        *("ask", "history", "budget", "tables"),
        *("policy", "people", "ledger", "operations"),
    ),
    "auditor": ("ledger", "budget", "tables"),
}
"""The pages that each role has in its menu; the first is where it begins."""


class Pages:
    """Templates, and what every page shows: who is signed in, the menu, the budget."""

    def __init__(
        self, gate: Gate, *, wire: WirePlace = lambda: None, watching: Watching | None = None
    ) -> None:
        self.gate, self.desk = gate, gate.desk
        self.wire = wire
        self.watching = Watching() if watching is None else watching
        self._templates = Environment(
            loader=FileSystemLoader(_HERE / "templates"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        self._templates.filters |= {"number": format_number, "moment": moment, "share": share_text}

    def render(
        self,
        request: Request,
        template: str,
        who: Visitor | None = None,
        status: int = 200,
        **shown: Any,
    ) -> HTMLResponse:
        """A page, or a part of one."""
        text = self._templates.get_template(template).render(
            nonce=request.state.nonce,
            **{
                "standing": None,
                "told": None,
                "problem": None,
                "many": None,
                "fitting": None,
                "today": None,
                "derived": (),
                **shown,
            },
            who=None if who is None else who.identity,
            csrf="" if who is None else who.csrf or "",
            menu=() if who is None else MENU[who.identity.role],
            here=request.url.path.split("/")[1],
            twin=_twin_of(request),
            bar=budget_bar,
        )
        return HTMLResponse(text, status, headers={"Cache-Control": "no-store"})

    async def show(
        self, request: Request, template: str, who: Visitor, **shown: Any
    ) -> HTMLResponse:
        """A whole page, with the budget of who is signed in."""
        standing = await self.desk.run(lambda: self.desk.standing(who.identity))
        return self.render(request, template, who, **{"standing": standing, **shown})

    def own_scale(self, who: Visitor) -> float | None:
        """How many shares of somebody's own limit one share of everyone's is; None for who has none."""
        payer, policy = who.identity.payer, self.desk.policy
        return own_scale(policy, payer) if payer in policy.analysts else None

    async def form(self, request: Request) -> tuple[Visitor, dict[str, str]]:
        """Who sent a form, and what it holds; its token against forgery may be a field."""
        fields = await read_form(request)
        request.state.csrf = fields.get("csrf", "")
        return await self.gate.visitor(request), fields

    async def problem(self, request: Request, problem: dict[str, Any]) -> Response:
        """A refusal as a page; who is not signed in is asked to sign in."""
        if problem["status"] == 401:
            return RedirectResponse("/signin", 303)
        try:
            who = await self.gate.find_visitor(request)
        except TacitError:
            who = None
        return self.render(
            request, "problem.html", who, problem["status"], problem=problem, standing=None
        )


async def read_form(request: Request) -> dict[str, str]:
    """The fields of a form that are text."""
    async with request.form(max_files=0, max_fields=20) as form:
        return {name: value for name, value in form.items() if isinstance(value, str)}


def _twin_of(request: Request) -> str | None:
    """The address of a page's JSON, if it has one."""
    first = request.url.path.split("/")[1]
    if request.method != "GET" or first in {"", "signin", "welcome"}:
        return None
    query = f"?{request.url.query}" if request.url.query else ""
    return f"{request.url.path}.json{query}"


def url_of(request: Request) -> str:
    """The address of this server, as the browser knows it."""
    return f"{request.url.scheme}://{request.url.netloc}"


def moment(at: Any) -> str:
    """A time as people read it, UTC."""
    if at is None:
        return "never"
    found = datetime.fromtimestamp(at, UTC) if isinstance(at, float) else datetime.fromisoformat(at)
    return found.strftime("%Y-%m-%d %H:%M")


def share_text(share: float) -> str:
    """A share of a limit, with as many digits as it needs.

    >>> share_text(0.1234), share_text(0.00012), share_text(0)
    ('12.3 %', '0.012 %', '0 %')
    """
    percent = 100 * share
    return f"{percent:.3g} %" if percent < 1000 else f"{percent:,.0f} %"
