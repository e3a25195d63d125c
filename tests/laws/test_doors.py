"""All doors of a server are one desk's: the same people come in, the same slots, refusals and failures."""

import pytest

import tacit
from tacit.curator import ask as asking
from tacit.errors import EngineFailed, TacitError
from tacit.server import Desk, Identities
from tests.laws.every_door import DOORS, Refused
from tests.unit.remote.serving import served
from tests.unit.server.clinics import PASSWORD, POLICY, make_folder

CANARY = "patient-4711-is-ill"
AMPLE = POLICY.replace("epsilon = 20\n", "epsilon = 2000\n").replace(
    "epsilon = 10\n", "epsilon = 1000\n"
)
WRONG = "the name or the password is wrong"
REFUSED = {
    "SELECT cost FROM visits": 0.1,
    "SELECT COUNT(*) AS n FROM visits_of_others": 0.1,
    "SELECT COUNT(*) AS n FROM visits WHERE": 0.1,
    "DROP TABLE visits": 0.1,
    "SELECT SUM(cost) AS s FROM visits": 1500,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    folder = make_folder(tmp_path_factory.mktemp("doors") / "clinic", AMPLE, rows=40)
    people = Identities()
    with served(folder, people) as (url, desk, _):
        for name in ("ana", "ben", "otto"):
            people.set_password(name, PASSWORD)
        yield url, desk, people


@pytest.fixture(params=sorted(DOORS))
def door(request):
    return DOORS[request.param]


def counts(desk):
    return len(list(desk._vault.ledger.entries())), sum(desk.slots.used.values())


def fresh(desk, door):
    """A question that nobody asked before."""
    asked, place = counts(desk)[0], sorted(DOORS.values(), key=str).index(door)
    return f"SELECT ward, COUNT(*) AS n FROM visits WHERE cost > {asked * 8 + place} / 1024 GROUP BY ward"


def said(call):
    with pytest.raises(Refused) as refused:
        call()
    return str(refused.value)


def test_only_who_has_a_password_comes_in(server, door):
    url, desk, _ = server
    before = counts(desk)
    for name, password in (("ana", "wrong password"), ("nobody", PASSWORD), ("", "")):
        assert WRONG in said(lambda name=name, password=password: door((url, desk), name, password))
    assert counts(desk) == before


def test_who_is_disabled_is_out_at_once(server, door):
    url, desk, people = server
    visit, before = door((url, desk), "ben", PASSWORD), counts(desk)
    people.disable("ben")
    try:
        assert CANARY not in said(lambda: visit.ask(fresh(desk, door), 0.125))
        assert WRONG in said(lambda: door((url, desk), "ben", PASSWORD))
    finally:
        people.enable("ben")
    assert counts(desk) == before


def test_an_auditor_asks_nothing(server, door):
    url, desk, _ = server
    before = counts(desk)
    assert "the role auditor may not do this" in said(
        lambda: door((url, desk), "otto", PASSWORD).ask(fresh(desk, door), 0.125)
    )
    assert counts(desk) == before


def test_a_paid_question_is_charged_once_in_one_slot_and_known_at_every_door(server, door):
    url, desk, _ = server
    entries, slots = counts(desk)
    question = fresh(desk, door)
    door((url, desk), "ana", PASSWORD).ask(question, 0.125)
    assert counts(desk) == (entries + 1, slots + 1)
    entry = list(desk._vault.ledger.entries())[-1]
    numbers = [row[1] for row in desk._vault.of("ana").sql(question, epsilon=0.125).rows]
    for other in DOORS.values():
        shown = other((url, desk), "ana", PASSWORD).ask(question, 0.125)
        assert all(f"{number}" in shown.replace(",", "") for number in numbers), shown
    assert counts(desk) == (entries + 1, slots + 1)
    assert entry.analyst == "ana"


@pytest.mark.parametrize("question", sorted(REFUSED))
def test_a_refusal_has_the_same_words_and_takes_no_slot(server, door, question):
    url, desk, _ = server
    before = counts(desk)
    with pytest.raises(TacitError) as known:
        desk._vault.of("ana").sql(question, epsilon=REFUSED[question])
    told = said(lambda: door((url, desk), "ana", PASSWORD).ask(question, REFUSED[question]))
    reason = getattr(known.value, "reason", None) or str(known.value)
    if question not in getattr(door, "own_words", ()):
        assert " ".join(reason.split()) in told
    assert counts(desk) == before


@pytest.mark.parametrize("place", ["engine", "noise"])
def test_what_fails_in_a_look_says_one_sentence_when_its_slot_ends(
    server, door, place, monkeypatch
):
    url, desk, _ = server
    engine = type(desk._vault._access.engines["visits"])
    owner, name = (engine, "evaluate") if place == "engine" else (asking, "release_exact")

    def fail(*_):
        raise RuntimeError(CANARY)

    question, (_, slots) = fresh(desk, door), counts(desk)
    visit = door((url, desk), "ana", PASSWORD)
    monkeypatch.setattr(owner, name, fail)
    told = said(lambda: visit.ask(question, 0.125))
    assert CANARY not in told
    assert str(EngineFailed()).partition(";")[0] in told
    assert counts(desk)[1] == slots + 1
    assert CANARY not in "".join(desk.lines)


def test_a_mistake_of_ours_says_one_sentence(server, door, monkeypatch):
    url, desk, _ = server
    visit = door((url, desk), "ana", PASSWORD)

    async def fail(*_):
        raise RuntimeError(CANARY)

    monkeypatch.setattr(Desk, "ask", fail)
    told = said(lambda: visit.ask(fresh(desk, door), 0.125))
    assert CANARY not in told
    assert door.mistake in told
    assert CANARY not in "".join(desk.lines)


def test_every_door_of_the_server_is_here():
    from pathlib import Path

    rooms = Path(tacit.__file__).parent / "server"
    doors = {
        file.name for file in rooms.iterdir() if file.is_dir() and (file / "__init__.py").exists()
    }
    known = {"http": {"interface", "workbench", "client"}, "wire": {"wire"}}
    assert doors <= known.keys(), "say in tests/laws/every_door.py how somebody comes in"
    assert set().union(*(known[each] for each in doors)) <= DOORS.keys()
