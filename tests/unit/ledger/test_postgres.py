"""The ledger in PostgreSQL: turns, durability, broken connections, and what its messages say and do not say."""

import socket
import sys
import threading
import traceback
from contextlib import ExitStack, closing, suppress
from time import sleep
from urllib.parse import quote

import psycopg
import pytest

from tacit.accounting import Charge, PureFilter
from tacit.errors import (
    InvalidInput,
    LedgerBusy,
    LedgerRefused,
    LedgerUnavailable,
    LedgerUncertain,
    TacitError,
)
from tacit.ledger import Founding, PostgresStore, postgres_ledger
from tacit.ledger.postgres_address import place_of
from tacit.ledger.store import EMPTY, Line, Record
from tests import postgres
from tests.laws.every_ledger import pure_loss

LIMIT = PureFilter(1)
FOUNDING = Founding.of("person", LIMIT)
RECORDS = [Record(number, b"body %d" % number, bytes([number]) * 32) for number in range(3)]


@pytest.fixture
def schema():
    return postgres.fresh_schema()


@pytest.fixture
def address(schema):
    return postgres.running().address(schema)


@pytest.fixture
def opened(address, tmp_path):
    """Opens the ledger at the address, or at another one."""
    with ExitStack() as stack:

        def opened(at=address):
            return stack.enter_context(
                closing(postgres_ledger(at, FOUNDING, LIMIT, anchors=tmp_path))
            )

        yield opened


@pytest.fixture
def store(address):
    """Makes stores at the address, or at another one, with their tables."""
    with ExitStack() as stack:

        def store(at=address, **options):
            made = stack.enter_context(closing(PostgresStore(at, **options)))
            made.lay_out()
            return made

        yield store


@pytest.fixture
def role(schema):
    """Makes roles of the server, by what they are granted in the schema and what they prefer; their addresses."""

    def role(*grants, **preferences):
        name = postgres.fresh_name("role")
        postgres.running().execute(
            f"CREATE ROLE {name} LOGIN PASSWORD '{postgres.PASSWORD}'",
            *(f"GRANT {grant} SCHEMA {schema} TO {name}" for grant in ("USAGE ON", *grants)),
            *(
                f"ALTER ROLE {name} SET {setting} TO '{value}'"
                for setting, value in preferences.items()
            ),
        )
        return postgres.running().address(schema, name)

    return role


EVERYTHING = "ALL ON ALL TABLES IN"


def head_of(store):
    with store.reading() as session:
        return session.head()


# ---------------------------------------------------------------- turns


def take_turns(first, second):
    """The second writer waits until the first is done, and sees what it wrote."""
    seen = []

    def follow():
        with second.writing() as session:
            seen.append(session.records(0, 9))
            session.append(RECORDS[1])

    with first.writing() as session:
        follower = threading.Thread(target=follow)
        follower.start()
        while follower.is_alive() and not postgres.running().execute(
            "SELECT 1 FROM pg_locks WHERE NOT granted"
        ):
            sleep(0.01)
        session.append(RECORDS[0])
        assert seen == []
    follower.join()
    assert seen == [RECORDS[:1]]
    assert head_of(first).records == 2


def test_a_writer_waits_for_the_one_before_and_sees_what_it_wrote(store):
    take_turns(store(), store())


@pytest.mark.parametrize("level", ["serializable", "repeatable read"])
def test_writers_take_turns_whatever_isolation_their_role_prefers(store, role, level):
    first = store()
    take_turns(first, store(role(EVERYTHING, default_transaction_isolation=level)))


def test_a_reader_waits_for_nobody_and_sees_one_moment(store):
    writer, reader = store(), store()
    with writer.writing() as session:
        session.append(RECORDS[0])
        assert head_of(reader) == EMPTY
    with reader.reading() as looking:
        with writer.writing() as session:
            session.append(RECORDS[1])
        assert looking.records(0, 9) == RECORDS[:1]
    assert head_of(reader).records == 2


def test_who_waits_too_long_is_told_so_and_holds_nothing(store):
    holder, waiter = store(), store(patience=0.05)
    with holder.writing() as session:
        with pytest.raises(LedgerBusy, match=r"0\.05 s"), waiter.writing():
            pass
        session.append(RECORDS[0])
    with waiter.writing() as session:
        assert session.head().records == 1


# ---------------------------------------------------------------- durability


def test_a_commit_is_synchronous_whatever_the_role_prefers(store, role):
    store()
    with store(role(EVERYTHING, synchronous_commit="off")).writing() as session:
        assert session.connection.execute("SHOW synchronous_commit").fetchone() == ("on",)


def test_what_was_acknowledged_survives_a_crash_of_a_server_that_is_set_not_to_wait(tmp_path):
    server = postgres.started(
        {**postgres.SETTINGS, "synchronous_commit": "off", "wal_writer_delay": "10s"}
    )
    try:
        with closing(
            postgres_ledger(server.address(), FOUNDING, LIMIT, anchors=tmp_path)
        ) as ledger:
            entries = [ledger.charge(b"question %d" % number, pure_loss(1)) for number in range(20)]
            server.crash()
            assert list(ledger.entries()) == entries
            assert ledger.total_spent() == Charge(20)
    finally:
        server.stop()


def test_a_block_that_went_on_after_a_failure_is_not_taken_for_written(store):
    made = store()

    def hide_a_failure():
        with made.writing() as session:
            session.append(RECORDS[0])
            with suppress(psycopg.Error):
                session.connection.execute("SELECT 1 / 0")

    with pytest.raises(LedgerUnavailable, match="rolled back the transaction"):
        hide_a_failure()
    assert head_of(made) == EMPTY


@pytest.mark.parametrize("interruption", [KeyboardInterrupt, ValueError, LedgerRefused])
def test_of_a_block_that_raises_nothing_is_left(store, interruption):
    made = store()

    def interrupted():
        with made.writing() as session:
            session.append(RECORDS[0])
            raise interruption("a", "b", "c")

    with pytest.raises(interruption):
        interrupted()
    with made.writing() as session:
        assert session.head() == EMPTY
        session.append(RECORDS[0])
    assert head_of(made).records == 1


def test_what_a_crash_would_empty_or_what_is_not_whole_is_refused(opened, schema):
    opened().close()
    damages = [
        (
            "ALTER TABLE {}.tacit_records SET UNLOGGED",
            "ALTER TABLE {}.tacit_records SET LOGGED",
            "crash empties",
        ),
        (
            "DELETE FROM {}.tacit_turn",
            "INSERT INTO {}.tacit_turn VALUES (0)",
            "has lost its lock row",
        ),
        (
            "ALTER INDEX {}.tacit_lines_by_key RENAME TO lost",
            "ALTER INDEX {}.lost RENAME TO tacit_lines_by_key",
            "is missing tacit_lines_by_key",
        ),
    ]
    for damage, repair, said in damages:
        postgres.running().execute(damage.format(schema))
        with pytest.raises(LedgerRefused, match=said):
            opened()
        postgres.running().execute(repair.format(schema))
        opened()


def test_keys_topics_and_answers_may_be_long(store):
    made = store()
    line = Line(0, 0, b"k" * 10_000, b"t" * 10_000)
    with made.writing() as session:
        session.append(RECORDS[0])
        session.index(line)
        session.answer(0, 1, b"a" * 100_000)
        assert session.by_key(line.key) == session.by_topic(line.topic, 1, 9) == session.lines(0, 9)
        assert session.lines(0, 9) == [Line(0, 0, line.key, line.topic, 1, b"a" * 100_000)]
        assert session.by_topic(line.topic, 0, 9) == session.by_key(b"k") == []


# ---------------------------------------------------------------- broken connections

OTHERS = (
    "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity WHERE application_name = 'tacit'"
)


def test_a_connection_that_broke_while_nobody_used_it_is_made_anew(opened):
    ledger = opened()
    first = ledger.charge(b"one", pure_loss(1))
    assert postgres.running().execute(OTHERS) >= [(1,)]
    assert ledger.charge(b"one", pure_loss(1)) == first
    assert ledger.charge(b"two", pure_loss(1)).number == 1
    assert postgres.running().execute(OTHERS) >= [(1,)]
    assert ledger.total_spent() == Charge(2)


def test_a_connection_that_breaks_within_a_block_leaves_nothing(store):
    made = store()

    def broken():
        with made.writing() as session:
            session.append(RECORDS[0])
            postgres.running().execute(OTHERS)
            session.append(RECORDS[1])

    with pytest.raises(LedgerUnavailable, match="cannot be reached"):
        broken()
    assert head_of(made) == EMPTY


class Wire:
    """A way to the server that can break at the next commit: before it arrives, or before its answer does."""

    def __init__(self, port):
        self.breaks = None
        self.up = self.stays_up = True
        self.port = port
        self.listening = socket.create_server(("127.0.0.1", 0))
        self.open = []
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        with suppress(OSError):
            while True:
                client, _ = self.listening.accept()
                if not self.up:
                    client.close()
                    continue
                server = socket.create_connection(("127.0.0.1", self.port))
                self.open += [client, server]
                threading.Thread(target=self.forward, args=(client, server), daemon=True).start()
                threading.Thread(target=self.back, args=(server, client), daemon=True).start()

    def forward(self, client, server):
        with suppress(OSError):
            while data := client.recv(65536):
                if self.breaks == "before" and b"COMMIT\0" in data:
                    self.snap()
                    break
                server.sendall(data)
        self.end(client, server)

    def back(self, server, client):
        with suppress(OSError):
            while data := server.recv(65536):
                if self.breaks == "after" and b"COMMIT\0" in data:
                    self.snap()
                    break
                client.sendall(data)
        self.end(client, server)

    def snap(self):
        """Break, once: what threads of broken connections do later changes nothing."""
        self.breaks, self.up = None, self.stays_up
        if not self.up:
            self.end(*self.open)

    def end(self, *sockets):
        for each in sockets:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)

    def close(self):
        self.end(self.listening)
        for each in [self.listening, *self.open]:
            each.close()


@pytest.fixture
def wire():
    with closing(Wire(postgres.running().port)) as wire:
        yield wire


@pytest.fixture
def through(wire, schema):
    """The address of the schema through the wire."""
    return (
        postgres.running()
        .address(schema)
        .replace(f":{postgres.running().port}/", f":{wire.listening.getsockname()[1]}/")
    )


@pytest.fixture
def breaking(wire):
    """Breaks the wire once, before or after the next commit; the ledger connects again, or cannot."""

    def breaking(when, *, up=True):
        wire.stays_up, wire.breaks = up, when

    return breaking


def test_a_commit_whose_answer_was_lost_is_found_to_have_been_made(opened, through, breaking):
    ledger = opened(through)
    breaking("after")
    entry = ledger.charge(b"question", pure_loss(3))
    assert list(ledger.entries()) == [entry]
    assert ledger.charge(b"question", pure_loss(3)) == entry
    assert ledger.total_spent() == Charge(3)


def test_a_commit_that_never_arrived_is_found_not_to_have_been_made(opened, through, breaking):
    ledger = opened(through)
    breaking("before")
    with pytest.raises(LedgerUnavailable, match="nothing was charged") as refused:
        ledger.charge(b"question", pure_loss(3))
    assert not isinstance(refused.value, LedgerUncertain)
    assert (list(ledger.entries()), ledger.total_spent()) == ([], Charge())
    assert ledger.charge(b"question", pure_loss(3)).number == 0


@pytest.mark.parametrize(("when", "made"), [("before", 0), ("after", 1)])
def test_a_commit_that_nobody_can_be_asked_about_is_settled_by_asking_again(
    opened, through, wire, breaking, when, made
):
    ledger = opened(through)
    breaking(when, up=False)
    with pytest.raises(LedgerUncertain, match="not made twice"):
        ledger.charge(b"question", pure_loss(3))
    wire.up = True
    assert len(list(ledger.entries())) == made
    entry = ledger.charge(b"question", pure_loss(3))
    assert (list(ledger.entries()), ledger.total_spent()) == ([entry], Charge(3))


# ---------------------------------------------------------------- what is said, and what is not


def unreachable(address):
    with socket.create_server(("127.0.0.1", 0)) as free:
        return address.replace(f":{postgres.running().port}/", f":{free.getsockname()[1]}/")


WRONG = {
    "server": (unreachable, LedgerUnavailable, "check the server and the address"),
    "host": (
        lambda address: address.replace("127.0.0.1", "nowhere.invalid"),
        LedgerUnavailable,
        "check the server and the address",
    ),
    "database": (
        lambda address: address.replace("/postgres", "/nowhere"),
        LedgerUnavailable,
        "does not exist",
    ),
    "role": (
        lambda address: address.replace("curator", "nobody"),
        LedgerUnavailable,
        "password authentication failed",
    ),
    "password": (
        lambda address: address.replace("s3cret", "s3cret0"),
        LedgerUnavailable,
        "authentication failed",
    ),
    "schema": (
        lambda address: address.replace("schema", "no_schema"),
        LedgerUnavailable,
        "create the schema",
    ),
    "port": (
        lambda address: address.replace("/postgres", "0x/postgres"),
        LedgerUnavailable,
        "check the server and the address",
    ),
    "unknown part": (
        lambda address: address + "&secret=s3cret",
        InvalidInput,
        "write it as postgresql://",
    ),
    "brackets": (
        lambda address: address.replace("@127", "@[127"),
        InvalidInput,
        "write it as postgresql://",
    ),
    "no address": (
        lambda address: address.replace("postgresql://", "postgresql//"),
        InvalidInput,
        "write it as",
    ),
}


@pytest.mark.parametrize("wrong", WRONG)
def test_an_address_that_does_not_lead_there_is_reported_with_a_remedy_and_without_the_password(
    opened, address, wrong, tmp_path
):
    change, error, remedy = WRONG[wrong]
    with pytest.raises(error) as refused:
        opened(change(address))
    assert remedy in str(refused.value)
    told = "".join(traceback.format_exception(refused.value)) + repr(vars(refused.value))
    assert "s3cret" not in told
    assert not any("s3cret" in file.read_text() for file in tmp_path.iterdir())


def test_the_password_is_in_no_place_and_in_no_anchor(opened, address, tmp_path):
    ledger = opened()
    entry = ledger.charge(b"question", pure_loss(1))
    parts = [
        ledger.place,
        repr(ledger),
        repr(ledger._store),
        *(file.read_text() for file in tmp_path.iterdir()),
    ]
    assert any("//127.0.0.1" in part for part in parts)
    for secret in (postgres.PASSWORD, quote(postgres.PASSWORD, safe=""), "s3cret"):
        assert secret in address or secret == postgres.PASSWORD
        assert not any(secret in part for part in [*parts, repr(entry)])


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("postgresql://ann:pw@example.org/clinic", "postgresql://example.org:5432/clinic"),
        (
            "postgres://ann:pw@example.org:5432/clinic?sslmode=require",
            "postgresql://example.org:5432/clinic",
        ),
        (
            "host=example.org user=ann password=pw dbname=clinic",
            "postgresql://example.org:5432/clinic",
        ),
        ("postgresql://ann@example.org", "postgresql://example.org:5432/ann"),
        ("host=/run/pg user=ann", "postgresql://%2Frun%2Fpg:5432/ann"),
        (
            "postgresql://ann@h/clinic?options=-csearch_path%3Dx&password=pw",
            "postgresql://h:5432/clinic?options=-csearch_path%3Dx",
        ),
    ],
)
def test_a_place_is_where_an_address_leads(address, place, monkeypatch):
    for name in ("PGHOST", "PGPORT", "PGUSER", "PGDATABASE", "PGOPTIONS", "PGSERVICE"):
        monkeypatch.delenv(name, raising=False)
    assert place_of(address) == place


def test_a_place_is_completed_from_the_environment_as_the_connection_is(monkeypatch):
    monkeypatch.setenv("PGHOST", "example.org")
    monkeypatch.setenv("PGUSER", "ann")
    monkeypatch.setenv("PGPASSWORD", "s3cret")
    assert place_of("postgresql:///clinic") == "postgresql://example.org:5432/clinic"


def test_who_may_only_read_can_still_look(opened, role):
    entry = opened().charge(b"question", pure_loss(1))
    ledger = opened(role("SELECT ON ALL TABLES IN"))
    assert (list(ledger.entries()), ledger.total_spent()) == ([entry], Charge(1))
    with pytest.raises(LedgerUnavailable, match="grant it SELECT, INSERT and UPDATE"):
        ledger.charge(b"another", pure_loss(1))


def test_who_may_not_create_tables_is_told_so(opened, role):
    with pytest.raises(LedgerUnavailable, match="CREATE on the schema"):
        opened(role())


def test_without_psycopg_the_way_to_install_it_is_said(monkeypatch):
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.setitem(sys.modules, name, None)
    with pytest.raises(LedgerUnavailable, match=r"pip install 'tacit-dp\[postgres\]'"):
        PostgresStore("postgresql://ann:s3cret@example.org/clinic")


def test_every_refusal_is_one_of_ours():
    assert issubclass(LedgerUncertain, LedgerUnavailable)
    assert issubclass(LedgerUnavailable, TacitError)
