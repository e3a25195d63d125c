"""Identities, keys and the board of slots in PostgreSQL: as in a file, and the same for every server."""

import time
from inspect import signature

import psycopg
import pytest

import tacit
from tacit.curator import Reserved, Unseen
from tacit.errors import KeyReused, LedgerUnavailable
from tacit.server import Identities, identities, postgres_state_tables, shared_board
from tacit.server.idempotency import Keys
from tacit.server.postgres_state_tables import PostgresTables, adopt_file
from tacit.server.shared_board import SharedBoard
from tests import postgres
from tests.unit.curator.test_hide_new_ledger_entries import PRICE, PURE, told
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
    yield known
    known.close()


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
    other.close()


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
    after.close()


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
    hear_of(other, killed, ago=shared_board.SILENT - 60)
    other._say_alive()
    assert list(there.seen(vault).ledger.entries()) == []
    hear_of(other, killed, ago=shared_board.SILENT + 1)
    monkeypatch.setattr(time, "time", lambda: 0.0)  # the clock here is asked by nobody
    other._say_alive()
    later += there.seen(vault).ledger.entries()
    assert len(later) == 1
    for board in (killed, other):
        board.close()


def hear_of(board, server, ago):
    """Let the last word of a server be so many seconds old, by the clock of the database."""
    with board._tables.writing() as file:
        file.execute(
            "UPDATE servers SET seen = ? WHERE server = ?",
            (board._tables.now() - ago, server._tables.server),
        )


@pytest.mark.parametrize("minutes", [-11, 11])
def test_the_clock_of_a_server_forgets_nobody(opened, monkeypatch, minutes):
    boards = [SharedBoard(opened()) for _ in range(2)]
    boards[0].add(Reserved(5, frozenset()))
    real = time.time
    monkeypatch.setattr(time, "time", lambda: real() + 60 * minutes)
    for board in reversed(boards):
        board._say_alive()
        assert board.read()[0] == [Reserved(5, frozenset())]
        board.close()


def test_a_server_that_was_forgotten_puts_its_slots_on_the_board_again(opened):
    paused, other = (SharedBoard(opened()) for _ in range(2))
    first = paused.add(Reserved(5, frozenset()))
    hear_of(other, paused, ago=shared_board.SILENT + 1)
    other._say_alive()
    assert other.read()[0] == []
    assert [each.length for each in paused.read()[0]] == [5]  # to itself it shows them never
    second = paused.add(Reserved(7, frozenset()))
    other.remove(other.add(Reserved(9, frozenset())), {})
    assert sorted(each.length for each in other.read()[0]) == [5, 7]
    paused.remove(first, {})
    paused.remove(second, {})
    assert other.read() == paused.read() == ([], {})
    for board in (paused, other):
        board.close()


def test_a_slot_that_was_not_written_down_is_on_no_board(opened):
    board = SharedBoard(opened())
    name = board.add(Reserved(4, frozenset()))

    def fail():
        with board.turn() as file:
            board.add(Reserved(5, frozenset()))
            file.execute("SELECT * FROM nothing_like_it")

    with pytest.raises(LedgerUnavailable):
        fail()
    board._say_alive()
    assert board.read() == ([Reserved(4, frozenset())], {})
    board._tables._address, kept = "postgresql://127.0.0.1:1/none", board._tables._address
    board._tables.close()
    with pytest.raises(LedgerUnavailable):  # it has ended, and the database is away
        board.remove(name, {})
    board._tables._address = kept
    board._say_alive()
    assert board.read() == ([], {})
    board.close()


def test_a_key_that_another_server_asks_is_neither_asked_nor_ended_here(opened):
    here, there, third = (Keys(Identities(opened())) for _ in range(3))
    body, answer = {"sql": "SELECT 1"}, {"rows": [[1]]}
    assert here.begin("ana", "k", body, "0") is None
    for versions in "01":
        with pytest.raises(KeyReused) as refusal:
            there.begin("ana", "k", body, versions)
        assert refusal.value.running
    there.end("ana", "k", None)
    there.end("ana", "k", {"rows": [[2]]})
    here.end("ana", "k", answer)
    here.end("ana", "k", {"rows": [[3]]})
    here.end("ana", "k", None)
    assert there.begin("ana", "k", body, "1") == answer

    here.begin("ana", "left", body, "0")
    here.leave("ana", "left")
    assert there.begin("ana", "left", body, "0") is None  # it was left: now it is asked there
    there._tables.close()
    board = SharedBoard(third._tables)
    hear_of(board, there, ago=shared_board.SILENT + 1)
    with pytest.raises(KeyReused):
        third.begin("ana", "left", body, "0")
    board._say_alive()  # forgets who was killed
    assert third.begin("ana", "left", body, "0") is None
    board.close()


@pytest.mark.parametrize("step", ["leave", "end"])
def test_a_key_that_could_not_be_left_is_left_with_the_next_word(opened, monkeypatch, step):
    """The database is away when a key is left, and back when another is begun, which is refused."""
    here, there = (Keys(Identities(opened())) for _ in range(2))
    body = {"sql": "SELECT 1"}
    for key in ("k", "other"):
        assert here.begin("ana", key, body, "0") is None

    def away():
        raise LedgerUnavailable("the database", "went away", "ask again")

    with monkeypatch.context() as broken:
        broken.setattr(here._file, "writing", away)
        if step == "leave":
            here.leave("ana", "k")
        else:
            with pytest.raises(LedgerUnavailable):
                here.end("ana", "k", None)
    with pytest.raises(KeyReused):
        here.begin("ana", "other", {"sql": "SELECT 2"}, "0")
    assert there.begin("ana", "k", body, "0") is None


def test_tables_of_before_get_what_came_later(address, opened):
    opened().close()
    with psycopg.connect(address, autocommit=True) as connection:
        connection.execute("ALTER TABLE tacit_keys DROP COLUMN owner")
        connection.execute("INSERT INTO tacit_keys VALUES ('ana', 'old', 'digest', '0', NULL, 0)")
    keys = Keys(Identities(opened()), now=lambda: 1.0)
    assert keys.begin("ana", "new", {}, "0") is None
    with pytest.raises(KeyReused):
        keys.begin("ana", "old", {}, "0")


def test_whoever_keeps_the_tables_keeps_nobody_waiting_for_long(people, opened, monkeypatch):
    monkeypatch.setattr(postgres_state_tables, "_PATIENCE", 1)
    held, who = opened(), people._identity("ana")
    with held.writing(), pytest.raises(LedgerUnavailable, match="locked by another session"):
        people.spend(who, 0.01)
    monkeypatch.setattr(postgres_state_tables, "_IDLE", 1)

    def hang():
        with held.writing():
            people.spend(who, 0.01)  # waits, until the database has ended the step that hangs

    monkeypatch.setattr(postgres_state_tables, "_PATIENCE", 60)
    with pytest.raises(LedgerUnavailable):
        hang()
    assert people.spent_today("ana") == 0.01
