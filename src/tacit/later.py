"""Names that a room has, and whose files it opens when one of them is first used: a question needs few of them.

Checked by: tests/unit/test_start.py
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module

__all__ = ["later"]


def later(room: str, files: Mapping[str, str]) -> Callable[[str], object]:
    """The `__getattr__` of a room: it finds a name in the file that `files` gives for it, and finds it once.

    >>> later("tacit.errors", {})("nothing")
    Traceback (most recent call last):
    AttributeError: module 'tacit.errors' has no attribute 'nothing'
    """

    def found(name: str) -> object:
        if name not in files:
            raise AttributeError(f"module {room!r} has no attribute {name!r}")
        value = getattr(import_module(f"{room}.{files[name]}"), name)
        setattr(sys.modules[room], name, value)
        return value

    return found
