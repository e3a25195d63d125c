"""What a fork must not carry over: connections, locks in use, and the tasks of threads that the child does not have.

Checked by: tests/unit/ledger/test_durable.py
"""

from __future__ import annotations

import os
import weakref
from typing import Protocol

__all__ = ["Forked", "survives_forks"]


class Forked(Protocol):
    """What has to prepare for a fork."""

    def before_fork(self) -> None:
        """Wait until nobody is at work, keep it so, and let go of all connections."""

    def after_fork(self, *, in_child: bool) -> None:
        """Let work go on."""


# Neither SQLite nor PostgreSQL lets two processes share a connection, and a child that closes one breaks its parent's.
# So nobody is connected while the process forks, and both processes connect anew when they need to.
_prepared: weakref.WeakSet[Forked] = weakref.WeakSet()
_waiting: list[Forked] = []


def survives_forks(each: Forked) -> None:
    """Have it told of every fork, for as long as it lives."""
    _prepared.add(each)


def _lock_before_fork() -> None:
    for each in tuple(_prepared):
        each.before_fork()
        _waiting.append(each)


def _release_after_fork(*, in_child: bool) -> None:
    while _waiting:
        _waiting.pop().after_fork(in_child=in_child)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_lock_before_fork,
        after_in_parent=lambda: _release_after_fork(in_child=False),
        after_in_child=lambda: _release_after_fork(in_child=True),
    )
