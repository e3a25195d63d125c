"""The desk decides: who may do what, what is free, what is charged, and when it leaves."""

import asyncio
import sqlite3
import threading
from contextlib import suppress
from fractions import Fraction

import pytest

import tacit
from tacit.curator import KINDS, was_opened
from tacit.engines import DuckDB
from tacit.errors import (
    AccessDenied,
    AllowanceExceeded,
    EngineFailed,
    InvalidInput,
    InvalidPlan,
    KeyReused,
    LedgerRefused,
    LedgerUnavailable,
    LimitExceeded,
    NotFound,
    ServerUnavailable,
    TooMany,
)
from tacit.server import (
    Calibration,
    Identities,
    Question,
    Rate,
    Rates,
    Slots,
    Waiting,
    ask_in_slot,
)
from tacit.server.idempotency import Keys
from tests.unit.server.clinics import (
    BY_WARD,
    COUNT,
    PLENTY,
    POLICY,
    add_people,
    answer,
    entries,
    make_folder,
    run,
    who,
)


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


def test_a_paid_answer_is_the_vaults_own_and_is_charged_to_who_asks(folder):
    async def scenario(desk):
        release = await answer(desk, "ana", Question(BY_WARD, epsilon=0.5))
        (entry,) = entries(desk)
        assert (entry.analyst, release.receipt["entry"]) == ("ana", entry.number)
        assert desk._vault.check_receipt(release.receipt) == []
        assert desk.ledger.check_receipt(who(desk, "ana"), release.receipt) == []
        again = await desk.ask(who(desk, "ana"), Question(BY_WARD, epsilon=0.5))
        assert again.is_done  # at once: no slot
        assert again.slot is None
        assert (await again.result()).rows == release.rows
        assert len(entries(desk)) == 1
        events = [line.split('"event": "')[1].split('"')[0] for line in desk.lines]
        assert [each for each in events if each != "late"] == ["asked", "answered", "replayed"]

    run(folder, scenario)


def test_a_curator_pays_from_the_limit_of_everyone(folder):
    async def scenario(desk):
        await answer(desk, "cleo", Question(COUNT, epsilon=0.5))
        assert [entry.analyst for entry in entries(desk)] == [None]

    run(folder, scenario)


@pytest.mark.parametrize("key", [None, "k1"])
def test_a_question_that_is_sent_again_is_charged_once(folder, key):
    async def scenario(desk):
        ana, question = who(desk, "ana"), Question(BY_WARD, epsilon=0.5)
        jobs = [await desk.ask(ana, question, key)]
        for _ in range(3):
            try:
                jobs.append(await desk.ask(ana, question, key))
            except KeyReused as refusal:
                assert refusal.running  # noqa: PT017 -- either way is right, and it must be one of them
        found = [await job.result() for job in jobs]
        assert len({release.rows for release in found}) == 1
        assert len(entries(desk)) == 1
        assert desk._identities.spent_today("ana") == pytest.approx(found[0].price.share)

    run(folder, scenario)


def test_a_key_pins_the_answer_across_a_refresh(folder):
    async def scenario(desk):
        question = Question(BY_WARD, epsilon=0.5)
        first = await answer(desk, "ana", question, "k")
        assert desk.refresh(who(desk, "cleo"), "visits") == 1
        again = await answer(desk, "ana", question, "k")
        assert (again.rows, again.receipt) == (first.rows, first.receipt)
        assert len(entries(desk)) == 1
        await answer(desk, "ana", question)
        assert len(entries(desk)) == 2
        with pytest.raises(KeyReused):
            await desk.ask(who(desk, "ana"), Question(COUNT, epsilon=0.5), "k")

    run(folder, scenario)


def test_whoever_stops_waiting_changes_nothing(folder):
    async def scenario(desk):
        ana = who(desk, "ana")
        job = await desk.ask(ana, Question(COUNT, epsilon=0.5))
        waiting = asyncio.create_task(job.result())
        await asyncio.sleep(0)
        waiting.cancel()
        desk.asking.leave(ana, job.id)
        await desk.drain()
        (entry,) = entries(desk)
        assert entry.is_answered
        assert desk.job(ana, job.id).outcome().receipt["entry"] == entry.number

    run(folder, scenario)


def test_a_job_belongs_to_who_asked(folder):
    async def scenario(desk):
        job = await desk.ask(who(desk, "ana"), Question(COUNT, epsilon=0.5))
        for name in ("ben", "cleo"):
            with pytest.raises(NotFound):
                desk.job(who(desk, name), job.id)
            with pytest.raises(NotFound):
                desk.asking.leave(who(desk, name), job.id)

    run(folder, scenario)


def test_what_is_refused_takes_no_slot_and_no_allowance(folder):
    async def scenario(desk):
        ana = who(desk, "ana")
        for question, refusal in [
            (Question("SELECT cost FROM visits", epsilon=1), InvalidPlan),
            (Question(COUNT), InvalidInput),
            (Question(COUNT, epsilon=19), LimitExceeded),
            (Question(COUNT, epsilon=1, confidence=2), InvalidInput),
        ]:
            with pytest.raises(refusal):
                await desk.ask(ana, question, "key")
        assert entries(desk) == []
        assert desk._identities.spent_today("ana") == 0
        assert sum(desk.slots.used.values()) == 0
        await answer(desk, "ana", Question(COUNT, epsilon=1), "key")  # a refusal frees its key

    run(folder, scenario)


def test_an_own_limit_is_told_by_name_and_replay_still_works(folder):
    async def scenario(desk):
        first = await answer(desk, "ben", Question(COUNT, epsilon=0.9))
        with pytest.raises(LimitExceeded) as refusal:
            await desk.ask(who(desk, "ben"), Question(BY_WARD, epsilon=0.9))
        assert refusal.value.analyst == "ben"
        again = await answer(desk, "ben", Question(COUNT, epsilon=0.9))
        assert again.rows == first.rows
        assert again.price.free

    run(folder, scenario)


def test_the_day_allows_so_much_and_replays_are_free(folder):
    identities = add_people(Identities())

    async def scenario(desk):
        share = desk.explain(who(desk, "ana"), Question(COUNT, epsilon=1)).share
        identities.set_terms("ana", price=None, allowance=share * 1.5)
        await answer(desk, "ana", Question(COUNT, epsilon=1))
        with pytest.raises(AllowanceExceeded):
            await desk.ask(who(desk, "ana"), Question(BY_WARD, epsilon=1))
        await answer(desk, "ana", Question(COUNT, epsilon=1))
        assert len(entries(desk)) == 1
        standing = desk.standing(who(desk, "ana"))
        assert standing.spent_today == pytest.approx(share)

    run(folder, scenario, identities=identities)


def test_a_usual_price_is_used_where_none_is_named(folder):
    identities = add_people(Identities())

    async def scenario(desk):
        identities.set_terms("ana", price="1/4", allowance=None)
        ana = who(desk, "ana")
        told = desk.explain(ana, Question(COUNT))
        assert told == desk.explain(ana, Question(COUNT, epsilon=Fraction(1, 4)))
        release = await answer(desk, "ana", Question(COUNT))
        assert release.price.epsilon == pytest.approx(0.25)
        again = await answer(desk, "ana", Question(COUNT, epsilon=Fraction(1, 4)))
        assert again.price.free
        header = COUNT.replace("SELECT", "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = 0.5)")
        assert desk.explain(ana, Question(header)) == desk.explain(
            ana, Question(COUNT, epsilon=0.5)
        )
        with pytest.raises(InvalidInput):
            desk.explain(who(desk, "ben"), Question(COUNT))

    run(folder, scenario, identities=identities)


def test_an_analyst_without_a_limit_is_refused(folder, tmp_path):
    identities = add_people(Identities())
    identities.add("zoe", "analyst")

    async def scenario(desk):
        zoe = who(desk, "zoe")
        with pytest.raises(AccessDenied, match="no limit"):
            await desk.ask(zoe, Question(COUNT, epsilon=1))
        with pytest.raises(AccessDenied, match="no limit"):
            desk.explain(zoe, Question(COUNT, epsilon=1))
        assert entries(desk) == []

    run(folder, scenario, identities=identities)
    shared = make_folder(tmp_path / "shared", POLICY.split("[analysts.ana]", maxsplit=1)[0])

    async def told_otherwise(desk):
        await answer(desk, "zoe", Question(COUNT, epsilon=1))
        assert [entry.analyst for entry in entries(desk)] == ["zoe"]

    people = add_people(Identities())
    people.add("zoe", "analyst")
    run(shared, told_otherwise, identities=people, shared_limit=True)


def test_a_failing_engine_is_one_sentence_and_stays_charged(folder, monkeypatch):
    async def scenario(desk):
        engine = type(desk._vault._access.engines["visits"])
        monkeypatch.setattr(engine, "evaluate", lambda *_: 1 / 0)
        with pytest.raises(EngineFailed):
            await answer(desk, "ana", Question(COUNT, epsilon=1), "k")
        (entry,) = entries(desk)
        assert not entry.is_answered
        assert desk._identities.spent_today("ana") > 0
        monkeypatch.undo()
        release = await answer(desk, "ana", Question(COUNT, epsilon=1), "k")
        assert release.receipt["entry"] == entry.number  # the same charge
        assert len(entries(desk)) == 1

    run(folder, scenario)


def test_what_fails_before_its_charge_takes_nothing_of_the_day(folder, monkeypatch):
    async def scenario(desk):
        def fail(*_, **__):
            raise EngineFailed

        monkeypatch.setattr(tacit.curator.Vault, "sql", fail)
        with pytest.raises(EngineFailed):
            await answer(desk, "ana", Question(COUNT, epsilon=1), "k")
        assert (entries(desk), desk._identities.spent_today("ana")) == ([], 0)
        monkeypatch.undo()
        await answer(desk, "ana", Question(COUNT, epsilon=1), "k")
        assert desk._identities.spent_today("ana") > 0

    run(folder, scenario)


def test_what_is_refused_after_a_charge_stays_counted(folder, monkeypatch):
    """Several charges of one release, the last of which no longer fits: what was charged before is not given back."""

    async def scenario(desk):
        sql = tacit.curator.Vault.sql

        def refuse_then(*given, **named):
            sql(*given, **named)
            raise LimitExceeded("ana", Fraction(1), Fraction(0))

        monkeypatch.setattr(tacit.curator.Vault, "sql", refuse_then)
        with pytest.raises(LimitExceeded):
            await answer(desk, "ana", Question(COUNT, epsilon=1), "k")
        assert len(entries(desk)) == 1
        assert desk._identities.spent_today("ana") > 0
        with pytest.raises(KeyReused):  # the key keeps its meaning
            await answer(desk, "ana", Question(BY_WARD, epsilon=1), "k")

    run(folder, scenario)


def test_nothing_is_written_where_all_are_served(folder, monkeypatch):
    """Neither keys nor allowances: a disk or a database that takes long keeps nobody else waiting."""
    writers = []

    def note_thread(owner, name):
        work = getattr(owner, name)

        def noted(*given):
            writers.append((name, threading.get_ident() == threading.main_thread().ident))
            return work(*given)

        monkeypatch.setattr(owner, name, noted)

    for name in ("begin", "end", "leave"):
        note_thread(Keys, name)
    for name in ("spend", "give_back"):
        note_thread(Identities, name)

    async def scenario(desk):
        ana = who(desk, "ana")
        await answer(desk, "ana", Question(COUNT, epsilon=1), "paid")
        await answer(desk, "ana", Question(COUNT, epsilon=1), "known")
        with pytest.raises(LimitExceeded):
            await desk.ask(ana, Question(COUNT, epsilon=500), "refused")
        for step in ("begin", "spend"):
            writers.append(("", False))
            left = asyncio.create_task(desk.ask(ana, Question(BY_WARD, epsilon=1), step))
            while writers[-1][0] != step and not left.done():
                await asyncio.sleep(0)
            left.cancel()
            with pytest.raises(asyncio.CancelledError):
                await left
            while desk.asking.many_running:
                await asyncio.sleep(0.001)
            assert desk.asking._keys._running == set()
            assert desk._served.unseen._board.read()[0] == ()
        assert len(entries(desk)) == 1  # whoever left before the slot was reserved asked nothing

    run(folder, scenario)
    assert {name for name, _ in writers} == {"", "begin", "end", "leave", "spend", "give_back"}
    assert not any(here for _, here in writers)


def test_a_slot_that_nobody_asks_in_is_taken_off_though_the_disk_fails(folder, monkeypatch):
    """Whoever leaves while entering frees the slot: a full disk keeps the allowance, and not the slot, for ever."""
    monkeypatch.setattr(ask_in_slot, "_AGAIN", 0.001)

    async def scenario(desk):
        ana, unseen, fails = who(desk, "ana"), desk._served.unseen, []
        entered, go_on = threading.Event(), threading.Event()
        enter, leave = unseen.enter, unseen.leave

        def enter_slowly(vault):
            hidden = enter(vault)
            entered.set()
            assert go_on.wait(60)
            return hidden

        def fail_twice(*given):
            fails.append("leave")
            if fails.count("leave") < 3:
                raise sqlite3.OperationalError("database or disk is full")
            leave(*given)

        def fail(*_):
            fails.append("give_back")
            raise sqlite3.OperationalError("database or disk is full")

        monkeypatch.setattr(unseen, "enter", enter_slowly)
        monkeypatch.setattr(unseen, "leave", fail_twice)
        monkeypatch.setattr(desk.asking._identities, "give_back", fail)
        left = asyncio.create_task(desk.ask(ana, Question(COUNT, epsilon=1)))
        while not entered.is_set():
            await asyncio.sleep(0.001)
        left.cancel()
        with pytest.raises(asyncio.CancelledError):
            await left
        go_on.set()
        while desk.asking.many_running:
            await asyncio.sleep(0.001)
        assert fails == ["give_back", "leave", "leave", "leave"]
        assert unseen._board.read()[0] == ()

    run(folder, scenario)


def test_a_mistake_of_ours_tells_nothing(folder, monkeypatch):
    async def scenario(desk):
        def look(*_, **__):
            raise RuntimeError("patient 17 is ill")

        monkeypatch.setattr(tacit.curator.Vault, "sql", look)
        monkeypatch.setattr(tacit.curator.Vault, "replay", lambda *_, **__: None)
        with pytest.raises(EngineFailed) as refusal:
            await answer(desk, "ana", Question(COUNT, epsilon=1))
        assert "patient 17" not in f"{refusal.value}{desk.lines}"

    run(folder, scenario)


def test_new_limits_are_read_once_or_refused(folder):
    async def scenario(desk):
        await answer(desk, "ana", Question(COUNT, epsilon=1))
        (folder / "tacit.toml").write_text(POLICY.replace("epsilon = 10", "epsilon = 2"))
        tacit.open(folder).close()  # another process, with the new policy
        with pytest.raises(LimitExceeded):
            await answer(desk, "ana", Question(BY_WARD, epsilon=3))
        assert desk.policy.analysts["ana"].epsilon == 2
        assert len(entries(desk)) == 1
        await answer(desk, "ana", Question(BY_WARD, epsilon=1))
        (folder / "tacit.toml").write_text(POLICY)
        tacit.open(folder).close()  # and there is more to spend
        await answer(desk, "ana", Question(BY_WARD, epsilon=3))

    run(folder, scenario)

    async def without_a_file(desk):
        (folder / "tacit.toml").write_text(POLICY.replace("epsilon = 10", "epsilon = 3"))
        tacit.open(folder).close()
        with pytest.raises(LedgerRefused):
            await answer(desk, "ana", Question("SELECT SUM(cost) AS s FROM visits", epsilon=1))

    run(folder, without_a_file, reopen=None)


@pytest.mark.parametrize("old", [POLICY, "[limit"])
def test_an_old_copy_of_the_policy_never_sets_limits_back(folder, old):
    """As on another machine whose file was not brought up to date, or is being written."""

    async def scenario(desk):
        (folder / "tacit.toml").write_text(POLICY.replace("epsilon = 10", "epsilon = 2"))
        tacit.open(folder).close()
        records = len(list(desk._vault.records()))
        (folder / "tacit.toml").write_text(old)
        for turn in range(2):
            with pytest.raises(LedgerRefused):
                await answer(desk, "ana", Question(f"{COUNT} WHERE cost > {turn}", epsilon=3))
        assert len(list(desk._vault.records())) == records
        assert not entries(desk)

    run(folder, scenario)


def test_a_curator_reloads_the_policy(folder):
    async def scenario(desk):
        (folder / "tacit.toml").write_text(POLICY.replace("epsilon = 10", "epsilon = 4"))
        desk.reload(who(desk, "cleo"))
        assert desk.policy.analysts["ana"].epsilon == 4
        await answer(desk, "ana", Question(COUNT, epsilon=1))

    run(folder, scenario)


def test_rates_and_waiting_are_kept(folder):
    async def scenario(desk):
        ana = who(desk, "ana")
        await desk.ask(ana, Question(COUNT, epsilon=0.1))
        with pytest.raises(TooMany):
            await desk.ask(ana, Question(BY_WARD, epsilon=0.1))
        await desk.drain()
        desk.asking.is_closing = False
        await answer(desk, "ana", Question(BY_WARD, epsilon=0.1))
        for _ in range(2):
            desk.explain(ana, Question(COUNT, epsilon=1))
        with pytest.raises(TooMany):
            desk.explain(ana, Question(COUNT, epsilon=1))

    rates = Rates({**PLENTY, "explanations": Rate(2, 1e9)})
    run(folder, scenario, waiting=Waiting(1), rates=rates)


def test_a_desk_that_is_closing_takes_nothing_and_finishes_what_runs(folder):
    async def scenario(desk):
        job = await desk.ask(who(desk, "ana"), Question(COUNT, epsilon=0.1))
        await desk.drain()
        assert job.is_done
        assert not desk.is_ready
        with pytest.raises(ServerUnavailable):
            await desk.ask(who(desk, "ana"), Question(BY_WARD, epsilon=0.1))

    run(folder, scenario)


def test_bounds_are_found_in_a_slot_by_a_curator_alone(tmp_path):
    policy = POLICY.replace("low = 0, high = 50", "")
    folder = make_folder(tmp_path / "unbounded", policy.replace('"number",', '"number"'))

    async def scenario(desk):
        with pytest.raises(AccessDenied):
            await desk.releases.find_bounds(who(desk, "ana"), "visits.cost", 1, 0.9)
        job = await desk.releases.find_bounds(who(desk, "cleo"), "visits.cost", 1, 0.9)
        assert job.slot is not None
        assert "cost" in (await job.result())["found"][0]
        assert desk.tables(who(desk, "ana"))["visits"].table.columns[1].high is not None
        job = await desk.releases.find_contributions(who(desk, "cleo"), "visits", 1, 0.9)
        with pytest.raises(InvalidInput):  # it is declared
            await job.result()

    run(folder, scenario)


def test_a_slot_that_could_not_be_taken_off_ends_all_the_same_and_is_tried_again(
    folder, monkeypatch
):
    monkeypatch.setattr("tacit.server.ask_in_slot._AGAIN", 0.001)

    async def scenario(desk):
        board = desk._served.unseen._board
        remove, tried = board.remove, []

        def away(*given):
            tried.append(1)
            if len(tried) <= 2:
                raise LedgerUnavailable("the database", "went away", "ask again")
            remove(*given)

        monkeypatch.setattr(board, "remove", away)
        release = await answer(desk, "ana", Question(COUNT, epsilon=0.5))
        assert not release.price.free
        while board.read()[0]:
            await asyncio.sleep(0.001)
        assert len(tried) == 3
        assert [each.answered for each in desk.ledger.history(who(desk, "ana"))] == [True]
        assert not desk.asking._leaving
        assert not desk.asking._waiting._now

    run(folder, scenario)


JOINED = """
[tables.stays]
source = "visits.csv"
unit = "patient"
contributions = 2

[tables.stays.columns]
ward = { type = "text", values = ["A", "B"] }
"""


def lengths_of(folder, *questions, before=lambda _: None):
    """How long the slots of questions are."""

    async def scenario(desk):
        found = []
        for question in questions:
            before(desk)
            job = await desk.ask(who(desk, "ana"), Question(question, epsilon=0.1))
            found.append(round(desk.asking.length_of(job), 6))
            with suppress(EngineFailed):
                await job.result()
        return found

    return run(folder, scenario, slots=Slots(lengths=(0.01, 0.02, 0.04)), calibration=QUICK)


QUICK = Calibration({name: dict.fromkeys(KINDS, 0.001) for name in ("visits", "stays")}, {})


def test_who_is_first_to_ask_about_tables_together_has_more_time(tmp_path):
    folder = make_folder(tmp_path / "clinic", POLICY + JOINED)
    joined = "SELECT COUNT(*) AS n FROM visits JOIN stays USING (patient) WHERE cost > {}"
    questions = [COUNT, joined.format(1), joined.format(2), f"{COUNT} WHERE cost > 3"]
    assert lengths_of(folder, *questions) == [0.01, 0.02, 0.01, 0.01]
    parts = f"{COUNT} UNION ALL SELECT COUNT(*) AS n FROM stays"
    assert lengths_of(folder, parts) == [0.01]  # each was read by itself when the server began


def test_a_table_that_another_process_refreshed_is_read_in_a_longer_slot(folder):
    def refresh(desk):
        with tacit.open(folder) as other:
            other.refresh("visits")

    assert lengths_of(folder, COUNT, COUNT, before=refresh) == [0.02, 0.02]


def test_how_long_a_slot_is_tells_nothing_of_rows_that_cannot_be_read(folder):
    (folder / "visits.csv").write_bytes(
        b"patient,ward,cost,icd,day\n1,\xff\xfe,2,x,2025-03-01\n" * 9
    )
    assert lengths_of(folder, COUNT, BY_WARD) == [0.01, 0.01]


def test_tables_are_read_when_the_policy_is_and_when_they_are_refreshed(folder):
    async def scenario(desk):
        desk.reload(who(desk, "cleo"))
        assert was_opened(desk._vault, ["visits"])
        desk.refresh(who(desk, "cleo"), "visits")
        assert was_opened(desk._vault, ["visits"])
        before = desk._vault
        desk.reload_by_file()
        assert desk._vault is not before
        assert was_opened(desk._vault, ["visits"])
        assert not entries(desk)

    run(folder, scenario)


def test_the_curator_is_told_of_an_answer_that_missed_its_slot(folder, monkeypatch):
    told, go_on = [], threading.Event()
    real = DuckDB.evaluate

    def slow(self, question, weights):
        assert go_on.wait(60)
        return real(self, question, weights)

    def tell(text):
        told.append(text)
        go_on.set()

    async def scenario(desk):
        monkeypatch.setattr(DuckDB, "evaluate", slow)
        await answer(desk, "ana", Question(f"{COUNT} WHERE ward = 'A'", epsilon=0.5))
        return desk.lines

    lines = run(folder, scenario, tell_curator=tell)
    (said,) = told
    assert said.startswith("sums of visits: an answer was not ready when its slot of 0.05 s ended")
    assert f"tacit calibrate {folder} --rows TABLE=ROWS" in said
    assert "'A'" not in said
    (late,) = [line for line in lines if '"late"' in line]
    assert '"about": "sums of visits"' in late
