"""Several answers that were paid for at one price, as the ledger keeps them.

Checked by: tests/laws/test_combined.py
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from tacit.curator.pricing.unknown_key_threshold import Hiding
from tacit.curator.record.stored_answer import Stored
from tacit.frozen import frozen

__all__ = ["PARTS_FORMAT", "StoredParts"]

PARTS_FORMAT = b"tacit answers 1"


@frozen
class StoredParts:
    """What was released for every part; `asked` says what was asked and paid for, and under which policy."""

    asked: Mapping[str, Any]
    parts: tuple[Stored, ...]

    @property
    def mechanism(self) -> str:
        """The mechanisms of all parts."""
        return "; ".join(dict.fromkeys(part.mechanism for part in self.parts))

    @property
    def scales(self) -> tuple[Fraction, ...]:
        """The scales of all parts' noise, in steps of their integers."""
        return tuple(scale for part in self.parts for scale in part.scales)

    @property
    def worths(self) -> tuple[Fraction, ...]:
        """What a step of each of them is worth."""
        return tuple(worth for part in self.parts for worth in part.worths)

    @property
    def hiding(self) -> Hiding | None:
        """Of parts whose keys are unknown, what hides most."""
        found = [part.hiding for part in self.parts if part.hiding is not None]
        return max(found, key=lambda each: each.threshold) if found else None

    @property
    def found(self) -> tuple[tuple[Any, ...], ...]:
        """The unknown keys that were found, of all parts."""
        return tuple(keys for part in self.parts for keys in part.found or ())

    def to_bytes(self) -> bytes:
        """The bytes that are stored and replayed: what they are, the lengths of the parts, and the parts."""
        parts = [part.to_bytes() for part in self.parts]
        header = {"asked": dict(self.asked), "lengths": list(map(len, parts))}
        text = json.dumps(header, separators=(",", ":")).encode()
        return b"\n".join((PARTS_FORMAT, text, b"".join(parts)))

    @classmethod
    def from_bytes(cls, payload: bytes) -> StoredParts:
        """What the bytes stand for."""
        _, text, data = payload.split(b"\n", 2)
        header = json.loads(text)
        parts, start = [], 0
        for length in header["lengths"]:
            parts.append(Stored.from_bytes(data[start : start + length]))
            start += length
        return cls(header["asked"], tuple(parts))

    def plain(self) -> dict[str, Any]:
        """All of it as JSON can hold it, integers too, for whoever looks into the ledger."""
        return {"asked": dict(self.asked), "parts": [part.plain() for part in self.parts]}
