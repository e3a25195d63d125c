"""When an answer leaves is a function of public facts: of when questions arrive, and of how long their slots are."""

import asyncio
from concurrent.futures import Future
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tacit.errors import InvalidInput
from tacit.server import Schedule, Slots


class FakeClock:
    """A clock that stands still until everybody waits, and then goes on to the next moment that somebody waits for."""

    def __init__(self):
        self.moment = 0.0
        self.waiting = []

    def now(self):
        return self.moment

    async def sleep_until(self, moment):
        if moment <= self.moment:
            return
        woken = asyncio.Event()
        self.waiting.append((moment, woken))
        await woken.wait()

    async def go_on(self, until):
        """Let time pass, moment by moment; work that takes fake time is done by its own moment."""
        while True:
            await settle()
            due = [each for each in self.waiting if each[0] <= until]
            if not due:
                break
            self.moment = min(moment for moment, _ in due)
            for each in [each for each in self.waiting if each[0] <= self.moment]:
                self.waiting.remove(each)
                each[1].set()
        self.moment = until
        await settle()


async def settle():
    for _ in range(20):
        await asyncio.sleep(0)


class Hands:
    """Threads that do nothing by themselves: what they are given is done when its fake seconds have passed."""

    def __init__(self):
        self.given = []

    def submit(self, work):
        self.given.append((work, Future()))
        return self.given[-1][1]

    def finish(self, work):
        done = next(each for given, each in self.given if given is work)
        if isinstance(work.result, Exception):
            done.set_exception(work.result)
        else:
            done.set_result(work.result)

    def shutdown(self, wait):
        pass


class Work:
    """Work that ends in a result or an exception."""

    def __init__(self, result):
        self.result, self.ended = result, False

    def __call__(self):
        return self.result


async def departures(arrivals, *, workers=1, lengths=(1.0, 8.0), late=lambda: None):
    """When each question leaves: `arrivals` are (when, length of slot, seconds that its rows take, result)."""
    clock = FakeClock()
    slots = Slots(workers=workers, lengths=lengths, clock=clock)
    slots._threads.shutdown()
    slots._threads = hands = Hands()
    left, tasks, working = {}, [], []

    async def ask(number, length, seconds, result):
        slot = slots.reserve(length)
        work = Work(result)
        working.append((slot.starts + seconds, work))
        with suppress(ZeroDivisionError):
            await slots.run(work, slot, late)
        left[number] = clock.now()

    moments = sorted({when for when, *_ in arrivals} | {n / 4 for n in range(160)})
    for moment in moments:
        await clock.go_on(moment)
        for when, work in working:
            if when <= moment and not work.ended and any(given is work for given, _ in hands.given):
                work.ended = True
                hands.finish(work)
                await settle()
        for number, (when, length, seconds, result) in enumerate(arrivals):
            if when == moment:
                tasks.append(asyncio.create_task(ask(number, length, seconds, result)))
        await settle()
    await clock.go_on(60.0)
    await asyncio.gather(*tasks)
    slots.close()
    return [left[number] for number in range(len(arrivals))], slots


def test_an_answer_leaves_when_its_slot_ends_however_long_its_rows_take():
    for seconds in (0.0, 0.25, 0.5):
        found, _ = asyncio.run(departures([(0.0, 1.0, seconds, 1)]))
        assert found == [1.0]


def test_a_failure_leaves_at_the_same_moment_as_an_answer():
    found, _ = asyncio.run(departures([(0.0, 1.0, 0.25, ZeroDivisionError())]))
    assert found == [1.0]


def test_others_wait_as_long_whatever_the_rows_of_the_first_are():
    found = [
        asyncio.run(departures([(0.0, 1.0, seconds, 1), (0.25, 1.0, 0.0, 1)]))[0]
        for seconds in (0.0, 0.5)
    ]
    assert found == [[1.0, 2.0]] * 2


def test_a_late_answer_leaves_with_the_longest_slot_and_delays_nobody():
    found, slots = asyncio.run(departures([(0.0, 1.0, 3.0, 1), (0.25, 1.0, 0.0, 1)]))
    assert found == [8.0, 2.0]
    assert (slots.used[1.0], slots.missed[1.0]) == (2, 1)
    found, _ = asyncio.run(departures([(0.0, 1.0, 9.0, 1)]))
    assert found == [16.0]


def test_who_runs_the_server_is_told_of_a_late_answer_once_when_its_slot_ends():
    told = []
    asyncio.run(departures([(0.0, 1.0, 9.0, 1), (0.0, 1.0, 0.5, 1)], late=lambda: told.append(1)))
    assert told == [1]


arrivals = st.lists(
    st.tuples(st.integers(0, 40).map(lambda n: n / 4), st.sampled_from([0.25, 1.0, 4.0])),
    min_size=1,
    max_size=12,
)


@given(arrivals, st.integers(1, 3))
def test_slots_depend_on_arrivals_and_lengths_alone(asked, workers):
    asked = sorted(asked)
    schedule, again = Schedule(workers), Schedule(workers)
    slots = [schedule.reserve(now, length) for now, length in asked]
    assert slots == [again.reserve(now, length) for now, length in asked]
    for (now, length), slot in zip(asked, slots, strict=True):
        assert slot.starts >= now
        assert slot.ends == slot.starts + length
    for moment in {slot.starts for slot in slots}:  # a worker is reserved for the whole of a slot
        assert sum(slot.starts <= moment < slot.ends for slot in slots) <= workers
    assert schedule.wait(1e9) == 0


def test_slots_that_make_no_sense_are_refused():
    for given_ in [{"lengths": ()}, {"lengths": (2, 1)}, {"lengths": (0, 1)}, {"workers": 0}]:
        with pytest.raises(InvalidInput):
            Slots(**given_)


def test_an_answer_that_missed_its_slot_leaves_a_whole_number_of_longest_slots_later():
    clock = FakeClock()
    slots = Slots(workers=1, lengths=(1.0, 4.0), clock=clock)
    slot = slots.reserve(1.0)
    assert slots.seconds_until_late(slot) == 4.0
    clock.moment = 6.5
    assert slots.seconds_until_late(slot) == 1.5
    slots.close()
