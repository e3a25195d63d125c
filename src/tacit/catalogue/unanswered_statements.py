"""What clients asked and were not answered: a list for the curator, so that a new client's shape can be added.

Checked by: tests/unit/catalogue/test_catalogue.py
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock

from tacit.errors import CatalogueError
from tacit.frozen import frozen

__all__ = ["Miss", "Misses"]

KEPT = 200
LONGEST = 1_000  # characters of a statement
LARGEST = 1 << 20  # bytes of the file: whoever asks nonsense fills no disk


@frozen
class Miss:
    """A statement that was refused, and why; nothing in it comes from private rows."""

    sqlstate: str
    message: str
    sql: str
    detail: str = ""


class Misses:
    """The last misses, and a file that each distinct one is written to, if there is one."""

    def __init__(self, path: Path | None = None) -> None:
        self._path, self._lock = path, Lock()
        self._kept: deque[Miss] = deque(maxlen=KEPT)

    def note(self, sql: str, error: CatalogueError) -> None:
        """Keep a refusal; one that is known already is not kept twice."""
        miss = Miss(error.sqlstate, error.message, sql[:LONGEST], error.detail)
        with self._lock:
            if miss in self._kept:
                return
            self._kept.append(miss)
            if self._path is not None and _size(self._path) < LARGEST:
                line = {
                    "at": datetime.now(UTC).isoformat(timespec="seconds"),
                    "sqlstate": miss.sqlstate,
                    "message": miss.message,
                    "sql": miss.sql,
                    "detail": miss.detail,
                }
                with self._path.open("a", encoding="utf-8") as file:
                    file.write(json.dumps(line) + "\n")

    def __iter__(self) -> Iterator[Miss]:
        """The misses, oldest first."""
        with self._lock:
            return iter(tuple(self._kept))


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0
