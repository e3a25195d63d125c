"""How often somebody may do something: allowances that fill up again with time."""

from __future__ import annotations

import threading
from collections.abc import Callable
from time import monotonic

from tacit.errors import TooMany
from tacit.frozen import frozen

__all__ = ["RATES", "Rate", "Rates", "Waiting"]

_MOST_NAMES = 10_000


@frozen
class Rate:
    """So many `times` at once, and as many more in so many `seconds`."""

    times: int
    seconds: float


RATES = {
    "explanations": Rate(40, 2.0),
    "questions": Rate(10, 2.0),
    "requests": Rate(200, 2.0),
    "attempts to sign in by this name from this address": Rate(5, 60.0),
    "attempts to sign in by this name": Rate(60, 60.0),
    "attempts to sign in from this address": Rate(20, 60.0),
    "notes of attempts from this address": Rate(2, 60.0),
}
"""What is counted, for each identity, name or address."""


class Rates:
    """What is left to each name of each rate.

    >>> rates = Rates({"questions": Rate(1, 60.0)}, now=lambda: 0.0)
    >>> rates.take("questions", "ana")
    >>> rates.take("questions", "ana")
    Traceback (most recent call last):
    tacit.errors.TooMany: too many questions; wait 60 s, and try again
    """

    def __init__(
        self, rates: dict[str, Rate] | None = None, *, now: Callable[[], float] = monotonic
    ) -> None:
        self._rates, self._now = RATES if rates is None else rates, now
        self._left: dict[tuple[str, str], tuple[float, float]] = {}
        self._lock = threading.Lock()

    def take(self, what: str, who: str) -> None:
        """Take one, or say how long to wait for the next."""
        rate, now = self._rates[what], self._now()
        with self._lock:
            left, since = self._left.get((what, who), (float(rate.times), now))
            left = min(float(rate.times), left + (now - since) * rate.times / rate.seconds)
            if left < 1:
                raise TooMany(what, (1 - left) * rate.seconds / rate.times)
            if len(self._left) >= _MOST_NAMES and (what, who) not in self._left:
                self._forget(now)
            self._left[what, who] = left - 1, now

    def check(self, what: str, who: str) -> None:
        """Refuse if nothing is left, and take nothing: for what counts only when it fails."""
        rate, now = self._rates[what], self._now()
        with self._lock:
            left, since = self._left.get((what, who), (float(rate.times), now))
        left += (now - since) * rate.times / rate.seconds
        if left < 1:
            raise TooMany(what, (1 - left) * rate.seconds / rate.times)

    def _forget(self, now: float) -> None:
        """Forget those whose allowance is full again by now; if all are busy, the one that was least so."""
        full = [
            key
            for key, (_, since) in self._left.items()
            if now - since > self._rates[key[0]].seconds
        ]
        for key in full or [min(self._left, key=lambda key: self._left[key][1])]:
            del self._left[key]


class Waiting:
    """How many questions of one person are being asked: at most so many at once."""

    def __init__(self, most: int = 3) -> None:
        self._most, self._lock = most, threading.Lock()
        self._now: dict[str, int] = {}

    def enter(self, who: str) -> None:
        """Count one more, or refuse it."""
        with self._lock:
            if self._now.get(who, 0) >= self._most:
                raise TooMany("questions at once", 1.0)
            self._now[who] = self._now.get(who, 0) + 1

    def leave(self, who: str) -> None:
        """Count one less."""
        with self._lock:
            self._now[who] -= 1
            if not self._now[who]:
                del self._now[who]
