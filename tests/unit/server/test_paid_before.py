"""What was charged and never answered is answered when it is asked again, however little is left: it is paid."""

import pytest

import tacit
from tacit.errors import AllowanceExceeded, EngineFailed, LimitExceeded
from tacit.server import Identities, Question
from tests.unit.server.clinics import (
    BY_WARD,
    COUNT,
    add_people,
    answer,
    entries,
    make_folder,
    run,
    running_app,
    who,
)
from tests.unit.server.wire.rooms import open_room

SUBQUERY = "SELECT COUNT(*) AS n FROM visits WHERE cost > (SELECT AVG(cost) FROM visits)"
PARTS = f"{COUNT} UNION ALL SELECT COUNT(*) AS n FROM visits WHERE cost > 9"
FIRST = "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1"
QUESTIONS = [COUNT, SUBQUERY, PARTS, FIRST]


class Crash(BaseException):
    """The end of a process, as far as what it leaves behind is concerned."""


def engine_of(vault):
    return type(vault._access.engines["visits"])


@pytest.fixture
def folder(tmp_path):
    return make_folder(tmp_path / "clinic")


@pytest.fixture
def crashed(folder, monkeypatch):
    """A vault's directory after a crash between the charge for a question of ben's and its answer."""

    def crash(sql):
        def stop(*_):
            raise Crash

        with tacit.open(folder) as vault, monkeypatch.context() as broken:
            broken.setattr(engine_of(vault), "evaluate", stop)
            with pytest.raises(Crash):
                vault.of("ben").sql(sql, epsilon=0.9)
            (entry,) = vault.ledger.entries()
            assert (entry.analyst, entry.is_answered) == ("ben", False)
        return folder

    return crash


@pytest.mark.parametrize("sql", QUESTIONS)
def test_after_a_crash_the_desk_answers_what_is_paid(crashed, sql):
    asked = Question(sql, epsilon=0.9)

    async def scenario(desk):
        ben = who(desk, "ben")
        told = desk.explain(ben, asked)
        assert (told.free, told.paid, told.affordable) == (True, True, True)
        with pytest.raises(LimitExceeded):
            await desk.ask(ben, Question(BY_WARD, epsilon=0.9))
        job = await desk.ask(ben, asked)
        assert job.slot is not None  # rows are read
        release = await job.result()
        (entry,) = entries(desk)
        assert (release.receipt["entry"], entry.is_answered) == (entry.number, True)
        assert desk._identities.spent_today("ben") == 0

    run(crashed(sql), scenario)


@pytest.mark.parametrize("sql", QUESTIONS)
def test_after_a_crash_http_answers_what_is_paid(crashed, sql):
    body = {"sql": sql, "epsilon": "0.9"}
    with running_app(crashed(sql)) as clinic:
        told = clinic.ben.post("/api/v1/explanations", body).json()
        assert (told["free"], told["paid"], told["affordable"]) == (True, True, True)
        assert not clinic.ana.post("/api/v1/explanations", body).json()["paid"]
        made = clinic.ben.post("/api/v1/answers", body)
        assert made.status == 200, made.text
        assert len(entries(clinic.desk)) == 1
        assert not clinic.ben.post("/api/v1/explanations", body).json()["paid"]


@pytest.mark.parametrize("sql", QUESTIONS)
def test_after_a_crash_the_wire_answers_what_is_paid(crashed, sql):
    with open_room(crashed(sql)) as room:
        ben = room.client("ben", options="-c tacit.epsilon=0.9")
        assert any("already paid" in line for (line,) in ben.rows(f"EXPLAIN {sql}"))
        assert ben.rows(sql)
        assert room.charges() == 1


@pytest.mark.parametrize("key", [None, "k"])
@pytest.mark.parametrize("sql", QUESTIONS)
def test_after_a_failing_engine_what_is_paid_is_answered_and_counts_once(
    folder, monkeypatch, sql, key
):
    identities, asked = add_people(Identities()), Question(sql, epsilon=0.9)

    async def scenario(desk):
        share = desk.explain(who(desk, "ben"), asked).share
        identities.set_terms("ben", price=None, allowance=share * 1.01)
        with monkeypatch.context() as broken:
            broken.setattr(engine_of(desk._vault), "evaluate", lambda *_: 1 / 0)
            with pytest.raises(EngineFailed):
                await answer(desk, "ben", asked, key)
        assert identities.spent_today("ben") == pytest.approx(share)
        release = await answer(desk, "ben", asked, key)
        assert release.receipt["entry"] == 0
        assert len(entries(desk)) == 1
        assert identities.spent_today("ben") == pytest.approx(share)

    run(folder, scenario, identities=identities)


def test_what_is_charged_anew_after_all_is_counted_for_the_day(folder, monkeypatch):
    """A table that is refreshed between the look at the ledger and the slot makes it another question."""
    identities, asked = add_people(Identities()), Question(COUNT, epsilon=0.9)

    async def scenario(desk):
        share = desk.explain(who(desk, "ana"), asked).share
        with monkeypatch.context() as broken:
            broken.setattr(engine_of(desk._vault), "evaluate", lambda *_: 1 / 0)
            with pytest.raises(EngineFailed):
                await answer(desk, "ana", asked)
        start = desk.asking._start

        async def late(*given, **more):
            desk._vault.refresh("visits")
            return await start(*given, **more)

        monkeypatch.setattr(desk.asking, "_start", late)
        await answer(desk, "ana", asked)
        assert [entry.is_answered for entry in entries(desk)] == [False, True]
        assert identities.spent_today("ana") == pytest.approx(2 * share)

    run(folder, scenario, identities=identities)


def test_what_is_paid_is_answered_even_where_the_day_allows_nothing_more(folder, monkeypatch):
    identities, asked = add_people(Identities()), Question(COUNT, epsilon=0.9)

    async def scenario(desk):
        with monkeypatch.context() as broken:
            broken.setattr(engine_of(desk._vault), "evaluate", lambda *_: 1 / 0)
            with pytest.raises(EngineFailed):
                await answer(desk, "ana", asked)
        identities.set_terms("ana", price=None, allowance=identities.spent_today("ana") / 2)
        with pytest.raises(AllowanceExceeded):
            await desk.ask(who(desk, "ana"), Question(BY_WARD, epsilon=0.1))
        assert (await answer(desk, "ana", asked)).rows

    run(folder, scenario, identities=identities)
