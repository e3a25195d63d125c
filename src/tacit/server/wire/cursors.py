"""Portals: questions that were bound and are read in pieces, by Execute with a limit or by FETCH.

Checked by: tests/unit/server/wire/test_cursors.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.frozen import frozen
from tacit.server.wire.lexer import Statement
from tacit.server.wire.read_cursor_commands import Fetch
from tacit.server.wire.read_explain_and_copy import Copy
from tacit.server.wire.value_types import Field

__all__ = ["Outcome", "Portal", "Prepared"]


@frozen
class Outcome:
    """What came of a statement: rows, or only the tag that says that it is done; and the notices that go with it."""

    tag: str
    fields: tuple[Field, ...] | None = None
    rows: Sequence[tuple[Any, ...]] = ()
    notices: tuple[tuple[str, str | None], ...] = ()
    copy: Copy | None = None


@frozen
class Prepared:
    """A statement with the types of its parameters, and a value of each to describe it with; None is the empty one."""

    statement: Statement | None
    types: tuple[int, ...] = ()
    samples: tuple[Any, ...] = ()


class Portal:
    """A statement with its values, and how far its rows were read; it runs once, when its first row is asked for.

    Claim:      a portal is asked once, however often it is executed or fetched from.
    Because:    what came of it is kept, and rows are read from there.
    Checked by: tests/unit/server/wire/test_sequences.py
    """

    def __init__(
        self,
        statement: Statement | None,
        values: tuple[Any, ...] = (),
        types: tuple[int, ...] = (),
        formats: tuple[int, ...] = (),
        *,
        is_cursor: bool = False,
        hold: bool = False,
    ) -> None:
        self.statement = statement
        self.values = values
        self.types = types
        self.formats = formats
        self.is_cursor = is_cursor
        self.hold = hold
        self.outcome: Outcome | None = None
        self.fields: tuple[Field, ...] | None = None
        self.is_told = False  # whether what it cost was said
        self.place = 0  # rows that were passed; one more than there are is behind the last

    def take(self, limit: int) -> Sequence[tuple[Any, ...]]:
        """The next rows: so many at most, or all (0)."""
        assert self.outcome is not None, "it was run"
        rows = self.outcome.rows
        first = min(self.place, len(rows))
        last = len(rows) if limit <= 0 else min(first + limit, len(rows))
        self.place = last
        return rows[first:last]

    def fetch(self, wanted: Fetch) -> Sequence[tuple[Any, ...]]:
        """The rows that a FETCH asks for, wherever the cursor stands.

        The cursor stands before the first row (0), on a row (1, 2, …), or behind the last.
        """
        assert self.outcome is not None, "it was run"
        rows, count = self.outcome.rows, wanted.count
        size = len(rows)
        direction = wanted.direction
        if count < 0 and direction in {"forward", "backward"}:
            direction, count = ("backward" if direction == "forward" else "forward"), -count
        if direction in {"absolute", "relative"}:
            target = self.place + count if direction == "relative" else count
            if direction == "absolute" and count < 0:
                target = size + 1 + count
            self.place = min(max(target, 0), size + 1)
            return rows[self.place - 1 : self.place] if 1 <= self.place <= size else ()
        if count == 0:
            return rows[self.place - 1 : self.place] if 1 <= self.place <= size else ()
        if direction == "forward":
            first = min(self.place, size)
            last = min(first + count, size)
            self.place = size + 1 if first + count > size else last
            return rows[first:last]
        first = min(self.place, size + 1) - 1
        last = max(first - count, 0)
        self.place = 0 if first - count < 0 else last + 1
        return tuple(reversed(rows[last:first]))
