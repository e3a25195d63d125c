"""Whoever polls what is free while rows are looked at sees nothing change until the slot ends."""

import asyncio
import json
import threading

import pytest

from tacit.errors import EngineFailed, KeyReused, TacitError
from tacit.server import Question, Slots
from tacit.server.models_and_synthetic_tables import Fit
from tests.unit.server.clinics import BY_WARD, COUNT, POLICY, make_desk, make_folder, who

ASKED = Question(COUNT, epsilon=0.5)


class Held:
    """A clock that stands still until a test moves it."""

    def __init__(self):
        self.moment = 0.0

    def now(self):
        return self.moment

    async def sleep_until(self, moment):
        while self.moment < moment:
            await asyncio.sleep(0.001)


def attempt(work):
    try:
        return repr(work())
    except TacitError as refusal:
        return repr(refusal)


def poll(desk):
    """All that anybody is told for nothing."""
    seen = {}
    for name in ("ana", "ben", "cleo", "otto"):
        person = who(desk, name)
        reads = {
            "history": lambda p=person: desk.ledger.history(p),
            "tables": lambda p=person: desk.tables(p),
            "describe": lambda p=person: list(desk.describe(p)),
            "standing": lambda p=person: desk.standing(p),
            "budget": lambda p=person: desk.budget(p),
            "budgets": lambda p=person: desk.budgets(p),
            "spending": lambda p=person: desk.ledger.spending(p),
            "records": lambda p=person: desk.ledger.records(p),
            "explain": lambda p=person: desk.explain(p, ASKED),
            "receipts": lambda p=person: [
                attempt(lambda e=entry: desk.ledger.receipt(p, e)) for entry in range(4)
            ],
            "checks": lambda p=person: [
                attempt(lambda e=entry: desk.ledger.check_receipt(p, {"entry": e}))
                for entry in range(4)
            ],
            "operations": lambda p=person: desk.operations(p),
        }
        seen |= {(name, what): attempt(work) for what, work in reads.items()}
    return seen


async def verified(desk):
    otto = who(desk, "otto")
    check = desk.ledger.verify(otto)
    while check.state == "running":
        await asyncio.sleep(0.001)
    return check.state, check.done, check.whole, check.told


def hold(folder, scenario):
    """Run a scenario at a desk whose clock stands still; `looked` waits until so many looks are over."""
    clock = Held()

    async def whole():
        slots = Slots(workers=4, lengths=(1.0, 8.0), clock=clock)
        desk = make_desk(folder, slots=slots)
        done, look = [], desk.asking._look

        def counted(*given):
            try:
                return look(*given)
            finally:
                done.append(1)

        async def looked(times):
            while len(done) < times:
                await asyncio.sleep(0.001)

        desk.asking._look = counted
        try:
            await scenario(desk, clock, looked)
        finally:
            clock.moment = 1e9
            await desk.drain()
            desk.close()

    asyncio.run(asyncio.wait_for(whole(), 30))


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


class Gates:
    """A gate before the rows for every look, in the order in which they come to it."""

    def __init__(self):
        self._lock, self._gates, self._all = threading.Lock(), {}, threading.Event()

    def wait(self):
        with self._lock:
            mine = self._gates.setdefault(threading.get_ident(), threading.Event())
        while not (mine.is_set() or self._all.is_set()):
            mine.wait(0.001)

    @property
    def waiting(self):
        return len(self._gates)

    def set(self):
        """Let all go on, also who comes later."""
        self._all.set()

    def let_go(self, place):
        """Let the look go on that was the first, the second, ... to come."""
        with self._lock:
            list(self._gates.values())[place].set()


def gate_engine(desk, monkeypatch):
    """Let looks wait until they are let go."""
    engine, go = type(desk._vault._access.engines["visits"]), Gates()

    def hold_back(look):
        def waiting(self, *given, rehearsing=False, **more):
            if not rehearsing:
                go.wait()
            return look(self, *given, **more, **({"rehearsing": True} if rehearsing else {}))

        return waiting

    for name in ("evaluate", "code"):
        monkeypatch.setattr(engine, name, hold_back(getattr(engine, name)))
    return go


def test_nothing_that_is_free_changes_before_the_slot_ends(folder, monkeypatch):
    async def scenario(desk, clock, looked):
        go = gate_engine(desk, monkeypatch)
        before = poll(desk)
        job = await desk.ask(who(desk, "ana"), ASKED, "k")
        reserved, whole = poll(desk), await verified(desk)
        for what in ("history", "records", "receipts", "budget", "spending", "explain"):
            assert reserved["ana", what] == before["ana", what]
        go.set()
        await looked(1)
        (entry,) = desk._vault.ledger.entries()
        assert entry.is_answered  # it is there, and nobody is told
        assert poll(desk) == reserved
        assert await verified(desk) == whole
        with pytest.raises(KeyReused) as refusal:
            await desk.ask(who(desk, "ana"), ASKED, "k")
        assert refusal.value.running
        assert await desk.ask(who(desk, "ana"), ASKED) is job  # the same question joins it
        assert not job.is_done
        clock.moment = job.slot.ends
        release = await job.result()
        after = poll(desk)
        for what in ("history", "receipts", "checks", "budget", "spending", "explain"):
            assert after["ana", what] != reserved["ana", what]
        assert desk.ledger.receipt(who(desk, "ana"), 0)["entry"] == release.receipt["entry"]
        again = await desk.ask(who(desk, "ana"), ASKED, "k")
        assert (again.is_done, again.outcome().rows) == (True, release.rows)

    hold(folder, scenario)


def ask_as(name, question):
    return lambda desk: desk.ask(who(desk, name), question)


def fit(desk):
    wanted = Fit("GaussianNB", 0.5, table="visits", target="ward", columns=["cost"])
    return desk.releases.learn(who(desk, "ana"), wanted)


def synthesize(desk):
    return desk.releases.synthesize(who(desk, "ana"), "visits", 0.5, columns=["ward"])


ALIKE = {
    "confidence": (
        *(ask_as("ana", ASKED), ask_as("ana", Question(COUNT, epsilon=0.5, confidence=0.9))),
        (True, 1),
    ),
    "cheaper": (ask_as("ana", ASKED), ask_as("ana", Question(COUNT, epsilon=0.3)), (True, 1)),
    "part": (
        ask_as("ana", Question(COUNT.replace(" FROM", ", SUM(cost) AS s FROM"), epsilon=0.5)),
        ask_as("ana", Question(COUNT, epsilon=0.1)),
        (False, 2),  # it could be read from the other, which is not shown yet
    ),
    "curators": (ask_as("cleo", ASKED), ask_as("dan", ASKED), (True, 1)),
    "fit": (fit, fit, (True, 1)),
    "synthesize": (synthesize, synthesize, (True, 1)),
}


@pytest.mark.parametrize("alike", ALIKE)
def test_what_resembles_a_running_question_tells_nothing(tmp_path, monkeypatch, alike):
    """It has a slot of its own; what it is told and charged is the same, whether the other's look was quick or slow.

    A slow one may still end before what resembles it, or be overtaken: each is tried, so that no race decides.
    """
    first, second, (free, charges) = ALIKE[alike]
    told = []

    def scenario_of(pace):
        slow = pace != "quick"

        async def scenario(desk, clock, looked):
            desk._identities.add("dan", "curator")
            go = gate_engine(desk, monkeypatch)
            job = await first(desk)
            while not list(desk._vault.ledger.entries()):
                await asyncio.sleep(0.001)
            if not slow:
                go.set()
                await looked(1)
            clock.moment = 0.5
            other = await second(desk)
            assert other.id != job.id
            if slow:
                while go.waiting < 2:
                    await asyncio.sleep(0.001)
                assert not any(entry.is_answered for entry in desk._vault.ledger.entries())
                go.let_go(0 if pace == "slow" else 1)
                await looked(1)
            go.set()
            await looked(2)
            reserved = poll(desk)
            clock.moment = job.slot.ends
            paid = await job.result()
            assert not paid.price.free
            assert poll(desk) != reserved
            assert not other.is_done
            clock.moment = other.slot.ends
            found = await other.result()
            assert found.price.free is free
            assert len(list(desk._vault.ledger.entries())) == charges
            spent = {name: desk._identities.spent_today(name) for name in ("ana", "cleo", "dan")}
            assert sum(spent.values()) == pytest.approx(
                paid.price.share + (0 if free else found.price.share)
            )
            if alike == "fit":
                assert json.loads(found.rows[0][0])["card"]["price"]["free"] is free
            told.append((str(found.price), spent))

        return scenario

    for pace in ("quick", "slow", "overtaken"):
        hold(make_folder(tmp_path / pace), scenario_of(pace))
        monkeypatch.undo()
    assert told[0] == told[1] == told[2]


def test_what_ended_is_seen_while_others_run_and_what_runs_is_not(folder, monkeypatch):
    async def scenario(desk, clock, looked):
        ana, ben = who(desk, "ana"), who(desk, "ben")
        job = await desk.ask(ana, ASKED)
        await looked(1)
        clock.moment = 0.5
        other = await desk.ask(ben, Question(BY_WARD, epsilon=0.1))
        await looked(2)
        clock.moment = 1.0
        await job.result()
        assert [each.answered for each in desk.ledger.history(ana)] == [True]
        assert desk.ledger.history(ben) == []
        assert desk.budget(ben).spent == pytest.approx(desk.budget(ana).spent)
        assert (await desk.ask(ana, ASKED)).is_done
        clock.moment = other.slot.ends
        await other.result()
        assert [each.answered for each in desk.ledger.history(ben)] == [True]

    hold(folder, scenario)


def test_an_earlier_charge_is_not_seen_answered_before_the_slot_ends(folder, monkeypatch):
    async def scenario(desk, clock, looked):
        ana = who(desk, "ana")
        engine = type(desk._vault._access.engines["visits"])
        monkeypatch.setattr(engine, "evaluate", lambda *_: 1 / 0)
        failed = await desk.ask(ana, ASKED)
        await looked(1)
        clock.moment = failed.slot.ends
        with pytest.raises(TacitError):
            await failed.result()
        monkeypatch.undo()
        job = await desk.ask(ana, ASKED)
        reserved = poll(desk)
        await looked(2)
        assert next(desk._vault.ledger.entries()).is_answered
        assert poll(desk) == reserved
        assert [each.answered for each in desk.ledger.history(ana)] == [False]
        clock.moment = job.slot.ends
        await job.result()
        assert [each.answered for each in desk.ledger.history(ana)] == [True]

    hold(folder, scenario)


@pytest.mark.parametrize("fails", [False, True])
def test_explanations_do_not_tell_whether_a_running_question_failed(folder, monkeypatch, fails):
    """Nor that it was charged: what it costs is told as before, until its slot ends."""
    alike = [
        Question(COUNT, epsilon=0.5),
        Question(COUNT, epsilon=0.3),
        Question(COUNT, epsilon=0.5, confidence=0.9),
        Question(COUNT, within=200),
    ]

    def explained(desk):
        return {
            (name, place): (told.free, told.paid, told.affordable, str(told))
            for name in ("ana", "ben", "cleo")
            for place, question in enumerate(alike)
            for told in [desk.explain(who(desk, name), question)]
        }

    async def scenario(desk, clock, looked):
        engine = type(desk._vault._access.engines["visits"])
        if fails:
            monkeypatch.setattr(engine, "evaluate", lambda *_: 1 / 0)
        before = explained(desk)
        job = await desk.ask(who(desk, "ben"), ASKED)
        await looked(1)
        (entry,) = desk._vault.ledger.entries()
        assert entry.is_answered is not fails
        assert explained(desk) == before
        clock.moment = job.slot.ends
        if fails:
            with pytest.raises(EngineFailed):
                await job.result()
        else:
            await job.result()
        after = explained(desk)
        assert after["ben", 0][:3] == after["ben", 2][:3] == (True, fails, True)
        for name in ("ana", "cleo"):  # who did not pay
            assert after[name, 0][:3] == before[name, 0][:3]

    hold(folder, scenario)


def test_facts_that_are_found_are_told_when_the_slot_ends_and_count_for_the_day(tmp_path):
    policy = POLICY.replace("low = 0, high = 50", "").replace('"number",', '"number"')

    async def scenario(desk, clock, looked):
        job = await desk.releases.find_bounds(who(desk, "cleo"), "visits.cost", 1, 0.9)
        reserved = poll(desk)
        await looked(1)
        assert next(desk._vault.ledger.entries()).is_answered
        assert poll(desk) == reserved
        clock.moment = job.slot.ends
        await job.result()
        assert poll(desk)["ana", "tables"] != reserved["ana", "tables"]
        assert desk._identities.spent_today("cleo") > 0

    hold(make_folder(tmp_path / "unbounded", policy), scenario)
