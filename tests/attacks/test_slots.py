"""Neighbours through the desk, with an engine that takes its time on one row: when answers leave tells nothing."""

import asyncio
import random
import time

import pytest

from tacit.server import Question, Slots
from tests.unit.server.clinics import make_desk, make_folder, who

LENGTH = 0.12


async def ask_many(folder, slow, many, slots, monkeypatch):
    """When answers leave, counted from when their slots began; every look takes longer if `slow` says so."""
    desk = make_desk(folder, slots=slots)
    engine = type(desk._vault._access.engines["visits"])
    evaluate = engine.evaluate

    def sleeping(self, question, weights):
        time.sleep(0.03 if slow else 0.0)
        return evaluate(self, question, weights)

    monkeypatch.setattr(engine, "evaluate", sleeping)
    left = []

    async def one(number):
        text = f"SELECT COUNT(*) AS n FROM visits WHERE cost > {number}.25"
        job = await desk.ask(who(desk, "ana"), Question(text, epsilon=0.001))
        await job.result()
        left.append(slots._clock.now() - job.slot.starts)

    for number in range(many):
        await one(number)
    await desk.drain()
    desk.close()
    monkeypatch.undo()
    return left


def rank_test(left, right, turns=2_000):
    """The probability of a difference of mean ranks as large as this, by permutation."""
    both = sorted([(value, 0) for value in left] + [(value, 1) for value in right])
    ranks = [group for _, group in both]
    seen = abs(sum(place * (1 if group else -1) for place, group in enumerate(ranks)))
    drawn = random.Random(7)
    as_far = 0
    for _ in range(turns):
        drawn.shuffle(ranks)
        as_far += seen <= abs(
            sum(place * (1 if group else -1) for place, group in enumerate(ranks))
        )
    return (as_far + 1) / (turns + 1)


@pytest.mark.soak
def test_when_answers_leave_tells_nothing_of_the_rows(tmp_path, monkeypatch):
    """False alarm: 1e-3 of runs by the test itself; it detects 10 ms in 100 answers."""
    found = []
    for slow in (False, True):
        slots = Slots(workers=2, lengths=(LENGTH, 1.0))
        folder = make_folder(tmp_path / f"clinic{slow}")
        found.append(asyncio.run(ask_many(folder, slow, 100, slots, monkeypatch)))
    assert rank_test(*found) > 1e-3


class Steps:
    """A clock that counts: time passes only where somebody waits, or where an engine says that it worked."""

    def __init__(self):
        self.moment = 0.0

    def now(self):
        return self.moment

    async def sleep_until(self, moment):
        for _ in range(200):
            await asyncio.sleep(0)
        while self.busy():
            await asyncio.sleep(0.001)  # for the thread, whose fake seconds have not passed
        self.moment = max(self.moment, moment)

    def busy(self):
        return False


@pytest.mark.parametrize("worked", [0.0, 0.2, 0.9])
def test_the_moment_of_leaving_is_that_of_the_slot_whatever_the_engine_did(
    tmp_path, monkeypatch, worked
):
    """With a clock of its own, nothing is left to chance: what leaves when is the same on neighbours."""
    clock = Steps()
    slots = Slots(workers=1, lengths=(1.0, 8.0), clock=clock)

    async def scenario():
        desk = make_desk(make_folder(tmp_path / "clinic"), slots=slots)
        engine = type(desk._vault._access.engines["visits"])
        evaluate, doing = engine.evaluate, [0]

        def working(self, question, weights):
            clock.moment += worked  # the rows take so long
            return evaluate(self, question, weights)

        real_look = desk._look

        def look(*given):
            try:
                return real_look(*given)
            finally:
                doing[0] -= 1

        monkeypatch.setattr(engine, "evaluate", working)
        monkeypatch.setattr(desk, "_look", look)
        clock.busy = lambda: doing[0] > 0
        left = []
        real_run = asyncio.get_running_loop().run_in_executor

        def run_in_executor(pool, work):
            if pool is slots._threads:
                doing[0] += 1
            return real_run(pool, work)

        monkeypatch.setattr(asyncio.get_running_loop(), "run_in_executor", run_in_executor)
        for number, name in enumerate(["ana", "ben", "ana"]):
            text = f"SELECT COUNT(*) AS n FROM visits WHERE cost > {number}.25"
            job = await desk.ask(who(desk, name), Question(text, epsilon=0.01))
            await job.result()
            left.append((job.slot, clock.moment))
        await desk.drain()
        desk.close()
        return left

    left = asyncio.run(scenario())
    assert [round(moment, 9) for _, moment in left] == [1.0, 2.0, 3.0]
    assert all(slot.ends == moment for slot, moment in left)
    assert not slots.missed
