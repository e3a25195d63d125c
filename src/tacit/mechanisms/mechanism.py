"""The protocol that every mechanism keeps.

Checked by: tests/laws/test_mechanisms.py
"""

from __future__ import annotations

from typing import Any, Protocol, runtime_checkable

from tacit.exact import Number
from tacit.privacy import Loss, Sensitivity

__all__ = ["Mechanism"]


@runtime_checkable
class Mechanism(Protocol):
    """A frozen value that hides how far a bounded answer moved, and says what that costs and how exact it is."""

    def release(self, value: Any, times: int | None = None) -> Any:
        """The value with noise; with `times`, an array of that many independent releases of it."""

    def loss(self, sensitivity: Sensitivity | Number) -> Loss:
        """What one release costs, if the value moves by at most this much between neighbours."""

    def error(self, confidence: Number, answers: int = 1) -> int | float:
        """The distance within which all of so many released numbers stay, with at least this probability."""

    def distribution(self, exact: Any) -> Any:
        """The exact law of what is released when the exact answer is as given."""
