"""Whose turn it is in the catalogue: people who take much time wait for one another, and keep nobody else waiting."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Lock

__all__ = ["QUICK", "SLOW", "Lanes"]

QUICK, SLOW = "quick", "slow"
_MOST = (
    0.5  # CPU seconds of work that somebody may have done of late, and still be in the quick lane
)
_HALF = 10.0  # seconds after which half of that is forgotten
_MOST_NAMES = 10_000


class Lanes:
    """Two lanes, in each of which one statement is answered at a time.

    Claim:      whoever has taken little time of late waits for no statement of somebody who has taken much, but for
                the first; and that one lasts no longer than the catalogue lets a statement last.
    Because:    how long each person's statements took is added up, and fades; above a bound they are answered in the
                slow lane, which others do not enter.
    Checked by: tests/unit/catalogue/test_fair_turns.py

    >>> lanes = Lanes()
    >>> with lanes.take("ana") as lane:
    ...     lane
    'quick'
    """

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._turns = {QUICK: Lock(), SLOW: Lock()}
        self._counting = Lock()
        self._worked: dict[str, tuple[float, float]] = {}  # seconds, and when that was so

    @contextmanager
    def take(self, who: str) -> Iterator[str]:
        """Wait for one's turn; in which lane it is."""
        lane = SLOW if self._seconds(who) > _MOST else QUICK
        with self._turns[lane]:
            yield lane

    def add(self, who: str, seconds: float) -> None:
        """Count what a statement of somebody's took."""
        with self._counting:
            total = self._seconds(who) + seconds
            if len(self._worked) >= _MOST_NAMES and who not in self._worked:
                del self._worked[min(self._worked, key=lambda name: self._worked[name][1])]
            self._worked[who] = total, self._now()

    def _seconds(self, who: str) -> float:
        """How long somebody's statements took of late."""
        seconds, since = self._worked.get(who, (0.0, 0.0))
        return float(seconds * 0.5 ** ((self._now() - since) / _HALF))
