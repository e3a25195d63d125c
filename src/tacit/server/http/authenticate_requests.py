"""The gate: who a request is from, whether a browser was made to send it, and headers that every response has."""

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from typing import Any

from starlette.requests import Request

from tacit.errors import AccessDenied
from tacit.frozen import frozen
from tacit.printing import json_text
from tacit.server.desk import Desk
from tacit.server.http.problems import MEDIA, problem_of
from tacit.server.identities import Identity
from tacit.server.passwords import is_same, new_secret
from tacit.server.sessions import HOURS, Sessions

__all__ = ["BODY", "Gate", "Headers", "Visitor"]

BODY = 64 * 1024
"""The largest body of a request, in bytes."""

SAFE = frozenset({"GET", "HEAD", "OPTIONS"})
"""Methods that change nothing."""

_DIGITS = 18  # of a length that is worth reading
_MISTAKE = "something went wrong here; try again"
_LESS = f"a request may have at most {BODY // 1024} kB; send less"

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]


@frozen
class Visitor:
    """Who a request is from; `csrf` is the token of the session, if a cookie said it."""

    identity: Identity
    csrf: str | None = None


class Gate:
    """Tells who a request is from.

    Claim:      a request that changes something counts as somebody's only if it bears a token, or if the browser says
                that a page of this server sent it and it carries the session's token against forgery.
    Because:    cookies are looked at only where there is no bearer token, and `check_origin` comes before anything is
                done with an unsafe request that has none.
    Checked by: tests/attacks/test_forged_requests.py
    """

    def __init__(self, desk: Desk, sessions: Sessions, *, secure: bool) -> None:
        self.desk, self.sessions, self.secure = desk, sessions, secure
        self.cookie = "__Host-tacit" if secure else "tacit"

    async def visitor(self, request: Request) -> Visitor:
        """Who a request is from, or the refusal."""
        found = await self.find_visitor(request)
        if found is None:
            raise AccessDenied(
                "nobody is signed in", "sign in, or send a bearer token", signed_in=False
            )
        self.desk.people.count_request(found.identity.name)
        return found

    async def find_visitor(self, request: Request) -> Visitor | None:
        """Who a request is from, if it says so; unsafe requests of a browser are held to their origin."""
        return await self.desk.look_up(lambda: self._find_visitor(request))

    def _find_visitor(self, request: Request) -> Visitor | None:
        given = request.headers.get("authorization")
        if given is not None:
            scheme, _, token = given.partition(" ")
            if scheme.lower() != "bearer" or not token.strip():
                raise AccessDenied(
                    "the Authorization header names no token", "send: Bearer tct_…", signed_in=False
                )
            return Visitor(self.desk.people.of_token(token.strip()))
        session = self.sessions.read(request.cookies.get(self.cookie, ""))
        if session is None:
            return None
        if request.method not in SAFE:
            check_origin(request)
            sent = request.headers.get("x-csrf") or getattr(request.state, "csrf", None) or ""
            if not is_same(sent, session.csrf):
                raise AccessDenied(
                    "this request does not come from a page of this session",
                    "open the page again",
                    signed_in=True,
                )
        return Visitor(session.identity, session.csrf)

    def cookie_for(self, who: Identity, token: str | None = None) -> dict[str, Any]:
        """The cookie of a new session, as `set_cookie` takes it; by a token it lasts no longer than that."""
        return {
            "key": self.cookie,
            "value": self.sessions.issue(who, token),
            "max_age": HOURS * 3600,
            "path": "/",
            "httponly": True,
            "secure": self.secure,
            "samesite": "strict",
        }


def check_origin(request: Request) -> None:
    """Refuse an unsafe request that the browser does not call one from a page of this server."""
    if request.headers.get("sec-fetch-site") != "same-origin":
        raise AccessDenied(
            "this request does not come from a page of this server",
            "open the workbench itself, or send a bearer token",
            signed_in=True,
        )


class Headers:
    """Headers for every response, a limit for every body, and one constant text for every mistake of ours.

    Claim:      whatever is raised, what leaves of it is constant; no page runs or loads anything of another origin.
    Because:    this stands before everything else, and the policy on content names this origin alone.
    Checked by: tests/attacks/test_server_secrets.py and tests/unit/server/http/test_authenticate_requests.py
    """

    def __init__(self, app: Any, *, secure: bool) -> None:
        self.app, self._secure = app, secure

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        nonce = new_secret()[:22]
        scope.setdefault("state", {})["nonce"] = nonce
        lines = self._lines(nonce)
        if scope["path"].startswith("/api/"):
            lines.append((b"cache-control", b"no-store"))
        begun, ended, seen = False, False, 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            seen += len(message.get("body", b""))
            if seen > BODY:
                raise _TooLarge
            return message

        async def headed(message: Message) -> None:
            nonlocal begun, ended
            if seen > BODY:  # whatever was made of the failure to read it
                if not begun:
                    begun = True
                    await _send(send, problem_of("too-large", _LESS), lines)
                return
            if message["type"] == "http.response.start":
                begun = True
                message["headers"] = [*message.get("headers", []), *lines]
            await send(message)
            ended = message["type"] == "http.response.body" and not message.get("more_body")

        if _is_too_large(scope):
            await _send(send, problem_of("too-large", _LESS), lines)
            return
        try:
            await self.app(scope, counted, headed)
        except Exception:  # noqa: BLE001 -- what it says may be private, and is for nobody
            if ended:
                return
            if begun:
                raise _BrokenOff from None
            kind = ("too-large", _LESS) if seen > BODY else ("internal", _MISTAKE)
            await _send(send, problem_of(*kind), lines)

    def _lines(self, nonce: str) -> list[tuple[bytes, bytes]]:
        content = (
            "default-src 'none'; script-src 'self'; "
            f"style-src 'self' 'nonce-{nonce}'; img-src 'self'; connect-src 'self'; font-src 'self'; "
            "form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
        )
        lines: Mapping[str, str] = {
            "content-security-policy": content,
            "x-content-type-options": "nosniff",
            "x-frame-options": "DENY",
            "referrer-policy": "no-referrer",
            "cross-origin-opener-policy": "same-origin",
            "cross-origin-resource-policy": "same-origin",
            "permissions-policy": "camera=(), geolocation=(), microphone=()",
            "vary": "Cookie, Authorization, Accept",
            **({"strict-transport-security": "max-age=31536000"} if self._secure else {}),
        }
        return [(name.encode(), value.encode()) for name, value in lines.items()]


def _is_too_large(scope: Scope) -> bool:
    """Whether a request says so itself."""
    length = dict(scope["headers"]).get(b"content-length", b"0").lstrip(b"0") or b"0"
    return not length.isdigit() or len(length) > _DIGITS or int(length) > BODY


class _TooLarge(Exception):
    """A body is longer than any may be."""


class _BrokenOff(Exception):
    """A response broke off; why is for nobody."""


async def _send(
    send: Send, problem: Mapping[str, Any], lines: Sequence[tuple[bytes, bytes]]
) -> None:
    body = json_text(dict(problem)).encode()
    length = str(len(body)).encode()
    headers = [(b"content-type", MEDIA.encode()), (b"content-length", length), *lines]
    await send({"type": "http.response.start", "status": problem["status"], "headers": headers})
    await send({"type": "http.response.body", "body": body})
