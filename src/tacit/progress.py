"""A line on the terminal for work that takes more than two seconds."""

import sys
from collections.abc import Iterable, Iterator
from time import monotonic
from typing import TypeVar

__all__ = ["show_progress"]

Item = TypeVar("Item")

PATIENCE = 2.0
EVERY = 0.25


def show_progress(items: Iterable[Item], total: int, what: str) -> Iterator[Item]:
    """The same items; a progress line appears on a terminal once two seconds have passed.

    >>> sum(show_progress(range(4), 4, "numbers"))
    6
    """
    terminal = sys.stderr.isatty()
    due, shown = monotonic() + PATIENCE, False
    try:
        for done, item in enumerate(items):
            if terminal and monotonic() >= due:
                due, shown = monotonic() + EVERY, True
                sys.stderr.write(
                    f"\r{done:,} of at most {total:,} {what} ({100 * done // max(total, 1)} %)"
                )
                sys.stderr.flush()
            yield item
    finally:
        if shown:
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()
