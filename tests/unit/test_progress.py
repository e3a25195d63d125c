"""Long work says how far it is, on a terminal only."""

import io
import sys

import pytest

from tacit import progress
from tacit.progress import bar, show_progress, watch_progress


class Screen(io.StringIO):
    def __init__(self, terminal: bool) -> None:
        super().__init__()
        self.terminal = terminal

    def isatty(self) -> bool:
        return self.terminal


@pytest.fixture
def clock(monkeypatch):
    """A clock that moves by one second whenever it is read."""
    ticks = iter(range(10_000))
    monkeypatch.setattr(progress, "monotonic", lambda: next(ticks))


def shown(monkeypatch, count, *, terminal):
    screen = Screen(terminal)
    monkeypatch.setattr(sys, "stderr", screen)
    assert list(show_progress(range(count), count, "pairs")) == list(range(count))
    return screen.getvalue()


def test_work_of_more_than_two_seconds_shows_progress_and_clears_it(monkeypatch, clock):
    text = shown(monkeypatch, 8, terminal=True)
    assert "of at most 8 pairs (" in text
    last, blank, end = text.rsplit("\r", 2)
    assert (end, blank) == ("", " " * len(last.rpartition("\r")[2]))


def test_short_work_is_silent(monkeypatch, clock):
    assert not shown(monkeypatch, 1, terminal=True)


def test_a_notebook_shows_it_too(monkeypatch, clock):
    monkeypatch.setitem(sys.modules, "ipykernel", sys)
    assert "of at most 8 pairs (" in shown(monkeypatch, 8, terminal=False)


def test_nothing_is_written_where_nobody_watches(monkeypatch, clock):
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    assert not shown(monkeypatch, 8, terminal=False)


def test_a_watcher_is_told_instead_of_the_terminal(monkeypatch, clock):
    told = []
    with watch_progress(lambda *progress: told.append(progress)):
        assert not shown(monkeypatch, 3, terminal=True)
    assert told == [(0, 3, "pairs"), (1, 3, "pairs"), (2, 3, "pairs")]
    assert "█" in shown(monkeypatch, 8, terminal=True)


def test_a_bar_is_as_full_as_work_is_done():
    assert [bar(done, 2).count("█") for done in (0, 1, 2, 3)] == [0, 10, 20, 20]
    assert bar(0, 0) == "░" * 20
