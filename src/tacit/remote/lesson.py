"""A lesson about rows on another machine: its features are public, and the model is fitted there.

Checked by: tests/unit/remote/test_releases.py
"""

from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import fields
from typing import Any

from tacit.curator import Lesson, Price, Release
from tacit.exact import Number
from tacit.frozen import frozen

__all__ = ["remote_lesson"]


@frozen
class _Stored:
    model: bytes


@frozen
class _Answered:
    stored: _Stored
    price: Price
    receipt: Mapping[str, Any]


@frozen(eq=False)
class RemoteLesson(Lesson):
    """A lesson whose model comes from a server; what is public about it is worked out here, from the policy."""

    send: Callable[[Number], Release]

    def release(self, epsilon: Number, begin: Any) -> Any:
        """The model that the server has fitted at this price; `begin`, which would learn it here, is not called."""
        made = self.send(epsilon)
        return _Answered(_Stored(b64decode(made.column("bytes")[0])), made.price, made.receipt)


def remote_lesson(opened: Lesson, send: Callable[[Number], Release]) -> Lesson:
    """A lesson that was opened on made-up rows, whose model is fitted where the real ones are."""
    known = {each.name: getattr(opened, each.name) for each in fields(opened)}
    return RemoteLesson(**known, send=send)
