"""What is written a moment later: found at once, tried again, and never the end of its thread."""

import sqlite3
import threading
from contextlib import contextmanager

import pytest

from tacit.errors import LedgerUnavailable
from tacit.server import later_writes
from tacit.server.later_writes import LaterWrites
from tacit.server.state_tables import FileTables

PUT = "INSERT INTO settings VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value"


class Gated(FileTables):
    """Tables in memory; a step waits until it may begin, and may be made to fail."""

    def __init__(self):
        super().__init__(":memory:")
        self.open, self.failures = threading.Event(), []

    @contextmanager
    def writing(self):
        if hasattr(self, "open"):
            assert self.open.wait(30)
            if self.failures:
                raise self.failures.pop()
        with super().writing() as file:
            yield file

    def settings(self):
        with self.reading() as file:
            return dict(file.execute("SELECT name, value FROM settings").fetchall())


@pytest.fixture
def tables():
    made = Gated()
    yield made
    made.close()


def test_it_is_found_at_once_and_its_last_word_is_written(tables):
    later = LaterWrites(tables)
    for value in ("one", "two"):
        later.add("a", PUT, ("a", value))
    assert later.find("a") == ("a", "two")
    assert tables.settings() == {}
    tables.open.set()
    later.finish()
    assert later.find("a") is None
    assert tables.settings() == {"a": "two"}
    later.close()


@pytest.mark.parametrize(
    "failure",
    [
        LedgerUnavailable("the database", "went away", "ask again"),
        sqlite3.OperationalError("disk I/O error"),
        RuntimeError("a mistake of ours"),
    ],
)
def test_what_could_not_be_written_is_found_until_it_is(tables, monkeypatch, failure):
    monkeypatch.setattr(later_writes, "_AGAIN", 0.001)
    later = LaterWrites(tables)
    tables.failures += [failure, failure]
    later.add("a", PUT, ("a", "one"))
    tables.open.set()
    while tables.failures:
        assert later.find("a") == ("a", "one")
    while later.find("a") is not None:
        later.finish()
    assert tables.settings() == {"a": "one"}
    later.close()


def test_its_thread_ends_when_there_is_nothing_to_do_and_begins_again(tables, monkeypatch):
    monkeypatch.setattr(later_writes, "_LINGERS", 0.001)
    tables.open.set()
    later = LaterWrites(tables)
    for name in ("a", "b"):
        later.add(name, PUT, (name, "one"))
        later.finish()
        while (thread := later._thread) is not None:
            thread.join(30)
    assert tables.settings() == {"a": "one", "b": "one"}


@pytest.mark.parametrize("away", [False, True])
def test_closing_writes_what_waits_if_it_can(tables, away):
    later = LaterWrites(tables)
    tables.failures += [RuntimeError()] * away
    later.add("a", PUT, ("a", "one"))
    tables.open.set()
    later.close()
    assert tables.settings() == ({} if away else {"a": "one"})
