"""Long work says how far it is, on a terminal only."""

import io
import sys

import pytest

from tacit import progress
from tacit.progress import show_progress


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
    assert text.endswith("\r\x1b[K")


def test_short_work_is_silent(monkeypatch, clock):
    assert not shown(monkeypatch, 1, terminal=True)


def test_nothing_is_written_where_nobody_watches(monkeypatch, clock):
    assert not shown(monkeypatch, 8, terminal=False)
