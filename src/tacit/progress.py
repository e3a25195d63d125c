"""A line on the terminal for work that takes more than two seconds."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from time import monotonic
from typing import TypeVar

__all__ = ["bar", "show_progress", "watch_progress"]

Item = TypeVar("Item")

PATIENCE = 2.0
EVERY = 0.25


_WIDTH = 20
_watcher: ContextVar[Callable[[int, int, str], None] | None] = ContextVar("watcher", default=None)


def bar(done: int, total: int) -> str:
    """A bar that is as full as work is done.

    >>> bar(1, 4)
    '█████░░░░░░░░░░░░░░░'
    """
    full = _WIDTH * min(done, total) // max(total, 1)
    return "█" * full + "░" * (_WIDTH - full)


@contextmanager
def watch_progress(watcher: Callable[[int, int, str], None]) -> Iterator[None]:
    """A while in which progress is told to a watcher, who shows it, instead of the terminal."""
    before = _watcher.set(watcher)
    try:
        yield
    finally:
        _watcher.reset(before)


def show_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items; a progress line appears on a terminal, or in a notebook, once two seconds have passed.

    >>> sum(show_progress(range(4), 4, "numbers"))
    6
    """
    watcher = _watcher.get()
    if watcher is not None:
        for done, item in enumerate(items):
            watcher(done, total, what)
            yield item
        return
    # a notebook is no terminal, and shows a line that returns to its beginning all the same
    seen = sys.stderr.isatty() or "ipykernel" in sys.modules
    due, shown, longest = monotonic() + PATIENCE, False, 0
    try:
        for done, item in enumerate(items):
            if seen and monotonic() >= due:
                due, shown = monotonic() + EVERY, True
                line = f"{bar(done, total)} {done:,} of at most {total:,} {what} ({100 * done // max(total, 1)} %)"
                longest = max(longest, len(line))
                sys.stderr.write(f"\r{line:<{longest}}")
                sys.stderr.flush()
            yield item
    finally:
        if shown:
            sys.stderr.write(f"\r{' ' * longest}\r")
            sys.stderr.flush()
