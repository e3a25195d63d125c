"""Time slots: when a paid answer leaves is decided before the rows are looked at, from public facts alone."""

from __future__ import annotations

import asyncio
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Protocol, TypeVar

from tacit.errors import InvalidInput
from tacit.frozen import frozen

__all__ = ["LENGTHS", "Clock", "Schedule", "Slot", "Slots", "WallClock"]

LENGTHS = (0.25, 1.0, 4.0, 16.0, 64.0)
"""How long slots may be, in seconds."""

_THREADS = 32  # most asks that are looked at together, those included that outlast their slot

T = TypeVar("T")


class Clock(Protocol):
    """What tells the time, and waits; a test has one of its own."""

    def now(self) -> float:
        """The time in seconds, from some beginning on."""

    async def sleep_until(self, moment: float) -> None:
        """Return at this moment, or at once if it has passed."""


class WallClock:
    """The time of this machine, which never goes back."""

    def now(self) -> float:
        """The seconds since some beginning."""
        return time.monotonic()

    async def sleep_until(self, moment: float) -> None:
        """Return at this moment, or at once if it has passed."""
        await asyncio.sleep(max(0.0, moment - time.monotonic()))


@frozen
class Slot:
    """A while in which one worker is reserved for one question."""

    starts: float
    ends: float


class Schedule:
    """Who is served when: each question reserves the worker that is free first, for the whole of its slot.

    Claim:      when a slot starts and ends is a function of when questions arrived and how long their slots are.
    Because:    nothing else is passed in: a worker is free again when its slot ends, not when its work does.
    Checked by: tests/unit/server/test_slots.py::test_slots_depend_on_arrivals_and_lengths_alone

    >>> schedule = Schedule(workers=1)
    >>> schedule.reserve(0.0, 1.0), schedule.reserve(0.5, 1.0)
    (Slot(starts=0.0, ends=1.0), Slot(starts=1.0, ends=2.0))
    """

    def __init__(self, workers: int) -> None:
        self._free = [0.0] * workers

    def reserve(self, now: float, length: float) -> Slot:
        """The next slot of this length."""
        worker = min(range(len(self._free)), key=self._free.__getitem__)
        starts = max(now, self._free[worker])
        self._free[worker] = starts + length
        return Slot(starts, starts + length)

    def wait(self, now: float) -> float:
        """How long a question that arrives now waits until its slot starts."""
        return max(0.0, min(self._free) - now)


class Slots:
    """The workers who look at rows, each for the whole of a slot.

    Claim:      an answer leaves when its slot ends, whatever the rows are, and so does a failure; others wait no longer
                for it than for any other answer of its class.  An answer that is not there by then leaves when the
                longest slot would have ended, or twice that: that it does is all that its time tells, and is counted.
    Because:    what was done is looked at when the slot has ended, and not before; the schedule never hears of it.
    Checked by: tests/unit/server/test_slots.py and tests/attacks/test_slots.py
    """

    def __init__(
        self, *, workers: int = 2, lengths: Sequence[float] = LENGTHS, clock: Clock | None = None
    ) -> None:
        if workers < 1 or not lengths or list(lengths) != sorted(lengths) or lengths[0] <= 0:
            raise InvalidInput("slots", tuple(lengths), "give lengths above zero, shortest first")
        self.lengths = tuple(lengths)
        self.workers = workers
        self.used: Counter[float] = Counter()
        self.missed: Counter[float] = Counter()
        self._clock: Clock = WallClock() if clock is None else clock
        self._schedule = Schedule(workers)
        self._threads = ThreadPoolExecutor(_THREADS, thread_name_prefix="tacit-slot")

    def length_for(self, seconds: float) -> float:
        """The shortest slot that holds so many seconds, or the longest.

        >>> Slots().length_for(0.3), Slots().length_for(1000)
        (1.0, 64.0)
        """
        return next((each for each in self.lengths if seconds <= each), self.lengths[-1])

    def longer(self, length: float) -> float:
        """The next longer slot, or the longest.

        >>> Slots().longer(0.25), Slots().longer(64.0)
        (1.0, 64.0)
        """
        return next((each for each in self.lengths if each > length), self.lengths[-1])

    def wait(self) -> float:
        """How long a question that is asked now waits until its slot starts: public, and told beforehand."""
        return self._schedule.wait(self._clock.now())

    def seconds_until(self, moment: float) -> float:
        """How long it is until a moment of the clock's; nothing, if it has passed."""
        return max(0.0, moment - self._clock.now())

    def seconds_until_late(self, slot: Slot) -> float:
        """How long it is until an answer that missed its slot may leave: so many longest slots after its own began."""
        longest, passed = self.lengths[-1], max(0.0, self._clock.now() - slot.starts)
        return longest - passed % longest

    def reserve(self, length: float) -> Slot:
        """The next slot of this length."""
        return self._schedule.reserve(self._clock.now(), length)

    async def run(
        self, work: Callable[[], T], slot: Slot, late: Callable[[], None] = lambda: None
    ) -> T:
        """What the work returns or raises, once its slot has ended; `late` is called when a slot ends before it."""
        length = slot.ends - slot.starts
        await self._clock.sleep_until(slot.starts)
        doing = asyncio.get_running_loop().run_in_executor(self._threads, work)
        doing.add_done_callback(_note_failure)
        await self._clock.sleep_until(slot.ends)
        self.used[round(length, 9)] += 1
        if not doing.done():
            self.missed[round(length, 9)] += 1
            late()
            leaves = slot.starts
            while not doing.done():
                leaves += self.lengths[-1]
                await self._clock.sleep_until(leaves)
        return doing.result()

    def close(self) -> None:
        """Let the threads go once they have nothing to do."""
        self._threads.shutdown(wait=False)


def _note_failure(doing: asyncio.Future[T]) -> None:
    """Take note of what was raised, so that nothing is printed about it where nobody waits any more."""
    if not doing.cancelled():
        doing.exception()
