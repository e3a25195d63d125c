"""The ledger in a file: its settings, what it costs, and what it says when the file cannot be used."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing, suppress
from typing import Any

import pytest

from tacit.accounting import Charge
from tacit.errors import LedgerBusy, LedgerRefused, LedgerUnavailable
from tacit.ledger import DurableLedger, SqliteStore, sqlite
from tacit.ledger.store import EMPTY, Head, Line, Record
from tests.laws.every_ledger import pure_loss
from tests.unit.ledger.sample import Vault, build, vault


@pytest.fixture
def here():
    with vault() as found:
        yield found


class Connections:
    """Connects, and keeps every connection to look at it."""

    def __init__(self) -> None:
        self.made: list[sqlite3.Connection] = []

    def __call__(self, path: str) -> sqlite3.Connection:
        self.made.append(sqlite3.connect(path, isolation_level=None, check_same_thread=False))
        return self.made[-1]

    def settings(self, name: str) -> list[Any]:
        return [connection.execute(f"PRAGMA {name}").fetchone()[0] for connection in self.made]


# ---------------------------------------------------------------- settings


def test_every_connection_syncs_at_every_commit(here):
    connections = Connections()
    with closing(here.open(connect=connections)) as ledger:
        ledger.charge(b"question", pure_loss(1))
        assert ledger.total_spent() == Charge(1)
        assert len(connections.made) == 2  # one that writes, one that reads
        assert connections.settings("synchronous") == [2, 2]  # FULL
        assert connections.settings("fullfsync") == [1, 1]
        assert connections.settings("journal_mode") == ["wal", "wal"]


def test_a_closed_ledger_connects_again_when_it_is_used(here):
    connections = Connections()
    with closing(here.open(connect=connections)) as ledger:
        ledger.close()
        count = len(connections.made)
        assert ledger.charge(b"question", pure_loss(1)).number == 0
        assert len(connections.made) == count + 1


def test_a_closed_ledger_is_one_file(here):
    with closing(here.open()) as ledger:
        ledger.charge(b"question", pure_loss(1))
    assert [path.name for path in here.file.parent.iterdir()] == ["ledger.sqlite"]


@pytest.mark.parametrize("name", ["a b.sqlite", "a?mode=memory", "100%.sqlite", "a#b", "é", "x;y"])
def test_a_file_may_have_any_name(here, name):
    store = SqliteStore(here.folder / name)
    store.lay_out()
    with store.writing() as session:
        session.append(Record(0, b"body", bytes(32)))
    store.close()
    assert (here.folder / name).stat().st_size > 0
    assert SqliteStore(here.folder / name).ready()


def test_a_store_keeps_what_it_is_given(here):
    store = SqliteStore(here.file)
    assert not store.ready()
    assert not here.file.exists()
    store.lay_out()
    store.lay_out()
    assert store.ready()
    with store.writing() as session:
        assert (session.head(), session.record(0), session.tally("spent")) == (EMPTY, None, None)
        session.append(Record(0, b"body", b"h" * 32))
        session.index(Line(0, 0, b"key", b"topic"))
        session.set_tally("spent", "1 0")
        session.set_tally("spent", "2 0")
        session.answer(0, 1, b"payload")
    with store.reading() as session:
        assert session.head() == Head(1, b"h" * 32)
        line = Line(0, 0, b"key", b"topic", 1, b"payload")
        assert (
            session.lines(0, 9)
            == session.by_key(b"key")
            == session.by_topic(b"topic", 9, 9)
            == [line]
        )
        assert session.by_topic(b"topic", 0, 9) == session.by_key(b"other") == []
        assert session.tallies() == {"spent": "2 0"}
    store.close()


def test_nothing_is_left_of_a_transaction_that_raises(here):
    store = SqliteStore(here.file)
    store.lay_out()
    with suppress(KeyboardInterrupt), store.writing() as session:
        session.append(Record(0, b"body", bytes(32)))
        raise KeyboardInterrupt
    with store.reading() as session:
        assert session.head() == EMPTY
    store.close()


def test_who_reads_does_not_see_what_is_being_written(here):
    store = SqliteStore(here.file)
    store.lay_out()
    with store.writing() as session:
        session.append(Record(0, b"body", bytes(32)))
        with store.reading() as other:
            assert other.head() == EMPTY
    store.close()


# ---------------------------------------------------------------- what a charge costs


def steps(count: int) -> int:
    """The steps of SQLite's machine for one charge and one answer in a ledger of so many charges."""
    connections = Connections()
    taken = [0]

    def step() -> None:
        taken[0] += 1

    with vault() as here:
        build(here, count)
        with closing(here.open(connect=connections)) as ledger:
            ledger.charge(b"warm", pure_loss(1))
            for connection in connections.made:
                connection.set_progress_handler(step, 1)
            ledger.settle(ledger.charge(b"new", pure_loss(1), "ann", topic=b"topic"), b"answer")
            for connection in connections.made:
                connection.set_progress_handler(None, 1)
            assert ledger.total_spent() == Charge(count + 2)
    return taken[0]


def test_a_charge_takes_as_many_steps_in_a_ledger_of_twenty_thousand_entries_as_in_an_empty_one():
    empty, large = steps(0), steps(20_000)
    print(f"{empty} steps when empty, {large} at 20,000 entries")
    assert large <= 2 * empty


@pytest.mark.soak
def test_a_charge_takes_as_many_steps_in_a_ledger_of_a_million_entries_as_in_an_empty_one():
    empty, large = steps(0), steps(10**6)
    print(f"{empty} steps when empty, {large} at 10^6 entries")
    assert large <= 2 * empty


# ---------------------------------------------------------------- what can go wrong with a file


def contended(times: int) -> Callable[[str], sqlite3.Connection]:
    """Connections that find so many times that others want a log at the same moment."""
    left = [times]

    class Contended(sqlite3.Connection):
        def execute(self, statement: str, *values: Any) -> Any:
            if "journal_mode = WAL" in statement and left[0] > 0:
                left[0] -= 1
                raise sqlite3.OperationalError("database is locked")
            return super().execute(statement, *values)

    return lambda path: sqlite3.connect(
        path, isolation_level=None, check_same_thread=False, factory=Contended
    )


def test_who_founds_a_ledger_together_with_others_waits_for_them(here):
    with closing(here.open(connect=contended(3))) as ledger:
        assert ledger.charge(b"question", pure_loss(1)).number == 0


def test_who_founds_a_ledger_does_not_wait_for_ever(here):
    with pytest.raises(LedgerBusy, match=r"for 0\.05 s"):
        here.open(connect=contended(10**9), timeout=0.05)


def refusing(ledger: DurableLedger, error: type[Exception], match: str) -> None:
    """A ledger that cannot be written charges nothing, can be read, and repeats what was answered."""
    before = list(ledger.entries()), ledger.total_spent(), list(ledger.records())
    with pytest.raises(error, match=match) as refused:
        ledger.charge(b"new", pure_loss(1))
    assert "\n" not in str(refused.value)
    assert ";" in str(refused.value)
    with pytest.raises(error):
        ledger.settle(before[0][1], b"answer")
    with pytest.raises(error):
        ledger.refresh("visits")
    assert (list(ledger.entries()), ledger.total_spent(), list(ledger.records())) == before
    assert ledger.charge(b"old", pure_loss(1)).payload == b"answer"
    assert ledger.version("visits") == 0


def with_entries(here: Vault, **how: Any) -> DurableLedger:
    """A ledger with one answered and one unanswered entry."""
    ledger = here.open(**how)
    ledger.settle(ledger.charge(b"old", pure_loss(1)), b"answer")
    ledger.charge(b"open", pure_loss(1))
    return ledger


def test_a_ledger_that_another_connection_holds_is_busy_until_it_is_let_go(here):
    with (
        closing(with_entries(here, timeout=0.05)) as ledger,
        closing(sqlite3.connect(here.file)) as other,
    ):
        other.execute("BEGIN IMMEDIATE")
        refusing(ledger, LedgerBusy, r"locked by another process for 0\.05 s")
        other.rollback()
        assert ledger.charge(b"new", pure_loss(1)).number == 2


HOLDER = """
import sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("BEGIN IMMEDIATE")
print("held", flush=True)
sys.stdin.read()
"""


def test_a_ledger_that_another_process_holds_is_busy_until_that_ends(here):
    with closing(with_entries(here, timeout=0.05)) as ledger:
        command = [sys.executable, "-c", HOLDER, str(here.file)]
        with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as holder:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            refusing(ledger, LedgerBusy, "try again")
            holder.kill()
        assert ledger.charge(b"new", pure_loss(1)).number == 2


def test_opening_a_held_ledger_waits_no_longer_than_told(here):
    with closing(here.open()), closing(sqlite3.connect(here.file)) as other:
        other.execute("BEGIN IMMEDIATE")
        here.open(timeout=0.05).close()  # nothing to write
        with pytest.raises(LedgerBusy):
            here.open(timeout=0.05, analysts={})  # other limits are


def test_a_full_disk_refuses_charges_until_there_is_room(here):
    connections = Connections()
    with closing(with_entries(here, connect=connections)) as ledger:
        pages = connections.made[0].execute("PRAGMA page_count").fetchone()[0]
        for connection in connections.made:
            connection.execute(f"PRAGMA max_page_count = {pages}")
        big = "x" * 10_000
        with pytest.raises(LedgerUnavailable, match=r"disk that is full.*free some space"):
            ledger.charge(b"new", pure_loss(1), about=big)
        assert [entry.key for entry in ledger.entries()] == [b"old", b"open"]
        assert ledger.charge(b"old", pure_loss(1)).payload == b"answer"
        for connection in connections.made:
            connection.execute(f"PRAGMA max_page_count = {10**6}")
        assert ledger.charge(b"new", pure_loss(1), about=big).number == 2


def test_a_file_that_may_only_be_read_refuses_charges(here):
    with_entries(here).close()
    with closing(sqlite3.connect(here.file)) as keeper:
        # the log exists, as while another process works
        keeper.execute("SELECT * FROM records").fetchone()

        def read_only(path: str) -> sqlite3.Connection:
            return sqlite3.connect(
                f"file:{path}?mode=ro", uri=True, isolation_level=None, check_same_thread=False
            )

        with closing(here.open(connect=read_only)) as ledger:
            refusing(
                ledger,
                LedgerUnavailable,
                "cannot be written, and nothing was charged; mount its disk",
            )


def test_a_ledger_on_a_read_only_disk_can_be_read(here, monkeypatch):
    with_entries(here).close()
    monkeypatch.setattr(sqlite, "_on_read_only_disk", lambda path: True)
    with closing(here.open()) as ledger:
        refusing(ledger, LedgerUnavailable, "mount its disk for writing")
    assert [path.name for path in here.file.parent.iterdir()] == ["ledger.sqlite"]


def test_a_disk_is_asked_whether_it_can_be_written(here, monkeypatch):
    here.file.write_bytes(b"")
    assert not sqlite._on_read_only_disk(str(here.file))
    assert not sqlite._on_read_only_disk(str(here.file / "nowhere"))
    monkeypatch.setattr(os, "statvfs", lambda path: type("Disk", (), {"f_flag": os.ST_RDONLY}))
    assert sqlite._on_read_only_disk(str(here.file))
    here.file.with_name("ledger.sqlite-wal").write_bytes(b"")
    assert not sqlite._on_read_only_disk(str(here.file))  # what the log holds must be read too


def without_rights(task: Callable[[], Any]) -> str:
    """What a child that has given up all rights says when it fails."""
    read, write = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            if os.geteuid() == 0:
                os.setgroups([])
                os.setgid(65534)
                os.setuid(65534)
            task()
            os.write(write, b"done")
        except BaseException as error:  # noqa: BLE001 - it is what the test looks at
            os.write(write, f"{type(error).__name__}: {error}".encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as said:
        text = said.read()
    os.waitpid(pid, 0)
    return text


def test_a_folder_that_may_not_be_entered_is_told_with_a_remedy(here):
    with_entries(here).close()
    here.file.parent.chmod(0)
    text = without_rights(here.open)
    here.file.parent.chmod(0o700)
    assert text.startswith("LedgerUnavailable: ")
    assert str(here.file) in text


def test_a_file_that_may_not_be_read_is_told_with_a_remedy(here):
    with_entries(here).close()
    for folder in (here.folder, here.file.parent):
        folder.chmod(0o755)
    here.file.chmod(0)
    text = without_rights(here.open)
    assert text.startswith("LedgerUnavailable: ")
    assert "give this account permission" in text


def test_a_folder_that_is_not_there_is_told_with_a_remedy(here):
    nowhere = Vault(here.folder / "nowhere")
    with pytest.raises(LedgerUnavailable, match=r"give this account permission|fix"):
        nowhere.open()


WORDS = [
    ("attempt to write a readonly database", LedgerUnavailable, "mount its disk"),
    ("unable to open database file", LedgerUnavailable, "give this account permission"),
    ("database or disk is full", LedgerUnavailable, "free some space"),
    ("disk I/O error", LedgerUnavailable, "check the disk it is on"),
    ("database is locked", LedgerBusy, "try again"),
    (
        "database disk image is malformed",
        LedgerRefused,
        "restore an undamaged copy and accept it with",
    ),
    ("file is not a database", LedgerRefused, "restore an undamaged copy and accept it with"),
    ("no such table: records", LedgerRefused, "restore an undamaged copy and accept it with"),
    (
        "UNIQUE constraint failed: records.number",
        LedgerRefused,
        "restore an undamaged copy and accept it with",
    ),
]


@pytest.mark.parametrize(("words", "error", "remedy"), WORDS, ids=[words for words, *_ in WORDS])
def test_whatever_sqlite_says_becomes_one_sentence_with_a_remedy(here, words, error, remedy):
    class Failing(sqlite3.Connection):
        failing = False

        def execute(self, statement: str, *values: Any) -> Any:
            if Failing.failing and statement.startswith("INSERT"):
                raise sqlite3.OperationalError(words)
            return super().execute(statement, *values)

    def connect(path: str) -> sqlite3.Connection:
        return sqlite3.connect(path, isolation_level=None, check_same_thread=False, factory=Failing)

    with closing(with_entries(here, connect=connect)) as ledger:
        Failing.failing = True
        with pytest.raises(error, match=remedy) as refused:
            ledger.charge(b"new", pure_loss(1))
        assert "\n" not in str(refused.value)
        assert str(here.file) in str(refused.value)
        Failing.failing = False
        assert [entry.key for entry in ledger.entries()] == [b"old", b"open"]
        assert ledger.charge(b"new", pure_loss(1)).number == 2
