"""What whoever runs a server watches beside slots: connections, the certificate, statements that nobody answered."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from tacit.frozen import frozen
from tacit.server.certificates import read_expiry

__all__ = ["Watched", "Watching", "read_misses"]

_SHOWN = 20
_TAIL = 64 * 1024  # bytes of a file's end that are read


@frozen
class Watched:
    """How a server does now: connections by door, when its certificate expires, the last statements without answer."""

    connections: Mapping[str, int]
    expires: datetime | None
    misses: tuple[Mapping[str, Any], ...]

    @property
    def days_left(self) -> int | None:
        """The days that are left to the certificate; below zero if it has expired."""
        return None if self.expires is None else (self.expires - datetime.now(UTC)).days

    def told(self) -> dict[str, Any]:
        """The same as JSON can hold it."""
        return {
            "connections": dict(self.connections),
            "certificate_expires": None if self.expires is None else self.expires.isoformat(),
            "misses": [dict(each) for each in self.misses],
        }


class Watching:
    """Looks when somebody asks; `counts` are the doors, each with what counts its connections."""

    def __init__(self, misses: Path | None = None, certificate: Path | None = None) -> None:
        self.counts: dict[str, Callable[[], int]] = {}
        self._misses, self._certificate = misses, certificate

    def look(self) -> Watched:
        """How the server does now."""
        return Watched(
            {door: count() for door, count in self.counts.items()},
            None if self._certificate is None else read_expiry(self._certificate),
            () if self._misses is None else read_misses(self._misses),
        )


def read_misses(file: Path) -> tuple[Mapping[str, Any], ...]:
    """The last lines of a list of misses, newest first; none, if there is no such list."""
    try:
        with file.open("rb") as opened:
            opened.seek(max(0, file.stat().st_size - _TAIL))
            lines = opened.read().splitlines()
    except FileNotFoundError:
        return ()
    found = []
    for line in reversed(lines):
        try:
            found.append(json.loads(line))
        except ValueError:  # the first one of the tail is a part of a line
            continue
    return tuple(found[:_SHOWN])
