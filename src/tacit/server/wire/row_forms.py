"""The forms of values and rows in a conversation: text or binary, and how columns are described.

Checked by: tests/unit/server/wire/test_conversation.py
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tacit.server.wire import server_messages as server
from tacit.server.wire.problems import Problem
from tacit.server.wire.value_types import Field, length_of
from tacit.server.wire.write_values import to_text

__all__ = ["describe_columns", "read_formats", "text_bytes"]


def read_formats(given: Sequence[int], count: int) -> Sequence[int]:
    """The format of each of so many values: none given is text, one is for all."""
    if len(given) == count:
        return given
    if len(given) > 1:
        raise Problem("08P01", "the number of format codes is not that of the values")
    return [given[0] if given else 0] * count


def describe_columns(fields: Sequence[Field], formats: Sequence[int]) -> bytes:
    """The description of the columns of an answer, in these forms."""
    each = read_formats(formats, len(fields))
    return server.row_description(
        [
            (field.name, field.oid, length_of(field.oid), field.modifier, form)
            for field, form in zip(fields, each, strict=True)
        ]
    )


def text_bytes(value: Any, oid: int) -> bytes:
    """A value as text, in bytes."""
    return to_text(value, oid).encode(errors="replace")
