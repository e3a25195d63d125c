"""How often somebody may try to sign in where several servers share a ledger: counted in its database for all."""

from __future__ import annotations

import hmac
from hashlib import sha256
from time import monotonic

from tacit.errors import TooMany
from tacit.server.identities import Identities
from tacit.server.rate_limits import RATES, Rate, Rates
from tacit.server.state_tables import Statements

__all__ = ["SharedRates"]

SHARED = frozenset(what for what in RATES if what.startswith("attempts to sign in"))
"""What all servers count together; the others keep one server from being kept busy, and each counts its own."""

_NOW = "EXTRACT(EPOCH FROM clock_timestamp())::float8"
_FILLED = "LEAST(?, known.remaining + GREATEST(0, excluded.since - known.since) * ?)"
_TAKE = f"""
INSERT INTO attempts AS known (id, remaining, since) VALUES (?, ?, {_NOW})
ON CONFLICT (id) DO UPDATE SET remaining = {_FILLED} - 1, since = GREATEST(known.since, excluded.since)
WHERE {_FILLED} >= 1
"""  # noqa: S608 -- constants of this file
_LOOK = f"SELECT remaining, {_NOW} - since FROM attempts WHERE id = ?"  # noqa: S608
_FORGET = f"DELETE FROM attempts WHERE since < {_NOW} - ?"  # noqa: S608
_EVERY = 60.0  # seconds


class SharedRates(Rates):
    """Rates of which attempts to sign in are counted in the database of the ledger, the others in this process.

    Claim:      however many servers there are, passwords are tried no faster than at one of them; who tried, and by
                which name, cannot be read from what is counted.
    Because:    an attempt is taken by one statement, which waits for others about the same name; if the database is
                away, nobody signs in.  A name may be a password in the wrong field: only its HMAC is written.
    Checked by: tests/unit/server/test_shared_rate_limits.py
    """

    def __init__(self, identities: Identities, rates: dict[str, Rate] | None = None) -> None:
        super().__init__(rates)
        self._tables = identities.tables
        self._key = identities.secret("attempts").encode()
        self._tidied = monotonic()

    def take(self, what: str, who: str) -> None:
        """Take one, or say how long to wait for the next."""
        if what not in SHARED:
            super().take(what, who)
            return
        rate, name = self._rates[what], self._name(what, who)
        filled = (float(rate.times), rate.times / rate.seconds)
        with self._tables.reading() as file:
            self._forget_idle(file)
            taken = file.execute(_TAKE, (name, rate.times - 1.0, *filled, *filled)).rowcount
        if not taken:
            raise TooMany(what, max(0.0, self._wait(what, who)))

    def check(self, what: str, who: str) -> None:
        """Refuse if nothing is left, and take nothing: for what counts only when it fails."""
        if what not in SHARED:
            super().check(what, who)
            return
        wait = self._wait(what, who)
        if wait > 0:
            raise TooMany(what, wait)

    def _wait(self, what: str, who: str) -> float:
        """How many seconds it is until there is one to take; below zero if there is one."""
        rate = self._rates[what]
        with self._tables.reading() as file:
            found = file.execute(_LOOK, (self._name(what, who),)).fetchone()
        if found is None:
            return -1.0
        remaining, since = found
        return float((1 - remaining) * rate.seconds / rate.times - since)

    def _forget_idle(self, file: Statements) -> None:
        """Forget, once a minute, those whose allowance is full again."""
        if monotonic() - self._tidied >= _EVERY:
            self._tidied = monotonic()
            file.execute(_FORGET, (max(self._rates[what].seconds for what in SHARED),))

    def _name(self, what: str, who: str) -> str:
        return hmac.new(
            self._key, f"{what}\0{who}".encode(errors="surrogatepass"), sha256
        ).hexdigest()
