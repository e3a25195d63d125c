"""Sessions of a browser: a signed cookie that says who signed in, and a token against requests from other sites."""

from __future__ import annotations

import hmac
import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable
from hashlib import sha256

from tacit.frozen import frozen
from tacit.server.identities import Identities, Identity
from tacit.server.passwords import hash_of_token, is_same

__all__ = ["HOURS", "Session", "Sessions"]

HOURS = 12
"""How long a session lasts."""

_LONGEST = 1024


@frozen
class Session:
    """Who is signed in by a cookie, and the token that each of its unsafe requests carries."""

    identity: Identity
    csrf: str


class Sessions:
    """The cookies of one server.

    Claim:      a cookie counts only if this server signed it, less than twelve hours ago, for somebody whose password
                and rights have not changed since; one that was signed for a token counts no longer than the token.
    Because:    it is bound to its name, generation, end and token by HMAC-SHA-256 under a key of the vault, and
                generation and token are looked up at each request.
    Checked by: tests/unit/server/test_sessions.py
    """

    def __init__(self, identities: Identities, *, now: Callable[[], float] = time.time) -> None:
        self._identities, self._now = identities, now
        self._key = identities.secret("sessions").encode()

    def issue(self, who: Identity, token: str | None = None) -> str:
        """A cookie for somebody who has just signed in, by password or by a token."""
        hashed = None if token is None else hash_of_token(token)
        said = json.dumps([who.name, who.generation, int(self._now()) + HOURS * 3600, hashed])
        body = urlsafe_b64encode(said.encode()).decode()
        return f"{body}.{self._mark('session', body)}"

    def read(self, cookie: str) -> Session | None:
        """The session of a cookie, if it counts."""
        body, _, mark = cookie.partition(".")
        if len(cookie) > _LONGEST or not is_same(mark, self._mark("session", body)):
            return None
        name, generation, ends, *token = json.loads(urlsafe_b64decode(body))
        if self._now() > ends:
            return None
        if token and token[0] is not None and not self._identities.has_token(token[0]):
            return None
        found = self._identities.find(name, generation)
        return None if found is None else Session(found, self._mark("csrf", cookie))

    def _mark(self, use: str, text: str) -> str:
        return hmac.new(self._key, f"{use}\0{text}".encode(), sha256).hexdigest()
