"""Identities, keys and the board of slots in PostgreSQL: as in a file, and the same for every server."""

from inspect import signature

import pytest

import tacit
from tacit.curator import Unseen
from tacit.errors import LedgerUnavailable
from tacit.server import Identities, identities, shared_board
from tacit.server.idempotency import Keys
from tacit.server.postgres_tables import PostgresTables, adopt_file
from tacit.server.shared_board import SharedBoard
from tests import postgres
from tests.unit.curator.test_hide_until_slot_end import PRICE, PURE, told
from tests.unit.server import test_idempotency, test_identities
from tests.unit.server.clinics import make_folder

PASSWORD = test_identities.PASSWORD

for suite, fixture in ((test_identities, "people"), (test_idempotency, "keys")):
    for name, law in vars(suite).items():  # what holds for a file holds here, too
        if name.startswith("test_") and fixture in signature(law).parameters:
            globals()[name] = law


@pytest.fixture
def address():
    return postgres.fresh_address()


@pytest.fixture
def opened(address):
    """What opens the same tables once more, as another server does."""
    made = []

    def connect():
        made.append(PostgresTables(address))
        return made[-1]

    yield connect
    for each in made:
        each.close()


@pytest.fixture
def cheap(monkeypatch):
    monkeypatch.setattr(identities, "hash_password", lambda text: f"hash of {text}")
    monkeypatch.setattr(identities, "is_password", lambda known, text: known == f"hash of {text}")


@pytest.fixture
def people(cheap, opened):
    known = Identities(opened())
    known.add("ana", "analyst", PASSWORD, allowance=0.1)
    known.add("cleo", "curator")
    return known


@pytest.fixture
def now():
    return [0.0]


@pytest.fixture
def keys(now, opened):
    return Keys(Identities(opened()), now=lambda: now[0])


def test_what_one_server_decides_counts_for_the_other(people, opened):
    other = Identities(opened())
    token = people.new_token("ana")
    assert other.of_token(token) == people.of_token(token)
    assert other.secret("sessions") == people.secret("sessions")
    who = other.sign_in("ana", PASSWORD)
    people.spend(who, 0.06)
    with pytest.raises(tacit.errors.AllowanceExceeded):
        other.spend(who, 0.06)
    other.revoke(other.tokens("ana")[0].id)
    assert people.of_token(token) is None
    people.disable("ana")
    assert other.find("ana", who.generation) is None


def test_identities_of_a_file_are_taken_over_once(tmp_path, cheap, opened):
    file = tmp_path / "identities.sqlite"
    before = Identities(file)
    before.add("ana", "analyst", PASSWORD)
    token = before.new_token("ana")
    before.keep_text("ana", 3, {"sql": "SELECT 1"})
    before.close()
    tables = opened()
    adopt_file(tables, file)
    after = Identities(tables)
    assert after.of_token(token).name == "ana"
    assert after.texts("ana", [3]) == {3: {"sql": "SELECT 1"}}
    after.add("ben", "analyst")
    adopt_file(tables, file)
    assert [each.name for each in after.people()] == ["ana", "ben"]


def test_a_database_that_is_away_is_said_so_without_its_address(opened):
    tables = opened()
    with pytest.raises(LedgerUnavailable) as refusal, tables.reading() as file:
        file.execute("SELECT * FROM nothing_like_it")
    assert "127.0.0.1" not in str(refusal.value)
    with tables.reading() as file:
        assert file.execute("SELECT COUNT(*) FROM people").fetchone() == (0,)


@pytest.fixture
def vault(tmp_path):
    with tacit.open(make_folder(tmp_path / "clinic", PURE, rows=10)) as made:
        yield made


def test_a_server_hides_what_is_written_in_slots_of_another(vault, opened):
    boards = [SharedBoard(opened()) for _ in range(2)]
    here, there = map(Unseen, boards)
    ledger = vault.ledger
    ledger.charge(b"a", PRICE, "ana", topic=b"t")
    before = told(there.seen(vault).ledger)
    first = here.enter(vault)
    ledger.settle(ledger.charge(b"b", PRICE, "ana", topic=b"t"), b"answer")
    ledger.settle(ledger.charge(b"a", PRICE, "ana", topic=b"t"), b"answer")
    assert told(there.seen(vault).ledger) == told(here.seen(vault).ledger) == before
    second = there.enter(vault)
    ledger.charge(b"c", PRICE, "ben")
    here.leave(first, {0: True, 1: True})
    shown = told(here.seen(vault).ledger)
    assert shown == told(there.seen(vault).ledger)
    assert [entry.is_answered for entry in shown[0]] == [True, True]
    there.leave(second, {2: False})
    assert told(here.seen(vault).ledger) == told(ledger)
    assert boards[0].read() == boards[1].read() == ([], {})
    for board in boards:
        board.close()


def test_slots_of_a_server_that_was_killed_are_hidden_until_it_was_silent_for_long(
    vault, opened, monkeypatch
):
    killed, other = (SharedBoard(opened()) for _ in range(2))
    Unseen(killed).enter(vault)
    vault.ledger.charge(b"a", PRICE, "ana")
    there, later = Unseen(other), []
    assert list(there.seen(vault).ledger.entries()) == []
    other._say_alive()
    assert list(there.seen(vault).ledger.entries()) == []
    real = shared_board.time.time
    monkeypatch.setattr(shared_board.time, "time", lambda: real() + shared_board.SILENT + 1)
    other._say_alive()
    later += there.seen(vault).ledger.entries()
    assert len(later) == 1
    for board in (killed, other):
        board.close()
