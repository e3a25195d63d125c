"""Signing in by password or token, out again, and the link by which somebody chooses a password.

Checked by: tests/unit/server/http/test_pages.py
"""

from typing import Any

from fastapi import Request, Response
from fastapi.responses import RedirectResponse

from tacit.errors import InvalidInput, TacitError
from tacit.server.http.authenticate_requests import check_origin
from tacit.server.http.pages.rendering import MENU, Pages, Route, read_form
from tacit.server.http.problems import problem_from
from tacit.server.identities import Identity

__all__ = ["SignInPages"]

_DIFFER = "the two passwords differ; type the same one twice"


class SignInPages:
    """The pages of who is not signed in yet."""

    def __init__(self, pages: Pages) -> None:
        self._pages, self._gate, self._desk = pages, pages.gate, pages.desk

    def routes(self) -> list[Route]:
        """The routes of these pages."""
        return [
            ("GET", "/", self.show_first),
            ("GET", "/signin", self.show_sign_in),
            ("POST", "/signin", self.sign_in),
            ("POST", "/signout", self.sign_out),
            ("GET", "/welcome/{secret}", self.show_welcome),
            ("POST", "/welcome/{secret}", self.welcome),
        ]

    async def show_first(self, request: Request) -> Response:
        """The first page of who is signed in."""
        who = await self._gate.find_visitor(request)
        return RedirectResponse("/signin" if who is None else f"/{MENU[who.identity.role][0]}", 303)

    async def show_sign_in(self, request: Request) -> Response:
        """The form to sign in."""
        return self._pages.render(request, "signin.html", wrong="", name="")

    async def sign_in(self, request: Request) -> Response:
        """Sign in by name and password, or by a token."""
        check_origin(request)
        fields = await read_form(request)
        name, token = fields.get("name", ""), fields.get("token", "").strip()
        address = request.client.host if request.client else "nowhere"
        try:
            if token:
                who = await self._desk.run(lambda: self._desk.people.of_token(token))
            else:
                password = fields.get("password", "")
                who = await self._desk.run(
                    lambda: self._desk.people.sign_in(name, password, address)
                )
        except TacitError as refusal:
            status = problem_from(refusal)["status"]
            wrong = str(refusal)
            return self._pages.render(request, "signin.html", None, status, wrong=wrong, name=name)
        return self._with_cookie(who, token or None)

    async def sign_out(self, request: Request) -> Response:
        """Sign out: the browser forgets the session, and no copy of its cookie counts any more."""
        who, _ = await self._pages.form(request)
        await self._desk.run(lambda: self._desk.people.sign_out(who.identity))
        response = RedirectResponse("/signin", 303)
        response.delete_cookie(self._gate.cookie, path="/")
        return response

    async def show_welcome(self, request: Request, secret: str) -> Response:
        """The form to choose a password, by a link that counts once."""
        return self._show_choice(request, secret)

    async def welcome(self, request: Request, secret: str) -> Response:
        """Choose a password, and be signed in."""
        check_origin(request)
        fields = await read_form(request)
        if fields.get("password") != fields.get("again"):
            return self._show_choice(request, secret, _DIFFER)
        try:
            who = await self._desk.run(
                lambda: self._desk.people.use_link(secret, fields.get("password", ""))
            )
        except InvalidInput as refusal:
            return self._show_choice(request, secret, refusal.remedy)
        return self._with_cookie(who)

    def _show_choice(self, request: Request, secret: str, wrong: str = "") -> Response:
        shown: dict[str, Any] = {"name": self._desk.people.name_of_link(secret), "secret": secret}
        status = 422 if wrong else 200
        return self._pages.render(request, "welcome.html", None, status, wrong=wrong, **shown)

    def _with_cookie(self, who: Identity, token: str | None = None) -> Response:
        response = RedirectResponse("/", 303)
        response.set_cookie(**self._gate.cookie_for(who, token))
        return response
